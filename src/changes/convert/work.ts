import type { Schema } from '../../schema/schema.ts'
import type { Move, Slot } from '../chain.ts'
import { takesAbsent } from '../was.ts'
import type { OwnStep } from './own.ts'
import { createMadeCheck } from './turn.ts'
import type { Extra, Identified } from './turn.ts'

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
      readonly call: ((value: unknown, extra: Extra) => unknown) | undefined
      readonly check: Check | undefined
      /** Whether what is absent stays so. */
      readonly skipsAbsent: boolean
      /** Which values are not given to `call`, because the object allows them and the model does not. */
      readonly spares: { readonly absent: boolean; readonly null: boolean }
    }
  | {
      readonly kind: 'group'
      readonly change: Identified
      readonly call: ((values: object, extra: Extra) => unknown) | undefined
      readonly args: readonly Held[]
      readonly made: readonly (Held & { readonly check: Check | undefined })[]
      /** Without these nothing is made. */
      readonly needs: Needs | undefined
    }

/** A work of one kind. */
export type WorkOf<K extends Work['kind']> = Extract<Work, { readonly kind: K }>

/** The members that functions of a whole object need, in an object of which every member may be left out. */
export interface Needs {
  /** If none of these was sent, nothing is made and nothing is missing. `undefined` if it is never a mistake to leave some out. */
  readonly sent: readonly Held[] | undefined
  readonly all: readonly Held[]
}

/** Returns the register of a field. */
type RegisterOf = (slot: Slot) => number

/** What a step does on the way to the older version. */
export function downWork({ step, moves, isGroup }: OwnStep, site: Site): readonly Work[] {
  const { isPartial, registerOf } = site
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
      needs: isPartial
        ? { sent: undefined, all: [...pick('gone', moves, registerOf), ...readsOf(step, registerOf)] }
        : undefined,
    })
  }
  for (const move of moves) {
    if (move.kind !== 'turn' || move.field.down === undefined) continue
    const { name, slot, field } = move
    works.push({
      kind: 'turn',
      change,
      name,
      register: registerOf(slot),
      call: field.down,
      check: undefined,
      // an older version that demands the field has none without `down`
      skipsAbsent: isPartial || takesAbsent(move.was),
      spares: { absent: site.isAround(slot, OPTIONAL), null: site.isAround(slot, NULLABLE) },
    })
  }
  return works
}

/** What is known of an object in both directions. */
export interface Site {
  /** Whether fields that are left out stay so. */
  readonly isPartial: boolean
  /** Whether the object puts a wrapper of one of these types around the field of the model. */
  readonly isAround: (slot: Slot, types: ReadonlySet<string>) => boolean
  readonly registerOf: RegisterOf
}

const NULLABLE = new Set(['nullable'])
const OPTIONAL = new Set(['optional', 'default', 'prefault'])

function readsOf({ reads }: OwnStep['step'], registerOf: RegisterOf): readonly Held[] {
  return reads.map(([name, slot]) => ({ name, register: registerOf(slot) }))
}

/** What is known of an object on the way to the newest version. */
export interface UpSite extends Site {
  /** The schema that a field has on the newer side of the step. */
  readonly newerSchema: (slot: Slot) => Schema | undefined
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
      needs: isPartial ? needsOf(pick('born', moves, registerOf), step, registerOf) : undefined,
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
      spares: { absent: site.isAround(slot, OPTIONAL), null: site.isAround(slot, NULLABLE) },
    })
  }
  return works
}

function needsOf(sent: readonly Held[], step: OwnStep['step'], registerOf: RegisterOf): Needs {
  return { sent, all: [...sent, ...readsOf(step, registerOf)] }
}

function pick(kind: 'born' | 'gone', moves: readonly Move[], registerOf: RegisterOf): readonly Held[] {
  return moves.flatMap((move) =>
    move.kind === kind ? [{ name: move.name, register: registerOf(move.slot) }] : [],
  )
}
