import type { AnyGuard } from '../../define/layers.ts'
import type { Method } from '../../http/http.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { SchemaThen } from '../before.ts'
import type { AnyTold } from '../state.ts'
import type { Identified, ChangeExtra, LoadedExtra, LoadExtra, ResponseExtra } from '../convert/converter.ts'
import { isString, type Awaitable } from '../../base/values.ts'
import type { Tokens } from '../../define/context.ts'
import type { Given } from '../../define/infer.ts'
import type { OutputOf, Schema } from '../../schema/schema.ts'
import type { ErrorFacts, ErrorsWere, InferredErrors } from './error-was.ts'
import type { Absent, Paired, Said, Was } from '../was.ts'

/** The earlier parameters of requests, by their newest name. Values are converted up, to the newest version. */
export type NamesWere<W = Readonly<Record<string, Was>>, B = readonly []> = {
  readonly [K in keyof W]: NameWas<W[K], B>
}

/** An earlier parameter. `B` are the newer changes that the operation is written against. */
export interface NameWas<W = Was, B = readonly []> {
  /** A schema, `absent` or a name. */
  readonly was: W
  /** From the older version to the newest. */
  readonly up?: (old: OldValue<SchemaThen<W, B>>, extra: ChangeExtra) => unknown
  /** Whether values of the older schema reach the handler as they are, so that only newer versions have the rules of the newest one. */
  readonly accepted?: W extends Schema ? boolean : 'remove accepted: was is no schema'
}

/** The value of a parameter of an older version. That of a parameter with another name is one of the newest schema. */
type OldValue<W> = [Was] extends [W]
  ? unknown
  : W extends { readonly _zod: { readonly output: infer O } }
    ? O
    : W extends Absent
      ? undefined
      : unknown

/** The sources of requests that an operation describes as a whole, by schemas of objects. A body that did not exist is `absent`. */
export type InputSchemas = Readonly<
  Partial<Record<Exclude<InputSource, 'body'>, Schema>> & { readonly body?: Schema | Absent }
>

/** A source of requests that an operation can describe as a whole. */
export type InputSource = 'params' | 'query' | 'headers' | 'cookies' | 'body'

/** Earlier requests with values in other sources, or made of several. */
export interface InputWas<W = InputSchemas, B = readonly []> {
  /** The sources between which values moved, as they were. Name all of them: one without a value was `z.object({})`. */
  readonly was: W
  /**
   * Returns these sources as they are since the change. A source that is left out is empty. Parameter and result have the models of the
   * change's version, and newer changes convert the result.
   */
  readonly up: (
    old: { readonly [K in keyof W]: W[K] extends Schema ? OutputOf<SchemaThen<W[K], B>> : undefined },
    extra: ChangeExtra,
  ) => { readonly [K in keyof W]?: unknown }
  /** Whether what `up` returns and the newest schemas refuse is a mistake of the client. */
  readonly narrowed?: boolean
}

/** The earlier headers of responses, by their newest name. Values are converted down, to the older version. */
export type HeadersWere = Readonly<
  Record<
    string,
    {
      /** A schema, `absent` or a name. */
      readonly was: Was
      /** From the newest version to the older one. */
      readonly down?: (now: unknown, extra: ResponseExtra) => unknown
    }
  >
>

/** An earlier body of requests. Functions of whole bodies see models of the version of the change, on both sides. */
export interface BodyWas<N = Schema, W = Schema | Absent, I = {}, U = unknown, B = readonly []> {
  /** The schema of the route, or what it was after this change. */
  readonly now: N
  /** The schema before this change, or `absent`. A model in it has the fields that it had then. */
  readonly was: W
  /** Loads data for a request. `up` gets the result as `loaded`. It comes before `up`, so that it knows its type. */
  readonly load?: (old: OldValue<SchemaThen<W, B>>, extra: LoadExtra<I>) => Awaitable<U>
  /** From the older version to the newest. */
  readonly up?: (
    old: OldValue<SchemaThen<W, B>>,
    extra: LoadedExtra<U>,
  ) => [Schema] extends [N] ? unknown : Given<SchemaThen<N, B>>
  /** Whether what `up` returns and the newest schema refuses is a mistake of the client. */
  readonly narrowed?: boolean
}

/** An earlier body of responses. Functions of whole bodies see models of the version of the change, on both sides. */
export interface AnswerWas<N = Schema, W = Schema, I = {}, D = unknown, B = readonly []> {
  /** The schema of the route, or what it was after this change. */
  readonly now: N
  /** The schema before this change. A model in it has the fields that it had then. */
  readonly was: W
  /**
   * Loads data that only older versions show, once for a response. `down` gets the result as `loaded`. It comes before `down`, so that it knows
   * its type.
   */
  readonly load?: (now: NewValue<N, B>, extra: LoadExtra<I>) => Awaitable<D>
  /** From the newest version to the older one. */
  readonly down?: (
    now: NewValue<N, B>,
    extra: ResponseExtra & LoadedExtra<D>,
  ) => [Schema] extends [W] ? unknown : Given<SchemaThen<W, B>>
}

/** The value of a body since a change. */
type NewValue<N, B> = [Schema] extends [N] ? unknown : OutputOf<SchemaThen<N, B>>

/** An earlier list that was sent whole, and is sent in pages since. */
export interface PagedWas<N = Schema, W = Schema, I = {}, D = unknown, B = readonly []> extends AnswerWas<
  N,
  W,
  I,
  D,
  B
> {
  /**
   * The most items that an older version sends. For a longer list it answers 422 `list_too_long`, because a part of it would look like the
   * whole.
   */
  readonly atMost: number
  /**
   * Returns the parameters of the query for the page after this one, or `undefined` after the last. `query` has those of this page. Both
   * are named as in the newest version. While pages are read, functions of newer bodies get no `result`.
   *
   * @default for pages with `next` and a parameter `cursor`, or `total` and `offset`, as `octavo/pages` has them, and for lists whose `Link`
   * header names the next page
   */
  readonly next?: (
    page: NewValue<N, B>,
    query: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>> | undefined
}

/** Whether a body needs the function that makes the newest one of an older one. */
type NeedsUp<N, W> = [Schema] extends [N]
  ? unknown
  : [W] extends [Schema]
    ? OutputOf<W> extends Given<N>
      ? unknown
      : {
          /** From the older version to the newest. */
          readonly up: unknown
        }
    : {
        /** From the older version to the newest. */
        readonly up: unknown
      }

/** Whether a response needs the function that makes the older one of the newest one. */
type NeedsDown<N, W> = [Schema] extends [N]
  ? unknown
  : OutputOf<N> extends Given<W>
    ? unknown
    : {
        /** From the newest version to the older one. */
        readonly down: unknown
      }

/** The earlier responses by their newest statuses, with what they are now. */
type AnswersWere<N, W, I, D, B> = { readonly [K in keyof N]: { readonly now: N[K] } } & {
  readonly [K in keyof W]: { readonly was: W[K] }
} & {
  readonly [K in keyof W]: AnswerWas<N[K & keyof N], W[K], I, D, B> & NeedsDown<N[K & keyof N], W[K]>
} & Loading<D>

/** Members by any status: TypeScript infers nothing but `W` from those of a mapped type. */
type Loading<D> = Readonly<
  Record<
    number,
    { readonly [K in keyof AnswerWas]: unknown } & {
      readonly load?: (now: never, extra: never) => Awaitable<D>
    }
  >
>

/** Schemas of responses by their newest statuses. */
type Answers = Readonly<Record<number, Schema>>

/** The earlier state of a part of a route. */
export interface Earlier<T> {
  /** The value before the change. */
  readonly was: T
}

/** Older statuses by their newest number. */
type Statuses = Readonly<Record<number, number>>

/** The earlier state of parameters, by their newest names. */
type Names = Readonly<Record<string, Was>>

/** The older statuses of a route by their newest number. That of a plain result stands beside 0. */
type StatusPairs<P extends number, S> =
  | { [K in keyof S]: readonly [StatusIn<K>, S[K]] }[keyof S]
  | { [K in P]: readonly [0, K] }[P]

/** A key of inferred statuses as a number: TypeScript may infer a text. */
type StatusIn<K> = K extends `${infer N extends number}` ? N : K

/** The options of `operation`. Names and statuses are those of the newest version, even if newer operations change them too. */
export interface OperationOptions<
  R extends string = string,
  P extends number = number,
  S = Statuses,
  Q = Names,
  H = Names,
  C = Names,
  B extends object = BodyWas,
  A extends object = Readonly<Record<number, AnswerWas>>,
  G extends object = PagedWas,
  I extends object = InputWas,
  X extends object = ErrorsWere,
  E = Readonly<Record<string, string>>,
  J = Tokens,
  T = readonly AnyTold[],
> {
  /**
   * The name of the route, as `urlFor` knows it, or of a controller with `.*` behind it: `'user.*'` are all routes in it. A list of names is for
   * several routes, and `'*'` for all of them, which takes `errors` and `withoutGuards` alone.
   */
  readonly route: R | readonly R[]
  /**
   * Newer changes that reshape models in bodies and parameters of the operation, newest first. Its functions get and return models as they were
   * before these changes, which types know by this list alone. @default []
   */
  readonly before?: T
  /** The path that the route had, with the prefixes of its controllers. For all routes of a controller, what their paths began with. */
  readonly path?: Earlier<string> & {
    /** The beginning of the paths of all routes of a controller. Not for a single route. */
    readonly now?: string
  }
  /** The method that the route had. */
  readonly method?: Earlier<Method>
  /** The summary that documents showed. */
  readonly summary?: Earlier<string>
  /** The description that documents showed. */
  readonly description?: Earlier<string>
  /** The tags that documents showed. */
  readonly tags?: Earlier<readonly string[]>
  /** Whether documents showed the route as deprecated. */
  readonly deprecated?: Earlier<boolean>
  /** The status of a plain result. */
  readonly status?: Earlier<P>
  /** The earlier query parameters. */
  readonly query?: NamesWere<Q, T>
  /** The earlier request headers. */
  readonly headers?: NamesWere<H, T>
  /** The earlier cookies. */
  readonly cookies?: NamesWere<C, T>
  /** The earlier sources of requests, if values moved between them. */
  readonly input?: I
  /** Guards that did not guard the route. The handler then runs without what they provide. */
  readonly withoutGuards?: readonly AnyGuard[]
  /** The earlier errors, by their newest codes. */
  readonly errors?: X
  /** Tokens whose values `load` of whole bodies gets, as the root module sees them. @default {} */
  readonly inject?: J
  /** The earlier names of the events that the route streams, by their newest names. */
  readonly events?: { readonly [K in keyof E]: Earlier<E[K]> }
  /** The earlier request body, if it was another one as a whole. */
  readonly body?: B
  /** The list that older versions get whole: the route is called for each page. */
  readonly paged?: G
  /** The earlier responses: statuses and bodies by their newest number, and headers by their newest name. */
  readonly response?: {
    /** The earlier statuses, by their newest number. */
    readonly status?: { readonly [K in keyof S]: Earlier<S[K]> }
    /** The earlier headers, by their newest name. */
    readonly headers?: HeadersWere
    /** The earlier bodies, by their newest status, if they were others as a whole. */
    readonly body?: A
  }
}

/** An earlier webhook. */
export interface WebhookWas {
  /** Its newest name, even if newer operations change it too. */
  readonly webhook: string
  /** The name that it had. */
  readonly name: Earlier<string>
  /** Not beside a webhook. */
  readonly route?: never
}

/** The part of a change that describes a route. */
export interface Operation<F = unknown> extends OperationOptions {
  /** Distinguishes it from a reshape. */
  readonly kind: 'operation'
  /** For types alone: the name of the route, and what its statuses and parameters were. */
  readonly '~was': F
}

export interface AppliedOperation extends Operation {
  readonly change: Identified & { readonly version: string }
}

/** The facts about the statuses of a route, or about the parameters of a source of it; nothing if types do not know the route. */
type RouteFact<R, F> = [F] extends [never] ? never : string extends R ? never : Said<R, F>['fact']

/** The facts about whole bodies of responses, and the names of events. */
type AnswerFacts<AW, E, PW> =
  | { [K in keyof AW]: readonly [StatusIn<K>, AW[K]] }[keyof AW]
  | { [K in keyof E]: readonly [K, E[K]] }[keyof E]
  | ([PW] extends [never] ? never : readonly [200, PW])

/**
 * Describes a route before a change: its address, statuses, headers and parameters, without its models. Or the name of a webhook.
 *
 * @example
 * operation({ route: 'user.list', path: { was: '/people' } })
 * operation({ webhook: 'payout.paid', name: { was: 'transfer.paid' } })
 */
export function operation<
  const R extends string,
  const P extends number = never,
  const S extends Statuses = {},
  const Q extends Names = {},
  const H extends Names = {},
  const C extends Names = {},
  N extends Schema = never,
  W extends Schema | Absent = never,
  const AN extends Answers = {},
  const AW extends Answers = {},
  PN extends Schema = never,
  PW extends Schema = never,
  const IW extends InputSchemas = {},
  const XN = {},
  const XW = {},
  const XS = {},
  XD = {},
  const E extends Readonly<Record<string, string>> = {},
  J extends Tokens = {},
  D = undefined,
  U = undefined,
  const T extends readonly AnyTold[] = readonly [],
>(
  options:
    | WebhookWas
    | OperationOptions<
        R,
        P,
        S,
        Q,
        H,
        C,
        BodyWas<N, W, J, U, T> & NeedsUp<N, W>,
        AnswersWere<AN, AW, J, D, T>,
        PagedWas<PN, PW, J, D, T>,
        InputWas<IW, T>,
        InferredErrors<XN, XW, XS, XD>,
        E,
        J,
        T
      >,
): Operation<
  | RouteFact<R, StatusPairs<P, S>>
  | RouteFact<`query ${R}`, Paired<Q>['pairs']>
  | RouteFact<`headers ${R}`, Paired<H>['pairs']>
  | RouteFact<`cookies ${R}`, Paired<C>['pairs']>
  | RouteFact<`input ${R}`, { [K in keyof IW]: readonly [K, IW[K]] }[keyof IW]>
  | RouteFact<`errors ${R}`, ErrorFacts<XW, XS, XD>>
  | RouteFact<`body ${R}`, [W] extends [never] ? never : readonly ['body', W]>
  | RouteFact<`response ${R}`, AnswerFacts<AW, E, PW>>
> {
  const made: object = { kind: 'webhook' in options ? 'webhook' : 'operation', ...options }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the facts are types alone
  return made as never
}

export function isAbout({ route }: Operation, name: string): boolean {
  return isString(route) ? isNamed(route, name) : route.some((each) => isNamed(each, name))
}

function isNamed(route: string, name: string): boolean {
  return route === name || route === '*' || (route.endsWith('.*') && name.startsWith(route.slice(0, -1)))
}

/** The routes that an operation names, for messages. */
export function routeLabel({ route }: Operation): string {
  return [route].flat().join(', ')
}

/** Compares how few routes operations name: one of a single route comes before one of its controller. */
export function precision({ route }: Operation): number {
  const names = [route].flat()
  if (names.includes('*')) return 0
  return Math.min(...names.map((name) => (name.endsWith('.*') ? name.length : Infinity)))
}

/** The path of a route in an older version, or `undefined` if it does not begin with what was moved. */
export function pathBefore(
  { pattern, prefix }: ResolvedRoute,
  path: NonNullable<Operation['path']>,
): string | undefined {
  const { was, now } = path
  if (now === undefined) return was
  const text = pattern.text.slice(prefix.length)
  if (text !== now && !text.startsWith(`${now}/`)) return undefined
  return (was === '/' ? '' : was) + text.slice(now.length) || '/'
}

export function isOperation(part: unknown): part is Operation {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'operation'
}
