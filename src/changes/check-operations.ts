import type { DefinitionProblem } from '../base/definition-error.ts'
import { suggestion } from '../base/definition-error.ts'
import type { ResolvedRoute } from '../routes/resolved-route.ts'
import { atDefinition } from '../base/source-location.ts'
import { headerName } from '../http/headers.ts'
import { isSchema } from '../schema/schema.ts'
import { isString } from '../base/values.ts'
import { shapeOf } from './chain.ts'
import type { AnyChange } from './chain.ts'
import { isSameName, namesOf } from './names.ts'
import { isAbout } from './operation.ts'
import type { Operation } from './operation.ts'

/** An operation, and the place of its change among all changes, newest first. */
export interface Placed {
  readonly order: number
  readonly operation: Operation
}

/** Operations about routes and parameters that do not exist. `operations` are all of them, newest first. */
export function operationProblems(
  operations: readonly Placed[],
  changes: readonly AnyChange[],
  routes: readonly ResolvedRoute[],
): readonly DefinitionProblem[] {
  /** The parameters that only older versions have, by route and source. */
  const earlier = new Map<string, string[]>()
  const twice = touchedTwice(operations, changes, routes)
  const wrong = operations.flatMap(({ order, operation }): readonly DefinitionProblem[] => {
    const change = changes[order]
    if (change === undefined) return []
    const own = routes.filter(({ name }) => isAbout(operation, name))
    const found =
      own.length === 0
        ? [
            [
              `operation names the route ${operation.route}, which does not exist`,
              'give the name of a route as urlFor knows it',
            ] as const,
          ]
        : [
            ...wrongStart(operation, own),
            ...SOURCES.flatMap((source) => unknownNames(operation, source, own, earlier)),
          ]
    return found.map(([message, fix]) => {
      const where = `change "${change.id}"`
      return atDefinition({ code: 'invalid_change', where, message, fix }, change)
    })
  })
  return [...wrong, ...twice]
}

/**
 * Lists operations of one version that change the same thing of a route, of which only one would count. A name and a schema are two things,
 * because `was` takes one of them.
 */
function touchedTwice(
  operations: readonly Placed[],
  changes: readonly AnyChange[],
  routes: readonly ResolvedRoute[],
): readonly DefinitionProblem[] {
  const found = new Map<string, DefinitionProblem>()
  for (const route of routes) {
    const touched = new Map<string, Placed>()
    const own = operations.filter(({ operation }) => isAbout(operation, route.name))
    for (const [key, thing, placed] of own.flatMap((each) => claimsOf(each, changes, route))) {
      const first = touched.get(key)
      touched.set(key, placed)
      if (first === undefined || precision(placed.operation) > precision(first.operation)) continue
      const problem = twiceProblem(thing, first, placed, changes)
      found.set(`${problem.where} ${problem.message}`, problem)
    }
  }
  return [...found.values()]
}

/** Returns the things that an operation changes, with a key for each version: previews are seen one without the other. */
function claimsOf(
  placed: Placed,
  changes: readonly AnyChange[],
  route: ResolvedRoute,
): readonly (readonly [key: string, thing: string, placed: Placed])[] {
  const change = changes[placed.order]
  return [...thingsOf(placed.operation, route)].map(([key, thing]) => [
    JSON.stringify([change?.version, change?.preview, key]),
    thing,
    placed,
  ])
}

function twiceProblem(
  thing: string,
  first: Placed,
  { order, operation }: Placed,
  changes: readonly AnyChange[],
): DefinitionProblem {
  const change = changes[order]
  const by = first.order === order ? 'another operation' : `the change "${changes[first.order]?.id ?? ''}"`
  const problem: DefinitionProblem = {
    code: 'field_touched_twice',
    where: `change "${change?.id ?? ''}"`,
    message: `${thing} of ${operation.route} is touched by ${by} of the same version too`,
    fix: 'keep one of the two, or give the older one an older version',
  }
  return atDefinition(problem, change)
}

/** An operation of a single route comes before one of its controller. */
function precision({ route }: Operation): number {
  return route.endsWith('.*') ? route.length : Infinity
}

/** The things that an operation says what they were, with their names in messages. */
function thingsOf(operation: Operation, route: ResolvedRoute): ReadonlyMap<string, string> {
  const { path, method, status, response } = operation
  const things = new Map<string, string>()
  if (path !== undefined) things.set('path', 'the path')
  if (method !== undefined) things.set('method', 'the method')
  if (status !== undefined) things.set(`status ${route.status}`, 'the status')
  for (const newest of Object.keys(response?.status ?? {}))
    things.set(`status ${newest}`, `the status ${newest}`)
  const sources = SOURCES.map((source) => [source, namesOf(source, operation)] as const)
  for (const [source, names] of [...sources, ['response.headers', response?.headers] as const])
    for (const [name, { was }] of Object.entries(names ?? {})) {
      const key = `${source} ${source.endsWith('headers') ? headerName(name) : name}`
      // a parameter that did not exist had neither a name nor a schema
      if (!isSchema(was)) things.set(`${key} name`, `${source}.${name}`)
      if (!isString(was)) things.set(`${key} schema`, `${source}.${name}`)
    }
  return things
}

/** The path of a route in an older version, or `undefined` if it does not begin with what was moved. */
export function pathBefore({ pattern, prefix }: ResolvedRoute, path: OperationPath): string | undefined {
  const { was, now } = path
  if (now === undefined) return was
  const text = pattern.text.slice(prefix.length)
  if (text !== now && !text.startsWith(`${now}/`)) return undefined
  return (was === '/' ? '' : was) + text.slice(now.length) || '/'
}

type OperationPath = NonNullable<Operation['path']>

function wrongStart(
  { path, route }: Operation,
  own: readonly ResolvedRoute[],
): readonly (readonly [message: string, fix: string])[] {
  if (path === undefined) return []
  if (route.endsWith('.*') && path.now === undefined)
    return [['operation.path.now is missing', `write what the paths of ${route} begin with`]]
  return own
    .filter((each) => pathBefore(each, path) === undefined)
    .map(({ label }) => [
      `the path of ${label} does not begin with "${path.now ?? ''}"`,
      'write the prefix that all routes have',
    ])
}

const SOURCES = ['query', 'headers', 'cookies'] as const

function unknownNames(
  operation: Operation,
  source: (typeof SOURCES)[number],
  routes: readonly ResolvedRoute[],
  earlier: Map<string, string[]>,
): readonly (readonly [message: string, fix: string])[] {
  const { route } = operation
  const declared = routes
    .flatMap(({ sources }) => sources.filter(({ name }) => name === source))
    .flatMap(({ schema }) => Object.keys(shapeOf(schema)))
  const added = earlier.get(`${source} ${route}`) ?? []
  earlier.set(`${source} ${route}`, added)
  return Object.entries(namesOf(source, operation) ?? {}).flatMap(([name, { was }]) => {
    const names = [...declared, ...added]
    if (names.some((each) => isSameName(source, each, name))) return []
    if (isSchema(was)) {
      added.push(name)
      return []
    }
    const fix =
      names.length === 0
        ? `declare it in input.${source} of the route, or write was: schema if it existed only then`
        : `${suggestion(name, names)} (parameters have their newest names)`
    return [[`operation.${source} names ${name}, which ${route} does not declare`, fix]]
  })
}
