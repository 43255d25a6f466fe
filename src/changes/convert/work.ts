import type { Schema } from '../../schema/schema.ts'
import { toRecord } from '../../values.ts'
import type { Move, Slot } from '../chain.ts'
import type { OwnStep } from './own.ts'
import { createMadeCheck, RefusedError, runChange } from './turn.ts'
import type { TurnExtra } from './turn.ts'

/** The values of those fields of one object that functions of changes read or make. */
export type Registers = unknown[]

/** One thing that a change does to registers. */
export type Work = (registers: Registers, extra: TurnExtra) => void

/** Gives the register of a field. */
export type RegisterOf = (slot: Slot) => number

interface Named {
  readonly name: string
  readonly register: number
}

/** What a step does on the way to the older version. */
export function downWork({ step, moves, isGroup }: OwnStep, registerOf: RegisterOf): readonly Work[] {
  const { change, reshape, newer } = step
  const works: Work[] = []
  const { down } = reshape
  const born = pick('born', moves, registerOf)
  if (isGroup && born.length > 0 && down !== undefined) {
    const args = newer.map(([name, slot]) => ({ name, register: registerOf(slot) }))
    works.push((held, extra) => {
      const made = runChange(change, () => toRecord(down(gather(args, held), extra)))
      for (const { name, register } of born) held[register] = made[name]
    })
  }
  for (const move of moves) {
    if (move.kind !== 'turn' || move.field.down === undefined) continue
    const { down: turn } = move.field
    const register = registerOf(move.slot)
    works.push((held, extra) => {
      const value = held[register]
      if (value !== undefined) held[register] = runChange(change, () => turn(value, extra))
    })
  }
  return works
}

/** What is known of an object on the way to the newest version. */
export interface UpSite {
  /** Whether fields that are left out stay so. */
  readonly isPartial: boolean
  /** The schema that a field has on the newer side of the step. */
  readonly newerSchema: (slot: Slot) => Schema | undefined
  readonly registerOf: RegisterOf
}

/** What a step does on the way to the newest version. What it makes is checked at once. */
export function upWork(own: OwnStep, site: UpSite): readonly Work[] {
  const { change } = own.step
  const works: Work[] = own.isGroup ? [groupUp(own, site)] : []
  for (const move of own.moves) {
    if (move.kind !== 'turn') continue
    const register = site.registerOf(move.slot)
    const to = site.newerSchema(move.slot)
    if (to === undefined) continue
    const { up, narrowed } = move.field
    const check = createMadeCheck(to, change, narrowed === true)
    works.push((held, extra) => {
      const value = held[register]
      if (value === undefined && site.isPartial) return
      const made = up === undefined ? value : runChange(change, () => up(value, extra))
      held[register] = checkNamed(move.name, check, made)
    })
  }
  return works
}

function groupUp({ step, moves }: OwnStep, { isPartial, newerSchema, registerOf }: UpSite): Work {
  const { change, reshape, older } = step
  const { up } = reshape
  const args = older.map(([name, slot]) => ({ name, register: registerOf(slot) }))
  const born = pick('born', moves, registerOf)
  const gone = moves.flatMap((move) => {
    const schema = move.kind === 'gone' ? newerSchema(move.slot) : undefined
    if (move.kind !== 'gone' || schema === undefined) return []
    return [{ name: move.name, register: registerOf(move.slot), check: createMadeCheck(schema, change) }]
  })
  return (held, extra) => {
    if (isPartial) {
      const missing = born.filter(({ register }) => held[register] === undefined)
      // a field that an older version does not have is never written by a part of a body
      if (missing.length === born.length) return
      if (missing.length > 0) throw new RefusedError(missing.map(({ name }) => toMissing(name, born)))
    }
    const made = up === undefined ? {} : runChange(change, () => toRecord(up(gather(args, held), extra)))
    for (const { name, register, check } of gone) held[register] = check(made[name])
  }
}

function toMissing(name: string, all: readonly Named[]): RefusedError['issues'][number] {
  const names = all.map((each) => each.name).join(', ')
  return {
    code: 'missing_field',
    path: [name],
    message: `Send all of ${names} or none of them: they are changed together`,
  }
}

function pick(kind: 'born' | 'gone', moves: readonly Move[], registerOf: RegisterOf): readonly Named[] {
  return moves.flatMap((move) =>
    move.kind === kind ? [{ name: move.name, register: registerOf(move.slot) }] : [],
  )
}

function gather(args: readonly Named[], held: Registers): Record<string, unknown> {
  const gathered: Record<string, unknown> = {}
  for (const { name, register } of args) {
    const value = held[register]
    if (value !== undefined) gathered[name] = value
  }
  return gathered
}

/** Checks a field; what is refused is found below its name. */
function checkNamed(name: string, check: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return check(value)
  } catch (error) {
    if (error instanceof RefusedError) error.path.unshift(name)
    throw error
  }
}
