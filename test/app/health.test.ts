import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineProvider,
  DefinitionError,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions } from 'octavo'
import { placeless } from '../support/places.ts'
import { serve } from '../support/serve.ts'

const LIVE = '/livez'
const READY = '/readyz'
const PATHS = { live: LIVE, ready: READY }

const cars = defineController({
  prefix: '/car',
  version: '1',
  routes: [{ method: 'GET', handler: () => 'car' }],
})

function createHealthy(options: AppOptions = {}) {
  return serve(cars, { health: PATHS, ...options })
}

/** A logger that keeps what it is told of a level. */
function createLog() {
  const lines: unknown[] = []
  const keep =
    (level: string) =>
    (details: object, text?: string): void =>
      void lines.push([level, details, text])
  return {
    lines,
    logger: { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') },
  }
}

describe('health', () => {
  it('is JSON that nobody stores', async () => {
    const app = createHealthy()
    const answer = await app.inject(READY)
    assert.deepEqual(
      [answer.statusCode, answer.headers['content-type'], answer.headers['cache-control'], answer.json()],
      [200, 'application/json', 'no-store', { status: 'ok', checks: {} }],
    )
  })

  for (const [title, request, status] of [
    ['GET', { url: LIVE }, 200],
    ['GET with a query', { url: `${READY}?from=probe` }, 200],
    ['HEAD', { method: 'HEAD', url: READY }, 200],
    ['OPTIONS', { method: 'OPTIONS', url: READY }, 204],
    ['POST', { method: 'POST', url: LIVE }, 405],
    ['a longer path', { url: `${LIVE}/x` }, 404],
    ['a slash at the end', { url: `${LIVE}/` }, 404],
  ] as const) {
    it(`${title} → ${status}`, async () => {
      const answer = await createHealthy().inject(request)
      assert.equal(answer.statusCode, status)
      if (status === 204 || status === 405) assert.equal(answer.headers['allow'], 'GET, HEAD')
    })
  }

  it('to HEAD has the length of the body that it leaves out', async () => {
    const app = createHealthy()
    const [head, get] = [await app.inject({ method: 'HEAD', url: READY }), await app.inject(READY)]
    assert.deepEqual([head.body, head.headers], ['', get.headers])
  })

  for (const [title, enable] of [
    ['URL', (app: App) => app.enableVersioning(VersioningSchemes.URL, { required: true })],
    [
      'HEADER',
      (app: App) =>
        app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-version', required: true }),
    ],
    ['QUERY', (app: App) => app.enableVersioning(VersioningSchemes.QUERY, { required: true })],
    ['HOST', (app: App) => app.enableVersioning(VersioningSchemes.HOST, { required: true })],
  ] as const) {
    it(`needs neither version nor prefix under ${title}`, async () => {
      const app = createHealthy({ prefix: '/api' })
      enable(app)
      assert.equal((await app.inject(READY)).statusCode, 200)
      assert.equal((await app.inject({ url: READY, headers: { 'x-version': '99' } })).statusCode, 200)
    })
  }

  it('is neither logged nor seen by middleware', async () => {
    const { lines, logger } = createLog()
    const app = createHealthy({
      logger,
      middleware: [
        () => {
          throw new Error('seen')
        },
      ],
    })
    assert.equal((await app.inject(LIVE)).statusCode, 200)
    assert.deepEqual(lines, [])
  })

  it('is not there without the option', async () => {
    const app = serve(cars)
    assert.equal((await app.inject(READY)).statusCode, 404)
  })
})

describe('health checks', () => {
  const failing = [
    [
      'throws',
      () => {
        throw new Error('a secret')
      },
      'failed',
    ],
    [
      'rejects',
      async () => {
        await Promise.reject(new Error('a secret'))
      },
      'failed',
    ],
    ['gives false', () => false, 'failed'],
    ['takes too long', async () => new Promise<never>(() => undefined), 'timeout'],
  ] as const
  for (const [title, db, result] of failing) {
    it(`one that ${title} makes the application unavailable, without a word of why`, async () => {
      const app = createHealthy({ health: { ...PATHS, checks: { db, disk: () => undefined }, timeout: 20 } })
      const answer = await app.inject(READY)
      assert.deepEqual(
        [answer.statusCode, answer.json()],
        [503, { status: 'unavailable', checks: { db: result, disk: 'ok' } }],
      )
      assert.equal((await app.inject(LIVE)).statusCode, 200)
    })
  }

  it('run once for all who ask at the same time, and anew for those who ask later', async () => {
    let runs = 0
    const app = createHealthy({ health: { ...PATHS, checks: { db: () => void runs++ } } })
    await app.ready()
    await Promise.all([app.inject(READY), app.inject(READY), app.inject(READY)])
    assert.equal(runs, 1)
    await app.inject(READY)
    assert.equal(runs, 2)
  })

  it('get providers, and a signal that tells them to give up', async () => {
    const Database = defineProvider({ name: 'Database', create: () => ({ isUp: true }) })
    let reason: unknown
    const app = createApp(defineModule({ providers: [Database] }), {
      logger: false,
      health: {
        ready: READY,
        timeout: 20,
        checks: {
          db: async ({ resolve }) => (await resolve(Database)).isUp,
          slow: async ({ signal }) => {
            await once(signal, 'abort')
            reason = signal.reason
          },
        },
      },
    })
    assert.deepEqual((await app.inject(READY)).json(), {
      status: 'unavailable',
      checks: { db: 'ok', slow: 'timeout' },
    })
    assert.equal(reason instanceof DOMException && reason.name, 'TimeoutError')
  })

  it('are logged when they begin to fail and when they pass again, and not in between', async () => {
    const { lines, logger } = createLog()
    let isUp = true
    const app = createHealthy({ logger, health: { ...PATHS, checks: { db: () => isUp } } })
    for (const next of [true, false, false, true, true]) {
      isUp = next
      await app.inject(READY)
    }
    assert.deepEqual(lines, [
      ['warn', { check: 'db', result: 'failed', err: undefined }, 'A health check fails'],
      ['info', { check: 'db' }, 'A health check passes again'],
    ])
  })
})

describe('health of app.handler', () => {
  it('is live but not ready while the application starts, and when it closes', async () => {
    let started: (() => void) | undefined
    const starting = new Promise<void>((resolve) => (started = resolve))
    const app = createApp(defineModule({ controllers: [cars], onStart: () => starting }), {
      logger: false,
      health: PATHS,
    })
    const server = createServer(app.handler).listen(0, '127.0.0.1')
    await once(server, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens at a port
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const statuses = async (): Promise<readonly number[]> => [
      (await fetch(url + LIVE)).status,
      (await fetch(url + READY)).status,
    ]
    assert.deepEqual(await statuses(), [200, 503])
    started?.()
    await app.ready()
    assert.deepEqual(await statuses(), [200, 200])
    await app.close()
    assert.deepEqual(await statuses(), [200, 503])
    server.close()
  })
})

describe('mistakes in health', () => {
  const route = (path: `/${string}`, version?: string) =>
    defineModule({
      controllers: [
        defineController({
          prefix: '/',
          name: 'probe',
          ...(version === undefined ? {} : { version }),
          routes: [{ method: 'GET', path, handler: () => 1 }],
        }),
      ],
    })

  it('a route at the same path would never be asked', async () => {
    const app = createApp(route(READY), { logger: false, health: PATHS })
    await assert.rejects(app.ready(), (error) => {
      assert.ok(error instanceof DefinitionError, 'a DefinitionError')
      assert.deepEqual(placeless(error.errors), [
        {
          code: 'duplicate_route',
          where: 'probe.getReadyz: GET /readyz',
          message: 'health answers everything at /readyz',
          fix: 'give the route or the health option another path',
        },
      ])
      return true
    })
  })

  it('a route that a request reaches by another path is none', async () => {
    const app = createApp(route(READY, '1'), { logger: false, health: PATHS })
    app.enableVersioning(VersioningSchemes.URL)
    assert.equal((await app.inject('/v1/readyz')).json(), 1)
    assert.deepEqual((await app.inject(READY)).json(), { status: 'ok', checks: {} })
  })

  it('a pattern that takes the path among others is none', async () => {
    const app = createApp(route('/{any}'), { logger: false, health: PATHS })
    assert.deepEqual((await app.inject(READY)).json(), { status: 'ok', checks: {} })
    assert.equal((await app.inject('/other')).json(), 1)
  })

  for (const [title, health, message] of [
    ['a pattern', { ready: '/{x}' }, 'health.ready is "/{x}"'],
    ['no slash', { live: 'livez' }, 'health.live is "livez"'],
    ['one path twice', { live: '/z', ready: '/z' }, 'health.live and health.ready are the same path'],
    ['checks without ready', { live: '/z', checks: {} }, 'health.checks are never asked for'],
    ['checks that are none', { ready: '/z', checks: { db: 1 } }, 'health.checks.db is 1'],
    ['no time', { timeout: 0 }, 'health.timeout is 0'],
    ['another name', { readiness: '/z' }, 'there is no option "health.readiness"'],
    ['no object', 'yes', 'health is "yes"'],
  ] as const) {
    it(title, () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a mistake that the compiler would find
      const options = { logger: false, health } as unknown as AppOptions
      assert.throws(
        () => createApp(route('/x'), options),
        (error) => error instanceof DefinitionError && error.errors.some((each) => each.message === message),
      )
    })
  }
})
