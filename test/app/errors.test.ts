import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  badRequest,
  conflict,
  defineController,
  defineErrorHandler,
  ERRORS,
  forbidden,
  gone,
  HttpError,
  notFound,
  reply,
  serviceUnavailable,
  tooManyRequests,
  unauthorized,
  unprocessable,
} from 'octavo'
import type { InjectResponse, Logger, Middleware } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

/** The answer of a handler that throws, and what was logged as an error. */
async function thrown(
  make: () => unknown,
  later = false,
): Promise<{ readonly response: InjectResponse; readonly logged: readonly object[] }> {
  const logged: object[] = []
  const nothing = (): void => undefined
  const logger: Logger = {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (details) => void logged.push(details),
  }
  const fail = (): never => {
    // oxlint-disable-next-line typescript/only-throw-error -- handlers may throw anything
    throw make()
  }
  const failLater = async (): Promise<never> => fail()
  const app = serve(
    defineController({
      name: 'CarController',
      routes: [{ method: 'GET', name: 'fail', handler: () => (later ? failLater() : fail()) }],
    }),
    { logger },
  )
  return { response: await app.inject('/car'), logged }
}

describe('frozen intrinsics of the language', () => {
  it('errors of clients are answered', async () => {
    const app = serve([
      { method: 'GET', input: { query: { page: z.coerce.number() } }, handler: () => 'one' },
    ])
    await app.ready()
    const { stackTraceLimit } = Error
    Object.defineProperty(Error, 'stackTraceLimit', { writable: false })
    try {
      const statuses = await Promise.all(
        ['/nowhere', '/?page=x'].map(async (url) => (await app.inject(url)).statusCode),
      )
      assert.deepEqual(statuses, [404, 422])
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', { writable: true, value: stackTraceLimit })
    }
  })
})

describe('an HttpError', () => {
  const cases = [
    [
      'is a problem document',
      () => new HttpError(404, 'No such car', { code: 'car_not_found' }),
      { type: 'about:blank', title: 'Not Found', status: 404, detail: 'No such car', code: 'car_not_found' },
    ],
    [
      'needs no more than a status',
      () => new HttpError(409),
      { type: 'about:blank', title: 'Conflict', status: 409, code: 'conflict' },
    ],
    [
      'has type and title',
      () =>
        new HttpError(403, 'Not enough credit', {
          type: 'https://example.com/credit',
          title: 'Credit',
          code: 'credit',
        }),
      {
        type: 'https://example.com/credit',
        title: 'Credit',
        status: 403,
        detail: 'Not enough credit',
        code: 'credit',
      },
    ],
    [
      'has further members at the top',
      () => new HttpError(403, 'No', { balance: 30, accounts: ['/a'] }),
      {
        type: 'about:blank',
        title: 'Forbidden',
        status: 403,
        detail: 'No',
        code: 'forbidden',
        balance: 30,
        accounts: ['/a'],
      },
    ],
    [
      'has members that cannot replace its own',
      () => new HttpError(403, 'No', { status: 200, detail: 'Yes' }),
      { type: 'about:blank', title: 'Forbidden', status: 403, detail: 'No', code: 'forbidden' },
    ],
    [
      'may have a status without a phrase',
      () => new HttpError(499, 'Gone away'),
      { type: 'about:blank', title: 'Error', status: 499, detail: 'Gone away', code: 'error' },
    ],
    [
      'may be a 500 with a detail of its own',
      () => new HttpError(500, 'Come back tomorrow'),
      {
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: 'Come back tomorrow',
        code: 'internal_server_error',
      },
    ],
    [
      'keeps its cause to itself',
      () => new HttpError(502, 'No answer', { cause: new Error('secret') }),
      { type: 'about:blank', title: 'Bad Gateway', status: 502, detail: 'No answer', code: 'bad_gateway' },
    ],
    [
      'may be of a class of its own',
      () => new (class CarGone extends HttpError {})(410, 'Sold'),
      { type: 'about:blank', title: 'Gone', status: 410, detail: 'Sold', code: 'gone' },
    ],
  ] as const
  for (const [title, make, problem] of cases) {
    for (const later of [false, true]) {
      it(`${title}${later ? ', also when it is thrown later' : ''}`, async () => {
        const { response } = await thrown(make, later)
        assert.deepEqual(
          { status: response.statusCode, headers: response.headers, problem: response.json() },
          {
            status: problem.status,
            headers: {
              'content-type': 'application/problem+json',
              'content-length': String(response.bytes.length),
            },
            problem,
          },
        )
      })
    }
  }

  it('has headers', async () => {
    const { response } = await thrown(
      () => new HttpError(429, 'Slow down', { headers: { 'Retry-After': '30' } }),
    )
    assert.deepEqual(
      { retry: response.headers['retry-after'], body: response.json() },
      {
        retry: '30',
        body: {
          type: 'about:blank',
          title: 'Too Many Requests',
          status: 429,
          detail: 'Slow down',
          code: 'too_many_requests',
        },
      },
    )
  })

  for (const isHandled of [false, true])
    it(`keeps its headers when middleware changes those of a response${isHandled ? ', also behind an error handler' : ''}`, async () => {
      const lists: Record<string, string[]> = { 'Set-Cookie': ['a=1', 'b=2'], 'X-List': ['a', 'b'] }
      // JavaScript may pass lists
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const headers = lists as unknown as Record<string, string>
      const shared = new HttpError(403, 'No', { headers })
      let client = 0
      const car = defineController({
        name: 'CarController',
        routes: [
          {
            method: 'GET',
            name: 'fail',
            handler: () => {
              throw shared
            },
          },
        ],
      })
      const addClient: Middleware = async (_context, next) => {
        const { headers: sent } = await next()
        client++
        for (const value of Object.values(sent)) if (Array.isArray(value)) value.push(`client=${client}`)
      }
      const app = serve(car, {
        middleware: [addClient],
        errorHandlers: isHandled ? [defineErrorHandler({ match: 403, handle: () => reply(403, 'No') })] : [],
      })
      for (const id of [1, 2]) {
        const { headers: sent } = await app.inject('/car')
        assert.deepEqual(sent['set-cookie'], ['a=1', 'b=2', `client=${id}`])
        assert.deepEqual([sent['x-list']].flat().join(', '), `a, b, client=${id}`)
      }
      assert.deepEqual(lists, { 'Set-Cookie': ['a=1', 'b=2'], 'X-List': ['a', 'b'] })
      await app.close()
    })

  it('has no header that describes the body of another answer', async () => {
    const { response } = await thrown(
      () =>
        new HttpError(502, 'The upstream failed', {
          headers: {
            'Content-Type': 'text/html',
            'Content-Length': '7',
            'Content-Encoding': 'gzip',
            'x-upstream': 'a',
          },
        }),
    )
    const { headers, body } = response
    assert.deepEqual(headers, {
      'content-type': 'application/problem+json',
      'content-length': String(body.length),
      'x-upstream': 'a',
    })
  })

  it('is an Error', () => {
    const error = new HttpError(404, 'No such car', { cause: 'x', id: 7 })
    assert.deepEqual(
      {
        isError: error instanceof Error,
        name: error.name,
        message: error.message,
        cause: error.cause,
        members: error.members,
      },
      { isError: true, name: 'HttpError', message: 'No such car', cause: 'x', members: { id: 7 } },
    )
  })

  for (const status of [200, 399, 600, 404.5, Number.NaN]) {
    it(`cannot have the status ${status}`, () =>
      assert.throws(() => new HttpError(status), {
        name: 'RangeError',
        message: `HttpError: ${status} is not an error status; use 400 to 599`,
      }))
  }
})

describe('the helpers', () => {
  const cases = [
    ['badRequest', badRequest, 400, 'Bad Request', 'bad_request'],
    ['unauthorized', unauthorized, 401, 'Unauthorized', 'unauthorized'],
    ['forbidden', forbidden, 403, 'Forbidden', 'forbidden'],
    ['notFound', notFound, 404, 'Not Found', 'not_found'],
    ['conflict', conflict, 409, 'Conflict', 'conflict'],
    ['gone', gone, 410, 'Gone', 'gone'],
    ['unprocessable', unprocessable, 422, 'Unprocessable Entity', 'unprocessable_entity'],
    ['tooManyRequests', tooManyRequests, 429, 'Too Many Requests', 'too_many_requests'],
    ['serviceUnavailable', serviceUnavailable, 503, 'Service Unavailable', 'service_unavailable'],
  ] as const
  for (const [name, helper, status, title, code] of cases) {
    it(`${name} makes a ${status}`, async () => {
      const { response } = await thrown(() => helper('Why', { a: 1 }))
      assert.deepEqual(response.json(), { type: 'about:blank', title, status, detail: 'Why', code, a: 1 })
    })
  }
})

describe('anything else that is thrown', () => {
  const disguised = Object.assign(new Error('secret'), {
    status: 404,
    statusCode: 404,
    code: 'x',
    expose: true,
    headers: { 'x-secret': 'secret' },
  })
  const unprintable = new HttpError(404, 'secret', { id: 7n })
  const badHeader = new HttpError(404, 'secret', { headers: { 'x-a': 'a\r\nb: secret' } })
  const cases = [
    ['an Error', new Error('secret')],
    ['an Error that looks like an HttpError', disguised],
    ['an object that looks like an HttpError', { name: 'HttpError', status: 404, detail: 'secret' }],
    ['a string', 'secret'],
    ['undefined', undefined],
    ['null', null],
    ['a Response', new Response('secret', { status: 404 })],
    ['an HttpError that JSON cannot hold', unprintable],
    ['an HttpError with CR and LF in a header', badHeader],
  ] as const
  for (const [title, error] of cases) {
    for (const later of [false, true]) {
      it(`is a 500 without inner text, with an id that is also in the log: ${title}${later ? ', later' : ''}`, async () => {
        const { response, logged } = await thrown(() => error, later)
        const { requestId, ...problem } = response.json() as Readonly<Record<string, unknown>>
        assert.match(String(requestId), /^[\da-f-]{36}$/)
        assert.deepEqual(
          { status: response.statusCode, headers: Object.keys(response.headers).toSorted(), problem, logged },
          {
            status: 500,
            headers: ['content-length', 'content-type'],
            problem: {
              type: 'urn:octavo:problem:internal-error',
              title: 'Internal Server Error',
              status: 500,
              detail: 'The request could not be answered; the log has the reason',
              code: 'internal_error',
            },
            logged: [{ err: error, requestId, method: 'GET', route: 'car.fail', version: null }],
          },
        )
      })
    }
  }

  it('drops the response head that was set before', async () => {
    const app = serve([
      {
        method: 'GET',
        handler: (_input, { response }) => {
          response.status = 201
          response.cookies.set('session', '1')
          throw new Error('secret')
        },
      },
    ])
    const response = await app.inject('/')
    assert.deepEqual({ status: response.statusCode, cookies: response.cookies }, { status: 500, cookies: [] })
  })
})

describe('an error of Octavo itself', () => {
  const app = serve([{ method: ['GET', 'PUT'], path: '/a', name: 'a', handler: () => null }])
  const problem = (code: keyof typeof ERRORS, detail: string) => ({
    type: `urn:octavo:problem:${code.replaceAll('_', '-')}`,
    ...ERRORS[code],
    detail,
    code,
  })
  const cases = [
    ['an unknown path', { url: '/b' }, problem('route_not_found', 'Nothing is served at this path')],
    [
      'a method that a path lacks',
      { method: 'DELETE', url: '/a' },
      problem('method_not_allowed', 'This path answers GET, HEAD, PUT, OPTIONS'),
    ],
    [
      'an unknown method on a known path',
      { method: 'BREW', url: '/a' },
      problem('method_not_allowed', 'This path answers GET, HEAD, PUT, OPTIONS'),
    ],
    [
      'an unknown method on an unknown path',
      { method: 'BREW', url: '/b' },
      problem('route_not_found', 'Nothing is served at this path'),
    ],
    [
      'a malformed escape',
      { url: '/a/%zz' },
      problem('malformed_path', 'The path has a malformed percent-escape or is not UTF-8'),
    ],
    [
      'a long URL',
      { url: `/${'a'.repeat(8192)}` },
      problem('url_too_long', 'The request target is longer than 8192 characters'),
    ],
    [
      'long headers',
      { url: '/a', headers: { x: 'a'.repeat(16_384) } },
      problem('headers_too_large', 'The headers are longer than 16384 bytes'),
    ],
  ] as const
  for (const [title, request, expected] of cases) {
    it(`is a problem document: ${title}`, async () => {
      const response = await app.inject(request)
      assert.deepEqual(
        { status: response.statusCode, type: response.headers['content-type'], problem: response.json() },
        { status: expected.status, type: 'application/problem+json', problem: expected },
      )
    })
  }

  it('names the methods there are', async () =>
    assert.equal(
      (await app.inject({ method: 'DELETE', url: '/a' })).headers['allow'],
      'GET, HEAD, PUT, OPTIONS',
    ))
})
