import { isResponseKey } from './response-key.ts'
import type { DefinitionWarning } from '../../base/definition-error.ts'
import { eachSchema, refOf, refsIn, type Components } from '../../base/json-schema.ts'
import { ELEMENT, MARK } from './markers.ts'
import type { SchemaPlace } from './places.ts'
import type { SchemaObject } from '../document/types.ts'

/** The schemas of one direction as zod-openapi shows them, marks included. */
export interface Shown {
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

/** Returns the schema that is shown in the place of one that cannot be, of its mark. */
export function toNote({ [MARK]: mark, description }: SchemaObject): SchemaObject {
  const note = `Documents cannot show ${nameOf(mark)}.`
  return { description: typeof description === 'string' ? `${description}\n\n${note}` : note }
}

function nameOf(mark: unknown): string {
  return KINDS[String(mark)] ?? String(mark)
}

function undocumented(place: SchemaPlace, at: string, kind: string): DefinitionWarning {
  const isResponse = isResponseKey(place.source) && at !== ''
  const where = isResponse ? `${place.at}, at ${at}` : join(place.at, at)
  return {
    code: 'undocumented_schema',
    where: place.owner.label,
    message: `${where}: a document cannot show ${nameOf(kind)}`,
    fix: FIXES[kind] ?? FIX,
  }
}

/** Warns of what cannot be shown of a place, and adds it to `hidden`. */
export function findUndocumented(
  place: SchemaPlace,
  schema: SchemaObject,
  shown: Shown,
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
      search(each, join(at, step), step === '' && isRoot)
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

function join(at: string, step: string): string {
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
export function spread(components: Components, names: readonly string[]): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  for (const [name, component] of Object.entries(components)) {
    for (const used of refsIn(component)) users.set(used, [...(users.get(used) ?? []), name])
  }
  const reached = new Set(names)
  // what is reached adds what uses it
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
