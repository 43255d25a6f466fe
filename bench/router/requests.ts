import { GITHUB_ROUTES } from './github.ts'

/** A request of the benchmark, and what has to be found for it. */
export interface BenchRequest {
  readonly method: string
  readonly target: string
  /** The index of its route, and the value of each parameter in the order of the path; `undefined` when there is none. */
  readonly expected: Found | undefined
}

/** What a lookup found. */
export interface Found {
  readonly route: number
  readonly values: readonly string[]
}

/** Values as requests have them: names and numbers of different lengths, the same ones in every run. */
const VALUES =
  'octocat hello-world 1347 a 6dcb09b5b57875f334f61aebed695e2e4193db5e bug jane.doe@example.com 42 v2.0.1'.split(
    ' ',
  )
const VARIANTS = 6

/** For each of the 203 routes, requests that differ in their values. */
export const HITS: readonly BenchRequest[] = GITHUB_ROUTES.flatMap(({ method, path }, route) =>
  Array.from({ length: VARIANTS }, (_, variant): BenchRequest => {
    let next = route + variant
    const values: string[] = []
    const target = path.replaceAll(/\{\w+\}/g, () => {
      const value = VALUES[(next += 4) % VALUES.length] ?? ''
      values.push(value)
      return value
    })
    return { method, target, expected: { route, values } }
  }),
)

const MISSES: readonly BenchRequest[] = [
  '/',
  '/nothing',
  '/users/octocat/nothing',
  '/repos/octocat/hello-world/nothing',
  '/repos/octocat/hello-world/issues/1347/nothing',
  '/user/starred/octocat',
  '/search/nothing/at/all',
].map((target) => ({ method: 'GET', target, expected: undefined }))

/** The requests by what they ask of a router, in an order that no branch predictor learns by heart. */
export const GROUPS: Readonly<Record<string, readonly BenchRequest[]>> = {
  static: shuffle(withParameters((count) => count === 0)),
  '1 parameter': shuffle(withParameters((count) => count === 1)),
  '2 parameters': shuffle(withParameters((count) => count === 2)),
  '3 and more': shuffle(withParameters((count) => count >= 3)),
  miss: MISSES,
  'all 203': shuffle(HITS),
}

const LENGTH = 100_000

/** Paths of 100 kB where nothing is. */
export const LONG_PATHS: Readonly<Record<string, string>> = {
  'one segment': `/${'a'.repeat(LENGTH)}`,
  'one segment below another': `/users/${'a'.repeat(LENGTH)}/nothing`,
  '50,000 segments': '/a'.repeat(LENGTH / 2),
  '50,000 segments below parameters': `/repos/a/b${'/c'.repeat(LENGTH / 2)}`,
  '100,000 slashes': '/'.repeat(LENGTH),
}

function withParameters(fits: (count: number) => boolean): readonly BenchRequest[] {
  return HITS.filter(({ expected }) => fits(expected?.values.length ?? 0))
}

/** The same order in every run. */
function shuffle(requests: readonly BenchRequest[]): readonly BenchRequest[] {
  let seed = 1
  return requests
    .map((request) => [(seed = (seed * 48_271) % 2_147_483_647), request] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, request]) => request)
}
