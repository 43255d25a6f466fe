import {
  createFindMyWay,
  createFindMyWayVersions,
  createOctavo,
  createOctavoNamed,
  createOctavoVersions,
  createOctavoWalk,
} from './contestants.ts'
import type { Lookup } from './contestants.ts'
import { GITHUB_ROUTES } from './github.ts'
import { printLimits } from './limits.ts'
import { race } from './measure.ts'
import type { BenchRequest, Timing } from './measure.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 150)

const CONTESTANTS: Readonly<Record<string, Lookup>> = {
  octavo: createOctavo(GITHUB_ROUTES),
  'octavo, record': createOctavoNamed(GITHUB_ROUTES),
  'find-my-way': createFindMyWay(GITHUB_ROUTES),
  'octavo, walk alone': createOctavoWalk(GITHUB_ROUTES),
  'octavo, 2 versions': createOctavoVersions(GITHUB_ROUTES),
  'find-my-way, 2 versions': createFindMyWayVersions(GITHUB_ROUTES),
}

/** Values as requests have them: names and numbers of different lengths, the same ones in every run. */
const VALUES =
  'octocat hello-world 1347 a 6dcb09b5b57875f334f61aebed695e2e4193db5e bug jane.doe@example.com 42 v2.0.1'.split(
    ' ',
  )
const VARIANTS = 6

/** For each route, requests that differ in their values. */
const requests = GITHUB_ROUTES.map(({ method, path }, route) => ({
  count: path.split('{').length - 1,
  variants: Array.from({ length: VARIANTS }, (_, variant): BenchRequest => {
    let next = route + variant
    return { method, target: path.replaceAll(/\{\w+\}/g, () => VALUES[(next += 4) % VALUES.length] ?? '') }
  }),
}))
const all = requests.flatMap(({ variants }) => variants)

const MISSES: readonly BenchRequest[] = [
  '/',
  '/nothing',
  '/users/octocat/nothing',
  '/repos/octocat/hello-world/nothing',
  '/repos/octocat/hello-world/issues/1347/nothing',
  '/user/starred/octocat',
  '/search/nothing/at/all',
].map((target) => ({ method: 'GET', target }))

const GROUPS: Readonly<Record<string, readonly BenchRequest[]>> = {
  static: withParameters((count) => count === 0),
  '1 parameter': withParameters((count) => count === 1),
  '2 parameters': withParameters((count) => count === 2),
  '3 and more': withParameters((count) => count >= 3),
  miss: MISSES,
  'all 203': all,
}

check()
const lookups = Object.values(CONTESTANTS)
// everything is warmed up by everything, as in a server
for (let index = 0; index < 20; index++) race(lookups, [...all, ...MISSES], 1)

console.log(`Nanoseconds per lookup, median (quarter below – quarter above), ${ROUNDS} alternating rounds.\n`)
console.log(
  toRow(['', ...Object.keys(CONTESTANTS), 'ratio', 'ratio, record', 'ratio, walk', 'ratio, 2 versions']),
)
console.log(toRow(Array.from({ length: lookups.length + 5 }, () => '---')))
for (const [name, group] of Object.entries(GROUPS)) {
  const timings = race(lookups, group, ROUNDS)
  console.log(toRow([name, ...timings.map(toText), ...toRatios(timings)]))
}
console.log(toRow(['geometric mean of the 203', ...geometricMeans()]))
console.log('')
await printLimits()

function withParameters(fits: (count: number) => boolean): readonly BenchRequest[] {
  return requests.flatMap(({ count, variants }) => (fits(count) ? variants : []))
}

/** Every contestant has to find every route, and to miss what is none. */
function check(): void {
  for (const [name, lookup] of Object.entries(CONTESTANTS)) {
    for (const { method, target } of all) {
      if (lookup(method, target) === 0) throw new Error(`${name} does not find ${method} ${target}`)
    }
    for (const { method, target } of MISSES) {
      if (lookup(method, target) !== 0) throw new Error(`${name} finds ${method} ${target}`)
    }
  }
}

function geometricMeans(): readonly string[] {
  const perRoute = requests.map(({ variants }) => race(lookups, variants, Math.ceil(ROUNDS / 10)))
  const means = lookups.map((_, index) => {
    const logs = perRoute.map((timings) => Math.log(timings[index]?.median ?? 1))
    const median = Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length)
    return { median, low: median, high: median }
  })
  return [...means.map(({ median }) => median.toFixed(0)), ...toRatios(means)]
}

/** Below 1: we are faster. */
function toRatios(timings: readonly Timing[]): readonly string[] {
  const [plain = 0, named = 0, theirs = 1, walk = 0, versions = 0, theirVersions = 1] = timings.map(
    ({ median }) => median,
  )
  return [plain / theirs, named / theirs, walk / theirs, versions / theirVersions].map((ratio) =>
    ratio.toFixed(2),
  )
}

function toText({ median, low, high }: Timing): string {
  return `${median.toFixed(0)} (${low.toFixed(0)} – ${high.toFixed(0)})`
}

function toRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
