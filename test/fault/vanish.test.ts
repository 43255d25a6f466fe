import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import {
  createApp,
  defineController,
  defineModule,
  defineProvider,
  ExecutionContext,
  HttpRequest,
} from 'octavo'
import { z } from 'zod'

import { createGate, LOOPBACK, open, readUntil, send } from '../node/support.ts'
import type { Gate } from '../node/support.ts'

/** What was seen of one application. */
interface Seen {
  made: number
  disposed: number
  entered: number
  /** Requests that were told that their client is away: by the signal, or by the body that they read. */
  told: number
  openSources: number
  readonly gate: Gate
}

const CHUNK = Buffer.alloc(65_536, 'x')

// every route has something that lives for the request
function createVanishApp() {
  const seen: Seen = { made: 0, disposed: 0, entered: 0, told: 0, openSources: 0, gate: createGate() }
  const Unit = defineProvider({
    name: 'Unit',
    scope: 'request',
    create: () => {
      seen.made++
      return {}
    },
    dispose: async () => {
      await delay(1)
      seen.disposed++
    },
  })
  async function* rows() {
    seen.openSources++
    try {
      for (;;) yield CHUNK
    } finally {
      seen.openSources--
    }
  }
  const watch = (context: ExecutionContext): (() => void) => {
    seen.entered++
    let isTold = false
    const tell = (): void => {
      if (!isTold) seen.told++
      isTold = true
    }
    context.signal.addEventListener('abort', tell)
    return tell
  }
  const vanish = defineController({
    prefix: '/',
    inject: { unit: Unit, context: ExecutionContext, request: HttpRequest },
    routes: [
      { method: 'POST', path: '/body', input: { body: z.object({}) }, handler: () => 'read' },
      {
        method: 'POST',
        path: '/late',
        handler: async ({ inject: { context, request } }) => {
          const tell = watch(context)
          return request.bytes().then(({ length }) => length, tell)
        },
      },
      {
        method: 'GET',
        path: '/wait',
        handler: async ({ inject: { context } }) => {
          watch(context)
          await seen.gate.opened
          return 'late'
        },
      },
      {
        method: 'GET',
        path: '/{kind}',
        handler: ({ params, inject: { context } }) => {
          watch(context)
          if (params.kind === 'generator') return rows()
          const readable = Readable.from(rows())
          return params.kind === 'node' ? readable : new Response(Readable.toWeb(readable) as ReadableStream)
        },
      },
      { method: 'GET', path: '/canary', handler: () => 'alive' },
    ],
  })
  const app = createApp(defineModule({ providers: [Unit], controllers: [vanish] }), {
    logger: false,
    timeouts: { grace: 300_000 },
  })
  return { app, seen }
}

const HEAD = (line: string, ...fields: readonly string[]): string =>
  [`${line} HTTP/1.1`, 'Host: a.test', ...fields, '', ''].join('\r\n')
const JSON_TYPE = 'Content-Type: application/json'

/** What a client sends, what it waits for, and how many handlers have begun when it goes. */
const STAGES: readonly (readonly [
  title: string,
  text: string,
  until: RegExp | undefined,
  entered: number,
])[] = [
  ['before it sends anything', '', undefined, 0],
  ['in the request line', 'GET /wa', undefined, 0],
  ['in the head', 'GET /wait HTTP/1.1\r\nHost: a.te', undefined, 0],
  ['before the body', HEAD('POST /body', JSON_TYPE, 'Content-Length: 100'), undefined, 0],
  ['in the body', `${HEAD('POST /body', JSON_TYPE, 'Content-Length: 100')}{"a":`, undefined, 0],
  [
    'in a chunk of the body',
    `${HEAD('POST /body', JSON_TYPE, 'Transfer-Encoding: chunked')}20\r\n{"a":`,
    undefined,
    0,
  ],
  [
    'between two chunks of the body',
    `${HEAD('POST /body', JSON_TYPE, 'Transfer-Encoding: chunked')}2\r\n{}\r\n`,
    undefined,
    0,
  ],
  [
    'when it was told to send the body',
    HEAD('POST /body', JSON_TYPE, 'Content-Length: 100', 'Expect: 100-continue'),
    /100 Continue/,
    0,
  ],
  ['while a handler reads the body', `${HEAD('POST /late', 'Content-Length: 100')}abc`, undefined, 1],
  ['before the answer', HEAD('GET /wait'), undefined, 1],
  ['while two answers are queued', HEAD('GET /wait').repeat(3), undefined, 3],
  ['in an answer of a generator', HEAD('GET /generator'), /x{1000}/, 1],
  ['in an answer of a Node stream', HEAD('GET /node'), /x{1000}/, 1],
  ['in an answer of a web stream', HEAD('GET /web'), /x{1000}/, 1],
  ['in an answer with another behind it', HEAD('GET /generator') + HEAD('GET /wait'), /x{1000}/, 2],
]

const WAYS: Readonly<Record<string, (socket: Socket) => unknown>> = {
  'closes its connection': (socket) => socket.destroy(),
  'resets its connection': (socket) => socket.resetAndDestroy(),
}

/** Waits for something that comes soon, and says what there was instead when it does not. */
async function soon(what: string, isThere: () => boolean, show: () => unknown): Promise<void> {
  // a minute, because a busy machine is slow
  for (let tries = 0; tries < 12_000; tries++) {
    if (isThere()) return
    await delay(5)
  }
  assert.fail(`${what}: ${JSON.stringify(show())}`)
}

for (const [way, leave] of Object.entries(WAYS)) {
  describe(`a client that ${way}`, () => {
    for (const [title, text, until, entered] of STAGES) {
      it(`${title} leaves nothing behind`, async () => {
        const { app, seen } = createVanishApp()
        const url = await app.listen(LOOPBACK)
        try {
          const socket = await open(url)
          socket.on('error', () => undefined)
          socket.write(text)
          if (until !== undefined) await readUntil(socket, until)
          await soon(
            'handlers begin',
            () => seen.entered === entered,
            () => seen,
          )
          leave(socket)
          if (!socket.closed) await once(socket, 'close')
          await soon(
            'requests are told',
            () => seen.told === entered,
            () => seen,
          )
          await soon(
            'sources end',
            () => seen.openSources === 0,
            () => seen,
          )
          seen.gate.open()
          await soon(
            'scopes end',
            () => seen.disposed === seen.made,
            () => seen,
          )
          const canary = await send(url, { path: '/canary' })
          assert.equal(canary.bytes.toString(), '"alive"')
        } finally {
          seen.gate.open()
          const start = performance.now()
          await app.close()
          const took = performance.now() - start
          assert.ok(took < 60_000, `close took ${took} ms: something was still under way`)
          assert.equal(seen.disposed, seen.made)
        }
      })
    }
  })
}
