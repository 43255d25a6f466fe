/** What starting costs, and what many routes take. */
import { rotate, summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import type { MeasureOptions, Section, Table } from '../report/section.ts'
import { formatSummary, toBar } from '../report/summary.ts'
import { readMemory, timeNothing, timeStart } from './processes.ts'
import type { Memories } from './processes.ts'

/** Applications by the name of their file. */
const APPS: Readonly<Record<string, string>> = {
  octavo: 'octavo',
  plain: 'node:http, by hand',
  hono: 'hono',
  express: 'express',
  fastify: 'fastify, JSON Schema',
  'fastify-zod': 'fastify, zod',
  nest: 'nest on fastify',
}
const SIZES = [1, 100, 1000]
const QUICK_SIZES = [1, 1000]
const BARE = 'bare'
const HELLO = 'octavo-hello'
const IMPORTS: Readonly<Record<string, string>> = {
  'import-zod': 'a module that imports zod',
  'import-octavo': 'a module that imports octavo',
  [HELLO]: 'octavo with one route that validates nothing, and so without zod, until it listens',
}
/** Milliseconds beyond bare Node for an application of one route, and MiB for 1,000 routes. */
const GOALS = { milliseconds: 60, mebibytes: 25 }
const MIB = 1024 * 1024

/** A process that is started again and again. */
interface Start {
  readonly key: string
  readonly run: () => Promise<number>
}

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const sizes = isQuick ? QUICK_SIZES : SIZES
  const times = await timeAll(sizes, isQuick ? 1 : 10, isQuick ? 0 : 1)
  const memories = await readAll(sizes, isQuick ? 1 : 3)
  const beyond = (key: string): Summary => {
    const bare = summarize(times.get(BARE) ?? []).median
    return summarize((times.get(key) ?? []).map((time) => time - bare))
  }
  return {
    title: 'Start and memory',
    text: [...TEXT, ...toVerdicts(beyond, memories)],
    tables: [
      toFloor(times, beyond),
      {
        caption: 'Milliseconds beyond bare Node until the server listens',
        columns: ['', ...sizes.map(toColumn)],
        rows: Object.entries(APPS).map(([app, label]) => [
          label,
          ...sizes.map((size) => formatSummary(beyond(`${app} ${size}`))),
        ]),
      },
      toMemoryTable(sizes.slice(1), memories),
    ],
    charts: [
      {
        name: 'start',
        title: 'From start to listening beyond bare Node, one route',
        unit: 'ms',
        lessIsBetter: true,
        bars: Object.entries(APPS).map(([app, label]) => toBar(label, beyond(`${app} 1`))),
      },
      {
        name: 'memory',
        title: 'Heap of 1,000 routes that have all answered, beyond that of one',
        unit: 'MiB',
        lessIsBetter: true,
        bars: Object.entries(APPS).map(([app, label]) =>
          toBar(
            label,
            growth(memories, app, 1000, ({ used }) => used.heap),
          ),
        ),
      },
    ],
  }
}

const TEXT = [
  `These numbers matter if your platform starts processes often or has little memory. Every application is compiled JavaScript with the same routes. Each route has a parameter, and a third of them validate a query or a body, including the first one. They use zod, except for Fastify with JSON Schema, which doesn't load zod. Every sample is a new process.`,
  `The time is from the start of the process until its parent hears that it listens. Bare Node is a process that reports at once. Memory is measured after a garbage collection: the heap with its external data, and the resident set. It is measured when the application listens, and again when every route has answered a request, because schemas are compiled when they are first used. The memory of one route is subtracted from that of 100 and 1,000.`,
]

async function timeAll(
  sizes: readonly number[],
  rounds: number,
  warmUp: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const starts: readonly Start[] = [
    { key: 'nothing', run: timeNothing },
    ...[BARE, ...Object.keys(IMPORTS)].map((app) => ({ key: app, run: () => timeStart(app, 1) })),
    ...Object.keys(APPS).flatMap((app) =>
      sizes.map((size) => ({ key: `${app} ${size}`, run: () => timeStart(app, size) })),
    ),
  ]
  const times = new Map(starts.map(({ key }) => [key, [] as number[]]))
  // the first round brings the files into the memory of the machine
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const { key, run } of rotate(starts, round)) {
      const elapsed = await run()
      if (round >= warmUp) times.get(key)?.push(elapsed)
    }
  }
  return times
}

async function readAll(
  sizes: readonly number[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Memories[]>> {
  const keys = Object.keys(APPS).flatMap((app) => sizes.map((size) => ({ app, size })))
  const memories = new Map<string, Memories[]>(keys.map(({ app, size }) => [`${app} ${size}`, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { app, size } of rotate(keys, round))
      memories.get(`${app} ${size}`)?.push(await readMemory(app, size))
  }
  return memories
}

/** What the process itself and the imports take, whatever the application. */
function toFloor(times: ReadonlyMap<string, readonly number[]>, beyond: (key: string) => Summary): Table {
  const row = (label: string, key: string): readonly string[] => [
    label,
    formatSummary(summarize(times.get(key) ?? [])),
    formatSummary(beyond(key)),
  ]
  return {
    caption: 'Milliseconds of the parts',
    columns: ['', 'milliseconds', 'beyond bare Node'],
    rows: [
      row('`node -e 0`, to its end', 'nothing'),
      row('bare Node: a module that says at once that it runs', BARE),
      ...Object.entries(IMPORTS).map(([app, label]) => row(label, app)),
    ],
  }
}

/** MiB that an application of some routes takes beyond one of a single route. */
function growth(
  memories: ReadonlyMap<string, readonly Memories[]>,
  app: string,
  size: number,
  of: (memories: Memories) => number,
): Summary {
  const one = summarize((memories.get(`${app} 1`) ?? []).map(of)).median
  return summarize((memories.get(`${app} ${size}`) ?? []).map((sample) => (of(sample) - one) / MIB))
}

function toMemoryTable(sizes: readonly number[], memories: ReadonlyMap<string, readonly Memories[]>): Table {
  const one = (app: string, of: (memories: Memories) => number): string =>
    (summarize((memories.get(`${app} 1`) ?? []).map(of)).median / MIB).toFixed(1)
  return {
    caption: 'MiB after garbage collection: of one route, and beyond that of more',
    columns: [
      '',
      '1 route: heap',
      '1 route: resident',
      ...sizes.flatMap((size) => [
        `${toColumn(size)}: heap`,
        `${toColumn(size)}: heap, all used`,
        `${toColumn(size)}: resident, all used`,
      ]),
    ],
    rows: Object.entries(APPS).map(([app, label]) => [
      label,
      one(app, ({ started }) => started.heap),
      one(app, ({ started }) => started.rss),
      ...sizes.flatMap((size) =>
        [
          ({ started }: Memories) => started.heap,
          ({ used }: Memories) => used.heap,
          ({ used }: Memories) => used.rss,
        ].map((of) => `+ ${growth(memories, app, size, of).median.toFixed(1)}`),
      ),
    ]),
  }
}

function toVerdicts(
  beyond: (key: string) => Summary,
  memories: ReadonlyMap<string, readonly Memories[]>,
): readonly string[] {
  const time = beyond(HELLO).median
  const validating = beyond('octavo 1').median
  const zod = beyond('import-zod').median
  const heap = growth(memories, 'octavo', 1000, ({ used }) => used.heap).median
  const rss = growth(memories, 'octavo', 1000, ({ used }) => used.rss).median
  const { milliseconds, mebibytes } = GOALS
  return [
    `The goal is an application of one route that listens within ${milliseconds} ms of bare Node. Without validation it is ${toVerdict(time <= milliseconds)}: ${time.toFixed(0)} ms. If the route validates a query, it is ${toVerdict(validating <= milliseconds)}: ${validating.toFixed(0)} ms, of which importing zod takes ${zod.toFixed(0)} ms.`,
    `The goal of less than ${mebibytes} MiB for 1,000 routes is ${toVerdict(heap < mebibytes)} for the heap: ${heap.toFixed(1)} MiB when all have answered. It is ${toVerdict(rss < mebibytes)} for the resident set, in which Node also keeps free memory: ${rss.toFixed(1)} MiB.`,
  ]
}

function toVerdict(isMet: boolean): string {
  return isMet ? 'met' : 'missed'
}

function toColumn(size: number): string {
  return size === 1 ? '1 route' : `${size.toLocaleString('en')} routes`
}
