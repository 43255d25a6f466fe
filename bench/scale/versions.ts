import type { IncomingMessage } from 'node:http'

import findMyWay from 'find-my-way'
import { Memoirist } from 'memoirist'
import { addRoute, createRouter, findRoute } from 'rou3'

import { isPromise } from '../../src/base/values.ts'
import { METHOD_INDEX, type RawRequest } from '../../src/http/http.ts'
import { defineController, defineModule, VersioningSchemes } from '../../src/index.ts'
import { RequestContext, type AppServices } from '../../src/server/pipeline/context.ts'
import { Application } from '../../src/server/app/application.ts'
import { createVersionLocate } from '../../src/server/routing/lookup/locate-version.ts'
import { readTarget } from '../../src/server/routing/lookup/target.ts'
import { NO_BODY } from '../measure/raw.ts'
import { last } from './routers.ts'

/** A request for one version of the only path. */
export interface VersionRequest {
  readonly target: string
  readonly version: string
  /** The place of the version in the list of versions. */
  readonly route: number
}

/** The place of the version that answers; -1 when there is none. */
export type VersionLookup = (request: VersionRequest) => number

/** Builds a router of one path in many versions. */
type BuildVersions = (carrier: string, count: number) => VersionLookup

const HEADER = 'accept-version'

export const VERSIONED: Readonly<Record<string, BuildVersions>> = {
  octavo: createOctavo,
  'find-my-way': (carrier, count) => (carrier === 'header' ? byConstraint(count) : byPath(count)),
  memoirist: (_carrier, count) => {
    const router = new Memoirist<number>()
    for (let index = 0; index < count; index++) router.add('GET', `/v${index + 1}/cars/:id`, index)
    return ({ target }) => {
      const found = router.find('GET', target)
      last.params = found?.params
      return found === null ? -1 : found.store
    }
  },
  rou3: (_carrier, count) => {
    const router = createRouter<number>()
    for (let index = 0; index < count; index++) addRoute(router, 'GET', `/v${index + 1}/cars/:id`, index)
    return ({ target }) => {
      const found = findRoute(router, 'GET', target)
      last.params = found?.params
      return found?.data ?? -1
    }
  },
}

/** Requests for versions from all of the list; semantic versions in the header, for find-my-way knows no others. */
export function toVersionRequests(
  carrier: string,
  count: number,
  requests: number,
): readonly VersionRequest[] {
  return Array.from({ length: requests }, (_, index) => {
    const route = ((index * 7919) % requests) % count
    const path = `/cars/car-${index}`
    return carrier === 'header'
      ? { target: path, version: `${route + 1}.0.0`, route }
      : { target: `/v${route + 1}${path}`, version: '', route }
  })
}

/** Our lookup as a request makes it, from its target and headers to the route of its version. */
function createOctavo(carrier: string, count: number): VersionLookup {
  const inHeader = carrier === 'header'
  const versions = Array.from({ length: count }, (_, index) =>
    inHeader ? `${index + 1}.0.0` : `${index + 1}`,
  )
  const routes = versions.map((version) => ({
    method: 'GET' as const,
    path: '/cars/{id}' as const,
    version,
    handler: () => version,
  }))
  const module = defineModule({ controllers: [defineController({ prefix: '', routes })] })
  const core = new Application(module, { logger: false })
  const options: object = { headerParameter: HEADER }
  if (inHeader) core.enableVersioning(VersioningSchemes.HEADER, options)
  else core.enableVersioning(VersioningSchemes.URL)
  const locate = createVersionLocate(core.compiled().table, core.versioning(), { strict: false })
  const places = new Map<string | null, number>(versions.map((version, index) => [version, index]))
  // all that a lookup needs of what an application lends to its requests
  const services = { settings: core.settings } as unknown as AppServices
  const get = METHOD_INDEX.get('GET') ?? -1
  return ({ target, version }) => {
    const context = new RequestContext(toRaw(target, version), services)
    const located = locate(context, readTarget({ target }, core.settings), get)
    if (isPromise(located)) throw new Error('these schemes are not asynchronous')
    const { match, resolution } = located
    last.params = match.values
    return match.leaf === null ? -1 : (places.get(resolution.version) ?? -1)
  }
}

function toRaw(target: string, version: string): RawRequest {
  return {
    method: 'GET',
    target,
    headers: { host: 'localhost', [HEADER]: version },
    lines: () => [version],
    remoteAddress: '127.0.0.1',
    protocol: 'http',
    body: NO_BODY,
    signal: NO_SIGNAL,
    isArriving: false,
    abort: () => undefined,
  }
}

const NO_SIGNAL = new AbortController().signal

/** The constraint that comes with find-my-way, read out of the request's header by its own `lookup`. */
function byConstraint(count: number): VersionLookup {
  const router = findMyWay()
  // find-my-way takes a store of 0 for none
  for (let index = 0; index < count; index++) {
    const constraints = { version: `${index + 1}.0.0` }
    router.on(
      'GET',
      '/cars/:id',
      { constraints },
      (_request, _response, params, store: number) => {
        last.params = params
        return store - 1
      },
      index + 1,
    )
  }
  return ({ target, version }) => {
    const request = { method: 'GET', url: target, headers: { host: 'localhost', [HEADER]: version } }
    return Number(router.lookup(request as unknown as IncomingMessage, undefined as never) ?? -1)
  }
}

function byPath(count: number): VersionLookup {
  const router = findMyWay()
  for (let index = 0; index < count; index++) router.on('GET', `/v${index + 1}/cars/:id`, () => {}, index)
  return ({ target }) => {
    const found = router.find('GET', target)
    last.params = found?.params
    return found === null ? -1 : Number(found.store)
  }
}
