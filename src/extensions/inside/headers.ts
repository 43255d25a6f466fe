import type { FinishedResponse, HostResponse } from '../../http/http.ts'
import { addVary } from '../../server/pipeline/response-head.ts'

/** Stands for the response to a client that is gone, which an application need not write. */
export const GONE: HostResponse = { status: 499, headers: {}, body: null }

/** The headers of a response of another framework. */
export interface HostHeaders {
  readonly get: (name: string) => unknown
  readonly set: (name: string, value: string | string[]) => void
}

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
export function addHeaders(told: FinishedResponse['headers'], { get, set }: HostHeaders): void {
  for (const [name, value] of Object.entries(told)) {
    const own = get(name)
    const before = own === undefined || own === null ? undefined : [own].flat().map(String)
    if (before === undefined) set(name, value)
    else if (name === 'vary') {
      const target = { vary: before.join(', ') }
      addVary(target, [value].flat().join(', ').split(/, */))
      set(name, target.vary)
    } else if (LISTS.has(name)) set(name, [...before, ...[value].flat()])
  }
}
