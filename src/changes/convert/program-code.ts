import { isPromise } from '../../base/values.ts'
import { isCodeAllowed } from '../../schema/validator.ts'
import { apart, incomplete, toldOf, withRead, type Program } from './program.ts'
import {
  convertInner,
  differs,
  below,
  promisedIn,
  threwIn,
  type Identified,
  type Converter,
} from './converter.ts'
import type { NamedRegister, InstructionOf } from './instructions.ts'

/**
 * Compiles a program into one function, which is some ten times as fast as `interpret` and does the same. Returns `undefined` if code
 * generation is not allowed.
 */
export function compileProgram(program: Program): Converter | undefined {
  const { instructions, members, loads, others, refine } = program
  const args = instructions.flatMap((instruction) =>
    instruction.kind === 'group' || instruction.kind === 'keep' ? instruction.args : [],
  )
  const names = [...members.map(({ to }) => to), ...[...loads, ...args].map(({ name }) => name)]
  // in an object literal it is not a member
  if (!isCodeAllowed() || names.includes('__proto__')) return undefined
  const code: Code = { lines: [], constants: [] }
  code.lines.push(`if (typeof v !== 'object' || v === null) return v`, 'const w = x.altered')
  if (instructions.some((instruction) => instruction.kind !== 'note'))
    code.lines.push(`const y = ${constant(code, toldOf)}(x)`)
  writeLoads(code, program)
  for (const instruction of instructions) {
    if (instruction.kind === 'convert') writeConvert(code, instruction, program)
    else if (instruction.kind === 'group') writeGroup(code, instruction)
    else if (instruction.kind === 'keep') writeKeep(code, instruction)
    else if (instruction.kind === 'inner') {
      const [call, self] = [constant(code, convertInner), constant(code, instruction)]
      const register = `r${instruction.register}`
      code.lines.push(`${register} = ${call}(${self}, ${quoted(program.direction)}, ${register}, x)`)
    } else if (instruction.kind === 'note')
      code.lines.push(`if (w !== undefined && r${instruction.register} !== undefined) ${noting(instruction)}`)
  }
  writeMembers(code, program)
  if (others !== undefined) code.lines.push(`${constant(code, others)}(o, v, x)`)
  code.lines.push(refine === undefined ? 'return o' : `return ${constant(code, refine)}(o)`)
  const constants = code.constants.map((_, index) => `const c${index} = c[${index}]`)
  const body = ["'use strict'", ...constants, 'return (v, x) => {', ...code.lines, '}'].join('\n')
  try {
    // oxlint-disable-next-line typescript/no-implied-eval, no-new-func, typescript/no-unsafe-type-assertion -- names are quoted by JSON.stringify
    return new Function('c', body)(code.constants) as Converter
  } catch {
    return undefined
  }
}

interface Code {
  readonly lines: string[]
  readonly constants: unknown[]
}

function constant({ constants }: Code, value: unknown): string {
  const index = constants.indexOf(value)
  return `c${index === -1 ? constants.push(value) - 1 : index}`
}

const quoted = (name: string): string => JSON.stringify(name)

/** Writes the call that reports a change. */
function noting({ change, isName }: { change: Identified; isName?: boolean }): string {
  return `w(${quoted(change.id)}${isName === undefined ? '' : `, ${isName}`})`
}

/** Writes the conversion of the own value of a member. */
function writePlan(code: Code, { direction }: Program, name: string, plan: unknown, at: string): void {
  if (plan === undefined) return
  code.lines.push(
    `if (${at} !== undefined) try { ${at} = ${constant(code, plan)}.${direction}(${at}, x) }`,
    `catch (error) { throw ${constant(code, below)}(error, ${quoted(name)}) }`,
  )
}

function writeLoads(code: Code, program: Program): void {
  const { registerCount, loads } = program
  if (registerCount > 0)
    code.lines.push(`let ${Array.from({ length: registerCount }, (_, index) => `r${index}`).join(', ')}`)
  for (const { name, register, plan } of loads) {
    code.lines.push(`r${register} = v[${quoted(name)}]`)
    writePlan(code, program, name, plan, `r${register}`)
  }
}

/** Writes the call of a function of a change. */
function writeCall(
  code: Code,
  instruction: InstructionOf<'convert' | 'group'>,
  { made, value, extra }: { readonly made: string; readonly value: string; readonly extra: string },
): void {
  const self = constant(code, instruction)
  code.lines.push(
    `try { ${made} = ${constant(code, instruction.call)}(${value}, ${extra}) }`,
    `catch (error) { throw ${constant(code, threwIn)}(${self}, error) }`,
    `if (${constant(code, isPromise)}(${made})) throw ${constant(code, promisedIn)}(${self}, ${made})`,
  )
}

function checked(code: Code, check: unknown, text: string): string {
  return check === undefined ? text : `${constant(code, check)}(${text})`
}

function writeConvert(code: Code, instruction: InstructionOf<'convert'>, { direction }: Program): void {
  const { call, check, skipsAbsent, passThrough, reads, required } = instruction
  const register = `r${instruction.register}`
  const passed = [
    ...(passThrough.absent && !skipsAbsent ? [`${register} !== undefined`] : []),
    ...(passThrough.null ? [`${register} !== null`] : []),
  ].join(' && ')
  const { lines } = code
  lines.push(`${skipsAbsent ? `if (${register} !== undefined) ` : ''}{`, `const b = ${register}`)
  if (call !== undefined && required.length > 0) {
    const values = required.map((each) => `r${each.register}`).join(', ')
    const made = `${constant(code, incomplete)}(${constant(code, instruction)}, ${quoted(direction)}, [${values}])`
    lines.push(`if (${passed || 'true'} && !(${allOf(required)})) ${register} = ${made}`, 'else')
  }
  lines.push('{')
  if (call !== undefined) {
    lines.push(passed === '' ? '{' : `if (${passed}) {`)
    if (reads.length > 0) writeValues(code, reads)
    const extra = reads.length === 0 ? 'y' : `${constant(code, withRead)}(y, g)`
    writeCall(code, instruction, { made: register, value: register, extra })
    lines.push('}')
  }
  if (check !== undefined) lines.push(`${register} = ${checked(code, check, register)}`)
  lines.push(
    `if (w !== undefined && ${constant(code, differs)}(b, ${register})) ${noting(instruction)}`,
    '}}',
  )
}

/** Writes the object of the members that a function gets. */
function writeValues(code: Code, members: readonly NamedRegister[]): void {
  const { lines } = code
  lines.push(
    `let g = { ${members.map(({ name, register }) => `${quoted(name)}: r${register}`).join(', ')} }`,
    `if (!(${allOf(members)})) g = ${constant(code, withoutAbsent)}(g)`,
  )
}

function writeGroup(code: Code, instruction: InstructionOf<'group'>): void {
  const { change, call, args, made, required } = instruction
  const { lines } = code
  lines.push(
    required === undefined
      ? '{'
      : `if (${required.sent === undefined ? allOf(required.all) : thereOf(required.sent).join(' || ') || 'false'}) {`,
  )
  if (required?.sent !== undefined) {
    const values = required.all.map(({ register }) => `r${register}`).join(', ')
    const error = `${constant(code, apart)}(${constant(code, required.all)}, [${values}])`
    lines.push(`if (!(${allOf(required.all)})) throw ${error}`)
  }
  lines.push('let m')
  if (call !== undefined) {
    writeValues(code, args)
    writeCall(code, instruction, { made: 'm', value: 'g', extra: 'y' })
  }
  lines.push(`const f = typeof m === 'object' && m !== null`)
  for (const { name, register, check, stays } of made) {
    const member = `m[${quoted(name)}]`
    const isThere = name in Object.prototype ? `f && Object.hasOwn(m, ${quoted(name)})` : 'f'
    if (!stays) lines.push(`r${register} = ${checked(code, check, `${isThere} ? ${member} : undefined`)}`)
    else
      lines.push(
        `if (${isThere} && ${quoted(name)} in m) {`,
        `if (w !== undefined && ${constant(code, differs)}(r${register}, ${member})) ${noting({ change })}`,
        `r${register} = ${checked(code, check, member)}`,
        '}',
      )
  }
  lines.push('}')
  // an older version gets no field that could not be made
  if (required !== undefined && required.sent === undefined)
    lines.push(`else { ${made.map(({ register }) => `r${register} = undefined`).join('; ')} }`)
}

function writeKeep(code: Code, { change, args }: InstructionOf<'keep'>): void {
  code.lines.push('if (x.keeper !== undefined && x.keeper.keep !== undefined) {')
  writeValues(code, args)
  code.lines.push(`x.keeper.keep(${constant(code, change)}, g)`, '}')
}

type Registered = Pick<NamedRegister, 'register'>

function allOf(members: readonly Registered[]): string {
  return thereOf(members).join(' && ') || 'true'
}

function thereOf(members: readonly Registered[]): readonly string[] {
  return members.map(({ register }) => `r${register} !== undefined`)
}

/** Copies an object without its absent members. */
function withoutAbsent(values: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Writes an object literal of the members that are expected, up to the first that may be absent. The rest is assigned. */
function writeMembers(code: Code, program: Program): void {
  const { lines } = code
  const { members } = program
  for (const [index, { from, register, plan, fallback, shaper }] of members.entries()) {
    const name = `t${index}`
    lines.push(`let ${name} = ${register === undefined ? `v[${quoted(from)}]` : `r${register}`}`)
    if (fallback !== undefined) {
      lines.push(`if (${name} === undefined) {`, `${name} = ${constant(code, fallback)}()`)
      if (shaper !== undefined)
        lines.push(`if (w !== undefined && ${name} !== undefined) ${noting({ change: shaper })}`)
      lines.push('}')
    }
    writePlan(code, program, from, plan, name)
  }
  const names = members.map(({ to }) => to)
  const first = members.findIndex(
    ({ to, schema: { _zod } }, index) =>
      Reflect.get(_zod, 'optin') !== undefined ||
      Reflect.get(_zod, 'optout') !== undefined ||
      names.indexOf(to) !== index,
  )
  const fixed = names.slice(0, first === -1 ? names.length : first)
  lines.push(`let o = { ${fixed.map((name, index) => `${quoted(name)}: t${index}`).join(', ')} }`)
  if (fixed.length > 0) {
    const absent = fixed.map((_, index) => `t${index} === undefined`).join(' || ')
    lines.push(`if (${absent}) o = ${constant(code, withoutAbsent)}(o)`)
  }
  for (const [index, name] of [...names.entries()].slice(fixed.length))
    lines.push(`if (t${index} !== undefined) o[${quoted(name)}] = t${index}`)
}
