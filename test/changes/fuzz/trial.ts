import type { Random } from '../../fault/fuzz/random.ts'
import type { Reference } from './reference.ts'
import type { Kind } from './world.ts'

type Texts = Readonly<Record<string, string>>

/** A request to a route of its own, what its handler does, and what has to come of it. */
export interface Trial {
  readonly method: string
  /** Without the version. */
  readonly path: string
  readonly query: Texts
  readonly headers: Texts
  readonly body: unknown
  /** The result of each call of the handler, which may throw. */
  readonly result: (given: Readonly<Record<string, unknown>>) => unknown
  /** The same result, of a handler that was written for the version at a place. `create` makes the problem of that version. */
  readonly resultAt?: (at: number, create: (name: string, members: unknown) => unknown) => Trial['result']
  readonly expected: Expected
}

export interface Expected {
  readonly status: number
  /** The input of the handler, by its sources. Not looked at if it is `undefined`. */
  readonly seen?: Readonly<Record<string, unknown>>
  /** What handlers get of fields that are kept, by the ids of changes. */
  readonly kept?: Readonly<Record<string, unknown>>
  /** The body of the response. Not looked at if it is `undefined`. */
  readonly body?: unknown
  /** The code of the problem. Not looked at if it is `undefined`. */
  readonly code?: string
  /** The source and path that a 422 has to name. */
  readonly issue?: readonly [source: string, path: readonly (string | number)[]]
  /** The number of calls of the handler. */
  readonly calls?: number
}

/** What tries a route in a version. */
export interface Place {
  readonly random: Random
  readonly reference: Reference
  /** The place of the version, 0 for the newest. */
  readonly version: number
}

/** Makes the parts of a world that routes of their own are made of. */
export interface Source {
  readonly random: Random
  readonly versions: number
  /** A kind of a body. */
  readonly outer: () => Kind
  /** An object. */
  readonly whole: () => Kind
  /** An object all of whose values can be written as text. */
  readonly flat: () => Kind | undefined
}

/** Notes what a function of a change gets. */
export type Note = (change: string, values: unknown) => void

/** A part of a change, which has no other ones. */
export interface BuiltPart {
  readonly version: number
  readonly change: string
  readonly part: unknown
}

/** Values as texts of a query, headers, cookies or a form. */
export function toTexts(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries<unknown>(Object(value)).flatMap(([key, member]) =>
      member === undefined
        ? []
        : [[key, member instanceof Date ? member.toISOString() : `${member as string | number}`] as const],
    ),
  )
}
