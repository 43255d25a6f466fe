import type { ExecutionContext } from '../../define/context.ts'
import type { IdleObserver } from '../../define/observer.ts'
import type { FinishedResponse } from '../../http/http.ts'
import { loadChannels, NO_CHANNEL, openChannel } from '../../base/platform.ts'
import type { VersionResolved } from '../../versioning/options.ts'

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

let started = NO_CHANNEL
let resolved = NO_CHANNEL
let failed = NO_CHANNEL
let ended = NO_CHANNEL

/** Opens the channels of requests, before an application answers its first. */
export async function openChannels(): Promise<void> {
  await loadChannels()
  started = openChannel(Channels.start)
  resolved = openChannel(Channels.version)
  failed = openChannel(Channels.error)
  ended = openChannel(Channels.end)
}

/** Publishes what happens to requests on the channels. */
export const channelObserver: IdleObserver = {
  isListening: () =>
    started.hasSubscribers || ended.hasSubscribers || failed.hasSubscribers || resolved.hasSubscribers,
  start: (context) => {
    if (started.hasSubscribers) started.publish({ context } satisfies RequestStart)
  },
  matched: (_, version) => {
    if (resolved.hasSubscribers) resolved.publish(version satisfies VersionResolved)
  },
  error: (context, error) => {
    if (failed.hasSubscribers) failed.publish({ context, error } satisfies RequestError)
  },
  end: (context, response, duration) => {
    if (ended.hasSubscribers) ended.publish({ context, response, duration } satisfies RequestEnd)
  },
}
