import { createBytes, createCompressed, createForm, createJson, createMultipart } from './bodies.ts'
import type { Body } from './bodies.ts'
import { ODD_BYTES, ODD_NUMBERS } from './mutate.ts'
import type { Random } from './random.ts'

/** A request before it is written out. */
export interface Draft {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** Requests without body that the application answers well; `@` stands for a number. */
const TARGETS = [
  '/canary/@',
  '/cars/@',
  '/v1/cars/@',
  '/v2/cars/@',
  '/v9/cars/@',
  '/cars/@?version=2',
  '/cars?limit=@&offset=3&sort=year&tags=a&tags=b&since=2026-01-01',
  '/cars/uuid/0b0b4a5e-7f43-4d4d-8c3a-0123456789ab',
  '/files/a/b/c.txt',
  '/files/../../etc/passwd',
  '/files/%2e%2e/%2e%2e/etc/passwd',
  '/static/car.txt',
  '/static/..%2fapp.ts',
  '/static/.hidden',
  '/static/',
  '/download',
  '/stream/events',
  '/timeout',
  '/tagged',
  '/memory',
  '/download/car.txt',
  '/download/..%2fapp.ts',
  '/download/.hidden',
  '/download/nul%00',
  '/compressed/stream',
  '/guarded',
  '/web/any/@',
  '/limited',
  '/compressed',
  '/head',
  '/session',
  '/session/new',
  '/session/end',
  '/scoped',
  '/stream/generator',
  '/stream/node',
  '/stream/web',
  '/stream/fail',
  '/slow/@',
  '/redirect',
  '/empty',
  '/throw',
  '/reject',
  '/refuse',
  '/big',
  '/private',
  '/nowhere',
  '*',
  'http://a.test/cars/1',
  'a.test:443',
  '//cars/1',
  '/cars/1#part',
  '/',
] as const

/** Where bodies of each type are expected. */
const TARGETS_OF: readonly (readonly [type: RegExp, targets: readonly [string, ...string[]]])[] = [
  [/^multipart/, ['/upload', '/upload', '/upload/stream', '/upload/streams', '/upload/unread', '/form']],
  [/urlencoded/, ['/form']],
  [/json/, ['/cars', '/v2/cars', '/scoped']],
  [/^text/, ['/text']],
  [/octet/, ['/bytes']],
]
const BODY_TARGETS = [
  '/cars',
  '/v2/cars',
  '/cars/@',
  '/text',
  '/bytes',
  '/form',
  '/upload',
  '/upload/stream',
  '/upload/streams',
  '/upload/unread',
  '/web/any',
  '/guarded',
  '/scoped',
  '/session',
  '/session/new',
  '/raw',
] as const

const METHODS = [
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'GET',
  'HEAD',
  'HEAD',
  'QUERY',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
] as const
const ODD_METHODS = ['get', 'BREW', 'CONNECT', 'PRI', 'M-SEARCH', 'GE T', ''] as const

/** Headers that something in the application reads. */
const HEADERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  accept: ['*/*', 'application/json; version=2', 'text/html;q=0.1, */*;q=bad', 'text/event-stream'],
  'x-version': ['1', 'version=2;', '9', ''],
  'accept-encoding': ['gzip', 'br, gzip;q=0', '*;q=0', 'zstd', 'identity;q=0', ';;;'],
  cookie: ['a=1; b=2', '__Host-sid=forged.signature', 'a', '=;=;=', '__proto__=1', 'a=%ff'],
  origin: ['https://a.test', 'null', 'https://evil.test'],
  'access-control-request-method': ['PUT', 'nope'],
  range: ['bytes=0-10', 'bytes=-5', 'bytes=5-1', 'bytes=0-1,3-4', 'bytes=99999999999-', 'cars=1-2'],
  'if-none-match': ['*', '"abc"', 'W/"abc", "def"', '"'],
  'if-match': ['"abc"'],
  'if-modified-since': ['Sat, 21 Nov 2026 00:00:00 GMT', 'yesterday'],
  authorization: ['Bearer let-me-in', 'Bearer', 'Basic Zm9vOmJhcg==', 'Basic %%%', 'Bearer a b c'],
  'last-event-id': ['5', '\u00e9'],
  expect: ['100-continue', '200-ok'],
  connection: ['close', 'keep-alive', 'upgrade', 'close, x-version', 'transfer-encoding'],
  upgrade: ['websocket', 'h2c'],
  'sec-fetch-site': ['cross-site', 'same-origin', 'none'],
  'x-forwarded-for': ['1.2.3.4', ', , ,', '[::1]:80'],
  'x-forwarded-host': ['v2.a.test', '\u00ff'],
  'x-request-id': ['abc', 'a'.repeat(300)],
  'x-big': ['y'.repeat(15_000), 'y'.repeat(17_000), 'y'.repeat(30_000)],
  te: ['trailers'],
  'if-range': ['"abc"'],
}
const HEADER_NAMES = Object.keys(HEADERS)

function createHeaders(random: Random): Record<string, string> {
  const headers: Record<string, string> = {
    host: random.chance(0.9)
      ? 'a.test'
      : random.pick(['v2.a.test', '', '[::1]:80', 'a.test, b.test', 'a.test:99999', 'é', '@']),
  }
  const count = random.pick([0, 0, 0, 1, 1, 2, 5])
  for (let added = 0; added < count; added++) {
    const name = HEADER_NAMES[random.below(HEADER_NAMES.length)] ?? 'accept'
    const [first = '', ...others] = HEADERS[name] ?? []
    headers[name] = random.pick([first, ...others])
  }
  return headers
}

const fill = (target: string, random: Random): string =>
  target.replaceAll('@', () => (random.chance(0.8) ? String(random.below(10_000)) : random.pick(ODD_NUMBERS)))

/** A request without body. */
export function createPlain(random: Random): Draft {
  const method = random.chance(0.97) ? random.pick(METHODS) : random.pick(ODD_METHODS)
  return { method, target: fill(random.pick(TARGETS), random), headers: createHeaders(random) }
}

/** A request for a target that was made from pieces. */
export function createOddTarget(random: Random): Draft {
  const piece = (): string =>
    random.pick([
      () => random.pick(['/cars', '/v2', '/files', '/canary', '/session', '/.', '/..', '//', '/;']),
      () => encodeURIComponent(random.pick(['é', '\u{1f697}', '/', '%', ' '])),
      () => random.pick(ODD_BYTES),
      () => random.pick(['?', '#', 'a'.repeat(4_000), '?a='.repeat(1_500), '%', '/x'.repeat(600)]),
    ])()
  const target = `/${Array.from({ length: 1 + random.below(6) }, piece).join('')}`
  return { ...createPlain(random), target }
}

const BODIES = [
  createJson,
  createJson,
  createForm,
  createMultipart,
  createMultipart,
  createCompressed,
  createBytes,
] as const

/** A request with a body, mostly where such a body is expected. */
export function createWithBody(
  random: Random,
  create: (random: Random) => Body = random.pick(BODIES),
): Draft {
  const { headers, bytes } = create(random)
  const type = headers['content-type'] ?? ''
  const [, fitting] = TARGETS_OF.find(([pattern]) => pattern.test(type)) ?? []
  const isFitting = fitting !== undefined && random.chance(0.75)
  const target = isFitting ? random.pick(fitting) : fill(random.pick(BODY_TARGETS), random)
  const method = isFitting ? 'POST' : random.pick(['POST', 'POST', 'PUT', 'PATCH', 'GET', 'DELETE'])
  return { method, target, headers: { ...createHeaders(random), ...headers }, body: bytes }
}

/** Writes a request out, with its length. */
export function toBytes({ method, target, headers, body }: Draft): Buffer {
  const length = body === undefined ? {} : { 'content-length': String(body.length) }
  return Buffer.concat([
    toHead({ method, target, headers: { ...headers, ...length } }),
    body ?? Buffer.alloc(0),
  ])
}

/** Writes a request out in chunks, some of which are not as they should be. */
export function toChunkedBytes(draft: Draft, random: Random): Buffer {
  const { body = Buffer.from('{"name":"Ford","year":1990}') } = draft
  const parts: Buffer[] = []
  let at = 0
  while (at < body.length) {
    const chunk = body.subarray(at, at + 1 + random.below(Math.max(1, body.length - at)))
    at += chunk.length
    const size = random.chance(0.99)
      ? chunk.length.toString(16)
      : random.pick(['-1', 'ffffffffffffffff', '0', 'g', '', '1_0', '0x5', ' 5', '5 '])
    const extension = random.chance(0.98)
      ? ''
      : random.pick([';a=b', ';', `;${'e'.repeat(20_000)}`, ';a="\r\n"'])
    const end = random.chance(0.99) ? '\r\n' : random.pick(['\n', '', '\r', 'x\r\n'])
    parts.push(Buffer.from(`${size}${extension}\r\n`), chunk, Buffer.from(end))
  }
  const last = random.pick([
    '0\r\n\r\n',
    '0\r\n\r\n',
    '0\r\n\r\n',
    '0\r\nX-Trailer: 1\r\n\r\n',
    '0\r\n',
    '',
    '00000\r\n\r\n',
    '0\r\nContent-Length: 5\r\n\r\n',
  ])
  const framing = random.chance(0.85)
    ? { 'transfer-encoding': 'chunked' }
    : random.pick<Record<string, string>>([
        { 'transfer-encoding': 'gzip, chunked' },
        { 'transfer-encoding': 'chunked, gzip' },
        { 'transfer-encoding': 'chunked', 'content-length': '5' },
        { 'transfer-encoding': 'xchunked' },
        { 'transfer-encoding ': 'chunked' },
        { 'transfer-encoding': 'chunked\r\nTransfer-Encoding: chunked' },
      ])
  const head = toHead({ ...draft, headers: { ...draft.headers, ...framing } })
  return Buffer.concat([head, ...parts, Buffer.from(last)])
}

function toHead({ method, target, headers }: Draft): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'), 'latin1')
}
