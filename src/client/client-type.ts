import type { Controller } from '../define/controller.ts'
import type { NameIn, PathIn } from '../define/infer.ts'
import type { ControllerName, ControllersOf, OwnPrefix } from '../define/names.ts'
import type { AnswersIn, As, Given } from './answer.ts'
import type { CallInput } from './input.ts'

/** What every call takes besides what its route declares. */
export interface CallOptions<A extends As = As> {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined
  /** How the body of the answer is given: as `data`, as a stream of bytes, or the whole `Response`, whatever its status. @default 'data' */
  readonly as?: A | undefined
}

/** Calls a route. `I` is what its route declares, `R` what it answers. */
export interface RouteFunction<I, R> {
  /** Sends a request. @throws `ProblemError` for statuses of 400 and more that the route does not declare, and what `fetch` throws. */
  <const A extends As = 'data'>(
    ...input: object extends I ? [input?: I & CallOptions<A>] : [input: I & CallOptions<A>]
  ): Promise<Given<R, A>>
}

/** A controller or router where it stands: its name, the prefix up to it, its routes and the routers below it. */
interface Placed<Name, Prefix extends string, T, R> {
  readonly name: Name
  readonly prefix: Prefix
  readonly routes: T
  readonly routers: R
}

type Place<C, Above extends string> =
  C extends Controller<infer N, infer P, infer T, infer R>
    ? Placed<ControllerName<N, P>, `${Above}${OwnPrefix<N, P>}`, T, R>
    : never

/** The routers below. */
type Below<C> =
  C extends Placed<unknown, infer P, unknown, infer R>
    ? R extends readonly []
      ? never
      : Place<R[number & keyof R], P>
    : never

/** Those that add a name, with what is below those that add none. */
type Named<C> = C extends { readonly name: '' } ? Named<Below<C>> : C
/** Those that add no name: their routes are those of what is above them. */
type Nameless<C> = C extends { readonly name: '' } ? C | Nameless<Below<C>> : never

/** The explicit names of routes. Where one is not known, the others are looked at one by one. */
type RouteNamesIn<T> = T extends readonly unknown[]
  ? string extends NameIn<T[number]>
    ? { [I in keyof T]: string extends NameIn<T[I]> ? never : NameIn<T[I]> }[number]
    : NameIn<T[number]>
  : never

/** The routes of a name, each with its pattern, for there can be one in each version. */
type RoutesNamed<C, K> =
  C extends Placed<unknown, infer P, infer T extends readonly unknown[], unknown>
    ? { [I in keyof T]: K extends T[I] ? [pattern: `${P}${PathIn<T[I]>}`, element: T[I]] : never }[number]
    : never

type InputsOf<E> = E extends [infer P extends string, infer Element] ? CallInput<P, Element> : never
type AnswersTo<E> = E extends [string, infer Element] ? AnswersIn<Element> : never

/** What a name stands for: a route, what is below a controller, or both. */
type Member<E, C> = [E] extends [never]
  ? Level<C | Nameless<Below<C>>, Named<Below<C>>>
  : [C] extends [never]
    ? RouteFunction<InputsOf<E>, AnswersTo<E>>
    : RouteFunction<InputsOf<E>, AnswersTo<E>> & Level<C | Nameless<Below<C>>, Named<Below<C>>>

/** The calls of one level: routes of `Own`, and the names of `C`. Inferred, so that errors do not show what it comes from. */
type Level<Own, C> =
  | RouteNamesIn<Own extends { readonly routes: infer T } ? T : never>
  | (C extends { readonly name: infer N } ? N : never) extends infer N extends string
  ? { readonly [K in N]: Member<RoutesNamed<Own, K>, Extract<C, { readonly name: K }>> }
  : never

type Root<C> = Level<Nameless<C>, Named<C>>

/**
 * The calls of an application by route names, as `urlFor` knows them: `client.car.getOne`, and `client.admin.users.list` for nested
 * routers. Routes of one name in several versions are a union.
 *
 * @example
 * type Api = Client<typeof app>
 */
export type Client<A> = A extends { readonly $module?: infer M } ? Root<Place<ControllersOf<M>, ''>> : never
