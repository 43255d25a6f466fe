import { editDistance } from '../base/edit-distance.ts'
import { isObject, isString, messageOf } from '../base/values.ts'
import { readBody, toEssence, PROBLEM_TYPE, ProblemError } from './answer.ts'
import { createDeadline } from './deadline.ts'
import { visibleRoutesOf, type AnyClientOptions } from './client-options.ts'
import type { RouteCall, RouteMap } from './route-map.ts'
import { createTransport, type SendWithRetries } from './transport.ts'

/** How a route is called, and the content type of its errors without parameters. */
interface FoundRoute {
  readonly route: RouteCall
  readonly errorType: string
}

/** Finds how a route is called. Rejects with a `TypeError` for a name that there is not. */
type FindRoute = (name: string) => Promise<FoundRoute>

/** Creates the function that finds routes. The route map is loaded with the first call, and again after a failure. */
export function createFindRoute(
  options: AnyClientOptions,
  base: URL,
  send: SendWithRetries,
  headers: () => Promise<Headers>,
): FindRoute {
  const { onRequest: _before, onResponse: _after, ...withoutHooks } = options
  const load = createLoad(options, base, async (url) => {
    const { signal, meet } = createDeadline(undefined, options.timeout)
    try {
      // tokens are for the application alone
      const isOwn = url.origin === base.origin
      const request = { route: undefined, url, method: 'GET', body: undefined, signal }
      const response = await (isOwn
        ? send({ ...request, headers: await headers() })
        : createTransport(withoutHooks)({ ...request, headers: new Headers() }))
      const data = await readBody(response, 'GET')
      if (response.url !== '' && new URL(response.url).origin !== url.origin)
        throw new TypeError('the answer came from another origin')
      if (!response.ok) throw new ProblemError(response, data)
      return data
    } catch (cause) {
      const { code, status }: Partial<ProblemError> = cause instanceof ProblemError ? cause : {}
      const isRefused = status === 401 || status === 403
      const option = isRefused ? 'Client `headers`' : code === 'route_not_found' && 'App `docs: {}`'
      const fix = option ? `. Give create${option}, or createClient \`routes\`` : ''
      throw new Error(
        `createClient: the routes could not be read from ${url.href}: ${messageOf(cause)}${fix}`,
        { cause },
      )
    } finally {
      meet()
    }
  })
  let loading: Promise<RouteMap> | undefined
  return async (name) => {
    const asked = (loading ??= load())
    try {
      return findRoute(await asked, name)
    } catch (error) {
      if (!(error instanceof UnknownRoute) && loading === asked) loading = undefined
      throw error
    }
  }
}

/** A `TypeError`, told apart from those of loading. */
class UnknownRoute extends TypeError {}

function findRoute({ routes, version, errorType = PROBLEM_TYPE }: RouteMap, name: string): FoundRoute {
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  if (route !== undefined) return { route, errorType: toEssence(errorType) }
  const names = Object.keys(routes)
  const near = nearestNames(name, names).map((each) => `"${each}"`)
  const among = version === null ? '' : ` in version ${version}`
  throw new UnknownRoute(
    `There is no route "${name}"${among}; ${near.length === names.length ? 'there are' : 'near it are'} ${near.join(', ') || 'none'}`,
  )
}

function createLoad(
  options: AnyClientOptions,
  base: URL,
  read: (url: URL) => Promise<unknown>,
): () => Promise<RouteMap> {
  const { routes, version, docs = '/docs' } = options
  if (typeof routes === 'object' && !(routes instanceof URL)) {
    const map = toMap(routes, 'the option routes')
    return () => Promise.resolve(map)
  }
  const tell = visibleRoutesOf(options)
  if (routes === undefined && tell !== undefined) return async () => tell(version, base.host)
  const url =
    routes === undefined ? toDocs(base, docs, version) : new URL(routes, base.href.replace(/\/?$/, '/'))
  return async () => {
    const map = toMap(await read(url), url.href)
    if (url.origin === base.origin) return map
    // a map from elsewhere does not say where requests go, with what they carry
    const calls = Object.entries(map.routes).map(([name, { host: _host, ...call }]) => [name, call] as const)
    return { ...map, routes: Object.fromEntries(calls) }
  }
}

function toDocs(base: URL, docs: string, version: string | undefined): URL {
  const url = new URL(base)
  const path = docs.replaceAll(/^\/+|(?<!\/)\/+$/g, '')
  url.pathname = `${base.pathname === '/' ? '' : base.pathname}/${path === '' ? '' : `${path}/`}client.json`
  if (version !== undefined) url.searchParams.set('version', version)
  return url
}

/** @throws `TypeError` when the value is no route map. */
function toMap(value: unknown, where: string): RouteMap {
  if (isMap(value)) return value
  throw new TypeError(
    `createClient: ${where} is not a route map, { version, routes: { name: { method, path } } }`,
  )
}

function isMap(value: unknown): value is RouteMap {
  if (!isObject(value) || !('routes' in value)) return false
  const { routes } = value
  return isObject(routes) && Object.values(routes).every(isCall)
}

function isCall(value: unknown): value is RouteCall {
  if (!isObject(value) || !('method' in value) || !('path' in value)) return false
  return isString(value.method) && isString(value.path) && value.path.startsWith('/')
}

const MOST = 5

/** The names that are most like a text, the nearest first; all of them when there are few. */
function nearestNames(text: string, names: readonly string[]): readonly string[] {
  if (names.length <= MOST) return names
  const wanted = text.toLowerCase()
  return names
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, MOST)
    .map(({ name }) => name)
}
