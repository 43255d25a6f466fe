import { atDefinition, type DefinitionErrorCode, type DefinitionProblem } from '../base/definition-error.ts'
import { childrenOf, isSchema, objectShape, type Schema } from '../schema/schema.ts'
import { describeValue, isRecord, isString } from '../base/values.ts'
import { modelBehind, modelName } from './model.ts'
import { absent, isUsableName } from './was.ts'
import type { AnyReshape, FieldWas } from './change.ts'
import type { Identified } from './convert/converter.ts'

/** A change, for code that does not ask which one it is. */
export interface AnyChange {
  readonly version: string
  readonly title: string
  readonly description: string
  readonly id: string
  readonly sideEffects: boolean
  readonly internal?: boolean
  readonly change: readonly unknown[]
}

/** A field through all versions of its model: its name and schema change, the number stays. No other model has the same number. */
export type FieldId = number

/** The effect of a step on one field, from the newer side to the older one. */
export type FieldChange =
  | { readonly kind: 'renamed'; readonly fieldId: FieldId; readonly now: string; readonly was: string }
  | {
      readonly kind: 'retyped'
      readonly fieldId: FieldId
      readonly name: string
      readonly was: Schema
      readonly field: FieldWas
    }
  | { readonly kind: 'added'; readonly fieldId: FieldId; readonly name: string }
  | {
      readonly kind: 'removed'
      readonly fieldId: FieldId
      readonly name: string
      readonly was: Schema
      /** Whether handlers get its value. */
      readonly isKept: boolean
    }

/** The effect of one reshape on a model. */
export interface Step {
  readonly change: AnyChange
  readonly reshape: AnyReshape
  readonly fieldChanges: readonly FieldChange[]
  /** The fields that `up` gets, by their names on the older side. */
  readonly older: readonly (readonly [name: string, fieldId: FieldId])[]
  /** Of those, the ones that `up` and `down` read and the step leaves as they are. */
  readonly reads: readonly (readonly [name: string, fieldId: FieldId])[]
  /** The fields that `down` gets, by their names on the newer side. */
  readonly newer: readonly (readonly [name: string, fieldId: FieldId])[]
}

/** The history of one model, newest step first. */
export interface Chain {
  readonly model: Schema
  readonly name: string
  /** The fields of the newest shape. */
  readonly fieldIds: ReadonlyMap<string, FieldId>
  readonly steps: readonly Step[]
}

type State = ReadonlyMap<string, FieldId>

/** Reads the reshapes of changes, newest change first, as one chain for each model. What cannot be used is reported and left out. */
export function toChains(
  changes: readonly AnyChange[],
  problems: DefinitionProblem[],
): ReadonlyMap<Schema, Chain> {
  const writers = new Map<Schema, ChainWriter>()
  let count = 0
  const nextFieldId = (): FieldId => count++
  const newer = new Set<unknown>()
  for (const change of changes) {
    for (const part of change.change) {
      const report: Report = (message, fix, code) =>
        void problems.push(changeProblem(change, message, fix, code))
      if (!isReshape(part)) {
        reportBasesOf(part, change, newer, report)
        continue
      }
      const { model, bases } = toBase(part.of)
      const name = modelName(model)
      if (name === undefined || !isSchema(model)) {
        report(...notAModel(part.of, model), 'invalid_change')
        continue
      }
      if (!isRecord(part.fields)) {
        report(
          `fields is ${describeValue(part.fields)}`,
          'write fields: { name: { was: … } }',
          'invalid_change',
        )
        continue
      }
      const writer = writers.get(model) ?? createWriter(model, name, nextFieldId)
      // octavo check --write finds models by reshapes that say nothing of them
      writers.set(model, writer)
      const { fields, refine, named } = part
      if (Object.keys(fields).length === 0 && refine === undefined && named === undefined) {
        report(`it says nothing of ${name}`, 'write fields: { name: { was: … } }', 'invalid_change')
        continue
      }
      if (bases.every((base) => newer.has(base))) writer.add(change, part, bases, report)
      else reportBase(report, name)
    }
    newer.add(change)
  }
  return new Map([...writers].map(([model, writer]) => [model, writer.chain]))
}

/** Returns the mistake of a reshape whose `of` is no model, and its correction. */
function notAModel(of: unknown, model: unknown): readonly [message: string, fix: string] {
  const name = isSchema(model) ? modelName(modelBehind(model)) : undefined
  return name === undefined
    ? [`of is ${describeValue(of)}`, 'give a model, or before(change, Model)']
    : [`of is a part of ${name}`, `reshape the model ${name}: the change reaches its parts`]
}

function isReshape(part: unknown): part is AnyReshape {
  return isRecord(part) && part['kind'] === 'reshape'
}

/** The model that a part of a change reshapes, or `undefined` for an operation. */
export function modelOf(part: unknown): unknown {
  return isReshape(part) ? toBase(part.of).model : undefined
}

/** The changes that a part of another one is written against. */
export function basesOf(part: unknown): readonly unknown[] {
  return isReshape(part) ? toBase(part.of).bases : []
}

function toBase(of: unknown): { readonly model: unknown; readonly bases: readonly unknown[] } {
  if (isRecord(of) && of['kind'] === 'before') return { model: of['model'], bases: [of['changes']].flat() }
  return { model: of, bases: [] }
}

type Report = (message: string, fix: string, code: DefinitionErrorCode) => void

/** A mistake in a change, at the place of the change or of the other definitions. */
export function changeProblem(
  change: Identified,
  message: string,
  fix: string,
  code: DefinitionErrorCode = 'invalid_change',
  ...others: readonly object[]
): DefinitionProblem {
  return atDefinition({ code, where: `change "${change.id}"`, message, fix }, change, ...others)
}

function reportBase(report: Report, name: string): void {
  const fix = `list the change that before names, with a newer version; it has to reshape ${name}, or a model in it`
  report(`before names a change that is not among the newer ones of ${name}`, fix, 'invalid_change')
}

/** Reports changes in `before` of an operation whose functions get what is since its version, because they are not of a newer one. */
function reportBasesOf(
  part: unknown,
  { version }: AnyChange,
  newer: ReadonlySet<unknown>,
  report: Report,
): void {
  const bases = isRecord(part) ? part['before'] : undefined
  const isNewer = (base: unknown): boolean => newer.has(base) && isRecord(base) && base['version'] !== version
  if (Array.isArray(bases) && !bases.every(isNewer))
    report(
      'operation.before names a change that is not of a newer version',
      'list changes of newer versions alone',
      'invalid_change',
    )
}

interface ChainWriter {
  readonly chain: Chain
  readonly add: (change: AnyChange, reshape: AnyReshape, bases: readonly unknown[], report: Report) => void
}

function createWriter(model: Schema, name: string, nextFieldId: () => FieldId): ChainWriter {
  const fieldIds: State = new Map(Object.keys(objectShape(model)).map((key) => [key, nextFieldId()]))
  const steps: Step[] = []
  /** The state behind each step; the first is the newest. */
  const states: State[] = [fieldIds]
  const touched = new Map<FieldId, AnyChange>()
  const chain: Chain = { model, name, fieldIds, steps }
  return {
    chain,
    add: (change, reshape, bases, report) => {
      const state = states.at(-1) ?? fieldIds
      const own = Object.values(reshape.fields).flatMap((field) => (isSchema(field.was) ? [field.was] : []))
      const against = findBase([model, ...steps.flatMap(schemasIn), ...own], steps, states, bases)
      if (against === undefined) {
        reportBase(report, name)
        return
      }
      const later = new Set(
        steps.slice(against.index).flatMap(({ fieldChanges }) => fieldChanges.map(({ fieldId }) => fieldId)),
      )
      const asked: FieldChange[] = []
      for (const [key, field] of Object.entries(reshape.fields)) {
        const fieldId = against.state.get(key)
        const fieldChange = toFieldChange({ name, key, field, fieldId, nextFieldId, state }, report)
        if (fieldChange === undefined) continue
        if (fieldId !== undefined && later.has(fieldId)) {
          const other = touched.get(fieldId)
          const by = other === undefined ? 'a newer change' : `the change "${other.id}"`
          const fix = `write the older of the two against the state before the newer one: of: before(change, ${name})`
          report(`${name}.${key} is touched by ${by} too`, fix, 'field_touched_twice')
          continue
        }
        asked.push(fieldChange)
      }
      const fieldChanges = withFreeNames(asked, state, name, report)
      const reads = (reshape.reads ?? []).flatMap((key) => {
        const fieldId = state.get(key)
        if (fieldId === undefined)
          report(
            `reads names ${key}, which ${name} does not have`,
            'name a field of the model',
            'unknown_model_field',
          )
        return fieldId === undefined ? [] : [[key, fieldId] as const]
      })
      for (const { fieldId } of fieldChanges) touched.set(fieldId, change)
      const step: Step = {
        change,
        reshape,
        fieldChanges,
        reads,
        newer: [...fieldChanges.flatMap(toNewer), ...reads],
        older: [...fieldChanges.flatMap(toOlder), ...reads],
      }
      reportSameVersion(chain, step, bases, report)
      steps.push(step)
      states.push(applyFieldChanges(state, fieldChanges))
    },
  }
}

/** Reports changes of the same version in `before` that reshape a model which functions get: they get it as it is since that version. */
function reportSameVersion(chain: Chain, step: Step, bases: readonly unknown[], report: Report): void {
  const { change, reshape, fieldChanges, reads } = step
  const { up, down, load, refine, fields } = reshape
  const isGiven = [up, down, load, refine].some((each) => each !== undefined)
  const given = fieldChanges.filter((each) => {
    const { up: own, down: back } = fields[each.kind === 'renamed' ? each.now : each.name] ?? {}
    return isGiven || own !== undefined || back !== undefined
  })
  const readers = given.length === 0 ? [] : reads.map(([, fieldId]) => fieldId)
  const seen = [
    ...[...given.map(({ fieldId }) => fieldId), ...readers].flatMap((id) => schemaBefore(chain, id) ?? []),
    ...given.flatMap((each) => (each.kind === 'retyped' || each.kind === 'removed' ? [each.was] : [])),
  ]
  for (const base of bases) {
    if (!isRecord(base) || base['version'] !== change.version || !reshapesAny(base, seen)) continue
    const id = describeValue(base['id'], true)
    report(
      `before names the change ${id} of the same version, and functions get a model in ${chain.name} as it is since that version`,
      `give the older of the two an older version, or write functions and before without ${id}`,
      'invalid_change',
    )
  }
}

/** The schema of a field before the steps of a chain. */
function schemaBefore({ model, fieldIds, steps }: Chain, fieldId: FieldId): Schema | undefined {
  const own = steps.flatMap((step) => step.fieldChanges).filter((each) => each.fieldId === fieldId)
  const was = own
    .flatMap((each) => (each.kind === 'retyped' || each.kind === 'removed' ? [each.was] : []))
    .at(-1)
  const [name = ''] = [...fieldIds].find(([, each]) => each === fieldId) ?? []
  return was ?? objectShape(model)[name]
}

/**
 * The state that a reshape is written against: the newest, or the one behind all steps of some changes. Those without a step are about
 * models in some schemas.
 */
function findBase(
  schemas: readonly Schema[],
  steps: readonly Step[],
  states: readonly State[],
  bases: readonly unknown[],
): { readonly index: number; readonly state: State } | undefined {
  const index = steps.findLastIndex(({ change }) => bases.includes(change)) + 1
  const state = states[index]
  const others = bases.filter((base) => !steps.some(({ change }) => change === base))
  const isInside = others.every((base) => reshapesAny(base, schemas))
  return state === undefined || !isInside ? undefined : { index, state }
}

function schemasIn({ fieldChanges }: Step): readonly Schema[] {
  return fieldChanges.flatMap((fieldChange) =>
    fieldChange.kind === 'retyped' || fieldChange.kind === 'removed' ? [fieldChange.was] : [],
  )
}

/** Whether a change reshapes a model that stands in one of some schemas. */
function reshapesAny(change: unknown, schemas: readonly Schema[]): boolean {
  const parts = isRecord(change) ? change['change'] : undefined
  const models = new Set<unknown>(Array.isArray(parts) ? parts.map(modelOf) : [])
  const seen = new Set(schemas)
  // what is added while it is walked is walked too
  for (const each of seen) {
    const model = modelBehind(each)
    if (model !== undefined && models.has(model)) return true
    for (const { schema } of childrenOf(each)) seen.add(schema)
  }
  return false
}

interface Asked {
  readonly name: string
  readonly key: string
  readonly field: unknown
  readonly fieldId: FieldId | undefined
  readonly nextFieldId: () => FieldId
  readonly state: State
}

function toFieldChange(
  { name, key, field, fieldId, nextFieldId, state }: Asked,
  report: Report,
): FieldChange | undefined {
  if (!isRecord(field) || !('was' in field)) {
    report(
      `${name}.${key} is ${describeValue(field)}`,
      "write { was: schema }, { was: absent } or { was: 'oldName' }",
      'invalid_change',
    )
    return undefined
  }
  const { was } = field
  if (!isUsableName(isString(was) ? was : key)) {
    report(
      `${name}.${key} was called ${describeValue(isString(was) ? was : key, true)}, which no field can be`,
      'give the name that the field had',
      'invalid_change',
    )
    return undefined
  }
  if (fieldId === undefined) {
    if (state.has(key)) {
      report(
        `${name}.${key} exists only through a newer change`,
        `write this one against it: of: before(change, ${name})`,
        'field_touched_twice',
      )
      return undefined
    }
    const isKept = field['kept'] === true
    if (isSchema(was)) return { kind: 'removed', fieldId: nextFieldId(), name: key, was, isKept }
    report(
      `${name} has no field ${key}`,
      `name a field of ${name}, or write was: schema for one that existed only then. If you renamed ${key} since then, describe that in a change with version: 'next', and write this one against it: of: before(change, ${name})`,
      'unknown_model_field',
    )
    return undefined
  }
  if (was === absent) return { kind: 'added', fieldId, name: key }
  if (typeof was === 'string') return { kind: 'renamed', fieldId, now: key, was }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its functions are called in the try of a conversion
  if (isSchema(was)) return { kind: 'retyped', fieldId, name: key, was, field: field as unknown as FieldWas }
  report(
    `${name}.${key}.was is ${describeValue(was, true)}`,
    'write a schema, absent or the name that the field had',
    'invalid_change',
  )
  return undefined
}

function toNewer(fieldChange: FieldChange): readonly (readonly [string, FieldId])[] {
  if (fieldChange.kind === 'removed') return []
  return [[fieldChange.kind === 'renamed' ? fieldChange.now : fieldChange.name, fieldChange.fieldId]]
}

function toOlder(fieldChange: FieldChange): readonly (readonly [string, FieldId])[] {
  if (fieldChange.kind === 'added') return []
  return [[fieldChange.kind === 'renamed' ? fieldChange.was : fieldChange.name, fieldChange.fieldId]]
}

/** The field changes without renames to a name that another field has on the older side. */
function withFreeNames(
  fieldChanges: readonly FieldChange[],
  state: State,
  name: string,
  report: Report,
): readonly FieldChange[] {
  const freed = new Set(fieldChanges.flatMap(toNewer).map(([, fieldId]) => fieldId))
  const taken = new Set([...state].filter(([, fieldId]) => !freed.has(fieldId)).map(([key]) => key))
  for (const fieldChange of fieldChanges)
    if (fieldChange.kind === 'retyped' || fieldChange.kind === 'removed') taken.add(fieldChange.name)
  return fieldChanges.filter((fieldChange) => {
    if (fieldChange.kind !== 'renamed') return true
    const isFree = !taken.has(fieldChange.was)
    taken.add(fieldChange.was)
    if (!isFree)
      report(
        `${name}.${fieldChange.now} was called ${fieldChange.was}, which is the name of another field`,
        'choose the name that the field had',
        'invalid_change',
      )
    return isFree
  })
}

function applyFieldChanges(state: State, fieldChanges: readonly FieldChange[]): State {
  const after = new Map(state)
  // all names are free before the first is taken, because fields may have changed names with each other
  for (const [key] of fieldChanges.flatMap(toNewer)) after.delete(key)
  for (const [key, fieldId] of fieldChanges.flatMap(toOlder)) after.set(key, fieldId)
  return after
}

/** Whether names of fields differ before a step. */
export function changesNames({ fieldChanges }: Step): boolean {
  return fieldChanges.some(({ kind }) => kind === 'renamed' || kind === 'added')
}

/** The names before the last of these steps by the newest ones, without fields that did not exist. */
export function namesBefore(
  fieldIds: ReadonlyMap<string, FieldId>,
  steps: readonly Step[],
): ReadonlyMap<string, string> {
  const names = new Map([...fieldIds].map(([name, fieldId]) => [fieldId, name]))
  for (const fieldChange of steps.flatMap(({ fieldChanges }) => fieldChanges)) {
    if (fieldChange.kind === 'renamed' && names.has(fieldChange.fieldId))
      names.set(fieldChange.fieldId, fieldChange.was)
    if (fieldChange.kind === 'added') names.delete(fieldChange.fieldId)
  }
  return new Map(
    [...fieldIds].flatMap(([name, fieldId]) => {
      const was = names.get(fieldId)
      return was === undefined ? [] : [[name, was]]
    }),
  )
}

/** Whether the function of a whole object makes a field that stays, because the field has no conversion of its own. */
export function isMadeTogether(
  fieldChange: FieldChange,
  reshape: AnyReshape,
  direction: 'up' | 'down',
): boolean {
  if (fieldChange.kind !== 'retyped' || reshape[direction] === undefined) return false
  const { up, down, narrowed, accepted } = fieldChange.field
  return [up, down, narrowed, accepted].every((own) => own === undefined)
}
