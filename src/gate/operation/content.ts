import { isRecord } from '../../base/values.ts'
import type { Node, Source } from '../document/source.ts'
import { toStableText } from '../json.ts'
import type { Side } from '../schema/keyword-rules.ts'
import { compareSchemas, type DifferentSchemas, type Documents, type Found } from './context.ts'

/** A media type of a body, with its schema. */
interface Media {
  /** As written. */
  readonly name: string
  readonly node: Node
}

/** The differences in the media types of a body and their schemas. */
export function compareContent(
  base: Node,
  revision: Node,
  documents: Documents,
  owner: Omit<DifferentSchemas, 'pair' | 'is' | 'place'>,
): readonly Found[] {
  const { side, at } = owner
  const before = mediaOf(base, documents.base)
  const after = mediaOf(revision, documents.revision)
  const name = side === 'request' ? 'request-body-media-type' : 'response-media-type'
  const differences: Found[] = []
  const used = new Set<string>()
  for (const [type, old] of before) {
    const partner = findMedia(type, after, side)
    if (partner === undefined)
      differences.push({
        rule: `${name}-removed`,
        at: [...at, old.name],
        message: `the media type ${old.name} was removed`,
        base: old.node,
        revision: revision,
      })
    else {
      used.add(partner[0])
      differences.push(
        ...compareMedia(old, partner[1], documents, { ...owner, place: 'body', at: [...at, old.name] }),
      )
    }
  }
  for (const [type, now] of after)
    if (!before.has(type) && !used.has(type))
      differences.push({
        rule: `${name}-added`,
        at: [...at, now.name],
        message: `the media type ${now.name} was added`,
        base: base,
        revision: now.node,
      })
  return differences
}

/** Media types in lower case, without the charset. */
function mediaOf(body: Node, source: Source): ReadonlyMap<string, Media> {
  const content = source.resolve(body['content'])
  const media = new Map<string, Media>()
  for (const [name, value] of Object.entries(isRecord(content) ? content : {})) {
    const node = source.resolve(value)
    const [type = '', ...parameters] = name
      .toLowerCase()
      .split(';')
      .map((part) => part.trim())
    const said = parameters.filter((parameter) => !parameter.startsWith('charset=')).toSorted()
    media.set(source.withoutVersion([type, ...said].join(';')), { name, node: isRecord(node) ? node : {} })
  }
  return media
}

/** Whether a media type is in a range (RFC 9110 section 12.5.1). */
function isIn(type: string, range: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
}

/** The same media type; in requests a range that has it, in responses one that a range has. */
function findMedia(
  type: string,
  among: ReadonlyMap<string, Media>,
  side: Side,
): readonly [string, Media] | undefined {
  const exact = among.get(type)
  if (exact !== undefined) return [type, exact]
  return [...among].find(([other]) => (side === 'request' ? isIn(type, other) : isIn(other, type)))
}

function compareMedia(
  old: Media,
  now: Media,
  documents: Documents,
  owner: Omit<DifferentSchemas, 'pair' | 'is'>,
): readonly Found[] {
  const { side, at } = owner
  const { base, revision } = documents.sides[side]
  const differences: Found[] = []
  // streams: the schema of each item
  for (const key of ['schema', 'itemSchema'] as const) {
    const [schema, newSchema] = [old.node[key], now.node[key]]
    if (schema === undefined && newSchema === undefined) continue
    const own = key === 'schema' ? owner : { ...owner, at: [...at, '(item)'], origin: '' }
    differences.push(...compareSchemas(base(schema, old.node), revision(newSchema, now.node), own, documents))
  }
  const [encoding, newEncoding] = [old.node['encoding'] ?? {}, now.node['encoding'] ?? {}]
  if (toStableText(encoding) !== toStableText(newEncoding)) {
    differences.push({
      rule: `${side}-body-encoding-changed`,
      at,
      message: 'the encoding of the parts changed',
      base: old.node,
      revision: now.node,
    })
  }
  return differences
}
