import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

import type { HostRequest } from '../../http/http.ts'

/** Has a request of Node be another one, for the code that comes next. */
export function replaceRequest(request: IncomingMessage, { method, path, headers, body }: HostRequest): void {
  const lines = body === undefined ? [...headers] : withLength(headers, body)
  request.method = method
  request.url = path
  request.rawHeaders = lines
  const record: Record<string, string | string[]> = {}
  for (let at = 0; at + 1 < lines.length; at += 2) addLine(record, lines[at] ?? '', lines[at + 1] ?? '')
  request.headers = record
  if (body === undefined) return
  // a stream that has ended cannot begin again, and its listeners have read all of its body
  request.removeAllListeners('data').removeAllListeners('end')
  Readable.call(request, { read: () => undefined })
  if (body !== null && body.length > 0) request.push(body)
  request.push(null)
}

function withLength(headers: readonly string[], body: Uint8Array | null): string[] {
  const lines = headers.flatMap((name, at) =>
    at % 2 === 0 && !['content-length', 'transfer-encoding', 'content-encoding'].includes(name)
      ? [name, headers[at + 1] ?? '']
      : [],
  )
  if (body !== null) lines.push('content-length', String(body.length))
  return lines
}

function addLine(record: Record<string, string | string[]>, name: string, value: string): void {
  const before = record[name]
  if (before === undefined) record[name] = name === 'set-cookie' ? [value] : value
  else if (Array.isArray(before)) before.push(value)
  else record[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`
}
