import type { HeaderMap, RawRequest } from '../../src/http/http.ts'
import { NO_BODY } from '../measure/raw.ts'

/** The headers of every request: all contestants get all of them, whichever they read. */
const HEADERS: Readonly<Record<string, string>> = {
  host: 'v2.example.com',
  connection: 'keep-alive',
  accept: 'application/json; version=2',
  'accept-language': 'en',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'node',
  'x-version': '2',
}

/**
 * A request as the adapter for node:http gives it: its headers are read already, as that adapter looks for Host in every request. Every
 * text is a string of its own: no hash is known, nothing is interned.
 */
export class BenchRequest implements RawRequest {
  readonly method: string
  readonly target: string
  readonly headers: HeaderMap
  readonly remoteAddress = '127.0.0.1'
  readonly protocol = 'http'
  readonly body = NO_BODY
  readonly isArriving = false
  readonly signal: AbortSignal = NO_SIGNAL

  constructor(method: string, target: string) {
    this.method = method
    this.target = freshCopy(target)
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(HEADERS)) headers[name] = freshCopy(value)
    this.headers = headers
  }

  abort(): void {}

  lines(name: string): readonly string[] {
    const value = this.headers[name]
    return typeof value === 'string' ? [value] : []
  }
}

const NO_SIGNAL = new AbortController().signal

function freshCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
