import { isFunction, isObject } from '../../base/values.ts'
import { failure } from '../command.ts'

/** A route of an application, as method and path. */
interface HostRoute {
  readonly method: string
  readonly path: string
}

/** The exports that may hold the application of a framework, in the order in which they are asked. */
const NAMES = ['app', 'server', 'default']

/**
 * Lists the routes of an application of Hono, Fastify, Express or NestJS that no route of Octavo describes, as `GET /cars/:id`.
 *
 * @param exported the module that exports the application
 * @throws `CommandError` for a module that exports none of these.
 */
export async function findUndescribed(
  exported: object,
  label: string,
  described: readonly { readonly methods: readonly string[]; readonly path: string }[],
): Promise<readonly string[]> {
  const known = new Set(
    described.flatMap(({ methods, path }) => methods.map((method) => keyOf(method, path))),
  )
  const paths = described.map(({ path }) => path)
  const found = await findExported(exported, label, 'Hono, Fastify, Express or NestJS', (value) =>
    routesOf(value, paths),
  )
  const missing = found.filter((route) => isDescribable(route) && !known.has(keyOf(route.method, route.path)))
  return [...new Set(missing.map(({ method, path }) => `${method} ${path}`))]
}

/** The method and path, without the names and patterns of parameters. */
function keyOf(method: string, path: string): string {
  const text = path.replaceAll(/\{[^{}]*\}|:\w+(?:\{[^}]*\}|\([^)]*\))?/g, '{}')
  return `${method} ${text.replace(/\/$/, '')}`
}

/**
 * Reads the first export that is an application of a framework.
 *
 * @throws `CommandError` if there is none
 */
export async function findExported<T>(
  exported: object,
  label: string,
  frameworks: string,
  read: (value: unknown) => Promise<T | undefined>,
): Promise<T> {
  for (const source of [exported, Object(Reflect.get(exported, 'default'))])
    for (const name of NAMES) {
      const found = await read(await Reflect.get(source, name))
      if (found !== undefined) return found
    }
  throw failure(
    `${label} exports no application of ${frameworks}`,
    'export it as app, server or default, and have another module start it',
  )
}

/** Frameworks answer some methods by themselves, and paths with a wildcard are those of middleware or files. */
function isDescribable({ method, path }: HostRoute): boolean {
  return method !== 'HEAD' && method !== 'OPTIONS' && !path.includes('*')
}

/** The routes of an application, or `undefined` if it is of no known framework. */
async function routesOf(
  value: unknown,
  described: readonly string[],
): Promise<readonly HostRoute[] | undefined> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined
  const { routes, printRoutes, getHttpAdapter } = Object(value)
  if (isFunction(getHttpAdapter)) {
    await Object(value).init()
    return routesOf(Reflect.apply(getHttpAdapter, value, []).getInstance(), described)
  }
  if (isFunction(printRoutes)) {
    await Object(value).ready()
    return parseTree(String(Reflect.apply(printRoutes, value, [{ commonPrefix: false }])))
  }
  if (Array.isArray(routes)) return routes.filter(isHonoRoute)
  // Express 4 throws for `router`
  const { stack } = Object(Object(value)._router ?? Object(value).router)
  return Array.isArray(stack) ? stack.flatMap((layer) => toExpressRoutes(layer, '', described)) : undefined
}

/** Whether a route of Hono is one of a handler, which takes no `next`. */
function isHonoRoute(route: unknown): route is HostRoute {
  return isObject(route) && 'handler' in route && Object(route.handler).length < 2
}

/** Reads the tree that Fastify prints, in which each level is four characters further in. */
function parseTree(text: string): readonly HostRoute[] {
  const parents: string[] = []
  return [...text.matchAll(/^([│ ]*)[├└]── (\S+)(?: \(([^)]*)\))?/gm)].flatMap(
    ([, { length } = '', own = '', methods]) => {
      const depth = length / 4
      parents.length = depth
      parents.push((parents.at(-1) ?? '') + own)
      const path = parents.at(-1) ?? ''
      return methods === undefined ? [] : methods.split(', ').map((method) => ({ method, path }))
    },
  )
}

/** The routes of a layer of Express, with those of its router if that has a path that is described. */
function toExpressRoutes(layer: unknown, prefix: string, described: readonly string[]): readonly HostRoute[] {
  const { route, handle } = Object(layer)
  const { stack } = Object(handle)
  if (Array.isArray(stack)) {
    const below = routerPrefix(layer, prefix, described)
    return below === undefined
      ? []
      : stack.flatMap((each) => toExpressRoutes(each, prefix + below, described))
  }
  const { path, methods } = Object(route)
  const paths: readonly unknown[] = [path].flat()
  return paths.flatMap((each) =>
    typeof each === 'string'
      ? Object.keys(Object(methods)).map((method) => ({ method: method.toUpperCase(), path: prefix + each }))
      : [],
  )
}

/** The path of a router, by a described path that it matches, because Express keeps no text of it. */
function routerPrefix(layer: unknown, prefix: string, described: readonly string[]): string | undefined {
  const { slash, regexp, matchers } = Object(layer)
  if (slash === true || Object(regexp).fast_slash === true) return ''
  for (const path of described) {
    if (!path.startsWith(prefix)) continue
    const segments = path.slice(prefix.length).split('/')
    const asked = segments.map((segment) => segment.replaceAll(/\{[^{}]*\}/g, '1')).join('/')
    const found: unknown =
      regexp instanceof RegExp ? regexp.exec(asked)?.[0] : Object(matchResult(matchers, asked)).path
    if (typeof found === 'string')
      return segments.slice(0, found.replace(/\/$/, '').split('/').length).join('/')
  }
  return undefined
}

/** The matches that the functions of a layer of Express 5 find in a path. */
function matchResult(matchers: unknown, path: string): unknown {
  const functions: readonly unknown[] = [matchers].flat()
  for (const match of functions) {
    const found: unknown = isFunction(match) && Reflect.apply(match, undefined, [path])
    if (isObject(found)) return found
  }
  return undefined
}
