import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { VersioningSchemes } from '../../src/index.ts'
import { Application } from '../../src/server/app/application.ts'
import type { Table } from '../report/section.ts'
import { toModule } from './definitions.ts'
import type { ListedRoute } from './definitions.ts'

const ROUTES = 1000
const VERSIONS = 100

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Cost of building many versions, and what they keep. */
export function measureScale(): Table {
  const rows = Object.entries({ URL: VersioningSchemes.URL, HEADER: VersioningSchemes.HEADER }).flatMap(
    ([name, scheme]) => {
      const alike = measure(alikeIn(VERSIONS), scheme)
      const fewer = measure(alikeIn(VERSIONS / 2), scheme)
      const own = measure(differing(), scheme)
      const onePath = measure(manyOfOnePath(), scheme)
      const perVersion = (alike.kept - fewer.kept) / (VERSIONS / 2)
      // a route of its own, a definition that takes memory itself, is in it
      const perDifference = (own.kept - alike.kept) / VERSIONS
      return [
        toRow(`${name}: ${ROUTES} routes in ${VERSIONS} versions`, alike),
        toRow(`${name}: the same, another route is different in each`, own),
        toRow(`${name}: ${ROUTES} versions of one path`, onePath),
        [`${name}: for each further version that is alike`, '', '', perVersion.toFixed(1)],
        [`${name}: for each different route`, '', '', perDifference.toFixed(1)],
      ]
    },
  )
  return {
    caption: 'Cost of building many versions',
    columns: ['', 'milliseconds, the first time', 'milliseconds, again', 'kB kept'],
    rows,
  }
}

interface Cost {
  readonly first: number
  readonly again: number
  readonly kept: number
}

/** Builds an application twice. What is kept is what the second holds besides its definitions. */
function measure(routes: readonly ListedRoute[], scheme: object): Cost {
  const build = (): readonly [milliseconds: number, kept: number] => {
    const core = new Application(toModule(routes), { logger: false })
    core.enableVersioning(scheme)
    gc()
    const before = process.memoryUsage().heapUsed
    const start = performance.now()
    const compiled = core.compiled()
    const milliseconds = performance.now() - start
    gc()
    const kept = (process.memoryUsage().heapUsed - before) / 1024
    if (compiled.table.rows.length !== routes.length) throw new Error('a route is missing')
    return [milliseconds, kept]
  }
  const [first] = build()
  const [again, kept] = build()
  return { first, again, kept }
}

function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => String(index + 1))
}

function route(index: number, version: string | readonly string[]): ListedRoute {
  return { method: 'GET', path: `/area-${index % 50}/resource-${index}/{id}`, version }
}

function alikeIn(count: number): readonly ListedRoute[] {
  const versions = numbers(count)
  return Array.from({ length: ROUTES }, (_, index) => route(index, versions))
}

/** In each version another route has a handler of its own. */
function differing(): readonly ListedRoute[] {
  const versions = numbers(VERSIONS)
  return Array.from({ length: ROUTES }, (_, index) => {
    const own = versions[index]
    if (own === undefined) return [route(index, versions)]
    return [
      route(
        index,
        versions.filter((version) => version !== own),
      ),
      route(index, own),
    ]
  }).flat()
}

function manyOfOnePath(): readonly ListedRoute[] {
  return numbers(ROUTES).map((version) => ({ method: 'GET', path: '/cars/{id}', version }))
}

function toRow(name: string, { first, again, kept }: Cost): readonly string[] {
  return [name, first.toFixed(0), again.toFixed(0), kept.toFixed(0)]
}
