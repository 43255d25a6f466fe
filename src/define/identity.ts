import type { IdentityValue } from './register.ts'

/*
 * What is inferred of a route is a union of all its parts. Guards leave their marks in it as tuples, which no input and no response
 * is taken for.
 */

/** The mark of a guard that a route adds. */
export type Added<I = unknown> = readonly ['adds', I]

/** The mark of a guard that a route drops. */
export type Dropped<I = unknown> = readonly ['drops', I]

type AddedBy<E> = E extends Added<infer I> ? I : never
type DroppedBy<E> = E extends Dropped<infer I> ? I : never

/**
 * The type of `context.identity`: that of the guards of the route, else of its controller (`G`), else of `Register`. It is `unknown` if the
 * route drops a guard with an identity, and if none declares one. Most routes have no marks, so they cost the type checker one question.
 */
export type Identity<E, G> = [Extract<E, readonly [string, unknown]>] extends [never] ? G : Marked<E, G>

type Marked<E, G> = [AddedBy<E>] extends [never] ? ([DroppedBy<E>] extends [never] ? G : unknown) : AddedBy<E>

/** The known type of an identity. `never` means that no guard of the controller or route has one. */
export type IdentityIn<G> = [G] extends [never] ? IdentityValue : G
