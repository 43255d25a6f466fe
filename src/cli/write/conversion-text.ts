import { memberName, quotedText, valueText } from '../format.ts'
import type { DescribedField } from '../../gate/write/draft.ts'
import { memberSchemas, withoutNull } from '../../base/json-schema.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import { schemaToType, type TypeNames } from '../types/schema-type.ts'
import { ruleConditions } from './rule-text.ts'
import {
  alternativesOf,
  hasAlternatives,
  hasDefault,
  isAnything,
  isDigits,
  isNumeric,
  isOfOneType,
  isSame,
  itemsOf,
  listedValues,
  matchesPattern,
  modelIn,
  schemaType,
  typesIn,
  type FollowReferences,
} from './schema-facts.ts'

/** The materials of conversions. */
export interface ConversionInput {
  readonly resolve: FollowReferences
  readonly types: TypeNames
  /** Older clients are never sent a value that is checked, so that a conversion down has to fit by itself. */
  readonly side: 'up' | 'down'
  /** Whether values that the other schema refuses are asked for, though types let them pass. */
  readonly isStrict: boolean
  /** Whether clients pass over values and alternatives that their schema lacks, as older ones are assumed to. */
  readonly isOpen: boolean
  /** Whether an API behind sends the values, so that null stands for one that it no longer has. */
  readonly isForwarding: boolean
  /** Whether formats are only documented. */
  readonly isNoted: boolean
  /** Writes the schema of values that stay as they are, as code of zod. */
  readonly zodOf: (schema: unknown) => string
  /** The pairs of models that a conversion is in, because a model may hold itself. */
  readonly above?: ReadonlySet<string>
}

/** A call that neither types nor `octavo check` let pass, until a value is written in its place. */
export function fillInText(
  { schema, isOptional }: DescribedField,
  { types }: Pick<ConversionInput, 'types'>,
): string {
  const own = modelIn(schema) ?? schemaToType(schema, types)
  const type = inOneLine(`${own}${isOptional ? ' | undefined' : ''}`)
  return `fillIn(${type.includes("'") && !type.includes('"') ? `"${type}"` : valueText(type)})`
}

/** Asks for a value of a schema. */
function askedText(schema: unknown, parts: ConversionInput): string {
  return fillInText({ schema: parts.resolve.to(schema), isOptional: false }, parts)
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
  const newer = parts.resolve.to(to.schema)
  const present = convertPresent(from.schema, to, value, parts)
  const takesAbsent = to.isOptional || (parts.side === 'up' && hasDefault(newer))
  if (!from.isOptional || (takesAbsent && present === undefined)) return present
  if (present === `${value} ?? undefined`) return present
  if (takesAbsent) return `${value} === undefined ? undefined : ${present ?? value}`
  const absent = missingText({ schema: to.schema, isOptional: false }, parts)
  // `??` takes null for absent, which it is not where both are values
  const isPlain = withoutNull(parts.resolve.from(from.schema)) === undefined
  return withAbsent(value, absent, present, isPlain)
}

/** The text for values that may be absent: `absent` stands for an absent value, and `present` converts any other. */
function withAbsent(value: string, absent: string, present: string | undefined, isPlain: boolean): string {
  if (present === `${value} ?? ${absent}`) return present
  const isKept = present === undefined || present === `asIs(${value})`
  if (isKept && absent === 'asIs(null)') return `asIs(${value} ?? null)`
  return present === undefined && isPlain
    ? `${value} ?? ${absent}`
    : `${value} === undefined ? ${absent} : ${present ?? value}`
}

/** The conversion of values that are not absent. */
function convertPresent(
  from: unknown,
  to: DescribedField,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const [older, newer] = [parts.resolve.from(from), parts.resolve.to(to.schema)]
  const [given, wanted] = [withoutNull(older), withoutNull(newer)]
  const inner = convertBare(given ?? from, wanted ?? to.schema, value, parts)
  if (given === undefined || isAnything(newer)) return inner
  if (wanted !== undefined) return inner === undefined ? undefined : `${value} === null ? null : ${inner}`
  const only = onlyText(newer)
  if (only === 'null') return only
  // a member that may be left out says as little as null
  const none = to.isOptional ? 'undefined' : knownText(to.schema, parts)
  if (none === undefined && isPassed(parts)) return passedText(value, inner)
  const filled = none ?? askedText(to.schema, parts)
  return inner === undefined ? `${value} ?? ${filled}` : `${value} === null ? ${filled} : ${inner}`
}

/** Whether older clients get values of today that their schema lacks. */
function isPassed({ side, isOpen }: ConversionInput): boolean {
  return side === 'down' && isOpen
}

function passedText(value: string, inner: string | undefined): string {
  return inner === undefined || inner === `asIs(${value})`
    ? `asIs(${value})`
    : `${value} === null ? asIs(${value}) : ${inner}`
}

/** The only value that can stand for one that is missing, or `undefined` if somebody has to decide. */
function knownText(schema: unknown, { resolve, side, isNoted }: ConversionInput): string | undefined {
  const newer = toRecord(resolve.to(schema))
  // clients take what is documented for a value that is missing
  if (newer['default'] !== undefined && (side === 'up' || isNoted)) return valueText(newer['default'])
  if (withoutNull(newer) !== undefined) return 'null'
  const only = onlyText(newer)
  if (only !== undefined) return only
  const least = newer['minItems']
  const isList = newer['type'] === 'array' && (least === undefined || least === 0)
  return isList && newer['prefixItems'] === undefined ? '[]' : undefined
}

/** The only value that a schema lists. */
function onlyText(schema: unknown): string | undefined {
  const [only, ...others] = listedValues(schema) ?? []
  return only === undefined || others.length > 0 ? undefined : valueText(only)
}

/** The value that stands for one that is missing, or a call that asks for it. */
export function missingText(field: DescribedField, parts: ConversionInput): string {
  const known = knownText(field.schema, parts)
  if (known !== undefined) return known
  return isPassed(parts) && parts.isForwarding
    ? 'asIs(null)'
    : fillInText({ ...field, schema: parts.resolve.to(field.schema) }, parts)
}

/** The conversion of values that are neither absent nor null. */
function convertBare(from: unknown, to: unknown, value: string, parts: ConversionInput): string | undefined {
  const [older, newer] = [parts.resolve.from(from), parts.resolve.to(to)]
  if (isAnything(newer) || isSame(older, newer, parts.resolve)) return undefined
  const [given, wanted] = [listedValues(older), listedValues(newer)]
  if (given !== undefined && wanted !== undefined) return toEnumTurn(given, wanted, to, value, parts)
  if (wanted !== undefined)
    return isPassed(parts) && isOfOneType(older, newer)
      ? `asIs(${value})`
      : unlessFits(older, to, value, parts)
  if (hasAlternatives(older) || hasAlternatives(newer)) return convertUnion(older, to, value, parts)
  return convertOne(older, to, value, parts)
}

/** The conversion of one model into another, or of values that are no models. */
function convertOne(older: unknown, to: unknown, value: string, parts: ConversionInput): string | undefined {
  const newer = parts.resolve.to(to)
  const pair = [older, newer].map((schema) => modelIn(schema) ?? '').join(' ')
  const above = parts.above ?? new Set()
  if (above.has(pair)) return unlessFits(older, to, value, parts)
  const { side, resolve } = parts
  const newest = side === 'down' ? resolve.from : resolve.to
  const isModel = modelIn(side === 'down' ? newer : older) !== undefined
  return convertKind(older, to, value, {
    ...parts,
    // the members of a model are what they are today
    ...(isModel ? { resolve: { from: newest, to: newest } } : {}),
    ...(pair === ' ' ? {} : { above: new Set([...above, pair]) }),
  })
}

/** The conversion of values that are neither listed nor alternatives. */
function convertKind(older: unknown, to: unknown, value: string, parts: ConversionInput): string | undefined {
  const [kind, other] = [schemaType(older), schemaType(parts.resolve.to(to))]
  if (kind === 'object' || other === 'object') return convertObject(older, to, value, parts)
  if (kind === 'array' || other === 'array') return convertList(older, to, value, parts)
  return convertScalar(older, to, value, parts)
}

/** Keeps a value that fits, and asks for the replacement of any other. */
function unlessFits(older: unknown, to: unknown, value: string, parts: ConversionInput): string {
  const newer = parts.resolve.to(to)
  const filled = onlyText(newer) ?? askedText(to, parts)
  if (!isOfOneType(older, newer)) return filled
  return `fits(${parts.zodOf(to)}, ${value}) ? ${value} : ${filled}`
}

/** Alternatives stay if the other side has them. Others are passed over by open clients, or asked for. */
function convertUnion(
  older: unknown,
  to: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const [given, wanted] = [alternativesOf(older), alternativesOf(parts.resolve.to(to))]
  const stays = (one: unknown): boolean =>
    wanted.some((other) => toConversion(required(one), required(other), value, parts) === undefined)
  if (given.every(stays)) return undefined
  return isPassed(parts) ? `asIs(${value})` : unlessFits({}, to, value, parts)
}

function convertScalar(
  older: unknown,
  to: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const newer = parts.resolve.to(to)
  const [kind, other] = [schemaType(older), schemaType(newer)]
  const filled = askedText(to, parts)
  if (isNumeric(kind) && other === 'string') {
    const mayBeNumber = isRecord(newer) && newer['format'] === undefined && matchesPattern(newer, '7')
    return mayBeNumber ? `String(${value})` : filled
  }
  if (kind === 'string' && isNumeric(other)) return isDigits(older) ? `Number(${value})` : filled
  const isSameKind = SCALARS.has(kind) && (kind === other || (isNumeric(kind) && isNumeric(other)))
  return isSameKind ? fittingText(older, newer, value, parts) : unlessFits(older, to, value, parts)
}

/** Keeps a value that fits, and asks for the replacement of any other. */
function fittingText(
  older: unknown,
  newer: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const rules = parts.isStrict ? ruleConditions(toRecord(older), toRecord(newer), value, parts.isNoted) : []
  return rules.length === 0 ? undefined : `${rules.join(' && ')} ? ${value} : ${askedText(newer, parts)}`
}

const SCALARS = new Set<unknown>(['string', 'number', 'integer', 'boolean'])

function toEnumTurn(
  given: readonly unknown[],
  wanted: readonly unknown[],
  to: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const gone = given.filter((each) => !wanted.includes(each))
  if (gone.length === 0) return undefined
  if (isPassed(parts) && wanted.length > 1) return `asIs(${value})`
  const target = knownText(to, parts) ?? askedText(to, parts)
  if (gone.length === given.length) return target
  return `${gone.map((each) => `${value} === ${valueText(each)}`).join(' || ')} ? ${target} : ${value}`
}

function convertList(older: unknown, to: unknown, value: string, parts: ConversionInput): string | undefined {
  const newer = parts.resolve.to(to)
  const [items, others] = [itemsOf(older), itemsOf(newer)]
  if (items !== undefined && others !== undefined) {
    const inner = toConversion(required(items), required(others), 'each', parts)
    if (inner === undefined) return fittingText(older, newer, value, parts)
    return `${value}.map((each) => ${inner.includes(' ? ') ? `(${inner})` : inner})`
  }
  const asked = unlessFits(older, to, value, parts)
  if (items === undefined && others !== undefined) {
    const inner = toConversion(required(older), required(others), value, parts)
    return inner === undefined && typesIn(older)?.has('array') === false ? `[${value}]` : asked
  }
  if (items === undefined || isOfOneType(older, newer)) return asked
  const inner = toConversion(
    required(items),
    to === newer ? required(newer) : required(to),
    `${value}[0]`,
    parts,
  )
  // the other items would be lost
  return inner === undefined ? `${value}.length > 1 ? ${asked} : ${value}[0] ?? ${asked}` : asked
}

type DescribedFields = ReadonlyMap<string, DescribedField>

/** Puts a value into an object that has it, takes it out of one, or keeps what two objects share. */
function convertObject(
  older: unknown,
  to: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const newer = parts.resolve.to(to)
  const isBoth = schemaType(older) === 'object' && schemaType(newer) === 'object'
  if (isBoth && isMap(older) && isMap(newer)) return convertMap(older, newer, value, parts)
  if (isBoth) {
    const members = convertMembers(older, newer, value, parts)
    if (members !== undefined)
      return members.length === 0 ? undefined : toLiteral([`...${value}`, ...members])
  }
  const isWrapped = !isOfOneType(older, newer) || (isBoth && hasNoneOf(older, newer))
  return (isWrapped ? wrapText(older, to, value, parts) : undefined) ?? unlessFits(older, to, value, parts)
}

/** Whether two objects share no member, and each demands one, so that no value fits both. */
function hasNoneOf(older: unknown, newer: unknown): boolean {
  const [given, wanted] = [describedFields(older), describedFields(newer)]
  return [given, wanted].every(
    (fields) =>
      matchingFieldNames(
        fields,
        ({ isOptional }, name) => !isOptional && !(given.has(name) && wanted.has(name)),
      ).length > 0,
  )
}

/** The members that differ between two objects, or `undefined` if they are not about the same thing. */
function convertMembers(
  older: unknown,
  newer: unknown,
  value: string,
  parts: ConversionInput,
): readonly string[] | undefined {
  const [given, wanted] = [describedFields(older), describedFields(newer)]
  const shared = matchingFieldNames(wanted, (_, name) => given.has(name))
  const isLeft = toRecord(newer)['additionalProperties'] !== false || shared.length === given.size
  if ((shared.length === 0 && wanted.size > 0) || !isLeft) return undefined
  const members = [
    ...shared.flatMap((name) => convertMemberText(name, given, wanted, memberAccess(value, name), parts)),
    ...toMissing(wanted, shared, parts),
  ]
  // types demand a member that takes everything, and documents don't
  const others =
    members.length === 0
      ? []
      : matchingFieldNames(
          wanted,
          ({ schema }, name) => !given.has(name) && isAnything(parts.resolve.to(schema)),
        )
  return [
    ...members,
    ...others
      .filter((name) => wanted.get(name)?.isOptional === true)
      .map((name) => `${memberName(name)}: undefined`),
  ]
}

/** Puts a value into the only member of an object that takes it, or takes it out of there. */
function wrapText(older: unknown, to: unknown, value: string, parts: ConversionInput): string | undefined {
  const [given, wanted] = [describedFields(older), describedFields(parts.resolve.to(to))]
  const stays = (from: DescribedField, field: DescribedField): boolean =>
    toConversion(from, field, value, { ...parts, isStrict: false }) === undefined
  const takers = matchingFieldNames(
    wanted,
    (field) => (given.size === 0 || !field.isOptional) && stays(required(older), field),
  )
  const [taker, ...otherTakers] = takers
  if (taker !== undefined && otherTakers.length === 0)
    return toLiteral([`${memberName(taker)}: ${value}`, ...toMissing(wanted, [taker], parts)])
  if (given.size === 0) return undefined
  const [name = '', ...others] = matchingFieldNames(given, ({ schema }) =>
    stays(required(schema), required(to)),
  )
  const [field, path] = [given.get(name), memberAccess(value, name)]
  return field === undefined || others.length > 0
    ? undefined
    : (toConversion(field, required(to), path, parts) ?? path)
}

/** Whether an object names none of its members. */
function isMap(schema: unknown): boolean {
  return schemaType(schema) === 'object' && describedFields(schema).size === 0
}

/** Converts the values of an object whose members have any name. */
function convertMap(
  older: unknown,
  newer: unknown,
  value: string,
  parts: ConversionInput,
): string | undefined {
  const [each, other] = [older, newer].map((schema) => toRecord(schema)['additionalProperties'])
  if (!isRecord(other)) return undefined
  const inner = toConversion(required(isRecord(each) ? each : {}), required(other), 'each', parts)
  return inner === undefined
    ? undefined
    : `Object.fromEntries(Object.entries(${value}).map(([key, each]) => [key, ${inner}]))`
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

/** The members that an object needs beside some. */
function toMissing(
  wanted: DescribedFields,
  beside: readonly string[],
  parts: ConversionInput,
): readonly string[] {
  return [...wanted].flatMap(([name, field]) =>
    beside.includes(name) ||
    field.isOptional ||
    (!parts.isNoted && hasDefault(parts.resolve.to(field.schema)))
      ? []
      : [`${memberName(name)}: ${missingText(field, parts)}`],
  )
}

/** An object literal, which an arrow function can return. */
function toLiteral(members: readonly string[]): string {
  return `({ ${members.join(', ')} })`
}

function required(schema: unknown): DescribedField {
  return { schema, isOptional: false }
}
