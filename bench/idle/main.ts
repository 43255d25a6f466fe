/** What connections take that are kept and have nothing to do. */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

import type { MeasureOptions, Section } from '../report/section.ts'
import type { Memory } from './server.ts'

const CONTESTANTS = ['octavo', 'octavo, in front of an API', 'octavo, direct engine', 'node:http']
const CONNECTIONS = 10_000
/** MiB that the connections may take. */
const GOAL = 150

interface Measured {
  readonly name: string
  readonly before: Memory
  readonly during: Memory
  readonly after: Memory
}

export async function measure({ isQuick }: MeasureOptions): Promise<Section> {
  const count = isQuick ? CONNECTIONS / 10 : CONNECTIONS
  const results: Measured[] = []
  for (const name of CONTESTANTS) results.push(await measureOne(name, count))
  const taken = ({ before, during }: Measured): number => (during.rss - before.rss) / 2 ** 20
  const [own] = results
  const isMet = own !== undefined && taken(own) < GOAL
  return {
    title: 'Idle connections',
    text: [
      `If your clients keep connections open, the memory of each connection limits how many you can serve. Here, ${count} connections stay open after one request each. The server runs in its own process. Memory is the resident set size after a garbage collection: after a few first connections, with all connections, and after they have closed.`,
      // what the first connections cost is not what all of them cost
      ...(isQuick
        ? []
        : [
            `The goal of less than ${GOAL} MiB for ${CONNECTIONS} connections is ${isMet ? 'met' : 'missed'}.`,
          ]),
    ],
    tables: [
      {
        caption: 'MiB',
        columns: [
          '',
          'idle process',
          `with ${count} connections`,
          'for the connections',
          'KiB each',
          'heap of it',
          'afterwards',
        ],
        rows: results.map((result) => [
          result.name,
          toMiB(result.before.rss),
          toMiB(result.during.rss),
          taken(result).toFixed(1),
          ((taken(result) * 1024) / count).toFixed(1),
          toMiB(result.during.heap - result.before.heap),
          toMiB(result.after.rss),
        ]),
      },
    ],
  }
}

async function measureOne(name: string, count: number): Promise<Measured> {
  const server = fork(new URL('server.js', import.meta.url), [name], { execArgv: ['--expose-gc'] })
  const port = Number(await next(server))
  // so that what is compiled and loaded at the first request is there
  await connectClients(port, 20, () => Promise.resolve())
  const before = await memoryOf(server)
  const during = await connectClients(port, count, () => memoryOf(server))
  if (during.connections < count) throw new Error(`Of ${count} connections ${during.connections} stayed`)
  const after = await memoryOf(server)
  server.kill()
  return { name, before, during, after }
}

async function connectClients<T>(port: number, count: number, during: () => Promise<T>): Promise<T> {
  const client = fork(new URL('client.js', import.meta.url), [String(port), String(count)])
  await next(client)
  try {
    return await during()
  } finally {
    client.kill()
    await once(client, 'exit')
  }
}

async function memoryOf(server: ChildProcess): Promise<Memory> {
  server.send('memory')
  return (await next(server)) as Memory
}

async function next(child: ChildProcess): Promise<unknown> {
  const [message]: readonly unknown[] = await once(child, 'message')
  return message
}

function toMiB(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1)
}
