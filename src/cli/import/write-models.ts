import { isRecord, toRecord } from '../../base/values.ts'
import { reachOf, refsIn, type Components } from '../../base/json-schema.ts'
import type { SchemaObject } from '../../openapi/document/types.ts'
import { quoted } from '../types/schema-type.ts'
import { valueText } from '../write/zod-text.ts'
import { toCamel, toConstants } from './names.ts'
import { inlined, namesIn, splitNotes, toObject } from './schema-parts.ts'
import { createSchemaWriter, type Note, type SchemaWriter } from './write-schema.ts'

/** The named schemas of a document, as source. */
export interface WrittenModels {
  /** A declaration for each, in an order in which each may name those before it. */
  readonly declarations: readonly string[]
  /** The constants of models. */
  readonly models: readonly string[]
  readonly writer: SchemaWriter
  /** Whether a named schema is a model, or a part of one, so that methods of zod would make another schema of it. */
  readonly isModel: (component: string) => boolean
}

interface State {
  readonly components: Components
  readonly constants: ReadonlyMap<string, string>
  readonly models: Set<string>
  /** Models, and parts of one. */
  readonly parts: Set<string>
  /** The constants of models with fields that name what is written later, which can't be read while the file is loaded. */
  readonly lazy: Set<string>
  readonly writer: SchemaWriter
}

/** Writes the named schemas of a document: models for objects, zod schemas for the rest. */
export function writeModels(
  components: Components,
  note: Note,
  enter: (schema: string) => void,
): WrittenModels {
  const constants = toConstants(Object.keys(components))
  const done = new Set<string>()
  const started = new Set<string>()
  const [models, parts] = [new Set<string>(), new Set<string>()]
  const writer = createSchemaWriter({ components, constants, done, models: parts, note })
  const state: State = { components, constants, models, parts, lazy: new Set(), writer }
  const wholes = findWholes(components)
  const declarations: string[] = []
  const write = (name: string): void => {
    if (started.has(name)) return
    started.add(name)
    const schema = components[name] ?? {}
    const whole = wholes.get(name)
    for (const used of [...(whole === undefined ? [] : [whole]), ...refsIn(schema)]) write(used)
    enter(name)
    const text =
      whole !== undefined && models.has(whole)
        ? omitText(state, whole, schema, name)
        : componentText(state, name, schema)
    const constant = constants.get(name) ?? name
    const isLater = writer.takeLater()
    if (isLater && models.has(name)) state.lazy.add(constant)
    const isLazy = isLater && !models.has(name)
    if (isLazy) parts.delete(name)
    declarations.push(
      isLazy
        ? `export const ${constant}: z.ZodType = z.lazy(() => ${text})`
        : `export const ${constant} = ${text}`,
    )
    done.add(name)
  }
  for (const name of Object.keys(components)) write(name)
  return {
    declarations,
    models: [...models].map((name) => constants.get(name) ?? name),
    writer,
    isModel: (component) => parts.has(component),
  }
}

/** The text of a named schema. Notes what it is. */
function componentText(
  { components, models, parts, lazy, writer }: State,
  name: string,
  schema: SchemaObject,
): string {
  if (schema['$ref'] !== undefined) return writer.text(schema)
  const own = inlined(splitNotes(schema).notes, components)
  const object = toObject(schema, components)
  const { additionalProperties, properties, type: _type, required: _required, ...others } = object ?? {}
  const isFixed = !isRecord(additionalProperties) || Object.keys(additionalProperties).length === 0
  if (object === undefined || Object.keys(toRecord(properties)).length === 0 || !isFixed)
    return `${writer.text(schema, false)}${metaText(name, own)}`
  writer.noteType(schema)
  models.add(name)
  parts.add(name)
  const shown = {
    ...own,
    ...inlined(splitNotes(others).notes, components),
    ...(additionalProperties === false ? { additionalProperties } : {}),
  }
  const meta = Object.keys(shown).length === 0 ? '' : `, ${valueText(shown)}`
  // a change of a field is one of the model that has it, so each model has all of its fields
  const more = writer.extended(schema)
  const fields =
    more === undefined || lazy.has(more.base)
      ? writer.fields(object)
      : `...${more.base}.shape, ${writer.fields(more.fields)}`
  return `model(${quoted(name)}, { ${fields} }${meta})`
}

/** An object that is a model without some of its fields. */
function omitText(
  { components, constants, parts }: State,
  whole: string,
  part: SchemaObject,
  name: string,
): string {
  parts.add(name)
  const base = constants.get(whole) ?? whole
  const own = toRecord(part['properties'])
  const all = Object.keys(toRecord(toRecord(components[whole])['properties']))
  const omitted = valueText(
    Object.fromEntries(all.filter((field) => own[field] === undefined).map((field) => [field, true])),
  )
  const parameter = toCamel(base)
  const meta = metaText(name, inlined(splitNotes(part).notes, components))
  return `derive(${base}, (${parameter}) => ${parameter}.omit(${omitted})${meta})`
}

function metaText(id: string, notes: SchemaObject): string {
  return `.meta(${valueText({ id, ...notes })})`
}

/** The objects that schemas are without some of their fields: `Car` for `NewCar`. */
function findWholes(components: Components): ReadonlyMap<string, string> {
  const objects = Object.entries(components).flatMap(([name, schema]) => {
    const fields = toRecord(schema['properties'])
    const needed = namesIn(schema['required'])
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
    namesIn(own['required']).every((field) => toRecord(own['properties'])[field] !== undefined)
  )
}
