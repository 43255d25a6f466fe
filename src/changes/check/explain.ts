import { positionsOf } from '../check-used.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { defOf, isSchema, schemaOf, childrenOf, type Schema, type ChildSchema } from '../../schema/schema.ts'
import { toRecord } from '../../base/values.ts'
import type { Chain } from '../chain.ts'
import { operationsOf, type HistoryParts } from '../expand.ts'
import { isAbout, routeLabel } from '../operations/operation.ts'
import { fieldsOf } from '../operations/operation-kinds.ts'
import { errorSchemas, reformatsOf } from '../operations/errors-before.ts'
import { webhooksOf } from '../operations/webhook-names.ts'
import type { HistoryInternals } from '../internals.ts'

/** Positions in one route, such as `body` or `response 200.items[]`. */
export interface RoutePositions {
  /** The full name of the route. */
  readonly route: string
  readonly positions: readonly string[]
}

/** Where a change lands. */
interface ExplainedChange {
  readonly id: string
  readonly title: string
  /** The first version that has it. */
  readonly version: string
  /** Where it is defined, as file and line. */
  readonly at: string | undefined
  readonly reaches: readonly RoutePositions[]
}

/** A schema that has fields as a model has them, and that no change reaches because it was not made from the model. */
interface NearMiss extends RoutePositions {
  readonly model: string
  /** The fields that both have. */
  readonly fields: readonly string[]
}

/** Where the changes of a history land, and where none does though it seems that one should. */
export interface Explanation {
  /** Newest first. */
  readonly changes: readonly ExplainedChange[]
  readonly nearMisses: readonly NearMiss[]
}

/**
 * Explains where the changes of a history land in routes, which are those of the newest version, and in the error format, whose schema is
 * `format`.
 */
export function explain(
  internals: HistoryInternals,
  routes: readonly ResolvedRoute[],
  format?: Schema,
): Explanation {
  const { parts } = internals
  const objects = [
    ...objectsOf(routes, parts.messages),
    ...errorSchemas(format, parts.changes).flatMap((schema) =>
      objectsIn(schema, { route: '', position: 'errors' }),
    ),
  ]
  return { changes: explainChanges(internals, routes, objects), nearMisses: nearMisses(objects, parts) }
}

/** Explains where the changes of a history land in routes, newest first. */
export function explainChanges(
  { parts, placeOf }: HistoryInternals,
  routes: readonly ResolvedRoute[],
  objects = objectsOf(routes, parts.messages),
): Explanation['changes'] {
  const landed = landings(objects, parts)
  return parts.changes.map((change, order) => ({
    id: change.id,
    title: change.title,
    version: change.version,
    at: placeOf(change),
    reaches: grouped([
      ...(landed.get(order) ?? []),
      ...moved(order, routes, parts),
      ...reformatsOf([change]).map(() => ({ route: '', position: 'errors' })),
      ...webhooksOf([change]).map(({ webhook }) => ({ route: '', position: `webhook ${webhook}` })),
    ]),
  }))
}

type Landing = Pick<Found, 'route' | 'position'>

/** The positions of what each change does to models, by the positions of the changes. */
function landings(
  objects: readonly Found[],
  { plans }: HistoryParts,
): ReadonlyMap<number, readonly Landing[]> {
  const landed = new Map<number, Landing[]>()
  for (const found of objects) {
    const { schema } = found
    const orders =
      defOf(schema).type === 'enum'
        ? plans.reachOf(schema)
        : plans.modelledFieldsOf(schema).steps.map(({ order }) => order)
    for (const order of new Set(orders)) {
      const own = landed.get(order) ?? []
      own.push(found)
      landed.set(order, own)
    }
  }
  return landed
}

/** Returns what operations of a change describe of their routes. */
function moved(
  order: number,
  routes: readonly ResolvedRoute[],
  { changes }: HistoryParts,
): readonly Landing[] {
  return operationsOf(changes)
    .filter((ordered) => ordered.order === order)
    .flatMap(({ operation }) =>
      routes
        .filter(({ name }) => isAbout(operation, name))
        .flatMap((route) => [...fieldsOf(operation, route).values()])
        .map(({ label }) => ({ route: routeLabel(operation), position: label.replace(/^the /, '') })),
    )
}

/** The positions in each route, each once. */
function grouped(landed: readonly Landing[]): readonly RoutePositions[] {
  const routes = new Map<string, Set<string>>()
  for (const { route, position } of landed) routes.set(route, (routes.get(route) ?? new Set()).add(position))
  // schemas without a route come last
  return [...routes]
    .toSorted(([one], [other]) => Number(one === '') - Number(other === ''))
    .map(([route, positions]) => ({ route, positions: [...positions] }))
}

/** Two fields of the same name and kind may be chance where an object has many. */
const FEWEST = 2

function nearMisses(objects: readonly Found[], { plans }: HistoryParts): readonly NearMiss[] {
  const found = objects.flatMap(({ route, position, schema }) => {
    if (defOf(schema).type !== 'object') return []
    const { fieldIds } = plans.modelledFieldsOf(schema)
    return [...plans.chains.values()].flatMap((chain) => {
      const isOwned = [...chain.fieldIds.values()].some((fieldId) => [...fieldIds.values()].includes(fieldId))
      const isMeant = chain.steps.some(({ reshape }) => reshape.not?.includes(schema) === true)
      const fields = isOwned || isMeant ? [] : sharedFields(schema, chain)
      return fields.length === 0 ? [] : [{ route, position, model: chain.name, fields }]
    })
  })
  const rows = new Map<string, NearMiss>()
  for (const { route, position, model, fields } of found) {
    const key = [route, model, ...fields].join()
    rows.set(key, { route, model, fields, positions: [...(rows.get(key)?.positions ?? []), position] })
  }
  return [...rows.values()]
}

/** The fields that an object has in common with a model: at least half of its own, one of them changed. */
function sharedFields(schema: Schema, { model, steps }: Chain): readonly string[] {
  const [own, fields] = [schema, model].map((each) => toRecord(defOf(each)['shape']))
  const shared = Object.keys(own ?? {}).filter((key) => isAlike(own?.[key], fields?.[key]))
  const changed = new Set(steps.flatMap(({ newer }) => newer.map(([name]) => name)))
  const isNear =
    shared.length >= FEWEST &&
    shared.length * 2 >= Object.keys(own ?? {}).length &&
    shared.some((key) => changed.has(key))
  return isNear ? shared : []
}

/** Whether two fields are of one kind, below what makes them optional. */
function isAlike(one: unknown, other: unknown): boolean {
  return isSchema(one) && isSchema(other) && kindOf(one) === kindOf(other)
}

function kindOf(schema: Schema): string {
  const def = defOf(schema)
  const inner = schemaOf(def['innerType'])
  return inner === undefined ? def.type : kindOf(inner)
}

/** An object schema, and where it stands. */
export interface Found {
  /** Empty for a schema without a route. */
  readonly route: string
  /** Such as `body` or `response 200.items[]`. */
  readonly position: string
  readonly schema: Schema
}

/** The object schemas of routes and messages, and enumerations, which may be names of fields. */
export function objectsOf(routes: readonly ResolvedRoute[], messages: readonly Schema[]): readonly Found[] {
  return [
    ...routes.flatMap((route) =>
      positionsOf(route).flatMap(({ position, schema }) =>
        objectsIn(schema, { route: route.name, position }),
      ),
    ),
    ...messages.flatMap((schema) => objectsIn(schema, { route: '', position: 'messages' })),
  ]
}

/** Positions of one schema up to which all are found. Objects that refer to each other have countless ones. */
const MANY = 100

/** The objects in a schema. Beyond `MANY`, the content of an object that is there several times is found at its first position. */
function objectsIn(schema: Schema, { route, position }: Pick<Found, 'route' | 'position'>): readonly Found[] {
  const found: Found[] = []
  const opened = new Set<Schema>()
  const above = new Set<Schema>()
  const visit = (inner: Schema, at: string): void => {
    if (above.has(inner)) return
    if (['object', 'enum'].includes(defOf(inner).type)) found.push({ route, position: at, schema: inner })
    if (found.length > MANY && opened.has(inner)) return
    opened.add(inner)
    above.add(inner)
    for (const child of childrenOf(inner)) visit(child.schema, at + stepTo(child))
    above.delete(inner)
  }
  visit(schema, position)
  return found
}

function stepTo({ member, key }: ChildSchema): string {
  if (member === 'shape') return `.${key}`
  if (member === 'items') return `[${key}]`
  return STEPS[member] ?? ''
}

/** The steps into values that have no names of their own. */
const STEPS: Readonly<Record<string, string>> = {
  element: '[]',
  rest: '[]',
  keyType: '{}',
  valueType: '{}',
  catchall: '{}',
}
