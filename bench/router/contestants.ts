import findMyWay from 'find-my-way'
import type { Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'
import { Memoirist } from 'memoirist'
import { addRoute, createRouter, findRoute } from 'rou3'
import type { RouterContext } from 'rou3'
import { compileRouter } from 'rou3/compiler'

import { fromRecord, toColons, toContestant, toHandlers } from './contestant.ts'
import type { Contestant, Handler } from './contestant.ts'
import type { BenchRoute } from './github.ts'
import { createOctavo, createOctavoNamed, createOctavoVersions, createOctavoWalk } from './octavo.ts'

/** Makes a router of routes. */
type Create = (routes: readonly BenchRoute[]) => Contestant

/** Routers with every route once, in the order of the report. */
const ONCE: Readonly<Record<string, Create>> = {
  octavo: createOctavo,
  'octavo, values by name': createOctavoNamed,
  'octavo, walk alone': createOctavoWalk,
  'find-my-way': createFindMyWay,
  memoirist: createMemoirist,
  'rou3 findRoute': createRou3,
  'rou3 compileRouter': createRou3Compiled,
  'Hono RegExpRouter': (routes) => createHono(routes, new RegExpRouter()),
  'Hono TrieRouter': (routes) => createHono(routes, new TrieRouter()),
  // as an application has it that names no router
  'Hono SmartRouter': (routes) =>
    createHono(routes, new SmartRouter({ routers: [new RegExpRouter(), new TrieRouter()] })),
}

/** Routers with every route in two versions. */
const TWICE: Readonly<Record<string, Create>> = {
  'octavo, 2 versions': createOctavoVersions,
  'find-my-way, 2 versions': createFindMyWayVersions,
}

export const CONTESTANTS: Readonly<Record<string, Create>> = { ...ONCE, ...TWICE }
export const ONCE_NAMES = Object.keys(ONCE)
export const TWICE_NAMES = Object.keys(TWICE)
/** Those that look up paths of any length. */
export const LONG_NAMES = ONCE_NAMES.filter((name) => !['octavo', 'octavo, values by name'].includes(name))

function createFindMyWay(routes: readonly BenchRoute[]): Contestant {
  const router = findMyWay({ ignoreTrailingSlash: true })
  const handlers = toHandlers(routes)
  for (const [index, { method, path }] of routes.entries())
    router.on(toMethod(method), toColons(path), noop, handlers[index])
  return toContestant((method, target) => router.find(toMethod(method), target), readFindMyWay)
}

function createFindMyWayVersions(routes: readonly BenchRoute[]): Contestant {
  const router = findMyWay({ ignoreTrailingSlash: true })
  const handlers = toHandlers(routes)
  for (const [index, { method, path }] of routes.entries()) {
    for (const version of ['1.0.0', '2.0.0'])
      router.on(toMethod(method), toColons(path), { constraints: { version } }, noop, handlers[index])
  }
  const constraints = { version: '2.0.0' }
  return toContestant((method, target) => router.find(toMethod(method), target, constraints), readFindMyWay)
}

function readFindMyWay(result: ReturnType<findMyWay.Instance<findMyWay.HTTPVersion.V1>['find']>) {
  return result === null ? undefined : fromRecord(result.store as Handler, result.params)
}

function createMemoirist(routes: readonly BenchRoute[]): Contestant {
  const router = new Memoirist<Handler>()
  const handlers = toHandlers(routes)
  for (const [index, { method, path }] of routes.entries()) {
    const handler = handlers[index]
    if (handler !== undefined) router.add(method, toColons(path), handler)
  }
  return toContestant(
    (method, path) => router.find(method, path),
    (result) => (result === null ? undefined : fromRecord(result.store, result.params)),
  )
}

function createRou3(routes: readonly BenchRoute[]): Contestant {
  const router = toRou3(routes)
  return toContestant(
    (method, path) => findRoute(router, method, path),
    (result) => (result === undefined ? undefined : fromRecord(result.data, result.params)),
  )
}

function createRou3Compiled(routes: readonly BenchRoute[]): Contestant {
  return toContestant(compileRouter(toRou3(routes)), (result) =>
    result === undefined ? undefined : fromRecord(result.data, result.params),
  )
}

function toRou3(routes: readonly BenchRoute[]): RouterContext<Handler> {
  const router = createRouter<Handler>()
  const handlers = toHandlers(routes)
  for (const [index, { method, path }] of routes.entries())
    addRoute(router, method, toColons(path), handlers[index])
  return router
}

/** Where the match has a second part, parameters are indices into it. */
function createHono(routes: readonly BenchRoute[], router: Router<Handler>): Contestant {
  const handlers = toHandlers(routes)
  for (const [index, { method, path }] of routes.entries()) {
    const handler = handlers[index]
    if (handler !== undefined) router.add(method, toColons(path), handler)
  }
  return toContestant(
    (method, path) => router.match(method, path),
    ([matches, stash]) => {
      const [first] = matches
      if (first === undefined) return undefined
      const [handler, params] = first
      const texts = Object.entries(params).map(([name, value]) => [
        name,
        typeof value === 'number' ? stash?.[value] : value,
      ])
      return fromRecord(handler, Object.fromEntries(texts))
    },
  )
}

function toMethod(method: string): findMyWay.HTTPMethod {
  return method as findMyWay.HTTPMethod
}

function noop(): void {}
