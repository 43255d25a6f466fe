import type { Schema } from '../../schema/schema.ts'
import { isPromise } from '../../base/async.ts'
import { isObject } from '../../base/values.ts'
import type { Plan, Side } from './plan.ts'
import { differs } from './tracking.ts'
import { promisedIn, RefusedError, threwIn, convertAt } from './converter.ts'
import type { Extra, FieldExtra, Identified, Converter, ChangeExtra } from './converter.ts'
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
export function interpret(program: Program): Converter {
  return (value, extra) => {
    if (!isObject(value)) return value
    const site = { held: loadMembers(program, value, extra), extra, told: toldOf(extra), side: program.side }
    for (const work of program.works) runWork(work, site, undefined)
    return writeMembers(program, value, site)
  }
}

/** Puts members into registers, as their own conversions make them. */
export function loadMembers({ side, loads }: Program, value: object, extra: Extra): unknown[] {
  const held: unknown[] = []
  for (const { name, register, plan } of loads)
    held[register] = convertMember(plan, side, name, Reflect.get(value, name), extra)
  return held
}

/** Creates the object of its members. */
export function writeMembers(program: Program, value: object, { held, extra }: WorkSite): unknown {
  const { members, others, refine } = program
  const made: Record<string, unknown> = {}
  for (const member of members) {
    const own = writeMember(program, member, value, { held, extra })
    if (own !== undefined) made[member.to] = own
  }
  others?.(made, value, extra)
  return refine === undefined ? made : refine(made)
}

/** Returns the value of a member in the object that is made. */
export function writeMember(
  { side }: Program,
  member: Member,
  value: object,
  { held, extra }: Pick<WorkSite, 'held' | 'extra'>,
): unknown {
  const { from, register } = member
  const given = register === undefined ? Reflect.get(value, from) : held[register]
  return convertMember(member.plan, side, from, complete(member, given, extra), extra)
}

/** Returns the value of a member, or of its fallback if it is absent. */
function complete({ fallback, shaper }: Member, given: unknown, extra: Extra): unknown {
  if (given !== undefined || fallback === undefined) return given
  const value = fallback()
  if (value !== undefined && shaper !== undefined) extra.altered?.(shaper.id)
  return value
}

/** The second argument of functions of changes, which see the request alone. */
export function toldOf(extra: Extra): ChangeExtra {
  const { request, state, altered, loading } = extra
  return altered === undefined && loading === undefined ? extra : { request, state }
}

/** The second argument of functions that get more than the request. */
export function withRead({ request, state }: ChangeExtra, reads: object, loaded?: unknown): FieldExtra {
  return { request, state, reads, loaded }
}

function convertMember(
  plan: Plan | undefined,
  side: Side,
  name: string,
  value: unknown,
  extra: Extra,
): unknown {
  return value === undefined || plan === undefined ? value : convertAt(plan[side], name, value, extra)
}

/** The state of a conversion while its program runs. */
export interface WorkSite {
  readonly held: unknown[]
  readonly extra: Extra
  readonly told: ChangeExtra
  readonly side: Side
}

/** Runs one work. `loaded` is what its loader loaded. */
export function runWork(work: Work, site: WorkSite, loaded: unknown): void {
  if (work.kind === 'convert') runConvert(work, site, loaded)
  else if (work.kind === 'group') runGroup(work, site, loaded)
  else if (work.kind === 'note' && site.held[work.register] !== undefined)
    site.extra.altered?.(work.change.id, work.isName)
}

function runConvert(work: WorkOf<'convert'>, site: WorkSite, loaded: unknown): void {
  const { held, extra } = site
  const { change, register, check, skipsAbsent, needs } = work
  const value = held[register]
  if (value === undefined && skipsAbsent) return
  const isCalled = !isSpared(work, value)
  if (isCalled && !needs.every((each) => held[each.register] !== undefined)) {
    held[register] = incomplete(
      work,
      site.side,
      needs.map((each) => held[each.register]),
    )
    return
  }
  const called = isCalled ? callConvert(work, value, site, loaded) : value
  const made = check === undefined ? called : check(called)
  held[register] = made
  if (extra.altered !== undefined && differs(value, made)) extra.altered(change.id)
}

function isSpared({ call, spares }: WorkOf<'convert'>, value: unknown): boolean {
  return call === undefined || (value === undefined && spares.absent) || (value === null && spares.null)
}

function callConvert(
  work: WorkOf<'convert'>,
  value: unknown,
  { held, told }: Pick<WorkSite, 'held' | 'told'>,
  loaded: unknown,
): unknown {
  const { call, reads, loader } = work
  if (call === undefined) return value
  const hasMore = reads.length > 0 || loader !== undefined
  return runCall(work, call, value, hasMore ? withRead(told, valuesOf(reads, held), loaded) : told)
}

/** Leaves out a field without the others that its function needs. @throws `RefusedError` for those of a client */
export function incomplete({ needs }: WorkOf<'convert'>, side: Side, values: readonly unknown[]): undefined {
  if (side === 'up') throw apart(needs, values)
}

/** The values of members that are there. */
export function valuesOf(members: readonly Held[], held: readonly unknown[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { name, register } of members) if (held[register] !== undefined) values[name] = held[register]
  return values
}

function runGroup(work: WorkOf<'group'>, { held, told }: WorkSite, loaded: unknown): void {
  const { call, args, made, needs, loader } = work
  if (needs !== undefined && !isTogether(needs, held)) return
  const given = loader === undefined ? told : withRead(told, NOTHING_READ, loaded)
  const results = call === undefined ? undefined : runCall(work, call, valuesOf(args, held), given)
  for (const { name, register, check } of made) {
    const result: unknown = isObject(results) ? Reflect.get(results, name) : undefined
    held[register] = check === undefined ? result : check(result)
  }
}

const NOTHING_READ = Object.freeze({})

function runCall<T>(
  work: WorkOf<'convert' | 'group'>,
  call: (value: T, extra: never) => unknown,
  value: T,
  told: ChangeExtra,
): unknown {
  let made
  try {
    // a change gets what its own works say
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    made = call(value, told as never)
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
