import type { ExecutionContext, Logger } from '../../define/context.ts'
import type { FinishedResponse } from '../../http/http.ts'
import { loadChannels, NO_CHANNEL, openChannel } from '../../base/platform.ts'
import { cutVersion, MAX_VERSION_LENGTH } from '../../versioning/version.ts'

/**
 * The channels of `node:diagnostics_channel` for the events of requests and servers. Channels without subscribers cost no time.
 *
 * @example
 * subscribe(Channels.end, (message) => {
 *   const { context, response, duration } = message as RequestEnd
 * })
 */
export const Channels = {
  /** Publishes a {@link RequestStart}. */
  start: 'octavo.request.start',
  /** Publishes a {@link RequestEnd}. */
  end: 'octavo.request.end',
  /** Publishes a {@link RequestError}. */
  error: 'octavo.request.error',
  /** Publishes a `VersionResolved`: which version answers a request, and what becomes of it. */
  version: 'octavo.version.resolved',
  /** Publishes a {@link ListenStart}. */
  listen: 'octavo.listen.start',
  /** Publishes a {@link ListenEnd}. */
  listening: 'octavo.listen.end',
} as const

/** `listen` was called with options that can be used. */
export interface ListenStart {
  /** How many processes will serve, as it was asked for. */
  readonly workers: number | 'auto' | undefined
}

/** An application listens. */
export interface ListenEnd {
  /** The address at which it listens. */
  readonly url: string
  /** The engine that reads the requests, if `listen` has the option `engine` and serves in this process. */
  readonly engine?: 'direct' | 'node' | undefined
}

/** A request has arrived. Its route is not known yet. */
export interface RequestStart {
  /** The context of the request. */
  readonly context: ExecutionContext
}

/** The response to a request is ready to be sent. */
export interface RequestEnd {
  /** The context of the request, with its route if one matched. */
  readonly context: ExecutionContext
  /** The response as it is sent. */
  readonly response: FinishedResponse
  /** Milliseconds since the request was received; the time that a stream takes is not in it. */
  readonly duration: number
}

/** Something was thrown while a request was answered. */
export interface RequestError {
  /** The context of the request. */
  readonly context: ExecutionContext
  /** The value that was thrown. */
  readonly error: unknown
}

/** Reports requests to logs and subscribers. */
export interface Observer {
  /** Whether this request is observed. This is decided once for each request, so unobserved requests are not measured. */
  readonly isOn: () => boolean
  /** Reports a request; the time it started, as `end` wants it. */
  start(context: ExecutionContext): number
  /** Reports its response. */
  end(context: ExecutionContext, response: FinishedResponse, started: number): void
  /** Reports an error. */
  error(context: ExecutionContext, error: unknown): void
}

let started = NO_CHANNEL
let ended = NO_CHANNEL
let failed = NO_CHANNEL

/** Opens the channels of requests, before an application answers its first. */
export async function openChannels(): Promise<void> {
  await loadChannels()
  started = openChannel(Channels.start)
  ended = openChannel(Channels.end)
  failed = openChannel(Channels.error)
}

/**
 * Creates the observer of requests: a log line for each if `logsRequests`, and the channels. `versionAt` returns the place of the path segment
 * that may contain a version.
 */
export function createObserver(
  log: Logger,
  logsRequests: boolean,
  versionAt: ((path: string) => number) | undefined,
): Observer {
  return {
    isOn: () => logsRequests || started.hasSubscribers || ended.hasSubscribers || failed.hasSubscribers,
    start: (context) => {
      const time = performance.now()
      if (started.hasSubscribers) started.publish({ context } satisfies RequestStart)
      return time
    },
    end: (context, response, time) => {
      const duration = performance.now() - time
      if (logsRequests) logRequest(log, context, response.status, duration, versionAt)
      if (ended.hasSubscribers) ended.publish({ context, response, duration } satisfies RequestEnd)
    },
    error: (context, error) => {
      if (failed.hasSubscribers) failed.publish({ context, error } satisfies RequestError)
    },
  }
}

/** Logs a request: nothing that a client keeps secret, so neither query nor headers. */
function logRequest(
  log: Logger,
  context: ExecutionContext,
  status: number,
  duration: number,
  versionAt: ((path: string) => number) | undefined,
): void {
  try {
    const { requestId, request, originalPath, version, route, client } = context
    const path = route === null ? cutVersionAt(originalPath, versionAt) : originalPath
    const { method } = request
    const time = toMicros(duration)
    // written out, because a copy of an object costs more than all else here, and its JSON twice as much
    const details: Record<string, unknown> =
      route === null
        ? { requestId, method, path, version, status, duration: time }
        : { requestId, method, path, version, status, duration: time, route: route.name }
    if (client !== undefined) details['client'] = client
    log.info(details, 'Request')
  } catch {
    // what a request says of itself may throw, and does not cost the client the response
  }
}

/** A path that nothing answers, with what may have been meant for a version at the length of one. */
function cutVersionAt(path: string, versionAt: ((path: string) => number) | undefined): string {
  if (versionAt === undefined || path.length <= MAX_VERSION_LENGTH) return path
  const position = versionAt(path)
  return path
    .split('/')
    .map((segment, index) => (index === position ? cutVersion(segment) : segment))
    .join('/')
}

/** Rounds milliseconds to microseconds. */
function toMicros(duration: number): number {
  return Math.round(duration * 1000) / 1000
}
