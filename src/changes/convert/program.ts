import type { Schema } from '../../schema/schema.ts'
import { isPromise } from '../../base/async.ts'
import { isObject } from '../../base/values.ts'
import type { Plan, Side } from './plan.ts'
import { differs } from './tracking.ts'
import { promisedIn, RefusedError, threwIn, turnAt } from './turn.ts'
import type { Extra, Identified, Turn } from './turn.ts'
import type { Held, Needed, Needs, Work, WorkOf } from './work.ts'

/** A member of the object that is made: it comes from a member of the value, or from a register. */
export interface Member {
  readonly to: string
  readonly from: string
  readonly register: number | undefined
  /** The conversion of its own value. */
  readonly plan: Plan | undefined
  readonly schema: Schema
  /** Returns the value of an absent member. */
  readonly fallback: (() => unknown) | undefined
  /** The change that the fallback comes from. */
  readonly shaper: Identified | undefined
}

/** A member that is put into a register. */
interface Load extends Held {
  /** The conversion of its own value, if functions of changes see the result. */
  readonly plan: Plan | undefined
}

/**
 * The conversion of an object in one direction. `interpret` runs it, and `compileProgram` makes a function that does the same. An absent
 * member is the same as one that is `undefined`, and neither arguments of functions nor results have such members.
 */
export interface Program {
  readonly side: Side
  readonly registers: number
  readonly loads: readonly Load[]
  readonly works: readonly Work[]
  readonly members: readonly Member[]
  /** Copies the members that no version declares, if the object keeps them. */
  readonly others: ((made: object, source: object, extra: Extra) => void) | undefined
  /** Runs the refinements of the newest object. */
  readonly refine: ((made: unknown) => unknown) | undefined
}

/** Creates the conversion that runs a program, for platforms that forbid to make code from text. */
export function interpret({ side, loads, works, members, others, refine }: Program): Turn {
  return (value, extra) => {
    if (!isObject(value)) return value
    const held: unknown[] = []
    const site = { held, extra, told: toldOf(extra) }
    for (const { name, register, plan } of loads)
      held[register] = turnMember(plan, side, name, Reflect.get(value, name), extra)
    for (const work of works) runWork(work, site)
    const made: Record<string, unknown> = {}
    for (const member of members) {
      const { from, register } = member
      const given = register === undefined ? Reflect.get(value, from) : held[register]
      const own = turnMember(member.plan, side, from, complete(member, given, extra), extra)
      if (own !== undefined) made[member.to] = own
    }
    others?.(made, value, extra)
    return refine === undefined ? made : refine(made)
  }
}

/** Returns the value of a member, or of its fallback if it is absent. */
function complete({ fallback, shaper }: Member, given: unknown, extra: Extra): unknown {
  if (given !== undefined || fallback === undefined) return given
  const value = fallback()
  if (value !== undefined && shaper !== undefined) extra.altered?.(shaper.id)
  return value
}

/** The second argument of functions of changes, which do not see who is told of changes. */
export function toldOf(extra: Extra): Extra {
  return extra.altered === undefined ? extra : { request: extra.request }
}

function turnMember(plan: Plan | undefined, side: Side, name: string, value: unknown, extra: Extra): unknown {
  return value === undefined || plan === undefined ? value : turnAt(plan[side], name, value, extra)
}

interface Site {
  readonly held: unknown[]
  readonly extra: Extra
  readonly told: Extra
}

function runWork(work: Work, site: Site): void {
  if (work.kind === 'turn') runTurn(work, site)
  else if (work.kind === 'group') runGroup(work, site)
  else if (site.held[work.register] !== undefined) site.extra.altered?.(work.change.id, work.isName)
}

function runTurn(work: WorkOf<'turn'>, { held, extra, told }: Site): void {
  const { change, register, call, check, skipsAbsent, spares } = work
  const value = held[register]
  if (value === undefined && skipsAbsent) return
  const isSpared = (value === undefined && spares.absent) || (value === null && spares.null)
  const called = call === undefined || isSpared ? value : runCall(work, call, value, told)
  const made = check === undefined ? called : check(called)
  held[register] = made
  if (extra.altered !== undefined && differs(value, made)) extra.altered(change.id)
}

function runGroup(work: WorkOf<'group'>, { held, told }: Site): void {
  const { call, args, made, needs } = work
  if (needs !== undefined && !isTogether(needs, held)) return
  const values: Record<string, unknown> = {}
  for (const { name, register } of args) if (held[register] !== undefined) values[name] = held[register]
  const results = call === undefined ? undefined : runCall(work, call, values, told)
  for (const { name, register, check } of made) {
    const result: unknown = isObject(results) ? Reflect.get(results, name) : undefined
    held[register] = check === undefined ? result : check(result)
  }
}

function runCall<T>(
  work: WorkOf<'turn' | 'group'>,
  call: (value: T, extra: Extra) => unknown,
  value: T,
  told: Extra,
): unknown {
  let made
  try {
    made = call(value, told)
  } catch (error) {
    throw threwIn(work, error)
  }
  if (isPromise(made)) throw promisedIn(work, made)
  return made
}

/** Whether the members are there that functions of a whole object need. @throws `RefusedError` if a client sent some of them */
function isTogether({ sent, all }: Needs, held: readonly unknown[]): boolean {
  const isThere = ({ register }: Needed): boolean => held[register] !== undefined
  if (sent === undefined) return all.every(isThere)
  // a field that an older version does not have is never written by a part of a body
  if (!sent.some(isThere)) return false
  if (!all.every(isThere))
    throw apart(
      all,
      all.map(({ register }) => held[register]),
    )
  return true
}

/** Creates the error for members that a client has to send together. `values` are those of the registers, in the same order. */
export function apart(all: readonly Needed[], values: readonly unknown[]): RefusedError {
  const names = [...new Set(all.flatMap((each) => each.names))]
  const missing = new Set(all.flatMap((each, index) => (values[index] === undefined ? each.names : [])))
  const message = `Send all of ${names.join(', ')} or none of them: they are changed together`
  const paths = missing.size === 0 ? [[]] : [...missing].map((name) => [name])
  return new RefusedError(paths.map((path) => ({ code: 'missing_field', path, message })))
}
