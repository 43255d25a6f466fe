import { editDistance } from '../../base/edit-distance.ts'
import { isRecord, isString } from '../../base/values.ts'
import type { Operation, Parameter } from '../document/operations.ts'
import type { Source } from '../document/source.ts'
import type { MessageValues } from '../schema/aspects.ts'
import type { Reader } from '../schema/keyword-rules.ts'
import { isAny, type ValueSet } from '../schema/shape.ts'
import { compareSchemas, type Difference, type Documents, type Found } from './context.ts'
import { isCompound, isInOnWire } from './wire.ts'

/** The differences in parameters of two operations that belong together. */
export function compareParameters(
  base: Operation,
  revision: Operation,
  documents: Documents,
): readonly Found[] {
  const before = new Map(base.parameters.map((parameter) => [parameter.key, parameter]))
  const after = new Map(revision.parameters.map((parameter) => [parameter.key, parameter]))
  const gone = base.parameters.filter(({ key }) => !after.has(key))
  const come = new Set(revision.parameters.filter(({ key }) => !before.has(key)))
  const found: Found[] = []
  for (const [key, old] of before) {
    const now = after.get(key)
    if (now !== undefined) found.push(...compareTwo(old, now, documents))
  }
  const left: Parameter[] = []
  for (const old of gone) {
    const moved = [...come].find(({ name, in: place }) => name === old.name && place !== old.in)
    if (moved === undefined) left.push(old)
    else {
      come.delete(moved)
      found.push(toMoved(old, moved))
    }
  }
  for (const old of left) {
    const now = findRenamed(old, left, [...come], documents)
    if (now === undefined) found.push(toRemoved(old, revision, documents))
    else {
      come.delete(now)
      found.push(toRenamed(old, now))
    }
  }
  // the path is the same: a parameter that was not described is described
  for (const now of come) if (now.in !== 'path') found.push(toAdded(now, base))
  return found
}

const at = ({ in: place, name }: Parameter): readonly string[] => ['parameters', place, name]

function isRequired({ in: place, node }: Parameter): boolean {
  return place === 'path' || node['required'] === true
}

/** The place of a difference between two parameters. */
function placeOf(old: Parameter, now: Parameter): Omit<Difference, 'rule'> {
  return { at: at(old), base: old.node, revision: now.node }
}

function toRemoved(old: Parameter, owner: Operation, { strictness }: Documents): Difference {
  const sunset = isString(old.node['x-sunset']) ? Date.parse(old.node['x-sunset']) : Number.NaN
  const isDeprecated = old.node['deprecated'] === true
  const isEarly = isDeprecated && sunset > strictness.now
  const suffix = isEarly ? '-before-sunset' : '-with-deprecation'
  return {
    rule: `request-parameter-removed${isDeprecated ? suffix : ''}`,
    at: at(old),
    values: { what: 'parameter' },
    base: old.node,
    revision: owner.place,
  }
}

function toMoved(old: Parameter, now: Parameter): Difference {
  const values = { was: old.in, now: now.in }
  return { ...placeOf(old, now), rule: 'request-parameter-location-changed', values }
}

/** The parameter of the query that another one probably became: of the same values, and the only one or one of a similar name. */
function findRenamed(
  old: Parameter,
  gone: readonly Parameter[],
  come: readonly Parameter[],
  documents: Documents,
): Parameter | undefined {
  if (old.in !== 'query' || old.node['deprecated'] === true) return undefined
  const { base, revision, comparing } = documents.sides.request
  const shape = toShape(old, documents.base, base)
  const isAlike = (now: Parameter): boolean => {
    const other = toShape(now, documents.revision, revision)
    return (
      comparing.inclusion.isIn(shape, other) === 'yes' && comparing.inclusion.isIn(other, shape) === 'yes'
    )
  }
  const others = come.filter((now) => now.in === 'query' && isAlike(now))
  const [only] = others
  if (others.length === 1 && gone.filter(({ in: place }) => place === 'query').length === 1) return only
  const near = others
    .map((now) => ({ now, edits: editDistance(plain(old.name), plain(now.name)) }))
    .toSorted((one, other) => one.edits - other.edits)[0]
  return near !== undefined && near.edits <= old.name.length / 3 ? near.now : undefined
}

/** A name without its way of writing: `userId` and `user_id` are one. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '')
}

function toRenamed(old: Parameter, now: Parameter): Difference {
  return { ...placeOf(old, now), rule: 'request-parameter-renamed', values: { now: now.name } }
}

function toAdded(now: Parameter, owner: Operation): Difference {
  const kind = isRequired(now) ? 'required' : 'optional'
  return {
    rule: `new-${kind}-request-parameter`,
    at: at(now),
    values: { what: 'parameter' },
    base: owner.place,
    revision: now.node,
  }
}

function compareTwo(old: Parameter, now: Parameter, documents: Documents): readonly Found[] {
  if (old.name === now.name && documents.isSame(old.node, now.node)) return []
  const { base, revision } = documents
  const readers = documents.sides.request
  const [shape, newShape] = [toShape(old, base, readers.base), toShape(now, revision, readers.revision)]
  // each version asks for itself
  if (isOfVersion(shape, newShape, documents)) return []
  const say: Say = (rule, values) => ({
    ...placeOf(old, now),
    rule,
    values: { it: 'the parameter', ...values },
  })
  const found = [...toFlagDifferences(old, now, say), ...toStyleDifferences(old, now, [shape, newShape], say)]
  const owner = { side: 'request', place: 'parameter', at: at(old) } as const
  const different = compareSchemas(shape, newShape, owner, documents)
  const { isIn } = readers.comparing.inclusion
  if (different.length === 0 || isIn(shape, newShape) === 'yes' || isRecord(old.node['content']))
    return [...found, ...different]
  if (!isInOnWire(shape, newShape, isIn)) return [...found, ...different]
  const isSame = isInOnWire(newShape, shape, isIn)
  return isSame
    ? found
    : [...found, say('request-parameter-type-generalized', { change: 'more values are accepted' })]
}

/** Creates a difference of the parameter that is compared. */
type Say = (rule: string, values?: MessageValues) => Difference

function toFlagDifferences(old: Parameter, now: Parameter, say: Say): readonly Difference[] {
  const differences: Difference[] = []
  if (!isRequired(old) && isRequired(now)) differences.push(say('request-parameter-became-required'))
  if (isRequired(old) && !isRequired(now)) differences.push(say('request-parameter-became-optional'))
  const [was, is] = [old.node['deprecated'] === true, now.node['deprecated'] === true]
  if (!was && is) differences.push(say('request-parameter-deprecated'))
  if (was && !is) differences.push(say('request-parameter-reactivated'))
  return differences
}

/** Styles that show in any value, not in lists and objects alone. */
const SHOWN = /^(?:matrix|label)|\//

function toStyleDifferences(
  old: Parameter,
  now: Parameter,
  shapes: readonly ValueSet[],
  say: Say,
): readonly Difference[] {
  const [was, is] = [styleOf(old), styleOf(now)]
  if (was === is || !(shapes.every(isCompound) || SHOWN.test(was) || SHOWN.test(is))) return []
  return [say('request-parameter-serialization-changed', { was, now: is })]
}

/** Whether the only value of both is the version of the document. */
function isOfVersion(old: ValueSet, now: ValueSet, { base, revision }: Documents): boolean {
  const [was, is] = [onlyText(old), onlyText(now)]
  return was !== undefined && is !== undefined && base.withoutVersion(was) === revision.withoutVersion(is)
}

function onlyText({ parts }: ValueSet): string | undefined {
  const [part] = parts
  return parts.length === 1 && part?.kind === 'value' && isString(part.value) ? part.value : undefined
}

/** The schema of a parameter, or of its content. */
function toShape({ in: place, node }: Parameter, source: Source, read: Reader): ValueSet {
  const content = source.resolve(node['content'])
  const media = isRecord(content) ? source.resolve(Object.values(content)[0]) : node
  const shape = isRecord(media) ? read(media['schema'], media) : read(undefined, node)
  return place === 'path' && !isAny(shape) ? withoutEmpty(shape) : shape
}

/** A parameter of a path is never empty, so schemas may say so or not. */
function withoutEmpty({ schema: _schema, ...shape }: ValueSet): ValueSet {
  const parts = shape.parts.map((part) =>
    part.kind === 'string' ? { ...part, minLength: Math.max(part.minLength, 1) } : part,
  )
  return { ...shape, parts }
}

/** How a list or object is written (OpenAPI, Style Values). */
function styleOf({ in: place, node }: Parameter): string {
  if (isRecord(node['content'])) return Object.keys(node['content'])[0] ?? 'content'
  const style = node['style'] ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const explode = node['explode'] ?? style === 'form'
  return `${typeof style === 'string' ? style : 'form'}${explode === true ? ', exploded' : ''}`
}
