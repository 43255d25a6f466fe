import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

import { file, html, HttpResponse, redirect, reply, text, stream } from 'octavo'
import type { AppOptions, ExecutionContext, InjectResponse, Logger } from 'octavo'
import { z } from 'zod'

import { programArguments } from '../support/program.ts'
import { serve } from '../support/serve.ts'
import { controller } from '../support/untyped.ts'

type Handle = (
  input: { readonly inject: { readonly response: HttpResponse } },
  context: ExecutionContext,
) => unknown

async function answer(
  handler: Handle,
  route: object = {},
  options: AppOptions = {},
  method = 'GET',
): Promise<InjectResponse> {
  const routes = [
    { method: ['GET', 'POST'], input: { inject: { response: HttpResponse } }, handler, ...route },
  ]
  const app = serve(controller({ prefix: '/', routes }), options)
  return app.inject({ method, url: '/' })
}

/** Status, headers and body together. */
const whole = ({ statusCode, headers, body }: InjectResponse) => ({ statusCode, headers, body })

const json = (body: string, statusCode = 200, headers: object = {}) => ({
  statusCode,
  headers: {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  },
  body,
})
const empty = (statusCode: number, headers: object = {}) => ({ statusCode, headers, body: '' })

describe('a returned value', () => {
  const cases: readonly (readonly [string, Handle, object])[] = [
    ['is JSON: an object', () => ({ a: 1 }), json('{"a":1}')],
    ['is JSON: a list', () => [1, 'a'], json('[1,"a"]')],
    ['is JSON: a string', () => 'é', json('"é"')],
    ['is JSON: an empty string', () => '', json('""')],
    ['is JSON: a number', () => 7, json('7')],
    ['is JSON: zero', () => 0, json('0')],
    ['is JSON: a boolean', () => false, json('false')],
    ['is JSON: null', () => null, json('null')],
    ['is JSON: a date', () => ({ at: new Date(0) }), json('{"at":"1970-01-01T00:00:00.000Z"}')],
    ['is JSON: what toJSON gives', () => ({ toJSON: () => 'x' }), json('"x"')],
    ['is JSON without undefined members', () => ({ a: undefined, b: 1 }), json('{"b":1}')],
    ['is awaited', async () => ({ a: 1 }), json('{"a":1}')],
    // oxlint-disable-next-line unicorn/no-thenable -- that is what is tested
    ['is awaited from any thenable', () => ({ then: (done: (value: number) => void) => done(7) }), json('7')],
    ['is 204 when undefined', () => undefined, empty(204)],
    ['is 204 when undefined, later', async () => undefined, empty(204)],
    [
      'is bytes',
      () => new Uint8Array([65]),
      {
        statusCode: 200,
        headers: { 'content-type': 'application/octet-stream', 'content-length': '1' },
        body: 'A',
      },
    ],
  ]
  for (const [title, handler, expected] of cases) {
    it(title, async () => assert.deepEqual(whole(await answer(handler)), expected))
  }
})

describe('reply', () => {
  const cases: readonly (readonly [string, Handle, object])[] = [
    ['has a status and data', () => reply(201, { a: 1 }), json('{"a":1}', 201)],
    ['has a status alone', () => reply(202), empty(202, { 'content-length': '0' })],
    ['has null as data', () => reply(200, null), json('null')],
    ['has no body with 204', () => reply(204, { a: 1 }), empty(204)],
    ['has no body with 205', () => reply(205, { a: 1 }), empty(205, { 'content-length': '0' })],
    [
      'has no body with 304, but headers',
      () => reply(304, undefined, { headers: { ETag: '"1"' } }),
      empty(304, { etag: '"1"' }),
    ],
    [
      'has headers in any case',
      () => reply(200, 1, { headers: { 'X-A': '1' } }),
      json('1', 200, { 'x-a': '1' }),
    ],
    [
      'has header lines',
      () => reply(200, 1, { headers: { link: ['a', 'b'] } }),
      json('1', 200, { link: ['a', 'b'] }),
    ],
    [
      'has a content type on top of JSON',
      () => reply(200, { a: 1 }, { headers: { 'content-type': 'application/hal+json' } }),
      json('{"a":1}', 200, { 'content-type': 'application/hal+json' }),
    ],
    [
      'has text as it stands under another content type',
      () => reply(200, 'a,b', { headers: { 'content-type': 'text/csv' } }),
      json('a,b', 200, { 'content-type': 'text/csv' }),
    ],
    [
      'has cookies',
      () =>
        reply(200, 1, {
          cookies: {
            a: 'x y',
            b: { value: '2', path: '/', httpOnly: true, maxAge: 60, sameSite: 'lax', secure: true },
          },
        }),
      json('1', 200, {
        'set-cookie': ['a=x%20y', 'b=2; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax'],
      }),
    ],
    [
      'has Set-Cookie lines and cookies',
      () => reply(200, 1, { headers: { 'set-cookie': ['a=1', 'b=2'] }, cookies: { c: '3' } }),
      json('1', 200, { 'set-cookie': ['a=1', 'b=2', 'c=3'] }),
    ],
    [
      'may be an error status',
      () => reply(404, { detail: 'No such car' }),
      json('{"detail":"No such car"}', 404),
    ],
  ]
  for (const [title, handler, expected] of cases) {
    it(title, async () => assert.deepEqual(whole(await answer(handler)), expected))
  }
})

describe('text, html and redirect', () => {
  const sent = (body: string, type: string, statusCode = 200, headers: object = {}) => ({
    statusCode,
    headers: {
      'content-type': `${type}; charset=utf-8`,
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
    body,
  })
  const cases: readonly (readonly [string, Handle, object])[] = [
    ['text is plain text', () => text('é'), sent('é', 'text/plain')],
    ['text may be empty', () => text(''), sent('', 'text/plain')],
    ['text has a status', () => text('no', { status: 404 }), sent('no', 'text/plain', 404)],
    [
      'text has headers',
      () => text('a', { headers: { 'x-a': '1' } }),
      sent('a', 'text/plain', 200, { 'x-a': '1' }),
    ],
    ['html is HTML', () => html('<p>'), sent('<p>', 'text/html')],
    [
      'html has cookies',
      () => html('', { cookies: { a: '1' } }),
      sent('', 'text/html', 200, { 'set-cookie': ['a=1'] }),
    ],
    [
      'redirect is a 302',
      () => redirect('/a?b=c#d'),
      empty(302, { location: '/a?b=c#d', 'content-length': '0' }),
    ],
    [
      'redirect has a status',
      () => redirect('/a', 308),
      empty(308, { location: '/a', 'content-length': '0' }),
    ],
    [
      'redirect encodes what no header can carry',
      () => redirect('/é b\r\nx: y'),
      empty(302, { location: '/%C3%A9%20b%0D%0Ax:%20y', 'content-length': '0' }),
    ],
    [
      'redirect keeps escapes',
      () => redirect('/a%20b'),
      empty(302, { location: '/a%20b', 'content-length': '0' }),
    ],
    [
      'redirect has cookies',
      () => redirect('/', 303, { cookies: { a: '1' } }),
      empty(303, { location: '/', 'set-cookie': ['a=1'], 'content-length': '0' }),
    ],
  ]
  for (const [title, handler, expected] of cases) {
    it(title, async () => assert.deepEqual(whole(await answer(handler)), expected))
  }

  it('redirect refuses other statuses', () =>
    assert.throws(() => redirect('/', 200), {
      name: 'RangeError',
      message: 'redirect: 200 is not a redirect status; use 301, 302, 303, 307 or 308',
    }))
})

describe('a web Response', () => {
  const cases: readonly (readonly [string, Handle, object])[] = [
    [
      'is sent as it is',
      () => new Response('a', { status: 201, headers: { 'content-type': 'text/x', 'x-a': '1' } }),
      { statusCode: 201, headers: { 'content-type': 'text/x', 'x-a': '1' }, body: 'a' },
    ],
    [
      'can be JSON',
      () => Response.json({ a: 1 }),
      { statusCode: 200, headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
    ],
    ['can be without body', () => new Response(null, { status: 204 }), empty(204)],
    [
      'can be a redirect',
      () => new Response(null, { status: 302, headers: { location: '/a' } }),
      empty(302, { location: '/a', 'content-length': '0' }),
    ],
    [
      'keeps several Set-Cookie lines',
      () =>
        new Response(null, {
          status: 200,
          headers: [
            ['set-cookie', 'a=1, b'],
            ['set-cookie', 'c=2'],
          ],
        }),
      empty(200, { 'set-cookie': ['a=1, b', 'c=2'], 'content-length': '0' }),
    ],
    [
      'gets the injected head, and its own wins',
      ({ inject: { response } }) => {
        response.status = 418
        response.headers.set('x-a', 'injected')
        response.headers.set('x-b', 'injected')
        response.cookies.set('b', '2')
        return new Response('a', { headers: { 'x-a': 'own', 'set-cookie': 'a=1', 'content-type': 'text/x' } })
      },
      {
        statusCode: 200,
        headers: { 'content-type': 'text/x', 'x-a': 'own', 'x-b': 'injected', 'set-cookie': ['a=1', 'b=2'] },
        body: 'a',
      },
    ],
  ]
  for (const [title, handler, expected] of cases) {
    it(title, async () => assert.deepEqual(whole(await answer(handler)), expected))
  }

  it('that was read already is a 500', async () => {
    const used = new Response('a')
    await used.text()
    assert.equal((await answer(() => used)).statusCode, 500)
  })
})

describe('the injected response head', () => {
  it('is merged into the answer', async () => {
    const response = await answer(({ inject }) => {
      const { headers, cookies } = inject.response
      headers.set('X-A', '1')
      headers.set('x-a', '2')
      headers.append('Link', 'a')
      headers.append('link', 'b')
      headers.set('x-gone', '1')
      headers.delete('X-Gone')
      cookies.set('a', '1')
      cookies.set('b', '2', { httpOnly: true })
      return { link: headers.get('LINK'), gone: headers.get('x-gone') ?? null }
    })
    assert.deepEqual(
      whole(response),
      json('{"link":"a, b","gone":null}', 200, {
        'x-a': '2',
        link: ['a', 'b'],
        'set-cookie': ['a=1', 'b=2; HttpOnly'],
      }),
    )
  })

  it('can choose the content type', async () => {
    const response = await answer(({ inject }) => {
      inject.response.headers.set('content-type', 'text/csv')
      return 'a,b'
    })
    assert.deepEqual(whole(response), json('a,b', 200, { 'content-type': 'text/csv' }))
  })

  it('yields to the headers of reply, and adds to its cookies', async () => {
    const response = await answer(({ inject }) => {
      inject.response.headers.set('x-a', 'injected')
      inject.response.cookies.set('a', '1')
      return reply(200, 1, { headers: { 'x-a': 'reply' }, cookies: { b: '2' } })
    })
    assert.deepEqual(whole(response), json('1', 200, { 'x-a': 'reply', 'set-cookie': ['b=2', 'a=1'] }))
  })

  it('is the same as context.response', async () => {
    const response = await answer(({ inject }, context) => {
      context.response.status = 202
      return inject.response.status
    })
    assert.deepEqual(whole(response), json('202', 202))
  })
})

describe('the status', () => {
  const injected = (status: number, value: unknown) => {
    const handler: Handle = ({ inject }) => {
      inject.response.status = status
      return value
    }
    return handler
  }
  const Data = z.object({})
  const cases: readonly (readonly [string, Handle, object, number])[] = [
    ['is 200', () => ({}), {}, 200],
    ['is the declared one', () => ({}), { status: 201 }, 201],
    ['is the only 2xx of response', () => ({}), { response: { 201: Data, 404: Data } }, 201],
    [
      'is the only 2xx of pairs',
      () => ({}),
      {
        response: [
          [202, Data],
          [404, Data],
        ],
      },
      202,
    ],
    ['is 200 beside several 2xx', () => ({}), { response: { 200: Data, 201: Data } }, 200],
    [
      'is the declared one before that of response',
      () => ({}),
      { status: 202, response: { 202: Data, 201: Data } },
      202,
    ],
    ['is the injected one before the declared', injected(203, {}), { status: 201 }, 203],
    ['is that of reply before the injected', injected(203, reply(202, {})), { status: 201 }, 202],
    ['is the injected one for text', injected(203, text('a')), { status: 201 }, 203],
    ['is that of text before the injected', injected(203, text('a', { status: 202 })), { status: 201 }, 202],
    ['is the declared one for text', () => text('a'), { status: 201 }, 201],
    ['is 204 without a value', () => undefined, {}, 204],
    ['is the declared one without a value', () => undefined, { status: 202 }, 202],
    ['is the injected one without a value', injected(202, undefined), {}, 202],
    ['is the declared 204 with a value', () => ({}), { status: 204 }, 204],
    ['can be 599', () => reply(599), {}, 599],
    ['cannot be below 200', () => reply(199), {}, 500],
    ['cannot be 101', () => reply(101), {}, 500],
    ['cannot be above 599', () => reply(600), {}, 500],
    ['cannot be a fraction', () => reply(200.5), {}, 500],
    ['cannot be NaN', () => reply(Number.NaN), {}, 500],
    ['cannot be injected below 200', injected(0, {}), {}, 500],
    ['cannot be a text', () => reply('200' as unknown as number), {}, 500],
    ['of Response.error() cannot be sent', () => Response.error(), {}, 500],
  ]
  for (const [title, handler, route, status] of cases) {
    it(title, async () => assert.equal((await answer(handler, route)).statusCode, status))
  }
})

describe('HEAD', () => {
  const cases: readonly (readonly [string, Handle, object])[] = [
    ['has the head of GET', () => ({ a: 1 }), { ...json('{"a":1}'), body: '' }],
    [
      'has the head of text',
      () => text('abc'),
      {
        statusCode: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '3' },
        body: '',
      },
    ],
    [
      'has the head of a web Response',
      () => new Response('abc', { headers: { 'x-a': '1', 'content-type': 'a/b' } }),
      { statusCode: 200, headers: { 'x-a': '1', 'content-type': 'a/b' }, body: '' },
    ],
    ['has the status of undefined', () => undefined, empty(204)],
  ]
  for (const [title, handler, expected] of cases) {
    it(title, async () => assert.deepEqual(whole(await answer(handler, {}, {}, 'HEAD')), expected))
  }

  it('has no body of an error', async () => {
    const { statusCode, headers, body } = await answer(() => reply(600), {}, {}, 'HEAD')
    assert.deepEqual(
      { statusCode, type: headers['content-type'], body },
      { statusCode: 500, type: 'application/problem+json', body: '' },
    )
  })
})

/** A logger that keeps the messages of the errors it is told. */
function listen(): { readonly logger: Logger; readonly messages: string[] } {
  const messages: string[] = []
  const nothing = (): void => undefined
  const error = (details: object): void => {
    if ('err' in details && details.err instanceof Error) messages.push(details.err.message)
  }
  return { logger: { debug: nothing, info: nothing, warn: nothing, error }, messages }
}

describe('results that cannot be sent', () => {
  const cases: readonly (readonly [string, Handle, string])[] = [
    [
      'a bigint',
      () => ({ id: 7n }),
      'The result holds a bigint at "id", which JSON cannot hold: return String(value)',
    ],
    [
      'a Map',
      () => ({ cars: new Map() }),
      'JSON cannot represent the value at "cars", a Map: return Object.fromEntries(map)',
    ],
    [
      'a Set',
      () => ({ tags: new Set() }),
      'JSON cannot represent the value at "tags", a Set: return [...set]',
    ],
    [
      'a promise',
      () => ({ car: Promise.resolve({ id: 7 }) }),
      'The result holds a promise at "car", which JSON cannot hold: await it first',
    ],
    [
      'a promise that is rejected, in a list of a reply',
      () => reply(201, [Promise.reject(new Error('no car'))]),
      'The result holds a promise at "0", which JSON cannot hold: await it first',
    ],
    [
      'a reply within a result',
      () => ({ data: file(Buffer.from('x')) }),
      'The result has a response or stream at "data": return it alone',
    ],
    [
      'a web response within a result',
      () => ({ data: [new Response('x')] }),
      'The result has a response or stream at "0": return it alone',
    ],
    ['a function', () => () => 1, 'The handler returned a function, which JSON cannot hold'],
    ['a symbol', () => Symbol('x'), 'The handler returned a symbol, which JSON cannot hold'],
    ...['abc', '2, 2', '+2', '0x2', '-1', '', '1e3', '9'.repeat(20)].map(
      (length): readonly [string, Handle, string] => [
        `the length ${JSON.stringify(length)} beside a stream`,
        () => stream(['ab'], { headers: { 'content-length': length } }),
        'The handler gave a Content-Length that is not a number of bytes',
      ],
    ),
    [
      'several content types',
      () => reply(200, 'a', { headers: { 'content-type': ['text/a', 'text/b'] } }),
      'The handler gave several content types',
    ],
    [
      'a status outside 200 to 599',
      () => reply(700),
      'The handler answered with the status 700, which is not from 200 to 599',
    ],
    [
      'a header with CR and LF',
      () => reply(200, 1, { headers: { 'x-a': 'a\r\nset-cookie: b=1' } }),
      'The response cannot be sent: the header x-a has a character that is not allowed',
    ],
    [
      'a header with LF',
      () => reply(200, 1, { headers: { 'x-a': 'a\nb' } }),
      'The response cannot be sent: the header x-a has a character that is not allowed',
    ],
    [
      'a header with NUL',
      () => reply(200, 1, { headers: { 'x-a': 'a\0b' } }),
      'The response cannot be sent: the header x-a has a character that is not allowed',
    ],
    [
      'a header beyond Latin-1',
      () => reply(200, 1, { headers: { 'x-a': '\u20ac' } }),
      'The response cannot be sent: the header x-a has a character that is not allowed',
    ],
    [
      'a header name with a blank',
      () => reply(200, 1, { headers: { 'x a': '1' } }),
      'The response cannot be sent: a header name has a character that is not allowed',
    ],
    [
      'a header line with CR',
      () => reply(200, 1, { headers: { link: ['a', 'b\r'] } }),
      'The response cannot be sent: the header link has a character that is not allowed',
    ],
    [
      'an injected header with LF',
      ({ inject }) => {
        inject.response.headers.set('x-a', 'a\nb')
        return 1
      },
      'The response cannot be sent: the header x-a has a character that is not allowed',
    ],
    [
      'a Set-Cookie line with LF',
      () => reply(200, 1, { headers: { 'set-cookie': 'a=1\nb' } }),
      'The response cannot be sent: the header set-cookie has a character that is not allowed',
    ],
  ]
  for (const [title, handler, message] of cases) {
    it(`is a 500 that is explained in the log: ${title}`, async () => {
      const { logger, messages } = listen()
      const { statusCode, headers, body } = await answer(handler, {}, { logger })
      assert.deepEqual(
        { statusCode, names: Object.keys(headers).toSorted(), told: body.includes('JSON'), messages },
        { statusCode: 500, names: ['content-length', 'content-type'], told: false, messages: [message] },
      )
    })
  }

  const cookies: readonly (readonly [string, Handle])[] = [
    ['a cookie name with a blank', () => reply(200, 1, { cookies: { 'a b': '1' } })],
    ['a cookie path with LF', () => reply(200, 1, { cookies: { a: { value: '1', path: '/\nx' } } })],
    [
      'a cookie domain with a semicolon',
      () => reply(200, 1, { cookies: { a: { value: '1', domain: 'a;b' } } }),
    ],
  ]
  for (const [title, handler] of cookies) {
    it(`is a 500: ${title}`, async () => {
      const { statusCode, cookies: sent } = await answer(handler)
      assert.deepEqual({ statusCode, sent }, { statusCode: 500, sent: [] })
    })
  }

  it('is a 500: what refers to itself', async () => {
    const loop: { self?: object } = {}
    loop.self = loop
    assert.equal((await answer(() => loop)).statusCode, 500)
  })

  it('never comes from a cookie value: it is percent-encoded', async () => {
    const { cookies: sent } = await answer(() => reply(200, 1, { cookies: { a: 'x\r\ny;z' } }))
    assert.deepEqual(sent, [{ name: 'a', value: 'x\r\ny;z' }])
  })
})

interface KindOutcome {
  readonly group: 'lost' | 'alone' | 'kept'
  readonly kind: string
  readonly place: string
  readonly schema: string
  readonly way: string
  readonly status: number
  readonly type?: string
  readonly body?: string
  readonly message?: string
}

describe('a value that JSON cannot hold', () => {
  const outcomesOf = async (environment: string): Promise<readonly KindOutcome[]> => {
    const args = programArguments('test/app/fixtures/result-kinds.ts')
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, NODE_ENV: environment },
      maxBuffer: 1e8,
    })
    return JSON.parse(stdout)
  }
  /** Bytes that a schema declares are sent. */
  const isSent = ({ kind, place, schema }: KindOutcome): boolean =>
    ['Blob', 'File', 'ArrayBuffer'].includes(kind) && place === 'alone' && schema !== 'none'

  it('is told in every place and way, with and without a schema, and what JSON can hold is sent', async () => {
    const outcomes = await outcomesOf('test')
    const isTold = ({ status, message = '' }: KindOutcome): boolean =>
      status === 500 && /JSON cannot|await it first|return it alone/.test(message)
    assert.deepEqual(
      outcomes.filter((each) => isTold(each) !== (each.group !== 'kept' && !isSent(each))),
      [],
    )
    assert.ok(outcomes.length > 800, String(outcomes.length))
  })

  it('is not looked for in production', async () => {
    const outcomes = await outcomesOf('production')
    const bare = (each: KindOutcome): boolean =>
      ['symbol', 'function'].includes(each.kind) && each.place === 'alone'
    assert.deepEqual(
      outcomes.filter((each) => (each.status === 500) !== bare(each)),
      [],
    )
    const sent = outcomes.find((each) => each.kind === 'File' && isSent(each))
    assert.deepEqual([sent?.type, sent?.body], ['text/plain', 'ab'])
  })
})

describe('results that are declared', () => {
  const sent = async (response: z.ZodType, value: unknown, options: AppOptions = {}): Promise<unknown> => {
    const { statusCode, headers, body } = await answer(() => value, { response }, options)
    return statusCode === 500 ? statusCode : [statusCode, headers['content-type'], body]
  }
  const csv = z.string().meta({ contentMediaType: 'text/csv' })
  const cases: readonly (readonly [string, z.ZodType, unknown, unknown])[] = [
    [
      'a bigint as an integer',
      z.object({ id: z.bigint() }),
      { id: 7n },
      [200, 'application/json', '{"id":7}'],
    ],
    ['no bigint that clients would misread', z.array(z.bigint()), [2n ** 53n], 500],
    ['nothing of void', z.void(), undefined, [204, undefined, '']],
    ['nothing of what may be absent', z.string().optional(), undefined, [204, undefined, '']],
    ['a default', z.string().default('a'), undefined, [200, 'application/json', '"a"']],
    ['text of its media type', csv, 'a,b', [200, 'text/csv', 'a,b']],
    ['text of a media type that may be absent', csv.optional(), 'a,b', [200, 'text/csv', 'a,b']],
    [
      'bytes of their media type',
      z.instanceof(Uint8Array).meta({ contentMediaType: 'image/png' }),
      Buffer.from('a'),
      [200, 'image/png', 'a'],
    ],
    [
      'a file',
      z.file(),
      new File(['ab'], 'a.txt', { type: 'text/a' }),
      [200, 'application/octet-stream', 'ab'],
    ],
    [
      'a file of a type',
      z.file().mime('text/a'),
      new File(['ab'], 'a', { type: 'text/a' }),
      [200, 'text/a', 'ab'],
    ],
    ['a blob', z.instanceof(Blob), new Blob(['ab']), [200, 'application/octet-stream', 'ab']],
    ['a buffer', z.instanceof(ArrayBuffer), new ArrayBuffer(1), [200, 'application/octet-stream', '\0']],
  ]
  for (const [title, response, value, expected] of cases) {
    it(`is sent: ${title}`, async () => assert.deepEqual(await sent(response, value), expected))
    // what does not fit is sent then
    if (title !== 'a default')
      it(`is sent unchecked: ${title}`, async () =>
        assert.deepEqual(await sent(response, value, { validateResponses: false }), expected))
  }

  it('is documented as it is sent when there may be nothing', async () => {
    const statusesOf = async (response: unknown): Promise<readonly string[]> => {
      const routes = [{ method: 'GET', name: 'get', response, handler: () => undefined }]
      const app = serve(controller({ prefix: '/', routes }))
      await app.ready()
      return Object.keys(Object(app.openapi().paths['/']?.['get']?.responses)).filter(
        (status) => status < '4',
      )
    }
    assert.deepEqual(await statusesOf(z.void()), ['204'])
    assert.deepEqual(await statusesOf(z.string().optional()), ['200', '204'])
    assert.deepEqual(await statusesOf(z.string()), ['200'])
    assert.deepEqual(await statusesOf({ 200: z.union([z.string(), z.undefined()]), 204: z.void() }), [
      '200',
      '204',
    ])
  })
})

describe('validateResponses', () => {
  const Car = z.object({ id: z.number(), at: z.string().optional() })
  const Ranges = {
    200: Car,
    404: z.object({ a: z.number() }),
    '4XX': z.object({ b: z.number() }),
    default: z.object({ c: z.number() }),
  }
  const Dated = z.object({
    at: z.date(),
    list: z.array(z.object({ at: z.date().nullable() })),
    by: z.record(z.string(), z.date()),
  })
  const cases: readonly (readonly [string, Handle, object, AppOptions, object | number])[] = [
    ['removes undeclared members by default', () => ({ id: 1, extra: 1 }), { response: Car }, {}, { id: 1 }],
    [
      'checks nothing if it is false',
      () => ({ id: 'x', extra: 1 }),
      { response: Car, validateResponses: false },
      {},
      { id: 'x', extra: 1 },
    ],
    [
      'can be on for a route of an application that checks nothing',
      () => ({ id: 1, extra: 1 }),
      { response: Car, validateResponses: true },
      { validateResponses: false },
      { id: 1 },
    ],
    [
      'parses by one schema whatever the status of the reply',
      () => reply(409, { id: 1, extra: 1 }),
      { response: Car },
      {},
      { id: 1 },
    ],
    [
      'parses by the exact status before its range',
      () => reply(404, { id: 1, a: 1, b: 2, c: 3 }),
      { response: Ranges },
      {},
      { a: 1 },
    ],
    [
      'parses by a range before default',
      () => reply(409, { id: 1, a: 1, b: 2, c: 3 }),
      { response: Ranges },
      {},
      { b: 2 },
    ],
    [
      'parses by default what has no range',
      () => reply(503, { id: 1, a: 1, b: 2, c: 3 }),
      { response: Ranges },
      {},
      { c: 3 },
    ],
    [
      'strict knows the statuses of a range',
      () => reply(503, { c: 3 }),
      { response: Ranges, validateResponses: 'strict' },
      {},
      { c: 3 },
    ],
    [
      'runs defaults, transforms and codecs',
      () => ({ size: '7', at: '2026-11-21T10:00:00.000Z' }),
      {
        response: z.object({
          name: z.string().default('Ford'),
          size: z.string().transform(Number).pipe(z.number()),
          at: z.codec(z.string(), z.date(), {
            decode: (at) => new Date(at),
            encode: (date) => date.toISOString(),
          }),
        }),
      },
      {},
      { name: 'Ford', size: 7, at: '2026-11-21T10:00:00.000Z' },
    ],
    [
      'strict takes what a transform replaces',
      () => ({ first: 'Ann', last: 'Lee' }),
      {
        response: z
          .object({ first: z.string(), last: z.string() })
          .transform(({ first, last }) => ({ name: `${first} ${last}` })),
        validateResponses: 'strict',
      },
      {},
      { name: 'Ann Lee' },
    ],
    [
      'strict takes the members of both sides of an intersection',
      () => ({ id: 1, name: 'Ford' }),
      { response: z.intersection(Car, z.object({ name: z.string() })), validateResponses: 'strict' },
      {},
      { id: 1, name: 'Ford' },
    ],
    [
      'strict refuses what neither side of an intersection declares',
      () => ({ id: 1, name: 'Ford', extra: 1 }),
      { response: z.intersection(Car, z.object({ name: z.string() })), validateResponses: 'strict' },
      {},
      500,
    ],
    [
      'strict refuses what no option of a union declares',
      () => [{ id: 1, extra: 1 }],
      { response: z.array(z.union([Car, z.tuple([z.string()])])), validateResponses: 'strict' },
      {},
      500,
    ],
    [
      'removes undeclared members of one object',
      () => ({ id: 1, extra: 1 }),
      { response: Car },
      {},
      { id: 1 },
    ],
    [
      'removes undeclared members below',
      () => [{ id: 1, extra: 1 }],
      { response: z.array(Car) },
      {},
      [{ id: 1 }],
    ],
    ['refuses what does not fit', () => ({ id: 'x' }), { response: Car }, {}, 500],
    ['lets undeclared statuses pass', () => reply(202, { x: 1 }), { response: { 200: Car } }, {}, { x: 1 }],
    [
      'checks by status',
      () => reply(404, { detail: 'x', y: 1 }),
      { response: { 200: Car, 404: z.object({ detail: z.string() }) } },
      {},
      { detail: 'x' },
    ],
    [
      'takes dates as ISO text too, at any depth',
      () => ({
        at: '2026-11-21',
        list: [{ at: new Date(0) }, { at: '2026-11-21T10:00:00Z' }],
        by: { a: '2026-11-21' },
      }),
      { response: Dated, validateResponses: 'strict' },
      {},
      {
        at: '2026-11-21T00:00:00.000Z',
        list: [{ at: '1970-01-01T00:00:00.000Z' }, { at: '2026-11-21T10:00:00.000Z' }],
        by: { a: '2026-11-21T00:00:00.000Z' },
      },
    ],
    [
      'refuses text that is no date',
      () => ({ at: '2026-02-30', list: [], by: {} }),
      { response: Dated },
      {},
      500,
    ],
    [
      'waits for asynchronous schemas',
      async () => ({ id: 1, extra: 1 }),
      { response: Car.refine(async () => true) },
      {},
      { id: 1 },
    ],
    [
      'strict passes what fits',
      () => ({ id: 1 }),
      { response: Car, validateResponses: 'strict' },
      {},
      { id: 1 },
    ],
    [
      'strict refuses undeclared members',
      () => ({ id: 1, extra: 1 }),
      { response: Car, validateResponses: 'strict' },
      {},
      500,
    ],
    [
      'strict refuses undeclared members of members that a catchall describes',
      () => ({ a: { id: 1, extra: 1 } }),
      { response: z.object({}).catchall(Car), validateResponses: 'strict' },
      {},
      500,
    ],
    [
      'strict refuses undeclared members below',
      () => [{ id: 1, extra: 1 }],
      { response: z.array(Car), validateResponses: 'strict' },
      {},
      500,
    ],
    [
      'strict refuses undeclared statuses',
      () => reply(202, { id: 1 }),
      { response: { 200: Car }, validateResponses: 'strict' },
      {},
      500,
    ],
    [
      'strict refuses what does not fit',
      () => ({ id: 'x' }),
      { response: Car, validateResponses: 'strict' },
      {},
      500,
    ],
    [
      'strict lets streams pass',
      () => Readable.from(['{"x":1}']),
      { response: Car, validateResponses: 'strict' },
      {},
      { x: 1 },
    ],
    [
      'strict has nothing to check without response',
      () => ({ x: 1 }),
      { validateResponses: 'strict' },
      {},
      { x: 1 },
    ],
    [
      'can be set for the application',
      () => ({ id: 1, extra: 1 }),
      { response: Car },
      { validateResponses: 'strict' },
      500,
    ],
    [
      'of the route replaces that of the application',
      () => ({ id: 1, extra: 1 }),
      { response: Car, validateResponses: false },
      { validateResponses: 'strict' },
      { id: 1, extra: 1 },
    ],
    [
      'takes a date for a date',
      () => ({ at: new Date(0) }),
      { response: z.object({ at: z.date() }), validateResponses: 'strict' },
      {},
      { at: '1970-01-01T00:00:00.000Z' },
    ],
    [
      'checks the declared status',
      () => ({ id: 1, extra: 1 }),
      { response: Car, status: 201 },
      {},
      { id: 1 },
    ],
    [
      'refuses plain results if only other statuses are declared',
      () => ({ id: 1, secret: 1 }),
      { response: { 201: Car, 202: Car } },
      {},
      500,
    ],
    ['refuses a missing value', () => undefined, { response: Car }, {}, 500],
    [
      'lets a missing value pass as 204 unchecked',
      () => undefined,
      { response: Car, validateResponses: false },
      {},
      204,
    ],
    [
      'strict passes a declared 204',
      () => undefined,
      { response: { 200: Car, 204: z.null() }, validateResponses: 'strict' },
      {},
      204,
    ],
    ['refuses a missing value with a declared status', () => reply(200), { response: Car }, {}, 500],
    [
      'leaves Responses alone',
      () => Response.json({ x: 1 }),
      { response: Car, validateResponses: 'strict' },
      {},
      { x: 1 },
    ],
  ]
  for (const [title, handler, route, options, expected] of cases) {
    it(title, async () => {
      const response = await answer(handler, route, options)
      assert.deepEqual(
        response.body === '' || response.statusCode === 500 ? response.statusCode : response.json(),
        expected,
      )
    })
  }

  const logged: readonly (readonly [string, Handle, object, string])[] = [
    [
      'what does not fit',
      () => ({ id: 'x' }),
      {},
      'get: GET,POST / returned a result that its response refuses: id: Invalid input: expected number, received string',
    ],
    [
      'a promise in the place of an object',
      () => ({ id: Promise.resolve(7) }),
      {},
      'get: GET,POST / returned a result that its response refuses: id: Invalid input: expected number, received Promise',
    ],
    [
      'an undeclared key',
      () => ({ id: 1, extra: { y: 1 } }),
      { validateResponses: 'strict' },
      'get: GET,POST / returned extra, which its response does not declare',
    ],
    [
      'an undeclared status',
      () => reply(202, { id: 1 }),
      { validateResponses: 'strict' },
      'get: GET,POST / answered 202, which its response does not declare',
    ],
    [
      'a missing value',
      () => undefined,
      { validateResponses: 'strict' },
      'get: GET,POST / returned a result that its response refuses: : Invalid input: expected object, received undefined',
    ],
  ]
  it('answers with response_invalid, without the values', async () => {
    const { logger, messages } = listen()
    const User = z.object({ cars: z.array(z.object({ id: z.number() })) })
    const response = await answer(
      () => ({ cars: [{ id: 1 }, { id: 'secret' }] }),
      { response: User },
      { logger },
    )
    const { requestId, ...problem }: Record<string, unknown> = Object(response.json())
    assert.equal(typeof requestId, 'string')
    assert.deepEqual(problem, {
      type: 'urn:octavo:problem:response-invalid',
      title: 'Invalid response',
      status: 500,
      detail: 'The result does not fit the response that the route declares; the log has the reason',
      code: 'response_invalid',
    })
    assert.deepEqual(messages, [
      'get: GET,POST / returned a result that its response refuses: cars.1.id: Invalid input: expected number, received string',
    ])
  })

  for (const [title, handler, route, message] of logged) {
    it(`logs ${title}`, async () => {
      const { logger, messages } = listen()
      const { statusCode } = await answer(handler, { response: Car, ...route }, { logger })
      assert.deepEqual({ statusCode, messages }, { statusCode: 500, messages: [message] })
    })
  }
})
