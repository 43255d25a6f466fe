import { isRecord } from '../../base/values.ts'
import type { Node } from '../document/source.ts'
import type { Finding } from '../finding.ts'
import type { Known, Side } from './draft.ts'
import { pick, toSteps, walk } from './walk.ts'
import type { Spot, Start, Way } from './walk.ts'

/** An object in two documents that has fields of a model, and the field that a finding is about. */
export interface Owned {
  readonly model: string
  readonly field: string
  readonly side: Side
  /** Where the object stands in the newer document. */
  readonly at: string
  readonly base: Node
  readonly revision: Node
}

/** The side that a finding is about. */
export function sideOf({ at }: Pick<Finding, 'at'>): Side {
  return at.startsWith('responses/') ? 'response' : 'request'
}

/** The object with fields of a model that a finding is in: none, or one of several that cannot be told apart. */
export type Ownership = Owned | 'none' | 'undecided'

/** Finds the innermost object with fields of a model that a finding is in. */
export function findOwned(finding: Finding, base: unknown, revision: unknown, known: Known): Ownership {
  const starts = startsOf(finding, base, revision)
  if (starts === undefined) return ownedComponent(finding, base, revision, known)
  const [was, now] = [walk(base, starts.base, starts.path), walk(revision, starts.revision, starts.path)]
  const distances = [...new Set([...was.spots.keys(), ...now.spots.keys()])].toSorted((a, b) => a - b)
  for (const distance of distances) {
    const found = ownedAt(distance, [was, now], finding, known)
    if (found !== 'none') return found
  }
  return 'none'
}

function ownedAt(distance: number, [was, now]: readonly [Way, Way], finding: Finding, known: Known) {
  const [older, newer] = [was.spots.get(distance) ?? [], now.spots.get(distance) ?? []]
  const fields = [...new Set([was, now].flatMap((way) => [...(way.fields.get(distance) ?? [])]))]
  const modelsOf = (spots: readonly Spot[]): readonly string[] =>
    spots.map((spot) => modelAt(spot, fields, finding, known)).filter((model) => model !== 'none')
  if (modelsOf([...older, ...newer]).length === 0) return 'none'
  const [field] = fields
  const pair = field === undefined || fields.length > 1 ? undefined : toPair(older, newer, field)
  if (pair === undefined || field === undefined) return 'undecided'
  const [model] = modelsOf([pair.newer])
  // a model that became another object: its own member is the difference
  if (model === undefined) return 'none'
  if (model === 'undecided' || modelsOf([pair.older])[0] !== model) return 'undecided'
  return {
    model,
    field,
    side: sideOf(finding),
    at: pair.newer.pointer.join('/'),
    base: pair.older.node,
    revision: pair.newer.node,
  }
}

/** The object that is meant in both documents: the only one, or the only one that both name. */
function toPair(
  older: readonly Spot[],
  newer: readonly Spot[],
  field: string,
): { readonly older: Spot; readonly newer: Spot } | undefined {
  const has = ({ node }: Spot): boolean => pick(node, ['properties', field]) !== undefined
  const all = older
    .flatMap((one) => newer.map((other) => ({ older: one, newer: other })))
    .filter((pair) => has(pair.older) || has(pair.newer))
  const named = all.filter(
    (pair) => componentOf(pair.older) !== undefined && componentOf(pair.older) === componentOf(pair.newer),
  )
  const found = all.length === 1 ? all : named
  return found.length === 1 ? found[0] : undefined
}

/** The name of a schema that has one. */
function componentOf({ pointer }: Pick<Spot, 'pointer'>): string | undefined {
  return pointer.length === 3 && pointer[1] === 'schemas' ? pointer[2] : undefined
}

/** The model whose fields an object has. */
function modelAt(
  spot: Spot,
  fields: readonly string[],
  finding: Finding,
  { models, objects, routes }: Known,
): string {
  const component = componentOf(spot)
  const named =
    models.find(({ name }) => name === component) ??
    models.find(({ name }) => component === `${name}Output` || component === `${name}Input`)
  if (named !== undefined) return named.name
  const route = routes.find(({ operationId }) => operationId === finding.route)?.name
  const here = objectsAt(
    spot,
    objects.filter((object) => object.route === route),
  )
  const found = new Set(here.map(({ model }) => model))
  if (found.size === 0) return 'none'
  if (!spot.isAlone) return 'undecided'
  const [first = 'none'] = found
  if (found.size === 1) return first
  const having = new Set(
    here.filter((object) => fields.some((field) => object.fields.includes(field))).map(({ model }) => model),
  )
  return having.size === 1 ? ([...having][0] ?? 'none') : 'undecided'
}

/** The objects of a route that may stand at a place. */
function objectsAt({ place, node }: Spot, own: Known['objects']): Known['objects'] {
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

interface Starts {
  readonly base: Start
  readonly revision: Start
  /** The rest of the finding's path. */
  readonly path: string
}

/** The schemas of a body in which a finding is, or `undefined` if it is in none. */
function startsOf(finding: Finding, base: unknown, revision: unknown): Starts | undefined {
  const [, section = '', status = '', rest = ''] =
    /^(?:(requestBody)|responses\/([^/]+))\/(.*)$/s.exec(finding.at) ?? []
  const bodyOf = (document: unknown): readonly string[] => {
    const operation = operationIn(document, finding)
    if (operation === undefined) return []
    return section === ''
      ? responseIn(document, operation, status)
      : referred(document, [...operation, section])
  }
  const [was, now] = [bodyOf(base), bodyOf(revision)]
  const media = mediaIn(base, was).find((each) => rest.startsWith(`${each}/`))
  const others = mediaIn(revision, now)
  const partner = others.find((each) => each === media) ?? (others.length === 1 ? others[0] : undefined)
  if (media === undefined || partner === undefined) return undefined
  const path = rest.slice(media.length + 1)
  const isItem = path.startsWith('(item)/')
  const own = section === '' ? `response ${now.at(-1) ?? ''}` : 'body'
  const toStart = (body: readonly string[], type: string): Start => ({
    pointer: [...body, 'content', type, isItem ? 'itemSchema' : 'schema'],
    place: isItem ? '' : own,
    isAlone: true,
  })
  return {
    base: toStart(was, media),
    revision: toStart(now, partner),
    path: isItem ? path.slice('(item)/'.length) : path,
  }
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'])

/** The steps to the operation of a finding: that of its route, or else that of its method and path. */
function operationIn(document: unknown, { route, operation }: Finding): readonly string[] | undefined {
  const paths = pick(document, ['paths'])
  if (!isRecord(paths)) return undefined
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(isRecord(item) ? item : {})
      .filter((method) => METHODS.has(method))
      .map((method) => ['paths', path, method] as const),
  )
  return (
    (route === undefined
      ? undefined
      : all.find((steps) => pick(document, [...steps, 'operationId']) === route)) ??
    all.find(([, path, method]) => `${method.toUpperCase()} ${path}` === operation)
  )
}

/** The steps to the response of a status, or to that of success if its status is another one now. */
function responseIn(document: unknown, operation: readonly string[], status: string): readonly string[] {
  const responses = pick(document, [...operation, 'responses'])
  const all = Object.keys(isRecord(responses) ? responses : {})
  const successes = all.filter((each) => each.startsWith('2'))
  const own =
    all.find((each) => each.toUpperCase() === status.toUpperCase()) ??
    (status.startsWith('2') && successes.length === 1 ? successes[0] : undefined)
  return own === undefined ? [] : referred(document, [...operation, 'responses', own])
}

/** Steps to what a reference leads to, if there is one. */
function referred(document: unknown, steps: readonly string[]): readonly string[] {
  const ref = pick(document, [...steps, '$ref'])
  return typeof ref === 'string' ? toSteps(ref) : steps
}

function mediaIn(document: unknown, body: readonly string[]): readonly string[] {
  const content = pick(document, [...body, 'content'])
  return Object.keys(isRecord(content) ? content : {})
}

/** A named schema in which both places are, as in webhooks, which belong to no route. */
function ownedComponent(finding: Finding, base: unknown, revision: unknown, { models }: Known): Ownership {
  const [older, newer] = [toSteps(finding.base.pointer), toSteps(finding.revision.pointer)]
  const own = newer.slice(0, 3)
  const model = models.find(({ name }) => [name, `${name}Output`, `${name}Input`].includes(own[2] ?? ''))
  const isSame =
    own[0] === 'components' && own[1] === 'schemas' && older.slice(0, 3).join('/') === own.join('/')
  const field = [older, newer].flatMap((steps) => (steps[3] === 'properties' ? [steps[4]] : []))[0]
  const [was, now] = [pick(base, own), pick(revision, own)]
  if (!isSame || model === undefined || field === undefined || !isRecord(was) || !isRecord(now)) return 'none'
  return { model: model.name, field, side: sideOf(finding), at: own.join('/'), base: was, revision: now }
}
