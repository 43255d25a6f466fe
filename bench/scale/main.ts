/** How the time of a lookup grows with the number of routes, and with the number of versions of one path. */
import { race } from '../measure/race.ts'
import type { Case, Samples } from '../measure/race.ts'
import { summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import type { MeasureOptions, Section, Table } from '../report/section.ts'
import { formatSummary, toBar } from '../report/summary.ts'

const ROUTES = [10, 100, 1000, 10_000, 100_000]
const VERSIONS = [1, 10, 100, 1000]
const ROUTERS = ['octavo', 'find-my-way', 'memoirist', 'rou3']
/** The only ones here that know versions that are not in the path. */
const KNOW_HEADERS = ['octavo', 'find-my-way']
/** find-my-way takes 31 handlers for one path with constraints. */
const FEW_VERSIONS = 31

/** How many times as long as among 100 routes a lookup among 100,000 may take. */
const GOAL = 1.5

type Results = ReadonlyMap<string, Samples>

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const script = new URL('worker.js', import.meta.url)
  const lookups = [
    ...toCases('few', ROUTES, ROUTERS),
    ...toCases('many', ROUTES.slice(2), ROUTERS),
    ...toCases('small', isQuick ? [100, 100_000] : ROUTES.slice(1), ROUTERS),
    ...toCases('path', VERSIONS, ROUTERS),
    ...VERSIONS.map((size) => ({
      name: `header ${size}`,
      contestants: size > FEW_VERSIONS ? ['octavo'] : KNOW_HEADERS,
    })),
  ]
  const found = await race({ script, cases: lookups, rounds: isQuick ? 5 : 80, warmUp: isQuick ? 2 : 15 })
  const built = await race({
    script,
    cases: toCases('build', isQuick ? ROUTES.slice(0, -1) : ROUTES, ROUTERS),
    rounds: isQuick ? 1 : 5,
    warmUp: isQuick ? 0 : 1,
  })
  return {
    title: 'Many routes, many versions',
    text: [...TEXT, toVerdict(found)],
    tables: [
      toTable(found, { kind: 'few', sizes: ROUTES, names: ROUTERS, base: 100, unit: 'ns' }),
      toTable(found, { kind: 'many', sizes: ROUTES.slice(2), names: ROUTERS, base: 1000, unit: 'ns' }),
      toTable(found, { kind: 'small', sizes: ROUTES.slice(1), names: ROUTERS, base: 100, unit: 'ns' }),
      toTable(found, { kind: 'path', sizes: VERSIONS, names: ROUTERS, base: 1, unit: 'ns' }),
      toTable(found, { kind: 'header', sizes: VERSIONS, names: KNOW_HEADERS, base: 1, unit: 'ns' }),
      toTable(built, { kind: 'build', sizes: ROUTES, names: ROUTERS, base: 100, unit: 'ms' }),
    ],
    charts: [
      {
        name: 'scale',
        title: 'Lookup among 100,000 routes',
        unit: 'ns',
        lessIsBetter: true,
        bars: ROUTERS.map((name) => toBar(name, summaryOf(found, 'few 100000', name))),
      },
    ],
  }
}

const TEXT = [
  `This section shows how lookups slow down as your application gets more routes and versions. At every size, 1,000 different requests to 100 routes from the whole table are looked up, so the table grows and the variety of requests doesn't. In the second table, requests go to 1,000 routes, so the data of a lookup no longer fits into the nearest caches of the processor, for any router. Routes look like \`/orders/parcel-labels/{id}/history/{entry}\`: areas, resources in them, and 20 routes for each resource, so 100,000 routes are 5,000 resources. The third table is the hard case with five routes for each resource, so 100,000 routes are 20,000 resources. Each target is a new string. The time is from the target to the route and its parameter values. In this time, Octavo also refuses malformed targets and decodes. find-my-way and memoirist decode, and rou3 doesn't.`,
  `For the tables of versions, \`/cars/{id}\` has 1 to 1,000 versions, each with its own handler. For Octavo, the time covers the whole way from a request to the route of its version. With versions in the path, the others have a route \`/v17/cars/:id\` for each version. With versions in a header, only find-my-way has its own support (\`constraints\`, read by its \`lookup\`), for up to 31 versions of a path. Building is the router alone, warm.`,
]

function toVerdict(found: Results): string {
  const ratioOf = (kind: string): number =>
    summaryOf(found, `${kind} 100000`, 'octavo').median / summaryOf(found, `${kind} 100`, 'octavo').median
  const judge = (ratio: number): string => `${ratio <= GOAL ? 'met' : 'missed'} (${ratio.toFixed(2)} times)`
  return `The goal is a lookup among 100,000 routes that takes at most ${GOAL} times as long as among 100. With 20 routes for each resource it is ${judge(ratioOf('few'))}, and with five it is ${judge(ratioOf('small'))}.`
}

interface Group {
  readonly kind: string
  readonly sizes: readonly number[]
  readonly names: readonly string[]
  /** The size that the largest one is compared with. */
  readonly base: number
  readonly unit: string
}

const CAPTIONS: Readonly<Record<string, string>> = {
  few: 'Lookup, nanoseconds, by the number of routes, 20 in a resource, 100 of them requested',
  many: 'Lookup, nanoseconds, by the number of routes, 20 in a resource, 1,000 of them requested',
  small: 'Lookup, nanoseconds, by the number of routes, five in a resource, 100 of them requested',
  path: 'Lookup, nanoseconds, by the number of versions of one path, the version in the path',
  header: 'Lookup, nanoseconds, by the number of versions of one path, the version in a header',
  build: 'Building the router, milliseconds, by the number of routes',
}

function toTable(results: Results, { kind, sizes, names, base, unit }: Group): Table {
  const largest = sizes.at(-1) ?? base
  const digits = unit === 'ms' ? 1 : 0
  return {
    caption: CAPTIONS[kind] ?? kind,
    columns: ['', ...sizes.map(format), `${format(largest)} to ${format(base)}`],
    rows: names.map((name) => {
      const at = (size: number): Summary => summaryOf(results, `${kind} ${size}`, name)
      const growth = at(largest).median / at(base).median
      return [
        name,
        ...sizes.map((size) => formatSummary(at(size), digits)),
        Number.isNaN(growth) ? '–' : `× ${growth.toFixed(2)}`,
      ]
    }),
  }
}

function toCases(kind: string, sizes: readonly number[], contestants: readonly string[]): readonly Case[] {
  return sizes.map((size) => ({ name: `${kind} ${size}`, contestants }))
}

function summaryOf(results: Results, name: string, contestant: string): Summary {
  return summarize(results.get(name)?.get(contestant) ?? [])
}

function format(size: number): string {
  return size.toLocaleString('en')
}
