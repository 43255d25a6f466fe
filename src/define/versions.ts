import type { Method } from '../http/http.ts'
import type { Fallback } from './infer.ts'
import type { VERSION_NEUTRAL, VersionEntry, VersionSpec } from '../versioning/version.ts'

/*
 * The version of a route is inferred into its element, beside method, path and name. Names begin with a letter, `_` or `$`, so what
 * begins with anything else is a version. A version that begins like a name leaves `number` in the element too, and what follows its
 * first letter, which is how it is told from the name.
 */

type Small =
  | ('a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm')
  | ('n' | 'o' | 'p' | 'q' | 'r' | 's' | 't' | 'u' | 'v' | 'w' | 'x' | 'y' | 'z')

type Letter = Small | Uppercase<Small>

type Initial = Letter | '_' | '$'

/** Texts that look like the name of a route. A union that is written as one is not instantiated again and again. */
type NameText = `${Letter}${string}` | `${'_' | '$'}${string}`

/**
 * The `version` of a route. Both branches of the inner condition are inferred from. A string is inferred from the second alone, because
 * the `string` of the first takes it. There, a literal gives the member `length` that its rest has to have: `number`. The entries of a
 * list are inferred one by one, so that no schema is ever compared with a list.
 */
export type VersionField<E> = unknown extends E
  ? unknown extends E
    ? string | Neutral<E> | readonly (string | Neutral<E>)[]
    : Literal<E> | readonly Literal<E>[]
  : VersionSpec

type Neutral<E> = Extract<E, typeof VERSION_NEUTRAL>

type Literal<E> = `${Extract<E, string>}` | `${Initial}${Extract<E, string> & { readonly length: E }}`

/** The versions that an application names apart from its routes. Types alone have it. */
export interface EnabledVersions<D, L, H = undefined> {
  /** The version of requests that name none: `null` for no version, `unknown` if types do not know. */
  readonly defaultVersion: D
  /** The listed versions. */
  readonly listed: L
  /** The changes between versions, or `undefined` without any. */
  readonly history: H
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

/** The beginnings of versions that do not begin like names: digits, the signs of ranges, and other signs. */
type Sign =
  | '<'
  | '>'
  | '='
  | ' '
  | '-'
  | '+'
  | '.'
  | '~'
  | '^'
  | '*'
  | '#'
  | '@'
  | '!'
  | '?'
  | '%'
  | '&'
  | '('
  | '['

type PlainEntry = `${Digit | Sign}${string}` | typeof VERSION_NEUTRAL

/** The names of route elements, none of which has a version that begins like one. */
type PlainNames<E> = E extends NameText ? (E extends Method ? never : E) : never

/** The entries of route elements, none of which begins like a name. */
type PlainEntries<E> = E extends PlainEntry ? E : never

/** The strings of an element whose rests are in it too: versions that begin like names. */
type WordsIn<E> = {
  [S in Extract<E, NameText>]: S extends `${infer _}${infer Rest}` ? (Rest extends E ? S : never) : never
}[Extract<E, NameText>]

/** The rests that versions which begin like names left. */
type RestsOf<Word> = Word extends `${infer _}${infer Rest}` ? Rest : never

/** The explicit name of a route element, or what stands for a name that types do not know. */
type NameIn<E, Unknown> = string extends E
  ? Unknown
  : number extends E
    ? Exclude<PlainNames<E>, WordsIn<E> | RestsOf<WordsIn<E>>>
    : PlainNames<E>

type EachName<T, Unknown> = { [I in keyof T]: NameIn<T[I], Unknown> }[number & keyof T]

type AllNames<E, T, Unknown> = string extends E
  ? EachName<T, Unknown>
  : number extends E
    ? EachName<T, Unknown>
    : PlainNames<E>

/** The explicit names of a list of route elements. They are looked at one by one only if one of them needs it. */
export type NamesIn<T, Unknown = never> = AllNames<T[number & keyof T], T, Unknown>

/** The entries of the version of a route element among those of all; `never` if it has none. */
type OwnEntries<E, All> = number extends E
  ? WordsIn<E> | Exclude<PlainEntries<E>, RestsOf<WordsIn<E>>>
  : Extract<All, E>

/**
 * The entries of a version specification. A definition inside another one has the whole of `VersionSpec` for its type if it has no
 * version, because TypeScript infers that from the definition around it.
 */
export type EntriesOf<S> = [VersionEntry] extends [S] ? never : EachEntry<S>

type EachEntry<S> = S extends readonly (infer Entry)[] ? Entry : S

/** The entries of the versions of a list of route elements. */
export type EntriesIn<T> = AllEntries<T[number & keyof T], T>

type AllEntries<E, T> = number extends E
  ? { [I in keyof T]: OwnEntries<T[I], PlainEntries<T[I]>> }[number & keyof T]
  : PlainEntries<E>

/** A range of versions: which ones it has depends on a list that types may not know. */
export type RangeText = `${'<' | '>'}${string}` | `${'=' | ' '}${string}`

type Vague = RangeText | typeof VERSION_NEUTRAL

type Digits = '0123456789'

/** How two whole numbers of one or two digits compare, or two days; `unknown` for anything else, which is not worth what it costs. */
type Compared<A, B> = A extends B
  ? '='
  : A extends Digit
    ? B extends Digit
      ? DigitsCompared<A, B>
      : B extends `${Exclude<Digit, '0'>}${Digit}`
        ? '<'
        : unknown
    : A extends `${infer A1 extends Exclude<Digit, '0'>}${infer A2 extends Digit}`
      ? B extends Digit
        ? '>'
        : B extends `${infer B1 extends Exclude<Digit, '0'>}${infer B2 extends Digit}`
          ? DigitsCompared<`${A1}${A2}`, `${B1}${B2}`>
          : unknown
      : [DayDigits<A>, DayDigits<B>] extends [infer A1 extends string, infer B1 extends string]
        ? DigitsCompared<A1, B1>
        : unknown

/** How two texts of as many digits compare. */
type DigitsCompared<A, B> = [A, B] extends [
  `${infer A1 extends Digit}${infer A2}`,
  `${infer B1 extends Digit}${infer B2}`,
]
  ? A1 extends B1
    ? DigitsCompared<A2, B2>
    : Digits extends `${string}${A1}${string}${B1}${string}`
      ? '<'
      : '>'
  : '='

/** The digits of a day of this century, or `unknown` for anything else. */
type DayDigits<V> = V extends `20${infer Y}${infer Z}-${infer M}${infer N}-${infer D}${infer E}`
  ? [Y, Z, M, N, D, E] extends [Digit, Digit, Digit, Digit, Digit, Digit]
    ? `${Y}${Z}${M}${N}${D}${E}`
    : unknown
  : unknown

/** The ranges that do not have a version. */
type Without<S, V> = S extends `${infer First} ${infer Rest}`
  ? [Without<First, V> | Without<Rest, V>] extends [never]
    ? never
    : S
  : S extends `<=${infer N}`
    ? Beyond<S, Compared<V, N>, '>'>
    : S extends `<${infer N}`
      ? Beyond<S, Compared<V, N>, '>' | '='>
      : S extends `>=${infer N}`
        ? Beyond<S, Compared<V, N>, '<'>
        : S extends `>${infer N}`
          ? Beyond<S, Compared<V, N>, '<' | '='>
          : never

type Beyond<S, Result, Outside> = [Result] extends [Outside] ? S : never

/** How entries answer in a version, or for `null` without one. */
type Rank<S, V> = [S] extends [never]
  ? 'maybe'
  : string extends S
    ? 'maybe'
    : V extends S
      ? 'exactly'
      : [Exclude<Extract<S, V extends null ? typeof VERSION_NEUTRAL : Vague>, Without<S, V>>] extends [never]
        ? 'never'
        : 'maybe'

/**
 * Whether a route element answers in a version, or for `null` without one: because it names the version, or as far as types know. `All`
 * are the entries of all routes beside it, `Above` those of the level above.
 */
export type Answers<E, All, Above, V> = Rank<Fallback<OwnEntries<E, All>, Above>, V>

/** The explicit names of the route elements that answer in a version, or for `null` without one. */
export type NamesAt<T, Above, V> = NamesAmong<T, EntriesIn<T>, Above, V>

/** Only elements with an entry that does not answer have to be looked at. */
type NamesAmong<T, All, Above, V> = [Rank<Above, V>, Unseen<All, V>] extends ['maybe' | 'exactly', never]
  ? NamesIn<T>
  : Extract<
      NamesIn<T>,
      number extends T[number & keyof T]
        ? ElementsAt<T, All, Above, V>
        : PlainAt<T, Exclude<All, Unseen<All, V>>, Unseen<All, V>, Rank<Above, V>>
    >

/** The entries that do not answer in a version. */
type Unseen<All, V> = Exclude<All, V | (V extends null ? typeof VERSION_NEUTRAL : Vague)> | Without<All, V>

type ElementsAt<T, All, Above, V> = {
  [I in keyof T]: Answers<T[I], All, Above, V> extends 'never' ? never : T[I]
}[number & keyof T]

/** The same if no version begins like a name. */
type PlainAt<T, Seen, Hidden, Inherited> = Inherited extends 'never'
  ? { [I in keyof T]: Extract<Seen, T[I]> extends never ? never : T[I] }[number & keyof T]
  : {
      [I in keyof T]: Extract<Hidden, T[I]> extends never
        ? T[I]
        : Extract<Seen, T[I]> extends never
          ? never
          : T[I]
    }[number & keyof T]
