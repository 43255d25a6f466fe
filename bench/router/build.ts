import { createApp, defineController, defineModule } from 'octavo'

import type { Table } from '../report/section.ts'

const ROUTES = 10_000
const PATHS: readonly `/${string}`[] = ['/', '/{id:int}', '/{id}/parts', '/{id}/parts/{part}', '/list']

/** Many routes, through the public door. */
export async function measureBuild(): Promise<Table> {
  const cold = await buildMany()
  const warm = await buildMany()
  return {
    caption: `An application of ${ROUTES.toLocaleString('en')} routes, from \`createApp\` until it is ready`,
    columns: ['', 'milliseconds'],
    rows: [
      ['the first time', cold.toFixed(0)],
      ['again', warm.toFixed(0)],
    ],
  }
}

function prefixOf(index: number): string {
  return `/area-${index % 50}/resource-${index}`
}

function pathOf(index: number): `/${string}` {
  const path = PATHS[index % PATHS.length] ?? '/'
  return index < PATHS.length ? path : `/more-${index}${path}`
}

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
