import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

import { mutate, ODD_BYTES, ODD_NUMBERS } from './mutate.ts'
import type { Random } from './random.ts'

/** A body with the headers that tell of it. */
export interface Body {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

const NAMES = [
  'name',
  'year',
  'tags',
  '__proto__',
  'constructor',
  'toString',
  '',
  'a b',
  '\u{1f697}',
] as const
const TEXTS = ['Ford', '', '\ud800', '\u0000', '\u2028', 'x'.repeat(70_000), '</script>', '{{7*7}}'] as const

/** The text of a JSON value: mostly valid, often strange. */
export function toJsonText(random: Random, depth = 0): string {
  const kind = random.below(depth > 4 ? 4 : 7)
  if (kind === 0) return random.pick(['true', 'false', 'null', 'undefined', 'NaN', ''])
  if (kind === 1) return random.pick(ODD_NUMBERS) || '1'
  if (kind <= 3) return JSON.stringify(random.pick(TEXTS))
  const length = random.below(5)
  const items = Array.from({ length }, () => toJsonText(random, depth + 1))
  if (kind === 4) return `[${items.join(',')}]`
  return `{${items.map((item) => `${JSON.stringify(random.pick(NAMES))}:${item}`).join(',')}}`
}

/** A body of JSON: what routes expect, values of all kinds, very deep ones, and texts that are none. */
export function createJson(random: Random): Body {
  const levels = random.pick([10, 499, 500, 501, 5_000, 60_000])
  const text = random.pick([
    () => JSON.stringify({ name: 'T', year: random.below(3000) }),
    () => JSON.stringify({ name: 'Ford', year: random.below(3000), tags: ['a', 'b'] }),
    () => toJsonText(random),
    () => '['.repeat(levels) + (random.chance(0.5) ? ']'.repeat(levels) : ''),
    () => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels),
  ])()
  const bytes = Buffer.from(text)
  const type = random.pick([
    'application/json',
    'application/json',
    'application/json',
    'application/json',
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=utf-16',
    'application/vnd.car+json',
    'text/json',
    '',
    'application/json; charset',
  ])
  return { headers: { 'content-type': type }, bytes: random.chance(0.3) ? mutate(bytes, random) : bytes }
}

/** A body of a form. */
export function createForm(random: Random): Body {
  const pair = (): string =>
    random.pick([
      () => `name=${random.pick(ODD_NUMBERS)}`,
      () => `year=${random.below(9999)}`,
      () => `${encodeURIComponent(random.pick(['a', 'b[]', '__proto__', '{}']))}=${random.pick(ODD_BYTES)}`,
      () => random.pick(['%', '%zz', '=', '&&', 'a', '+', 'tags=a&tags=b']),
    ])()
  const text = Array.from({ length: random.pick([0, 1, 3, 20, 1_001]) }, pair).join('&')
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, bytes: Buffer.from(text) }
}

const DISPOSITIONS = [
  'form-data; name="title"',
  'form-data; name="tags"',
  'form-data; name="tags"',
  'form-data; name="picture"; filename="car.png"',
  'form-data; name="picture"; filename="car.png"',
  'form-data; name="picture"; filename="car.png"',
  'form-data; name="file"; filename="one.txt"',
  'form-data; name="file"; filename="two.txt"',
  'form-data; name="file"; filename="../../etc/passwd"',
  'form-data; name="picture"; filename=""',
  'form-data; name="__proto__"',
  'form-data; name=""',
  'form-data',
  'attachment; name="title"',
  'form-data; name="picture"; filename*=UTF-8\'\'%ff%00.png',
  `form-data; name="${'n'.repeat(300)}"`,
  'form-data; name="title',
  'form-data; name=title; name="tags"',
] as const
const TYPES = [
  'image/png',
  'text/plain',
  'text/plain; charset=nope',
  'multipart/mixed; boundary=inner',
  '',
  ';',
] as const

/** A multipart body: parts that are expected, others that are not, and boundaries that are not what was said. */
export function createMultipart(random: Random): Body {
  const boundary = random.pick([
    'octavo',
    '----WebKitFormBoundary7MA4',
    'a'.repeat(70),
    'a b',
    "'()+_,-./:=?",
  ])
  const part = (): Buffer => {
    const content = random.pick([
      Buffer.from('A title'),
      Buffer.from(random.pick(ODD_NUMBERS)),
      random.bytes(random.pick([0, 1, 100, 3_000])),
      Buffer.alloc(70_000, 'x'),
      Buffer.from(`\r\n--${boundary}`),
      Buffer.from(`\r\n--${boundary.slice(0, -1)}\r\n`),
    ])
    const type = random.chance(0.5) ? `Content-Type: ${random.pick(TYPES)}\r\n` : ''
    const more = random.chance(0.1) ? `X-More: ${'y'.repeat(random.pick([10, 20_000]))}\r\n` : ''
    const head = `--${boundary}\r\nContent-Disposition: ${random.pick(DISPOSITIONS)}\r\n${type}${more}\r\n`
    return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')])
  }
  const parts = Array.from({ length: random.pick([0, 1, 2, 3, 3, 120]) }, part)
  const last = `--${boundary}--\r\n`
  const end = random.pick([last, last, last, last, `--${boundary}--`, `--${boundary}`, '', '--other--\r\n'])
  const bytes = Buffer.concat([...parts, Buffer.from(end)])
  const quoted = `multipart/form-data; boundary="${boundary}"`
  const type = random.pick([
    quoted,
    quoted,
    quoted,
    quoted,
    `multipart/form-data; boundary=${boundary}`,
    `multipart/form-data; boundary=${boundary}; boundary=other`,
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/mixed; boundary=octavo',
  ])
  return { headers: { 'content-type': type }, bytes: random.chance(0.3) ? mutate(bytes, random) : bytes }
}

const CODINGS = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, { params: { 1: 1 } }),
  identity: (bytes: Buffer) => bytes,
}
const CODING_NAMES = ['gzip', 'x-gzip', 'deflate', 'br', 'identity'] as const
const BOMB = gzipSync(Buffer.alloc(8 * 1024 * 1024))

/** A body with a content coding: right, twice, broken, another than was said, or one that grows a thousandfold. */
export function createCompressed(random: Random): Body {
  const plain = random.pick([createJson, createForm, createMultipart])(random)
  const name = random.pick(CODING_NAMES)
  const once = CODINGS[name](plain.bytes)
  const [coding, bytes] = random.pick<() => readonly [string, Buffer]>([
    () => [name, once],
    () => [name, mutate(once, random)],
    () => [`${name}, gzip`, gzipSync(once)],
    () => ['gzip', BOMB],
    () => ['gzip, gzip', gzipSync(BOMB)],
    () => ['deflate', deflateRawSync(plain.bytes)],
    () => [random.pick(['br', 'zstd', 'compress', 'nope', '', ',', 'gzip,'.repeat(50)]), once],
    () => [name, once.subarray(0, random.below(once.length + 1))],
    () => [name, Buffer.concat([once, random.bytes(20)])],
  ])()
  return { headers: { ...plain.headers, 'content-encoding': coding }, bytes }
}

/** A body of bytes that mean nothing. */
export function createBytes(random: Random): Body {
  const type = random.pick([
    'application/octet-stream',
    'text/plain',
    'text/plain; charset=utf-8',
    '\u00ff/x',
  ])
  return { headers: { 'content-type': type }, bytes: random.bytes(random.pick([0, 1, 1000, 20_000])) }
}
