import type { Schema } from '../../schema/schema.ts'
import type { FieldChange, FieldId } from '../chain.ts'
import { takesAbsent } from '../was.ts'
import type { OwnStep } from './own.ts'
import { createMadeCheck } from './turn.ts'
import type { Extra, Identified } from './turn.ts'

/** Checks a value that a change made, and returns the parsed value. */
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
      readonly fields: readonly string[]
      readonly register: number
      readonly call: ((value: unknown, extra: Extra) => unknown) | undefined
      readonly check: Check | undefined
      /** Whether an absent value stays absent. */
      readonly skipsAbsent: boolean
      /** The values that are not given to `call`, because the object allows them and the model does not. */
      readonly spares: { readonly absent: boolean; readonly null: boolean }
    }
  | {
      readonly kind: 'group'
      readonly change: Identified
      readonly fields: readonly string[]
      readonly call: ((values: object, extra: Extra) => unknown) | undefined
      readonly args: readonly Held[]
      readonly made: readonly (Held & { readonly check: Check | undefined })[]
      /** Without these nothing is made. */
      readonly needs: Needs | undefined
    }
  /** Reports that the change alters something, if the register has a value. */
  | {
      readonly kind: 'note'
      readonly change: Identified
      readonly register: number
      /** Whether only the name differs. */
      readonly isName: boolean
    }

/** A work of one kind. */
export type WorkOf<K extends Work['kind']> = Extract<Work, { readonly kind: K }>

/** A register, and the names of the members that its value comes from, as the client knows them. */
export interface Needed {
  readonly names: readonly string[]
  readonly register: number
}

/** The members that functions of a whole object need, in an object of which every member may be left out. */
export interface Needs {
  /** If none of these was sent, nothing is made and nothing is missing. `undefined` if it is never a mistake to leave some out. */
  readonly sent: readonly Needed[] | undefined
  readonly all: readonly Needed[]
}

/** Returns the register of a field. */
type RegisterOf = (slot: FieldId) => number

/** The works of a step on the way to the older version. */
export function downWork(own: OwnStep, site: Site): readonly Work[] {
  const { step, moves, isGroup, isPartial } = own
  const { registerOf } = site
  const { change, reshape, newer } = step
  const born = pick('born', moves, registerOf)
  // fields that only the newer version has are dropped, and those that only the older one has are made
  const works: Work[] = [...notes(['gone', 'rename'], own, registerOf)]
  if (isGroup && born.length > 0) {
    works.push({
      kind: 'group',
      change,
      fields: born.map(({ name }) => name),
      call: reshape.down,
      args: heldOf(newer, registerOf),
      made: born.map((each) => ({ ...each, check: undefined })),
      needs: isPartial
        ? {
            sent: undefined,
            all: neededOf([...ofKind('gone', moves), ...step.reads.map(([, slot]) => slot)], site),
          }
        : undefined,
    })
  }
  for (const move of moves) {
    if (move.kind !== 'turn' || move.field.down === undefined) continue
    const { name, slot, field } = move
    works.push({
      kind: 'turn',
      change,
      fields: [name],
      register: registerOf(slot),
      call: field.down,
      check: undefined,
      // an older version that demands the field has none without `down`
      skipsAbsent: isPartial || takesAbsent(move.was),
      spares: { absent: site.isAround(slot, OPTIONAL), null: site.isAround(slot, NULLABLE) },
    })
  }
  return [...works, ...notes(['born'], own, registerOf)]
}

/** The parts of an object that both directions use. */
export interface Site {
  /** Whether the object puts a wrapper of one of these types around the field of the model. */
  readonly isAround: (slot: FieldId, types: ReadonlySet<string>) => boolean
  readonly registerOf: RegisterOf
  /** The members of the older version that the value of a field comes from. */
  readonly sentOf: (slot: FieldId) => readonly string[]
}

const NULLABLE = new Set(['nullable'])
const OPTIONAL = new Set(['optional', 'default', 'prefault'])

/** The registers of fields. If two have one name, the last one counts. */
function heldOf(fields: OwnStep['step']['reads'], registerOf: RegisterOf): readonly Held[] {
  return [...new Map(fields)].map(([name, slot]) => ({ name, register: registerOf(slot) }))
}

/** The parts of an object that are used on the way to the newest version. */
export interface UpSite extends Site {
  /** The schema that a field has on the newer side of the step. */
  readonly newerSchema: (slot: FieldId) => Schema | undefined
}

/** The works of a step on the way to the newest version. Values that a change makes are checked at once. */
export function upWork(own: OwnStep, site: UpSite): readonly Work[] {
  const { step, moves, isGroup, isPartial } = own
  const { change, reshape, older } = step
  const { newerSchema, registerOf } = site
  const works: Work[] = [...notes(['born', 'rename'], own, registerOf)]
  if (isGroup) {
    const made = moves.flatMap((move) => {
      const schema = move.kind === 'gone' ? newerSchema(move.slot) : undefined
      if (move.kind !== 'gone' || schema === undefined) return []
      const { name, slot } = move
      return [{ name, register: registerOf(slot), check: createMadeCheck(schema, change, name) }]
    })
    works.push({
      kind: 'group',
      change,
      fields: made.map(({ name }) => name),
      call: reshape.up,
      args: heldOf(older, registerOf),
      made,
      needs: isPartial ? needsOf(moves, step, site) : undefined,
    })
  }
  for (const move of moves) {
    const schema = move.kind === 'turn' ? newerSchema(move.slot) : undefined
    if (move.kind !== 'turn' || schema === undefined) continue
    const { name, slot, field } = move
    works.push({
      kind: 'turn',
      change,
      fields: [name],
      register: registerOf(slot),
      call: field.up,
      check: createMadeCheck(schema, change, name, field.narrowed === true ? site.sentOf(slot) : undefined),
      skipsAbsent: isPartial,
      spares: { absent: site.isAround(slot, OPTIONAL), null: site.isAround(slot, NULLABLE) },
    })
  }
  return [...works, ...notes(['gone'], own, registerOf)]
}

/** The works that report members which are there. */
function notes(
  kinds: readonly FieldChange['kind'][],
  { step: { change }, moves }: OwnStep,
  registerOf: RegisterOf,
): readonly Work[] {
  return moves
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, slot }) => ({
      kind: 'note',
      change,
      register: registerOf(slot),
      isName: kind === 'rename',
    }))
}

function needsOf(moves: readonly FieldChange[], { reads }: OwnStep['step'], site: Site): Needs {
  const sent = neededOf(ofKind('born', moves), site)
  const read = neededOf(
    reads.map(([, slot]) => slot),
    site,
  )
  return { sent, all: [...sent, ...read] }
}

function neededOf(slots: readonly FieldId[], { registerOf, sentOf }: Site): readonly Needed[] {
  return slots.map((slot) => ({ names: sentOf(slot), register: registerOf(slot) }))
}

function ofKind(kind: FieldChange['kind'], moves: readonly FieldChange[]): readonly FieldId[] {
  return moves.filter((move) => move.kind === kind).map(({ slot }) => slot)
}

function pick(kind: 'born', moves: readonly FieldChange[], registerOf: RegisterOf): readonly Held[] {
  return moves.flatMap((move) =>
    move.kind === kind ? [{ name: move.name, register: registerOf(move.slot) }] : [],
  )
}
