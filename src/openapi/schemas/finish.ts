import type { DefinitionProblem } from '../../base/definition-error.ts'
import { listOf, mapSchemas, renameRef, type Components } from '../../base/json-schema.ts'
import type { Inventory } from './component-names.ts'
import { ELEMENT, MARK, TYPES, type Direction } from './markers.ts'
import { spread, toNote, type Shown } from './undocumented.ts'
import type { SchemaObject } from '../document/types.ts'

/** Schemas as documents have them. */
export interface Finished {
  /** A converted schema with the names that documents use. */
  readonly finish: (schema: SchemaObject, io: Direction) => SchemaObject
  /** All components, of both directions. */
  readonly components: Components
  readonly problems: readonly DefinitionProblem[]
}

/**
 * Names every component: by its own name if it is the same in both directions or the name is taken, by another if its output differs.
 * In the place of what is `hidden` stands a note.
 */
export function finishAll(
  shown: Readonly<Record<Direction, Shown>>,
  inventory: Inventory,
  hidden: ReadonlySet<SchemaObject>,
): Finished {
  const clean = createClean(hidden)
  const input = mapValues(shown.input.components, (schema) => clean(schema, shown.input))
  const output = mapValues(shown.output.components, (schema) => clean(schema, shown.output))
  const different = Object.keys(output).filter(
    (name) => input[name] !== undefined && JSON.stringify(input[name]) !== JSON.stringify(output[name]),
  )
  const split = spread(output, different)
  const outputName = (name: string): string =>
    split.has(name) ? (inventory.outputIds.get(name) ?? `${name}Output`) : name
  const rename = (schema: SchemaObject): SchemaObject =>
    split.size === 0 ? schema : mapSchemas(renameRef(schema, outputName), rename)
  const renamed = Object.entries(output).map(([name, schema]) => [outputName(name), rename(schema)] as const)
  // schemas that several places have are finished once
  const known = {
    input: new Map<SchemaObject, SchemaObject>(),
    output: new Map<SchemaObject, SchemaObject>(),
  }
  const finish = (schema: SchemaObject, io: Direction): SchemaObject => {
    const before = known[io].get(schema)
    if (before !== undefined) return before
    const cleaned = clean(schema, shown[io])
    const finished = io === 'input' ? cleaned : rename(cleaned)
    known[io].set(schema, finished)
    return finished
  }
  return {
    finish,
    components: { ...input, ...Object.fromEntries(renamed) },
    problems: takenNames([...split], outputName, input, inventory),
  }
}

/** Output names that another schema has. */
function takenNames(
  split: readonly string[],
  outputName: (name: string) => string,
  input: Components,
  { owners }: Inventory,
): readonly DefinitionProblem[] {
  const taken = new Map(Object.keys(input).map((name) => [name, name]))
  return split.flatMap((name): readonly DefinitionProblem[] => {
    const wanted = outputName(name)
    const other = taken.get(wanted)
    taken.set(wanted, name)
    if (other === undefined) return []
    return [
      {
        code: 'duplicate_schema',
        where: owners.get(name) ?? name,
        message: `the output of the schema "${name}" is named "${wanted}", as another schema in ${owners.get(other) ?? other} is`,
        fix: 'name the output by meta({ id, outputId }), or give the other schema another name',
      },
    ]
  })
}

/** Creates the function that writes a schema without marks, and without alternatives that nothing fits. */
function createClean(
  hidden: ReadonlySet<SchemaObject>,
): (schema: SchemaObject, shown: Shown) => SchemaObject {
  const clean = (schema: SchemaObject, shown: Shown): SchemaObject => {
    if (hidden.has(schema)) return toNote(schema)
    return withoutNothing(mapSchemas(unmarked(schema, shown), (inner) => clean(inner, shown)))
  }
  return clean
}

function withoutNothing(cleaned: SchemaObject): SchemaObject {
  if (cleaned['anyOf'] === undefined) return cleaned
  const options = listOf(cleaned['anyOf'])
  const possible = options.filter((option) => !isNothing(option))
  if (options.length === 0 || possible.length === options.length || possible.length === 0) return cleaned
  const { anyOf: _anyOf, ...others } = cleaned
  const [only] = possible
  return possible.length === 1 ? { ...only, ...others } : { ...others, anyOf: possible }
}

function unmarked(given: SchemaObject, shown: Shown): SchemaObject {
  if (given['$ref'] !== undefined) return reference(given)
  const schema = withoutTextNames(given)
  if (schema[MARK] === undefined) return schema
  const { [MARK]: mark, [ELEMENT]: element, [TYPES]: _types, ...rest } = schema
  if (mark !== 'set') return rest
  const items = typeof element === 'string' ? shown.schemas[element] : undefined
  return { type: 'array', ...rest, items: items ?? {}, uniqueItems: true }
}

/** Leaves out that names of members are texts, which is true of all of them. */
function withoutTextNames(schema: SchemaObject): SchemaObject {
  const { propertyNames, ...others } = schema
  return JSON.stringify(propertyNames) === '{"type":"string"}' ? others : schema
}

/** A reference without what zod leaves beside it of an object or a wrapper that it is made of: that no member is allowed, and meta. */
function reference(schema: SchemaObject): SchemaObject {
  const {
    [MARK]: _mark,
    [ELEMENT]: _element,
    [TYPES]: _types,
    id: _id,
    outputId: _outputId,
    ...rest
  } = withoutTextNames(schema)
  const { override: _override, readOnly: _readOnly, additionalProperties, ...others } = rest
  return additionalProperties === undefined || additionalProperties === false
    ? others
    : { ...others, additionalProperties }
}

/** Whether no value fits the schema: `z.undefined()`, `z.void()` and `z.never()`. */
export function isNothing({ not, type }: SchemaObject): boolean {
  return typeof not === 'object' && not !== null && Object.keys(not).length === 0 && type === undefined
}

function mapValues(components: Components, map: (schema: SchemaObject) => SchemaObject): Components {
  return Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, map(schema)]))
}
