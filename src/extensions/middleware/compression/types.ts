import type { FinishedResponse } from '../../../http/http.ts'

/**
 * Types that are neither text nor named after what they are written in, and that become much shorter. The package `compressible` is no
 * replacement: mime-db, which it loads, says yes to `application/octet-stream` and knows nothing of YAML and NDJSON.
 */
const COMPRESSIBLE: ReadonlySet<string> = new Set([
  'application/ecmascript',
  'application/graphql',
  'application/javascript',
  'application/json',
  'application/json-seq',
  'application/jsonl',
  'application/ndjson',
  'application/rtf',
  'application/sql',
  'application/toml',
  'application/vnd.ms-fontobject',
  'application/wasm',
  'application/x-javascript',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'application/x-yaml',
  'application/xml',
  'application/xml-dtd',
  'application/yaml',
  'font/collection',
  'font/otf',
  'font/ttf',
  'image/bmp',
  'image/vnd.microsoft.icon',
  'image/x-icon',
])

/**
 * Whether content of the type of a response becomes noticeably shorter. Not so `text/event-stream`: its events are small, and each
 * open stream would hold the memory of a compressor.
 */
export function isCompressible({ headers }: FinishedResponse): boolean {
  const [line] = [headers['content-type']].flat()
  if (line === undefined) return false
  const [first = ''] = line.split(';', 1)
  const type = first.trim().toLowerCase()
  if (type.startsWith('text/')) return type !== 'text/event-stream'
  return COMPRESSIBLE.has(type) || /\+(?:json|xml|yaml|text)$/.test(type)
}

/** Headers that hold for the bytes as they are. */
const OF_BYTES = ['content-encoding', 'content-digest', 'repr-digest', 'digest', 'content-md5']

/**
 * Whether the content of a response is to be sent as it is, to everybody: it is coded already, signed by a digest, or not to be
 * changed (RFC 9111 section 5.2.2.6).
 */
export function isFixed({ headers }: FinishedResponse): boolean {
  if (OF_BYTES.some((name) => headers[name] !== undefined)) return true
  const cache = headers['cache-control']
  return cache !== undefined && /(?:^|[\s,])no-transform(?:$|[\s,])/i.test([cache].flat().join(','))
}

/** Whether a response holds, or refuses, a part of a content (RFC 9110 section 14.4): the bytes that were asked for are those without coding. */
export function isPart({ status, headers }: FinishedResponse): boolean {
  return status === 206 || headers['content-range'] !== undefined
}
