import type { ExecutionContext, Logger } from '../../define/context.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Awaitable } from '../../base/values.ts'
import type { FinishedResponse } from '../../http/http.ts'

/** The connection that a request came over, as far as the platform knows it. */
export interface RequestConnection {
  /** The address of the peer, which may be a proxy. */
  readonly remoteAddress: string | undefined
  /** The path that the application is mounted below, `undefined` for none. */
  readonly base?: string | undefined
  /** Whether the request was passed on to what the application is mounted in, so that its response is not sent. */
  readonly isPassed?: boolean
}

/** Observes the requests of an application. `openTelemetry()` of `octavo/otel` returns one. */
export interface Telemetry {
  /**
   * Runs each request, outside of all middleware. It calls `answer` once, at once, and returns its response, whose body it may replace.
   * It must not throw, and `answer` neither throws nor rejects.
   */
  request(
    context: ExecutionContext,
    answer: () => Awaitable<FinishedResponse>,
    connection: RequestConnection,
  ): Awaitable<FinishedResponse>
  /** Returns the logger of the application with additions of its own, such as the ids of the active span. */
  logger?(logger: Logger): Logger
  /** Sends what was recorded and not yet sent. The application calls it when it closes, after `onStop`, and waits for it. */
  flush?(): Promise<void>
  /**
   * Returns the routes with additions of its own.
   *
   * @internal
   */
  routes?(routes: readonly ResolvedRoute[]): readonly ResolvedRoute[]
}
