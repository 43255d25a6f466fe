import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { serve } from '../measure/race.ts'
import type { Runner } from '../measure/race.ts'
import { ROUTERS } from './routers.ts'
import type { Lookup } from './routers.ts'
import { REQUESTS, toRequests, toRoutes } from './routes.ts'
import type { Size } from './routes.ts'
import { toVersionRequests, VERSIONED } from './versions.ts'

/** So few that they are still in the processor's cache, as a request is that was just received. */
const BATCH = 50

/** All requests of a measurement, several times over. */
const REPEATS = 10

/** What the resources have, and how many of the routes are asked for. */
const LOOKUPS: Readonly<Record<string, { readonly size: Size; readonly asked: number }>> = {
  few: { size: 'whole', asked: 100 },
  many: { size: 'whole', asked: 1000 },
  small: { size: 'small', asked: 100 },
}

/** What is looked up, and how. */
interface Subject<R extends { readonly route: number }> {
  readonly requests: readonly R[]
  /** The request again, with strings of its own: no hash is known, nothing is interned. */
  readonly fresh: (request: R) => R
  /** The place of the route that answers; -1 when there is none. */
  readonly look: (request: R) => number
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

serve((contestant, name) => {
  const [kind = '', size = ''] = name.split(' ')
  const count = Number(size)
  if (kind === 'build') return toBuilder(contestant, count)
  const { size: shapes, asked = 0 } = LOOKUPS[kind] ?? {}
  return shapes === undefined
    ? toVersioned(contestant, kind, count)
    : toRouter(contestant, { count, size: shapes, asked })
})

function toBuilder(contestant: string, count: number): Runner {
  const routes = toRoutes(count, 'whole')
  const build = ROUTERS[contestant]
  return {
    answer: () => routes.length,
    time: () => {
      collectGarbage()
      const start = performance.now()
      if (build?.(routes) === undefined) throw new Error(`${contestant} is no router`)
      return performance.now() - start
    },
  }
}

/** The routers that were built, by the size and number of their routes. */
const lookups = new Map<string, Lookup>()

interface Asked {
  readonly count: number
  readonly size: Size
  readonly asked: number
}

function toRouter(contestant: string, { count, size, asked }: Asked): Runner {
  const key = `${size} ${count}`
  const look = lookups.get(key) ?? ROUTERS[contestant]?.(toRoutes(count, size))
  if (look === undefined) throw new Error(`${contestant} is no router`)
  lookups.set(key, look)
  // what building leaves to be collected is no part of a lookup
  collectGarbage()
  return toRunner({
    requests: toRequests(count, size, asked),
    fresh: ({ method, target, route }) => ({ method, target: freshCopy(target), route }),
    look: ({ method, target }) => look(method, target),
  })
}

function toVersioned(contestant: string, carrier: string, count: number): Runner {
  const look = VERSIONED[contestant]?.(carrier, count)
  if (look === undefined) throw new Error(`${contestant} knows no versions`)
  return toRunner({
    requests: toVersionRequests(carrier, count, REQUESTS),
    fresh: ({ target, version, route }) => ({
      target: freshCopy(target),
      version: freshCopy(version),
      route,
    }),
    look,
  })
}

function toRunner<R extends { readonly route: number }>({ requests, fresh, look }: Subject<R>): Runner {
  const check = (): readonly number[] =>
    requests.map((request) => {
      const found = look(fresh(request))
      if (found !== request.route) throw new Error(`${JSON.stringify(request)} leads to route ${found}`)
      return found
    })
  return { answer: check, time: () => time({ requests, fresh, look }) }
}

/** Nanoseconds of one lookup. */
function time<R extends { readonly route: number }>({ requests, fresh, look }: Subject<R>): number {
  let found = 0
  let elapsed = 0n
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (let from = 0; from < requests.length; from += BATCH) {
      const batch = requests.slice(from, from + BATCH).map(fresh)
      const start = process.hrtime.bigint()
      for (const request of batch) found += look(request)
      elapsed += process.hrtime.bigint() - start
    }
  }
  if (found < 0) throw new Error('a route was not found')
  return Number(elapsed) / (requests.length * REPEATS)
}

function freshCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
