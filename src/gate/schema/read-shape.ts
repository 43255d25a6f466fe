import { isRecord, isString } from '../../base/values.ts'
import { ReadError, shortJson, toStableText } from '../json.ts'
import { toUnresolvedText, type Node, type ComparedSource } from '../document/source.ts'
import { distinctAlternatives, toFew } from './alternatives.ts'
import { areDisjoint, has, hasPart } from './check-value.ts'
import { intersect, toRules } from './intersect.ts'
import {
  isAnnotation,
  numberAt,
  toKeywordRules,
  listOrNone,
  type ReadSchema,
  type SchemaReading,
  type Side,
} from './keyword-rules.ts'
import {
  ANY,
  isAny,
  ANY_NUMBER,
  ANY_OBJECT,
  ANY_STRING,
  NEVER,
  toUnreadable,
  toValuePart,
  type Bound,
  type LazyValues,
  type ShapeNotes,
  type Alternative,
  type Property,
  type OtherMembers,
  type Rule,
  type ValueSet,
} from './shape.ts'

/** Keywords that a shape has a place for. */
const CONSTRAINTS = new Set(
  'type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format contentEncoding contentMediaType prefixItems items additionalItems minItems maxItems uniqueItems properties required additionalProperties unevaluatedProperties patternProperties propertyNames minProperties maxProperties minContains maxContains'.split(
    ' ',
  ),
)
/**
 * Creates the reader of a document's schemas for one side.
 * @throws {ReadError} the reader, for schemas that contain themselves in `allOf`, `anyOf` or `oneOf`
 */
export function createShapeReader(source: ComparedSource, side: Side): ReadSchema {
  const shapes = new Map<unknown, ValueSet>()
  const blanks = new Map<object, ValueSet>()
  const open = new Set<object>()
  const read: ReadSchema = (schema, owner) => {
    if (schema === undefined || schema === true) {
      if (owner === undefined) return ANY
      const blank = blanks.get(owner) ?? { ...ANY, place: owner }
      blanks.set(owner, blank)
      return blank
    }
    if (schema === false) return NEVER
    const known = shapes.get(schema)
    if (known !== undefined) return known
    if (!isRecord(schema)) {
      const unreadable = toUnreadable(`${shortJson(schema)} is not a schema`, owner)
      shapes.set(schema, unreadable)
      return unreadable
    }
    if (open.has(schema))
      throw new ReadError(`${source.pointerOf(schema)}: the schema contains itself without anything between`)
    open.add(schema)
    const shape = readShape(schema, { source, side, read })
    open.delete(schema)
    shapes.set(schema, shape)
    return shape
  }
  return read
}

function readShape(schema: Node, reading: SchemaReading): ValueSet {
  const { source, read } = reading
  if (isString(schema['$ref'])) {
    // a reference may lead to another one, which may have more to say
    const next = source.follow(schema)
    if (next === undefined) return toUnreadable(toUnresolvedText(schema), schema)
    const target = read(next)
    const own = source.is30 ? [] : Object.keys(schema).filter((key) => key !== '$ref')
    if (own.length === 0) return target
    const rest = Object.fromEntries(own.map((key) => [key, schema[key]]))
    const sibling = toOwnShape(rest, schema, reading)
    return { ...refine(target, sibling), schema: { node: schema, source } }
  }
  return { ...toOwnShape(schema, schema, reading), schema: { node: schema, source } }
}

function toOwnShape(schema: Node, place: object, reading: SchemaReading): ValueSet {
  const { read, source } = reading
  const notes = readNotes(schema, source)
  let shape: ValueSet = { ...toTyped(schema, reading), notes, place }
  for (const part of listOrNone(schema['allOf'])) shape = { ...refine(read(part), shape), place }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schema[keyword]
    if (!Array.isArray(branches) || branches.length === 0) continue
    const union = toUnion(branches, keyword, reading)
    shape = { ...intersect(union, shape), place }
  }
  // nothing is known of the others if one part or alternative cannot be read
  const unreadable = [schema['allOf'], schema['anyOf'], schema['oneOf']]
    .flatMap(listOrNone)
    .map((each) => read(each))
    .find((each) => each.notes.unreadable !== undefined)
  if (unreadable !== undefined) return unreadable
  const rules = toKeywordRules(schema, reading)
  const title = isString(schema['title']) ? schema['title'] : undefined
  const isNullMissing = isNullableNode(schema) && !shape.parts.some(isNull)
  const parts = isNullMissing ? [...shape.parts, toValuePart(null)] : shape.parts
  const { meets: met, ...plain } = shape
  const meets = parts === shape.parts ? withRules(met, rules) : undefined
  const whole = meets === undefined ? plain : { ...plain, meets }
  if (rules.length === 0 && title === undefined) return { ...whole, parts }
  return {
    ...whole,
    parts: parts
      .filter((part) => part.kind !== 'value' || rules.every(({ holds }) => holds(part.value) !== false))
      .map((part) => ({ ...part, name: part.name ?? title, rules: toRules(part.rules, rules) })),
  }
}

/** The shapes that a schema is made of. Its own rules are one of them. */
function withRules(
  meets: readonly ValueSet[] | undefined,
  rules: readonly Rule[],
): readonly ValueSet[] | undefined {
  if (meets === undefined || rules.length === 0) return meets
  return [...meets, { ...NEVER, parts: ANY.parts.map((part) => ({ ...part, rules })) }]
}

/** A schema with its sibling keywords. If the siblings restrict no values, the parts are those of the schema. */
function refine(target: ValueSet, beside: ValueSet): ValueSet {
  const shape = intersect(target, beside)
  return isAny(beside) ? { ...shape, parts: atHome(target) } : shape
}

/** The parts of a schema for another one that refers to it. */
function atHome(shape: ValueSet): readonly Alternative[] {
  const [part] = shape.parts
  return part !== undefined && part.kind !== 'value' && shape.parts.length === 1
    ? [{ ...part, home: part.home ?? (() => shape) }]
    : shape.parts
}

/** Documents that became 3.1 often keep the keyword of 3.0. */
function isNullableNode(schema: Node): boolean {
  return schema['nullable'] === true
}

/** The alternatives of several schemas. Each has the name of the schema that a reference leads to. */
function toUnion(branches: readonly unknown[], keyword: 'anyOf' | 'oneOf', reading: SchemaReading): ValueSet {
  const shapes = branches.map((branch, at) => {
    if (isBareNull(branch)) return [toValuePart(null)]
    const parts = atHome(reading.read(branch))
    const reference =
      isRecord(branch) && isString(branch['$ref']) ? branch['$ref'].split('/').at(-1) : undefined
    // a reference leads to a schema or to a file
    const name = reference?.replace(/\.(?:ya?ml|json)$/, '')
    // the alternatives of a union in a union keep their own names
    const nameOf = (part: Alternative): string | undefined =>
      parts.length > 1 ? (part.name ?? name) : (name ?? part.name)
    return parts.map((part): Alternative => ({ ...part, name: nameOf(part), branch: at }))
  })
  let isTelling: boolean | undefined
  const rule: Rule = {
    key: 'oneOf',
    keyword: 'oneOf',
    holds: (value) => toExclusive(shapes.map((parts) => parts.map((part) => hasPart(part, value)))),
    // a schema that contains itself can be looked into only when it has been read
    says: () => (isTelling ??= !areDisjoint(shapes)),
  }
  const whole: ValueSet = {
    parts: [],
    notes: notesOf(branches, reading),
    place: undefined,
    schema: { node: { [keyword]: branches }, source: reading.source },
  }
  const parts = toFew(distinctAlternatives(shapes.flat()), branches.length, whole)
  if (keyword === 'anyOf' || branches.length === 1) {
    const isFree = branches.some((branch) => !isBareNull(branch) && isAny(reading.read(branch)))
    return { ...whole, parts: isFree ? ANY.parts : parts }
  }
  return {
    ...whole,
    parts: parts.map((part): Alternative => ({ ...part, rules: toRules(part.rules, [rule]) })),
  }
}

/** In OpenAPI 3.0, an alternative that is nothing but `nullable` would be any value, and is written to mean null. */
function isBareNull(branch: unknown): boolean {
  if (!isRecord(branch) || !isNullableNode(branch)) return false
  return Object.keys(branch).every((key) => key === 'nullable' || isAnnotation(key))
}

/** Returns the notes of the only branch that is not null. */
function notesOf(branches: readonly unknown[], reading: SchemaReading): ShapeNotes {
  const shapes = branches
    .filter((branch) => !isBareNull(branch))
    .map((branch) => reading.read(branch))
    .filter(({ parts }) => !parts.every(isNull))
  return shapes.length === 1 ? (shapes[0]?.notes ?? {}) : {}
}

const isNull = (part: Alternative): boolean => part.kind === 'value' && part.value === null

/** Whether a value is in exactly one branch. */
function toExclusive(all: readonly (readonly (boolean | undefined)[])[]): boolean | undefined {
  const answers = all.map((some) => {
    if (some.includes(true)) return true
    return some.includes(undefined) ? undefined : false
  })
  if (answers.filter((one) => one === true).length > 1) return false
  return answers.includes(undefined) ? undefined : answers.includes(true)
}

const NO_NOTES: ShapeNotes = {}

function readNotes(schema: Node, source: ComparedSource): ShapeNotes {
  if (!NOTED.some((key) => key in schema)) return NO_NOTES
  const discriminator = source.resolve(schema['discriminator'])
  const name = isRecord(discriminator) ? discriminator['propertyName'] : undefined
  return {
    ...('default' in schema ? { default: schema['default'] } : {}),
    ...(schema['deprecated'] === true ? { deprecated: true } : {}),
    ...(isString(schema['x-sunset']) ? { sunset: schema['x-sunset'] } : {}),
    ...('x-extensible-enum' in schema && schema['x-extensible-enum'] !== false ? { isExtensible: true } : {}),
    ...(Array.isArray(schema['x-extensible-enum']) ? { announced: schema['x-extensible-enum'] } : {}),
    ...(schema['readOnly'] === true ? { readOnly: true } : {}),
    ...(isString(name) ? { discriminator: name } : {}),
  }
}

const NOTED = ['default', 'deprecated', 'x-sunset', 'x-extensible-enum', 'readOnly', 'discriminator']

/** Reads `type`, `enum`, `const` and the keywords of each type. */
function toTyped(schema: Node, reading: SchemaReading): Pick<ValueSet, 'parts'> {
  const { type } = schema
  const listed = Array.isArray(type) ? type : undefined
  const given = isString(type) ? [type] : listed
  const types = given?.includes('number') ? given.filter((one) => one !== 'integer') : given
  // generators that know none of the values leave the list empty
  const named = Array.isArray(schema['enum']) && schema['enum'].length > 0 ? schema['enum'] : undefined
  const values = 'const' in schema ? [schema['const']] : named
  if (types === undefined && values === undefined && !Object.keys(schema).some((key) => CONSTRAINTS.has(key)))
    return ANY
  const parts = (types ?? ALL_TYPES).flatMap((one) => toTypedParts(one, schema, reading))
  if (values === undefined) return { parts }
  const distinct = new Map(values.map((value: unknown) => [toStableText(value), value]))
  const typed = { ...NEVER, parts }
  const allowed = [...distinct.values()].filter((value) => has(typed, value) !== false)
  return { parts: allowed.map(toValuePart) }
}

const ALL_TYPES = ['null', 'boolean', 'number', 'string', 'array', 'object']

/** Returns the values of a type; nothing for one that there is not. */
function toTypedParts(type: unknown, schema: Node, reading: SchemaReading): readonly Alternative[] {
  if (type === 'null') return [toValuePart(null)]
  if (type === 'boolean') return [toValuePart(true), toValuePart(false)]
  if (type === 'integer' || type === 'number') return [readNumberPart(schema, type === 'integer')]
  if (type === 'string') return [readTextPart(schema)]
  if (type === 'array') return [toArray(schema, reading)]
  return type === 'object' ? [readObjectPart(schema, reading)] : []
}

/** Numbers beyond these are no integers of JavaScript: bounds there say nothing. */
const WIDEST = Number.MAX_SAFE_INTEGER
const INT32 = { min: -(2 ** 31), max: 2 ** 31 - 1 } as const

function readNumberPart(schema: Node, isInteger: boolean): Alternative {
  const format = isString(schema['format']) ? schema['format'] : undefined
  const isInt32 = format === 'int32'
  const multiple = numberAt(schema, 'multipleOf')
  const isWhole = multiple === 1
  return {
    ...ANY_NUMBER,
    isInteger: isInteger || isWhole || isInt32,
    min: readBound(schema, ['minimum', 'exclusiveMinimum'], isInt32 ? INT32.min : undefined),
    max: readBound(schema, ['maximum', 'exclusiveMaximum'], isInt32 ? INT32.max : undefined),
    multiples: multiple === undefined || isWhole ? [] : [multiple],
    formats: format === undefined || isInt32 || format === 'int64' ? [] : [format],
  }
}

/** The tighter one of an inclusive and an exclusive bound; in OpenAPI 3.0 the second is a boolean that changes the first. */
function readBound(
  schema: Node,
  [inclusive, exclusive]: readonly ['minimum', 'exclusiveMinimum'] | readonly ['maximum', 'exclusiveMaximum'],
  ofFormat: number | undefined,
): Bound | undefined {
  const sign = inclusive === 'minimum' ? 1 : -1
  const own = numberAt(schema, inclusive)
  const bounds = [
    { value: own, isExclusive: schema[exclusive] === true },
    { value: numberAt(schema, exclusive), isExclusive: true },
    { value: ofFormat, isExclusive: false },
  ].flatMap(({ value, isExclusive }): Bound | readonly Bound[] =>
    value === undefined || Math.abs(value) >= WIDEST ? [] : { value, isExclusive },
  )
  return bounds.toSorted(
    (a, b) => (b.value - a.value) * sign || Number(b.isExclusive) - Number(a.isExclusive),
  )[0]
}

/** Encodings by what they are as a `format`, as OpenAPI 3.0 has them. */
const ENCODING_FORMATS: Readonly<Record<string, string>> = { base64: 'byte', binary: 'binary' }

function readTextPart(schema: Node): Alternative {
  const formats = (['format', 'contentEncoding', 'contentMediaType'] as const).flatMap((key) => {
    const value = schema[key]
    if (!isString(value) || value === '') return []
    const known = key === 'contentEncoding' ? ENCODING_FORMATS[value] : undefined
    return [known ?? (key === 'format' ? value : `${key}: ${value}`)]
  })
  return {
    ...ANY_STRING,
    minLength: numberAt(schema, 'minLength') ?? 0,
    maxLength: numberAt(schema, 'maxLength') ?? Number.POSITIVE_INFINITY,
    // an escaped slash is a slash
    patterns: isString(schema['pattern']) ? [schema['pattern'].replaceAll(String.raw`\/`, '/')] : [],
    formats: [...new Set(formats)],
  }
}

function toArray(schema: Node, { read }: SchemaReading): Alternative {
  const { items, prefixItems } = schema
  // before JSON Schema 2020-12, a list in `items` was what `prefixItems` is now
  const listed = Array.isArray(items) ? items : listOrNone(prefixItems)
  const others = Array.isArray(items) ? schema['additionalItems'] : items
  return {
    kind: 'array',
    prefix: listed.map(
      (item): LazyValues =>
        () =>
          read(item),
    ),
    items: () => read(others, schema),
    minItems: numberAt(schema, 'minItems') ?? 0,
    maxItems: numberAt(schema, 'maxItems') ?? (others === false ? listed.length : Number.POSITIVE_INFINITY),
    isUnique: schema['uniqueItems'] === true,
    rules: [],
  }
}

function readObjectPart(schema: Node, reading: SchemaReading): Alternative {
  const { read } = reading
  const required = new Set(listOrNone(schema['required']).filter(isString))
  const properties = new Map<string, Property>()
  const declared = schema['properties']
  // no property is a text, so this is a reference to all of them
  const isReference = isRecord(declared) && isString(declared['$ref'])
  const found = isReference ? reading.source.resolve(declared) : declared
  const given = isRecord(found) ? found : {}
  for (const name of new Set([...Object.keys(given), ...required])) {
    const own = Object.hasOwn(given, name) ? given[name] : undefined
    const isForeign = isWrittenElsewhere(own, reading)
    properties.set(name, {
      shape: () => read(own, schema),
      isRequired: required.has(name) && !isForeign,
      isForeign,
      ...(isRecord(own) ? { node: own } : {}),
      ...(name in given ? { owners: [schema] } : {}),
    })
  }
  const patterns = isRecord(schema['patternProperties']) ? schema['patternProperties'] : {}
  const names = schema['propertyNames']
  return {
    ...ANY_OBJECT,
    properties,
    rest: toRest(schema, read),
    patterns: new Map(Object.entries(patterns).map(([pattern, own]) => [pattern, () => read(own)])),
    names: names === undefined ? undefined : () => read(names),
    minProperties: numberAt(schema, 'minProperties') ?? 0,
    maxProperties: numberAt(schema, 'maxProperties') ?? Number.POSITIVE_INFINITY,
    owners: [schema],
  }
}

function toRest(schema: Node, read: ReadSchema): OtherMembers {
  const own = schema['additionalProperties'] ?? schema['unevaluatedProperties']
  if (own === undefined || own === true) return 'open'
  if (own === false) return 'closed'
  return isRecord(own) && Object.keys(own).every(isAnnotation) ? 'open' : () => read(own)
}

/**
 * Whether a property is `readOnly` in a request, or `writeOnly` in a response: then it need not be there, even if it is required. The
 * statement may stand in the schema itself, behind a reference, in a part of `allOf`, or in the only alternative.
 */
function isWrittenElsewhere(schema: unknown, { source, side }: SchemaReading): boolean {
  const key = side === 'request' ? 'readOnly' : 'writeOnly'
  const all = new Set([schema])
  // a set gives what is added while it is walked, too
  for (const one of all) {
    if (!isRecord(one)) continue
    if (one[key] === true) return true
    const only = [toAlternatives(one['anyOf']), toAlternatives(one['oneOf'])].filter(
      ({ length }) => length === 1,
    )
    for (const part of [...listOrNone(one['allOf']), ...only.flat()]) all.add(part)
    if (isString(one['$ref'])) all.add(source.follow(one))
  }
  return false
}

/** Alternatives without null. */
function toAlternatives(value: unknown): readonly unknown[] {
  return listOrNone(value).filter((one) => !isRecord(one) || one['type'] !== 'null')
}
