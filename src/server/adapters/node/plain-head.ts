import { STATUS_CODES } from 'node:http'

import type { FinishedResponse } from '../../../http.ts'

/** Whether a response has no body whatever its headers say (RFC 9112 section 6.3). */
export function isBodyless(status: number, method: string | undefined): boolean {
  return status === 204 || status === 304 || method === 'HEAD'
}

/** The phrase that node:http gives a status. */
export function phraseOf(status: number): string {
  return STATUS_CODES[status] ?? 'unknown'
}

/** The status lines that were needed so far. */
const STATUS_LINES: (string | undefined)[] = []

/** The first line of a response. */
export function statusLine(status: number): string {
  return (STATUS_LINES[status] ??= `HTTP/1.1 ${status} ${phraseOf(status)}\r\n`)
}

/** What says how a message is sent, which is more than a head of lines. */
const OF_CONNECTION = new Set('connection date keep-alive trailer transfer-encoding upgrade'.split(' '))

/** The status line and the headers, which were checked before, or `undefined` if some of them say how the message is sent. */
export function toPlainHead(status: number, headers: FinishedResponse['headers']): string | undefined {
  let head = statusLine(status)
  for (const name of Object.keys(headers)) {
    if (OF_CONNECTION.has(name)) return undefined
    const value = headers[name] ?? ''
    if (typeof value === 'string') head += `${name}: ${value}\r\n`
    else for (const line of value) head += `${name}: ${line}\r\n`
  }
  return head
}
