import type { InjectRequest } from '../../server/adapters/inject/inject-request.ts'
import type { InjectResponse } from '../../server/adapters/inject/inject.ts'
import { BytesBody } from '../../server/adapters/shared/stream-body.ts'
import type { RecordedStream } from './streamed.ts'

/** A body as `goldens` stores it: text, or bytes that are not UTF-8 in base64. */
export type GoldenBody = string | Readonly<Record<'base64', string>>

/** A request as `goldens` stores it. */
export interface GoldenRequest {
  /** The method. */
  readonly method: string
  /** The path and query. */
  readonly url: string
  /** The headers by lower-case name. A list is several lines. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The protocol, if it is not plain HTTP. */
  readonly protocol?: 'https'
  /** The address of the client, if it is not `127.0.0.1`. */
  readonly remoteAddress?: string
  /** The body: text, or bytes that are not UTF-8. */
  readonly body?: GoldenBody
}

/** The response that came. */
interface KeptResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: GoldenBody
  /** Of a stream: whether the body is the whole of it, or the part that the test read. */
  readonly streamed?: RecordedStream['streamed']
}

/** A request and its answer, as they are kept. */
export interface RecordedExchange {
  /** The route that answered, or `null` if none did. */
  readonly route: string | null
  readonly request: GoldenRequest
  readonly response: KeptResponse
}

/** The recorded exchanges of one version. */
export interface GoldenFile {
  readonly version: string
  readonly exchanges: readonly RecordedExchange[]
}

const LOCAL = '127.0.0.1'
/** A header that follows from the body. */
const LENGTH = 'content-length'

/** The parts of an answer that were read. */
type ReadExchange = Pick<InjectResponse, 'bytes'> & Partial<RecordedStream>

/**
 * Creates the recorder of a request and its response, without headers that differ each time. Returns `undefined` if the body of the request
 * was a stream.
 */
export async function createExchange(
  request: InjectRequest,
  response: Pick<InjectResponse, 'statusCode' | 'headers' | 'route'>,
  ignored: ReadonlySet<string>,
): Promise<((read: ReadExchange) => RecordedExchange) | undefined> {
  const { method, target, protocol, remoteAddress, body } = request
  if (!(body instanceof BytesBody)) return undefined
  const names = Object.keys(request.headers).filter((name) => name !== LENGTH)
  const sent = kept(await body.read(Infinity))
  return (read) => ({
    route: response.route?.name ?? null,
    request: {
      method,
      url: target,
      headers: Object.fromEntries(
        names.map((name) => {
          const [first = '', ...others] = request.lines(name)
          return [name, others.length === 0 ? first : [first, ...others]]
        }),
      ),
      ...(protocol === 'https' ? { protocol } : {}),
      ...(remoteAddress === LOCAL ? {} : { remoteAddress }),
      ...sent,
    },
    response: toKeptResponse(response, read, ignored),
  })
}

/** An answer as it is kept. */
function toKeptResponse(
  { statusCode, headers }: Pick<InjectResponse, 'statusCode' | 'headers'>,
  { bytes, streamed }: ReadExchange,
  ignored: ReadonlySet<string>,
): KeptResponse {
  const own = Object.entries(headers).filter(([name]) => name !== LENGTH && !ignored.has(name))
  const { body } = kept(bytes)
  return {
    status: statusCode,
    headers: Object.fromEntries(own),
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' ? body.replace(REQUEST_ID, '$1*$2') : body }),
    ...(streamed === undefined ? {} : { streamed }),
  }
}

/** The id of the request in a problem document, which is another one each time. */
const REQUEST_ID = /("requestId":")[\da-f]{8}-[\da-f-]{27}(")/

function kept(bytes: Uint8Array): { readonly body?: GoldenBody } {
  if (bytes.length === 0) return {}
  try {
    return { body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { body: { base64: Buffer.from(bytes).toString('base64') } }
  }
}
export function bytesOf(body: GoldenBody | undefined): Uint8Array {
  if (body === undefined) return new Uint8Array(0)
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.base64, 'base64')
}
