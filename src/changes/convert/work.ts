import type { Schema } from '../../schema/schema.ts'
import type { Move, Slot } from '../chain.ts'
import type { OwnStep } from './own.ts'
import { createMadeCheck } from './turn.ts'
import type { Identified, TurnExtra } from './turn.ts'

/** Checks what a change made, and returns what its schema makes of it. */
type Check = (value: unknown) => unknown

/** A member of an object, and the register that holds its value. */
export interface Held {
  readonly name: string
  readonly register: number
}

/** One thing that a change does to the registers of an object. */
export type Work =
  | {
      readonly kind: 'turn'
      readonly change: Identified
      readonly name: string
      readonly register: number
      readonly call: ((value: unknown, extra: TurnExtra) => unknown) | undefined
      readonly check: Check | undefined
      /** Whether what is absent stays so. */
      readonly skipsAbsent: boolean
    }
  | {
      readonly kind: 'group'
      readonly change: Identified
      readonly call: ((values: object, extra: TurnExtra) => unknown) | undefined
      readonly args: readonly Held[]
      readonly made: readonly (Held & { readonly check: Check | undefined })[]
      /** Members of which a client sends all or none; nothing is made without them. */
      readonly together: readonly Held[] | undefined
    }

/** Gives the register of a field. */
export type RegisterOf = (slot: Slot) => number

/** What a step does on the way to the older version. */
export function downWork({ step, moves, isGroup }: OwnStep, registerOf: RegisterOf): readonly Work[] {
  const { change, reshape, newer } = step
  const born = pick('born', moves, registerOf)
  const works: Work[] = []
  if (isGroup && born.length > 0) {
    works.push({
      kind: 'group',
      change,
      call: reshape.down,
      args: newer.map(([name, slot]) => ({ name, register: registerOf(slot) })),
      made: born.map((each) => ({ ...each, check: undefined })),
      together: undefined,
    })
  }
  for (const move of moves) {
    if (move.kind !== 'turn' || move.field.down === undefined) continue
    const { name, slot, field } = move
    const register = registerOf(slot)
    works.push({
      kind: 'turn',
      change,
      name,
      register,
      call: field.down,
      check: undefined,
      skipsAbsent: true,
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
export function upWork({ step, moves, isGroup }: OwnStep, site: UpSite): readonly Work[] {
  const { change, reshape, older } = step
  const { isPartial, newerSchema, registerOf } = site
  const works: Work[] = []
  if (isGroup) {
    works.push({
      kind: 'group',
      change,
      call: reshape.up,
      args: older.map(([name, slot]) => ({ name, register: registerOf(slot) })),
      made: moves.flatMap((move) => {
        const schema = move.kind === 'gone' ? newerSchema(move.slot) : undefined
        if (move.kind !== 'gone' || schema === undefined) return []
        const { name, slot } = move
        return [{ name, register: registerOf(slot), check: createMadeCheck(schema, change) }]
      }),
      together: isPartial ? pick('born', moves, registerOf) : undefined,
    })
  }
  for (const move of moves) {
    const schema = move.kind === 'turn' ? newerSchema(move.slot) : undefined
    if (move.kind !== 'turn' || schema === undefined) continue
    const { name, slot, field } = move
    const check = createMadeCheck(schema, change, field.narrowed === true)
    works.push({
      kind: 'turn',
      change,
      name,
      register: registerOf(slot),
      call: field.up,
      check,
      skipsAbsent: isPartial,
    })
  }
  return works
}

function pick(kind: 'born' | 'gone', moves: readonly Move[], registerOf: RegisterOf): readonly Held[] {
  return moves.flatMap((move) =>
    move.kind === kind ? [{ name: move.name, register: registerOf(move.slot) }] : [],
  )
}
