import type {
  CallInput,
  HttpResponse,
  KeepingChange,
  Kept,
  Logger,
  MigrateVersions,
  RouteInfo,
  SideEffect,
  UrlOptions,
  Token,
  Tokens,
  Session,
} from '../../define/context.ts'
import type { Identified } from '../../define/layers.ts'
import type { HttpError } from '../../http/errors.ts'
import type { Awaitable } from '../../base/values.ts'
import type { FinishedResponse, HttpRequest, Method, RawRequest } from '../../http/http.ts'
import { checkOptionNames } from '../../base/definition-error.ts'
import { createUuid } from '../../base/platform.ts'
import { RequestView, type RequestSettings } from '../request/request.ts'
import type { Container } from '../container/container.ts'
import type { RequestScope } from '../container/request-scope.ts'
import type {
  BodyLayer,
  ErrorsBefore,
  LayerExtra,
  MigrateValue,
  OlderProblem,
  SeenResult,
} from '../../routes/resolved-route.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import type { Schema } from '../../schema/schema.ts'
import type { OpenSession, Sessions } from '../session/sessions.ts'
import type { SessionContext } from './built-ins.ts'
import { withRequestId, logError } from '../logging/logger.ts'
import type { Observer } from '../../define/observer.ts'
import { createResponseHead, type ResponseHead } from './response-head.ts'
import type { Settings } from '../options/settings.ts'
import type { AppStores } from '../../define/store.ts'

/** Where requests may name their version. */
interface VersionPlaces {
  /** The query parameters. */
  readonly hidden: readonly string[]
  readonly schemes: readonly { readonly scheme: { readonly name: string } }[]
}

/** The services of the application for every request. */
export interface AppServices {
  readonly settings: RequestSettings & Pick<Settings, 'logger' | 'writeError' | 'stores'>
  readonly urlFor: (
    name: string,
    params: Readonly<Record<string, unknown>>,
    options: UrlOptions,
    asked?: AskedVersion,
  ) => string
  /** Writes a path of the newest version as the version of a request has it. */
  readonly toOwnPath: (path: string, prefix: string, asked: AskedVersion | undefined) => string
  readonly isSince: (change: SideEffect, version: string | null) => boolean
  /** Turns a value between versions of the history. */
  readonly migrate: MigrateValue
  /** Finds the body of errors in a version. `undefined` if it is the same in all. */
  readonly errorsBefore: ErrorsBefore | undefined
  /** Whether something asks which changes alter requests and responses. */
  readonly tracksChanges: boolean
  /** Calls the newest route of a name; `callers` are the names of the routes that wait for it. */
  readonly call: (
    name: string,
    input: CallInput,
    context: RequestContext,
    callers?: readonly string[],
  ) => Promise<unknown>
  /** The path without its version segment. */
  readonly versionFree: (path: string) => string
  readonly versionSegment: (path: string) => string | undefined
  readonly versioning: VersionPlaces | undefined
  readonly container: Container
  /** Returns `undefined` if the application has no sessions. */
  readonly sessions: () => Sessions | undefined
  /** The methods that the path of a request answers. */
  readonly allowedMethods: (context: RequestContext, raw: RawRequest) => Awaitable<readonly Method[]>
  /** The module that requests without a route see. */
  readonly root: ModuleNode
  /** Registers pending cleanup. Call the returned function when it is done. */
  readonly trackWork: (request?: RequestContext) => () => void
  readonly whenClosing: (work: () => void) => () => void
}

/** The version of a request, and how the request wrote it. */
export interface AskedVersion {
  readonly version: string
  /** `undefined` if the request named none. */
  readonly spelling: string | undefined
  /** The segment of its path that has the version. */
  readonly segment: string | undefined
}

const NONE: readonly string[] = []

const MIGRATE_OPTIONS: ReadonlySet<string> = new Set(['from', 'to'])

/** Runs when a response has ended. */
type Ending = () => Awaitable<void>

/** One request on its way through the application. A class because it lives for one request, and most of it is made on demand. */
export class RequestContext implements SessionContext, LayerExtra {
  readonly #raw: RawRequest
  #services: AppServices
  #request: RequestView | undefined
  #state: Record<string, unknown> | undefined
  #requestId: string | undefined
  #log: Logger | undefined
  #scope: RequestScope | undefined
  #release: (() => void) | undefined
  /** Set when the request has ended. A second end waits for the promise of the first, because it would release the request before that. */
  #end: true | Promise<void> | undefined
  #endings: Ending[] | undefined
  #late: PromiseLike<unknown> | undefined
  #requestSettings: RequestSettings | undefined
  #session: Promise<OpenSession> | undefined
  /** The reason for which this side has aborted the signal. */
  #ownReason: unknown
  /** Made when something in it is first asked for. */
  head: ResponseHead | undefined
  route: RouteInfo | null = null
  /** Whose providers the request sees: the route's module. */
  module: ModuleNode
  /** The record of telemetry. Requests without telemetry have no room for it. */
  declare telemetry?: object
  /** Is told what happens to this request. */
  observer: Observer | undefined = undefined
  version: string | null = null
  /** How the request wrote its version. `undefined` if it named none. */
  spelling: string | undefined = undefined
  /** Whether the version is one that is kept for the client. Rarely set, so that most requests have no room for it. */
  declare isPinned?: true
  /** Whether guards are only asked about a route that this is no request to. */
  declare isTrial?: true
  /** Whether a brownout refuses the request. */
  declare isBrownedOut?: boolean
  identity: unknown = undefined
  /** The guard that found the identity. */
  identifiedBy: Identified['identifiedBy'] = undefined
  /** The headers that may have chosen the handler, so that the response depends on them. */
  vary: readonly string[] = NONE
  /** Writes the report on versions, and what guards tell, into the headers of a response. */
  writeHeaders: ((response: FinishedResponse) => void) | undefined
  /** Whether the path has a version segment. */
  versionInPath = false
  /** The error in the version of the request that the response has already. Without room in requests that need none. */
  declare olderProblem?: OlderProblem
  /** The newest result, if functions of changes may see it. Without room in requests that need none. */
  declare result?: SeenResult | undefined
  /** The ids of the changes that altered the request or its response so far, if something asks for them. */
  declare alteredBy?: Set<string>
  /** Values that changes keep of the older request. Without room in requests that need none. */
  declare keptBy?: Map<object, object>

  constructor(raw: RawRequest, services: AppServices) {
    this.#raw = raw
    this.#services = services
    this.module = services.root
  }

  get method(): string {
    return this.#raw.method
  }

  get client(): string | undefined {
    return undefined
  }

  /** The stores of the application, for parts that keep something in it. */
  get stores(): AppStores {
    return this.#services.settings.stores
  }

  /** The request as its adapter made it, for code that passes it on. */
  get raw(): RawRequest {
    return this.#raw
  }

  /** Whether something has read the body, or begun to. */
  get isBodyRead(): boolean {
    return this.#request?.isRead === true
  }

  get request(): HttpRequest {
    return (this.#request ??= new RequestView(this.#raw, this.#requestSettings ?? this.#services.settings))
  }

  /** Has the rest of the code see another request. Returns the function that brings back the one before. */
  showRequest(change: (request: RequestView) => RequestView): () => void {
    const shown = this.#request
    if (shown === undefined) return () => undefined
    this.#request = change(shown)
    return () => {
      this.#request = shown
    }
  }

  get response(): HttpResponse {
    return (this.head ??= createResponseHead()).view
  }

  get originalPath(): string {
    return this.request.path
  }

  get path(): string {
    return this.versionInPath ? this.#services.versionFree(this.request.path) : this.request.path
  }

  get versioning(): VersionPlaces | undefined {
    return this.#services.versioning
  }

  get signal(): AbortSignal {
    return this.#raw.signal
  }

  get state(): Record<string, unknown> {
    return (this.#state ??= {})
  }

  get requestId(): string {
    return (this.#requestId ??= createUuid())
  }

  set requestId(id: string) {
    this.#requestId = id
    // it carries the id
    this.#log = undefined
  }

  get log(): Logger {
    return (this.#log ??= withRequestId(this.#services.settings.logger, this.requestId))
  }

  /** Returns the head that was set on the response so far, to be merged into it; what is set from now on is a new head. */
  takeHead(): ResponseHead | undefined {
    const { head } = this
    if (head !== undefined) this.head = undefined
    return head
  }

  /** Reports an error to the observer. */
  observe(error: unknown): void {
    this.observer?.error?.(this, error)
  }

  /** Finds the body of errors of a status in the version of the request. `undefined` if no change reaches it. */
  get errorsBefore(): ((status: number) => BodyLayer | undefined) | undefined {
    const { errorsBefore } = this.#services
    const { version } = this
    return errorsBefore && version !== null ? (status) => errorsBefore(version, status) : undefined
  }

  /** Writes the response to an error. Throws if the error holds what cannot be sent. */
  writeError(error: HttpError): FinishedResponse {
    const { settings, errorsBefore } = this.#services
    return errorsBefore === undefined
      ? settings.writeError(error, this)
      : settings.writeError(error, this, this.errorsBefore?.(error.status))
  }

  /** Handlers destructure their context, so its functions are getters: they work without it. */
  get resolve() {
    return async <T>(token: Token<T>): Promise<T> => {
      const value = await this.#services.container.resolve(token, this.module, this)
      // a token carries the type of what it supplies
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return value as T
    }
  }

  /** Notes a change that altered the request or its response. `undefined` if nothing asks for it. */
  get altered(): ((change: string) => void) | undefined {
    return this.#services.tracksChanges ? this.#noteAltered() : undefined
  }

  // in a method of its own: a closure would cost every conversion
  #noteAltered(): (change: string) => void {
    return (change) => void (this.alteredBy ??= new Set()).add(change)
  }

  /** Keeps what a change says of the older request. A model that two sources carry is kept as one. */
  keep(change: object, values: object): void {
    this.keptBy ??= new Map()
    this.keptBy.set(change, { ...this.keptBy.get(change), ...values })
  }

  get kept() {
    return <F>(change: KeepingChange<F>): Kept<F> | undefined => this.keptBy?.get(change)
  }

  /** Returns the values of tokens as the root module sees them. */
  get provide() {
    return async (tokens: Tokens): Promise<Readonly<Record<string, unknown>>> => {
      const { container, root } = this.#services
      const values = Object.entries(tokens).map(
        async ([key, token]) => [key, await container.resolve(token, root, this)] as const,
      )
      return Object.fromEntries(await Promise.all(values))
    }
  }

  get scope(): RequestScope {
    if (this.#scope === undefined) {
      this.#scope = this.#services.container.openScope(this)
      if (this.#end !== undefined) void this.#scope.end()
      else this.#release ??= this.#services.trackWork(this)
    }
    return this.#scope
  }

  get session(): Promise<Session> {
    const sessions = this.#services.sessions()
    if (sessions === undefined) return Promise.reject(new Error('The application has no sessions'))
    this.#session ??= sessions.open(this.request)
    return this.#session.then(({ session }) => session)
  }

  /** The session, if it was asked for. */
  get openSession(): Promise<OpenSession> | undefined {
    return this.#session
  }

  /** Whether something lives as long as this request. */
  get hasScope(): boolean {
    return this.#scope !== undefined || this.#endings !== undefined
  }

  /** Has something done when the response has ended; at once when it has. The application closes after it. */
  atEnd(work: Ending): void {
    if (this.#end !== undefined) void this.#finish([work])
    else (this.#endings ??= []).push(work)
    this.#release ??= this.#services.trackWork(this)
  }

  /** Has something done as soon as the application closes; at once when it does. Returns the function that forgets it. */
  whenClosing(work: () => void): () => void {
    return this.#services.whenClosing(work)
  }

  /** Has the rest of the request read by these rules, which are those of its route. */
  readBy(settings: RequestSettings): void {
    this.#requestSettings = settings
    if (this.#request !== undefined) this.#request.settings = settings
  }

  /** The path that the application is mounted below; `''` for none. */
  get base(): string {
    return this.#raw.base ?? ''
  }

  /** Reports that no route matches the path, for the code behind the application. */
  pass(): void {
    this.#raw.pass?.()
  }

  get handOver(): RawRequest['handOver'] {
    return this.#raw.handOver
  }

  /** Whether the body is being read and the client still sends it. */
  get isArriving(): boolean {
    return this.#raw.isArriving
  }

  /** Whether the client has left before it had the response. */
  get hasLeft(): boolean {
    const { aborted, reason } = this.#raw.signal
    return aborted && reason !== this.#ownReason
  }

  /** Aborts the signal, because a response is no longer awaited. */
  abort(reason: unknown): void {
    this.#ownReason = reason
    this.#raw.abort(reason)
  }

  /** Has what lives for this request last until the work is done, if that is after its response. The application closes after it. */
  endAfter(work: PromiseLike<unknown>): void {
    this.#late = work
    this.#release ??= this.#services.trackWork(this)
  }

  get waitUntil() {
    return (work: PromiseLike<unknown>): void => {
      // of no request: its client may go while the work goes on
      const release = this.#services.trackWork()
      const failed = (err: unknown): void => logError(this, { err }, 'Work after the response failed')
      const ended = Promise.resolve(work).catch(failed).finally(release)
      this.#raw.waitUntil?.(ended)
    }
  }

  /** Disposes what lived for this request, although its code still runs, because its client has gone. */
  abandon(): Promise<void> | undefined {
    this.#late = undefined
    return this.end()
  }

  /** Disposes what lived for this request; to be called when its response has ended. A promise when that takes time. */
  end(): Promise<void> | undefined {
    if (this.#late !== undefined) {
      const end = (): void => void this.end()
      this.#late.then(end, end)
      this.#late = undefined
      return undefined
    }
    if (this.#end === undefined || this.#end === true) {
      this.#end = true
      if (!this.hasScope) {
        this.#release?.()
        return undefined
      }
      this.#end = this.#finish(this.#endings ?? [])
    }
    return this.#end
  }

  async #finish(endings: readonly Ending[]): Promise<void> {
    for (const work of endings) {
      try {
        await work()
      } catch (error) {
        logError(this, { err: error }, 'What lived for a request could not be ended')
      }
    }
    const errors = (await this.#scope?.end()) ?? []
    for (const err of errors) logError(this, { err }, 'A provider could not be disposed')
    this.#release?.()
    this.#release = undefined
  }

  get since() {
    return (change: SideEffect): boolean => this.#services.isSince(change, this.version)
  }

  get migrate() {
    return (schema: Schema, value: unknown, versions: MigrateVersions = {}): unknown => {
      checkOptionNames('context.migrate', versions, MIGRATE_OPTIONS)
      const { from, to } = versions
      const asked = { from, to: to ?? this.version ?? undefined }
      return this.#services.migrate(schema, value, asked, this)
    }
  }

  /** `callers` are the routes that wait for the call: this one, or those that called each other. */
  get call() {
    return <T = unknown>(name: string, input: CallInput = {}, callers?: readonly string[]): Promise<T> =>
      // callers know the type of the result by the route
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      this.#services.call(name, input, this, callers) as Promise<T>
  }

  get urlFor() {
    return (
      name: string,
      params: Readonly<Record<string, unknown>> = {},
      options: UrlOptions = {},
    ): string => {
      return this.base + this.#services.urlFor(name, params, options, this.#asked)
    }
  }

  /** Writes a path of the newest version, below `prefix`, as the version of the request has it. */
  toOwnPath(path: string, prefix: string): string {
    return this.base + this.#services.toOwnPath(prefix + path, prefix, this.#asked)
  }

  get #asked(): AskedVersion | undefined {
    const { version, spelling } = this
    const segment = this.versionInPath ? this.#services.versionSegment(this.request.path) : undefined
    return version === null ? undefined : { version, spelling, segment }
  }

  get allowedMethods() {
    return async (): Promise<readonly Method[]> => this.#services.allowedMethods(this, this.#raw)
  }

  get switchToHttpConnection() {
    return (): { getRequest(): HttpRequest } => ({ getRequest: () => this.request })
  }
}
