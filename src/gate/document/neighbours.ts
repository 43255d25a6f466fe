import { isRecord } from '../../base/values.ts'

type Node = Readonly<Record<string, unknown>>

/** The headers that tell of the end of a version. */
const HEADERS = new Set(['Deprecation', 'Sunset', 'Link'])

/** A version of an application, with its document. */
interface VersionDocument {
  readonly version: string
  readonly document: unknown
}

/**
 * The documents of two versions of an application, as they are compared. Each is marked with its version, because applications may give
 * another one, and without deprecation and sunset if one of the versions has them: that is nothing that changed between them.
 */
export function toNeighbours(older: VersionDocument, newer: VersionDocument): readonly [Node, Node] {
  const isAboutLife = [older, newer].some(({ document }) => hasLife(document))
  const prepare = ({ version, document }: VersionDocument): Node => {
    const own = { ...toNode(document), info: { ...toNode(toNode(document)['info']), version } }
    return isAboutLife ? withoutLife(own) : own
  }
  return [prepare(older), prepare(newer)]
}

function toNode(value: unknown): Node {
  return isRecord(value) ? value : {}
}

/** Whether the version of a document is deprecated or has a sunset. */
function hasLife(document: unknown): boolean {
  const { deprecated, sunset } = {
    deprecated: undefined,
    sunset: undefined,
    ...toNode(toNode(document)['x-api-versioning']),
  }
  return deprecated !== undefined || sunset !== undefined
}

function withoutLife(document: Node): Node {
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
