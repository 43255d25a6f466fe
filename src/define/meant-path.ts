import type { ParamValues } from '../router/path/param-types.ts'

/*
 * Mistakes in the text of a path, found by the type checker. The type of a path that is wrong is the path that was meant, so that messages
 * name it and editors offer it. `parsePattern` has the same rules, and finds the mistakes that types cannot see.
 */

/** A path as it was meant: `/{id}` for `/:id`, every known type for `/{id:integer}`, and the path itself if it is right. */
export type MeantPath<P> = P extends unknown ? Readings<P>[IsRight<P>] : P

/** An interface, because its members cost the type checker nothing until they are asked for. */
interface Readings<P> {
  readonly right: P
  readonly wrong: Meant<P>
}

/** A prefix as it was meant. Only the first branch decides the inferred type. */
export type MeantPrefix<P extends string> = string extends P
  ? P
  : NoInfer<P extends '' ? P : P extends `/${string}` ? MeantPath<P> : Slashed<P>>

/** A text with the slash that every path begins with. */
type Slashed<T> = [T] extends [string] ? (string extends T ? `/${string}` : `/${T}`) : never

type Meant<P> = P extends `${infer Path}?${string}`
  ? MeantPath<Path>
  : P extends `${infer Head}//${infer Rest}`
    ? MeantPath<`${Head}/${Rest}`>
    : P extends `${infer Head}/:${infer Name}/${infer Rest}`
      ? MeantPath<`${Head}/{${Name}}/${Rest}`>
      : P extends `${infer Head}/:${infer Name}`
        ? MeantPath<`${Head}/{${Name}}`>
        : P extends `${infer Head}[...${infer Name}]${string}`
          ? MeantPath<`${Head}{${Name}:path}`>
          : P extends `${infer Head}[${infer Name}]${infer Rest}`
            ? MeantPath<`${Head}{${Name}}${Rest}`>
            : P extends `${infer Head}*${infer Name}`
              ? MeantPath<`${Head}{${RestName<Name>}:path}`>
              : WithKnownTypes<P>

type RestName<Name extends string> = Name extends '' | `${string}${'*' | '/'}${string}` ? 'rest' : Name

/** A path is right if it has nothing of other frameworks and no unknown type. */
type IsRight<P> = P extends `${string}${'[' | '*' | '?' | '//' | '/:'}${string}`
  ? 'wrong'
  : P extends `${string}:${infer Type}}${infer Rest}`
    ? Type extends keyof ParamValues
      ? IsRight<Rest>
      : 'wrong'
    : 'right'

type WithKnownTypes<P, Before extends string = ''> = P extends `${infer Head}:${infer Type}}${infer Rest}`
  ? Type extends keyof ParamValues
    ? WithKnownTypes<Rest, `${Before}${Head}:${Type}}`>
    : `${Before}${Head}:${keyof ParamValues}}${Rest}`
  : `/${string}`
