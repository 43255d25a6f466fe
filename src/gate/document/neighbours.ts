import { isRecord } from '../../values.ts'

type Node = Readonly<Record<string, unknown>>

/** The headers that tell of the end of a version. */
const HEADERS = new Set(['Deprecation', 'Sunset', 'Link'])

/**
 * A document without the deprecation and sunset of its operations. An older version is deprecated as a whole, which is nothing that
 * changed in the newer one.
 */
export function withoutLife(document: Node): Node {
  return { ...document, paths: eachMember(document['paths'], (item) => eachMember(item, withoutItsLife)) }
}

function withoutItsLife(operation: unknown): unknown {
  if (!isRecord(operation)) return operation
  const { deprecated: _deprecated, 'x-sunset': _sunset, responses, ...rest } = operation
  return { ...rest, responses: eachMember(responses, withoutHeaders) }
}

function withoutHeaders(response: unknown): unknown {
  if (!isRecord(response) || !isRecord(response['headers'])) return response
  const headers = Object.entries(response['headers']).filter(
    ([name, header]) => !HEADERS.has(name) || !refersTo(header, name),
  )
  return { ...response, headers: Object.fromEntries(headers) }
}

/** Whether a header is the one that Octavo documents, not one of the application. */
function refersTo(header: unknown, name: string): boolean {
  return isRecord(header) && header['$ref'] === `#/components/headers/${name}`
}

function eachMember(value: unknown, turn: (member: unknown) => unknown): unknown {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, turn(member)]))
    : value
}
