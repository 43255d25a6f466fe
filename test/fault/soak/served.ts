/** The process that a soak over sockets sends to: serves routes of every kind, and reports what is left in it. */
import { setTimeout as delay } from 'node:timers/promises'

import { defineController, reply, sse, stream, upgrade } from 'octavo'
import { z } from 'zod'

import { LOOPBACK } from '../../node/support.ts'
import { serve } from '../../support/serve.ts'
import { measureMemory, report, reportUnhandled } from '../observed.ts'
import type { Memory, ToldError } from '../observed.ts'
import { LARGE, LINES, toItem } from './expected.ts'

/** What the process reports. */
export type Told =
  | { readonly kind: 'listening'; readonly url: string; readonly engine: string }
  | ToldError
  | { readonly kind: 'left'; readonly left: Left }

/** What the process holds while nothing is under way. */
export interface Left extends Memory {
  readonly sockets: number
  /** What else keeps a process alive, by the names of Node. */
  readonly resources: readonly string[]
}

const tell = (message: Told): void => void process.send?.(message)
reportUnhandled()

async function* lines(): AsyncGenerator<string> {
  for (const [at, line] of LINES.entries()) {
    if (at % 8 === 0) await delay(1)
    yield line
  }
}

async function* endless(signal: AbortSignal): AsyncGenerator<{ readonly data: number }> {
  for (let at = 0; !signal.aborted; at++) {
    yield { data: at }
    await delay(2)
  }
}

const Item = z.object({ name: z.string(), size: z.number() })
const soaked = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/hello', handler: () => ({ hello: 'world' }) },
    { method: 'GET', path: '/later', handler: async () => delay(3, { later: true }) },
    { method: 'GET', path: '/items/{id:int}', handler: ({ params }) => toItem(params.id) },
    {
      method: 'GET',
      path: '/search',
      input: { query: { text: z.string(), page: z.number() } },
      handler: ({ query }) => query,
    },
    { method: 'POST', path: '/items', input: { body: Item }, handler: ({ body }) => reply(201, body) },
    {
      method: 'POST',
      path: '/bytes',
      bodyLimit: 1_000_000,
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => ({ size: body.length, sum: body.reduce((sum, byte) => sum + byte, 0) }),
    },
    { method: 'POST', path: '/unread', handler: () => 'unread' },
    { method: 'DELETE', path: '/items/{id:int}', handler: () => undefined },
    { method: 'GET', path: '/large', handler: () => reply(200, LARGE) },
    { method: 'GET', path: '/lines', handler: () => stream(lines(), { type: 'text/plain' }) },
    { method: 'GET', path: '/events', handler: (_input, { signal }) => sse(endless(signal)) },
    {
      method: 'GET',
      path: '/echo',
      upgrade: 'websocket',
      handler: () =>
        upgrade(({ socket, head }) => {
          socket.write(
            'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
          )
          socket.write(head)
          socket.pipe(socket)
        }),
    },
  ],
})

const ignore = (): void => undefined
let engine = 'node'
const app = serve(soaked, {
  logger: {
    debug: ignore,
    info: (details) => {
      const named: unknown = Reflect.get(details, 'engine')
      if (typeof named === 'string') engine = named
    },
    warn: (details, message) => report(`logged, ${message}`)(Reflect.get(details, 'err')),
    error: (details, message) => report(`logged, ${message}`)(Reflect.get(details, 'err')),
  },
  // what is left idle is part of the mix
  timeouts: { idle: 2_000, headers: 2_000, request: 6_000, send: 4_000 },
})
const url = await app.listen(LOOPBACK)
tell({ kind: 'listening', url, engine })

process.on('message', async (message) => {
  if (message === 'close') {
    await app.close()
    // what is freed later, as timers of tsx
    await delay(100)
  }
  tell({ kind: 'left', left: await look() })
})
process.on('disconnect', () => process.exit(0))

async function look(): Promise<Left> {
  const memory = await measureMemory(10)
  const all = process.getActiveResourcesInfo()
  const resources = all.filter((name) => name !== 'TCPSocketWrap')
  return { ...memory, sockets: all.length - resources.length, resources }
}
