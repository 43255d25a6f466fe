/** One contestant in a thread of its own. */
import { workerData } from 'node:worker_threads'

import { serve } from '../measure/race.ts'
import type { Runner } from '../measure/race.ts'
import { CONTESTANTS } from './contestants.ts'
import { GITHUB_ROUTES } from './github.ts'
import { GROUPS, LONG_PATHS } from './requests.ts'
import type { BenchRequest } from './requests.ts'

/** Lookups of one timed stretch. */
const STRETCH = 1200
const WARM_UP = 50
/** Milliseconds in which a lookup of a long path is repeated. */
const PATIENCE = 100

const create = CONTESTANTS[String(workerData)]
if (create === undefined) throw new Error(`${workerData} is no contestant`)
const { lookup, find } = create(GITHUB_ROUTES)
/** Where results go, so that making them cannot be optimized away. */
const sink: { last: unknown } = { last: null }

const groups = new Map(Object.entries(GROUPS))
// warm from requests of every kind before the first group counts
for (let index = 0; index < WARM_UP; index++) stretch([...groups.values()].flat(), 1)
serve((_contestant, name) => toRunner(name))

function toRunner(name: string): Runner {
  const requests = groups.get(name)
  if (requests === undefined) {
    const path = LONG_PATHS[name] ?? ''
    return { answer: () => find('GET', path) ?? null, time: () => shortest(path) }
  }
  const copies = Math.max(1, Math.round(STRETCH / requests.length))
  return {
    answer: () => requests.map(findExpected),
    time: () => {
      // the others had the processor and its caches
      stretch(requests, copies)
      return stretch(requests, copies)
    },
  }
}

/** Nanoseconds of a lookup. Every lookup gets a string of its own: no hash is known, nothing is interned. */
function stretch(requests: readonly BenchRequest[], copies: number): number {
  const fresh = Array.from({ length: copies }, () =>
    requests.map(({ method, target }) => ({ method, target: freshCopy(target) })),
  ).flat()
  const start = process.hrtime.bigint()
  for (const { method, target } of fresh) sink.last = lookup(method, target)
  return Number(process.hrtime.bigint() - start) / fresh.length
}

/** The shortest time of a lookup, in nanoseconds. */
function shortest(path: string): number {
  let best = Infinity
  const until = performance.now() + PATIENCE
  while (performance.now() < until) {
    const fresh = freshCopy(path)
    const start = process.hrtime.bigint()
    sink.last = lookup('GET', fresh)
    best = Math.min(best, Number(process.hrtime.bigint() - start))
  }
  return best
}

/** What is found for a request, which has to be its route and its values. */
function findExpected({ method, target, expected }: BenchRequest): unknown {
  const found = find(method, target)
  const isRight =
    found?.route === expected?.route &&
    found?.values.length === expected?.values.length &&
    (found?.values ?? []).every((value, index) => value === expected?.values[index])
  if (!isRight) throw new Error(`${workerData}: ${method} ${target} finds ${JSON.stringify(found)}`)
  return found ?? null
}

function freshCopy(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
