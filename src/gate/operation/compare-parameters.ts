import { editDistance } from '../../base/edit-distance.ts'
import { isRecord, isString } from '../../base/values.ts'
import type { ComparedOperation, ComparedParameter } from '../document/read-operations.ts'
import type { ComparedSource } from '../document/source.ts'
import type { MessageValues } from '../schema/schema-rules.ts'
import type { ReadSchema } from '../schema/keyword-rules.ts'
import { isAny, type ValueSet } from '../schema/shape.ts'
import {
  compareSchemas,
  type OperationDifference,
  type ComparedDocuments,
  type FoundDifference,
} from './compared-documents.ts'
import { isCompound, isInOnWire } from './wire-values.ts'

/** The differences in parameters of two operations that belong together. */
export function compareParameters(
  base: ComparedOperation,
  revision: ComparedOperation,
  documents: ComparedDocuments,
): readonly FoundDifference[] {
  const before = new Map(base.parameters.map((parameter) => [parameter.key, parameter]))
  const after = new Map(revision.parameters.map((parameter) => [parameter.key, parameter]))
  const gone = base.parameters.filter(({ key }) => !after.has(key))
  const come = new Set(revision.parameters.filter(({ key }) => !before.has(key)))
  const found: FoundDifference[] = []
  for (const [key, old] of before) {
    const now = after.get(key)
    if (now !== undefined) found.push(...compareParameter(old, now, documents))
  }
  const left: ComparedParameter[] = []
  for (const old of gone) {
    const moved = [...come].find(({ name, in: place }) => name === old.name && place !== old.in)
    if (moved === undefined) left.push(old)
    else {
      come.delete(moved)
      const values = { was: old.in, now: moved.in }
      found.push({ ...placeOfBoth(old, moved), rule: 'request-parameter-location-changed', values })
    }
  }
  for (const old of left) {
    const now = findRenamed(old, left, [...come], documents)
    if (now === undefined) found.push(removedParameter(old, revision, documents))
    else {
      come.delete(now)
      found.push({ ...placeOfBoth(old, now), rule: 'request-parameter-renamed', values: { now: now.name } })
    }
  }
  // the path is the same: a parameter that was not described is described
  for (const now of come) if (now.in !== 'path') found.push(addedParameter(now, base))
  return found
}

const at = ({ in: place, name }: ComparedParameter): readonly string[] => ['parameters', place, name]

function isRequiredParameter({ in: place, node }: ComparedParameter): boolean {
  return place === 'path' || node['required'] === true
}

/** The place of a difference between two parameters. */
function placeOfBoth(old: ComparedParameter, now: ComparedParameter): Omit<OperationDifference, 'rule'> {
  return { at: at(old), base: old.node, revision: now.node }
}

function removedParameter(
  old: ComparedParameter,
  owner: ComparedOperation,
  { strictness }: ComparedDocuments,
): OperationDifference {
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

/** The parameter of the query that another one probably became: of the same values, and the only one or one of a similar name. */
function findRenamed(
  old: ComparedParameter,
  gone: readonly ComparedParameter[],
  come: readonly ComparedParameter[],
  documents: ComparedDocuments,
): ComparedParameter | undefined {
  if (old.in !== 'query' || old.node['deprecated'] === true) return undefined
  const { base, revision, comparing } = documents.sides.request
  const shape = parameterShape(old, documents.base, base)
  const isAlike = (now: ComparedParameter): boolean => {
    const other = parameterShape(now, documents.revision, revision)
    return (
      comparing.inclusion.isIn(shape, other) === 'yes' && comparing.inclusion.isIn(other, shape) === 'yes'
    )
  }
  const others = come.filter((now) => now.in === 'query' && isAlike(now))
  const [only] = others
  if (others.length === 1 && gone.filter(({ in: place }) => place === 'query').length === 1) return only
  const near = others
    .map((now) => ({ now, edits: editDistance(plainParameterName(old.name), plainParameterName(now.name)) }))
    .toSorted((one, other) => one.edits - other.edits)[0]
  return near !== undefined && near.edits <= old.name.length / 3 ? near.now : undefined
}

/** A name without its way of writing: `userId` and `user_id` are one. */
function plainParameterName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '')
}

function addedParameter(now: ComparedParameter, owner: ComparedOperation): OperationDifference {
  const kind = isRequiredParameter(now) ? 'required' : 'optional'
  return {
    rule: `new-${kind}-request-parameter`,
    at: at(now),
    values: { what: 'parameter' },
    base: owner.place,
    revision: now.node,
  }
}

function compareParameter(
  old: ComparedParameter,
  now: ComparedParameter,
  documents: ComparedDocuments,
): readonly FoundDifference[] {
  if (old.name === now.name && documents.isSame(old.node, now.node)) return []
  const { base, revision } = documents
  const readers = documents.sides.request
  const [shape, newShape] = [
    parameterShape(old, base, readers.base),
    parameterShape(now, revision, readers.revision),
  ]
  // each version asks for itself
  const [was, is] = [onlyText(shape), onlyText(newShape)]
  const isOfVersion =
    was !== undefined && is !== undefined && base.withoutVersion(was) === revision.withoutVersion(is)
  if (isOfVersion) return []
  const say: SayParameter = (rule, values) => ({
    ...placeOfBoth(old, now),
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
type SayParameter = (rule: string, values?: MessageValues) => OperationDifference

function toFlagDifferences(
  old: ComparedParameter,
  now: ComparedParameter,
  say: SayParameter,
): readonly OperationDifference[] {
  const differences: OperationDifference[] = []
  if (!isRequiredParameter(old) && isRequiredParameter(now))
    differences.push(say('request-parameter-became-required'))
  if (isRequiredParameter(old) && !isRequiredParameter(now))
    differences.push(say('request-parameter-became-optional'))
  const [was, is] = [old.node['deprecated'] === true, now.node['deprecated'] === true]
  if (!was && is) differences.push(say('request-parameter-deprecated'))
  if (was && !is) differences.push(say('request-parameter-reactivated'))
  return differences
}

/** Styles that show in any value, not in lists and objects alone. */
const SHOWN = /^(?:matrix|label)|\//

function toStyleDifferences(
  old: ComparedParameter,
  now: ComparedParameter,
  shapes: readonly ValueSet[],
  say: SayParameter,
): readonly OperationDifference[] {
  const [was, is] = [styleOf(old), styleOf(now)]
  if (was === is || !(shapes.every(isCompound) || SHOWN.test(was) || SHOWN.test(is))) return []
  return [say('request-parameter-serialization-changed', { was, now: is })]
}

function onlyText({ parts }: ValueSet): string | undefined {
  const [part] = parts
  return parts.length === 1 && part?.kind === 'value' && isString(part.value) ? part.value : undefined
}

/** The schema of a parameter, or of its content. */
function parameterShape(
  { in: place, node }: ComparedParameter,
  source: ComparedSource,
  read: ReadSchema,
): ValueSet {
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
function styleOf({ in: place, node }: ComparedParameter): string {
  if (isRecord(node['content'])) return Object.keys(node['content'])[0] ?? 'content'
  const style = node['style'] ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const explode = node['explode'] ?? style === 'form'
  return `${typeof style === 'string' ? style : 'form'}${explode === true ? ', exploded' : ''}`
}
