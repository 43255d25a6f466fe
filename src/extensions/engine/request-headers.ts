import type { HeaderMap } from '../../http/http.ts'
import { joinLines } from '../../server/request/header.ts'
import { isSingleInNode } from '../../server/adapters/shared/single-headers.ts'

/** How a request is framed, and what its client expects. */
export interface Framing {
  readonly host: string | undefined
  /** The length of the body, `undefined` if it is chunked. */
  readonly length: number | undefined
  /** The transfer codings, as they were sent. */
  readonly coding: string | undefined
  /** Whether the client waits to be told to send the body. */
  readonly awaitsContinue: boolean
  /** Whether the client expects something else. */
  readonly expectsMore: boolean
}

/** The headers as Node presents them: of some, the first line alone; of most, the lines joined. */
export function toHeaders(lines: readonly string[]): HeaderMap {
  // without prototype: `__proto__` is a name like any other
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = (lines[at] ?? '').toLowerCase()
    const value = lines[at + 1] ?? ''
    const before = headers[name]
    if (before === undefined) headers[name] = name === 'set-cookie' ? [value] : value
    else if (typeof before !== 'string') before.push(value)
    else if (!isSingleInNode(name)) headers[name] = joinLines(name, [before, value])
  }
  return headers
}

const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i

/** The headers that matter for framing. */
type Fields = Record<'host' | 'length' | 'coding' | 'expect', string | undefined>

/** Where they are, by the length of their names. A list, because every line of every request is looked up. */
const FIELDS: ({ readonly name: string; readonly key: keyof Fields } | undefined)[] = []
FIELDS[4] = { name: 'host', key: 'host' }
FIELDS[6] = { name: 'expect', key: 'expect' }
FIELDS[14] = { name: 'content-length', key: 'length' }
FIELDS[17] = { name: 'transfer-encoding', key: 'coding' }

/** Reads how a request is framed. The parser has found the same end of the body. */
export function readFraming(lines: readonly string[], minor: number): Framing {
  const fields: Fields = { host: undefined, length: undefined, coding: undefined, expect: undefined }
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = lines[at] ?? ''
    const field = FIELDS[name.length]
    if (field !== undefined && name.toLowerCase() === field.name)
      addLine(fields, field.key, lines[at + 1] ?? '')
  }
  const { host, length, coding, expect } = fields
  const isExpecting = expect !== undefined && minor === 1
  const awaitsContinue = isExpecting && CONTINUE.test(expect)
  return {
    host,
    length: coding === undefined ? Number(length ?? 0) : undefined,
    coding,
    awaitsContinue,
    expectsMore: isExpecting && !awaitsContinue,
  }
}

/** Of hosts and lengths the first line counts, and a second one is refused; lines of the others are joined. */
function addLine(fields: Fields, key: keyof Fields, value: string): void {
  const before = fields[key]
  if (before === undefined) fields[key] = value
  else if (key === 'coding' || key === 'expect') fields[key] = `${before}, ${value}`
}
