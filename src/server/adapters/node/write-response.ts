import { STATUS_CODES, type ServerResponse } from 'node:http'

import type { RequestContext } from '../../pipeline/context.ts'
import { logBroken, notSent } from '../../pipeline/failure.ts'
import { drained, isStream, openStream, type FinishedResponse, type ChunkSource } from '../../../http/http.ts'
import { createLengthCheck, toBytes } from '../shared/stream-body.ts'
import { dropRest, fitHttp2, isHttp2 } from './http2-request.ts'
import { endWithAnswer, endWithBody } from './lingering-close.ts'

/** The text of a response for a connection on which there is no request to answer; the connection has to end with it. */
export function toResponseText({ status, headers, body }: FinishedResponse): string {
  const all = { ...headers, date: new Date().toUTCString(), connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
  const phrase = STATUS_CODES[status] ?? 'Error'
  return [`HTTP/1.1 ${status} ${phrase}`, ...lines, '', typeof body === 'string' ? body : ''].join('\r\n')
}

/** Writes a response; the connection ends with the `last` one. What cannot be sent is logged, and becomes a plain 500. */
export function write(
  response: ServerResponse,
  finished: FinishedResponse,
  last: boolean,
  context: RequestContext | undefined,
): void {
  const { status, headers, body } = finished
  let source: ChunkSource | undefined
  try {
    if (isStream(body)) source = openStream(body)
    if (response.destroyed || response.headersSent) return source?.cancel()
    if (last) headers['connection'] = 'close'
    keepTheirs(response, headers)
    if (isHttp2(response.req)) fitHttp2(headers)
    else delete headers['transfer-encoding'] // how a body is framed is up to this side
    response.writeHead(status, headers)
    if (isHttp2(response.req)) dropRest(response)
    else if (isLast(response, last)) endWithAnswer(response.req)
  } catch (error) {
    source?.cancel()
    // or the 500 would have the phrase of the status that failed
    response.statusMessage = ''
    return write(response, notSent(context, error), last, undefined)
  }
  if (source !== undefined)
    void writeStream({ response, source, declared: headers['content-length'], context })
  else if (!isStream(body)) response.end(toWritable(body, headers) ?? undefined, 'latin1')
}

/** The last catch: what is wrong with a response becomes a 500, or breaks the connection off if its head is sent. */
export function giveUp(response: ServerResponse, context: RequestContext, error: unknown): void {
  const problem = notSent(context, error)
  if (response.headersSent) breakOff(response)
  else write(response, problem, true, undefined)
}

/** Bytes of a body that the buffers of a connection take at once, about. */
const SHORT = 65_536

/** Has a request end with its response, or before. */
export function endWithResponse(
  response: Pick<ServerResponse, 'destroyed'> & { once(event: 'close', listener: () => void): unknown },
  context: RequestContext,
  finished: FinishedResponse,
): void {
  if (endsBeforeResponse(context, finished) || response.destroyed) void context.end()
  else response.once('close', () => void context.end())
}

/** Whether a request ends before its response is sent, because nothing lives for it. While a client takes a longer body, it is under way. */
export function endsBeforeResponse(context: RequestContext, { body }: FinishedResponse): boolean {
  if (context.hasScope) return false
  if (body === null || (!isStream(body) && body.length <= SHORT)) return true
  context.atEnd(NOTHING)
  return false
}

const NOTHING = (): void => undefined

/** Adds the cookies and the `Vary` that something before the application has set on a response to its own. Other headers it replaces. */
function keepTheirs(response: ServerResponse, headers: FinishedResponse['headers']): void {
  for (const name of ['set-cookie', 'vary']) {
    const own = headers[name]
    const theirs = own === undefined ? undefined : response.getHeader(name)
    if (own === undefined || theirs === undefined) continue
    const all = [theirs, own].flat().map(String)
    headers[name] = name === 'vary' ? all.join(', ') : all
  }
}

/** Whether the connection ends with a response whose head is written. Adapters for serverless platforms have none. */
function isLast(response: ServerResponse, last: boolean): boolean {
  if (response.req.httpVersionMajor !== 1) return false
  // what node:http has made of the request, the headers and the length
  const decided: unknown = Reflect.get(response, '_last')
  return typeof decided === 'boolean' ? decided : last || !response.shouldKeepAlive
}

/**
 * Bytes in the place of a text that is not ASCII: node:http writes the head in the encoding of a text that goes out with it, and a head
 * is in Latin-1.
 */
function toWritable(
  body: string | Uint8Array | null,
  headers: FinishedResponse['headers'],
): string | Uint8Array | null {
  if (typeof body !== 'string' || headers['content-length'] === String(body.length)) return body
  return Buffer.from(body)
}

interface StreamedResponse {
  readonly response: ServerResponse
  readonly source: ChunkSource
  /** The length that its head says. */
  readonly declared: string | string[] | undefined
  readonly context: RequestContext | undefined
}

/** Writes chunks as fast as the client takes them. After the head there is no way to report a failure but to break off. */
async function writeStream({ response, source, declared, context }: StreamedResponse): Promise<void> {
  response.once('close', source.cancel)
  // a stream that is slow to start does not keep its head waiting
  const early = setImmediate(() => response.flushHeaders())
  const { httpVersionMajor, httpVersionMinor, socket } = response.req
  const isOpenEnded = httpVersionMajor === 1 && httpVersionMinor === 0 && declared === undefined
  const finish = isOpenEnded ? endWithBody(socket) : undefined
  // one that is not kept would make the next response on the connection part of this one
  const keep = createLengthCheck(declared)
  try {
    for (let chunk = await source.next(); chunk.done !== true; chunk = await source.next()) {
      if (response.destroyed) return
      clearImmediate(early)
      const bytes = toBytes(chunk.value)
      keep(bytes)
      const isTaken: unknown = response.write(bytes)
      // responses of adapters for serverless platforms return nothing, and never drain
      if (isTaken === false) await drained(response)
    }
    keep(undefined)
    response.off('close', source.cancel)
    finish?.()
    if (!response.destroyed) response.end()
  } catch (error) {
    source.cancel()
    if (response.destroyed) return
    logBroken(context, error)
    breakOff(response)
  } finally {
    clearImmediate(early)
  }
}

/** Ends a response that is not whole. */
function breakOff(response: ServerResponse): void {
  // a stream of HTTP/2 would end without an error, as a whole one does
  if (isHttp2(response.req)) response.destroy(new Error('The response broke off'))
  else response.destroy()
}
