import type { DefinitionProblem } from '../definition-error.ts'
import { suggestion } from '../definition-error.ts'
import type { FlatRoute } from '../flatten/flat-route.ts'
import { atDefinition } from '../place.ts'
import { isSchema } from '../schema/schema.ts'
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
  routes: readonly FlatRoute[],
): readonly DefinitionProblem[] {
  /** The parameters that only older versions have, by route and source. */
  const earlier = new Map<string, string[]>()
  return operations.flatMap(({ order, operation }): readonly DefinitionProblem[] => {
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
}

/** The path of a route in an older version; `undefined` if it does not begin with what was moved. */
export function pathBefore({ pattern, prefix }: FlatRoute, path: OperationPath): string | undefined {
  const { was, now } = path
  if (now === undefined) return was
  const text = pattern.text.slice(prefix.length)
  if (text !== now && !text.startsWith(`${now}/`)) return undefined
  return (was === '/' ? '' : was) + text.slice(now.length) || '/'
}

type OperationPath = NonNullable<Operation['path']>

function wrongStart(
  { path, route }: Operation,
  own: readonly FlatRoute[],
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
  routes: readonly FlatRoute[],
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
