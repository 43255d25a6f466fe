/** What versions as changes cost: requests of older versions, conversions of lists, and starts with many versions. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { race } from '../measure/race.ts'
import type { Samples } from '../measure/race.ts'
import { rotate, summarize } from '../measure/stats.ts'
import type { Summary } from '../measure/stats.ts'
import type { MeasureOptions, Section, Table } from '../report/section.ts'
import { formatSummary } from '../report/summary.ts'
import { LISTS, SMALL } from './contestants.ts'
import type { Started } from './start.ts'

/** What a change of a small body may take in microseconds, a list beside its JSON, and a start over one version. */
const GOALS = { step: 0.6, share: 0.15, milliseconds: 150, mebibytes: 20 }
const [WITHOUT = '', NEWEST = ''] = Object.keys(SMALL)
const [JSON_TEXT = '', TO_OLDEST = ''] = Object.keys(LISTS)
const VERSIONS = [1, 100]

const run = promisify(execFile)

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const raced = await race({
    script: new URL('worker.js', import.meta.url),
    cases: [
      { name: 'small', contestants: Object.keys(SMALL) },
      { name: 'list', contestants: Object.keys(LISTS) },
    ],
    rounds: isQuick ? 20 : 200,
    warmUp: isQuick ? 10 : 30,
  })
  const small = raced.get('small') ?? new Map<string, readonly number[]>()
  const lists = raced.get('list') ?? new Map<string, readonly number[]>()
  const starts = await startAll(isQuick ? 3 : 15)
  return {
    title: 'Versions as changes',
    text: [...TEXT, toVerdict(small, lists, starts)],
    tables: [toSmallTable(small), toListTable(lists), toStartTable(starts)],
  }
}

const TEXT = [
  `A request with a body of six fields is dispatched without a socket and answered with the same body. Each change converts one of the fields, in the request and in the response. The steps are the difference between a version and the newest one, within a round. The newest version runs the same code as without a history, which \`npm run guard\` verifies by counting.`,
  `A list of 100 users with two addresses each goes through five changes that convert or rename a field of all of them. The conversion is compared with \`JSON.stringify\` of the same list. On the way from the oldest version, the newest schemas also validate the converted values.`,
  `The starts compare 200 routes, 50 models and 200 changes in 100 versions with one version without changes. Each start is a new process, and its time ends when \`ready()\` resolves. The time of all threads includes the garbage collector and the optimising compiler. You can estimate the cost of your own history from these numbers.`,
]

/** Differences or ratios of two contestants, taken within each round. */
function within(
  samples: Samples,
  one: string,
  other: string,
  relate: (one: number, other: number) => number,
): Summary {
  const base = samples.get(other) ?? []
  return summarize((samples.get(one) ?? []).map((value, round) => relate(value, base[round] ?? Number.NaN)))
}

function stepOf(samples: Samples, name: string): Summary {
  const steps = SMALL[name] ?? 0
  return within(samples, name, NEWEST, (own, newest) => (own - newest) / steps)
}

function shareOf(samples: Samples, name: string): Summary {
  return within(samples, name, JSON_TEXT, (own, text) => own / text)
}

function toSmallTable(samples: Samples): Table {
  return {
    caption: 'A request with a small body, microseconds',
    columns: [
      '',
      'request',
      'over the newest version, for each change',
      'beside the application without a history',
    ],
    rows: Object.entries(SMALL).map(([name, steps]) => [
      name,
      formatSummary(summarize(samples.get(name) ?? []), 2),
      steps === undefined || steps === 0 ? '–' : formatSummary(stepOf(samples, name), 2),
      name === WITHOUT
        ? '–'
        : formatSummary(
            within(samples, name, WITHOUT, (own, base) => own / base),
            2,
          ),
    ]),
  }
}

function toListTable(samples: Samples): Table {
  return {
    caption: '100 users with addresses through five changes, microseconds',
    columns: ['', 'time', 'beside JSON.stringify'],
    rows: Object.keys(LISTS).map((name) => [
      name,
      formatSummary(summarize(samples.get(name) ?? []), 1),
      name === JSON_TEXT ? '–' : formatSummary(shareOf(samples, name), 2),
    ]),
  }
}

type Starts = ReadonlyMap<number, readonly Started[]>

/** Starts in turn, so that a slow moment of the machine falls on all of them. */
async function startAll(rounds: number): Promise<Starts> {
  const starts = new Map(VERSIONS.map((count) => [count, [] as Started[]]))
  for (let round = -1; round < rounds; round++) {
    for (const count of rotate(VERSIONS, round + 1)) {
      const script = fileURLToPath(new URL('start.js', import.meta.url))
      const { stdout } = await run(process.execPath, ['--expose-gc', script, String(count)])
      if (round >= 0) starts.get(count)?.push(JSON.parse(stdout) as Started)
    }
  }
  return starts
}

const MEASURES = {
  milliseconds: 'until ready, ms',
  processor: 'of all threads, ms',
  mebibytes: 'heap, MiB',
} as const

function toStartTable(starts: Starts): Table {
  const names = Object.keys(MEASURES) as (keyof typeof MEASURES)[]
  return {
    caption: 'Starts of 200 routes, by the number of versions',
    columns: ['versions', ...Object.values(MEASURES)],
    rows: [
      ...VERSIONS.map((count) => [
        String(count),
        ...names.map((name) =>
          formatSummary(summarize((starts.get(count) ?? []).map((each) => each[name])), 1),
        ),
      ]),
      ['over one version', ...names.map((name) => formatSummary(overOne(starts, name), 1))],
    ],
  }
}

function overOne(starts: Starts, name: keyof typeof MEASURES): Summary {
  const [one = 1, many = 1] = VERSIONS
  const base = starts.get(one) ?? []
  return summarize(
    (starts.get(many) ?? []).map((each, round) => each[name] - (base[round]?.[name] ?? Number.NaN)),
  )
}

function toVerdict(small: Samples, lists: Samples, starts: Starts): string {
  const judge = (value: number, goal: number, digits: number): string =>
    `${value <= goal ? 'met' : 'missed'} (${value.toFixed(digits)})`
  return `The goal for a change of a small body, at most ${GOALS.step} µs, is ${judge(stepOf(small, 'one change').median, GOALS.step, 2)}. The goal for converting a list to the oldest version, at most ${GOALS.share} of \`JSON.stringify\`, is ${judge(shareOf(lists, TO_OLDEST).median, GOALS.share, 2)}. A start with 100 versions should take at most ${GOALS.milliseconds} ms more than with one, which is ${judge(overOne(starts, 'milliseconds').median, GOALS.milliseconds, 0)}, and at most ${GOALS.mebibytes} MiB more, which is ${judge(overOne(starts, 'mebibytes').median, GOALS.mebibytes, 1)}.`
}
