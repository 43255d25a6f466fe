import type { IncomingMessage, ServerResponse } from 'node:http'

import { ignoreRejection, isPromise } from '../../../base/values.ts'
import type { BodyStream, RawRequest } from '../../../http/http.ts'
import { createListenerPair, type ListenerPair } from '../../../server/adapters/node/listener-pair.ts'
import { callbackOf, setHeaders, toBytes, WrittenBody } from '../../inside/captured.ts'
import { toHeaderRecord } from '../../inside/headers.ts'
import { replaceRequest } from '../../inside/replaced.ts'
import type { CallApp } from './transport.ts'
import type { IncomingResponse, OutgoingBody, OutgoingRequest } from '../options.ts'

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
      takeResponse(response, close, resolve)
      const called: unknown = Reflect.apply(listener, undefined, [request, response])
      // what a listener throws later has no other place
      if (isPromise(called)) called.then(undefined, reject)
    })
}

/**
 * Takes what a listener writes to a response that has no connection. `tell` gets the response once its head and either its body or its
 * first bytes are known. `close` is called at the end of the body, also if no reader reaches it.
 */
function takeResponse(
  response: ServerResponse,
  close: () => void,
  tell: (response: IncomingResponse) => void,
): void {
  let body: WrittenBody | undefined
  let hasHead = false
  const writeHead = (status: number, ...rest: readonly unknown[]): ServerResponse => {
    response.statusCode = status
    setHeaders(response, rest.at(-1))
    hasHead = true
    // as Node has it once a head is sent: then headers cannot be set
    Reflect.set(response, '_header', 'HTTP/1.1')
    return response
  }
  const begin = (content: IncomingResponse['body']): void => {
    // by its name, because middleware may have put a function of its own around it
    if (!hasHead) response.writeHead(response.statusCode)
    tell({ status: response.statusCode, headers: toHeaderRecord(response.getHeaders()), body: content })
  }
  const open = (): WrittenBody => {
    if (body !== undefined) return body
    body = new WrittenBody(response)
    begin(closing(body, close))
    return body
  }
  const end = (...given: readonly unknown[]): ServerResponse => {
    if (response.writableEnded) return response
    const [chunk, encoding] = typeof given[0] === 'function' ? [] : given
    const bytes = chunk === undefined || chunk === null ? undefined : toBytes(chunk, encoding)
    const done = callbackOf(given)
    if (done !== undefined) response.once('finish', done)
    if (body === undefined) begin(bytes ?? null)
    else body.end(bytes)
    Object.assign(response, { finished: true })
    response.emit('finish')
    if (body === undefined) queueMicrotask(close)
    return response
  }
  Object.assign(response, {
    writeHead,
    end,
    flushHeaders: open,
    write: (chunk: unknown, ...rest: readonly unknown[]) =>
      open().add(toBytes(chunk, rest[0]), callbackOf(rest)),
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
