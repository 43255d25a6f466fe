import { isRecord } from '../../base/values.ts'
import { pickAt } from '../json.ts'
import type { Node } from '../document/source.ts'
import type { Passed, TracedPlace } from '../finding.ts'
import type { KnownApp, Side } from './draft.ts'

/** Two documents with what the application defines. They are the objects that were compared. */
export interface ComparedApp {
  readonly base: unknown
  readonly revision: unknown
  readonly known: KnownApp
}

/** An object in two documents that has fields of a model, and the field that a finding is about. */
export interface Owned {
  readonly model: string
  readonly field: string
  readonly side: Side
  readonly base: Node
  readonly revision: Node
  /** The objects of the application that may stand there today. */
  readonly objects: KnownApp['objects']
}

/** The side that a place is on. */
export function sideOf({ steps }: Pick<TracedPlace, 'steps'>): Side {
  return steps[0] === 'responses' ? 'response' : 'request'
}

/** The object with fields of a model that a place is in: none, or one of several that cannot be told apart. */
export type Ownership = Owned | 'none' | 'undecided'

/** Finds the innermost object with fields of a model on the way to a place. */
export function findOwned(place: TracedPlace, pair: ComparedApp): Ownership {
  for (const passed of place.passed.toReversed()) {
    const found = ownedAt(passed, place, pair)
    if (found !== 'none') return found
  }
  return 'none'
}

/** An object schema on the way, and the name that it has in its document. */
interface Spot {
  readonly node: Node
  readonly component: string | undefined
}

/** The same object in both documents. */
interface Pair {
  readonly older: Spot
  readonly newer: Spot
}

function ownedAt(passed: Passed, place: TracedPlace, { base, revision, known }: ComparedApp): Ownership {
  const { field } = passed
  const [older, newer] = [toSpots(passed.base, base), toSpots(passed.revision, revision)]
  const modelsOf = (spots: readonly Spot[]): readonly string[] =>
    spots.map((spot) => modelAt(spot, passed, place, known)).filter((model) => model !== 'none')
  if (modelsOf([...older, ...newer]).length === 0) return 'none'
  const pair = toPair(older, newer, field)
  if (pair === undefined) return 'undecided'
  const [model] = modelsOf([pair.newer])
  if (model === 'undecided') return 'undecided'
  // an object that became another one: what holds it is the difference
  if (model === undefined || isReplaced(pair, base) || modelsOf([pair.older])[0] !== model) return 'none'
  const objects = objectsAt(passed.place, pair.newer.node, place, known)
  return { model, field, side: sideOf(place), base: pair.older.node, revision: pair.newer.node, objects }
}

/** Whether an object with another name, or none, stood where one is today that the older document has as well. */
function isReplaced({ older, newer }: Pair, base: unknown): boolean {
  const { component } = newer
  if (component === undefined || component === older.component) return false
  return pickAt(base, ['components', 'schemas', component]) !== undefined
}

function toSpots(objects: readonly object[], document: unknown): readonly Spot[] {
  const named = pickAt(document, ['components', 'schemas'])
  const schemas = Object.entries(isRecord(named) ? named : {})
  return objects
    .filter((each) => isRecord(each))
    .map((node) => ({ node, component: schemas.find(([, schema]) => schema === node)?.[0] }))
}

/** The object that is meant in both documents: the only one, or the only one that both name. */
function toPair(older: readonly Spot[], newer: readonly Spot[], field: string): Pair | undefined {
  const has = ({ node }: Spot): boolean => pickAt(node, ['properties', field]) !== undefined
  const all = older
    .flatMap((one) => newer.map((other) => ({ older: one, newer: other })))
    .filter((pair) => has(pair.older) || has(pair.newer))
  const named = all.filter(
    (pair) => pair.older.component !== undefined && pair.older.component === pair.newer.component,
  )
  const found = all.length === 1 ? all : named
  return found.length === 1 ? found[0] : undefined
}

/** The model whose fields an object has. */
function modelAt(
  { node, component }: Spot,
  { field, place, isAlone }: Passed,
  traced: TracedPlace,
  known: KnownApp,
): string {
  const { models } = known
  const named =
    models.find(({ name }) => name === component) ??
    models.find(({ name }) => component === `${name}Output` || component === `${name}Input`)
  if (named !== undefined) return named.name
  const here = objectsAt(place, node, traced, known)
  const found = new Set(here.map(({ model }) => model))
  if (found.size === 0) return 'none'
  if (!isAlone) return 'undecided'
  const [first = 'none'] = found
  if (found.size === 1) return first
  const having = new Set(here.filter((object) => object.fields.includes(field)).map(({ model }) => model))
  return having.size === 1 ? ([...having][0] ?? 'none') : 'undecided'
}

/** The objects of a route that may stand at a place. */
function objectsAt(
  place: string,
  node: Node,
  { route: operationId }: TracedPlace,
  { objects, routes }: KnownApp,
): KnownApp['objects'] {
  const route = routes.find((each) => each.operationId === operationId)?.name
  const own = objects.filter((object) => object.route === route)
  const places = [place, ...(place.startsWith('body') ? [place.replace('body', 'form')] : [])]
  const exact = own.filter((object) => places.includes(object.place))
  if (exact.length > 0) return exact
  // the status of success may be left to the route, and then no other object has fewer fields
  const general = place.replace(/^response 2\d\d/, 'response default')
  const names = Object.keys(isRecord(node['properties']) ? node['properties'] : {})
  return own.filter(
    (object) => object.place === general && names.every((name) => object.fields.includes(name)),
  )
}
