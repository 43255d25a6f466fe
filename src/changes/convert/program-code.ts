import { isCodeAllowed } from '../../schema/validator.ts'
import type { Schema } from '../../schema/schema.ts'
import type { Program } from './program.ts'
import { refusePromise } from './turn.ts'
import type { Turn } from './turn.ts'
import type { Held, Needs, WorkOf } from './work.ts'

/**
 * Compiles a program into one function, which is some twenty times as fast as running it step by step. Its errors have no details, so the
 * caller runs the program step by step if it throws. Returns `undefined` if code generation is not allowed.
 */
export function compileProgram(program: Program): Turn | undefined {
  const names = [...program.members.map(({ to }) => to), ...program.loads.map(({ name }) => name)]
  // in an object literal it is no member
  if (!isCodeAllowed() || names.includes('__proto__')) return undefined
  const code: Code = { lines: [], constants: [] }
  code.lines.push(`if (typeof v !== 'object' || v === null) return v`)
  writeLoads(code, program)
  for (const work of program.works) {
    if (work.kind === 'turn') writeTurn(code, work)
    else writeGroup(code, work)
  }
  writeMembers(code, program)
  if (program.others !== undefined) code.lines.push(`${constant(code, program.others)}(o, v)`)
  code.lines.push(program.refine === undefined ? 'return o' : `return ${constant(code, program.refine)}(o)`)
  const constants = code.constants.map((_, index) => `const c${index} = c[${index}]`)
  const body = ["'use strict'", ...constants, 'return (v, x) => {', ...code.lines, '}'].join('\n')
  try {
    // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- names are quoted by JSON.stringify
    const make = new Function('c', body)
    const turn: unknown = make(code.constants)
    return typeof turn === 'function'
      ? (value, extra) => Reflect.apply(turn, undefined, [value, extra])
      : undefined
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

function writeLoads(code: Code, { side, registers, loads }: Program): void {
  if (registers > 0)
    code.lines.push(`let ${Array.from({ length: registers }, (_, index) => `r${index}`).join(', ')}`)
  for (const { name, register, plan } of loads) {
    code.lines.push(`r${register} = v[${quoted(name)}]`)
    if (plan !== undefined)
      code.lines.push(
        `if (r${register} !== undefined) r${register} = ${constant(code, plan)}.${side}(r${register}, x)`,
      )
  }
}

/** The call of a function of a change. */
function calling(code: Code, call: unknown, values: string): string {
  return `${constant(code, refusePromise)}(${constant(code, call)}(${values}))`
}

function checked(code: Code, check: unknown, text: string): string {
  return check === undefined ? text : `${constant(code, check)}(${text})`
}

function writeTurn(code: Code, { register: place, call, check, skipsAbsent, spares }: WorkOf<'turn'>): void {
  const register = `r${place}`
  const spared = [
    ...(spares.absent && !skipsAbsent ? [`${register} === undefined`] : []),
    ...(spares.null ? [`${register} === null`] : []),
  ].join(' || ')
  const called = call === undefined ? register : calling(code, call, `${register}, x`)
  const made = spared === '' || called === register ? called : `${spared} ? ${register} : ${called}`
  const guard = skipsAbsent ? `if (${register} !== undefined) ` : ''
  code.lines.push(`${guard}${register} = ${checked(code, check, made)}`)
}

function writeGroup(code: Code, { call, args, made, needs }: WorkOf<'group'>): void {
  const values = args.map(({ name, register }) => `${quoted(name)}: r${register}`).join(', ')
  const result = `m${code.lines.length}`
  if (needs !== undefined) writeNeeds(code, needs)
  code.lines.push(`const ${result} = ${call === undefined ? '{}' : calling(code, call, `{ ${values} }, x`)}`)
  for (const { name, register, check } of made)
    code.lines.push(`r${register} = ${checked(code, check, `${result}[${quoted(name)}]`)}`)
  if (needs !== undefined) code.lines.push('}')
}

function writeNeeds({ lines }: Code, needs: Needs): void {
  const all = thereOf(needs.all).join(' && ') || 'true'
  const sent = needs.sent && (thereOf(needs.sent).join(' || ') || 'false')
  // the way step by step says what is missing
  if (sent !== undefined) lines.push(`if ((${sent}) && !(${all})) throw undefined`)
  lines.push(`if (${sent ?? all}) {`)
}

function thereOf(members: readonly Held[]): readonly string[] {
  return members.map(({ register }) => `r${register} !== undefined`)
}

/** Writes an object literal of the members that are always there, up to the first that may be absent; the rest is assigned. */
function writeMembers(code: Code, { side, members }: Program): void {
  const texts = members.map(({ to, from, register, plan, schema, fallback }, index) => {
    const given = register === undefined ? `v[${quoted(from)}]` : `r${register}`
    const name = `t${index}`
    const isFixed = plan === undefined && fallback === undefined
    code.lines.push(`${isFixed ? 'const' : 'let'} ${name} = ${given}`)
    if (fallback !== undefined)
      code.lines.push(`if (${name} === undefined) ${name} = ${constant(code, fallback)}(x)`)
    if (plan !== undefined)
      code.lines.push(`if (${name} !== undefined) ${name} = ${constant(code, plan)}.${side}(${name}, x)`)
    return { to, name, isOptional: mayBeAbsent(schema) }
  })
  const first = texts.findIndex(({ isOptional }) => isOptional)
  const fixed = first === -1 ? texts : texts.slice(0, first)
  code.lines.push(`const o = { ${fixed.map(({ to, name }) => `${quoted(to)}: ${name}`).join(', ')} }`)
  for (const { to, name } of texts.slice(fixed.length))
    code.lines.push(`if (${name} !== undefined) o[${quoted(to)}] = ${name}`)
}

function mayBeAbsent({ _zod }: Schema): boolean {
  return Reflect.get(_zod, 'optin') !== undefined || Reflect.get(_zod, 'optout') !== undefined
}
