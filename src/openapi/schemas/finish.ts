import type { DefinitionProblem, DefinitionWarning } from '../../base/definition-error.ts'
import {
  schemaList,
  mapSchemas,
  renameRef,
  eachSchema,
  refOf,
  refsIn,
  type Components,
} from '../../base/json-schema.ts'
import type { Inventory } from './component-names.ts'
import { ELEMENT, MARK, TYPES, isResponseKey, type SchemaSide, type SchemaPlace } from './markers.ts'
import type { SchemaObject } from '../document/types.ts'

/** Schemas as documents have them. */
export interface FinishedSchemas {
  /** A converted schema with the names that documents use. */
  readonly finish: (schema: SchemaObject, io: SchemaSide) => SchemaObject
  /** All components, of both directions. */
  readonly components: Components
  readonly problems: readonly DefinitionProblem[]
}

/**
 * Names every component: by its own name if it is the same in both directions or the name is taken, by another if its output differs.
 * In the place of what is `hidden` stands a note.
 */
export function finishAll(
  shown: Readonly<Record<SchemaSide, MarkedSchemas>>,
  inventory: Inventory,
  hidden: ReadonlySet<SchemaObject>,
): FinishedSchemas {
  /** Writes a schema without marks, and without alternatives that nothing fits. */
  const clean = (schema: SchemaObject, among: MarkedSchemas): SchemaObject => {
    if (!hidden.has(schema))
      return withoutNothing(mapSchemas(unmarked(schema, among), (inner) => clean(inner, among)))
    const { [MARK]: mark, description } = schema
    const note = `Documents cannot show ${markName(mark)}.`
    return { description: typeof description === 'string' ? `${description}\n\n${note}` : note }
  }
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
  const finish = (schema: SchemaObject, io: SchemaSide): SchemaObject => {
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

function withoutNothing(cleaned: SchemaObject): SchemaObject {
  if (cleaned['anyOf'] === undefined) return cleaned
  const options = schemaList(cleaned['anyOf'])
  const possible = options.filter((option) => !fitsNothing(option))
  if (options.length === 0 || possible.length === options.length || possible.length === 0) return cleaned
  const { anyOf: _anyOf, ...others } = cleaned
  const [only] = possible
  return possible.length === 1 ? { ...only, ...others } : { ...others, anyOf: possible }
}

function unmarked(given: SchemaObject, shown: MarkedSchemas): SchemaObject {
  if (given['$ref'] !== undefined) return toPlainReference(given)
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
function toPlainReference(schema: SchemaObject): SchemaObject {
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
export function fitsNothing({ not, type }: SchemaObject): boolean {
  return typeof not === 'object' && not !== null && Object.keys(not).length === 0 && type === undefined
}

function mapValues(components: Components, map: (schema: SchemaObject) => SchemaObject): Components {
  return Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, map(schema)]))
}

/** The schemas of one direction as zod-openapi shows them, marks included. */
export interface MarkedSchemas {
  /** By the key under which they were converted. */
  readonly schemas: Components
  readonly components: Components
  /** Whether there is a mark in any of them. */
  readonly hasMarks: boolean
  /** The components with a mark in them, or in what they refer to. */
  readonly marked: ReadonlySet<string>
}

/** How a mark reads in a message. */
const KINDS: Readonly<Record<string, string>> = {
  transform: 'the result of a transform',
  custom: 'z.custom()',
  map: 'z.map()',
  set: 'z.set()',
  symbol: 'z.symbol()',
  function: 'z.function()',
  promise: 'z.promise()',
  nan: 'z.nan()',
  literal: 'z.literal(undefined)',
  file: 'a file or bytes in JSON',
}

const FIXES: Readonly<Record<string, string>> = {
  transform:
    'let the transform end in .pipe(z.…), use a codec, or describe its result with .meta({ type: … })',
  set: 'use an array, or a codec from an array',
  map: 'use z.record(), or a codec from one',
  file: 'send it alone, as files of a form, or as text',
}
const FIX = 'describe it with .meta({ type: … }), or use a codec or .pipe(z.…)'

function markName(mark: unknown): string {
  return KINDS[String(mark)] ?? String(mark)
}

function undocumented(place: SchemaPlace, at: string, kind: string): DefinitionWarning {
  const isResponse = isResponseKey(place.source) && at !== ''
  const where = isResponse ? `${place.at}, at ${at}` : joinSteps(place.at, at)
  return {
    code: 'undocumented_schema',
    where: place.owner.label,
    message: `${where}: a document cannot show ${markName(kind)}`,
    fix: FIXES[kind] ?? FIX,
  }
}

/** Warns of what cannot be shown of a place, and adds it to `hidden`. */
export function findUndocumented(
  place: SchemaPlace,
  schema: SchemaObject,
  shown: MarkedSchemas,
  hidden: Set<SchemaObject>,
): readonly DefinitionWarning[] {
  if (!shown.hasMarks) return []
  const found = new Map<string, DefinitionWarning>()
  const seen = new Set<string>()
  const search = (inner: SchemaObject, at: string, isRoot: boolean): void => {
    const { [MARK]: mark, [ELEMENT]: element } = inner
    if (typeof mark === 'string' && !isAllowed(place, mark, isRoot)) {
      found.set(`${at} ${mark}`, undocumented(place, at, mark))
      hidden.add(inner)
    }
    const set = typeof element === 'string' ? shown.schemas[element] : undefined
    if (set !== undefined) search(set, `${at}[]`, false)
    const name = refOf(inner)
    const component =
      name === undefined || !shown.marked.has(name) || seen.has(name) ? undefined : shown.components[name]
    if (name !== undefined && component !== undefined) {
      seen.add(name)
      search(component, at, isRoot)
    }
    eachSchema(inner, (each, keyword, key) => {
      const step = stepOf(keyword, key)
      search(each, joinSteps(at, step), step === '' && isRoot)
    })
  }
  search(schema, '', true)
  return [...found.values()]
}

/** The step to a schema in another one, as messages have it: `name`, `[]`, `*`, or nothing for alternatives. */
function stepOf(keyword: string, key = ''): string {
  if (keyword === 'properties') return key
  if (keyword === 'prefixItems') return `[${key}]`
  return STEPS.get(keyword) ?? ''
}

const STEPS: ReadonlyMap<string, string> = new Map([
  ['items', '[]'],
  ['contains', '[]'],
  ['unevaluatedItems', '[]'],
  ['additionalProperties', '*'],
  ['unevaluatedProperties', '*'],
])

function joinSteps(at: string, step: string): string {
  if (step === '' || step.startsWith('[')) return at + step
  return at === '' ? step : `${at}.${step}`
}

/** Whether the place can hold what JSON cannot. */
function isAllowed({ holds }: SchemaPlace, mark: string, isRoot: boolean): boolean {
  if (holds === 'texts') return mark === 'set'
  // a schema of unknown kind takes a file too
  if (holds === 'files') return ['file', 'set', 'custom', 'transform'].includes(mark)
  return mark === 'file' && isRoot
}

/** The names of components that hold a mark, or refer to one that does. */
export function findMarked(components: Components): ReadonlySet<string> {
  return spread(
    components,
    Object.keys(components).filter((name) => hasMark(components[name] ?? {})),
  )
}

/** The names, and those of all components that refer to one of them, at any distance. */
function spread(components: Components, names: readonly string[]): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  for (const [name, component] of Object.entries(components)) {
    for (const used of refsIn(component)) users.set(used, [...(users.get(used) ?? []), name])
  }
  const reached = new Set(names)
  // each schema that is reached adds the schemas that use it
  for (const name of reached) for (const user of users.get(name) ?? []) reached.add(user)
  return reached
}

function hasMark(schema: SchemaObject): boolean {
  let has = MARK in schema
  eachSchema(schema, (inner) => {
    has ||= hasMark(inner)
  })
  return has
}
