import { createValidator, defOf } from '../../schema/schema.ts'
import type { Schema } from '../../schema/schema.ts'
import { isPromise } from '../../async.ts'
import { schemaOf } from '../../schema/unwrap.ts'
import { isObject, toRecord } from '../../values.ts'
import { shapeOf } from '../chain.ts'
import type { Slot } from '../chain.ts'
import { cloneSchema } from './clone.ts'
import { newerSchema, oldFields } from './old-fields.ts'
import type { OldField } from './old-fields.ts'
import type { Owned, OwnStep } from './own.ts'
import { lateTurn } from './plan.ts'
import type { Plan, PlanOf } from './plan.ts'
import { MigrationError, RefusedError, turnAt } from './turn.ts'
import type { Turn, TurnExtra } from './turn.ts'
import { downWork, upWork } from './work.ts'
import type { Registers, Work } from './work.ts'
import { zod } from '../zod.ts'

/** Plans an object schema for the version before the last of these steps. */
export function planObject(schema: Schema, owned: Owned, steps: readonly OwnStep[], planOf: PlanOf): Plan {
  const fields = oldFields(schema, owned, steps, planOf)
  const registers = new Map<Slot, number>()
  const registerOf = (slot: Slot): number => {
    const register = registers.get(slot) ?? registers.size
    registers.set(slot, register)
    return register
  }
  const downs = steps.flatMap((step) => downWork(step, registerOf))
  const ups = steps.toReversed().flatMap((step) =>
    upWork(step, {
      isPartial: owned.isPartial,
      newerSchema: (slot) => newerSchema(slot, step.step, schema, owned, steps),
      registerOf,
    }),
  )
  const site = { schema, owned, fields, registers, others: findOthers(schema, fields) }
  return {
    wire: cloneSchema(schema, { shape: toShape(fields, 'wire'), checks: [] }),
    parse: cloneSchema(schema, { shape: toShape(fields, 'parse'), checks: [] }),
    names: new Map(fields.flatMap(({ key, name }) => (key === undefined ? [] : [[key, name]]))),
    down: createDown(site, downs),
    up: createUp(site, ups),
  }
}

function toShape(fields: readonly OldField[], side: 'wire' | 'parse'): Record<string, Schema> {
  const shape: Record<string, Schema> = {}
  for (const { name, schema, plan } of fields)
    // read late, for a schema may hold itself
    Object.defineProperty(shape, name, { enumerable: true, get: () => plan?.[side] ?? schema })
  return shape
}

interface Site {
  readonly schema: Schema
  readonly owned: Owned
  readonly fields: readonly OldField[]
  readonly registers: ReadonlyMap<Slot, number>
  /** Copies the members that no version declares, if the object keeps them. */
  readonly others:
    | ((made: Record<string, unknown>, source: Readonly<Record<string, unknown>>) => void)
    | undefined
}

/** A member on its way: from a member of the input, or from a register. */
interface Member {
  readonly to: string
  readonly from: string
  readonly register: number
  readonly turn: Turn | undefined
}

const NO_REGISTER = -1
const NONE: Registers = []

function createDown({ owned, fields, registers, others }: Site, works: readonly Work[]): Turn {
  const loads = [...owned.slots].flatMap(([key, slot]) => {
    const register = registers.get(slot)
    return register === undefined ? [] : [{ key, register }]
  })
  const members = fields.map(({ slot, key = '', name, plan }): Member => ({
    to: name,
    from: key,
    register: (slot === undefined ? undefined : registers.get(slot)) ?? NO_REGISTER,
    turn: plan && lateTurn(plan, 'down'),
  }))
  const { size } = registers
  return (value, extra) => {
    if (!isObject(value)) return value
    const source = toRecord(value)
    const held = size === 0 ? NONE : Array.from({ length: size })
    for (const { key, register } of loads) held[register] = source[key]
    for (const work of works) work(held, extra)
    const made = write(members, source, held, extra)
    others?.(made, source)
    return made
  }
}

function createUp({ schema, owned, fields, registers, others }: Site, works: readonly Work[]): Turn {
  const loads = fields.flatMap(({ slot, name, plan }) => {
    const register = slot === undefined ? undefined : registers.get(slot)
    return register === undefined ? [] : [{ name, register, turn: plan && lateTurn(plan, 'up') }]
  })
  const byKey = new Map(fields.map((field) => [field.key, field]))
  const members = Object.keys(shapeOf(schema)).map((key): Member => {
    const slot = owned.slots.get(key)
    const field = byKey.get(key)
    const register = (slot === undefined ? undefined : registers.get(slot)) ?? NO_REGISTER
    // what is in a register was turned on its way there
    const turn = register === NO_REGISTER && field?.plan ? lateTurn(field.plan, 'up') : undefined
    return { to: key, from: field?.name ?? key, register, turn }
  })
  const refine = createRefine(schema)
  const { size } = registers
  return (value, extra) => {
    if (!isObject(value)) return value
    const source = toRecord(value)
    const held = size === 0 ? NONE : Array.from({ length: size })
    for (const { name, register, turn } of loads) {
      const member = source[name]
      held[register] = member === undefined || turn === undefined ? member : turnAt(turn, name, member, extra)
    }
    for (const work of works) work(held, extra)
    const made = write(members, source, held, extra)
    others?.(made, source)
    return refine === undefined ? made : refine(made)
  }
}

function write(
  members: readonly Member[],
  source: Readonly<Record<string, unknown>>,
  held: Registers,
  extra: TurnExtra,
): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const { to, from, register, turn } of members) {
    const value = register === NO_REGISTER ? source[from] : held[register]
    if (value !== undefined) made[to] = turn === undefined ? value : turnAt(turn, from, value, extra)
  }
  return made
}

function findOthers(schema: Schema, fields: readonly OldField[]): Site['others'] {
  const catchall = schemaOf(defOf(schema)['catchall'])
  if (catchall === undefined || defOf(catchall).type === 'never') return undefined
  const known = new Set([...Object.keys(shapeOf(schema)), ...fields.map(({ name }) => name)])
  return (made, source) => {
    for (const key of Object.keys(source)) {
      if (known.has(key)) continue
      // not assigned, because `__proto__` may be a key
      const member = { value: source[key], enumerable: true, writable: true, configurable: true }
      Object.defineProperty(made, key, member)
    }
  }
}

/**
 * Creates the function that runs the refinements of the newest object on what was made. What they refuse is the whole object, for the
 * client does not know the newest names.
 */
function createRefine(schema: Schema): ((value: unknown) => unknown) | undefined {
  const { checks } = defOf(schema)
  if (!Array.isArray(checks) || checks.length === 0) return undefined
  const validate = createValidator(cloneSchema(zod.unknown(), { checks }))
  return (value) => {
    const outcome = validate(value)
    if (isPromise(outcome)) {
      outcome.then(undefined, () => undefined)
      throw new MigrationError(undefined, 'A refinement of a model takes time')
    }
    if ('issues' in outcome)
      throw new RefusedError(outcome.issues.map(({ code, message }) => ({ code, message, path: [] })))
    return outcome.value
  }
}
