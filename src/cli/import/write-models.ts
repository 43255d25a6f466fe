import { quotedText, valueText } from '../format.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import { reachOf, refsIn, type Components } from '../../base/json-schema.ts'
import type { SchemaObject } from '../../openapi/document/types.ts'
import { toCamel } from './import-names.ts'
import { inlined, requiredNamesIn, splitNotes, toSchemaObject } from './schema-parts.ts'
import { noteType, toExtendedText, toFieldLines, schemaText, type SchemaWriting } from './write-schema.ts'

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
        ? omitText(writing, whole, schema, name)
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

/** An object that is a model without some of its fields. */
function omitText(writing: SchemaWriting, whole: string, part: SchemaObject, name: string): string {
  const { components, constants, parts } = writing
  parts.add(name)
  const base = constants.get(whole) ?? whole
  const own = toRecord(part['properties'])
  const all = Object.keys(toRecord(toRecord(components[whole])['properties']))
  const omitted = valueText(
    Object.fromEntries(all.filter((field) => own[field] === undefined).map((field) => [field, true])),
  )
  const parameter = toCamel(base)
  const meta = metaText(name, inlined(splitNotes(part).notes, writing))
  return `derive(${base}, (${parameter}) => ${parameter}.omit(${omitted})${meta})`
}

function metaText(id: string, notes: SchemaObject): string {
  return `.meta(${valueText({ id, ...notes })})`
}

/** The objects that schemas are without some of their fields: `Car` for `NewCar`. */
function findWholes(components: Components): ReadonlyMap<string, string> {
  const objects = Object.entries(components).flatMap(([name, schema]) => {
    const fields = toRecord(schema['properties'])
    const needed = requiredNamesIn(schema['required'])
    return isPlainObject(schema) ? [{ name, word: name.toLowerCase(), fields, needed }] : []
  })
  return new Map(
    objects.flatMap((part) => {
      const fields = Object.entries(part.fields)
      const whole = objects.find(({ name, word, fields: own, needed }) => {
        const more = Object.keys(own).length - fields.length
        return (
          fields.length > 1 &&
          more > 0 &&
          more <= fields.length &&
          (word.includes(part.word) || part.word.includes(word)) &&
          fields.every(
            ([field, schema]) =>
              JSON.stringify(own[field]) === JSON.stringify(schema) &&
              part.needed.includes(field) === needed.includes(field),
          ) &&
          !reachOf([name], components).has(part.name)
        )
      })
      return whole === undefined ? [] : [[part.name, whole.name]]
    }),
  )
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
