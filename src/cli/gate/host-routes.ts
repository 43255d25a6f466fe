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
  const found = await readHostRoutes(exported, label)
  const missing = found.filter(({ method, path }) => !known.has(keyOf(method, path)))
  return [...new Set(missing.map(({ method, path }) => `${method} ${path}`))]
}

/** The method and path, without the names and patterns of parameters. */
function keyOf(method: string, path: string): string {
  const text = path.replaceAll(/\{[^{}]*\}|:\w+(?:\{[^}]*\}|\([^)]*\))?/g, '{}')
  return `${method} ${text.replace(/\/$/, '')}`
}

async function readHostRoutes(exported: object, label: string): Promise<readonly HostRoute[]> {
  const routes = await findExported(exported, label, 'Hono, Fastify, Express or NestJS', routesOf)
  return routes.filter(isDescribable)
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
async function routesOf(value: unknown): Promise<readonly HostRoute[] | undefined> {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined
  const { routes, printRoutes, getHttpAdapter } = Object(value)
  if (isFunction(getHttpAdapter)) {
    await Object(value).init()
    return routesOf(Reflect.apply(getHttpAdapter, value, []).getInstance())
  }
  if (isFunction(printRoutes)) {
    await Object(value).ready()
    return parseTree(String(Reflect.apply(printRoutes, value, [{ commonPrefix: false }])))
  }
  if (Array.isArray(routes)) return routes.filter(isHonoRoute)
  // Express 4 throws for `router`
  const { stack } = Object(Object(value)._router ?? Object(value).router)
  return Array.isArray(stack) ? stack.flatMap(toExpressRoutes) : undefined
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

/** The routes of a layer of Express. It does not tell the paths of routers. */
function toExpressRoutes(layer: unknown): readonly HostRoute[] {
  const { path, methods } = Object(Object(layer).route)
  const paths: readonly unknown[] = [path].flat()
  return paths.flatMap((each) =>
    typeof each === 'string'
      ? Object.keys(Object(methods)).map((method) => ({ method: method.toUpperCase(), path: each }))
      : [],
  )
}
