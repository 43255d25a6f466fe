import { isRecord, toRecord } from '../../base/values.ts'
import { UNRESOLVED, type Node, type ComparedSource } from '../document/source.ts'
import { toStableText } from '../json.ts'
import type { Side } from '../schema/keyword-rules.ts'
import type { ValueSet } from '../schema/shape.ts'
import {
  compareSchemas,
  type DifferentSchemas,
  type ComparedDocuments,
  type FoundDifference,
  type OperationDifference,
} from './compared-documents.ts'
import type { ComparedOperation } from '../document/read-operations.ts'

/** A media type of a body, with its schema. */
interface ComparedMedia {
  /** As written. */
  readonly name: string
  readonly node: Node
}

/** The differences in the media types of a body and their schemas. */
export function compareContent(
  base: Node,
  revision: Node,
  documents: ComparedDocuments,
  owner: Omit<DifferentSchemas, 'pair' | 'is' | 'place'>,
): readonly FoundDifference[] {
  const { side, at } = owner
  const before = mediaOf(base, documents.base)
  const after = mediaOf(revision, documents.revision)
  const name = side === 'request' ? 'request-body-media-type' : 'response-media-type'
  const differences: FoundDifference[] = []
  const used = new Set<string>()
  for (const [type, old] of before) {
    const partner = findMedia(type, after, side)
    if (partner === undefined)
      differences.push({
        rule: `${name}-removed`,
        at: [...at, old.name],
        values: { type: old.name },
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
        values: { type: now.name },
        base: base,
        revision: now.node,
      })
  return differences
}

/** Media types in lower case, without the charset. */
function mediaOf(body: Node, source: ComparedSource): ReadonlyMap<string, ComparedMedia> {
  const content = source.resolve(body['content'])
  const media = new Map<string, ComparedMedia>()
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
function isInMediaRange(type: string, range: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
}

/** Finds the counterpart of a media type: itself; in requests also a range around it, in responses also a type within it. */
function findMedia(
  type: string,
  among: ReadonlyMap<string, ComparedMedia>,
  side: Side,
): readonly [string, ComparedMedia] | undefined {
  const exact = among.get(type)
  if (exact !== undefined) return [type, exact]
  return [...among].find(([other]) =>
    side === 'request' ? isInMediaRange(type, other) : isInMediaRange(other, type),
  )
}

function compareMedia(
  old: ComparedMedia,
  now: ComparedMedia,
  documents: ComparedDocuments,
  owner: Omit<DifferentSchemas, 'pair' | 'is'>,
): readonly FoundDifference[] {
  const { side, at } = owner
  const { base, revision } = documents.sides[side]
  const differences: FoundDifference[] = []
  // streams: the schema of each item
  for (const key of ['schema', 'itemSchema'] as const) {
    const [schema, newSchema] = [old.node[key], now.node[key]]
    if (schema === undefined && newSchema === undefined) continue
    const own = key === 'schema' ? owner : { ...owner, at: [...at, '(item)'], origin: '' }
    differences.push(...compareSchemas(base(schema, old.node), revision(newSchema, now.node), own, documents))
  }
  const [members, newMembers] = [base(old.node['schema'], old.node), revision(now.node['schema'], now.node)]
  // the encoding of a part that came or went is no change of one
  const isKept = (name: string): boolean => hasMember(members, name) && hasMember(newMembers, name)
  const [encoding, newEncoding] = [old, now].map(({ node }) =>
    toStableText(
      Object.fromEntries(Object.entries(toRecord(node['encoding'])).filter(([name]) => isKept(name))),
    ),
  )
  if (encoding !== newEncoding) {
    differences.push({
      rule: `${side}-body-encoding-changed`,
      at,
      base: old.node,
      revision: now.node,
    })
  }
  return differences
}

function hasMember({ parts }: ValueSet, name: string): boolean {
  return parts.some((part) => part.kind === 'object' && part.properties.has(name))
}

/** The differences in the request bodies of two operations that belong together. */
export function compareRequestBody(
  base: ComparedOperation,
  revision: ComparedOperation,
  documents: ComparedDocuments,
  side: Side,
): readonly FoundDifference[] {
  const old = requestBodyIn(base, documents.base)
  const now = requestBodyIn(revision, documents.revision)
  if (old === undefined && now === undefined) return []
  if (old === UNRESOLVED || now === UNRESOLVED) return []
  if (old !== undefined && now !== undefined && documents.isSame(old, now)) return []
  const say = (rule: string): OperationDifference => ({
    rule: `request-body-${rule}`,
    at: ['requestBody'],
    base: old ?? base.place,
    revision: now ?? revision.place,
  })
  if (now === undefined) return [say('removed')]
  const isRequired = now['required'] === true
  if (old === undefined) return [isRequired ? say('added-required') : say('added-optional')]
  const differences: FoundDifference[] = []
  const wasRequired = old['required'] === true
  if (!wasRequired && isRequired) differences.push(say('became-required'))
  if (wasRequired && !isRequired) differences.push(say('became-optional'))
  return [
    ...differences,
    ...compareContent(old, now, documents, { side, at: ['requestBody'], origin: 'body' }),
  ]
}

function requestBodyIn({ node }: ComparedOperation, source: ComparedSource): Node | undefined {
  const body = source.resolve(node['requestBody'])
  return isRecord(body) ? body : undefined
}
