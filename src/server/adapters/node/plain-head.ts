import { STATUS_CODES } from 'node:http'

import type { FinishedResponse } from '../../../http/http.ts'

/** Whether a response has no body whatever its headers say (RFC 9112 section 6.3). */
export function isSentWithoutBody(status: number, method: string | undefined): boolean {
  return status === 204 || status === 304 || method === 'HEAD'
}

/** The phrase that node:http gives a status. */
export function nodePhrase(status: number): string {
  return STATUS_CODES[status] ?? 'unknown'
}

/** The status lines that were needed so far. */
const STATUS_LINES: (string | undefined)[] = []

/** The first line of a response. */
export function statusLine(status: number): string {
  return (STATUS_LINES[status] ??= `HTTP/1.1 ${status} ${nodePhrase(status)}\r\n`)
}

/** Bytes that Node writes as a text without memory of its own, less room for a head. */
const SHORT = 12_288

/**
 * A body as a text in Latin-1, which goes out in one piece with its head: `undefined` for one that is too long, or a text that is not ASCII,
 * which has more bytes than characters.
 */
export function shortBodyText(body: string | Uint8Array, bytes: number): string | undefined {
  if (typeof body === 'string') return body.length === bytes ? body : undefined
  return body.length <= SHORT && Buffer.isBuffer(body) ? body.toString('latin1') : undefined
}

/** Headers that say how a message is sent, which is more than a head of lines. */
const OF_CONNECTION = new Set('connection date keep-alive trailer transfer-encoding upgrade'.split(' '))

/** The lines of headers with their first values: most headers have the same value in every response. */
const LINES = new Map<string, { readonly value: string; readonly line: string }>()
const MAX_LINES = 50

/** The status line and the headers, which were checked before, or `undefined` if some of them say how the message is sent. */
export function toPlainHead(status: number, headers: FinishedResponse['headers']): string | undefined {
  let head = statusLine(status)
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? ''
    const known = LINES.get(name)
    if (known !== undefined && known.value === value) head += known.line
    else if (known === undefined && OF_CONNECTION.has(name)) return undefined
    else if (typeof value !== 'string') for (const line of value) head += `${name}: ${line}\r\n`
    else {
      const line = `${name}: ${value}\r\n`
      if (known === undefined && LINES.size < MAX_LINES) LINES.set(name, { value, line })
      head += line
    }
  }
  return head
}
