import { toObjectSchema, objectShape, type Schema } from '../../schema/schema.ts'
import { messageOf, toRecord } from '../../base/values.ts'
import { isMadeTogether, type Chain, type FieldChange, type FieldId, type Step } from '../chain.ts'
import { isPassing } from '../convert/fits.ts'
import { planObject, type ObjectRange } from '../convert/object-plan.ts'
import type { Plans } from '../convert/plans.ts'
import {
  type Direction,
  MigrationError,
  RefusedError,
  type Loading,
  type Converter,
} from '../convert/converter.ts'
import { loadIn } from '../convert/instructions.ts'
import { hintsOf } from './edges.ts'
import { validated, combined, valuesOf } from './values.ts'
import type { Random } from './random.ts'
import { isSameValue } from './same-value.ts'

/** The fields of a model at one point of its history. */
export type Side = ReadonlyMap<FieldId, { readonly name: string; readonly schema: Schema }>

/** One step of a model, with its fields on both sides. Models in them are as they were in the version of its change. */
export interface Sided {
  readonly step: Step
  readonly time: number
  readonly newer: Side
  readonly older: Side
}
export type Values = ReadonlyMap<FieldId, unknown>

/** The reason why a conversion made nothing. */
export type Trouble = {
  /** The step to blame. */
  readonly sided: Sided
  /** The names of the fields that it was making. */
  readonly fields: readonly string[]
} & (
  | { readonly kind: 'threw'; readonly reason: string }
  /** A value does not fit the schema of the other side. */
  | { readonly kind: 'unfit'; readonly value: unknown }
  /** A value is refused, as the change says that it may be. */
  | { readonly kind: 'refused' }
)

/** The result of a conversion, or the reason for its failure. */
export type Outcome = { readonly value: Values } | { readonly trouble: Trouble }

/** The fields of the newest shape of a model. */
export function newestSide({ model, fieldIds }: Chain): Side {
  const shape = objectShape(model)
  const newest: [FieldId, { name: string; schema: Schema }][] = []
  for (const [name, fieldId] of fieldIds) {
    const schema = shape[name]
    if (schema !== undefined) newest.push([fieldId, { name, schema }])
  }
  return new Map(newest)
}

/** The steps of a model, newest first. */
export function toSided(chain: Chain, { planOf, timeOf, orderOf }: Plans): readonly Sided[] {
  const origins = new Map<FieldId, number>()
  const at = (side: Side, time: number): Side =>
    new Map(
      [...side].map(([fieldId, { name, schema }]) => [
        fieldId,
        { name, schema: planOf(schema, time, origins.get(fieldId))?.wire ?? schema },
      ]),
    )
  let side = newestSide(chain)
  return chain.steps.map((step) => {
    const time = timeOf(orderOf(step))
    const newer = at(side, time)
    side = olderSide(side, step.fieldChanges)
    for (const { kind, fieldId } of step.fieldChanges)
      if (kind === 'retyped' || kind === 'removed') origins.set(fieldId, time)
    return { step, time, newer, older: at(side, time) }
  })
}

function olderSide(newer: Side, fieldChanges: readonly FieldChange[]): Side {
  const older = new Map(newer)
  for (const fieldChange of fieldChanges) {
    const { fieldId } = fieldChange
    const field = newer.get(fieldId)
    if (fieldChange.kind === 'added') older.delete(fieldId)
    else if (fieldChange.kind === 'removed')
      older.set(fieldId, { name: fieldChange.name, schema: fieldChange.was })
    else if (field !== undefined)
      older.set(
        fieldId,
        fieldChange.kind === 'renamed'
          ? { ...field, name: fieldChange.was }
          : { ...field, schema: fieldChange.was },
      )
  }
  return older
}

/**
 * Takes values through steps, newest first, and back. They are converted as they are served in a model that has the fields of `newer` and no
 * others. The older schemas then parse values, as responses and requests of the older version are. `range` says from which age what is inside
 * of fields is converted; without it, it stays as it is.
 */
export function createTrip(
  steps: readonly [Sided, ...Sided[]],
  newer: Side,
  older: Side,
  { loaded, range }: { readonly loaded?: unknown; readonly range?: Omit<ObjectRange, 'isLoading'> } = {},
): (values: Values, direction: Direction) => Outcome {
  const own = steps.map(({ step, time }) => ({
    order: time,
    step,
    fieldChanges: step.fieldChanges,
    isGroup: step.fieldChanges.some((fieldChange) => isGrouped(fieldChange, step)),
    isPartial: false,
    isRefined: false,
    named: undefined,
  }))
  const fields = [...newer.values()].map(({ name, schema }) => [name, schema] as const)
  const fieldIds = new Map([...newer].map(([fieldId, { name }]) => [name, fieldId]))
  const modelled = { fieldIds, wrappers: new Map(), steps: own }
  const plan = planObject(toObjectSchema(Object.fromEntries(fields)), modelled, own, {
    ...(range ?? NOTHING_INSIDE),
    isLoading: (side) => steps.some(({ step }) => loadIn(step.reshape, side) !== undefined),
  })
  return (values, direction) => {
    const [from, to] = direction === 'up' ? [older, newer] : [newer, older]
    const given: Record<string, unknown> = {}
    for (const [fieldId, value] of values) {
      const field = from.get(fieldId)
      if (field !== undefined && value !== undefined) given[field.name] = value
    }
    try {
      const made = toRecord(convert(plan[direction], given, loaded))
      const found = new Map(
        [...to].flatMap(([fieldId, { name }]) => (name in made ? [[fieldId, made[name]]] : [])),
      )
      return direction === 'up' ? { value: found } : parsed(found, steps, older)
    } catch (error) {
      return { trouble: toTrouble(error, steps) }
    }
  }
}

const NOTHING_INSIDE = {
  newer: 0,
  older: 0,
  origin: 0,
  planOf: () => undefined,
  between: () => undefined,
  timeOf: () => 0,
  widen: (schema: Schema): Schema => schema,
}

/** Converts a value. Changes that load something get `loaded`. */
function convert(converter: Converter, value: object, loaded: unknown): unknown {
  const kept = new Map<object, unknown>()
  let count = 0
  const loading: Loading = {
    keep: (by, _, make) => {
      if (!kept.has(by)) kept.set(by, make())
      // a key always keeps the result of one function
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return kept.get(by) as never
    },
    wait: (_loader, _values, take) => {
      count++
      take(loaded)
    },
    count: 0,
  }
  let made
  do {
    count = 0
    made = converter(value, { loading })
  } while (count > 0)
  return made
}

function isGrouped(fieldChange: FieldChange, { reshape }: Step): boolean {
  const { kind } = fieldChange
  const isJoint = isMadeTogether(fieldChange, reshape, 'up') || isMadeTogether(fieldChange, reshape, 'down')
  return kind === 'added' || kind === 'removed' || isJoint
}

/** Parses the fields that steps gave other schemas. */
function parsed(values: Map<FieldId, unknown>, steps: readonly Sided[], older: Side): Outcome {
  for (const sided of steps.toReversed()) {
    for (const fieldChange of sided.step.fieldChanges) {
      const { kind, fieldId } = fieldChange
      const field = older.get(fieldId)
      if (field === undefined || (kind !== 'retyped' && kind !== 'removed')) continue
      if (kind === 'retyped' && isPassing(fieldChange.field.down)) continue
      const value = values.get(fieldId)
      const fitting = validated(field.schema, value)
      if (fitting === undefined) return { trouble: { kind: 'unfit', sided, fields: [field.name], value } }
      values.set(fieldId, fitting.value)
    }
  }
  return { value: values }
}

function toTrouble(error: unknown, steps: readonly [Sided, ...Sided[]]): Trouble {
  const [first] = steps
  if (error instanceof RefusedError) return { kind: 'refused', sided: first, fields: [] }
  if (!(error instanceof MigrationError))
    return { kind: 'threw', sided: first, fields: [], reason: `it threw: ${messageOf(error)}` }
  const { fields, unfit } = error.failure
  const sided = steps.find(({ step }) => step.change.id === error.change) ?? first
  if (unfit !== undefined) return { kind: 'unfit', sided, fields, value: unfit.value }
  const reason = 'cause' in error ? `it threw: ${messageOf(error.cause)}` : 'it returned a promise'
  return { kind: 'threw', sided, fields, reason }
}

/** The trouble of several steps together. */
export type ChainTrouble =
  /** A field of the newest shape does not come back from the version before a step. */
  | { readonly kind: 'lost'; readonly fieldId: FieldId; readonly before: unknown; readonly after: unknown }
  /** A step cannot convert the result of the steps before it. */
  | { readonly kind: 'step'; readonly trouble: Trouble; readonly direction: Direction }

interface Parts {
  readonly newest: Side
  readonly plans: Pick<Plans, 'planOf' | 'between' | 'widen'>
  readonly random: Random
  readonly runs: number
  readonly report: (sided: Sided, trouble: ChainTrouble) => void
}

/**
 * Takes values of the newest shape of a model to each older version and back. That finds what no step shows alone: values that only the
 * steps around it make.
 */
export function checkChain(sides: readonly Sided[], parts: Parts): void {
  const [first, ...others] = sides
  if (first === undefined || others.length === 0) return
  const touched = new Set(sides.flatMap(({ step }) => step.newer.map(([, fieldId]) => fieldId)))
  const newest = new Map([...parts.newest].filter(([fieldId]) => touched.has(fieldId)))
  const { planOf, between, widen } = parts.plans
  const trips = sides.map((sided, index) => ({
    sided,
    go: createTrip([first, ...others.slice(0, index)], newest, sided.older, {
      range: { newer: 0, older: sided.time, origin: 0, planOf, between, widen, timeOf: (time) => time },
    }),
    lossy: lossyIn(sides.slice(0, index + 1).toReversed()),
    isOneWay: sides.slice(0, index + 1).some(({ step }) => step.reshape.responseOnly === true),
  }))
  for (const sample of samplesOf(newest, sides, parts)) checkSample(sample, trips, parts)
}

interface Trip {
  readonly sided: Sided
  /** Takes values between the newest version and the one before the step. */
  readonly go: ReturnType<typeof createTrip>
  readonly lossy: ReadonlySet<FieldId>
  /** Whether a change in it has no way back. */
  readonly isOneWay: boolean
}

/** Valid values of the fields that some step touches. None if a field has no value, which its own step reports. */
function samplesOf(newest: Side, sides: readonly Sided[], { random, runs }: Parts): readonly Values[] {
  const pools = new Map<FieldId, readonly unknown[]>()
  for (const [fieldId, { schema }] of newest) {
    const hints = [schema, ...sides.flatMap(({ older }) => older.get(fieldId)?.schema ?? [])].flatMap(hintsOf)
    const values = [
      ...sides.flatMap(({ step: { newer, reshape } }) => {
        const name = newer.find(([, each]) => each === fieldId)?.[0]
        if (name === undefined) return []
        return (reshape.examples ?? []).flatMap(({ now }) =>
          Object.hasOwn(now, name) ? [toRecord(now)[name]] : [],
        )
      }),
      ...valuesOf(schema, { random, hints }, runs),
    ].flatMap((value) => validated(schema, value) ?? [])
    if (values.length === 0) return []
    pools.set(
      fieldId,
      values.map(({ value }) => value),
    )
  }
  return combined(pools, random)
}

function checkSample(sample: Values, trips: readonly Trip[], { report }: Parts): void {
  for (const [index, { sided, go, lossy, isOneWay }] of trips.entries()) {
    const down = go(sample, 'down')
    // the first step alone was checked in both directions, and some have one
    const isThere = index === 0 || isOneWay
    const back = 'trouble' in down || isThere ? down : go(down.value, 'up')
    if ('trouble' in back) {
      const { trouble } = back
      report(trouble.sided, { kind: 'step', trouble, direction: back === down ? 'down' : 'up' })
      return
    }
    if (isThere) continue
    const lost = [...sample].find(
      ([fieldId, value]) => !lossy.has(fieldId) && !isSameValue(value, back.value.get(fieldId)),
    )
    if (lost === undefined) continue
    const [fieldId, before] = lost
    report(sided, { kind: 'lost', fieldId, before, after: back.value.get(fieldId) })
    return
  }
}

/** The fields that steps say are lost, and those that are made of them, from the oldest step to the newest. */
function lossyIn(ways: readonly Sided[]): ReadonlySet<FieldId> {
  const lossy = new Set<FieldId>()
  for (const { step } of ways) {
    const declared = new Set<string>(step.reshape.lossy)
    for (const [name, fieldId] of [...step.newer, ...step.older]) if (declared.has(name)) lossy.add(fieldId)
    if (!step.older.some(([, fieldId]) => lossy.has(fieldId))) continue
    for (const fieldChange of step.fieldChanges)
      if (fieldChange.kind === 'added') lossy.add(fieldChange.fieldId)
  }
  return lossy
}
