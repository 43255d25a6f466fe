import { Readable } from 'node:stream'

import { parseSetCookie } from 'cookie'

import { clientWentAway, type FinishedResponse } from '../../../http/http.ts'
import { openBytes, type ByteSource } from '../shared/byte-source.ts'
import type { Dispatch } from '../../dispatch.ts'
import type { RefusalSettings } from '../../options/settings.ts'
import {
  discardAtEnd,
  findRefusal,
  NOBODY,
  unlessAborted,
  type Answered,
  type InjectResponse,
} from './inject.ts'
import type { InjectRequest } from './request.ts'
import { isStream } from '../../../http/stream.ts'

/** The answer of `inject` with `stream: true`: its head, and its body as it comes. */
export interface InjectStream extends Pick<
  InjectResponse,
  'statusCode' | 'headers' | 'cookies' | 'route' | 'version'
> {
  /**
   * The body, produced as fast as it is read. Read it or destroy it: the request is under way until then. Destroying it is what a
   * client does that goes away. It is destroyed with the error of its source, or the reason of the signal.
   */
  readonly stream: Readable
}

/** Answers a request without a socket as soon as its head is there. */
export async function injectStream(
  dispatch: Dispatch,
  raw: InjectRequest,
  settings: RefusalSettings,
): Promise<InjectStream> {
  const { givenSignal: signal } = raw
  signal?.throwIfAborted()
  const refusal = findRefusal(raw, settings.limits.headers)
  if (refusal !== undefined) {
    const refused = settings.writeError(refusal)
    return toInjectStream(refused, toReadable(refused), NOBODY)
  }
  const { context, response } = dispatch(raw)
  discardAtEnd(raw, context)
  const opened = (async () => {
    const finished = await response
    const { body, headers } = finished
    if (!isStream(body)) {
      await context.end()
      return toInjectStream(finished, toReadable(finished), context)
    }
    const source = openBytes(body, headers, context)
    if (signal?.aborted === true) {
      source.cancel(signal.reason)
      throw signal.reason
    }
    return toInjectStream(finished, readFrom(source, signal), context)
  })()
  return signal === undefined ? opened : unlessAborted(signal, () => opened)
}

function toInjectStream(
  { status, headers }: FinishedResponse,
  stream: Readable,
  { route, version }: Answered,
): InjectStream {
  const cookies = [headers['set-cookie'] ?? []].flat().map((line) => parseSetCookie(line))
  return { statusCode: status, headers, cookies, route, version, stream }
}

function toReadable({ body }: FinishedResponse): Readable {
  return Readable.from(body === null || isStream(body) ? [] : [Buffer.from(body)], { objectMode: false })
}

function readFrom(source: ByteSource, signal: AbortSignal | undefined): Readable {
  const stream = new Readable({
    read: () => {
      source.next().then(
        (bytes) => void stream.push(bytes ?? null),
        (error: Error) => void stream.destroy(error),
      )
    },
    destroy: (error, callback) => {
      signal?.removeEventListener('abort', stop)
      source.cancel(error ?? clientWentAway())
      callback(error)
    },
  })
  const stop = (): void => void stream.destroy(signal?.reason)
  signal?.addEventListener('abort', stop)
  return stream
}
