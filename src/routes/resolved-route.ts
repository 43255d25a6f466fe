import { shared } from '../base/copies.ts'
import type { Awaitable } from '../base/values.ts'
import type { Token, Tokens } from '../define/context.ts'
import type { Method, HttpRequest } from '../http/http.ts'
import type { Pattern } from '../router/path/pattern.ts'
import type { PlacedPolicy } from '../versioning/policy.ts'
import type { VersionSpec, KnownVersions } from '../versioning/version.ts'
import type { CopiedOptions } from './check-fields.ts'
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
  /** Merged into the operation in documents. */
  readonly openapi: object
  readonly deprecated: boolean
  /** The policies of its versions, the most specific first: route, controller, routers, module. */
  readonly policies: readonly PlacedPolicy[]
  readonly includeInSchema: boolean
  readonly meta: object
  /** In a version that changes carry, the route as its code has it. */
  readonly newest?: ResolvedRoute
  /** The adapter that converts requests and results there. Like all that differs there, it is made when it is first read. */
  readonly migration?: VersionAdapter
}

/** Facts about what a router mounts. */
interface MountFacts {
  /** Whether it is an API behind, which gets what no route answers in any version. */
  readonly isRest: boolean
  /** Whether the router or one around it says which guards run, if only with `guards: []`. */
  readonly hasGuards: boolean
}

/** How a route serves a version that is older than its code. */
export interface VersionAdapter {
  /** The pattern with the names that parameters had, for documents and clients. */
  readonly shownPattern: Pattern
  /** The schemas of the older version by the statuses of the newest one. */
  readonly responses: ReadonlyMap<ResponseKey, Schema>
  /**
   * Converts the valid input of the older version into that of the newest one: returns the sources that differ, or a promise of them if a change
   * loads data.
   *
   * @throws `ValidationError` for what the newest version refuses, and `Error` for a change that fails.
   */
  readonly up: (
    input: Readonly<Partial<Record<SourceName, unknown>>>,
    extra: MigrationExtra,
  ) => Awaitable<Readonly<Record<string, unknown>>>
  /**
   * Converts a result of the newest version, with its status there, into one of the older version, or a promise of it if a change loads data.
   *
   * @throws `Error` for a change that fails, with the reason as its cause.
   */
  readonly down: (status: number, data: unknown, extra: MigrationExtra) => Awaitable<unknown>
  /** Whether results of a status have to be parsed by the newest schema before they are converted. */
  readonly isParsedFirst: (status: number) => boolean
  /** Whether `up` converts a source. */
  readonly isAltered: (source: SourceName) => boolean
  readonly isConverted: (status: number) => boolean
  /** The media type that the schema of the older version names, for statuses whose whole body was another one. */
  readonly contentTypeOf: (status: number) => { readonly named: string | undefined } | undefined
  /** Converts events or items, if changes reach what the route declares of them. */
  readonly stream: StreamMigration | undefined
  /**
   * Converts a JSON body of an error with a `code`, or returns `undefined` if it is the same.
   *
   * @throws `Error` for a change that fails, with the reason as its cause.
   */
  readonly problemBefore:
    | ((
        problem: Readonly<Record<string, unknown>>,
        status: number,
        extra: MigrationExtra,
      ) => OlderProblem | undefined)
    | undefined
  /** Whether statuses or headers of responses, or bodies of errors, differ. */
  readonly hasOlderHead: boolean
  readonly statusOf: (status: number) => number
  /** Notes which changes alter something, for applications that ask for it. */
  readonly tracking: MigrationTracking
  /**
   * Converts the headers of a response into those of the older version.
   *
   * @throws `Error` for a change that fails, with the reason as its cause.
   */
  readonly convertHeaders:
    | ((headers: Record<string, string | string[]>, extra: MigrationExtra) => void)
    | undefined
}

/** An error in an older version. */
export interface OlderProblem {
  /** `undefined` if a change says nothing of it. */
  readonly status: number | undefined
  readonly body: object
}

/** Notes which changes alter something of requests, by their contexts. */
export interface MigrationTracking {
  /** Creates what a conversion reads, and whom it tells of changes. */
  readonly begin: (context: MigrationSite) => MigrationExtra
  /** Notes the changes of a conversion whose result is used. */
  readonly end: (context: object, extra: MigrationExtra) => void
  /** Notes the changes without which the request would have been sent to another address. */
  readonly address: (context: object) => void
  /** Notes the change that gives a status of the newest version another number. */
  readonly status: (context: object, newest: number) => void
}

/** How the events or items of a stream are converted into those of an older version. */
export interface StreamMigration {
  readonly older: DeclaredStream
  /**
   * Converts the data of an event, or an item, or a promise of it if a change loads data. Those that no change reaches stay as they are.
   *
   * @throws `Error` for a change that fails, with the reason as its cause.
   */
  readonly down: (name: string, data: unknown, extra: MigrationExtra) => Awaitable<unknown>
  /** Whether data has to be parsed by the newest schema before it is converted. */
  readonly isParsedFirst: (name: string) => boolean
}

/** The request for which values are converted, as far as functions of changes see it. */
interface MigrationRequest {
  readonly request: HttpRequest
  readonly state: Record<string, unknown>
}

/** The request for which values are converted, with what loads data for it. */
export interface MigrationSite extends MigrationRequest {
  readonly signal: AbortSignal
  /** Returns the values of tokens, as the root module sees them. */
  readonly provide: (tokens: Tokens) => Promise<Readonly<Record<string, unknown>>>
}

/** The request that is served in an older version. */
export interface MigrationExtra extends MigrationRequest {
  /** Called with the id of each change that alters something, once or several times. Without it, nothing is tracked. */
  readonly altered?: ((change: string, isName?: boolean) => void) | undefined
}

/** The second argument of functions of changes in a request. A class because only the code that loads may see the rest of the request. */
export class RequestExtra implements MigrationExtra {
  readonly #site: MigrationSite

  constructor(site: MigrationSite) {
    this.#site = site
  }

  get request(): HttpRequest {
    return this.#site.request
  }

  /** The values that the code of the application shares during the request. */
  get state(): Record<string, unknown> {
    return this.#site.state
  }

  /** Returns the request behind the argument of a function, or `undefined` if there is none. */
  static siteOf(extra: object): MigrationSite | undefined {
    return #site in extra ? extra.#site : undefined
  }
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
) => readonly ResolvedRoute[]

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
  extra: Partial<MigrationRequest>,
  provide?: MigrationSite['provide'],
) => Awaitable<unknown>

/** A token that a change injects. */
export interface ChangeUse {
  readonly where: string
  readonly part: object
  readonly key: string
  readonly token: unknown
}

/** The functions of a history that an application needs. */
interface HistoryCode {
  readonly expand: ExpandRoutes
  readonly migrate: MigrateValue
  /** The tokens that changes inject. */
  readonly uses: readonly ChangeUse[]
}

const histories = /* @__PURE__ */ shared('resolved-route.histories', () => new WeakMap<object, HistoryCode>())

/** Remembers how a history writes routes out. An application that has none loads nothing of it. */
export function setExpansion(history: object, code: HistoryCode): void {
  histories.set(history, code)
}

/** Returns the functions of a history, or `undefined` for anything else. */
export function historyCodeOf(history: object | undefined): HistoryCode | undefined {
  return history && histories.get(history)
}

const NONE: ReadonlySet<string> = new Set()

/** By the contexts of requests. Few requests have some, so that no other one has a field for them. */
const all = /* @__PURE__ */ shared('resolved-route.all', () => new WeakMap<object, Set<string>>())

/**
 * The ids of the changes that altered a request or its response so far, in an application with `usage` or `telemetry`. Events of a stream
 * add to them until its end.
 */
export function alteredBy(context: object): ReadonlySet<string> {
  return all.get(context) ?? NONE
}

/** Notes that a change altered a request or its response. */
export function noteAltered(context: object, change: string): void {
  const known = all.get(context)
  if (known === undefined) all.set(context, new Set([change]))
  else known.add(change)
}
