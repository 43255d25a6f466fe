import type { DefinitionProblem } from '../base/definition-error.ts'
import type { Awaitable } from '../base/values.ts'
import type { Token, Tokens } from '../define/context.ts'
import { documentedOf } from '../define/layers.ts'
import type { AnyProblem } from '../define/problem.ts'
import type { Method, HttpRequest } from '../http/http.ts'
import type { Pattern } from '../router/path/pattern.ts'
import type { PlacedPolicy } from '../versioning/policy.ts'
import type { VersionSpec, KnownVersions } from '../versioning/version.ts'
import type { CopiedOptions } from '../define/route.ts'
import type { LayerStack, ModuleNode } from './modules.ts'
import type { ResponseKey, Schema } from '../schema/schema.ts'
import type { DeclaredSource, SourceName } from '../schema/sources.ts'
import type { DeclaredStream } from '../schema/route-schemas.ts'

/** A route with everything it inherits written out: what the router, the server and the documents work on. */
export interface ResolvedRoute extends CopiedOptions {
  /** The name of the route in messages: `car.getOne: GET /car/{car_id}`. */
  readonly label: string
  /** The route, its controller, the routers around it and the module, for the place in messages. */
  readonly definitions: readonly object[]
  readonly name: string
  /** Whether the name is that of a handler which a bundler has renamed, so that it changes from build to build. */
  readonly isRenamed: boolean
  /** The name of its controller or router, with those of the routers above. */
  readonly controller: string
  readonly methods: readonly Method[]
  readonly pattern: Pattern
  /** The path before a version segment: the prefix of the application, or `''` if the path doesn't begin with it. */
  readonly prefix: string
  /** Whether the route is excluded from the prefix of the application. */
  readonly isExcluded: boolean
  /** `undefined` when no version is given anywhere. */
  readonly version: VersionSpec | undefined
  readonly sources: readonly DeclaredSource[]
  readonly inject: ReadonlyMap<string, Token<unknown>>
  /** The module it belongs to: tokens are what that module sees. */
  readonly module: ModuleNode
  /** Guards and all else that runs around the handler, of every level. */
  readonly layers: LayerStack
  readonly responses: ReadonlyMap<ResponseKey, Schema>
  /** Whether `response` is one schema, which is that of any status that a handler replies with. */
  readonly isOneResponse: boolean
  /** The stream that `events` or `items` declares. */
  readonly stream: DeclaredStream | undefined
  /** The status of a plain returned value. */
  readonly status: number
  readonly handler: (input: never, context: never) => unknown
  /** Set on the route of what a router mounts. */
  readonly mount?: MountFacts
  readonly tags: readonly string[]
  /** The problems that it declares, each once. */
  readonly problems: readonly AnyProblem[]
  /** In a version that changes carry, its problems and those of its guards by the newest ones, as far as changes reach them. */
  readonly problemsBefore?: ReadonlyMap<AnyProblem, AnyProblem>
  /** Merged into the operation in documents. */
  readonly openapi: object
  readonly deprecated: boolean
  /** The policies of its versions, the most specific first: route, controller, routers, module. */
  readonly policies: readonly PlacedPolicy[]
  readonly includeInSchema: boolean
  readonly meta: object
  /** In a version that changes carry, the route as its code has it. */
  readonly newest?: ResolvedRoute
  /** Converts requests and responses there. Like all that differs there, it is made when it is first read. */
  readonly layer?: VersionLayer
  /** The pattern with the names that parameters have there, for documents and clients. */
  readonly shownPattern?: Pattern
}

/** The problems that a route and its guards declare, without those whose responses documents share. */
export function problemsOf({
  layers,
  problems = [],
  problemsBefore,
}: Partial<Pick<ResolvedRoute, 'layers' | 'problems' | 'problemsBefore'>>): readonly AnyProblem[] {
  const parts = (layers?.guards ?? []).map(({ part }) => part)
  const added = documentedOf(parts)
    .flatMap((each) => each.problems ?? [])
    .map((problem) => problemsBefore?.get(problem) ?? problem)
  return [...new Set([...problems, ...added])].filter(({ component }) => component === undefined)
}

/** Facts about what a router mounts. */
interface MountFacts {
  /** Whether it is an API behind, which gets what no route answers in any version. */
  readonly isRest: boolean
  /** Whether the router or one around it says which guards run, if only with `guards: []`. */
  readonly hasGuards: boolean
}

/**
 * A version of a route that changes reach: converts its requests into those of the newest version, and responses back. It knows no server.
 * Its callers parse requests by the `sources` of the route, read and write bodies, and log failures.
 *
 * Every member that takes `extra` throws an `Error` that names the route and the change for a change that fails, with the reason as its
 * cause. If a change loads data, it returns a promise.
 */
export interface VersionLayer {
  /** The sources of requests that it converts. Further sources are equal in both versions. */
  readonly sources: ReadonlySet<SourceName>
  /**
   * Converts input that is valid in this version. Returns the sources that it converts.
   *
   * @throws `ValidationError` for what the newest version refuses, in the names of this version.
   */
  readonly toNewest: (
    input: Readonly<Partial<Record<SourceName, unknown>>>,
    extra: LayerExtra,
  ) => Awaitable<Readonly<Record<string, unknown>>>
  /** Finds the body that a status of the newest version declares, or `undefined` if it declares none. */
  readonly response: (status: ResponseKey) => BodyLayer | undefined
  /** The events by their names, or the items of a stream, as far as changes reach them. */
  readonly items: ReadonlyMap<string, BodyLayer>
  /** The names that events had, by their newest names, and the change that says so. */
  readonly events: ReadonlyMap<string, { readonly was: string; readonly change: string }>
  /** Converts the JSON body of an error with a `code`. Returns `undefined` if no change is about it, and is `undefined` if none is about any. */
  readonly problem:
    | ((
        problem: Readonly<Record<string, unknown>>,
        status: number,
        extra: LayerExtra,
      ) => Awaitable<OlderProblem | undefined>)
    | undefined
  /** Returns the status of this version by the newest status. `undefined` if all are equal. */
  readonly status: ((newest: number, extra: LayerExtra) => number) | undefined
  /** Converts the headers of a response in place. They have lower-case names. `undefined` if all are the same. */
  readonly headers: ((headers: Record<string, string | string[]>, extra: LayerExtra) => void) | undefined
  /** Reads all pages of a list. `undefined` if the version has the pages, too. */
  readonly paged: PagedLayer | undefined
  /** The ids of the changes without which the route would have another address. */
  readonly address: readonly string[]
}

/** A list that a version sends whole, and the newest one in pages. The caller calls the handler for each page. */
export interface PagedLayer {
  /** The most items of the list. */
  readonly atMost: number
  /** Converts a page of the newest version into one of the version since which there are pages. `undefined` if they are equal. */
  readonly toPage: ((page: unknown, extra: LayerExtra) => Awaitable<unknown>) | undefined
  /** Whether the newest page is another one as a whole, so that the list is joined of pages that were converted. `next` always gets these. */
  readonly isReplaced: boolean
  /** Returns the items of a page, or `undefined` for what is no page. */
  readonly itemsOf: (page: unknown) => readonly unknown[] | undefined
  /** Returns the parameters of the query for the page after one, `undefined` after the last. `link` is the `Link` header of the page. */
  readonly next: (
    page: unknown,
    query: Readonly<Record<string, unknown>>,
    link: string | undefined,
  ) => Readonly<Record<string, unknown>> | undefined
  /** Returns a page with other items. */
  readonly join: (page: unknown, items: readonly unknown[]) => unknown
  /** Whether data was joined of pages that were converted, which `toOlder` of the response takes as it is. */
  readonly isJoined: (data: unknown) => boolean
}

/** The data of a response, an event or an item in a version. */
export interface BodyLayer {
  /** The schema of this version. The result of `toOlder` may have members that it does not declare. */
  readonly schema: Schema
  /** Converts data of the newest version. `undefined` if no change reaches it. */
  readonly toOlder: ((data: unknown, extra: LayerExtra) => Awaitable<unknown>) | undefined
  /** Whether data has to be parsed by the newest schema before it is converted. */
  readonly isParsedFirst: boolean
  /** Whether functions of changes may see the result: those of headers its body, and those of the whole body its headers. */
  readonly isSeen: boolean
  /** The media type that the schema of this version names, if the whole body is another one there. */
  readonly contentType: { readonly named: string | undefined } | undefined
}

/** An error in an older version. */
export interface OlderProblem {
  /** `undefined` if it has the status that the version gives that of the newest one. */
  readonly status: number | undefined
  readonly body: object
}

/** A result in the newest version. */
export interface SeenResult {
  readonly status: number
  /** The parsed body. */
  readonly body: unknown
  /** The headers of the result, by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

/**
 * The request for which values are converted. All calls for one request get the same object, because changes load data once for all of its
 * values. Functions of changes see `request` and `state`, which are not read before.
 */
export interface LayerExtra {
  readonly request?: HttpRequest | undefined
  readonly state?: Record<string, unknown> | undefined
  /** The newest result that the response is made of, if functions of changes may see it. */
  readonly result?: SeenResult | undefined
  /** Stops what loads data. */
  readonly signal?: AbortSignal | undefined
  /** Returns the values of tokens, as the root module sees them. Without it, no change can load data. */
  readonly provide?: ((tokens: Tokens) => Promise<Readonly<Record<string, unknown>>>) | undefined
  /** Keeps values of the older version that the newest one does not have, for the handler. */
  readonly keep?: ((change: object, values: object) => void) | undefined
  /** Called after a conversion with the id of each change that altered something. Without it, nothing is tracked. */
  readonly altered?: ((change: string) => void) | undefined
}

/**
 * Writes routes out for the versions of a history: those that changes reach once for each state that they had. The others stay as they
 * are.
 *
 * @throws `DefinitionError` with every mistake in the changes.
 */
export type ExpandRoutes = (
  routes: readonly ResolvedRoute[],
  knownOf: (routes: readonly ResolvedRoute[]) => KnownVersions,
  /** The schema of the error format, `undefined` for problem documents. */
  errors: Schema | undefined,
) => readonly ResolvedRoute[]

/** Finds the body of errors of a status in a version, or `undefined` if no change reaches it. */
export type ErrorsBefore = (version: string, status: number) => BodyLayer | undefined

/**
 * Converts a value between versions. Without one, it is of the newest models. If a change loads data for it, the result is a promise.
 *
 * @throws `RangeError` for a version that does not exist.
 */
export type MigrateValue = (
  schema: Schema,
  value: unknown,
  versions: {
    readonly from?: string | undefined
    readonly to?: string | undefined
    /** The name of the route whose whole bodies are converted. */
    readonly route?: string | undefined
  },
  extra: LayerExtra,
) => Awaitable<unknown>

/** A token that a change injects. */
export interface ChangeUse {
  readonly where: string
  readonly part: object
  readonly key: string
  readonly token: unknown
}

/** The functions of a history that an application needs. An application without a history loads none of them. */
export interface HistoryCode {
  readonly expand: ExpandRoutes
  readonly migrate: MigrateValue
  /** Returns `undefined` if no change reaches errors of a format, or problem documents without one. */
  readonly errorsBefore: (format: Schema | undefined) => ErrorsBefore | undefined
  /** The tokens that changes inject. */
  readonly uses: readonly ChangeUse[]
  /** Finds mistakes in what changes say of webhooks. `known` are the names of those that documents show. */
  readonly webhookProblems: (known: readonly string[]) => readonly DefinitionProblem[]
}

// shared by all copies of Octavo, because the command line may be another one than that of the application
export const HISTORY_CODE: unique symbol = Symbol.for('octavo.history')

/** Returns the functions of a history, or `undefined` for anything else. */
export function historyCodeOf(history: object | undefined): HistoryCode | undefined {
  // a symbol that only Octavo writes
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return history && (Reflect.get(history, HISTORY_CODE) as HistoryCode | undefined)
}
