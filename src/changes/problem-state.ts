import type { About, AnyTold, ByName, ChangesIn, State } from './state.ts'
import type { Fact } from './was.ts'

/** A declared problem of a route in a state, by its mark. `N` is the name of the route. */
export type ProblemAt<D, N, St> =
  St extends State<infer Vs, infer C, infer New> ? ProblemInVersion<D, D, N, ErrorChanges<N, C, New>, Vs> : D

/** The changes of the errors of a route, or of all routes, that came after the version of a state. */
type ErrorChanges<N, C, New> = ChangesIn<
  ByName<C>[(About<`errors ${N & string}`> | 'errors *') & keyof ByName<C>],
  New
>

/** A problem, taken back through its changes. `Now` is its mark today, whose code they name. */
type ProblemInVersion<D, Now, N, U, Vs> = [U] extends [never]
  ? D
  : Vs extends readonly [infer V, ...infer Older]
    ? [ChangesIn<U, V>] extends [never]
      ? ProblemInVersion<D, Now, N, U, Older>
      : ProblemInVersion<
          ProblemBefore<D, ErrorWasOf<Now, ErrorFacts<ChangesIn<U, V>, N>>>,
          Now,
          N,
          Exclude<U, ChangesIn<U, V>>,
          Older
        >
    : D

/** The facts of changes about the errors of a route. */
type ErrorFacts<U, N> = U extends AnyTold
  ? Extract<U['~was'], Fact<About<`errors ${N & string}`> | 'errors *'>>[1]
  : never

/** The earlier error that is said of the problem of a mark. */
type ErrorWasOf<Now, F> = F extends readonly [infer Code, infer W]
  ? Now extends readonly [unknown, Code, unknown, unknown]
    ? W
    : never
  : never

/** The mark of a problem before a change. Members that a function makes are unknown, unless it names the problem that it was. */
type ProblemBefore<D, W> = [W] extends [never]
  ? D
  : D extends readonly [infer Mark, infer C, infer S, infer M]
    ? W extends { readonly was: { readonly $declares?: infer Was } }
      ? WithStatus<NonNullable<Was>, W>
      : WithStatus<
          readonly [
            Mark,
            W extends { readonly was: infer Code extends string } ? Code : C,
            S,
            W extends { readonly down: (...given: never) => unknown } ? UnknownMembers : M,
          ],
          W
        >
    : never

type WithStatus<D, W> = D extends readonly [infer Mark, infer C, unknown, infer M]
  ? W extends { readonly status: infer S extends number }
    ? readonly [Mark, C, S, M]
    : D
  : never

/** The stand-in for the schema of members that a function makes. */
interface UnknownMembers {
  readonly _zod: {
    readonly input: Readonly<Record<string, unknown>>
    readonly output: Readonly<Record<string, unknown>>
  }
}
