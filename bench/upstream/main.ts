/** What a request costs that passes to an API behind. */
import { once } from 'node:events'
import { request } from 'node:http'

import { createLoader } from '../http/load.ts'
import type { Loader } from '../http/load.ts'
import { startServer, toCores, usageOf } from '../measure/server.ts'
import type { Server } from '../measure/server.ts'
import { quantile, rotate } from '../measure/stats.ts'
import type { MeasureOptions, Section } from '../report/section.ts'

const GIGABYTE = 1_000_000_000

/** What is measured, and where. */
const ROWS = [
  { label: 'undici by hand on node:http', server: 'undici by hand', path: '/v2/cars/7' },
  { label: 'octavo, newest version', server: 'octavo', path: '/v2/cars/7' },
  { label: 'octavo, a version with one change', server: 'octavo', path: '/v1/cars/7' },
  { label: '@fastify/http-proxy', server: '@fastify/http-proxy', path: '/v2/cars/7' },
  { label: 'octavo, direct engine, newest version', server: 'octavo, direct engine', path: '/v2/cars/7' },
  {
    label: 'octavo, direct engine, a version with one change',
    server: 'octavo, direct engine',
    path: '/v1/cars/7',
  },
] as const

type Row = (typeof ROWS)[number]

/** Requests a second, and microseconds of CPU time for each. */
interface Sample {
  readonly requests: number
  readonly cpu: number
}

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const { isPinned, own, other } = toCores()
  const behind = await startServer(new URL('behind.js', import.meta.url), [], other)
  const url = `http://127.0.0.1:${behind.port}`
  const servers = new Map<string, Server>()
  const loader = await createLoader(other)
  try {
    for (const { server } of ROWS)
      if (!servers.has(server))
        servers.set(server, await startServer(new URL('server.js', import.meta.url), [server, url], own))
    const samples = await race(servers, loader, isQuick ? 3 : 15, isQuick ? 500 : 700)
    const memory = await measureMemory(servers, isQuick ? GIGABYTE / 10 : GIGABYTE)
    return toSection(samples, memory, loader.name, isPinned)
  } finally {
    for (const { process } of [behind, ...servers.values()]) process.disconnect()
    await loader.end()
  }
}

async function race(
  servers: ReadonlyMap<string, Server>,
  loader: Loader,
  rounds: number,
  burst: number,
): Promise<ReadonlyMap<Row, readonly Sample[]>> {
  const samples = new Map(ROWS.map((row) => [row, [] as Sample[]]))
  for (let round = -1; round < rounds; round++)
    for (const row of rotate(ROWS, Math.max(round, 0))) {
      const server = servers.get(row.server)
      if (server === undefined) continue
      const scenario = { name: 'car', title: 'a car', method: 'GET', path: row.path, status: 200 } as const
      const before = await usageOf(server)
      const load = await loader.load(scenario, server.port, round < 0 ? 5 * burst : burst)
      if (load.failed > 0 || load.refused > 0) throw new Error(`${row.label} has failed`)
      const cpu = ((await usageOf(server)).cpu - before.cpu) / load.total
      // the first round warms up
      if (round >= 0) samples.get(row)?.push({ requests: load.requests, cpu })
    }
  return samples
}

interface Grown {
  readonly down: number
  readonly up: number
}

/** How many MiB more a server takes while many bytes pass in each direction. */
async function measureMemory(
  servers: ReadonlyMap<string, Server>,
  bytes: number,
): Promise<ReadonlyMap<string, Grown>> {
  const grown = new Map<string, Grown>()
  for (const [name, server] of servers) {
    if (name.includes('fastify')) continue
    const before = await usageOf(server, 'watch')
    await download(server.port, bytes)
    const { peak: down } = await usageOf(server)
    const between = await usageOf(server, 'watch')
    await upload(server.port, bytes)
    const { peak: up } = await usageOf(server)
    grown.set(name, { down: (down - before.rss) / 2 ** 20, up: (up - between.rss) / 2 ** 20 })
  }
  return grown
}

async function download(port: number, bytes: number): Promise<void> {
  const sent = request({ port, host: '127.0.0.1', path: `/v2/bytes/${bytes}` })
  sent.end()
  const [response] = await once(sent, 'response')
  let received = 0
  for await (const chunk of response) received += chunk.length
  if (received !== bytes) throw new Error(`${received} of ${bytes} bytes have arrived`)
}

async function upload(port: number, bytes: number): Promise<void> {
  const headers = { 'content-length': bytes, 'content-type': 'application/octet-stream' }
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/v2/bytes', headers })
  const chunk = Buffer.alloc(65_536)
  const answered = once(sent, 'response')
  for (let left = bytes; left > 0; left -= chunk.length)
    if (!sent.write(left < chunk.length ? chunk.subarray(0, left) : chunk)) await once(sent, 'drain')
  sent.end()
  const [response] = await answered
  let text = ''
  for await (const part of response) text += String(part)
  if (text !== String(bytes)) throw new Error(`${text} of ${bytes} bytes have arrived`)
}

function middle(values: readonly number[]): number {
  return quantile(values, 0.5)
}

function toSection(
  samples: ReadonlyMap<Row, readonly Sample[]>,
  memory: ReadonlyMap<string, Grown>,
  loader: string,
  isPinned: boolean,
): Section {
  const all = [...samples]
  const requestsOf = (at: number): number => middle((all[at]?.[1] ?? []).map(({ requests }) => requests))
  const ratioOf = (at: number, to: number, compare: (own: Sample, other: Sample) => number): string => {
    const others = all[to]?.[1] ?? []
    const ratios = (all[at]?.[1] ?? []).map((own, round) => compare(own, others[round] ?? own))
    return middle(ratios).toFixed(2)
  }
  const ratio = (at: number, to: number): string =>
    ratioOf(at, to, (own, other) => own.requests / other.requests)
  // less disturbed by what else the machine does
  const byCpu = (at: number): string => ratioOf(at, 0, (own, other) => other.cpu / own.cpu)
  return {
    title: 'In front of an API',
    text: [
      `Each request to an API behind Octavo passes through it. The API behind answers 1 kB of JSON. The requests are sent by ${loader}.${isPinned ? ' It shares a core with the API behind, and the servers share the other core.' : ''} The proxy by hand has time limits, backpressure and forwarding headers, but no versions or guards. CPU time is the steadier figure.`,
      `Goals: the newest version at least 0.95 of the proxy by hand (${ratio(1, 0)}) and 1.3 of @fastify/http-proxy (${ratio(1, 3)}), a version with one change at least 0.8 of the newest (${ratio(2, 1)}), and at most 30 MiB more for a gigabyte in each direction. What grows is outside the heap of V8, by hand as well.`,
    ],
    tables: [
      {
        caption: 'Requests a second',
        columns: ['', 'requests', 'to undici by hand', 'CPU time of a request in µs', 'to undici by hand'],
        rows: all.map(([{ label }, own], at) => [
          label,
          requestsOf(at).toFixed(0),
          ratio(at, 0),
          middle(own.map(({ cpu }) => cpu)).toFixed(1),
          byCpu(at),
        ]),
      },
      {
        caption: 'MiB more while a gigabyte passes',
        columns: ['', 'down', 'up'],
        rows: [...memory].map(([name, { down, up }]) => [name, down.toFixed(1), up.toFixed(1)]),
      },
    ],
  }
}
