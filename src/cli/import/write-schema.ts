import { memberName, quotedText, valueText } from '../format.ts'
import { isRecord, isString, toRecord } from '../../base/values.ts'
import { schemaList, refOf, withoutNull, type Components } from '../../base/json-schema.ts'
import type { SchemaObject } from '../../openapi/document/types.ts'
import { toZodText, type SchemaNames } from '../write/zod-text.ts'
import type { ImportedHost } from './read-api.ts'
import { toCamel, toConstants, toDistinctName } from './import-names.ts'
import {
  inlined,
  isObjectSchema,
  partsWithoutNull,
  requiredNamesIn,
  splitNotes,
  toScalar,
  toSchemaObject,
  type Inlining,
} from './schema-parts.ts'

/** A difference between the imported document and that of the app, which the import expects. */
export interface ExpectedFinding {
  /** An operation such as `GET /pets`, or a named schema. */
  readonly place: string
  readonly rule: RegExp
  readonly why: string
}

/** A model with more fields. */
interface Extended {
  readonly base: string
  readonly fields: SchemaObject
}

/** The state of writing an API: its named schemas, as far as they are written, and what was named. */
export interface SchemaWriting extends Inlining {
  readonly constants: ReadonlyMap<string, string>
  /** The findings that were noted. */
  readonly expected: ExpectedFinding[]
  /** Where the writer is: an operation such as `GET /pets`, or a named schema. */
  place: string
  /** The components that were written. */
  readonly done: Set<string>
  /** Those that are models. */
  readonly models: Set<string>
  /** Models, and parts of one, so that methods of zod would make another schema of them. */
  readonly parts: Set<string>
  /** The constants of models with fields that name what is written later, which can't be read while the file is loaded. */
  readonly lazy: Set<string>
  /** The named schemas for `octavo check --write`, which writes the rest. */
  readonly names: SchemaNames
  /** Whether a schema that is written later was named. */
  isLater: boolean
  /** The constants that were named. */
  readonly used: Set<string>
  /** The constants of formats, by their names, with their texts. */
  readonly formats: Map<string, string>
  /** The constants of formats, by type and format. */
  readonly formatNames: Map<string, string>
  /** The constants of models that were named. */
  readonly modelConstants: Set<string>
}

/** The zod schemas of types that can have a format. */
const PLAIN: Readonly<Record<string, string>> = {
  string: 'z.string()',
  integer: 'z.int()',
  number: 'z.number()',
}

/** Begins to write the schemas of a document. Those that are constants of an app already are named, and not written. */
export function startWriting(
  components: Components,
  exported: ImportedHost['constants'] = {},
): SchemaWriting {
  const isWritten = (name: string): boolean => exported[name] === undefined
  const constants = new Map([
    ...toConstants(Object.keys(components).filter(isWritten)),
    ...Object.keys(exported).map((name) => [name, name] as const),
  ])
  const models = Object.keys(exported).filter((name) => exported[name]?.isModel === true)
  const writing: SchemaWriting = {
    components,
    constants,
    note: (rule, why) => writing.expected.push({ place: writing.place, rule, why }),
    expected: [],
    place: '',
    done: new Set(Object.keys(exported)),
    models: new Set(models),
    parts: new Set(models),
    lazy: new Set(),
    names: {
      components,
      modelOf: (component) => {
        const constant = constants.get(component)
        if (constant === undefined) return undefined
        if (writing.parts.has(component)) writing.modelConstants.add(constant)
        if (!writing.done.has(component)) writing.isLater = true
        writing.used.add(constant)
        return constant
      },
      write: (schema) => otherText(writing, schema),
    },
    isLater: false,
    used: new Set(),
    formats: new Map(),
    formatNames: new Map(),
    modelConstants: new Set(),
  }
  return writing
}

/** The constant of a format. */
function zodFormatOf({ formats, formatNames, used }: SchemaWriting, type: string, format: string): string {
  const key = `${type} ${format}`
  const name = formatNames.get(key) ?? toDistinctName(toCamel(format), formats)
  formatNames.set(key, name)
  formats.set(name, `${PLAIN[type] ?? 'z.unknown()'}.meta({ format: ${quotedText(format)} })`)
  used.add(name)
  return name
}

/** The text of a schema. `isNoted`: with what only documents show. */
export function schemaText(state: SchemaWriting, schema: SchemaObject, isNoted = true): string {
  const { names, note } = state
  if (refOf(schema) !== undefined) return toZodText({ $ref: schema['$ref'] }, names)
  const { schema: own, notes } = splitNotes(schema)
  for (const keyword of ['anyOf', 'oneOf'])
    if (schema[keyword] !== undefined && own[keyword] === undefined && notes[keyword] === undefined)
      note(/./, `${keyword} of members that are required together is left out beside null`)
  return toZodText(own, names) + (isNoted ? notesText(notes, state) : '')
}

/** Schemas that are written otherwise than by `octavo check --write`, whose documents were made from zod. */
function otherText(state: SchemaWriting, schema: SchemaObject): string | undefined {
  const { names, note } = state
  // a model with a default of its own would be another schema
  if (refOf(schema) !== undefined)
    return Object.keys(schema).length === 1 ? undefined : toZodText({ $ref: schema['$ref'] }, names)
  const { schema: own, notes } = splitNotes(schema)
  if (Object.keys(notes).length > 0) return toZodText(own, names) + notesText(notes, state)
  const isListed = 'const' in schema || schema['enum'] !== undefined
  if (isListed) return valuesText(state, schema)
  const { oneOf } = schema
  if (withoutNull(schema) !== undefined) {
    if (oneOf !== undefined) note(/one-of/, ONE_OF)
    return undefined
  }
  if (Array.isArray(schema['type'])) return undefined
  if (Array.isArray(schema['allOf'])) return allText(state, schema)
  for (const keyword of ['oneOf', 'anyOf'] as const)
    if (Array.isArray(schema[keyword])) return unionText(state, schema, keyword)
  return typedSchemaText(state, schema)
}

const ONE_OF = 'oneOf is z.union, so a value may fit several of its schemas'

/** Listed values, which say all. Returns `undefined` for those that are written as usual. */
function valuesText(state: SchemaWriting, schema: SchemaObject): string | undefined {
  const { allOf, anyOf, oneOf, ...own } = schema
  const { type, enum: values = [schema['const']] } = own
  const types: readonly unknown[] = [type].flat()
  const fits = (value: unknown): boolean => {
    const name = value === null ? 'null' : typeof value
    return (
      type === undefined || types.includes(name) || (Number.isInteger(value) && types.includes('integer'))
    )
  }
  const isWider =
    Array.isArray(values) && (!values.every(fits) || (types.includes('null') && !values.includes(null)))
  if (isWider)
    state.note(/null|type|enum/, 'type and enum differ, so all values of enum fit, and null if either has it')
  if ([allOf, anyOf, oneOf].every((part) => part === undefined)) return undefined
  state.note(/enum|type|null/, 'what stands beside enum is left out')
  return toZodText(own, state.names)
}

function typedSchemaText(state: SchemaWriting, schema: SchemaObject): string | undefined {
  const { type, format, properties, items } = schema
  if (isString(type) && isString(format) && PLAIN[type] !== undefined) {
    const { format: _format, ...plain } = schema
    return zodFormatOf(state, type, format) + toZodText(plain, state.names).slice(PLAIN[type].length)
  }
  if (properties !== undefined || items !== undefined) noteType(state, schema)
  if (schema['prefixItems'] !== undefined)
    state.note(/-items-/, 'prefixItems is a tuple, all of whose items are required')
  if (type === 'object' || (type === undefined && properties !== undefined))
    return objectSchemaText(state, schema)
  if (type !== undefined) return undefined
  // what is said of texts or numbers alone allows all other values
  return items === undefined
    ? `z.unknown()${notesText(schema, state)}`
    : toZodText({ ...schema, type: 'array' }, state.names)
}

/** Notes that a schema gets a type, if it has none. */
export function noteType({ components, note }: SchemaWriting, schema: SchemaObject): void {
  if (!isObjectSchema(schema, components))
    note(/nullable|type|required/, 'it has properties or items and no type, so it gets one')
}

function allText(state: SchemaWriting, schema: SchemaObject): string {
  const { allOf, ...beside } = schema
  const isReferring = schemaList(allOf).some((part) => refOf(part) !== undefined)
  const all = [...schemaList(allOf), beside].filter((part) =>
    // a type says nothing beside a reference to what has it
    Object.keys(splitNotes(part).schema).some(
      (keyword) => keyword !== 'discriminator' && !(isReferring && keyword === 'type'),
    ),
  )
  const [only] = all
  if (only === undefined) return 'z.unknown()'
  if (all.length === 1) return schemaText(state, only)
  const { parts, isNullable } = partsWithoutNull(all, state.components)
  if (isNullable) return `${allText(state, { allOf: parts })}.nullable()`
  const more = toExtendedText(state, schema)
  if (more !== undefined) {
    const parameter = toCamel(more.base)
    return `derive(${more.base}, (${parameter}) => ${parameter}.extend({ ${toFieldLines(state, more.fields)} }))`
  }
  const object = toSchemaObject(schema, state.components)
  const scalar = toScalar(parts, state.components)
  if (scalar !== undefined) return schemaText(state, scalar)
  if (object === undefined)
    return parts
      .map((part) => schemaText(state, part))
      .reduce((one, other) => `z.intersection(${one}, ${other})`)
  noteType(state, schema)
  return toZodText(object, state.names)
}

/** The object that a schema derives from, if it is a model with more fields. */
export function toExtendedText(
  state: SchemaWriting,
  { allOf, ...beside }: SchemaObject,
): Extended | undefined {
  const { components, constants, parts, done } = state
  const refs = schemaList(allOf).flatMap((part) => refOf(part) ?? [])
  const [name = ''] = refs
  const base = constants.get(name)
  if (refs.length !== 1 || base === undefined || !parts.has(name) || !done.has(name)) return undefined
  const inline = schemaList(allOf).filter((part) => refOf(part) === undefined)
  const { description: _description, ...own } = beside
  const added = toSchemaObject({ allOf: [...inline, own] }, components)
  const whole = toSchemaObject(components[name] ?? {}, components)
  if (added === undefined || whole === undefined) return undefined
  const { type: _type, properties, required, ...others } = added
  const [known, more] = [toRecord(whole['properties']), toRecord(properties)]
  const needed = requiredNamesIn(whole['required'])
  const isPlain =
    Object.keys(others).length === 0 &&
    Object.keys(more).every((field) => known[field] === undefined && !needed.includes(field)) &&
    requiredNamesIn(required).every((field) => more[field] !== undefined)
  if (!isPlain || Object.keys(more).length === 0) return undefined
  state.used.add(base)
  return { base, fields: added }
}

function unionText(state: SchemaWriting, schema: SchemaObject, keyword: 'oneOf' | 'anyOf'): string {
  const { [keyword]: given, discriminator, ...beside } = schema
  const options = schemaList(given)
  if (beside['properties'] !== undefined || beside['anyOf'] !== undefined) {
    const union = unionText(state, { [keyword]: given, discriminator }, keyword)
    return `z.intersection(${schemaText(state, beside)}, ${union})`
  }
  const whole = options.map((option) => (refOf(option) === undefined ? { ...beside, ...option } : option))
  if (Object.keys(beside).length > 0 && options.some((option) => refOf(option) !== undefined))
    state.note(/nullable|type/, `${Object.keys(beside).join(', ')} beside ${keyword} is left out`)
  const [only] = whole
  if (only === undefined) return 'z.never()'
  if (whole.length === 1) return schemaText(state, only)
  const property = toRecord(discriminator)['propertyName']
  const texts = whole.map((option) => schemaText(state, option)).join(', ')
  if (isString(property) && !state.isLater && areDistinct(whole, property, state.components))
    return `z.discriminatedUnion(${quotedText(property)}, [${texts}])`
  if (keyword === 'oneOf') state.note(/one-of/, ONE_OF)
  return `z.union([${texts}])`
}

/** Whether each of several objects has other values of a property. */
function areDistinct(options: readonly SchemaObject[], property: string, components: Components): boolean {
  const values = options.map((option) => {
    const object = toSchemaObject(option, components)
    const field = toRecord(toRecord(object?.['properties'])[property])
    if (!requiredNamesIn(object?.['required']).includes(property)) return undefined
    return 'const' in field ? [field['const']] : field['enum']
  })
  const all = values.flatMap((each): readonly unknown[] => (Array.isArray(each) ? each : [undefined]))
  return all.every(isString) && new Set(all).size === all.length
}

function objectSchemaText(state: SchemaWriting, schema: SchemaObject): string {
  const { properties, additionalProperties } = schema
  const isOpen = additionalProperties !== undefined && additionalProperties !== false
  const others = isRecord(additionalProperties) ? schemaText(state, additionalProperties) : 'z.unknown()'
  if (isRecord(additionalProperties) && others === 'z.unknown()')
    state.note(/additional-properties/, 'additionalProperties says nothing of its values, so any value fits')
  const closed = additionalProperties === false ? '.meta({ additionalProperties: false })' : ''
  if (Object.keys(toRecord(properties)).length === 0 && requiredNamesIn(schema['required']).length === 0)
    return closed === '' ? `z.record(z.string(), ${others})` : `z.object({})${closed}`
  const literal = `{ ${toFieldLines(state, schema)} }`
  if (!isOpen) return `z.object(${literal})${closed}`
  return others === 'z.unknown()' ? `z.looseObject(${literal})` : `z.object(${literal}).catchall(${others})`
}

/** The fields of an object, as members of a literal. */
export function toFieldLines(state: SchemaWriting, { properties, required }: SchemaObject): string {
  const needed = requiredNamesIn(required)
  const own = toRecord(properties)
  const undeclared = needed.filter((name) => own[name] === undefined)
  return [...Object.entries(own), ...undeclared.map((name) => [name, {}] as const)]
    .filter(([name]) => name !== '__proto__')
    .map(([name, field]) => fieldText(state, name, isRecord(field) ? field : {}, needed.includes(name)))
    .join(', ')
}

function fieldText(state: SchemaWriting, name: string, field: SchemaObject, isRequired: boolean): string {
  const before = state.isLater
  state.isLater = false
  const { notes } = splitNotes(field)
  const base = schemaText(state, field, false) + (isRequired ? '' : '.optional()')
  // a model that is described by itself is another schema
  const whole = state.modelConstants.has(base) ? base : base + notesText(notes, state)
  const { isLater } = state
  state.isLater = before
  if (!isLater) return `${memberName(name)}: ${whole}`
  const type = isRequired ? 'z.ZodType' : 'z.ZodOptional<z.ZodType>'
  return `get ${memberName(name)}(): ${type} { return ${whole} }`
}

/** The call that says what only documents show, or nothing. */
export function notesText(notes: SchemaObject, inlining: Inlining): string {
  const plain = inlined(notes, inlining)
  const names = Object.keys(plain)
  if (names.length === 0) return ''
  const { description } = plain
  if (names.length === 1 && isString(description)) return `.describe(${quotedText(description)})`
  return `.meta(${valueText(plain)})`
}
