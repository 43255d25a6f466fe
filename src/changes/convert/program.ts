import type { Schema } from '../../schema/schema.ts'
import type { SchemaIssue } from '../../schema/validator.ts'
import { isObject, toRecord } from '../../values.ts'
import type { Plan, Side } from './plan.ts'
import { RefusedError, runChange, turnAt } from './turn.ts'
import type { Extra, Turn } from './turn.ts'
import type { Held, Needs, Work, WorkOf } from './work.ts'

/** A member of what is made: it comes from a member of the value, or from a register. */
export interface Member {
  readonly to: string
  readonly from: string
  readonly register: number | undefined
  /** How its own value travels. */
  readonly plan: Plan | undefined
  readonly schema: Schema
  /** What stands there if nothing else does. */
  readonly fallback: ((extra: Extra) => unknown) | undefined
}

/** A member that is put into a register. */
interface Load extends Held {
  /** How its own value travels, if it does so before functions of changes see it. */
  readonly plan: Plan | undefined
}

/** The conversion of an object in one direction: what is read, what is done with it, and what is written. */
export interface Program {
  readonly side: Exclude<Side, 'slowUp' | 'slowDown'>
  readonly registers: number
  readonly loads: readonly Load[]
  readonly works: readonly Work[]
  readonly members: readonly Member[]
  /** Copies the members that no version declares, if the object keeps them. */
  readonly others: ((made: object, source: object) => void) | undefined
  /** Runs the refinements of the newest object. */
  readonly refine: ((made: unknown) => unknown) | undefined
}

/** Runs a program step by step, so that errors know where they are. */
export function interpret(program: Program): Turn {
  const { loads, works, members, others, refine } = program
  const side = SLOW[program.side]
  return (value, extra) => {
    if (!isObject(value)) return value
    const source = toRecord(value)
    const held: unknown[] = []
    for (const { name, register, plan } of loads)
      held[register] = turnMember(plan, side, name, source[name], extra)
    for (const work of works) runWork(work, held, extra)
    const made: Record<string, unknown> = {}
    for (const { to, from, register, plan, fallback } of members) {
      const own = register === undefined ? source[from] : held[register]
      const given = own === undefined && fallback !== undefined ? fallback(extra) : own
      const turned = turnMember(plan, side, from, given, extra)
      if (turned !== undefined) made[to] = turned
    }
    others?.(made, source)
    return refine === undefined ? made : refine(made)
  }
}

/** How the members of a value are turned that is turned step by step. */
const SLOW = {
  up: 'slowUp',
  down: 'slowDown',
  trackedUp: 'trackedUp',
  trackedDown: 'trackedDown',
} as const satisfies Record<Program['side'], Side>

function turnMember(plan: Plan | undefined, side: Side, name: string, value: unknown, extra: Extra): unknown {
  const turn = plan?.[side]
  return value === undefined || turn === undefined ? value : turnAt(turn, name, value, extra)
}

function runWork(work: Work, held: unknown[], extra: Extra): void {
  if (work.kind === 'turn') runTurn(work, held, extra)
  else runGroup(work, held, extra)
}

function runTurn(work: WorkOf<'turn'>, held: unknown[], extra: Extra): void {
  const { change, register, call, check, name, skipsAbsent, spares } = work
  const value = held[register]
  if (value === undefined && skipsAbsent) return
  const isSpared = (value === undefined && spares.absent) || (value === null && spares.null)
  const made = call === undefined || isSpared ? value : runChange(change, () => call(value, extra))
  held[register] = check === undefined ? made : turnAt(check, name, made, extra)
}

function runGroup(work: WorkOf<'group'>, held: unknown[], extra: Extra): void {
  const { change, call, args, made, needs } = work
  if (needs !== undefined && !isTogether(needs, held)) return
  const values: Record<string, unknown> = {}
  for (const { name, register } of args) if (held[register] !== undefined) values[name] = held[register]
  const results = toRecord(call === undefined ? {} : runChange(change, () => call(values, extra)))
  for (const { name, register, check } of made)
    held[register] = check === undefined ? results[name] : check(results[name])
}

/** Whether the members are there that functions of a whole object need. @throws `RefusedError` if a client sent some of them */
function isTogether({ sent, all }: Needs, held: readonly unknown[]): boolean {
  const isAbsent = ({ register }: Held): boolean => held[register] === undefined
  const missing = all.filter(isAbsent)
  if (sent === undefined) return missing.length === 0
  // a field that an older version does not have is never written by a part of a body
  if (sent.every(isAbsent)) return false
  if (missing.length > 0) throw new RefusedError(missing.map(({ name }) => toMissing(name, all)))
  return true
}

function toMissing(name: string, all: readonly Held[]): SchemaIssue {
  const names = all.map((each) => each.name).join(', ')
  return {
    code: 'missing_field',
    path: [name],
    message: `Send all of ${names} or none of them: they are changed together`,
  }
}
