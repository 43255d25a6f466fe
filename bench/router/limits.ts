import { createApp, defineController, defineModule } from 'octavo'

import { createFindMyWay, createOctavoWalk } from './contestants.ts'
import { GITHUB_ROUTES } from './github.ts'
import { shortest } from './measure.ts'

const ROUTES = 10_000
const PATHS: readonly `/${string}`[] = ['/', '/{id:int}', '/{id}/parts', '/{id}/parts/{part}', '/list']
const LENGTH = 100_000

/** Prints what has a limit: building many routes, and misses on very long paths. */
export async function printLimits(): Promise<void> {
  console.log('| | measured | limit |\n| --- | --- | --- |')
  const cold = await buildMany()
  const warm = await buildMany()
  console.log(`| ${ROUTES} routes, createApp and ready(), first time | ${cold.toFixed(0)} ms | 1000 ms |`)
  console.log(`| the same again | ${warm.toFixed(0)} ms | 1000 ms |`)
  const extra = ['/', '/{x}/', '/{x}/{y}/'].map((path) => ({
    method: 'POST',
    path: path.replace(/(.)\/$/, '$1'),
  }))
  const routes = [...GITHUB_ROUTES, ...extra]
  const targets = {
    'one segment': `/${'a'.repeat(LENGTH)}`,
    'one segment below one': `/users/${'a'.repeat(LENGTH)}/nothing`,
    '50,000 segments': '/a'.repeat(LENGTH / 2),
    '50,000 segments below parameters': `/repos/a/b${'/c'.repeat(LENGTH / 2)}`,
    '100,000 slashes': '/'.repeat(LENGTH),
  }
  const ours = createOctavoWalk(routes)
  const theirs = createFindMyWay(routes)
  for (const [name, target] of Object.entries(targets)) {
    const [our, their] = [ours, theirs].map((lookup) => shortest(lookup, { method: 'GET', target }, 2000))
    console.log(
      `| miss, 100 kB: ${name} | ${our?.toFixed(1)} µs (find-my-way ${their?.toFixed(1)} µs) | 10 µs |`,
    )
  }
}

function prefixOf(index: number): string {
  return `/area-${index % 50}/resource-${index}`
}

function pathOf(index: number): `/${string}` {
  const path = PATHS[index % PATHS.length] ?? '/'
  return index < PATHS.length ? path : `/more-${index}${path}`
}

/** Milliseconds for an application of many routes through the public door. */
async function buildMany(): Promise<number> {
  const controllers = Array.from({ length: ROUTES / 10 }, (_, index) =>
    defineController({
      name: `c${index}`,
      prefix: prefixOf(index),
      routes: Array.from({ length: 10 }, (__, at) => ({
        method: 'GET' as const,
        path: pathOf(at),
        name: `r${at}`,
        handler: () => 'ok',
      })),
    }),
  )
  const start = performance.now()
  const app = createApp(defineModule({ name: 'bench', controllers }))
  await app.ready()
  return performance.now() - start
}
