import type { ServerResponse } from 'node:http'

import type { FinishedResponse, HostResponse } from '../../http/http.ts'
import { addVary } from '../../server/pipeline/response-head.ts'

/** Stands for the response to a client that is gone, which an application need not write. */
export const GONE: HostResponse = { status: 499, headers: {}, body: null }

/** The headers of a response by lower-case name. */
export function toHeaderRecord(
  headers: Readonly<Record<string, unknown>>,
): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    const [first = '', ...more] = [value ?? []].flat().map(String)
    if (value !== undefined) record[name] = Array.isArray(value) ? [first, ...more] : first
  }
  return record
}

/** Names whose values stand beside those of the application. */
const LISTS: ReadonlySet<string> = new Set(['link', 'set-cookie'])

/** Adds what Octavo tells to the response of an application. Headers that the application has set stay. */
export function addHeaders(
  told: FinishedResponse['headers'],
  get: (name: string) => unknown,
  set: (name: string, value: string | string[]) => unknown,
): void {
  for (const name in told) {
    const value = told[name] ?? ''
    const own = get(name)
    if (own === value) continue
    if (own === undefined || own === null) {
      set(name, value)
      continue
    }
    const [before, added] = [[own].flat().map(String), [value].flat()]
    if (name === 'vary') {
      const target = { vary: before.join(', ') }
      addVary(target, added.join(', ').split(/, */))
      set(name, target.vary)
    } else if (LISTS.has(name) && !before.join(', ').includes(added.join(', ')))
      set(name, [...before, ...added])
  }
}

/** Adds what Octavo tells to a response of Node, when the application writes its head. Resolves to the status. */
export function addHeadersLate(response: ServerResponse, told: FinishedResponse['headers']): Promise<number> {
  // called on its response only
  // oxlint-disable-next-line typescript/unbound-method
  const { writeHead } = response
  return new Promise((resolve) => {
    response.writeHead = (status: number, ...rest: readonly unknown[]) => {
      response.writeHead = writeHead
      setHeaders(response, rest.at(-1))
      addHeaders(
        told,
        (name) => response.getHeader(name),
        (name, value) => response.setHeader(name, value),
      )
      resolve(status)
      if (typeof rest[0] === 'string') response.statusMessage = rest[0]
      return response.writeHead(status)
    }
    response.once('close', () => resolve(response.statusCode))
  })
}

/** Sets the headers that `writeHead` was given: a record, or names and values in turn. */
export function setHeaders(response: ServerResponse, given: unknown): void {
  if (Array.isArray(given)) {
    const lines: readonly unknown[] = given.flat()
    for (let at = 0; at < lines.length; at += 2) response.removeHeader(String(lines[at]))
    for (let at = 0; at + 1 < lines.length; at += 2)
      response.appendHeader(String(lines[at]), toValue(lines[at + 1]))
  } else if (typeof given === 'object' && given !== null) {
    for (const [name, value] of Object.entries(given))
      if (value !== undefined) response.setHeader(name, toValue(value))
  }
}

function toValue(value: unknown): string | readonly string[] {
  return Array.isArray(value) ? value.map(String) : String(value)
}
