import type { HeaderMap, RawBody, RawRequest } from '../../src/http.ts'
import { GITHUB_ROUTES } from '../router/github.ts'

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

/** Values as requests have them: names and numbers of different lengths, the same ones in every run. */
const VALUES =
  'octocat hello-world 1347 a 6dcb09b5b57875f334f61aebed695e2e4193db5e bug jane.doe@example.com 42 v2.0.1'.split(
    ' ',
  )
const VARIANTS = 6

/** For each of the 203 routes, requests that differ in their values. */
export const TARGETS: readonly { readonly method: string; readonly target: string }[] = GITHUB_ROUTES.flatMap(
  ({ method, path }, route) =>
    Array.from({ length: VARIANTS }, (_, variant) => {
      let next = route + variant
      return { method, target: path.replaceAll(/\{\w+\}/g, () => VALUES[(next += 4) % VALUES.length] ?? '') }
    }),
)

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
  readonly signal: AbortSignal = NO_SIGNAL

  constructor(method: string, target: string) {
    this.method = method
    this.target = freshCopy(target)
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(HEADERS)) headers[name] = freshCopy(value)
    this.headers = headers
  }

  lines(name: string): readonly string[] {
    const value = this.headers[name]
    return typeof value === 'string' ? [value] : []
  }
}

const NO_BODY: RawBody = { length: 0, read: async () => new Uint8Array() }
const NO_SIGNAL = new AbortController().signal

function freshCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
