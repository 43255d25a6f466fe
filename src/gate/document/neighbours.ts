import { isRecord } from '../../base/values.ts'

type DocumentNode = Readonly<Record<string, unknown>>

/** The headers that tell of the end of a version. */
const HEADERS = new Set(['Deprecation', 'Sunset', 'Link'])

/** A version of an application, with its document. */
interface VersionDocument {
  readonly version: string
  readonly document: unknown
}

/**
 * The documents of two versions of an application, as they are compared. Each is marked with its version, because applications may give
 * another one. The life of a whole version is left out, because it is nothing that changed between them: what is deprecated, ends or is
 * answered with 410 as its version is. Operations keep a sunset of their own, and the deprecation before it.
 */
export function toNeighbours(
  older: VersionDocument,
  newer: VersionDocument,
): readonly [DocumentNode, DocumentNode] {
  const lives = [older, newer].map(({ document }) => documentedDeprecation(document))
  const isAboutLife = lives.some(({ deprecated, sunset }) => deprecated !== undefined || sunset !== undefined)
  const days = new Set(lives.map(({ sunset }) => String(sunset).slice(0, 10)))
  const prepare = ({ version, document }: VersionDocument): DocumentNode => {
    const own = { ...nodeOrNone(document), info: { ...nodeOrNone(nodeOrNone(document)['info']), version } }
    return isAboutLife ? withoutLife(own, days) : own
  }
  return [prepare(older), prepare(newer)]
}

function nodeOrNone(value: unknown): DocumentNode {
  return isRecord(value) ? value : {}
}

/** Since when the version of a document is deprecated, and its sunset. */
export interface DocumentedDeprecation {
  readonly deprecated?: unknown
  readonly sunset?: unknown
}

/** Reads the life of a document's version. */
export function documentedDeprecation(document: unknown): DocumentedDeprecation {
  return nodeOrNone(nodeOrNone(document)['x-api-versioning'])
}

/** Returns two documents of one version without its life, which is compared as a whole. */
export function withoutLives(
  ...documents: readonly [unknown, unknown]
): readonly [DocumentNode, DocumentNode] {
  const days = new Set(
    documents.map((document) => String(documentedDeprecation(document).sunset).slice(0, 10)),
  )
  const [older, newer] = documents
  return [withoutLife(nodeOrNone(older), days), withoutLife(nodeOrNone(newer), days)]
}

/** `days` are the sunsets of both versions. */
function withoutLife(document: DocumentNode, days: ReadonlySet<unknown>): DocumentNode {
  const withoutItsLife = (operation: unknown): unknown => {
    if (!isRecord(operation)) return operation
    const { deprecated, 'x-sunset': sunset, responses, ...rest } = operation
    const isOwn = sunset !== undefined && !days.has(sunset)
    const own = isOwn ? { deprecated, 'x-sunset': sunset } : {}
    const others = Object.entries(nodeOrNone(responses)).filter(
      ([, response]) => !ENDS.has(nodeOrNone(response)['$ref']),
    )
    return { ...rest, ...own, responses: mapMembers(Object.fromEntries(others), withoutHeaders) }
  }
  return { ...document, paths: mapMembers(document['paths'], (item) => mapMembers(item, withoutItsLife)) }
}

/** The responses of versions that have ended. */
const ENDS: ReadonlySet<unknown> = new Set([
  '#/components/responses/RetiredVersion',
  '#/components/responses/VersionBrownout',
])

function withoutHeaders(response: unknown): unknown {
  if (!isRecord(response) || !isRecord(response['headers'])) return response
  // an application may have headers of its own by these names, which are no references
  const headers = Object.entries(response['headers']).filter(
    ([name, header]) => !HEADERS.has(name) || nodeOrNone(header)['$ref'] !== `#/components/headers/${name}`,
  )
  return { ...response, headers: Object.fromEntries(headers) }
}

function mapMembers(value: unknown, turn: (member: unknown) => unknown): unknown {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, turn(member)]))
    : value
}
