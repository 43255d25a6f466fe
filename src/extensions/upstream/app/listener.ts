import type { IncomingMessage } from 'node:http'

import { ignoreRejection, isPromise } from '../../../base/values.ts'
import { isStream, type BodyStream, type RawRequest } from '../../../http/http.ts'
import { createListenerPair, type ListenerPair } from '../../../server/adapters/node/listener-pair.ts'
import { Captured } from '../../inside/captured.ts'
import { replaceRequest } from '../../inside/replaced.ts'
import type { CallApp } from './transport.ts'
import type { OutgoingBody, OutgoingRequest } from '../options.ts'

/** A listener of node:http, such as an application of Express. */
type NodeListener = (request: never, response: never) => unknown

/** Creates what has a listener of node:http answer requests in this process. */
export function createCallListener(listener: NodeListener): CallApp {
  return (given, raw) =>
    new Promise((resolve, reject) => {
      const { request, response } = openPair(given, raw)
      const close = (): void => {
        request.destroy()
        response.emit('close')
      }
      given.whenGone = close
      const captured = new Captured(response, (isWhole) => {
        response.emit('finish')
        if (isWhole) queueMicrotask(close)
      })
      void captured.response.then(({ body, ...head }) =>
        resolve({ ...head, body: isStream(body) ? closing(body, close) : body }),
      )
      const called: unknown = Reflect.apply(listener, undefined, [request, response])
      // what a listener throws later has no other place
      if (isPromise(called)) called.then(undefined, reject)
    })
}

function openPair(given: OutgoingRequest, raw: RawRequest | undefined): ListenerPair {
  const pair = createListenerPair(raw)
  const { request } = pair
  const { method, path, headers, body } = given
  const length = body instanceof Uint8Array ? ['content-length', String(body.length)] : []
  // the body is as its head says, so no header of it is dropped
  replaceRequest(request, { method, path, headers: [...headers, ...length], body: undefined })
  if (body === null || body instanceof Uint8Array) {
    if (body !== null && body.length > 0) request.push(body)
    request.push(null)
  } else readInto(request, body)
  return pair
}

/** Has the chunks of a long body read as the listener reads them. */
function readInto(request: IncomingMessage, body: OutgoingBody): void {
  request._read = () => {
    body.next().then(
      ({ done, value }) => request.push(done === true ? null : value),
      (error: unknown) => request.destroy(error instanceof Error ? error : undefined),
    )
  }
  request.once('close', () => ignoreRejection(body.return()))
}

/** @yields the chunks of a body, and calls `close` behind them, also if they are not all read */
async function* closing(body: BodyStream, close: () => void): AsyncGenerator<Uint8Array | string> {
  try {
    yield* body
  } finally {
    close()
  }
}
