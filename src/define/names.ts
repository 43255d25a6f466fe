import { toKebab, toPascal } from '../base/values.ts'
import type { Controller, Module } from './module.ts'
import type { Flat, Fallback, ParamsOf, PathIn } from './infer.ts'
import type { Answers, EnabledVersions, EntriesIn, EntriesOf, NamesIn, RangeText } from './versions.ts'
import type { Segment } from '../router/path/pattern.ts'

/**
 * The name of a controller: `CarController` is `car`, `UserProfileController` is `user-profile`, `HTTPController` is `http`.
 */
export function controllerName(name: string): string {
  return toKebab(name.replace(/Controller$/, ''))
}

/** The name that a prefix gives: its literal segments, joined by dashes. */
export function nameFromPrefix(segments: readonly Segment[]): string {
  return segments.flatMap((segment) => (segment.kind === 'literal' ? [segment.text] : [])).join('-')
}

/** The name of an inline route: method and path in camel case, as `getWelcome` or `getByCarId`; at `/` the method alone. */
export function routeName(method: string, segments: readonly Segment[]): string {
  return method.toLowerCase() + segments.map(segmentName).join('')
}

function segmentName(segment: Segment): string {
  switch (segment.kind) {
    case 'literal':
      return toPascal(segment.text)
    case 'param':
    case 'rest':
      return `By${toPascal(segment.param.name)}`
    case 'mixed':
      return segment.parts
        .map((part) => (typeof part === 'string' ? toPascal(part) : `By${toPascal(part.name)}`))
        .join('')
  }
}

type Upper<C extends string> = C extends Lowercase<C> ? false : true
type Small<C extends string> = C extends Uppercase<C> ? (C extends `${number}` ? true : false) : true

/** `toKebab` for types: a dash between a small letter or digit and a capital, and before the last capital of a run. */
type Kebab<S extends string, Before extends string = ''> = S extends `${infer Head}${infer Tail}`
  ? `${Upper<Head> extends true ? Dash<Before, Tail> : ''}${Lowercase<Head>}${Kebab<Tail, Head>}`
  : ''

type Dash<Before extends string, Tail extends string> = Before extends '' | '-' | '_'
  ? ''
  : Small<Before> extends true
    ? '-'
    : Tail extends `${infer Next}${string}`
      ? Next extends `${number}` | '-' | '_'
        ? ''
        : Upper<Next> extends true
          ? ''
          : '-'
      : ''

type Literals<P extends string> = P extends `/${infer First}/${infer Rest}`
  ? JoinDash<Literal<First>, Literals<`/${Rest}`>>
  : P extends `/${infer Only}`
    ? Literal<Only>
    : ''
type Literal<S extends string> = S extends `${string}{${string}` ? '' : S
type JoinDash<A extends string, B extends string> = A extends '' ? B : B extends '' ? A : `${A}-${B}`
type JoinDot<A extends string, B extends string> = A extends '' ? B : B extends '' ? A : `${A}.${B}`
type AfterDot<A extends string, K extends string> = A extends ''
  ? K
  : K extends `${A}.${infer Rest}`
    ? Rest
    : never

/** The name of a controller for types: from its name, else from its prefix. */
export type ControllerName<N, P> = string extends N
  ? P extends string
    ? Literals<P>
    : ''
  : N extends `${infer Base}Controller`
    ? Kebab<Base>
    : N extends string
      ? Kebab<N>
      : ''

/** The prefix of a controller: its own, else the one from its name. */
export type OwnPrefix<N, P> = P extends ''
  ? string extends N
    ? ''
    : `/${ControllerName<N, P>}`
  : P extends string
    ? P
    : ''

/** The explicit names in a controller and the routers below it. */
type NamesOf<C, Above extends string = ''> =
  C extends Controller<infer N, infer P, unknown, infer R>
    ? NamesBelow<C['routes'], R, JoinDot<Above, ControllerName<N, P>>>
    : never

type NamesBelow<T, R, Name extends string> =
  | { [K in JoinDot<Name, NamesIn<T, string>>]: Name }
  | (R extends readonly [] ? never : NamesOf<R[number & keyof R], Name>)

/** The routes called K in the controller or the routers below it, each with its whole pattern and how it answers in a view. */
export type NamedIn<
  C,
  K extends string,
  View,
  Above extends string = '',
  Prefix extends string = '',
  Version = never,
> =
  C extends Controller<infer N, infer P, unknown, infer R, infer Own>
    ? NamedBelow<
        C['routes'],
        R,
        K,
        View,
        JoinDot<Above, ControllerName<N, P>>,
        `${Prefix}${OwnPrefix<N, P>}`,
        Fallback<EntriesOf<Own>, Version>
      >
    : never

type NamedBelow<T, R, K extends string, View, Name extends string, Prefix extends string, Version> =
  | ([AfterDot<Name, K>] extends [never] ? never : Named<T, Prefix, AfterDot<Name, K>, Version, View>)
  | (R extends readonly [] ? never : NamedIn<R[number & keyof R], K, View, Name, Prefix, Version>)

/**
 * The elements of a name, each with its whole pattern and how it answers in a view, for there can be one in each version. A view is a
 * version, `null` for no version, or `unknown` for every version. `Around` are the interceptors around them.
 */
export type Named<T, Prefix extends string, K, Version, View, Around = unknown> = {
  [I in keyof T]: K extends T[I]
    ? string extends T[I]
      ? never
      : [
          pattern: `${Prefix}${PathIn<T[I]>}`,
          element: T[I],
          answers: unknown extends View ? 'maybe' : Answers<T[I], EntriesIn<T>, Version, View>,
          around: Around,
        ]
    : never
}[number & keyof T]

type AnsweringBy<E, A> = E extends readonly [string, unknown, A, unknown] ? E : never

/** Routes that name the version of a view, else routes that may answer in it. */
export type Strongest<E> = Fallback<AnsweringBy<E, 'exactly'>, AnsweringBy<E, 'maybe'>>

/** The controllers and routers of a module and of those that it imports, each with the version that applies to it. */
export type ControllersOf<M> =
  M extends Module<infer C, infer I, infer V, infer L>
    ?
        | ([V, L] extends [never, readonly []] ? C : Within<C, V, L>)
        | ([I] extends [never] ? never : ControllersOf<I>)
    : never

/** The controllers of a module with a version or interceptors. */
type Within<C, V, L> =
  C extends Controller<infer N, infer P, unknown, infer R, infer Own, infer I>
    ? Controller<N, P, C['routes'], R, Fallback<EntriesOf<Own>, V>, Join<L, I>>
    : never

/** Interceptors with those inside them. */
export type Join<L, I> = L extends readonly [] ? I : [...ListOf<L>, ...ListOf<I>]

type ListOf<L> = L extends readonly unknown[] ? L : readonly []

/** The explicitly named routes of an application; inferred, so that errors list the names and not the type they come from. */
export type RouteNames<M> = KeysOf<NamesOf<ControllersOf<M>>> extends infer N extends string ? N : never

type KeysOf<U> = U extends unknown ? keyof U : never

/** The path parameters of a named route in any of its versions. */
export type RouteParams<M, K extends string> =
  NamedIn<ControllersOf<M>, K, unknown> extends infer E
    ? E extends readonly [infer P, unknown, unknown, unknown]
      ? Flat<ParamsOf<P>>
      : never
    : never

/** The entries of every version in a controller and the routers below it. */
type EntriesBelow<C> =
  C extends Controller<unknown, unknown, unknown, unknown>
    ? EntriesOf<C['version']> | EntriesIn<C['routes']> | EntriesOfRouters<C['routers']>
    : never

type EntriesOfRouters<R> = R extends readonly []
  ? never
  : R extends readonly unknown[]
    ? EntriesBelow<R[number]>
    : never

/** The versions among entries and in a list; any text if there are none, or if only a list that types do not know says which there are. */
type VersionsAmong<S, L> = unknown extends S | L
  ? string
  : [S | L] extends [never]
    ? string
    : Exclude<Extract<S | L, string>, RangeText> | ([L] extends [never] ? Unlisted<S> : never)

/** Any text if there are ranges, whose versions only a list says. */
type Unlisted<S> = [Extract<S, RangeText>] extends [never] ? never : string & {}

/** The entries of all routes of a module. */
type AllEntries<M> = Exclude<EntriesBelow<ControllersOf<M>>, symbol | undefined>

/** Never there: a symbol, because editors complete every other name. */
export declare const TYPES: unique symbol

/** The types that an application remembers. */
export interface AppTypes<M, F = unknown, V = unknown, I = unknown> {
  /** The root module, from which `createClient` knows the routes. */
  readonly module: M
  /** The schema of all errors, or `undefined` for problem documents. */
  readonly errors: F
  /** The versions that the option `versioning` names. */
  readonly versions: V
  /** The interceptors of every route. */
  readonly interceptors: I
}

/** The root module of an application. It is not inferred, because TypeScript instantiates what it has inferred once more wherever it is used. */
export type ModuleOf<A extends { readonly [TYPES]?: AppTypes<unknown> }> = NonNullable<
  A[typeof TYPES]
>['module']

type ListedOf<A> = A extends {
  readonly [TYPES]?: { readonly versions: EnabledVersions<unknown, infer L, unknown> }
}
  ? L
  : never

/** The versions that an application has. */
export type VersionsOf<A> = A extends { readonly [TYPES]?: AppTypes<unknown> }
  ? VersionsAmong<AllEntries<ModuleOf<A>>, ListedOf<A>>
  : A extends { readonly $written: { readonly version: infer V } }
    ? Extract<V, string>
    : string

/** The version of requests that name none: `null` for no version, `unknown` if types do not know. */
export type DefaultVersionOf<A, M> = A extends {
  readonly [TYPES]?: { readonly versions: EnabledVersions<infer D, unknown, unknown> }
}
  ? [D] extends [string]
    ? Certain<D, AllEntries<M> | ListedOf<A>>
    : D
  : unknown

/** A default version, if a route or the list names it. `'latest'` may be the name of a version, too. */
type Certain<D extends string, S> = unknown extends S
  ? unknown
  : string extends S
    ? unknown
    : [D] extends [Exclude<S, RangeText>]
      ? D
      : unknown
