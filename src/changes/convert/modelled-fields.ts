import type { DefinitionProblem } from '../../base/definition-error.ts'
import { defOf, isSchema, schemaOf, metaOf, objectShape, type Schema } from '../../schema/schema.ts'
import {
  changeProblem,
  isMadeTogether,
  type AnyChange,
  type Chain,
  type FieldChange,
  type FieldId,
  type Step,
} from '../chain.ts'
import { isRest, modelBehind } from '../model.ts'
import { isSameSchema } from './compare.ts'

/** A step as it applies to one object schema. */
export interface AppliedStep {
  /** The position of its change among all changes, newest first. */
  readonly order: number
  readonly step: Step
  readonly fieldChanges: readonly FieldChange[]
  /** Whether `up` and `down` of the whole object run. */
  readonly isGroup: boolean
  /** Whether the object has fields of the model that may be left out there alone, and no others, as the body of a PATCH. */
  readonly isPartial: boolean
  /** Whether the refinement of the whole object runs, because the object has all fields that it gets. */
  readonly isRefined: boolean
  /** The earlier name of the model, if the object is the model. */
  readonly named: string | undefined
}

/** The models in an object schema. */
export interface ModelledFields {
  /** The fields that are fields of models, by their newest names. */
  readonly fieldIds: ReadonlyMap<string, FieldId>
  /** The wrappers that the object puts around the schema of the model, outermost first, by field. */
  readonly wrappers: ReadonlyMap<string, readonly Schema[]>
  /** Newest first. */
  readonly steps: readonly AppliedStep[]
}

/** Finds what an object schema has of models. */
export type FindModelledFields = (schema: Schema) => ModelledFields

/** Copies of object schemas with their originals, which have the same fields of models. */
export type CopiedObjects = Map<Schema, Schema>

interface Field {
  readonly chain: Chain
  readonly key: string
  /** Whether no other object has this very schema, unless it was made from the model. */
  readonly isStrong: boolean
}

/** Prepares the search. A part that has half of what a change converts as a whole is reported. */
export function createFindModelledFields(
  chains: Iterable<Chain>,
  orders: ReadonlyMap<object, number>,
  copies: CopiedObjects,
  problems: DefinitionProblem[],
): FindModelledFields {
  const fields = new Map<Schema, Field[]>()
  const all = [...chains]
  for (const chain of all) {
    for (const [key, schema] of Object.entries(objectShape(chain.model))) {
      const bare = bareOf(schema)
      const isOnly = defOf(bare).type !== 'object' && metaOf(bare)['id'] === undefined
      fields.set(bare, [...(fields.get(bare) ?? []), { chain, key, isStrong: isOnly }])
    }
  }
  const known = new Map<Schema, ModelledFields>()
  return (given) => {
    const schema = copies.get(given) ?? given
    const found = known.get(schema) ?? toModelledFields(schema, all, fields, orders, problems)
    known.set(schema, found)
    return found
  }
}

const TRANSPARENT = new Set(['optional', 'nullable', 'default', 'prefault', 'readonly', 'nonoptional'])

/** Returns the schema below wrappers that say nothing of the value itself. */
export function bareOf(schema: Schema): Schema {
  const def = defOf(schema)
  const inner = TRANSPARENT.has(def.type) ? schemaOf(def['innerType']) : undefined
  return inner === undefined ? schema : bareOf(inner)
}

function toModelledFields(
  schema: Schema,
  chains: readonly Chain[],
  fields: ReadonlyMap<Schema, readonly Field[]>,
  orders: ReadonlyMap<object, number>,
  problems: DefinitionProblem[],
): ModelledFields {
  const shape = objectShape(schema)
  const entries = Object.entries(shape)
  const fieldIds = new Map<string, FieldId>()
  const wrappers = new Map<string, readonly Schema[]>()
  const steps: AppliedStep[] = []
  const modelled = entries.flatMap(([key, field]) =>
    (fields.get(bareOf(field)) ?? []).filter((each) => each.key === key),
  )
  const origin = modelBehind(schema)
  for (const chain of chains) {
    const isApplied = chain.steps.some(({ reshape }) => reshape.applies?.includes(schema) === true)
    const isMade = isApplied || origin === chain.model
    const held = modelled.filter((each) => each.chain === chain)
    // most models have nothing to do with the schema
    if (!isMade && !held.some(({ isStrong }) => isStrong)) continue
    // a part that gives a field another schema has the field, as its type does
    const names = isMade ? chain.fieldIds : new Map(held.map(({ key }) => [key, true]))
    const found = entries.filter(([key]) => names.has(key))
    if (found.length === 0 && schema !== chain.model) continue
    const model = objectShape(chain.model)
    const own = new Map<string, FieldId>()
    let left = 0
    for (const [key, field] of found) {
      const fieldId = chain.fieldIds.get(key)
      const inModel = model[key]
      if (fieldId === undefined || inModel === undefined || fieldIds.has(key)) continue
      own.set(key, fieldId)
      fieldIds.set(key, fieldId)
      const around = wrappersOf(field, inModel)
      wrappers.set(key, around)
      if (around.some((each) => defOf(each).type === 'optional')) left++
    }
    const isPartial = left > 0 && found.every(([key]) => isOptional(shape[key]))
    for (const applied of toSteps(schema, chain, own, orders, problems)) {
      const step = { ...applied, isPartial }
      steps.push(step)
      problems.push(...unclearGroup(step, chain), ...unreadableIn(step, chain))
    }
  }
  return { fieldIds, wrappers, steps: steps.toSorted((a, b) => a.order - b.order) }
}

function isOptional(schema: Schema | undefined): boolean {
  return schema !== undefined && ['optional', 'default', 'prefault'].includes(defOf(schema).type)
}

/** Returns the wrappers that an object puts around the field of a model. */
function wrappersOf(field: Schema, origin: Schema): readonly Schema[] {
  if (field === origin) return []
  const def = defOf(field)
  const inner = TRANSPARENT.has(def.type) ? schemaOf(def['innerType']) : undefined
  return inner === undefined ? [] : [field, ...wrappersOf(inner, origin)]
}

function toSteps(
  schema: Schema,
  { model, name, fieldIds, steps }: Chain,
  own: ReadonlyMap<string, FieldId>,
  orders: ReadonlyMap<object, number>,
  problems: DefinitionProblem[],
): readonly Omit<AppliedStep, 'isPartial'>[] {
  const alive = new Set(own.values())
  /** The changes that altered fields of the object and do not reach it. */
  const skipped = new Map<FieldId, AnyChange>()
  const isWhole = own.size === fieldIds.size || (isRest(schema) && modelBehind(schema) === model)
  return steps.flatMap((step) => {
    const { change, reshape } = step
    if (reshape.not?.includes(schema) === true) {
      for (const { fieldId } of step.fieldChanges) skipped.set(fieldId, change)
      return []
    }
    const isNamed = reshape.applies?.includes(schema) === true
    const part = partOf(step, alive, isWhole, isNamed)
    if (part.isHalf) problems.push(halfGroup(step, name, alive))
    else if (!isNamed && (part.isGroup || part.fieldChanges.some(isReading)))
      problems.push(...unreadable(step, name, alive))
    for (const { kind, fieldId } of part.fieldChanges) {
      const newer = skipped.get(fieldId)
      if (newer !== undefined) problems.push(skippedBefore(change, newer, name))
      if (kind === 'added') alive.delete(fieldId)
      else alive.add(fieldId)
    }
    const applied = { ...part, ...wholeOf(step, schema === model, alive) }
    return isIdle(applied) ? [] : [{ order: orders.get(change) ?? 0, step, ...applied }]
  })
}

function isIdle({
  fieldChanges,
  isRefined,
  named,
}: Omit<AppliedStep, 'order' | 'step' | 'isPartial'>): boolean {
  return fieldChanges.length === 0 && !isRefined && named === undefined
}

/** Returns what a step says of an object as a whole. */
function wholeOf(
  { reshape, older }: Step,
  isModel: boolean,
  alive: ReadonlySet<FieldId>,
): Pick<AppliedStep, 'isRefined' | 'named'> {
  return {
    isRefined: reshape.refine !== undefined && older.every(([, fieldId]) => alive.has(fieldId)),
    named: isModel ? reshape.named?.was : undefined,
  }
}

/** Returns the part of a step about the fields of an object. Fields that existed only before come with all their replacements. */
function partOf(
  { fieldChanges, reshape }: Step,
  alive: ReadonlySet<FieldId>,
  isWhole: boolean,
  isNamed: boolean,
): Pick<AppliedStep, 'fieldChanges' | 'isGroup'> & { readonly isHalf: boolean } {
  const modelled = fieldChanges.filter(({ kind, fieldId }) => kind !== 'removed' && alive.has(fieldId))
  const removed = fieldChanges.filter(({ kind }) => kind === 'removed')
  const added = fieldChanges.filter(({ kind }) => kind === 'added')
  const addedHere = added.filter(({ fieldId }) => alive.has(fieldId))
  if (removed.length === 0 && added.length === 0) {
    const joint = jointIn(fieldChanges, reshape)
    const here = joint.filter(({ fieldId }) => alive.has(fieldId))
    const isGroup = here.length > 0 && here.length === joint.length
    return { fieldChanges: modelled, isGroup, isHalf: here.length > 0 && !isGroup && !isNamed }
  }
  if (removed.length === 0) return { fieldChanges: modelled, isGroup: addedHere.length > 0, isHalf: false }
  const hasAll = isNamed || (added.length > 0 ? addedHere.length === added.length : isWhole)
  // a part that `omit` makes of the model has what replaced a field, or says that it never had the field
  const isHalf = !hasAll && (addedHere.length > 0 || (isWhole && added.length > 0))
  return hasAll
    ? { fieldChanges: [...modelled, ...removed], isGroup: true, isHalf }
    : { fieldChanges: modelled, isGroup: false, isHalf }
}

/** The fields that stay and are made by a function of the whole object. */
function jointIn(fieldChanges: readonly FieldChange[], reshape: Step['reshape']): readonly NamedChange[] {
  return fieldChanges.filter(
    (fieldChange): fieldChange is NamedChange =>
      isMadeTogether(fieldChange, reshape, 'up') || isMadeTogether(fieldChange, reshape, 'down'),
  )
}

type NamedChange = Exclude<FieldChange, { readonly kind: 'renamed' }>

/**
 * Finds fields that may stand alone in a part, and of which nothing says whether functions of the whole object make them. These would be
 * required together. A field whose schema is the same is changed by them alone.
 */
function unclearGroup({ step, isGroup, isPartial }: AppliedStep, chain: Chain): readonly DefinitionProblem[] {
  if (!isGroup || !isPartial) return []
  const { change, reshape, fieldChanges, reads } = step
  const joint = jointIn(fieldChanges, reshape)
  const others = fieldChanges.filter(({ kind }) => kind === 'added' || kind === 'removed')
  if (joint.length + others.length + reads.length < 2) return []
  return joint.flatMap((fieldChange): readonly DefinitionProblem[] => {
    const { name, fieldId } = fieldChange
    const newer = newerSchema(step, chain, fieldId)
    if (newer === undefined || fieldChange.kind === 'added' || isSameSchema(newer, fieldChange.was)) return []
    const isShown = reshape.examples?.some(
      ({ old, now }) => Reflect.get(old, name) !== Reflect.get(now, name),
    )
    if (isShown === true) return []
    const message = `${chain.name}.${name} may be sent without the others of its reshape, and nothing says whether up and down make it`
    const fix = `describe ${name} in a reshape of its own, or add an example in which they change it`
    return [changeProblem(change, message, fix)]
  })
}

/** Finds functions of fields that read what did not exist then. A part that may lack every field never has it. */
function unreadableIn(
  { step: { change, reads, ...step }, fieldChanges, isPartial }: AppliedStep,
  chain: Chain,
): readonly DefinitionProblem[] {
  const [missing] =
    reads.find(([, read]) =>
      step.fieldChanges.some(({ kind, fieldId }) => kind === 'added' && fieldId === read),
    ) ?? []
  if (!isPartial || missing === undefined) return []
  return fieldChanges.flatMap((fieldChange) => {
    if (fieldChange.kind !== 'retyped' || (fieldChange.field.up?.length ?? 0) < 2) return []
    const message = `up of ${chain.name}.${fieldChange.name} reads ${missing}, which did not exist then, so a partial part never has it`
    return [changeProblem(change, message, 'convert it by up beside fields, or list the part in not')]
  })
}

/** Returns the schema that a field has on the newer side of a step. */
function newerSchema(step: Step, { model, fieldIds, steps }: Chain, fieldId: FieldId): Schema | undefined {
  const before = steps.slice(0, steps.indexOf(step)).flatMap(({ fieldChanges }) => fieldChanges)
  const changed = before.findLast((each) => each.fieldId === fieldId && 'was' in each && isSchema(each.was))
  if (changed !== undefined && 'was' in changed) return schemaOf(changed.was)
  const [name] = [...fieldIds].find(([, each]) => each === fieldId) ?? []
  return name === undefined ? undefined : objectShape(model)[name]
}

/** A change is written against the fields as newer changes left them, so it cannot follow a field that a part leaves out. */
function skippedBefore(change: AnyChange, newer: AnyChange, name: string): DefinitionProblem {
  const message = `it touches a field of a part of ${name} that the newer change "${newer.id}" does not reach`
  return changeProblem(change, message, 'list the part in not here too', 'half_changed_part')
}

const GIVE_ALL = 'give the part all of them, or list it in not'

/** Whether a function of a field takes what it reads. */
function isReading(fieldChange: FieldChange): boolean {
  if (fieldChange.kind !== 'retyped') return false
  const { up, down } = fieldChange.field
  return [up, down].some((call) => call !== undefined && call.length > 1)
}

/** The functions of a whole object cannot read what a part does not have. */
function unreadable(
  { change, reads }: Step,
  name: string,
  alive: ReadonlySet<FieldId>,
): readonly DefinitionProblem[] {
  const lacking = reads.filter(([, fieldId]) => !alive.has(fieldId)).map(([field]) => field)
  if (lacking.length === 0) return []
  const message = `a part of ${name} lacks ${lacking.join(', ')}, which the change reads`
  return [changeProblem(change, message, GIVE_ALL, 'half_changed_part')]
}

function namesOf(of: readonly NamedChange[]): string {
  return of.map(({ name }) => name).join(', ')
}

function halfGroup(
  { change, reshape, fieldChanges }: Step,
  name: string,
  alive: ReadonlySet<FieldId>,
): DefinitionProblem {
  const made = fieldChanges.filter((fieldChange) => fieldChange.kind === 'added')
  const added = made.length > 0 ? made : jointIn(fieldChanges, reshape)
  const here = namesOf(added.filter(({ fieldId }) => alive.has(fieldId)))
  if (here === '') {
    const removed = fieldChanges.filter((fieldChange) => fieldChange.kind === 'removed')
    const message = `a part of ${name} lacks ${namesOf(added)}, which replaced ${namesOf(removed)}`
    const fix = `list it in applies if it had ${namesOf(removed)}, or else in not`
    return changeProblem(change, message, fix, 'half_changed_part')
  }
  const message = `a part of ${name} has ${here}, and the change converts ${namesOf(added)} together`
  return changeProblem(change, message, GIVE_ALL, 'half_changed_part')
}
