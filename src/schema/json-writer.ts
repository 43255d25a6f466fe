import { defOf, isSchema, schemaOf, schemasOf, type Schema, type SchemaDef } from './schema.ts'
import { createValidator, isCodeAllowed, type Validated } from './validator.ts'
import { isPromise, type Awaitable } from '../base/values.ts'

/** Writes what a schema makes of a value as JSON, or `undefined` if that has to be found out by parsing. */
export type JsonWriter = (value: unknown) => string | undefined

/**
 * Compiles a schema of plain data into a function that checks a value, leaves out undeclared members and writes JSON, all in one pass.
 * The text is the one that `JSON.stringify` returns for the parsed value. `undefined` for other schemas, such as transforms,
 * refinements and codecs, and if code must not be made from text.
 */
export function toJsonWriter(schema: Schema): JsonWriter | undefined {
  if (!isCodeAllowed()) return undefined
  const code: WriterCode = { functions: [], names: new Map(), constants: [] }
  try {
    if (!ROOTS.has(unwrapped(schema).def.type)) return undefined
    const name = functionOf(code, schema)
    const constants = code.constants.map((_, index) => `const c${index} = constants[${index}]`)
    const body = ["'use strict'", ...constants, ...code.functions, `return ${name}`].join('\n')
    // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- keys and values are quoted by JSON.stringify
    const make = new Function('constants', ...Object.keys(TEXTS), body)
    const write: unknown = make(code.constants, ...Object.values(TEXTS))
    return typeof write === 'function'
      ? toSafe((value) => Reflect.apply(write, undefined, [value]))
      : undefined
  } catch {
    return undefined
  }
}

const TEXTS = { anyText, checkedText, dateText, doubt, ownKeys, escaped }

const ROOTS = new Set(['object', 'array', 'record', 'union'])

/** Returns `undefined` instead of throwing: a doubt, a getter or a cycle throws again when the value is parsed. */
function toSafe(write: (value: unknown) => unknown): JsonWriter {
  return (value) => {
    try {
      const text = write(value)
      return typeof text === 'string' ? text : undefined
    } catch {
      return undefined
    }
  }
}

/** The code of a writer. Every function in it returns text, `undefined` for a misfit, and throws if it cannot tell. */
interface WriterCode {
  readonly functions: string[]
  readonly names: Map<Schema, string>
  readonly constants: unknown[]
}

/** Statements that return for a misfit, and the expression of the text behind them. */
interface WriterPart {
  readonly statements: string
  readonly text: string
  /** Whether the text needs quotes. Quotes of texts are written with their neighbours, which makes fewer pieces. */
  readonly isQuoted?: boolean
}

class UnsupportedError extends Error {}

interface Unwrapped {
  readonly inner: Schema
  readonly def: SchemaDef
  readonly isNullable: boolean
  /** The meaning of `undefined`: left out, a misfit, or for the parser to tell. */
  readonly absent: 'omitted' | 'misfit' | 'doubt'
}

function unwrapped(schema: Schema): Unwrapped {
  const def = defOf(schema)
  if (!WRAPPERS.has(def.type)) return { inner: schema, def, isNullable: false, absent: 'misfit' }
  const inner = schemaOf(def['innerType'])
  if (inner === undefined || hasChecks(def) || isExactOptional(schema)) throw new UnsupportedError()
  const found = unwrapped(inner)
  if (def.type === 'nullable') return { ...found, isNullable: true }
  if (def.type === 'default' || found.absent === 'doubt') return { ...found, absent: 'doubt' }
  return def.type === 'optional' ? { ...found, absent: 'omitted' } : found
}

const WRAPPERS = new Set(['optional', 'nullable', 'readonly', 'default'])

/** `z.exactOptional()` refuses what `optional()` takes. */
function isExactOptional(schema: Schema): boolean {
  const traits: unknown = Reflect.get(schema._zod, 'traits')
  return traits instanceof Set && traits.has('$ZodExactOptional')
}

function hasChecks({ checks }: SchemaDef): boolean {
  return Array.isArray(checks) && checks.length > 0
}

/** The name of the function that writes values of a schema; `undefined` is a misfit to it. */
function functionOf(code: WriterCode, schema: Schema): string {
  const known = code.names.get(schema)
  if (known !== undefined) return known
  const name = `f${code.names.size}`
  code.names.set(schema, name)
  const piece = pieceOf(code, schema, 'v')
  const { statements } = piece
  code.functions.push(`function ${name}(v) {\n${statements}\nreturn ${between('', piece)}\n}`)
  return name
}

/** Writes the value of a variable that is not `undefined`, or for which `undefined` is a misfit. */
function pieceOf(code: WriterCode, schema: Schema, variable: string): WriterPart {
  const { inner, isNullable, absent } = unwrapped(schema)
  const piece = writeType(code, inner, variable)
  // what may be absent is left out by objects alone
  const guard = absent === 'misfit' ? '' : `if (${variable} === undefined) doubt()\n`
  if (!isNullable) return { ...piece, statements: guard + piece.statements }
  const text = `${variable}_`
  return {
    statements: `${guard}let ${text} = 'null'\nif (${variable} !== null) {\n${piece.statements}\n${text} = ${between('', piece)}\n}`,
    text,
  }
}

function writeType(code: WriterCode, schema: Schema, variable: string): WriterPart {
  const def = defOf(schema)
  const write = WRITE.get(def.type)
  if (write !== undefined) {
    if (hasChecks(def)) throw new UnsupportedError()
    return variable === 'v' ? write(code, def) : called(variable, `${functionOf(code, schema)}(${variable})`)
  }
  const leaf = LEAVES.get(def.type)
  if (leaf === undefined) throw new UnsupportedError()
  if (isBare(def)) return leaf(variable, code, def)
  if (def.type !== 'string' && def.type !== 'number') throw new UnsupportedError()
  return writeTextOrNumber(code, schema, variable)
}

type Leaf = (variable: string, code: WriterCode, def: SchemaDef) => WriterPart

const ANY: Leaf = (variable) => called(variable, `anyText(${variable})`)

/** How values without members are written. */
const LEAVES: ReadonlyMap<string, Leaf> = new Map<string, Leaf>([
  [
    'string',
    (variable) => ({
      statements: misfit(`typeof ${variable} !== 'string'`),
      text: `escaped(${variable})`,
      isQuoted: true,
    }),
  ],
  [
    'number',
    (variable) => ({
      statements: misfit(`typeof ${variable} !== 'number' || !Number.isFinite(${variable})`),
      text: variable,
    }),
  ],
  ['boolean', (variable) => ({ statements: misfit(`typeof ${variable} !== 'boolean'`), text: variable })],
  ['null', (variable) => ({ statements: misfit(`${variable} !== null`), text: `'null'` })],
  ['literal', (variable, code, def) => writeLiterals(code, def['values'], variable)],
  ['enum', (variable, code, def) => writeLiterals(code, Object.values(Object(def['entries'])), variable)],
  ['date', (variable) => called(variable, `dateText(${variable})`)],
  ['any', ANY],
  ['unknown', ANY],
])

function isBare(def: SchemaDef): boolean {
  return !hasChecks(def) && def['format'] === undefined && def['coerce'] !== true
}

function misfit(condition: string): string {
  return `if (${condition}) return undefined`
}

function called(variable: string, call: string): WriterPart {
  const text = `${variable}$`
  return { statements: `const ${text} = ${call}\n${misfit(`${text} === undefined`)}`, text }
}

/** A text or number with checks: zod runs them. */
function writeTextOrNumber(code: WriterCode, schema: Schema, variable: string): WriterPart {
  const def = defOf(schema)
  if (def['coerce'] === true) throw new UnsupportedError()
  const checks: readonly unknown[] = Array.isArray(def['checks']) ? def['checks'] : []
  const kinds = checks.map((check) => (isSchema(check) ? defOf(check)['check'] : undefined))
  if (kinds.some((kind) => kind === 'custom' || kind === undefined)) throw new UnsupportedError()
  const isInteger = def.type === 'number' && def['format'] === 'safeint' && checks.length === 0
  if (isInteger) return { statements: misfit(`!Number.isSafeInteger(${variable})`), text: variable }
  return called(variable, `checkedText(${addConstant(code, createValidator(schema))}, ${variable})`)
}

function addConstant(code: WriterCode, value: unknown): string {
  code.constants.push(value)
  return `c${code.constants.length - 1}`
}

function writeLiterals(code: WriterCode, values: unknown, variable: string): WriterPart {
  const list: readonly unknown[] = Array.isArray(values) ? values : []
  const isPlain = list.every(
    (value) => value === null || /^(?:string|boolean)$/.test(typeof value) || Number.isFinite(value),
  )
  // a numeric enum has its names among its values
  if (!isPlain || (list.some(Number.isFinite) && list.length > 1)) throw new UnsupportedError()
  const known = new Map(list.map((value) => [value, JSON.stringify(value)]))
  return called(variable, `${addConstant(code, known)}.get(${variable})`)
}

/** How values with members are written. */
const WRITE: ReadonlyMap<string, (code: WriterCode, def: SchemaDef) => WriterPart> = new Map([
  ['object', objectPiece],
  ['array', arrayPiece],
  ['record', recordPiece],
  ['union', unionPiece],
])

function objectPiece(code: WriterCode, def: SchemaDef): WriterPart {
  const shape: unknown = def['shape']
  if (def['catchall'] !== undefined || typeof shape !== 'object' || shape === null)
    throw new UnsupportedError()
  if (Reflect.ownKeys(shape).some((key) => typeof key === 'symbol' || key === '__proto__'))
    throw new UnsupportedError()
  const lines = [misfit(`typeof v !== 'object' || v === null || Array.isArray(v)`), `let t = '{'`]
  // what stands before the next member, while that is known
  let start: string | undefined = ''
  // members that are always there are written by one expression, with the quotes and commas between them in one piece
  let run: string[] = []
  let end = ''
  const flush = (): void => {
    if (run.length > 0) lines.push(`t += ${run.join(' + ')}${end === '' ? '' : ` + ${quoteCode(end)}`}`)
    run = []
    end = ''
  }
  for (const [index, [key, field]] of Object.entries(shape).entries()) {
    if (!isSchema(field)) throw new UnsupportedError()
    const variable = `a${index}`
    const piece = pieceOf(code, field, variable)
    const label = `${start ?? ''}${JSON.stringify(key)}:`
    const comma = start === undefined ? `(t === '{' ? '' : ',') + ` : ''
    if (unwrapped(field).absent === 'omitted') {
      flush()
      lines.push(`const ${variable} = v[${quoteCode(key)}]`)
      lines.push(
        `if (${variable} !== undefined) {\n${piece.statements}\nt += ${comma}${between(label, piece)}\n}`,
      )
      if (start === '') start = undefined
    } else {
      const quote = piece.isQuoted === true ? '"' : ''
      lines.push(`const ${variable} = v[${quoteCode(key)}]`, piece.statements)
      run.push(`${comma}${quoteCode(end + label + quote)} + ${piece.text}`)
      end = quote
      start = ','
    }
  }
  flush()
  return { statements: lines.join('\n'), text: `t + '}'` }
}

function arrayPiece(code: WriterCode, def: SchemaDef): WriterPart {
  const element = schemaOf(def['element'])
  if (element === undefined) throw new UnsupportedError()
  const piece = pieceOf(code, element, 'a')
  const next = `t += i === 0 ? ${between('', piece)} : ${between(',', piece)}`
  const loop = `for (let i = 0; i < v.length; i++) {\nconst a = v[i]\n${piece.statements}\n${next}\n}`
  return { statements: `${misfit('!Array.isArray(v)')}\nlet t = '['\n${loop}`, text: `t + ']'` }
}

function recordPiece(code: WriterCode, def: SchemaDef): WriterPart {
  const key = schemaOf(def['keyType'])
  const member = schemaOf(def['valueType'])
  if (def['mode'] !== undefined || key === undefined || member === undefined) throw new UnsupportedError()
  if (defOf(key).type !== 'string' || !isBare(defOf(key))) throw new UnsupportedError()
  const piece = pieceOf(code, member, 'a')
  const next = `t += (t === '{' ? '"' : ',"') + escaped(k) + ${between('":', piece)}`
  const loop = `for (const k of ownKeys(v)) {\nconst a = v[k]\n${piece.statements}\n${next}\n}`
  return {
    statements: `${misfit(`typeof v !== 'object' || v === null`)}\nlet t = '{'\n${loop}`,
    text: `t + '}'`,
  }
}

function unionPiece(code: WriterCode, def: SchemaDef): WriterPart {
  if (def['inclusive'] === false) throw new UnsupportedError()
  const calls = schemasOf(def['options']).map((option) => `${functionOf(code, option)}(v)`)
  return { statements: `const t = ${calls.join(' ?? ')}\n${misfit('t === undefined')}`, text: 't' }
}

/** The expression of a text with what stands before it. */
function between(before: string, { text, isQuoted = false }: WriterPart): string {
  return isQuoted ? `${quoteCode(`${before}"`)} + ${text} + '"'` : `${quoteCode(before)} + ${text}`
}

function quoteCode(text: string): string {
  return JSON.stringify(text)
}

/*
 * Functions that the code of json-writer.ts calls. Each returns the JSON text of a value, `undefined` for a misfit, and throws if only
 * parsing can tell.
 */

const DOUBT = new Error('Only parsing can tell')

/** Leaves the value to the parser. */
function doubt(): never {
  throw DOUBT
}

/** Longer texts are searched faster by a regular expression. */
const SHORT = 48

// oxlint-disable-next-line no-control-regex -- what JSON escapes; JSON.stringify itself tells lone surrogates from pairs
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/

/** A text between its quotes. */
function escaped(text: string): string {
  if (text.length > SHORT) return ESCAPED.test(text) ? JSON.stringify(text).slice(1, -1) : text
  for (let index = 0; index < text.length; index++) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- halves of pairs are what is looked for
    const unit = text.charCodeAt(index)
    if (unit < 32 || unit === 34 || unit === 92 || (unit >= 0xd800 && unit <= 0xdfff))
      return JSON.stringify(text).slice(1, -1)
  }
  return text
}

function dateText(value: unknown): string | undefined {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return JSON.stringify(value)
  return undefined
}

/** Returns the JSON text of any value, unless it has a `toJSON` of its own. */
function anyText(value: unknown): string {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') doubt()
  if (typeof value === 'object' && value !== null && (ArrayBuffer.isView(value) || 'toJSON' in value)) doubt()
  return JSON.stringify(value)
}

/** A text or number as zod's checks leave it. */
function checkedText(validate: (value: unknown) => Awaitable<Validated>, given: unknown): string | undefined {
  const validated = validate(given)
  if (isPromise(validated)) doubt()
  if ('issues' in validated) return undefined
  const { value } = validated
  return JSON.stringify(value)
}

function ownKeys(record: object): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(record)
  if (prototype !== Object.prototype && prototype !== null) doubt()
  const keys = Object.keys(record)
  if (keys.length !== Reflect.ownKeys(record).length || keys.includes('__proto__')) doubt()
  return keys
}
