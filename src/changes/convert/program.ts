import type { Schema } from '../../schema/schema.ts'
import { isObject } from '../../base/values.ts'
import {
  callBlamed,
  RefusedError,
  convertAt,
  convertInner,
  differs,
  type Plan,
  type Direction,
  type Extra,
  type FieldExtra,
  type Identified,
  type Converter,
  type ChangeExtra,
  type ResponseExtra,
} from './converter.ts'
import type {
  NamedRegister,
  RequiredRegister,
  RequiredGroup,
  Instruction,
  InstructionOf,
} from './instructions.ts'

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
interface Load extends NamedRegister {
  /** The conversion of its own value, if functions of changes see the result. */
  readonly plan: Plan | undefined
}

/**
 * The conversion of an object in one direction. `interpret` runs it, and `compileProgram` makes a function that does the same. An absent
 * member is the same as one that is `undefined`, and neither arguments of functions nor results have such members.
 */
export interface Program {
  readonly direction: Direction
  readonly registerCount: number
  readonly loads: readonly Load[]
  readonly instructions: readonly Instruction[]
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
    const site = {
      registers: loadMembers(program, value, extra),
      extra,
      told: toldOf(extra),
      direction: program.direction,
    }
    for (const instruction of program.instructions) runInstruction(instruction, site, undefined)
    return writeMembers(program, value, site)
  }
}

/** Puts members into registers, as their own conversions make them. */
export function loadMembers({ direction, loads }: Program, value: object, extra: Extra): unknown[] {
  const registers: unknown[] = []
  for (const { name, register, plan } of loads)
    registers[register] = convertMember(plan, direction, name, Reflect.get(value, name), extra)
  return registers
}
export function writeMembers(program: Program, value: object, { registers, extra }: ProgramState): unknown {
  const { members, others, refine } = program
  const made: Record<string, unknown> = {}
  for (const member of members) {
    const own = writeMember(program, member, value, { registers, extra })
    if (own !== undefined) made[member.to] = own
  }
  others?.(made, value, extra)
  return refine === undefined ? made : refine(made)
}

export function writeMember(
  { direction }: Program,
  member: Member,
  value: object,
  { registers, extra }: Pick<ProgramState, 'registers' | 'extra'>,
): unknown {
  const { from, register } = member
  const given = register === undefined ? Reflect.get(value, from) : registers[register]
  return convertMember(member.plan, direction, from, complete(member, given, extra), extra)
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

/** The same for functions of headers and whole bodies. */
export function resultOf({ request, state, result }: Extra): ResponseExtra {
  return { request, state, result }
}

/** The second argument of functions that get more than the request. */
export function withRead({ request, state }: ChangeExtra, reads: object, loaded?: unknown): FieldExtra {
  return { request, state, reads, loaded }
}

function convertMember(
  plan: Plan | undefined,
  direction: Direction,
  name: string,
  value: unknown,
  extra: Extra,
): unknown {
  return value === undefined || plan === undefined ? value : convertAt(plan[direction], name, value, extra)
}

/** The state of a conversion while its program runs. */
export interface ProgramState {
  readonly registers: unknown[]
  readonly extra: Extra
  readonly told: ChangeExtra
  readonly direction: Direction
}

/** Runs one instruction. `loaded` is what its loader loaded. */
export function runInstruction(instruction: Instruction, site: ProgramState, loaded: unknown): void {
  if (instruction.kind === 'convert') runConvert(instruction, site, loaded)
  else if (instruction.kind === 'group') runGroup(instruction, site, loaded)
  else if (instruction.kind === 'keep') keep(instruction, site)
  else if (instruction.kind === 'inner') runInner(instruction, site)
  else if (instruction.kind === 'note' && site.registers[instruction.register] !== undefined)
    site.extra.altered?.(instruction.change.id, instruction.isName)
}

function keep({ change, args }: InstructionOf<'keep'>, { registers, extra }: ProgramState): void {
  extra.keeper?.keep?.(change, valuesOf(args, registers))
}

function runInner(instruction: InstructionOf<'inner'>, { registers, direction, extra }: ProgramState): void {
  const { register } = instruction
  const { loading } = extra
  const count = loading?.count
  const made = convertInner(instruction, direction, registers[register], extra)
  // while something in it waits for data, it is asked for again
  if (loading?.count === count) registers[register] = made
}

function runConvert(instruction: InstructionOf<'convert'>, site: ProgramState, loaded: unknown): void {
  const { registers, extra } = site
  const { change, register, check, skipsAbsent, required } = instruction
  const value = registers[register]
  if (value === undefined && skipsAbsent) return
  const isCalled = !isPassedThrough(instruction, value)
  if (isCalled && !required.every((each) => registers[each.register] !== undefined)) {
    registers[register] = incomplete(
      instruction,
      site.direction,
      required.map((each) => registers[each.register]),
    )
    return
  }
  const called = isCalled ? callConvert(instruction, value, site, loaded) : value
  const made = check === undefined ? called : check(called)
  registers[register] = made
  if (extra.altered !== undefined && differs(value, made)) extra.altered(change.id)
}

function isPassedThrough({ call, passThrough }: InstructionOf<'convert'>, value: unknown): boolean {
  return (
    call === undefined || (value === undefined && passThrough.absent) || (value === null && passThrough.null)
  )
}

function callConvert(
  instruction: InstructionOf<'convert'>,
  value: unknown,
  { registers, told }: Pick<ProgramState, 'registers' | 'told'>,
  loaded: unknown,
): unknown {
  const { call, reads, loader } = instruction
  if (call === undefined) return value
  const hasMore = reads.length > 0 || loader !== undefined
  const extra = hasMore ? withRead(told, valuesOf(reads, registers), loaded) : told
  // the types of `extra` come from the instruction
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return callBlamed(instruction, () => call(value, extra as never))
}

/** Leaves out a field whose function lacks another one of its fields. @throws `RefusedError` if a client sent it */
export function incomplete(
  { required }: InstructionOf<'convert'>,
  direction: Direction,
  values: readonly unknown[],
): undefined {
  if (direction === 'up') throw apart(required, values)
}

export function valuesOf(
  members: readonly NamedRegister[],
  registers: readonly unknown[],
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { name, register } of members)
    if (registers[register] !== undefined) values[name] = registers[register]
  return values
}

function runGroup(instruction: InstructionOf<'group'>, site: ProgramState, loaded: unknown): void {
  const { call, args, made, required, loader } = instruction
  const { registers, told } = site
  if (required !== undefined && !isTogether(required, registers)) {
    // an older version gets no field that could not be made
    if (required.sent === undefined) for (const { register } of made) registers[register] = undefined
    return
  }
  const given = loader === undefined ? told : withRead(told, NOTHING_READ, loaded)
  // the types of `extra` come from the instruction
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const results = call && callBlamed(instruction, () => call(valuesOf(args, registers), given as never))
  takeMade(instruction, isObject(results) ? results : NOTHING_READ, site)
}

/** Puts what a function of a whole object returned into registers. */
function takeMade(
  { change, made }: InstructionOf<'group'>,
  results: object,
  { registers, extra }: ProgramState,
): void {
  for (const { name, register, check, stays } of made) {
    if (stays && !isMadeIn(results, name)) continue
    const result: unknown = isMadeIn(results, name) ? Reflect.get(results, name) : undefined
    if (stays && extra.altered !== undefined && differs(registers[register], result)) extra.altered(change.id)
    registers[register] = check === undefined ? result : check(result)
  }
}

/** Whether a function returned a member. What every object has, such as `constructor`, counts if it is the own one of the result. */
function isMadeIn(results: object, name: string): boolean {
  return name in Object.prototype ? Object.hasOwn(results, name) : name in results
}

const NOTHING_READ = Object.freeze({})

/** Whether the members are there that functions of a whole object need. @throws `RefusedError` if a client sent some of them */
function isTogether({ sent, all }: RequiredGroup, registers: readonly unknown[]): boolean {
  const isThere = ({ register }: RequiredRegister): boolean => registers[register] !== undefined
  if (sent === undefined) return all.every(isThere)
  // a field that an older version does not have is never written by a part of a body
  if (!sent.some(isThere)) return false
  if (!all.every(isThere))
    throw apart(
      all,
      all.map(({ register }) => registers[register]),
    )
  return true
}

/** Creates the error for members that a client has to send together. `values` holds the registers, in the order of the names. */
export function apart(all: readonly RequiredRegister[], values: readonly unknown[]): RefusedError {
  const names = [...new Set(all.flatMap((each) => each.names))]
  const missing = new Set(all.flatMap((each, index) => (values[index] === undefined ? each.names : [])))
  const message = `Send all of ${names.join(', ')} or none of them: they are changed together`
  const paths = missing.size === 0 ? [[]] : [...missing].map((name) => [name])
  return new RefusedError(paths.map((path) => ({ code: 'missing_field', path, message })))
}
