import { defOf, isSchema } from '../../schema/schema.ts'
import type { Schema } from '../../schema/schema.ts'
import { isPromise, ignoreRejection } from '../../async.ts'
import { messageOf, toRecord } from '../../values.ts'
import type { Chain, Move, Slot, Step } from '../chain.ts'
import { takesAbsent } from '../was.ts'
import { validated } from './values.ts'

/** One step of a model, with the schemas of its fields on both sides. */
export interface Sided {
  readonly step: Step
  readonly newer: ReadonlyMap<Slot, Schema>
  readonly older: ReadonlyMap<Slot, Schema>
}

/** Values of fields. */
export type Values = ReadonlyMap<Slot, unknown>

/** Why a conversion made nothing. */
export type Trouble =
  /** A function threw. */
  | { readonly kind: 'threw'; readonly slots: readonly Slot[]; readonly reason: string }
  /** A value does not fit the schema of the other side. */
  | {
      readonly kind: 'unfit'
      readonly slots: readonly Slot[]
      readonly value: unknown
      readonly isMade: boolean
    }
  /** A value is refused, as the change says that it may be. */
  | { readonly kind: 'refused' }

/** The result of a conversion, or the reason for its failure. */
export type Outcome<T> = { readonly value: T } | { readonly trouble: Trouble }

/** The steps of a model, newest first. */
export function toSided({ model, slots, steps }: Chain): readonly Sided[] {
  const shape = toRecord(defOf(model)['shape'])
  const schemas = new Map<Slot, Schema>()
  for (const [key, slot] of slots) {
    const field = shape[key]
    if (isSchema(field)) schemas.set(slot, field)
  }
  return steps.map((step) => {
    const newer = new Map(schemas)
    for (const move of step.moves)
      if (move.kind === 'turn' || move.kind === 'born') schemas.set(move.slot, move.was)
    return { step, newer, older: new Map(schemas) }
  })
}

/** The values of the newer side that older ones become. */
export function stepUp({ step, newer }: Sided, old: Values): Outcome<Values> {
  const { reshape, moves } = step
  const gone = moves.filter((move) => move.kind === 'gone')
  const made = new Map(old)
  const group = gone.length === 0 ? NOTHING : runAll(reshape.up, step.older, old, slotsOf(gone))
  if ('trouble' in group) return group
  for (const move of moves) {
    const { slot } = move
    if (move.kind === 'born') made.delete(slot)
    if (move.kind !== 'gone' && move.kind !== 'turn') continue
    const { up, narrowed } = move.kind === 'turn' ? move.field : { up: undefined, narrowed: undefined }
    const value = move.kind === 'gone' ? { value: group.value[move.name] } : runOne(up, old.get(slot), slot)
    if ('trouble' in value) return value
    const schema = newer.get(slot)
    const fitting = schema === undefined ? value : validated(schema, value.value)
    if (fitting === undefined)
      return narrowed === true
        ? { trouble: { kind: 'refused' } }
        : unfit(slot, value.value, move.kind === 'gone' || up !== undefined)
    made.set(slot, fitting.value)
  }
  return { value: made }
}

/** The values of the older side that newer ones become. */
export function stepDown({ step, older }: Sided, now: Values): Outcome<Values> {
  const { reshape, moves } = step
  const born = moves.filter((move) => move.kind === 'born')
  const made = new Map(now)
  const group = born.length === 0 ? NOTHING : runAll(reshape.down, step.newer, now, slotsOf(born))
  if ('trouble' in group) return group
  for (const move of moves) {
    const { slot } = move
    if (move.kind === 'gone') made.delete(slot)
    if (move.kind !== 'born' && move.kind !== 'turn') continue
    const isMade = move.kind === 'turn' ? move.field.down !== undefined : reshape.down !== undefined
    const value =
      move.kind === 'born'
        ? { value: group.value[move.name] }
        : runOne(isLeftOut(move.was, now.get(slot)) ? undefined : move.field.down, now.get(slot), slot)
    if ('trouble' in value) return value
    const schema = older.get(slot)
    const fitting = schema === undefined ? value : validated(schema, value.value)
    if (fitting === undefined) return unfit(slot, value.value, isMade)
    made.set(slot, fitting.value)
  }
  return { value: made }
}

/** Whether a value is left out, and the older version may do without. */
function isLeftOut(was: Schema, value: unknown): boolean {
  return value === undefined && takesAbsent(was)
}

const NOTHING: { readonly value: Readonly<Record<string, unknown>> } = { value: {} }

function unfit(slot: Slot, value: unknown, isMade: boolean): Outcome<never> {
  return { trouble: { kind: 'unfit', slots: [slot], value, isMade } }
}

function slotsOf(moves: readonly Move[]): readonly Slot[] {
  return moves.map(({ slot }) => slot)
}

/** Calls a function of a whole object with the fields that it names. */
function runAll(
  call: ((values: object, extra: object) => unknown) | undefined,
  args: Step['older'],
  values: Values,
  slots: readonly Slot[],
): Outcome<Readonly<Record<string, unknown>>> {
  const given = Object.fromEntries(args.map(([name, slot]) => [name, values.get(slot)]))
  if (call === undefined) return NOTHING
  const made = run(() => call(given, {}), slots)
  return 'trouble' in made ? made : { value: toRecord(made.value) }
}

function runOne(
  call: ((value: unknown, extra: object) => unknown) | undefined,
  value: unknown,
  slot: Slot,
): Outcome<unknown> {
  return call === undefined ? { value } : run(() => call(value, {}), [slot])
}

function run(call: () => unknown, slots: readonly Slot[]): Outcome<unknown> {
  try {
    const value = call()
    if (!isPromise(value)) return { value }
    ignoreRejection(value)
    return { trouble: { kind: 'threw', slots, reason: 'it returned a promise' } }
  } catch (error) {
    return { trouble: { kind: 'threw', slots, reason: `it threw: ${messageOf(error)}` } }
  }
}
