import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'

import { HttpError } from '../../../../http/errors.ts'
import { clientWentAway, type HeaderMap, type RawBody, type RawRequest } from '../../../../http/http.ts'
import { bodyEndedEarly, bodyTooLarge, collectChunks } from '../../../request/body.ts'

/** The client of a session, as all its requests see it. */
export interface Peer {
  readonly remoteAddress: string | undefined
  readonly protocol: 'http' | 'https'
}

export interface StreamHead {
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn. */
  readonly lines: readonly string[]
  /** Whether a body follows. */
  readonly hasBody: boolean
}

/** A request of node:http2. A class because one is made for every request, and little of it is needed. */
export class Http2Request implements RawRequest {
  readonly stream: ServerHttp2Stream
  readonly #head: StreamHead
  readonly #peer: Peer
  #headers: HeaderMap | undefined
  #abort: AbortController | undefined
  isArriving = false

  constructor(stream: ServerHttp2Stream, head: StreamHead, peer: Peer) {
    this.stream = stream
    this.#head = head
    this.#peer = peer
  }

  get method(): string {
    return this.#head.headers[':method'] ?? 'GET'
  }

  get target(): string {
    return this.#head.headers[':path'] ?? ''
  }

  get headers(): HeaderMap {
    return (this.#headers ??= toHeaderMap(this.#head.headers))
  }

  lines(name: string): readonly string[] {
    // one cookie header may be split into several lines, and the authority stands for Host (RFC 9113 sections 8.2.3 and 8.3.1)
    if (name === 'cookie' || name === 'host') {
      const value = this.headers[name]
      return typeof value === 'string' ? [value] : []
    }
    return this.#head.lines.filter((_, at, lines) => at % 2 === 1 && lines[at - 1] === name)
  }

  get remoteAddress(): string | undefined {
    return this.#peer.remoteAddress
  }

  get protocol(): 'http' | 'https' {
    return this.#peer.protocol
  }

  get body(): RawBody {
    const { hasBody, headers } = this.#head
    const declared = headers['content-length']
    const unknown = declared === undefined ? undefined : Number(declared)
    const length = hasBody ? unknown : 0
    return {
      length,
      read: (limit) => collectChunks(this.#chunks(limit, length)),
      chunks: (limit) => this.#chunks(limit, length),
    }
  }

  get signal(): AbortSignal {
    return (this.#abort ??= this.#createAbort()).signal
  }

  abort(reason: unknown): void {
    ;(this.#abort ??= this.#createAbort()).abort(reason)
  }

  #createAbort(): AbortController {
    const { stream } = this
    const abort = new AbortController()
    const stop = (): void => {
      // not writableFinished: Node ends the writing of a stream that was reset
      const isAnswered =
        stream.headersSent && !stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR
      if (!isAnswered) abort.abort(clientWentAway())
    }
    if (stream.destroyed) stop()
    else stream.once('close', stop)
    return abort
  }

  async *#chunks(limit: number, length: number | undefined): AsyncGenerator<Uint8Array> {
    if (length === 0) return
    if (length !== undefined && length > limit) throw bodyTooLarge(limit)
    const { stream } = this
    if (stream.destroyed) throw bodyEndedEarly()
    // only now: a client that asked whether to go on is not told to send what would be refused
    if (this.#head.headers.expect !== undefined && !stream.headersSent)
      stream.additionalHeaders({ ':status': constants.HTTP_STATUS_CONTINUE })
    let size = 0
    this.isArriving = true
    try {
      const chunks: AsyncIterable<Uint8Array> = stream.iterator({ destroyOnReturn: false })
      for await (const chunk of chunks) {
        size += chunk.length
        if (size > limit) throw bodyTooLarge(limit)
        yield chunk
      }
    } catch (error) {
      throw error instanceof HttpError ? error : bodyEndedEarly()
    } finally {
      this.isArriving = false
    }
    // a stream that the client gave up may look like one that has ended
    if (stream.aborted) throw bodyEndedEarly()
  }
}

function toHeaderMap(headers: IncomingHttpHeaders): HeaderMap {
  // without prototype: `__proto__` is a name like any other
  const map: Record<string, string | readonly string[] | undefined> = Object.create(null)
  const authority = headers[':authority']
  if (authority !== undefined) map['host'] = authority
  for (const name of Object.keys(headers)) if (!name.startsWith(':')) map[name] = headers[name]
  return map
}
