import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  conflict,
  createApp,
  defineController,
  defineErrorFormat,
  defineErrorHandler,
  defineModule,
  DefinitionError,
  notFound,
  reply,
  sse,
  stream,
  text,
  ValidationError,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, HttpError, InjectOptions, Middleware } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { cors, csrf, rateLimit } from 'octavo/middleware'
import { createTestClient } from 'octavo/testing'
import { createDispatcher } from 'octavo/undici'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { collectErrors, pause } from './around-support.ts'
import { placeless } from '../support/places.ts'

const Failure = z.object({ error: z.object({ code: z.string(), message: z.string(), at: z.string() }) })

/** The format of most tests: the path is only known where there is a context. */
const errorFormat = defineErrorFormat({
  contentType: 'application/vnd.cars.error+json',
  schema: Failure,
  format: ({ code, detail, title }, context) => ({
    error: { code, message: detail ?? title, at: context?.path ?? 'nowhere' },
  }),
})

class Broken extends Error {}

const isLost = true

async function* failing(): AsyncGenerator<string> {
  await pause()
  if (isLost) throw notFound('No such stream')
  yield 'never'
}

async function* failingEvents(): AsyncGenerator<{ readonly data: string }> {
  await pause()
  if (isLost) throw notFound('No such events')
  yield { data: 'never' }
}

const cars = defineController({
  name: 'CarController',
  routes: [
    { method: 'GET', handler: () => 'cars' },
    { method: 'POST', input: { body: z.object({ name: z.string() }) }, handler: () => 'made' },
    {
      method: 'GET',
      path: '/thrown',
      handler: () => {
        throw conflict('Taken', {
          code: 'taken',
          headers: { 'Retry-After': '3' },
          cause: new Error('secret'),
        })
      },
    },
    {
      method: 'GET',
      path: '/unknown',
      handler: () => {
        throw new Broken('secret')
      },
    },
    {
      method: 'GET',
      path: '/wrong',
      response: z.object({ id: z.number() }),
      handler: () => ({ id: Number.NaN }),
    },
    { method: 'GET', path: '/guarded', guards: [bearerAuth({ verify: () => true })], handler: () => 'in' },
    { method: 'GET', path: '/late', timeout: 1, handler: () => pause(50) },
    { method: 'GET', path: '/stream', handler: () => stream(failing(), { type: 'text/plain' }) },
    { method: 'GET', path: '/events', handler: () => sse(failingEvents()) },
    {
      method: 'GET',
      path: '/header',
      handler: (_input, { response }) => response.headers.set('x-a', 'a\nb'),
    },
  ],
})

function appOf(options: AppOptions = {}): App {
  return serve(cars, { errorFormat, ...options })
}

/** The answer of an application with what the format can change: status, type, body, and the headers that are asked for. */
async function ask(
  app: App,
  request: string | InjectOptions,
  ...names: readonly string[]
): Promise<readonly unknown[]> {
  const response = await app.inject(request)
  const { error } = Failure.parse(response.json())
  assert.equal(response.headers['content-type'], 'application/vnd.cars.error+json')
  assert.equal(response.headers['content-length'], String(response.bytes.length))
  return [response.statusCode, error.code, error.at, ...names.map((name) => response.headers[name])]
}

const refuse: Middleware = () => {
  throw notFound('Not for you', { code: 'hidden' })
}

describe('an error format', () => {
  const cases: readonly (readonly [
    title: string,
    options: AppOptions,
    request: string | InjectOptions,
    expected: readonly unknown[],
    ...headers: string[],
  ])[] = [
    ['an unknown path', {}, '/nothing', [404, 'route_not_found', '/nothing']],
    [
      'a wrong method',
      {},
      { method: 'PUT', url: '/car' },
      [405, 'method_not_allowed', '/car', 'GET, HEAD, POST, OPTIONS'],
      'allow',
    ],
    [
      'input that does not fit',
      {},
      { method: 'POST', url: '/car', json: {} },
      [422, 'validation_failed', '/car'],
    ],
    [
      'malformed JSON',
      {},
      { method: 'POST', url: '/car', body: '{', headers: { 'content-type': 'application/json' } },
      [400, 'malformed_json', '/car'],
    ],
    [
      'another media type',
      {},
      { method: 'POST', url: '/car', body: 'a', headers: { 'content-type': 'text/plain' } },
      [415, 'unsupported_media_type', '/car'],
    ],
    [
      'a body over the limit',
      { bodyLimit: 3 },
      { method: 'POST', url: '/car', json: { name: 'Ford' } },
      [413, 'body_too_large', '/car'],
    ],
    ['a malformed path', {}, '/%zz', [400, 'malformed_path', '/%zz']],
    [
      'a long target',
      { limits: { url: 10 } },
      '/car/thrown/and/more',
      [414, 'url_too_long', '/car/thrown/and/more'],
    ],
    [
      'long headers',
      { limits: { headers: 100 } },
      { url: '/car', headers: { 'x-long': 'a'.repeat(100) } },
      [431, 'headers_too_large', 'nowhere'],
    ],
    ['an error of a handler', {}, '/car/thrown', [409, 'taken', '/car/thrown', '3'], 'retry-after'],
    ['an unknown error', {}, '/car/unknown', [500, 'internal_error', '/car/unknown']],
    ['a result that does not fit', {}, '/car/wrong', [500, 'response_invalid', '/car/wrong']],
    ['a header that cannot be sent', {}, '/car/header', [500, 'internal_error', '/car/header']],
    [
      'missing credentials',
      {},
      '/car/guarded',
      [401, 'unauthenticated', '/car/guarded', 'Bearer realm="api"'],
      'www-authenticate',
    ],
    ['a route that takes too long', {}, '/car/late', [503, 'handler_timeout', '/car/late']],
    ['a stream that fails before its first chunk', {}, '/car/stream', [404, 'not_found', '/car/stream']],
    ['events that fail before the first', {}, '/car/events', [404, 'not_found', '/car/events']],
    ['an error of middleware', { middleware: [refuse] }, '/car', [404, 'hidden', '/car']],
    [
      'a rate limit',
      { middleware: [rateLimit({ limit: 1, window: 60, cost: 2 })] },
      '/car',
      [429, 'rate_limited', '/car', '60'],
      'retry-after',
    ],
    [
      'a request from another site',
      { middleware: [csrf()] },
      { method: 'POST', url: '/car', json: {}, headers: { 'sec-fetch-site': 'cross-site' } },
      [403, 'cross_site_request', '/car'],
    ],
    [
      'the origin of CORS',
      { middleware: [cors({ origin: 'https://a.test' })] },
      { url: '/nothing', headers: { origin: 'https://a.test' } },
      [404, 'route_not_found', '/nothing', 'https://a.test'],
      'access-control-allow-origin',
    ],
    [
      'a document that there is not',
      { docs: {} },
      '/docs/openapi/9.json',
      [404, 'document_not_found', '/docs/openapi/9.json'],
    ],
    [
      'a wrong method at a health path',
      { health: { live: '/live' } },
      { method: 'POST', url: '/live' },
      [405, 'method_not_allowed', 'nowhere', 'GET, HEAD'],
      'allow',
    ],
  ]
  for (const [title, options, request, expected, ...names] of cases)
    it(`has the body of ${title}`, async () => {
      assert.deepEqual(await ask(appOf(options), request, ...names), expected)
    })

  it('has the body of version errors, with the versions as members', async () => {
    const versioned = defineController({
      prefix: '/car',
      routes: [{ method: 'GET', version: ['1', '2'], handler: () => 'cars' }],
    })
    const format = defineErrorFormat({
      schema: z.object({ code: z.string(), versions: z.array(z.string()).optional() }),
      format: ({ code, members }) => ({
        code,
        versions: z.array(z.string()).optional().parse(members['supported']),
      }),
    })
    const app = serve(versioned, { errorFormat: format })
    app.enableVersioning(VersioningSchemes.HEADER, {
      headerParameter: 'x-version',
      versions: [{ version: '1', sunset: '2020-01-01', retired: 'gone' }, '2'],
    })
    const inVersion = async (version: string): Promise<unknown> =>
      (await app.inject({ url: '/car', headers: { 'x-version': version } })).json()
    assert.deepEqual(await inVersion('9'), { code: 'unsupported_version', versions: ['2'] })
    assert.deepEqual(await inVersion('1'), { code: 'retired_version', versions: ['2'] })
  })

  it('has the same type in every version', async () => {
    const versioned = defineController({
      prefix: '/car',
      routes: [
        {
          method: 'GET',
          version: '1',
          input: { query: { a: z.string() } },
          response: { 200: z.string(), 409: z.string() },
          handler: ({ query }) => {
            if (query.a === 'lost') throw notFound()
            if (query.a === 'declared') throw conflict()
            return 'cars'
          },
        },
      ],
    })
    const format = defineErrorFormat({ schema: z.string(), format: ({ code }) => code })
    const errorHandlers = [404, 409].map((match) => defineErrorHandler({ match, handle: () => 'mine' }))
    const app = serve(versioned, {
      errorFormat: format,
      errorHandlers,
    })
    const mediaType = 'application/vnd.cars.v{version}+json'
    app.enableVersioning(VersioningSchemes.HEADER, { mediaType, echo: 'contentType', defaultVersion: '1' })
    const types = await Promise.all(
      ['/car?a=b', '/car', '/car?a=lost', '/car?a=declared'].map(
        async (path) => (await app.inject(path)).headers['content-type'],
      ),
    )
    assert.deepEqual(types, [
      'application/vnd.cars.v1+json',
      'application/json',
      'application/json',
      'application/vnd.cars.v1+json',
    ])
  })

  it('leaves the answers of health checks alone, which are no errors', async () => {
    const app = appOf({ health: { ready: '/ready', checks: { db: () => false } } })
    const response = await app.inject('/ready')
    assert.deepEqual(
      [response.statusCode, response.json()],
      [503, { status: 'unavailable', checks: { db: 'failed' } }],
    )
  })

  it('has no body for HEAD', async () => {
    const response = await appOf().inject({ method: 'HEAD', url: '/nothing' })
    assert.deepEqual([response.statusCode, response.body], [404, ''])
    assert.equal(response.headers['content-type'], 'application/vnd.cars.error+json')
  })

  it('is that of `fetch`, of undici and of the test client', async () => {
    const app = appOf({ limits: { headers: 100 } })
    const headers = { 'x-long': 'a'.repeat(100) }
    const expected = {
      error: { code: 'headers_too_large', message: 'The headers are longer than 100 bytes', at: 'nowhere' },
    }
    const fetched = await app.fetch(new Request('http://a.test/car', { headers }))
    assert.deepEqual(await fetched.json(), expected)
    const dispatched = await createDispatcher(app).request({
      origin: 'http://a.test',
      path: '/car',
      method: 'GET',
      headers,
    })
    assert.deepEqual(await dispatched.body.json(), expected)
    const injected = await createTestClient(app).get('/car', { headers })
    assert.deepEqual(injected.json(), expected)
    const streamed = await app.inject({ url: '/car', headers, stream: true })
    assert.deepEqual(JSON.parse((await streamed.stream.toArray()).join('')), expected)
    assert.deepEqual(
      [fetched.status, dispatched.statusCode, injected.statusCode, streamed.statusCode],
      [431, 431, 431, 431],
    )
    assert.equal(fetched.headers.get('content-type'), 'application/vnd.cars.error+json')
  })

  it('gets an HttpError with its issues, its members and its context', async () => {
    const seen: HttpError[] = []
    const format = defineErrorFormat({
      schema: z.array(z.string()),
      format: (error, context) => {
        seen.push(error)
        return error instanceof ValidationError
          ? error.errors.map(({ path }) => path.join('.'))
          : [context?.requestId ?? '']
      },
    })
    const app = appOf({ errorFormat: format })
    const invalid = await app.inject({ method: 'POST', url: '/car', json: {} })
    assert.deepEqual(invalid.json(), ['name'])
    const unknown = await app.inject('/car/unknown')
    const [, last] = seen
    assert.deepEqual(
      [last?.code, last?.cause, last?.members['requestId']],
      ['internal_error', undefined, Object(unknown.json())[0]],
    )
  })

  it('is parsed by its schema, which leaves out undeclared members', async () => {
    const row = { code: 'a', secret: 'b' }
    const format = defineErrorFormat({
      schema: z.object({ code: z.string(), when: z.date().default(new Date(0)) }),
      format: () => row,
    })
    const response = await appOf({ errorFormat: format }).inject('/nothing')
    assert.deepEqual(response.json(), { code: 'a', when: '1970-01-01T00:00:00.000Z' })
    assert.equal(response.headers['content-type'], 'application/json')
  })

  it('can be text', async () => {
    const format = defineErrorFormat({
      contentType: 'text/plain; charset=utf-8',
      schema: z.string(),
      format: ({ status, title }) => `${status}: ${title} ü`,
    })
    const response = await appOf({ errorFormat: format }).inject('/nothing')
    assert.equal(response.body, '404: Not Found ü')
    assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(response.headers['content-length'], '17')
  })

  it('is JSON under each type whose name says so, also where an error handler answers', async () => {
    const mine = defineErrorHandler({ match: 405, handle: () => ({ code: 'mine' }) })
    for (const contentType of [
      'application/vnd.cars+error+json',
      'application/x!y+json',
      'model/error+json; charset=utf-8',
      'Application/JSON',
    ]) {
      const format = defineErrorFormat({
        contentType,
        schema: z.object({ code: z.string() }),
        format: ({ code }) => ({ code }),
      })
      const app = appOf({ errorFormat: format, errorHandlers: [mine] })
      const answers = [await app.inject('/nothing'), await app.inject({ method: 'PATCH', url: '/car' })]
      assert.deepEqual(
        answers.map(({ headers, body }) => [headers['content-type'], body]),
        [
          [contentType, '{"code":"route_not_found"}'],
          [contentType, '{"code":"mine"}'],
        ],
      )
    }
  })

  it('is text under a type that only begins like JSON, also where an error handler answers', async () => {
    const mine = defineErrorHandler({ match: 405, handle: () => 'mine' })
    const format = defineErrorFormat({
      contentType: 'application/json-seq',
      schema: z.string(),
      format: ({ code }) => code,
    })
    const app = appOf({ errorFormat: format, errorHandlers: [mine] })
    const answers = [await app.inject('/nothing'), await app.inject({ method: 'PATCH', url: '/car' })]
    assert.deepEqual(
      answers.map(({ body }) => body),
      ['route_not_found', 'mine'],
    )
  })

  it('may have a lazy schema, which is not asked before the first error', async () => {
    const app = appOf({
      errorFormat: defineErrorFormat({ schema: z.lazy(() => Late), format: ({ code }) => ({ code }) }),
    })
    const Late = z.object({ code: z.string() })
    assert.deepEqual((await app.inject('/nothing')).json(), { code: 'route_not_found' })
  })

  it('works before anything else has a schema', async () => {
    const app = createApp(defineModule({}), { logger: false, errorFormat })
    assert.deepEqual(await ask(app, '/nothing'), [404, 'route_not_found', '/nothing'])
  })
})

/** Routes that are not found: GET declares what is answered then, POST does not. */
const lostController = defineController({
  prefix: '/declared',
  routes: [
    {
      method: 'GET',
      response: { 200: z.string(), 404: z.object({ id: z.number() }) },
      handler: () => {
        throw notFound()
      },
    },
    {
      method: 'POST',
      handler: () => {
        throw notFound()
      },
    },
  ],
})

describe('an error format beside error handlers', () => {
  it('comes after those that answer, and forms what they throw', async () => {
    const taken = defineErrorHandler({
      match: 409,
      handle: () => reply(409, { error: { code: 'mine', message: 'a', at: 'b', secret: 'c' } }),
    })
    const broken = defineErrorHandler({
      match: Broken,
      handle: () => {
        throw notFound('Not here', { code: 'lost', headers: { 'x-lost': 'yes' } })
      },
    })
    const app = appOf({ errorHandlers: [taken, broken] })
    assert.deepEqual(await ask(app, '/car/thrown'), [409, 'mine', 'b'])
    assert.deepEqual(await ask(app, '/car/unknown', 'x-lost'), [404, 'lost', '/car/unknown', 'yes'])
  })

  it('does not let them answer in another form, unless the route declares it', async () => {
    const { logger, errors } = collectErrors()
    const lost = defineErrorHandler({ match: 404, handle: () => ({ id: 7, secret: 'a' }) })
    const app = serve(lostController, {
      errorFormat,
      logger,
      errorHandlers: [lost],
    })
    const known = await app.inject('/declared')
    assert.deepEqual(
      [known.statusCode, known.headers['content-type'], known.json()],
      [404, 'application/json', { id: 7 }],
    )
    assert.deepEqual(errors, [])
    assert.deepEqual(await ask(app, { method: 'POST', url: '/declared' }), [
      500,
      'response_invalid',
      '/declared',
    ])
    assert.deepEqual(await ask(app, '/nothing'), [500, 'response_invalid', '/nothing'])
    assert.equal(errors.length, 2)
    const unchecked = createApp(defineModule({}), {
      errorFormat,
      logger,
      errorHandlers: [lost],
      validateResponses: false,
    })
    assert.deepEqual((await unchecked.inject('/nothing')).json(), { id: 7, secret: 'a' })
  })

  it('gives way to a default that the route declares', async () => {
    const declared = defineController({
      prefix: '/declared',
      routes: [
        {
          method: 'GET',
          response: { 200: z.string(), default: z.object({ id: z.number() }) },
          handler: () => {
            throw notFound()
          },
        },
      ],
    })
    const lost = defineErrorHandler({ match: 404, handle: () => ({ id: 7, secret: 'a' }) })
    const app = serve(declared, {
      errorFormat,
      errorHandlers: [lost],
    })
    const { statusCode, headers, body } = await app.inject('/declared')
    assert.deepEqual([statusCode, headers['content-type'], body], [404, 'application/json', '{"id":7}'])
  })

  it('leaves successes, texts and streams of theirs alone', async () => {
    const results: Readonly<Record<string, () => unknown>> = {
      '/a': () => reply(200, { found: 'instead' }),
      '/b': () => text('lost'),
      '/c': () => stream(['A']),
    }
    const lost = defineErrorHandler({ match: 404, handle: (_error, { path }) => results[path]?.() })
    const app = appOf({ errorHandlers: [lost] })
    const answers = await Promise.all(Object.keys(results).map((path) => app.inject(path)))
    assert.deepEqual(
      answers.map(({ statusCode, headers, body }) => [statusCode, headers['content-type'], body]),
      [
        [200, 'application/json', '{"found":"instead"}'],
        [404, 'text/plain; charset=utf-8', 'lost'],
        [404, 'application/octet-stream', 'A'],
      ],
    )
  })

  it('may be a text', async () => {
    const format = defineErrorFormat({
      contentType: 'text/plain',
      schema: z.string(),
      format: ({ code }) => code,
    })
    const lost = defineErrorHandler({ match: 404, handle: () => 'mine' })
    const response = await appOf({ errorFormat: format, errorHandlers: [lost] }).inject('/nothing')
    assert.deepEqual(
      [response.statusCode, response.headers['content-type'], response.body],
      [404, 'text/plain', 'mine'],
    )
  })
})

describe('an error handler without an error format', () => {
  it('returns what the route declares for the status', async () => {
    const answer = async (value: object): Promise<readonly unknown[]> => {
      const lost = defineErrorHandler({ match: 404, handle: () => value })
      const app = serve(lostController, { errorHandlers: [lost] })
      const response = await app.inject('/declared')
      return [response.statusCode, Object(response.json())]
    }
    assert.deepEqual(await answer({ id: 7, secret: 'a' }), [404, { id: 7 }])
    const [status, body] = await answer({ id: 'seven' })
    assert.deepEqual([status, Object(body).code], [500, 'response_invalid'])
  })
})

describe('an error format that fails', () => {
  const wrong: readonly (readonly [
    title: string,
    schema: z.ZodType,
    format: () => unknown,
    contentType?: string,
  ])[] = [
    [
      'throws',
      Failure,
      () => {
        throw new Error('broken')
      },
    ],
    ['returns what its schema does not allow', Failure, () => 3],
    ['is asynchronous', z.any(), async () => Promise.reject(new Error('late'))],
    [
      'has an asynchronous schema',
      z.string().refine(async () => Promise.reject(new Error('late'))),
      () => 'a',
    ],
    ['returns what JSON cannot hold', z.bigint(), () => 1n],
    ['returns nothing', z.undefined(), () => undefined],
    ['returns no text for a text type', z.number(), () => 1, 'text/html'],
  ]
  for (const [title, schema, format, contentType = 'application/json'] of wrong)
    it(`is logged and replaced by the problem document when it ${title}`, async () => {
      const { logger, errors } = collectErrors()
      const app = appOf({ errorFormat: defineErrorFormat({ schema, format, contentType }), logger })
      const response = await app.inject({ method: 'PUT', url: '/car' })
      assert.equal(response.statusCode, 405)
      assert.equal(response.headers['content-type'], 'application/problem+json')
      assert.equal(response.headers['allow'], 'GET, HEAD, POST, OPTIONS')
      assert.equal(Object(response.json()).code, 'method_not_allowed')
      assert.equal(errors.length, 1)
      assert.equal(Reflect.get(errors[0] ?? {}, 'code'), 'method_not_allowed')
    })

  it('is logged where there is no request yet', async () => {
    const { logger, errors } = collectErrors()
    const app = appOf({ errorFormat: { ...errorFormat, format: () => 3 }, logger, limits: { headers: 10 } })
    const response = await app.inject({ url: '/car', headers: { 'x-long': 'aaaaaaaaaaaa' } })
    assert.deepEqual([response.statusCode, errors.length], [431, 1])
  })
})

describe('the option errorFormat', () => {
  const cases = [
    ['is no format', 3, 'errorFormat is 3'],
    ['has no schema', { ...errorFormat, schema: undefined }, 'errorFormat.schema is null'],
    ['has no function', { ...errorFormat, format: 'a' }, 'errorFormat.format is a string of 1 character'],
    ['has another option', { ...errorFormat, status: 400 }, 'there is no option "errorFormat.status"'],
    ['has a range', { ...errorFormat, contentType: 'text/*' }, 'errorFormat.contentType is "text/*"'],
    ['has no media type', { ...errorFormat, contentType: 'json' }, 'errorFormat.contentType is "json"'],
    [
      'has a header in its type',
      { ...errorFormat, contentType: 'a/b;c="\n"' },
      'errorFormat.contentType is "a/b;c=\\"\\n\\""',
    ],
  ] as const
  for (const [title, given, message] of cases)
    it(`is a definition error when it ${title}`, () => {
      assert.throws(
        // what JavaScript may give
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        () => appOf({ errorFormat: given as never }),
        (error) => {
          assert.ok(error instanceof DefinitionError, 'it is no DefinitionError')
          assert.deepEqual(
            placeless(error.errors).map((each) => [each.code, each.where, each.message]),
            [[message.startsWith('there') ? 'unknown_option' : 'invalid_option', 'createApp', message]],
          )
          return true
        },
      )
    })
})

describe('a ValidationError', () => {
  it('is what input that does not fit throws, and can be matched', async () => {
    const handler = defineErrorHandler({
      match: ValidationError,
      handle: ({ errors, status }) => ({
        status,
        fields: errors.map(({ in: source, path }) => [source, ...path]),
      }),
    })
    const app = serve(cars, { errorHandlers: [handler] })
    const response = await app.inject({ method: 'POST', url: '/car', json: {} })
    assert.deepEqual(
      [response.statusCode, response.json()],
      [422, { status: 422, fields: [['body', 'name']] }],
    )
  })

  it('can be thrown, and is a problem document then', async () => {
    const issue = { in: 'body', path: ['email'], code: 'taken', message: 'The address is taken' } as const
    const app = serve(
      defineController({
        prefix: '/user',
        routes: [
          {
            method: 'POST',
            handler: () => {
              throw new ValidationError([issue])
            },
          },
        ],
      }),
    )
    const response = await app.inject({ method: 'POST', url: '/user' })
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:validation-failed',
      title: 'Validation failed',
      status: 422,
      detail: 'One value is not as the API describes',
      code: 'validation_failed',
      errors: [issue],
    })
  })
})
