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
      toTable('Nanoseconds of a lookup, by the kind of path', ONCE_NAMES, once),
      toTable('Nanoseconds of a lookup of the second of two versions', TWICE_NAMES, twice),
      toLongTable(longest),
      await measureBuild(),
    ],
    charts: [toChart(once.get(ALL))],
  }
}

function toText(rounds: number): readonly string[] {
  return [
    `A router finds the route for each of your requests. Routers are commonly compared with the 203 routes of GitHub's REST API (version 3, without \`PATCH\`). Each route is requested with six different sets of values. Every router has to find the right route and the right parameters for each request, and no route for the requests of the group \`miss\`.`,
    `Each router runs in its own thread, so that it doesn't change how V8 optimises the others, and only one thread works at a time. A turn has about 1200 lookups to warm up and as many that are timed. A cell is the median of ${rounds} rounds. Every lookup gets a new string, as a request does. The requests are shuffled in the same way in every run.`,
    `\`octavo\` and \`find-my-way\` take the request target as it was sent, find its query and decode escapes. The other routers leave that to their callers, and so does \`octavo, walk alone\`. \`octavo\` and \`Hono RegExpRouter\` return values by position. The others return records by name, as \`octavo, values by name\` does. \`rou3 compileRouter\` compiles the routes into a function. \`Hono SmartRouter\` is the default of Hono, and it picks \`RegExpRouter\` here.`,
    `The long paths show how much time a hostile path costs each router alone. \`node:http\` and Octavo refuse targets of this length before your router sees them.`,
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
