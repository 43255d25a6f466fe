import { isRecord, isString } from '../../base/values.ts'
import type { Operation, Parameter } from '../document/operations.ts'
import type { Source } from '../document/source.ts'
import type { Level } from '../finding.ts'
import type { Reader, Side } from '../schema/read.ts'
import { isAny } from '../schema/shape.ts'
import type { ValueSet } from '../schema/shape.ts'
import { toDifferences } from './context.ts'
import type { Difference, Documents } from './context.ts'

/** The differences in parameters of two operations that belong together. */
export function compareParameters(
  base: Operation,
  revision: Operation,
  documents: Documents,
  side: Side,
): readonly Difference[] {
  const after = new Map(revision.parameters.map((parameter) => [parameter.key, parameter]))
  const before = new Map(base.parameters.map((parameter) => [parameter.key, parameter]))
  const differences: Difference[] = []
  for (const old of base.parameters) {
    const now = after.get(old.key)
    if (now !== undefined) differences.push(...compareTwo(old, now, documents, side))
    else {
      const moved = revision.parameters.find(
        ({ name, key, in: place }) => name === old.name && place !== old.in && !before.has(key),
      )
      differences.push(
        moved === undefined ? toRemoved(old, revision, documents) : toMoved(old, moved, documents),
      )
    }
  }
  for (const now of revision.parameters) {
    const isMoved = base.parameters.some(({ name, key }) => name === now.name && !after.has(key))
    // the path is the same: a parameter that was not described is described
    if (!before.has(now.key) && !isMoved && now.in !== 'path') differences.push(toAdded(now, base, documents))
  }
  return side === 'request'
    ? differences
    : differences.map((one) => ({ ...one, level: one.level === 'breaking' ? 'warning' : one.level }))
}

const at = ({ in: place, name }: Parameter): readonly string[] => ['parameters', place, name]

function isRequired({ in: place, node }: Parameter): boolean {
  return place === 'path' || node['required'] === true
}

function toRemoved(old: Parameter, owner: Operation, { base, strictness }: Documents): Difference {
  const sunset = toTime(old.node['x-sunset'])
  const isDeprecated = old.node['deprecated'] === true
  const isEarly = isDeprecated && sunset > strictness.now
  const late = isDeprecated
    ? ({ rule: 'request-parameter-removed-with-deprecation', level: 'info' } as const)
    : ({ rule: 'request-parameter-removed', level: 'warning' } as const)
  return {
    ...(isEarly ? { rule: 'request-parameter-removed-before-sunset', level: 'breaking' } : late),
    at: at(old),
    message: isEarly ? 'the parameter was removed before its sunset' : 'the parameter was removed',
    base: base.pointerOf(old.node),
    revision: owner.pointer,
  }
}

function toTime(value: unknown): number {
  return isString(value) ? Date.parse(value) : Number.NaN
}

function toMoved(old: Parameter, now: Parameter, { base, revision }: Documents): Difference {
  return {
    rule: 'request-parameter-location-changed',
    level: 'breaking',
    at: at(old),
    message: `the parameter moved from ${old.in} to ${now.in}`,
    base: base.pointerOf(old.node),
    revision: revision.pointerOf(now.node),
  }
}

function toAdded(now: Parameter, owner: Operation, { revision }: Documents): Difference {
  const [rule, level, message]: readonly [string, Level, string] = isRequired(now)
    ? ['new-required-request-parameter', 'breaking', 'a required parameter was added']
    : ['new-optional-request-parameter', 'info', 'an optional parameter was added']
  return { rule, level, at: at(now), message, base: owner.pointer, revision: revision.pointerOf(now.node) }
}

function compareTwo(old: Parameter, now: Parameter, documents: Documents, side: Side): readonly Difference[] {
  if (old.name === now.name && documents.isSame(old.node, now.node)) return []
  const { base, revision } = documents
  const readers = documents.sides[side]
  const [shape, newShape] = [toShape(old, base, readers.base), toShape(now, revision, readers.revision)]
  // each version asks for itself
  if (isOfVersion(shape, newShape, documents)) return []
  const say: Say = (rule, level, message) => ({
    rule,
    level,
    at: at(old),
    message,
    base: base.pointerOf(old.node),
    revision: revision.pointerOf(now.node),
  })
  const differences = [
    ...toFlagDifferences(old, now, say),
    ...toStyleDifferences(old, now, [shape, newShape], say),
  ]
  // outside of JSON everything is text: what takes any text takes numbers, too
  const isWider = isScalar(shape) && !isPlainText(shape) && isPlainText(newShape)
  if (isWider)
    return [...differences, say('request-parameter-type-generalized', 'info', 'any text is accepted')]
  return [
    ...differences,
    ...toDifferences(readers.comparing.compare(shape, newShape), {
      side,
      place: 'parameter',
      at: at(old),
      documents,
    }),
  ]
}

/** Creates a difference of the parameter that is compared. */
type Say = (rule: string, level: Level, message: string) => Difference

function toFlagDifferences(old: Parameter, now: Parameter, say: Say): readonly Difference[] {
  const differences: Difference[] = []
  if (!isRequired(old) && isRequired(now))
    differences.push(say('request-parameter-became-required', 'breaking', 'the parameter became required'))
  if (isRequired(old) && !isRequired(now))
    differences.push(say('request-parameter-became-optional', 'info', 'the parameter became optional'))
  const [was, is] = [old.node['deprecated'] === true, now.node['deprecated'] === true]
  if (!was && is) differences.push(say('request-parameter-deprecated', 'info', 'the parameter is deprecated'))
  if (was && !is)
    differences.push(say('request-parameter-reactivated', 'info', 'the parameter is no longer deprecated'))
  return differences
}

/** How lists and objects are written is no matter for anything else. */
function toStyleDifferences(
  old: Parameter,
  now: Parameter,
  shapes: readonly ValueSet[],
  say: Say,
): readonly Difference[] {
  const [was, is] = [styleOf(old), styleOf(now)]
  if (was === is || !shapes.every(isCompound)) return []
  const message = `the style of the parameter was ${was} and is ${is}`
  return [say('request-parameter-serialization-changed', 'breaking', message)]
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

function isScalar(shape: ValueSet): boolean {
  return !isAny(shape) && !isCompound(shape)
}

/** The schema of a parameter, or of its content. */
function toShape({ node }: Parameter, source: Source, read: Reader): ValueSet {
  const content = source.resolve(node['content'])
  if (!isRecord(content)) return read(node['schema'])
  const media = source.resolve(Object.values(content)[0])
  return read(isRecord(media) ? media['schema'] : undefined)
}

function isCompound({ parts }: ValueSet): boolean {
  return parts.some(({ kind }) => kind === 'array' || kind === 'object')
}

/** How a list or object is written (OpenAPI, Style Values). */
function styleOf({ in: place, node }: Parameter): string {
  if (isRecord(node['content'])) return Object.keys(node['content'])[0] ?? 'content'
  const style = node['style'] ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const explode = node['explode'] ?? style === 'form'
  return `${typeof style === 'string' ? style : 'form'}${explode === true ? ', exploded' : ''}`
}

function isPlainText({ parts }: ValueSet): boolean {
  return parts.some(
    (part) =>
      part.kind === 'string' &&
      part.minLength <= 1 &&
      part.maxLength === Number.POSITIVE_INFINITY &&
      part.patterns.length + part.formats.length === 0,
  )
}
