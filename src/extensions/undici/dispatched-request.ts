import { stringify } from 'node:querystring'
import { Readable } from 'node:stream'
import { Response as UndiciResponse, type Dispatcher } from 'undici'

import type { Exchange } from './dispatch-exchange.ts'
import { headerProblem } from '../../server/pipeline/response-head.ts'

type Options = Dispatcher.DispatchOptions
type Lines = [name: string, value: string][]

/**
 * Converts the options of undici to a request for `app.fetch`. Its signal is that of the exchange, which a streamed body aborts that fails. It has the members that
 * `app.fetch` reads, because a `Request` refuses methods, paths and bodies that undici sends.
 *
 * @throws `TypeError` for what cannot be sent.
 */
export function toRequest(options: Options, exchange: Pick<Exchange, 'signal' | 'fail'>): Request {
  const { method, origin = 'http://localhost' } = options
  if (method === 'CONNECT' || options.upgrade)
    throw new TypeError('createDispatcher: neither CONNECT nor upgrades are possible without a socket')
  const { protocol, host } = new URL(origin)
  const lines = toLines(options.headers)
  const has = (wanted: string): boolean => lines.some(([name]) => name === wanted)
  const { body, length, type } = toBody(options.body, exchange.fail)
  if (type !== undefined && !has('content-type')) lines.push(['content-type', type])
  const isCounted = length > 0 || (length === 0 && EXPECTS_BODY.has(method))
  if (isCounted && !has('content-length')) lines.push(['content-length', String(length)])
  const hosts = lines.flatMap(([name, value]) => (name === 'host' ? [value] : []))
  // several hosts, and one that would begin a path, are no host
  const authority = hosts.length === 0 ? host : hosts.join(',').replaceAll(/[/?#]/g, ',')
  const headers = {
    forEach: (add: (value: string, name: string) => void) =>
      lines.forEach(([name, value]) => add(value, name)),
  }
  const url = `${protocol}//${authority}${toTarget(options)}`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return {
    method,
    url,
    headers,
    body,
    get signal() {
      return exchange.signal
    },
  } as unknown as Request
}

const EXPECTS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY'])

function toTarget({ path, query }: Options): string {
  // undici's redirects set it to null
  const hasQuery = query !== undefined && query !== null
  if (hasQuery && /[?#]/.test(path))
    throw new TypeError('createDispatcher: give query, or ? in the path, not both')
  const search = hasQuery ? stringify(query) : ''
  const target = search === '' ? path : `${path}?${search}`
  // without the slash, it would be part of the host
  if (/^[\u0021-\u007e]+$/.test(target)) return target.startsWith('/') ? target : `/${target}`
  throw new TypeError('createDispatcher: the path has a character that is not allowed')
}

/** Every field line with its lower-case name, whatever shape the headers have. */
function toLines(given: Options['headers']): Lines {
  const lines = toPairs(given ?? []).flatMap(([name, value]) =>
    [value ?? []].flat().map((line: unknown): Lines[number] => {
      if (typeof line === 'object' && line !== null)
        throw new TypeError('createDispatcher: an object cannot be sent as a header')
      return [String(name).toLowerCase(), String(line)]
    }),
  )
  for (const [name, value] of lines) {
    const problem = headerProblem({ [name]: value })
    if (problem !== undefined) throw new TypeError(`createDispatcher: ${problem}`)
  }
  return lines
}

/** The headers as names with their values; a list has both in turn, or pairs. */
function toPairs(headers: object): (readonly unknown[])[] {
  const list: readonly unknown[] = Symbol.iterator in headers ? [...Object(headers)] : Object.entries(headers)
  if (Array.isArray(list[0])) return list.filter(Array.isArray)
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : []))
}

interface DispatchedBody {
  readonly body: AsyncIterable<Uint8Array | string> | null
  /** Its bytes, or -1 if only its end shows them. */
  readonly length: number
  /** The content type that the body brings. */
  readonly type?: string | undefined
}

const NO_BODY: DispatchedBody = { body: null, length: 0 }

function toBody(given: unknown, fail: (error: Error) => void): DispatchedBody {
  if (given === undefined || given === null || given === '') return NO_BODY
  if (typeof given === 'string') return toBody(Buffer.from(given), fail)
  if (given instanceof ArrayBuffer) return toBody(new Uint8Array(given), fail)
  if (ArrayBuffer.isView(given)) {
    const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    return bytes.length === 0 ? NO_BODY : { body: once(bytes), length: bytes.length }
  }
  if (isWeb(given)) {
    const { body, headers } = encode(given)
    return body === null ? NO_BODY : { body, length: -1, type: headers.get('content-type') ?? undefined }
  }
  if (typeof given !== 'object' || !(Symbol.asyncIterator in given || Symbol.iterator in given))
    throw new TypeError(`createDispatcher: a ${typeof given} cannot be sent as a body`)
  const body = given instanceof Readable ? given : Readable.from(Object(given))
  return { body: body.once('error', fail), length: -1 }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Goes by the name of the class: undici has classes of its own. */
function isWeb(given: unknown): given is FormData | Blob | URLSearchParams {
  return ['FormData', 'Blob', 'File', 'URLSearchParams'].includes(
    Reflect.get(Object(given), Symbol.toStringTag),
  )
}

/** Encodes by the classes that made the body: those of the package are not Node's own. */
function encode(body: FormData | Blob | URLSearchParams): UndiciResponse | Response {
  const isOfUndici = Reflect.get(body, Symbol.toStringTag) === 'FormData' && !(body instanceof FormData)
  // its types are those of the package
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return isOfUndici ? new UndiciResponse(body as never) : new Response(body)
}
