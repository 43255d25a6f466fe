import type { Method } from '../http.ts'
import type { VersionSpec } from '../versioning/spec.ts'

/*
 * The version of a route is inferred into its element, beside method, path and name. Names begin with a letter, `_` or `$`, so what
 * begins with anything else is a version. A version that begins like a name leaves `number` in the element too, and what follows its
 * first letter, which is how it is told from the name.
 */

type Small =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z')

type Initial = Small | Uppercase<Small> | '_' | '$'

/** What looks like the name of a route. */
type NameText = `${Initial}${string}`

/**
 * The `version` of a route. Both branches of the inner condition are inferred from. A string is inferred from the second alone, because
 * the `string` of the first takes it. There, a literal gives the member `length` that its rest has to have: `number`.
 */
export type VersionField<E> = unknown extends E
  ? unknown extends E
    ? string | Extract<E, Exclude<VersionSpec, string>>
    : `${Extract<E, string>}` | `${Initial}${Extract<E, string> & { readonly length: E }}`
  : VersionSpec

/** The names of route elements, none of which has a version that begins like one. */
type PlainNames<E> = Exclude<Extract<E, NameText>, Method>

/** Versions that begin like names, and what follows their first letters. */
type WordsIn<E> = {
  [S in Extract<E, string>]: S extends `${Initial}${infer Rest}` ? (Rest extends E ? S | Rest : never) : never
}[Extract<E, string>]

/** The explicit name of a route element, or what stands for a name that types do not know. */
type NameIn<E, Unknown> = string extends E ? Unknown : PlainNames<Exclude<E, WordsIn<E>>>

type EachName<T, Unknown> = { [I in keyof T]: NameIn<T[I], Unknown> }[number & keyof T]

type AllNames<E, T, Unknown> = string extends E
  ? EachName<T, Unknown>
  : number extends E
    ? EachName<T, Unknown>
    : PlainNames<E>

/** The explicit names of a list of route elements. They are looked at one by one only if one of them needs it. */
export type NamesIn<T extends readonly unknown[], Unknown = never> = AllNames<T[number], T, Unknown>
