import type { ProblemDocument } from '../../define/error-format.ts'
import type { AnyProblem, Declared } from '../../define/problem.ts'
import type { ChangeExtra } from '../convert/converter.ts'

/** An earlier error. At least one of its members is given. */
export interface ErrorWas<N = unknown, W = unknown> {
  /** The problem of the route, as it was after this change. It types the parameter of `down`. */
  readonly now?: N
  /** The code that it had, or the problem that it was, with its code, status and members. @default the newest one */
  readonly was?: W
  /** The status that it had. @default the newest one */
  readonly status?: number
  /** Returns the body of the older version. It gets the newest body with the older code and status. */
  readonly down?: (problem: ProblemNow<N>, extra: ChangeExtra) => MembersOf<W, object>
}

/** The body of a newest error: members are known if `now` names its problem. */
type ProblemNow<N> = unknown extends N ? AnyMembers : OwnMembers & MembersOf<N, AnyMembers>

type AnyMembers = Readonly<Record<string, unknown>>

/** The members of every problem. */
type OwnMembers = Pick<ProblemDocument, 'type' | 'title' | 'status' | 'detail' | 'code'>

/** The members that a problem declares, or `E` for one that types do not know. */
type MembersOf<P, E> = P extends { readonly $declares?: Declared<unknown, unknown, infer M> }
  ? M extends { readonly _zod: { readonly output: infer O } }
    ? O
    : E
  : E

/** The earlier errors of a route, by their newest codes. */
export type ErrorsWere = Readonly<Record<string, ErrorWas & KnownErrors[string]>>

/** Earlier errors without the type of their functions. */
type KnownErrors = Readonly<
  Record<
    string,
    {
      readonly now?: AnyProblem
      readonly was?: string | AnyProblem
      readonly status?: number
      readonly down?: unknown
    }
  >
>

/** The earlier errors with the problems that they are and were, and the functions between them. What is left out is `unknown`. */
export type InferredErrors<N, W, S, D> = { readonly [K in keyof N]: { readonly now?: N[K] } } & {
  readonly [K in keyof W]: { readonly was?: W[K] }
} & { readonly [K in keyof S]: { readonly status?: S[K] } } & {
  readonly [K in keyof D]: { readonly down?: D[K] }
} & {
  readonly [K in keyof N]: ErrorWas<N[K], W[K & keyof W]>
} & KnownErrors

/** The facts of a change about errors, for clients of older versions. */
export type ErrorFacts<W, S, D> = {
  [K in keyof W]: readonly [K, { was: W[K]; status: S[K & keyof S]; down: D[K & keyof D] }]
}[keyof W]
