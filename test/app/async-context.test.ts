import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'

import { createApp, defineController, defineModule, defineProvider, sse, stream } from 'octavo'
import type { App, Middleware } from 'octavo'
import { direct } from 'octavo/engine'
import { z } from 'zod'

const storage = new AsyncLocalStorage<string>()
const store: Middleware = (context, next) =>
  storage.run(context.request.header('x-user') ?? 'none', () => next())

/** The user as code sees it, when it gets going and when it ends. */
const ended: (string | undefined)[] = []
async function* users(): AsyncGenerator<string> {
  try {
    for (let n = 0; n < 3; n++) {
      if (n > 0) await wait(2)
      yield `${storage.getStore() ?? 'lost'};`
    }
  } finally {
    ended.push(storage.getStore())
  }
}

async function* each<T>(make: (user: string) => T): AsyncGenerator<T> {
  for await (const user of users()) yield make(user)
}

const Connection = defineProvider({
  name: 'Connection',
  scope: 'request',
  create: () => 'open',
  dispose: async () => {
    await wait(1)
    ended.push(storage.getStore())
  },
})

const BODIES: Readonly<Record<string, () => unknown>> = {
  stream: () => stream(users()),
  sse: () => sse(() => each((data) => ({ data }))),
  response: () => {
    const all = users()
    return new Response(
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await all.next()
          if (done === true) controller.close()
          else controller.enqueue(Buffer.from(value))
        },
      }),
    )
  },
}

function create(): App {
  const controller = defineController({
    prefix: '/',
    routes: [
      ...Object.entries(BODIES).map(
        ([path, handler]) => ({ method: 'GET', path: `/${path}`, handler }) as const,
      ),
      {
        method: 'GET',
        path: '/items',
        items: z.object({ user: z.string() }),
        handler: () => each((user) => ({ user })),
      },
      {
        method: 'GET',
        path: '/events',
        events: { user: z.string() },
        handler: () => sse(each((data) => ({ event: 'user' as const, data }))),
      },
      {
        method: 'GET',
        path: '/dispose',
        input: { inject: { connection: Connection } },
        handler: () => 'done',
      },
    ],
  })
  const module = defineModule({ providers: [Connection], controllers: [controller] })
  return createApp(module, { logger: false, middleware: [store] })
}

type Ask = (path: string) => Promise<string>
const headers = { 'x-user': 'ada' }

const WAYS: Readonly<Record<string, (app: App) => Promise<Ask>>> = {
  inject: async (app) => async (url) => (await app.inject({ url, headers })).body,
  'app.fetch': async (app) => async (path) =>
    (await app.fetch(new Request(`http://localhost${path}`, { headers }))).text(),
  'node:http': async (app) => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return async (path) => (await fetch(url + path, { headers })).text()
  },
  'the direct engine': async (app) => {
    const url = await app.listen({ port: 0, host: '127.0.0.1', engine: direct() })
    return async (path) => (await fetch(url + path, { headers })).text()
  },
}

describe('AsyncLocalStorage that a middleware fills', () => {
  for (const [way, open] of Object.entries(WAYS)) {
    it(`is there for streams to their end, and for what is disposed, over ${way}`, async () => {
      const app = create()
      const ask = await open(app)
      for (const path of [...Object.keys(BODIES), 'items', 'events']) {
        ended.length = 0
        const text = await ask(`/${path}`)
        assert.deepEqual(
          [path, text.match(/ada;|lost;|none;/g), ended],
          [path, ['ada;', 'ada;', 'ada;'], ['ada']],
        )
      }
      ended.length = 0
      await ask('/dispose')
      for (let n = 0; n < 100 && ended.length === 0; n++) await wait(2)
      assert.deepEqual(ended, ['ada'])
      await app.close()
    })
  }

  it('is there when a client leaves a stream', async () => {
    const app = create()
    for (const path of Object.keys(BODIES).filter((name) => name !== 'response')) {
      ended.length = 0
      const { body } = await app.fetch(new Request(`http://localhost/${path}`, { headers }))
      const reader = body?.getReader()
      await reader?.read()
      await reader?.cancel()
      for (let n = 0; n < 100 && ended.length === 0; n++) await wait(2)
      assert.deepEqual([path, ...ended], [path, 'ada'])
    }
    await app.close()
  })
})
