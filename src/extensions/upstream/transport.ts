import type { Duplex } from 'node:stream'

import type { Awaitable } from '../../base/values.ts'
import type { BodyStream } from '../../http/http.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'

/** A request as the API behind receives it. */
export interface OutgoingRequest {
  readonly method: string
  /** Path and query, below the address of the API. */
  readonly path: string
  /** Names in lower case and values in turn, one pair for each field line. */
  readonly headers: string[]
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | null
}

/** A response of the API behind, as far as it has arrived. */
export interface IncomingResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body, `null` for none. A stream fails if the body breaks off. */
  readonly body: Uint8Array | BodyStream | null
}

/** The request that is forwarded, as far as sending concerns it. */
export interface Sender extends Pick<RequestContext, 'signal'> {
  /** `undefined` for a request of the application's own. */
  readonly raw?: RequestContext['raw']
}

/** Takes a response, or the error in its place. One object for each request, which saves a promise. */
export interface Receiver<T> {
  take(response: IncomingResponse): Awaitable<T>
  /** Returns the error that is thrown because no response has come. */
  fail(error: unknown): unknown
}

/** Returns responses and errors as they are. */
export const AS_IT_IS: Receiver<IncomingResponse> = {
  take: (response) => response,
  fail: (error) => error,
}

/** Sends requests to an API. */
export interface Transport {
  /**
   * Sends a request. Returns what the receiver makes of the response.
   *
   * @throws `HttpError` 502 or 504, or the reason of the signal of a client that has left.
   */
  readonly send: <T>(request: OutgoingRequest, sender: Sender, receiver: Receiver<T>) => Promise<T>
  /** Asks for another protocol. Returns the connection, or the response if the API refuses. `undefined` where that is not possible. */
  readonly upgrade: ((request: OutgoingRequest, sender: Sender) => Promise<Upgraded>) | undefined
  readonly close: () => Promise<void>
}

/** The outcome of asking for another protocol. */
export type Upgraded =
  | { readonly headers: IncomingResponse['headers']; readonly connection: Duplex }
  | IncomingResponse
