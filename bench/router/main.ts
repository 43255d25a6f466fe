import { race } from '../measure/race.ts'
import type { Samples } from '../measure/race.ts'
import { summarize } from '../measure/stats.ts'
import type { Chart, MeasureOptions, Section, Table } from '../report/section.ts'
import { formatSummary, toBar } from '../report/summary.ts'
import { measureBuild } from './build.ts'
import { LONG_NAMES, ONCE_NAMES, TWICE_NAMES } from './contestants.ts'
import { GROUPS, LONG_PATHS } from './requests.ts'

/** The group with all requests. */
const ALL = 'all 203'

/** Lookups alone, without a server. */
export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const rounds = isQuick ? 15 : 200
  const script = new URL('worker.js', import.meta.url)
  const toCases = (names: readonly string[], contestants: readonly string[]) =>
    names.map((name) => ({ name, contestants }))
  const groups = Object.keys(GROUPS)
  const once = await race({ script, cases: toCases(groups, ONCE_NAMES), rounds, warmUp: 5 })
  const twice = await race({ script, cases: toCases(groups, TWICE_NAMES), rounds, warmUp: 5 })
  const long = toCases(Object.keys(LONG_PATHS), LONG_NAMES)
  const longest = await race({ script, cases: long, rounds: 1, warmUp: 0 })
  return {
    title: 'Routers',
    text: toText(rounds),
    tables: [
      toTable('Nanoseconds of a lookup, by what the path asks for', ONCE_NAMES, once),
      toTable('The same with every route in two versions, the second asked for', TWICE_NAMES, twice),
      toLongTable(longest),
      await measureBuild(),
    ],
    charts: [toChart(once.get(ALL))],
  }
}

function toText(rounds: number): readonly string[] {
  return [
    "The 203 routes of GitHub's REST API (version 3, without `PATCH`), which routers are commonly compared with, and six requests for each route that differ in their values. Before anything is timed, every router has to find the right route and the right value of every parameter for each request, and nothing for the requests of the group `miss`.",
    `Each router runs in a thread of its own: what the others do does not become part of what V8 optimizes its code for, and the loop that is timed calls nothing else. The threads take turns, another one beginning each round, and only one works at a time; a turn is about 1200 lookups that warm the processor's caches up and as many that are timed. A cell is the median of ${rounds} rounds, and in parentheses the quarters of the rounds below and above it. Every lookup gets a string of its own, as a request does: no hash of it is known. The requests are shuffled, the same way in every run.`,
    'The answers are what each router gives its own framework. `octavo` and `find-my-way` take the request target as it came over the wire: they look for a query and for escapes, and decode them. The other routers leave that to their callers, and it is not in their times; `octavo, walk alone` leaves it out as well. `octavo` and `Hono RegExpRouter` give values by position, the others records by name, as `octavo, values by name` does. `rou3 compileRouter` makes the source of a function out of the routes. `Hono SmartRouter` is what an application has that names no router: the first of the other two that knows all patterns, here `RegExpRouter`.',
    'Long paths are there for what they could do to a server that looks them up. `node:http` and octavo refuse targets of this length before a router sees them; these are the routers alone.',
  ]
}

function toTable(caption: string, names: readonly string[], results: ReadonlyMap<string, Samples>): Table {
  return {
    caption,
    columns: ['router', ...results.keys()],
    rows: names.map((name) => [name, ...[...results.values()].map((samples) => toCell(samples.get(name)))]),
  }
}

function toCell(samples: readonly number[] = []): string {
  return formatSummary(summarize(samples))
}

function toLongTable(results: ReadonlyMap<string, Samples>): Table {
  const toMicroseconds = ([nanoseconds = Number.NaN]: readonly number[] = []) =>
    (nanoseconds / 1000).toFixed(1)
  return {
    caption: 'Misses on paths of 100 kB: shortest time of a lookup, in microseconds',
    columns: ['router', ...results.keys()],
    rows: LONG_NAMES.map((name) => [
      name,
      ...[...results.values()].map((samples) => toMicroseconds(samples.get(name))),
    ]),
  }
}

function toChart(samples: Samples = new Map()): Chart {
  return {
    name: 'router',
    title: 'A lookup among the 203 routes of the GitHub API',
    unit: 'ns',
    lessIsBetter: true,
    bars: ONCE_NAMES.map((label) => toBar(label, summarize(samples.get(label) ?? []))),
  }
}
