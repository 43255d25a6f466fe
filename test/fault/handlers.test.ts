import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { createApp, defineController, defineModule, defineProvider, ExecutionContext } from 'octavo'
import type { App, Logger } from 'octavo'

import {
  block,
  createGate,
  createTestApp,
  LOOPBACK,
  open,
  parse,
  readAll,
  readUntil,
  send,
} from '../node/support.ts'

const REQUEST = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`
const ignore = (): void => undefined

/** Has text, but throws when somebody asks for anything. */
const HOSTILE_ERROR: unknown = new Proxy(new Error('secret'), {
  get: () => {
    throw new Error('secret too')
  },
})

/** What handlers throw that are not well. */
const THROWN: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  null: () => null,
  'a text': () => 'secret',
  'a number': () => 404,
  'a symbol': () => Symbol('secret'),
  'a function': () => () => 'secret',
  'an object with a status': () => ({ status: 200, statusCode: 200, message: 'secret' }),
  'an object without prototype': () => Object.create(null),
  'a frozen error': () => Object.freeze(new Error('secret')),
  'an error without stack': () => Object.assign(new Error('secret'), { stack: undefined }),
  'an error that is its own cause': () => {
    const error = new Error('secret')
    return Object.assign(error, { cause: error })
  },
  'an error whose message throws': () =>
    Object.defineProperty(new Error('secret'), 'message', {
      get: () => {
        throw new Error('secret too')
      },
    }),
  'an error that throws when it is looked at': () => HOSTILE_ERROR,
}

/** A route for each, thrown and rejected. */
function createThrowingApp(): App {
  const fail = (name: string): unknown => THROWN[decodeURIComponent(name)]?.()
  return createTestApp(
    defineController({
      prefix: '/',
      routes: [
        {
          method: 'GET',
          path: '/throws/{name}',
          handler: ({ params }) => {
            // oxlint-disable-next-line typescript/only-throw-error
            throw fail(params.name)
          },
        },
        {
          method: 'GET',
          path: '/rejects/{name}',
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors
          handler: ({ params }) => Promise.reject(fail(params.name)),
        },
        {
          method: 'GET',
          path: '/streams/{name}',
          handler: async function* broken({ params }) {
            yield 'start'
            // oxlint-disable-next-line typescript/only-throw-error
            throw fail(params.name)
          },
        },
        { method: 'GET', path: '/canary', handler: () => 'alive' },
      ],
    }),
  )
}

describe('a handler that fails', () => {
  for (const way of ['throws', 'rejects']) {
    for (const name of Object.keys(THROWN)) {
      it(`and ${way} ${name} is a 500 that says nothing of it`, async () => {
        const app = createThrowingApp()
        const { statusCode, body } = await app.inject(`/${way}/${encodeURIComponent(name)}`)
        assert.equal(statusCode, 500)
        assert.doesNotMatch(body, /secret/)
        await app.close()
      })
    }
  }

  it('does so over a socket, and its connection serves on', async () => {
    const app = createThrowingApp()
    const url = await app.listen(LOOPBACK)
    const socket = await open(url)
    const names = Object.keys(THROWN).map(encodeURIComponent)
    const paths = names.flatMap((name) => [`/throws/${name}`, `/rejects/${name}`])
    socket.write(paths.map(REQUEST).join('') + REQUEST('/canary'))
    const text = await readUntil(socket, /"alive"$/)
    assert.equal(text.match(/HTTP\/1\.1 500 /g)?.length, paths.length)
    assert.doesNotMatch(text, /secret/)
    socket.destroy()
    await app.close()
  })

  it('in a stream breaks its connection off, and no other', async () => {
    const app = createThrowingApp()
    const url = await app.listen(LOOPBACK)
    for (const name of Object.keys(THROWN)) {
      const socket = await open(url)
      socket.write(REQUEST(`/streams/${encodeURIComponent(name)}`))
      const text = await readAll(socket).catch(() => '')
      assert.doesNotMatch(text, /secret|\r\n0\r\n\r\n$/, name)
    }
    assert.equal((await send(url, { path: '/canary' })).bytes.toString(), '"alive"')
    await app.close()
  })
})

describe('close', () => {
  /** What handlers do once the application closes, and what their client gets. */
  const ENDS: Readonly<Record<string, readonly [() => unknown, expected: string]>> = {
    answers: [() => 'done', 'HTTP/1.1 200 OK'],
    throws: [
      () => {
        throw new Error('secret')
      },
      'HTTP/1.1 500 Internal Server Error',
    ],
    'never answers': [() => new Promise(ignore), ''],
  }
  for (const [end, [work, expected]] of Object.entries(ENDS)) {
    it(`ends also when a handler ${end} meanwhile`, async () => {
      const gate = createGate()
      const disposed: string[] = []
      const Unit = defineProvider({
        name: 'Unit',
        scope: 'request',
        create: () => ({}),
        dispose: () => void disposed.push('unit'),
      })
      const One = defineProvider({
        name: 'One',
        create: () => ({}),
        dispose: () => void disposed.push('one'),
      })
      const slow = defineController({
        prefix: '/',
        inject: { unit: Unit, one: One },
        routes: [
          {
            method: 'GET',
            handler: async () => {
              gate.enter()
              await gate.opened
              return work()
            },
          },
        ],
      })
      const app = createApp(defineModule({ providers: [Unit, One], controllers: [slow] }), {
        logger: false,
        timeouts: { grace: end === 'never answers' ? 300 : 300_000 },
      })
      const socket = await open(await app.listen(LOOPBACK))
      socket.write(REQUEST('/'))
      await gate.entered
      const start = performance.now()
      const closed = app.close()
      gate.open()
      const text = await readAll(socket).catch(() => '')
      await closed
      const took = performance.now() - start
      assert.equal(parse(text).statusLine, expected)
      const isInTime = end === 'never answers' ? took > 250 : took < 60_000
      assert.ok(isInTime, `close took ${took} ms`)
      // what a handler still uses that never ends is taken from it when the client has gone
      assert.deepEqual(disposed.toSorted(), end === 'never answers' ? ['one'] : ['one', 'unit'])
    })
  }
})

describe('a provider that cannot be disposed', () => {
  for (const [way, dispose] of Object.entries({
    throws: () => {
      throw new Error('stuck')
    },
    rejects: () => Promise.reject(new Error('stuck')),
  })) {
    it(`and ${way} is logged for every request, and harms none`, async () => {
      const lines: unknown[] = []
      const logger: Logger = {
        debug: ignore,
        info: ignore,
        warn: ignore,
        error: (details) => void lines.push(details),
      }
      const Unit = defineProvider({ name: 'Unit', scope: 'request', create: () => ({}), dispose })
      const controller = defineController({
        prefix: '/',
        inject: { unit: Unit },
        routes: [{ method: 'GET', handler: () => 'fine' }],
      })
      const app = createApp(defineModule({ providers: [Unit], controllers: [controller] }), { logger })
      const url = await app.listen(LOOPBACK)
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(url, { path: '/' })))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      await app.close()
      assert.equal(lines.length, 20)
    })
  }

  it('and takes for ever is waited for no longer than the grace time', async () => {
    const Unit = defineProvider({
      name: 'Unit',
      scope: 'request',
      create: () => ({}),
      dispose: () => new Promise(ignore),
    })
    const controller = defineController({
      prefix: '/',
      inject: { unit: Unit },
      routes: [{ method: 'GET', handler: () => 'fine' }],
    })
    const app = createApp(defineModule({ providers: [Unit], controllers: [controller] }), {
      logger: false,
      timeouts: { grace: 200 },
    })
    const url = await app.listen(LOOPBACK)
    assert.equal((await send(url, { path: '/' })).status, 200)
    const start = performance.now()
    await app.close()
    const took = performance.now() - start
    assert.ok(took > 150, `close took ${took} ms`)
  })
})

describe('a handler that blocks the event loop', () => {
  it('delays others, and then all are answered rightly', async () => {
    const app = createTestApp(
      defineController({
        prefix: '/',
        routes: [
          {
            method: 'GET',
            path: '/block',
            handler: () => {
              block(1_500)
              return 'blocked'
            },
          },
          { method: 'GET', path: '/quick/{n:int}', handler: ({ params }) => params.n },
        ],
      }),
      // shorter than the block: a connection is not idle while nobody looks
      { timeouts: { idle: 1_000 } },
    )
    const url = await app.listen(LOOPBACK)
    const others = await Promise.all(Array.from({ length: 20 }, () => open(url)))
    const ask = (first: number): Promise<readonly string[]> =>
      Promise.all(
        others.map((other, n) => {
          other.write(REQUEST(`/quick/${first + n}`))
          return readUntil(other, new RegExp(`\r\n\r\n${first + n}$`))
        }),
      )
    await ask(100)
    const socket = await open(url)
    socket.write(REQUEST('/block'))
    await delay(10)
    const texts = await ask(200)
    assert.ok(
      texts.every((text) => text.startsWith('HTTP/1.1 200 ')),
      texts.find((text) => !text.startsWith('HTTP/1.1 200 ')),
    )
    await readUntil(socket, /"blocked"/)
    for (const one of [...others, socket]) one.destroy()
    await app.close()
  })
})

describe('a handler whose client is away', () => {
  it('finishes its work, and what it gives goes nowhere', async () => {
    const gate = createGate()
    const finished = createGate()
    const app = createTestApp(
      defineController({
        prefix: '/',
        inject: { context: ExecutionContext },
        routes: [
          {
            method: 'GET',
            handler: async ({ inject: { context } }) => {
              gate.enter()
              await gate.opened
              finished.open()
              return { isAborted: context.signal.aborted }
            },
          },
        ],
      }),
    )
    const socket = await open(await app.listen(LOOPBACK))
    socket.write(REQUEST('/'))
    await gate.entered
    socket.resetAndDestroy()
    await delay(20)
    gate.open()
    await finished.opened
    await app.close()
  })
})
