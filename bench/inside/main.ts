/** What versions cost inside the app of another framework, to that app alone. */
import { createLoader } from '../http/load.ts'
import type { Loader } from '../http/load.ts'
import { startServer, toCores, usageOf } from '../measure/server.ts'
import type { Server } from '../measure/server.ts'
import { quantile, rotate } from '../measure/stats.ts'
import type { MeasureOptions, Section, Table } from '../report/section.ts'

/** The frameworks, with the goals for `inside`: the newest version, and one change. */
const FRAMEWORKS = [
  { name: 'hono', label: 'Hono 4', newest: 1.05, change: 1.35 },
  { name: 'express', label: 'Express 5', newest: 1.1, change: 1.4 },
  { name: 'fastify', label: 'Fastify 5', newest: 1.1, change: 1.4 },
] as const

/** The goals for `defineUpstream({ app })`. */
const BEHIND = { newest: 1.25, change: 1.4 }

const ALONE = { label: 'the app alone', way: 'alone', version: '2' } as const

const ROWS = [
  ALONE,
  { label: 'by hand, newest version', way: 'by hand', version: '2' },
  { label: 'by hand, one change', way: 'by hand', version: '1' },
  { label: 'octavo inside, newest version', way: 'inside', version: '2' },
  { label: 'octavo inside, one change', way: 'inside', version: '1' },
  { label: 'the app behind octavo, newest version', way: 'behind', version: '2' },
  { label: 'the app behind octavo, one change', way: 'behind', version: '1' },
] as const

type Row = (typeof ROWS)[number]

/** Microseconds of CPU time of a request, by round. */
type Samples = ReadonlyMap<Row, readonly number[]>

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const { isPinned, own, other } = toCores()
  const loader = await createLoader(other)
  const tables: Table[] = []
  try {
    for (const framework of FRAMEWORKS) {
      const samples = await measureFramework(framework.name, loader, own, isQuick)
      tables.push(toTable(framework, samples))
    }
  } finally {
    await loader.end()
  }
  return {
    title: 'Inside an app',
    text: [
      `An app of another framework answers a car of 1 kB as JSON, over sockets. In version 2 it answers as it is, and in version 1 a field has an older name. The requests are sent by ${loader.name}${isPinned ? ', on the other core' : ''}. By hand, a middleware compares the version and renames the field: it converts no requests, streams, errors or documents. Figures are the CPU time of a request.`,
      `Goals, to the app alone: ${FRAMEWORKS.map(({ label, newest, change }) => `${newest} and ${change} inside ${label}`).join(', ')}, and ${BEHIND.newest} and ${BEHIND.change} behind \`defineUpstream({ app })\`.`,
    ],
    tables,
  }
}

async function measureFramework(
  name: string,
  loader: Loader,
  front: readonly string[],
  isQuick: boolean,
): Promise<Samples> {
  const servers = new Map<string, Server>()
  const file = new URL('server.js', import.meta.url)
  try {
    for (const { way } of ROWS)
      if (!servers.has(way)) servers.set(way, await startServer(file, [name, way], front))
    await check(servers)
    return await race(servers, loader, isQuick ? 5 : 21, isQuick ? 500 : 600)
  } finally {
    for (const { process } of servers.values()) process.disconnect()
  }
}

/** @throws for a server that answers other bodies than it is there for. */
async function check(servers: ReadonlyMap<string, Server>): Promise<void> {
  for (const { way, version } of ROWS) {
    const headers = { 'x-api-version': version }
    const response = await fetch(`http://127.0.0.1:${servers.get(way)?.port}/cars/7`, { headers })
    const { label, name } = (await response.json()) as Record<string, unknown>
    if ((version === '1' ? name : label) !== 'Bee' || (version === '1' ? label : name) !== undefined)
      throw new Error(`${way} answers another version than ${version}`)
  }
}

async function race(
  servers: ReadonlyMap<string, Server>,
  loader: Loader,
  rounds: number,
  burst: number,
): Promise<Samples> {
  const samples = new Map(ROWS.map((row) => [row, [] as number[]]))
  for (let round = -1; round < rounds; round++)
    for (const row of rotate(ROWS, Math.max(round, 0))) {
      const server = servers.get(row.way)
      if (server === undefined) continue
      const headers = { 'x-api-version': row.version }
      const sent = {
        name: 'car',
        title: 'a car',
        method: 'GET',
        path: '/cars/7',
        headers,
        status: 200,
      } as const
      const before = await usageOf(server)
      const load = await loader.load(sent, server.port, round < 0 ? 5 * burst : burst)
      if (load.failed > 0 || load.refused > 0)
        throw new Error(`${row.label}: ${load.refused} of ${load.total} refused, ${load.failed} failed`)
      // the first round warms up
      if (round >= 0) samples.get(row)?.push(((await usageOf(server)).cpu - before.cpu) / load.total)
    }
  return samples
}

function toTable({ label, newest, change }: (typeof FRAMEWORKS)[number], samples: Samples): Table {
  const alone = samples.get(ALONE) ?? []
  return {
    caption: label,
    columns: ['', 'CPU time in µs', 'to the app alone', 'goal'],
    rows: [...samples].map(([row, own]) => {
      const goal = { alone: undefined, 'by hand': undefined, inside: { newest, change }, behind: BEHIND }[
        row.way
      ]
      return [
        row.label,
        quantile(own, 0.5).toFixed(1),
        quantile(
          own.map((cpu, round) => cpu / (alone[round] ?? cpu)),
          0.5,
        ).toFixed(2),
        goal === undefined ? '' : (row.version === '2' ? goal.newest : goal.change).toFixed(2),
      ]
    }),
  }
}
