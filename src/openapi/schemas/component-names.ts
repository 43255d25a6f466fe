import { toPascal } from '../../base/values.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import { defOf, isSchema, schemaOf, metaOf, childrenOf, type Schema } from '../../schema/schema.ts'
import type { SchemaSide, SchemaPlace } from './markers.ts'
import type { NamedSchema } from '../document/types.ts'

/** A schema to be converted on its own. */
interface ConversionTask {
  readonly key: string
  readonly io: SchemaSide
  readonly schema: Schema
  /** Who uses it, for messages. */
  readonly where: string
  /** The name that schemas in it are named after if they have none. */
  readonly base: string
  /** Whether it is only what another schema was made from, as a model by `refine`. */
  readonly isBase: boolean
}

/** The schemas that there are to convert, and under which names. */
export interface Inventory {
  readonly tasks: readonly ConversionTask[]
  /** The key under which the schema of a place is converted. */
  readonly keys: ReadonlyMap<SchemaPlace, string>
  /** The keys of the elements of sets, which zod does not look into. */
  readonly elements: ReadonlyMap<Schema, string>
  readonly components: ReadonlyMap<string, Schema>
  /** Those whose name is taken, or cannot be one. */
  readonly refused: readonly Schema[]
  /** Why schemas cannot be looked through, by key. */
  readonly failures: ReadonlyMap<string, unknown>
  /** Who uses a component first, for messages. */
  readonly owners: ReadonlyMap<string, string>
  /** The names that schemas want for their output. */
  readonly outputIds: ReadonlyMap<string, string>
  readonly problems: readonly DefinitionProblem[]
}

/** The state of looking through schemas. */
interface ComponentSearch {
  readonly tasks: ConversionTask[]
  readonly elements: Map<Schema, string>
  readonly given: ReadonlyMap<Schema, string>
  readonly owners: Map<string, { readonly schema: Schema; readonly where: string; readonly isBase: boolean }>
  readonly outputIds: Map<string, string>
  /** Recursive schemas without a name, with the one they would like. */
  readonly nameless: Map<Schema, string>
  /** Those whose name is taken, or cannot be one, and whether each is only a base. */
  readonly refused: Map<Schema, boolean>
  readonly seen: Readonly<Record<SchemaSide, Set<Schema>>>
  readonly problems: DefinitionProblem[]
}

// what objects take for their prototype is lost on the way through other tools
const KEY = /^(?!__proto__$)[\w.-]+$/

/**
 * Finds all schemas that become components: those with `meta({ id })`, those that modules name, and recursive ones. Each is converted
 * in both directions, whichever is used, so that its names do not depend on who uses it.
 */
export function takeInventory(places: readonly SchemaPlace[], named: readonly NamedSchema[]): Inventory {
  const search: ComponentSearch = {
    tasks: [],
    elements: new Map(),
    given: new Map(named.toReversed().map(({ name, schema }) => [schema, name])),
    owners: new Map(),
    outputIds: new Map(),
    nameless: new Map(),
    refused: new Map(),
    seen: { input: new Set(), output: new Set() },
    problems: [],
  }
  const keys = new Map<SchemaPlace, string>()
  const known = { input: new Map<Schema, string>(), output: new Map<Schema, string>() }
  for (const place of places) {
    const { owner, at, io, schema } = place
    const before = known[io].get(schema)
    const key = before ?? `s${search.tasks.length}`
    known[io].set(schema, key)
    keys.set(place, key)
    const base = `${owner.name} ${at.replace('input.', '')}`
    if (before === undefined) search.tasks.push({ key, io, schema, where: owner.label, base, isBase: false })
  }
  const failures = new Map<string, unknown>()
  // what is found adds tasks
  for (const task of search.tasks) {
    try {
      visitSchema(search, task, task.schema, '', new Map())
    } catch (error) {
      // a getter of the user's own, which zod asks once, or schemas without end
      failures.set(task.key, error)
    }
  }
  const components = new Map([...search.owners].map(([name, { schema }]) => [name, schema]))
  for (const [schema, wanted] of search.nameless) {
    let name = wanted
    for (let count = 2; components.has(name) || components.has(`${name}Output`); count++)
      name = `${wanted}${count}`
    components.set(name, schema)
  }
  const { tasks, elements, outputIds, problems } = search
  const refused = [...search.refused.keys()]
  const owners = new Map([...search.owners].map(([name, { where }]) => [name, where]))
  return { tasks, keys, elements, components, refused, failures, owners, outputIds, problems }
}

/** Goes through a schema in the order in which zod does, so that recursion is noticed at the same schemas. */
function visitSchema(
  search: ComponentSearch,
  task: ConversionTask,
  schema: Schema,
  at: string,
  path: Map<Schema, string>,
): void {
  const { seen, elements, nameless } = search
  const above = path.get(schema)
  if (above !== undefined) {
    if (givenNameOf(search, schema) === undefined && !nameless.has(schema)) {
      const base = toPascal((task.base + above).replaceAll(/[^A-Za-z0-9]+/g, ' '))
      nameless.set(schema, base)
      addBoth(search, schema, { ...task, base })
    }
    return
  }
  noteComponent(search, schema, task)
  if (seen[task.io].has(schema)) return
  seen[task.io].add(schema)
  path.set(schema, at)
  const def = defOf(schema)
  const element = def.type === 'set' ? schemaOf(def['valueType']) : undefined
  if (element !== undefined && !elements.has(element)) {
    elements.set(element, `s${search.tasks.length}`)
    addBoth(search, element, { ...task, base: task.base + at, isBase: false }, `s${search.tasks.length}`)
  }
  eachPart(schema, task.io, (part, step, isBase) =>
    visitSchema(search, { ...task, isBase }, part, step === '' ? at : `${at} ${step}`, path),
  )
  path.delete(schema)
}

function addBoth(
  { tasks }: ComponentSearch,
  schema: Schema,
  own: Pick<ConversionTask, 'where' | 'base' | 'isBase'>,
  key = `s${tasks.length}`,
): void {
  tasks.push({ ...own, key, io: 'input', schema }, { ...own, key, io: 'output', schema })
}

function givenNameOf({ given }: ComponentSearch, schema: Schema): string | undefined {
  const { id } = metaOf(schema)
  return typeof id === 'string' ? id : given.get(schema)
}

/** Notes the name of a schema, and what is wrong with it. A base leaves its name to a schema that is used itself, such as its older form. */
function noteComponent(search: ComponentSearch, schema: Schema, { where, isBase }: ConversionTask): void {
  const { owners, refused, problems, outputIds } = search
  const name = givenNameOf(search, schema)
  // a refused base may be used itself, too
  if (name === undefined || refused.get(schema) === false || (refused.has(schema) && isBase)) return
  const owner = owners.get(name)
  if (owner?.schema === schema) {
    if (!isBase) owners.set(name, { ...owner, isBase })
    return
  }
  if (owner !== undefined && (isBase || !owner.isBase)) {
    refused.set(schema, isBase)
    if (isBase) return
    problems.push({
      code: 'duplicate_schema',
      where,
      message: `a schema is named "${name}", as another one in ${owner.where} is`,
      fix: 'give one of them another name by meta({ id }), or use one schema for both',
    })
    return
  }
  if (!KEY.test(name)) {
    refused.set(schema, false)
    problems.push({
      code: 'invalid_name',
      where,
      message: `"${name}" cannot be the name of a schema in a document`,
      fix: 'use letters, digits, ".", "-" and "_" in meta({ id }) and in the schemas of modules',
    })
    return
  }
  if (owner !== undefined) refused.set(owner.schema, true)
  owners.set(name, { schema, where, isBase })
  const { outputId } = metaOf(schema)
  if (typeof outputId === 'string') outputIds.set(name, outputId)
  addBoth(search, schema, { where, base: name, isBase })
}

/** Types of schema that zod shows without a look at the schemas in them. */
const CLOSED = new Set(['map', 'set', 'function', 'template_literal'])

/** Calls a function with each schema in a schema, in the order in which zod looks at them for a direction. */
function eachPart(
  schema: Schema,
  io: SchemaSide,
  call: (part: Schema, step: string, isBase: boolean) => void,
): void {
  const { type, in: first } = defOf(schema)
  const isPreprocess = isSchema(first) && defOf(first).type === 'transform'
  const unseen = io === 'output' || isPreprocess ? 'in' : 'out'
  for (const { member, key = '', schema: part } of CLOSED.has(type) ? [] : childrenOf(schema))
    if (member !== unseen) call(part, member === 'shape' ? key : '', false)
  const parent: unknown = Reflect.get(schema._zod, 'parent')
  if (isSchema(parent)) call(parent, '', true)
}
