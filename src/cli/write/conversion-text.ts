import { memberName, quotedText, valueText } from '../format.ts'
import type { DescribedField } from '../../gate/write/draft.ts'
import { memberSchemas, withoutNull, type JsonSchema } from '../../base/json-schema.ts'
import { isRecord, isString, toRecord } from '../../base/values.ts'
import { schemaToType, type TypeNames } from '../types/schema-type.ts'
import { toStableText } from '../../gate/json.ts'
import { toRegExp } from '../../gate/schema/check-value.ts'
import { FORMATS } from './zod-text.ts'

type ResolveSchema = (schema: unknown) => unknown

/** The materials of conversions. */
export interface ConversionInput {
  /** Follow the references of both schemas. */
  readonly resolve: { readonly from: ResolveSchema; readonly to: ResolveSchema }
  readonly types: TypeNames
  /** Older clients are never sent a value that is checked, so that a conversion down has to fit by itself. */
  readonly side: 'up' | 'down'
  /** Whether values that the other schema refuses are asked for, though types let them pass. */
  readonly isStrict: boolean
}

/** A call that neither types nor `octavo check` let pass, until a value is written in its place. */
export function fillInText(
  { schema, isOptional }: DescribedField,
  { types }: Pick<ConversionInput, 'types'>,
): string {
  const type = inOneLine(`${schemaToType(schema, types)}${isOptional ? ' | undefined' : ''}`)
  return `fillIn(${type.includes("'") && !type.includes('"') ? `"${type}"` : valueText(type)})`
}

/** A type in one line, with the separators that the ends of its lines stood for. */
function inOneLine(type: string): string {
  const lines = type.split('\n').map((line) => line.trim())
  return lines.reduce((text, line) => {
    const isInside = /[{(|&]$|\*\/$/.test(text) || /^[})|&]/.test(line)
    return `${text}${isInside ? ' ' : '; '}${line}`
  })
}

/** An expression that converts a value from one schema to another, or `undefined` if it can stay. Uncertain parts call `fillIn`. */
export function toConversion(
  from: DescribedField,
  to: DescribedField,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const [older, newer] = [parts.resolve.from(from.schema), parts.resolve.to(to.schema)]
  const present = convertPresent(older, newer, value, parts)
  const takesAbsent = to.isOptional || (parts.side === 'up' && hasDefault(newer))
  if (!from.isOptional || (takesAbsent && present === undefined)) return present
  if (takesAbsent) return `${value} === undefined ? undefined : ${present ?? value}`
  const filled = fillInText({ schema: newer, isOptional: false }, parts)
  const absent = hasDefault(newer) ? valueText(toRecord(newer)['default']) : filled
  if (present === `${value} ?? ${absent}`) return present
  // `??` takes null for absent, which it is not where both are values
  const isPlain = present === undefined && withoutNull(older) === undefined
  return isPlain ? `${value} ?? ${absent}` : `${value} === undefined ? ${absent} : ${present ?? value}`
}

/** The conversion of values that are not absent. */
function convertPresent(
  older: unknown,
  newer: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const [given, wanted] = [withoutNull(older), withoutNull(newer)]
  const inner = convertBare(given ?? older, wanted ?? newer, value, parts)
  if (given === undefined) return inner
  if (wanted !== undefined) return inner === undefined ? undefined : `${value} === null ? null : ${inner}`
  const filled = fillInText({ schema: newer, isOptional: false }, parts)
  return inner === undefined ? `${value} ?? ${filled}` : `${value} === null ? ${filled} : ${inner}`
}

function hasDefault(schema: unknown): boolean {
  return isRecord(schema) && schema['default'] !== undefined
}

/** The conversion of values that are neither absent nor null. */
function convertBare(from: unknown, to: unknown, value: string, parts: ConversionInput): string | undefined {
  const [older, newer] = [parts.resolve.from(from), parts.resolve.to(to)]
  if (toStableText(withoutWords(older)) === toStableText(withoutWords(newer))) return undefined
  const [given, wanted] = [listedTexts(older), listedTexts(newer)]
  const filled = fillInText({ schema: newer, isOptional: false }, parts)
  if (given !== undefined && wanted !== undefined) return toEnumTurn(given, wanted, value, filled)
  const [kind, other] = [schemaType(older), schemaType(newer)]
  if (wanted !== undefined) {
    if (kind !== 'string' || wanted.length > 5) return filled
    // a text that is one of a few stays
    return `${wanted.map((each) => `${value} === ${valueText(each)}`).join(' || ')} ? ${value} : ${filled}`
  }
  if (kind === 'object' || other === 'object') return convertObject(older, newer, value, parts)
  if (kind === 'array' || other === 'array') return convertList(older, newer, value, parts)
  return convertScalar(older, newer, value, parts)
}

function convertScalar(
  older: unknown,
  newer: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const [kind, other] = [schemaType(older), schemaType(newer)]
  const filled = fillInText({ schema: newer, isOptional: false }, parts)
  if (isNumeric(kind) && other === 'string') {
    const mayBeNumber = isRecord(newer) && newer['format'] === undefined && matchesPattern(newer, '7')
    return mayBeNumber ? `String(${value})` : filled
  }
  if (kind === 'string' && isNumeric(other)) return isDigits(older) ? `Number(${value})` : filled
  const isSameKind = SCALARS.has(kind) && (kind === other || (isNumeric(kind) && isNumeric(other)))
  return isSameKind ? fittingText(older, newer, value, parts) : filled
}

/** Keeps a value that fits, and asks for the replacement of any other. */
function fittingText(
  older: unknown,
  newer: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const rules = parts.isStrict ? ruleConditions(toRecord(older), toRecord(newer), value) : []
  return rules.length === 0
    ? undefined
    : `${rules.join(' && ')} ? ${value} : ${fillInText({ schema: newer, isOptional: false }, parts)}`
}

/** The conditions under which a value of one schema is one of another of the same type. */
function ruleConditions(older: JsonSchema, newer: JsonSchema, value: string): readonly string[] {
  const schema: JsonSchema = {
    ...newer,
    pattern: newer['format'] === undefined ? newer['pattern'] : undefined,
  }
  const isWhole = newer['type'] === 'integer' && older['type'] === 'number'
  return [
    ...(isWhole ? [`Number.isInteger(${value})`] : []),
    ...Object.entries(RULES).flatMap(([keyword, { text, isUpper }]) => {
      const [was, now] = [older[keyword], schema[keyword]]
      // numbers of JavaScript end there
      const isEnd = typeof now === 'number' && Math.abs(now) >= Number.MAX_SAFE_INTEGER
      if (now === undefined || now === was || isEnd) return []
      const isImplied = typeof was === 'number' && typeof now === 'number' && isUpper !== undefined
      return isImplied && (isUpper ? was <= now : was >= now) ? [] : text(now, value)
    }),
  ]
}

interface BoundRule {
  readonly text: (bound: unknown, value: string) => string | readonly string[]
  /** Whether a lower bound says more; missing for what has no order. */
  readonly isUpper?: boolean
}

/** The conditions of keywords. */
const RULES: Readonly<Record<string, BoundRule>> = {
  minimum: { isUpper: false, text: (bound, value) => `${value} >= ${String(bound)}` },
  maximum: { isUpper: true, text: (bound, value) => `${value} <= ${String(bound)}` },
  exclusiveMinimum: { isUpper: false, text: (bound, value) => `${value} > ${String(bound)}` },
  exclusiveMaximum: { isUpper: true, text: (bound, value) => `${value} < ${String(bound)}` },
  multipleOf: { text: (bound, value) => `${value} % ${String(bound)} === 0` },
  minLength: { isUpper: false, text: (bound, value) => `${value}.length >= ${String(bound)}` },
  maxLength: { isUpper: true, text: (bound, value) => `${value}.length <= ${String(bound)}` },
  minItems: { isUpper: false, text: (bound, value) => `${value}.length >= ${String(bound)}` },
  maxItems: { isUpper: true, text: (bound, value) => `${value}.length <= ${String(bound)}` },
  uniqueItems: { text: (_, value) => `new Set(${value}).size === ${value}.length` },
  pattern: {
    text: (pattern, value) => {
      const expression = toRegExp(String(pattern))
      return expression === undefined ? [] : `/${expression.source}/.test(${value})`
    },
  },
  format: {
    text: (format, value) => {
      const schema = FORMATS[String(format)]
      return schema === undefined ? [] : `${schema}.safeParse(${value}).success`
    },
  },
}

const SCALARS = new Set<unknown>(['string', 'number', 'integer', 'boolean'])

function withoutWords(schema: unknown): unknown {
  if (!isRecord(schema)) return schema
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !WORDS.has(key)))
}

/** Keywords that make no difference to a conversion. */
const WORDS = new Set(['title', 'description', 'example', 'examples', 'default'])

function schemaType(schema: unknown): string | undefined {
  const type = isRecord(schema) ? schema['type'] : undefined
  return isString(type) ? type : undefined
}

function isNumeric(kind: string | undefined): boolean {
  return kind === 'number' || kind === 'integer'
}

/** The texts that a schema lists, or `undefined` for any other schema. */
export function listedTexts(schema: unknown): readonly string[] | undefined {
  if (!isRecord(schema)) return undefined
  if (isString(schema['const'])) return [schema['const']]
  const values = schema['enum']
  return Array.isArray(values) && values.every(isString) ? values : undefined
}

function toEnumTurn(
  given: readonly string[],
  wanted: readonly string[],
  value: string,
  filled: string,
): string | undefined {
  const gone = given.filter((each) => !wanted.includes(each))
  if (gone.length === 0) return undefined
  const [only] = wanted
  const target = wanted.length === 1 && only !== undefined ? valueText(only) : filled
  if (gone.length === given.length) return target
  return `${gone.map((each) => `${value} === ${valueText(each)}`).join(' || ')} ? ${target} : ${value}`
}

function convertList(
  older: unknown,
  newer: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const filled = fillInText({ schema: newer, isOptional: false }, parts)
  const [items, others] = [itemsOf(older), itemsOf(newer)]
  if (items !== undefined && others !== undefined) {
    const inner = toConversion(required(items), required(others), 'each', parts)
    if (inner === undefined) return fittingText(older, newer, value, parts)
    return `${value}.map((each) => ${inner.includes(' ? ') ? `(${inner})` : inner})`
  }
  if (items === undefined && others !== undefined) {
    const inner = toConversion(required(older), required(others), value, parts)
    return inner === undefined ? `[${value}]` : filled
  }
  if (items === undefined) return filled
  const inner = toConversion(required(items), required(newer), value, parts)
  return inner === undefined ? `${value}[0] ?? ${filled}` : filled
}

type DescribedFields = ReadonlyMap<string, DescribedField>

/** Puts a value into an object that has it, takes it out of one, or keeps what two objects share. */
function convertObject(
  older: unknown,
  newer: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const [given, wanted] = [describedFields(older), describedFields(newer)]
  const isSame = (from: DescribedField, to: DescribedField): boolean =>
    toConversion(from, to, value, parts) === undefined
  if (given.size === 0) {
    const [name, ...others] = matchingFieldNames(wanted, (field) => isSame(required(older), field))
    if (name !== undefined && others.length === 0)
      return toLiteral([`${memberName(name)}: ${value}`, ...toMissing(wanted, [name], parts)])
  } else if (wanted.size === 0) {
    const [name, ...others] = matchingFieldNames(given, ({ schema }) =>
      isSame(required(schema), required(newer)),
    )
    const [field, path] = [given.get(name ?? ''), memberAccess(value, name ?? '')]
    if (field !== undefined && others.length === 0)
      return toConversion(field, required(newer), path, parts) ?? path
  } else {
    const shared = matchingFieldNames(wanted, (_, name) => given.has(name))
    const isLeft = toRecord(newer)['additionalProperties'] !== false || shared.length === given.size
    if (shared.length > 0 && isLeft) {
      const converted = shared.flatMap((name) =>
        convertMemberText(name, given, wanted, memberAccess(value, name), parts),
      )
      // a field that is gone may have become any of those that came
      const isReplaced = shared.length < given.size
      const members = [...converted, ...toMissing(wanted, shared, parts, isReplaced)]
      return members.length === 0 ? undefined : toLiteral([`...${value}`, ...members])
    }
  }
  return fillInText({ schema: newer, isOptional: false }, parts)
}

function describedFields(schema: unknown): DescribedFields {
  const members = memberSchemas(toRecord(schema), (own) => own)
  return new Map(
    members.map(({ name, made, isRequired }) => [name, { schema: made, isOptional: !isRequired }]),
  )
}

function matchingFieldNames(
  fields: DescribedFields,
  test: (field: DescribedField, name: string) => boolean,
): readonly string[] {
  return [...fields].flatMap(([name, field]) => (test(field, name) ? [name] : []))
}

function memberAccess(value: string, name: string): string {
  return memberName(name) === name ? `${value}.${name}` : `${value}[${quotedText(name)}]`
}

function convertMemberText(
  name: string,
  given: DescribedFields,
  wanted: DescribedFields,
  value: string,
  parts: ConversionInput,
): readonly string[] {
  const [from, to] = [given.get(name), wanted.get(name)]
  const converted = from && to && toConversion(from, to, value, parts)
  return converted === undefined ? [] : [`${memberName(name)}: ${converted}`]
}

/** The members that an object needs beside some, and those that it may have if they may stand for others. */
function toMissing(
  wanted: DescribedFields,
  beside: readonly string[],
  parts: ConversionInput,
  isReplaced = false,
): readonly string[] {
  return [...wanted].flatMap(([name, field]) =>
    beside.includes(name) || (field.isOptional && !isReplaced) || hasDefault(parts.resolve.to(field.schema))
      ? []
      : [`${memberName(name)}: ${fillInText(field, parts)}`],
  )
}

/** An object literal, which an arrow function can return. */
function toLiteral(members: readonly string[]): string {
  return `({ ${members.join(', ')} })`
}

function required(schema: unknown): DescribedField {
  return { schema, isOptional: false }
}

/** The schema of the items of a list, or `undefined` for anything else. */
function itemsOf(schema: unknown): unknown {
  return isRecord(schema) && schema['type'] === 'array' && schema['prefixItems'] === undefined
    ? (schema['items'] ?? {})
    : undefined
}

/** Whether a text is always a number. */
function isDigits(schema: unknown): boolean {
  if (!isRecord(schema) || !isString(schema['pattern'])) return false
  return (
    matchesPattern(schema, '7') &&
    !['', 'a', '7a', 'a7', '-', ' '].some((text) => matchesPattern(schema, text))
  )
}

function matchesPattern({ pattern }: Readonly<Record<string, unknown>>, text: string): boolean {
  return !isString(pattern) || toRegExp(pattern)?.test(text) === true
}
