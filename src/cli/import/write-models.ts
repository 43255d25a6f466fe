import { quotedText, valueText } from '../format.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import { reachOf, refOf, refsIn, type Components } from '../../base/json-schema.ts'
import type { SchemaObject } from '../../openapi/document/types.ts'
import { toCamel } from './import-names.ts'
import { inlined, requiredNamesIn, splitNotes, toSchemaObject } from './schema-parts.ts'
import {
  noteType,
  notesText,
  toExtendedText,
  toFieldLines,
  schemaText,
  type SchemaWriting,
} from './write-schema.ts'

/**
 * Writes the named schemas of a document: models for objects, zod schemas for the rest. Returns a declaration for each, in an order in which
 * each may name those before it.
 */
export function writeModels(writing: SchemaWriting): readonly string[] {
  const { components, constants, models, parts, lazy, done } = writing
  const started = new Set(done)
  const wholes = findWholes(components)
  const declarations: string[] = []
  const write = (name: string): void => {
    if (started.has(name)) return
    started.add(name)
    const schema = components[name] ?? {}
    const whole = wholes.get(name)
    for (const used of [...(whole === undefined ? [] : [whole]), ...refsIn(schema)]) write(used)
    writing.place = name
    writing.isLater = false
    const text =
      whole !== undefined && models.has(whole)
        ? namedPartText(writing, whole, schema, name)
        : componentText(writing, name, schema)
    const constant = constants.get(name) ?? name
    const isLazy = writing.isLater && !models.has(name)
    if (isLazy) parts.delete(name)
    else if (writing.isLater) lazy.add(constant)
    declarations.push(
      isLazy
        ? `export const ${constant}: z.ZodType = z.lazy(() => ${text})`
        : `export const ${constant} = ${text}`,
    )
    done.add(name)
  }
  for (const name of Object.keys(components)) write(name)
  return declarations
}

/** The text of a named schema. Notes what it is. */
function componentText(writing: SchemaWriting, name: string, schema: SchemaObject): string {
  const { components, models, parts, lazy } = writing
  if (schema['$ref'] !== undefined) return schemaText(writing, schema)
  const own = inlined(splitNotes(schema).notes, writing)
  const object = toSchemaObject(schema, components)
  const { additionalProperties, properties, type: _type, required: _required, ...others } = object ?? {}
  const isFixed = !isRecord(additionalProperties) || Object.keys(additionalProperties).length === 0
  if (object === undefined || Object.keys(toRecord(properties)).length === 0 || !isFixed)
    return `${schemaText(writing, schema, false)}${metaText(name, own)}`
  noteType(writing, schema)
  models.add(name)
  parts.add(name)
  const shown = {
    ...own,
    ...inlined(splitNotes(others).notes, writing),
    ...(additionalProperties === false ? { additionalProperties } : {}),
  }
  const meta = Object.keys(shown).length === 0 ? '' : `, ${valueText(shown)}`
  // a change of a field is one of the model that has it, so each model has all of its fields
  const more = toExtendedText(writing, schema)
  const fields =
    more === undefined || lazy.has(more.base)
      ? toFieldLines(writing, object)
      : `...${more.base}.shape, ${toFieldLines(writing, more.fields)}`
  return `model(${quotedText(name)}, { ${fields} }${meta})`
}

/** A part of a model with a name of its own. */
function namedPartText(writing: SchemaWriting, whole: string, part: SchemaObject, name: string): string {
  writing.parts.add(name)
  return partText(writing, whole, part, metaText(name, inlined(splitNotes(part).notes, writing)))
}

/** A part of a model: without some of its fields, or with optional ones. */
function partText(writing: SchemaWriting, whole: string, part: SchemaObject, notes: string): string {
  const { components, constants } = writing
  const base = constants.get(whole) ?? whole
  const fields = toRecord(part['properties'])
  const left = Object.keys(toRecord(toRecord(components[whole])['properties'])).filter(
    (field) => fields[field] === undefined,
  )
  const omitted = valueText(Object.fromEntries(left.map((field) => [field, true])))
  const parameter = toCamel(base)
  const omit = left.length === 0 ? '' : `.omit(${omitted})`
  const partial = isPartial(part, components[whole] ?? {}) ? '.partial()' : ''
  return `derive(${base}, (${parameter}) => ${parameter}${omit}${partial}${notes})`
}

/** Writes a body without a name as a part of a model that the same operation responds with, so that changes of the model reach it. */
export function bodyPartText(
  writing: SchemaWriting,
  body: SchemaObject,
  responses: readonly SchemaObject[],
): string | undefined {
  const { components, models, constants, used } = writing
  const own = isPlainObject(body) ? body : undefined
  const whole = responses
    .flatMap((response) => refOf(response) ?? [])
    .find((name) => models.has(name) && own !== undefined && isPartOf(own, components[name] ?? {}))
  if (own === undefined || whole === undefined) return undefined
  used.add(constants.get(whole) ?? whole)
  return partText(writing, whole, own, notesText(splitNotes(body).notes, writing))
}

function metaText(id: string, notes: SchemaObject): string {
  return `.meta(${valueText({ id, ...notes })})`
}

/** The objects that schemas are parts of: `Car` for `NewCar`. */
function findWholes(components: Components): ReadonlyMap<string, string> {
  const objects = Object.entries(components)
    .filter(([, schema]) => isPlainObject(schema))
    .map(([name, schema]) => ({ name, word: name.toLowerCase(), schema }))
    // a part of a part is one of the whole
    .toSorted((one, other) => fieldCount(other.schema) - fieldCount(one.schema))
  return new Map(
    objects.flatMap((part) => {
      const whole = objects.find(
        ({ name, word, schema }) =>
          name !== part.name &&
          (word.includes(part.word) || part.word.includes(word)) &&
          isPartOf(part.schema, schema) &&
          !reachOf([name], components).has(part.name),
      )
      return whole === undefined ? [] : [[part.name, whole.name]]
    }),
  )
}

function fieldCount({ properties }: SchemaObject): number {
  return Object.keys(toRecord(properties)).length
}

/** Whether an object has fields of another one alone: all of its fields, but for some, or all of these optional. */
function isPartOf(part: SchemaObject, whole: SchemaObject): boolean {
  const [fields, all] = [toRecord(part['properties']), toRecord(whole['properties'])]
  const count = fieldCount(part)
  const more = fieldCount(whole) - count
  const [needed, others] = [requiredNamesIn(part['required']), requiredNamesIn(whole['required'])]
  const isSame = (field: string): boolean => needed.includes(field) === others.includes(field)
  const isLess = isPartial(part, whole)
  return (
    isPlainObject(whole) &&
    count > 1 &&
    (more > 0 || (more === 0 && isLess)) &&
    more <= count &&
    Object.entries(fields).every(
      ([field, schema]) => JSON.stringify(all[field]) === JSON.stringify(schema) && (isLess || isSame(field)),
    )
  )
}

/** Whether an object requires nothing of what another one requires. */
function isPartial(part: SchemaObject, whole: SchemaObject): boolean {
  const needed = requiredNamesIn(whole['required'])
  const fields = Object.keys(toRecord(part['properties']))
  return requiredNamesIn(part['required']).length === 0 && fields.some((field) => needed.includes(field))
}

function isPlainObject(schema: SchemaObject): boolean {
  const { schema: own, notes } = splitNotes(schema)
  const { description: _description, ...others } = notes
  return (
    Object.keys(others).length === 0 &&
    Object.keys(own).every((keyword) => ['type', 'properties', 'required'].includes(keyword)) &&
    own['type'] === 'object' &&
    own['properties'] !== undefined &&
    requiredNamesIn(own['required']).every((field) => toRecord(own['properties'])[field] !== undefined)
  )
}
