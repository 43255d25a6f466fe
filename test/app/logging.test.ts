import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { get } from 'node:http'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'

import {
  Channels,
  createApp,
  defineController,
  defineModule,
  Logger as LoggerToken,
  notFound,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, Logger, RequestEnd, RequestError, RequestStart } from 'octavo'
import { pino } from 'pino'

import { programArguments } from '../support/program.ts'
import {
  createIds,
  createLogger,
  createRequestLine,
  createTerminalText,
  openConsole,
  withRequestId,
} from '../inside/server.ts'

const PROGRAM = programArguments('test/app/fixtures/log-and-end.ts')

/** The JSON objects in lines of text. */
function parseLines(lines: string): readonly Readonly<Record<string, unknown>>[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function start(way: string, count = 1) {
  const args = [...PROGRAM, way, String(count)]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** What a program that logs and ends in a certain way leaves behind. */
async function run(way: string, count = 1) {
  const child = start(way, count)
  const [out, err, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { out, err, status: status as unknown }
}

/** What a program leaves in a file on a disk that has room for so many bytes at first. */
async function fillDisk(room: number, ...more: readonly string[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-disk-'))
  const file = join(folder, 'log')
  const fd = openSync(file, 'w')
  const args = [...programArguments('test/app/fixtures/full-disk.ts'), String(room), ...more]
  const child = spawn(process.execPath, args, { stdio: ['ignore', fd, 'inherit'] })
  const [status]: readonly unknown[] = await once(child, 'close')
  assert.equal(status, 0)
  closeSync(fd)
  const lines = readFileSync(file, 'utf8').split('\n')
  rmSync(folder, { recursive: true })
  return lines
}

/** A logger that keeps what it is given. */
function createRecorder(): { readonly logger: Logger; readonly messages: unknown[] } {
  const messages: unknown[] = []
  const at = (level: string) => (details: object, message?: string) =>
    void messages.push([level, details, message])
  return { messages, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

describe('the default logger', () => {
  it('writes JSON lines: what is wrong to standard error, the rest to standard output, also in an exit listener', async () => {
    const { out, err, status } = await run('in an exit listener')
    assert.equal(status, 0)
    const [info, ...others] = parseLines(out)
    assert.deepEqual(
      others.map(({ msg }) => msg),
      ['last'],
    )
    assert.match(String(info?.['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual({ ...info, time: '' }, { time: '', level: 'info', msg: 'info', index: 0 })
    const [warn, error] = parseLines(err)
    assert.deepEqual({ ...warn, time: '' }, { time: '', level: 'warn', msg: 'warn', a: 1, requestId: 'r1' })
    assert.equal(error?.['level'], 'error')
    const { name, message, stack } = Object(error?.['err'])
    assert.deepEqual({ name, message }, { name: 'RangeError', message: 'out of range' })
    assert.match(stack, /log-and-end/)
  })

  const ends = [
    ['by itself', 0],
    ['by process.exit', 3],
    ['by an error', 1],
  ] as const
  for (const [way, status] of ends) {
    // far more than a pipe holds
    it(`loses nothing when the process ends ${way}`, async () => {
      const result = await run(way, 5_000)
      assert.equal(result.status, status)
      assert.deepEqual(
        parseLines(result.out).map(({ index }) => index),
        Array.from({ length: 5_000 }, (_, index) => index),
      )
      assert.match(result.err, /"msg":"warn"/)
    })
  }

  it('writes the lines of requests among others, in their order', async () => {
    const { out, status } = await run('with requests')
    assert.equal(status, 0)
    const request = { requestId: 'r2', method: 'GET', version: null, status: 200, duration: 0.5 }
    assert.deepEqual(
      parseLines(out)
        .slice(1)
        .map(({ time: _time, level: _level, ...rest }) => rest),
      [
        { msg: 'Request', path: '/a', ...request },
        { msg: 'Straße', text: 'é€😀' },
        { msg: 'Request', path: '/a', route: 'car.getOne', ...request },
        { msg: 'Request', path: '/b', ...request },
      ],
    )
  })

  it('goes on when the reader is gone', async () => {
    const child = start('when the reader is gone')
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.equal(status, 0)
    assert.equal(parseLines(err).at(-1)?.['msg'], 'alive')
  })
})

describe('a line of the log', () => {
  // the terminal shows lines of this file, too
  const SECRET = ['s3cr3t', 't0k3n'].join('-')
  const TOKEN = `Bearer ${SECRET}`
  const failed = (members: object): Error => Object.assign(new Error('Request failed'), members)
  const cyclic: Record<string, unknown> = { headers: { authorization: TOKEN } }
  cyclic['self'] = cyclic
  const cases: Readonly<Record<string, () => object>> = {
    'the config of axios': () =>
      failed({ config: { headers: { Authorization: TOKEN }, auth: { password: SECRET } } }),
    'what toJSON makes of axios': () =>
      failed({
        toJSON: () => ({ config: { headers: { Authorization: TOKEN } } }),
        config: { headers: { Authorization: TOKEN } },
      }),
    'the request of node:http': () => {
      const request = get({ port: 1, headers: { authorization: TOKEN, cookie: `sid=${SECRET}` } })
      request.on('error', () => undefined)
      request.destroy()
      return failed({ request })
    },
    'the head as text': () =>
      failed({ request: { _header: `GET / HTTP/1.1\r\nauthorization: ${TOKEN}\r\n\r\n` } }),
    'raw headers': () => failed({ response: { rawHeaders: ['Set-Cookie', `sid=${SECRET}`, 'X-A', 'b'] } }),
    'the headers of fetch': () => failed({ request: { headers: new Headers({ authorization: TOKEN }) } }),
    'a map': () => failed({ headers: new Map([['cookie', `sid=${SECRET}`]]) }),
    'options of got': () =>
      Object.defineProperty(failed({}), 'options', { value: { headers: { 'x-api-key': SECRET } } }),
    'a cause': () => new Error('outer', { cause: failed({ config: { headers: { authorization: TOKEN } } }) }),
    'an aggregate': () =>
      new AggregateError([failed({ config: { headers: { authorization: TOKEN } } })], 'all'),
    'a cycle': () => failed({ config: cyclic }),
    'a body as JSON': () =>
      failed({
        config: { data: JSON.stringify({ name: 'a', password: SECRET, nested: { token: `"${SECRET}` } }) },
      }),
    'a body as a form': () =>
      failed({ config: { data: `name=a&refresh_token=${SECRET}&client_secret=${SECRET}` } }),
    'a URL': () => new Error(`connect to https://user:${SECRET}@example.com/ failed`),
    'a URL in a member': () => failed({ config: { proxy: `http://:${SECRET}@[::1]:3128` } }),
    'the message too': () =>
      Object.assign(new Error(`sent ${TOKEN}`), { config: { headers: { authorization: TOKEN } } }),
  }
  for (const [title, make] of Object.entries(cases)) {
    it(`shows no credentials of ${title}, as JSON and at a terminal`, () => {
      for (const isTerminal of [false, true]) {
        const lines: string[] = []
        const keep = (line: string): void => void lines.push(line)
        const formatLine = createTerminalText()
        const log = createLogger(undefined, () => ({
          info: keep,
          warn: keep,
          error: keep,
          ...(isTerminal && { formatLine }),
        }))
        for (const details of [{ err: make() }, make(), { a: 1, nested: [make()] }])
          log.error(details, 'It failed')
        assert.equal(lines.length, 3)
        assert.equal(lines.join('').includes(SECRET), false, lines.join(''))
        assert.match(lines.join(''), /It failed/)
      }
    })
  }

  it('shows words that a short secret is part of', () => {
    const lines: string[] = []
    const keep = (line: string): void => void lines.push(line)
    createLogger(undefined, () => ({ info: keep, warn: keep, error: keep })).error(
      { err: failed({ config: { password: 'fail' } }) },
      'It failed',
    )
    assert.match(lines.join(''), /"password":"\*\*\*".*/)
    assert.match(lines.join(''), /It failed/)
  })
})

describe('a log on a disk that is full for a while', () => {
  // in the middle of a line, at the end of one and at once
  for (const room of [1000, 0, 95])
    it(`has each line once, with ${room} bytes of room at first`, async () => {
      const lines = await fillDisk(room)
      assert.deepEqual(
        lines.slice(0, -1).map((line) => JSON.parse(line).line),
        Array.from({ length: 60 }, (_, line) => line),
      )
    })

  it('keeps no process from ending', async () => {
    assert.ok((await fillDisk(40, 'stays full')).length <= 1)
  })
})

describe('the line of a request that is written by hand', () => {
  const toRequestLine = createRequestLine()
  const request = { requestId: 'r1', method: 'GET', path: '/a', version: null, status: 200, duration: 0.123 }

  /** What the default logger writes about anything. */
  function lineOf(details: object, message?: string): string {
    const lines: string[] = []
    const keep = (line: string): void => void lines.push(line)
    createLogger(undefined, () => ({ info: keep, warn: keep, error: keep })).info(details, message)
    return lines.join('')
  }
  const withoutTime = (line: string | undefined): unknown => line?.replace(/"time":"[^"]*"/, '"time":""')

  const taken = [
    ['a request without route', request],
    ['a route', { ...request, route: 'car.getOne' }],
    ['a route that is undefined', { ...request, route: undefined }],
    ['a version', { ...request, version: '2', route: 'car.getOne' }],
    ['a client', { ...request, route: 'car.getOne', client: 'acme' }],
    ['characters that are escaped in scripts', { ...request, path: "/<!--'%22[]&" }],
    ['times of any size', { ...request, duration: 1e21, status: 599 }],
    ['no time', { ...request, duration: 0 }],
  ] as const
  for (const [title, details] of taken) {
    it(`is what the default logger writes: ${title}`, () => {
      const line = toRequestLine(details, 'Request')
      assert.notEqual(line, undefined)
      assert.equal(withoutTime(line), withoutTime(lineOf(details, 'Request')))
      // the second time, what is kept
      assert.equal(withoutTime(toRequestLine(details, 'Request')), withoutTime(line))
    })
  }

  const others = [
    ['another message', request, 'Response'],
    ['no message', request, undefined],
    ['another member', { ...request, route: 'a', more: 1 }],
    ['another member in the place of one', { ...request, routes: 'a' }],
    [
      'another order',
      { method: 'GET', requestId: 'r1', path: '/a', version: null, status: 200, duration: 1 },
    ],
    ['fewer members', { requestId: 'r1' }],
    ['no members', {}],
    ['an error', Object.assign(new Error('oh'), request)],
    ['a client without a route', { ...request, client: 'acme' }],
    ['a quote in the name of a client', { ...request, route: 'a', client: 'a"' }],
    ['a quote in an id', { ...request, requestId: 'r"1' }],
    ['a backslash in a path', { ...request, path: '/\\a' }],
    ['a line feed in a method', { ...request, method: 'GET\n' }],
    ['characters beyond ASCII', { ...request, path: '/é' }],
    ['a control character in a route', { ...request, route: 'a\u007f' }],
    ['half a character in a version', { ...request, version: '\ud800' }],
    ['a number that JSON has not', { ...request, duration: Number.NaN }],
    ['an id that is no text', { ...request, requestId: 1 }],
    ['a version that is no text', { ...request, version: 2 }],
    ['a route that is an object', { ...request, route: {} }],
    ['a status that is a text', { ...request, status: '200' }],
  ] as const
  for (const [title, details, message = 'Request'] of others) {
    it(`is left to the default logger: ${title}`, () => {
      assert.equal(toRequestLine(details, title === 'no message' ? undefined : message), undefined)
    })
  }

  it('has the time of the moment', (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 0 })
    const timeOf = (): unknown => JSON.parse(toRequestLine(request, 'Request') ?? '').time
    const first = timeOf()
    context.mock.timers.tick(1)
    assert.deepEqual([first, timeOf()], ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.001Z'])
    context.mock.timers.setTime(0)
    assert.equal(timeOf(), first)
  })
})

describe('the ids of requests', () => {
  it('are random UUIDs, all different', () => {
    const createId = createIds()
    const ids = Array.from({ length: 1000 }, createId)
    for (const id of ids) assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    assert.equal(new Set(ids).size, ids.length)
    // each of the other digits has every value
    for (const place of [0, 7, 9, 12, 15, 17, 20, 22, 24, 35])
      assert.equal(new Set(ids.map((id) => id[place])).size, 16)
  })
})

describe('withRequestId', () => {
  it('adds the id to every message, over what the details say', () => {
    const { logger, messages } = createRecorder()
    const log = withRequestId(logger, 'r1')
    const error = new Error('oh')
    log.debug({ a: 1 }, 'd')
    log.info({ requestId: 'mine' })
    log.warn({ b: 2 }, 'w')
    log.error(error, 'e')
    assert.deepEqual(messages, [
      ['debug', { a: 1, requestId: 'r1' }, 'd'],
      ['info', { requestId: 'r1' }, undefined],
      ['warn', { b: 2, requestId: 'r1' }, 'w'],
      ['error', { err: error, requestId: 'r1' }, 'e'],
    ])
  })

  it('takes the child of a logger that has children', () => {
    const { logger, messages } = createRecorder()
    const bindings: unknown[] = []
    const parent = { ...createRecorder().logger, child: (own: object) => (bindings.push(own), logger) }
    withRequestId(parent, 'r1').info({ a: 1 })
    assert.deepEqual(bindings, [{ requestId: 'r1' }])
    assert.deepEqual(messages, [['info', { a: 1 }, undefined]])
  })

  it('does without a child that is no logger', () => {
    const { logger, messages } = createRecorder()
    withRequestId(Object.assign(logger, { child: () => undefined }), 'r1').info({ a: 1 })
    assert.deepEqual(messages, [['info', { a: 1, requestId: 'r1' }, undefined]])
  })

  it('leaves silence alone', () => {
    const silent = createLogger(false, openConsole)
    assert.equal(withRequestId(silent, 'r1'), silent)
  })
})

describe('pino', () => {
  it('is a logger as it is', () => {
    let written = ''
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        written += String(chunk)
        done()
      },
    })
    const logger: Logger = pino({ base: null, timestamp: false }, stream)
    logger.debug({}, 'left out')
    logger.info({ a: 1 }, 'info')
    withRequestId(logger, 'r1').warn({ b: 2 }, 'warn')
    const error = new RangeError('out of range')
    withRequestId(logger, 'r1').error({ err: error }, 'error')
    const [first, second, third] = parseLines(written)
    assert.deepEqual(first, { level: 30, a: 1, msg: 'info' })
    assert.deepEqual(second, { level: 40, requestId: 'r1', b: 2, msg: 'warn' })
    assert.equal(third?.['requestId'], 'r1')
    assert.equal(Object(third?.['err']).message, 'out of range')
  })
})

const cars = defineController({
  name: 'CarController',
  version: '1',
  inject: { logger: LoggerToken },
  routes: [
    {
      method: 'GET',
      path: '/{id:int}',
      name: 'getOne',
      handler: ({ params, inject }, { log, requestId }) => {
        log.warn({ id: params.id }, 'from the context')
        inject.logger.info({}, 'from the application')
        return { requestId }
      },
    },
    {
      method: 'GET',
      path: '/fail',
      name: 'fail',
      handler: () => {
        throw new RangeError('out of range')
      },
    },
    {
      method: 'GET',
      path: '/gone',
      name: 'gone',
      handler: async () => {
        throw notFound('No such car')
      },
    },
  ],
})

function createCars(options: AppOptions) {
  const app = createApp(defineModule({ controllers: [cars] }), options)
  app.enableVersioning(VersioningSchemes.URL)
  return app
}

/** The id that an answer tells. */
async function requestIdOf(app: App, url: string): Promise<unknown> {
  return Object((await app.inject(url)).json()).requestId
}

describe('the line of a request', () => {
  /** The lines of a request, without what differs each time. */
  async function linesOf(url: string): Promise<readonly unknown[]> {
    const { logger, messages } = createRecorder()
    await createCars({ logger }).inject({ method: 'GET', url, headers: { cookie: 'sid=secret' } })
    return messages.flatMap((entry) => {
      const [level, details, message] = entry as [string, Record<string, unknown>, string]
      if (message !== 'Request') return []
      const { requestId, duration, ...rest } = details
      assert.match(String(requestId), /^[\da-f-]{36}$/)
      assert.ok(typeof duration === 'number' && duration >= 0)
      assert.match(String(duration), /^\d+(?:\.\d{1,3})?$/)
      return [[level, rest]]
    })
  }
  const of = (path: string, version: string | null, status: number, route?: string) => [
    ['info', { method: 'GET', path, version, status, ...(route === undefined ? {} : { route }) }],
  ]
  const cases = [
    ['an answer', '/v1/car/7?token=secret', of('/v1/car/7', '1', 200, 'car.getOne')],
    ['an error of the route', '/v1/car/gone', of('/v1/car/gone', '1', 404, 'car.gone')],
    ['an unknown error', '/v1/car/fail', of('/v1/car/fail', '1', 500, 'car.fail')],
    ['an unknown path', '/v1/cars', of('/v1/cars', '1', 404)],
    ['a malformed path', '/v1/car/%zz', of('/v1/car/%zz', null, 400)],
  ] as const

  for (const [title, url, expected] of cases) {
    it(`is one, without query and headers, for ${title}`, async () => {
      assert.deepEqual(await linesOf(url), expected)
    })
  }

  it('has the id of the other messages of the request, and of the answer to an unknown error', async () => {
    const { logger, messages } = createRecorder()
    const app = createCars({ logger })
    const requestId = await requestIdOf(app, '/v1/car/7')
    assert.deepEqual(messages.slice(0, 2), [
      ['warn', { id: 7, requestId }, 'from the context'],
      ['info', {}, 'from the application'],
    ])
    const ids = messages.map((entry) => Object((entry as unknown[])[1]).requestId)
    assert.deepEqual(ids, [requestId, undefined, requestId])

    messages.length = 0
    const failed = await requestIdOf(app, '/v1/car/fail')
    assert.deepEqual(
      messages.map((entry) => Object((entry as unknown[])[1]).requestId),
      [failed, failed],
    )
  })

  it('that cannot be written does not cost the answer', async () => {
    const { logger } = createRecorder()
    const info = (): never => {
      throw new Error('disk full')
    }
    const response = await createCars({ logger: { ...logger, info } }).inject('/v1/car/gone')
    assert.equal(response.statusCode, 404)
  })
})

describe('the channels', () => {
  /** What is published while a request is answered. */
  async function published(url: string): Promise<readonly unknown[]> {
    const events: unknown[] = []
    const listeners = [
      [
        Channels.start,
        (message: unknown) => {
          const { context } = message as RequestStart
          events.push(['start', context.originalPath, context.route])
        },
      ],
      [
        Channels.end,
        (message: unknown) => {
          const { context, response, duration } = message as RequestEnd
          assert.ok(duration >= 0)
          events.push(['end', response.status, context.route?.name])
        },
      ],
      [
        Channels.error,
        (message: unknown) => {
          const { context, error } = message as RequestError
          events.push(['error', String(error), context.route?.name])
        },
      ],
    ] as const
    for (const [name, listener] of listeners) subscribe(name, listener)
    await createCars({ logger: false }).inject(url)
    for (const [name, listener] of listeners) assert.ok(unsubscribe(name, listener))
    return events
  }

  it('tell of a request and its response', async () => {
    assert.deepEqual(await published('/v1/car/7'), [
      ['start', '/v1/car/7', null],
      ['end', 200, 'car.getOne'],
    ])
  })

  it('tell of what was thrown', async () => {
    assert.deepEqual(await published('/v1/car/fail'), [
      ['start', '/v1/car/fail', null],
      ['error', 'RangeError: out of range', 'car.fail'],
      ['end', 500, 'car.fail'],
    ])
    assert.deepEqual(await published('/v1/car/gone'), [
      ['start', '/v1/car/gone', null],
      ['error', 'HttpError: No such car', 'car.gone'],
      ['end', 404, 'car.gone'],
    ])
  })

  it('tell of requests that reach no route', async () => {
    const events = await published('/v1/cars')
    assert.deepEqual(events.at(0), ['start', '/v1/cars', null])
    assert.deepEqual(events.at(-1), ['end', 404, undefined])
  })
})
