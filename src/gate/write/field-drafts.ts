import { isRecord, toRecord } from '../../base/values.ts'
import { toStableText } from '../json.ts'
import type { DescribedField, FieldDraft, KnownModel, Side } from './draft.ts'
import type { Owned } from './owners.ts'
import { toReplacements, type Replacement } from './replacements.ts'

/** A place where clients see a difference in a field. */
export interface DifferingField extends Owned {
  /** Whether it fails the check. */
  readonly isFailing: boolean
}

type NameSet = ReadonlySet<string>

/** Each pair of objects once. */
function distinctObjects(differing: readonly DifferingField[]): readonly DifferingField[] {
  const known = new Map<object, Set<object>>()
  return differing.filter(({ base, revision }) => {
    const partners = known.get(revision) ?? new Set()
    known.set(revision, partners)
    return !partners.has(base) && partners.add(base)
  })
}

/** Returns the earlier fields of a model, from the places where they differ. Fields that replaced others are together. */
export function toFieldDrafts(
  model: KnownModel,
  differing: readonly DifferingField[],
  isNoted = false,
): readonly (readonly FieldDraft[])[] {
  const known = new Set(model.fields.map(({ name }) => name))
  const objects = distinctObjects(differing)
  const failing = new Set(differing.filter(({ isFailing }) => isFailing).map(({ field }) => field))
  const names = (test: (was: NameSet, now: NameSet) => (name: string) => boolean): readonly string[] => [
    ...new Set(
      objects.flatMap(({ base, revision }) => {
        const [was, now] = [objectPropertyNames(base), objectPropertyNames(revision)]
        return [...was, ...now].filter(test(was, now))
      }),
    ),
  ]
  const removed = names((was, now) => (name) => was.has(name) && !now.has(name) && !known.has(name))
  const added = names((was, now) => (name) => now.has(name) && !was.has(name) && known.has(name))
  const retyped = [...failing].filter(
    (name) => known.has(name) && !added.includes(name) && !removed.includes(name),
  )
  const read = createRead(model, objects, isNoted)
  const replaced = toReplacements(removed, added, (was, now) => {
    const [old, fresh] = [read.was(was).schema, read.now(now).schema]
    return [...schemaIn(toRecord(old), now), ...schemaIn(toRecord(fresh), was)].length > 0
  })
  return [
    ...replaced.flatMap((each) => toReplacedDrafts(each, failing, read)),
    ...retyped.map((name): readonly FieldDraft[] => [
      { kind: 'retyped', name, was: read.was(name), now: read.now(name), sides: sidesOf(name, differing) },
    ]),
  ]
}

/** Fields that went and came: one that was renamed, fields that replaced others, or each by itself. */
function toReplacedDrafts(
  { gone, come }: Replacement,
  failing: NameSet,
  read: ReadField,
): readonly (readonly FieldDraft[])[] {
  if (![...gone, ...come].some((name) => failing.has(name))) return []
  const lost = gone.filter((name) => failing.has(name))
  // a field that came and is required may replace a field that went
  const made = come.filter((name) => failing.has(name) || (lost.length > 0 && !read.now(name).isOptional))
  const [was = ''] = gone
  const [name = '', ...others] = come.filter((each) => isSameSchema(read.was(was), read.now(each)))
  const isOne = gone.length === 1 && others.length === 0 && made.every((each) => each === name)
  if (isOne && name !== '' && isSameField(read.was(was), read.now(name)))
    return [[{ kind: 'renamed', name, was }]]
  const drafts = [
    ...lost.map((each): FieldDraft => ({ kind: 'removed', name: each, was: read.was(each) })),
    ...made.map((each): FieldDraft => ({ kind: 'added', name: each, now: read.now(each) })),
  ]
  return lost.length > 0 && made.length > 0 ? [drafts] : drafts.map((each) => [each])
}

function sidesOf(name: string, differing: readonly DifferingField[]): readonly Side[] {
  const sides = differing
    .filter(({ field, isFailing }) => isFailing && field === name)
    .map(({ side }) => side)
  return (['request', 'response'] as const).filter((side) => sides.includes(side))
}

/** Whether two fields are the same but for their names. */
export function isSameField(one: DescribedField, other: DescribedField): boolean {
  return one.isOptional === other.isOptional && isSameSchema(one, other)
}

function isSameSchema(one: DescribedField, other: DescribedField): boolean {
  return toStableText(bare(one.schema)) === toStableText(bare(other.schema))
}

/** A schema without the words that are for people. */
function bare(schema: unknown): unknown {
  if (!isRecord(schema)) return schema
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !WORDS.has(key)))
}

const WORDS = new Set(['title', 'description', 'example', 'examples'])

type ShownObject = Owned['base']

function objectPropertyNames({ properties }: ShownObject): NameSet {
  return new Set(isRecord(properties) ? Object.keys(properties) : [])
}

interface ReadField {
  readonly was: (name: string) => DescribedField
  readonly now: (name: string) => DescribedField
}

/** Reads fields out of all objects that have them. What one of them demands is required, for parts may leave it out. */
function createRead(model: KnownModel, objects: readonly DifferingField[], isNoted: boolean): ReadField {
  const whole = objects.filter(({ revision }) => !isPartial(model, revision))
  const read = (name: string, side: 'base' | 'revision'): DescribedField => {
    const first = objects.flatMap((each) => schemaIn(each[side], name)).at(0)
    const found = whole.flatMap((each) => schemaIn(each[side], name).map((schema) => ({ schema, each })))
    const schema = found[0]?.schema ?? first ?? {}
    const hasDefault =
      !isNoted && found.some((each) => isRecord(each.schema) && each.schema['default'] !== undefined)
    const isRequired = found.some(({ each }) => requires(each[side], name))
    return { schema, isOptional: found.length > 0 && !hasDefault && !isRequired }
  }
  return { was: (name) => read(name, 'base'), now: (name) => read(name, 'revision') }
}

/** Whether an object leaves out all that its model demands, as a body of PATCH does. */
function isPartial({ fields }: KnownModel, object: ShownObject): boolean {
  const names = objectPropertyNames(object)
  const required = fields.filter(({ name, isOptional }) => !isOptional && names.has(name))
  return required.length > 0 && !required.some(({ name }) => requires(object, name))
}

function schemaIn({ properties }: ShownObject, name: string): readonly unknown[] {
  return isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
}

function requires({ required }: ShownObject, name: string): boolean {
  return Array.isArray(required) && required.includes(name)
}
