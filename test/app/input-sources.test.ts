import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, ExecutionContext, ClientAddress, HttpRequest, HttpResponse } from 'octavo'
import type { InjectOptions, InjectResponse } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { controller } from '../support/untyped.ts'

const echo = (input: object, path = '/') => {
  const handler = (received: object) => received
  const routes = [{ method: ['GET', 'POST'], path, input, handler }]
  return serve(controller({ prefix: '/', routes }))
}

const send = (input: object, request: Partial<InjectOptions>, path = '/'): Promise<InjectResponse> =>
  echo(input, path).inject({ method: 'POST', url: '/', ...request })

/** What a handler receives besides `params` and `inject`, which are always there. */
async function receive(input: object, request: Partial<InjectOptions>): Promise<unknown> {
  const response = await send(input, request)
  const { params: _params, inject: _inject, ...rest } = response.json() as Readonly<Record<string, unknown>>
  return response.statusCode === 200 ? rest : response.statusCode
}

async function problemsOf(input: object, request: Partial<InjectOptions>, path = '/'): Promise<unknown> {
  const response = await send(input, request, path)
  assert.deepEqual(
    { status: response.statusCode, type: response.headers['content-type'] },
    { status: 422, type: 'application/problem+json' },
  )
  return response.json()
}

const Missing = { code: 'invalid_type', message: 'Invalid input: expected string, received undefined' }

describe('a source', () => {
  const cases = [
    ['can be a schema', { query: z.object({ a: z.string() }) }, { query: { a: '1' } }, { query: { a: '1' } }],
    ['can be a record of schemas', { query: { a: z.number() } }, { query: { a: '1' } }, { query: { a: 1 } }],
    [
      'can be a list of names',
      { query: ['a', 'b'] },
      { query: { a: 1, b: 2 } },
      { query: { a: '1', b: '2' } },
    ],
    [
      'can be a list of names of headers',
      { headers: ['userAgent'] },
      { headers: { 'user-agent': 'x' } },
      { headers: { userAgent: 'x' } },
    ],
    [
      'can be a list of names of cookies',
      { cookies: ['a'] },
      { cookies: { a: '1' } },
      { cookies: { a: '1' } },
    ],
    ['can be a list of names of fields', { form: ['a'] }, { form: { a: '1' } }, { form: { a: '1' } }],
    ['can be empty', { query: {} }, { query: { a: '1' } }, { query: {} }],
    ['can be an empty list of names', { query: [] }, { query: { a: '1' } }, { query: {} }],
    [
      'drops what is not declared',
      { query: { a: z.string() } },
      { query: { a: '1', b: '2' } },
      { query: { a: '1' } },
    ],
    [
      'hands a loose object everything',
      { query: z.looseObject({ a: z.number() }) },
      { query: { a: '1', b: '2' } },
      { query: { a: 1, b: '2' } },
    ],
    [
      'refuses what a strict object does not declare',
      { query: z.strictObject({ a: z.string() }) },
      { query: { a: '1', b: '2' } },
      422,
    ],
    [
      'takes what a strict object declares',
      { query: z.strictObject({ a: z.string() }) },
      { query: { a: '1' } },
      { query: { a: '1' } },
    ],
    [
      'refuses what a strict form does not declare',
      { form: z.strictObject({ a: z.string() }) },
      { form: { a: '1', b: '2' } },
      422,
    ],
    [
      'refuses what strict cookies do not declare',
      { cookies: z.strictObject({}) },
      { cookies: { b: '2' } },
      422,
    ],
    [
      'converts by a catch-all',
      { query: z.object({}).catchall(z.number()) },
      { query: { a: '1' } },
      { query: { a: 1 } },
    ],
    [
      'converts the values of a record',
      { query: z.record(z.string(), z.number()) },
      { query: { a: '1', b: '2' } },
      { query: { a: 1, b: 2 } },
    ],
    [
      'can be an intersection',
      { query: z.intersection(z.object({ a: z.number() }), z.object({ b: z.boolean() })) },
      { query: { a: '1', b: '1' } },
      { query: { a: 1, b: true } },
    ],
    [
      'can be a union of objects',
      {
        query: z.discriminatedUnion('t', [
          z.object({ t: z.literal('n'), v: z.number() }),
          z.object({ t: z.literal('s'), v: z.string() }),
        ]),
      },
      { query: { t: 'n', v: '1' } },
      { query: { t: 'n', v: 1 } },
    ],
    [
      'can be transformed as a whole',
      { query: z.object({ a: z.number() }).transform(({ a }) => a + 1) },
      { query: { a: '1' } },
      { query: 2 },
    ],
    [
      'can be refined as a whole',
      { query: z.object({ a: z.number() }).refine(({ a }) => a > 1) },
      { query: { a: '1' } },
      422,
    ],
    [
      'can be refined asynchronously',
      { query: { a: z.string().refine(async (a) => a === '1') } },
      { query: { a: '1' } },
      { query: { a: '1' } },
    ],
    [
      'can be refused asynchronously',
      { query: { a: z.string().refine(async (a) => a === '1') } },
      { query: { a: '2' } },
      422,
    ],
    [
      'can be transformed asynchronously',
      { query: { a: z.string().transform(async (a) => `${a}!`) } },
      { query: { a: '1' } },
      { query: { a: '1!' } },
    ],
    [
      'has defaults when nothing is there',
      { query: { a: z.number().default(5) }, headers: { b: z.string().default('x') } },
      {},
      { query: { a: 5 }, headers: { b: 'x' } },
    ],
    ['lacks what is optional and absent', { query: { a: z.number().optional() } }, {}, { query: {} }],
    [
      'can stand beside others',
      { query: ['q'], headers: ['h'], cookies: ['c'], form: ['f'] },
      { query: { q: 1 }, headers: { h: '2' }, cookies: { c: '3' }, form: { f: '4' } },
      { query: { q: '1' }, headers: { h: '2' }, cookies: { c: '3' }, form: { f: '4' } },
    ],
  ] as const
  for (const [title, input, request, expected] of cases) {
    it(title, async () => assert.deepEqual(await receive(input, request), expected))
  }
})

describe('a header', () => {
  const cases = [
    ['is found by a name in camel case', 'xRequestId', 'X-Request-Id'],
    ['is found by a name in snake case', 'x_request_id', 'x-request-id'],
    ['is found by its own name', 'x-request-id', 'X-REQUEST-ID'],
    ['is found by a name in any case', 'X-Request-Id', 'x-request-id'],
    ['is found by one word', 'accept', 'Accept'],
    ['is found by digits', 'x_b3_traceid', 'x-b3-traceid'],
  ] as const
  for (const [title, field, header] of cases) {
    it(title, async () =>
      assert.deepEqual(await receive({ headers: [field] }, { headers: { [header]: 'x' } }), {
        headers: { [field]: 'x' },
      }),
    )
  }
})

describe('names that every object inherits', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'] as const
  const senders = {
    query: (values: Readonly<Record<string, string>>): Partial<InjectOptions> => ({ query: values }),
    headers: (values: Readonly<Record<string, string>>): Partial<InjectOptions> => ({ headers: values }),
    cookies: (values: Readonly<Record<string, string>>): Partial<InjectOptions> => ({ cookies: values }),
    form: (values: Readonly<Record<string, string>>): Partial<InjectOptions> => ({ form: values }),
    body: (values: Readonly<Record<string, string>>): Partial<InjectOptions> => ({ json: values }),
  }
  for (const [source, toRequest] of Object.entries(senders)) {
    for (const name of names) {
      // headers are found in kebab case
      const sent =
        source === 'headers' ? name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`) : name
      const field = z.object({ [name]: z.string().optional(), other: z.string().optional() })
      it(`are fields of ${source}: ${name} when sent`, async () =>
        assert.deepEqual(await receive({ [source]: field }, toRequest({ [sent]: 'x' })), {
          [source]: { [name]: 'x' },
        }))
      it(`are fields of ${source}: ${name} when absent`, async () =>
        assert.deepEqual(await receive({ [source]: field }, toRequest({ other: 'x' })), {
          [source]: { other: 'x' },
        }))
    }
  }

  it('are absent from nested objects of a body', async () => {
    const body = z.object({ list: z.array(z.object({ constructor: z.string().default('none') })) })
    assert.deepEqual(await receive({ body }, { json: { list: [{}, { constructor: 'x' }] } }), {
      body: { list: [{ constructor: 'none' }, { constructor: 'x' }] },
    })
  })

  it('are absent from lazy objects of a body', async () => {
    const body = z.lazy(() => z.object({ constructor: z.string().default('none') }))
    assert.deepEqual(await receive({ body }, { json: {} }), { body: { constructor: 'none' } })
  })

  it('never reach a prototype as __proto__', async () => {
    const request = { url: '/?__proto__=x&a=1', headers: { cookie: '__proto__=x; a=1' } }
    assert.deepEqual(
      await receive({ query: z.looseObject({}), cookies: z.object({ a: z.string() }) }, request),
      JSON.parse('{"query":{"a":"1"},"cookies":{"a":"1"}}'),
    )
  })
})

describe('the text of a source', () => {
  const cases = [
    ['is percent-decoded in a query', { query: ['a'] }, { url: '/?a=%C3%A9%26' }, { query: { a: 'é&' } }],
    [
      'has plus signs as blanks in a query',
      { query: ['a'] },
      { url: '/?a=b+c%2B' },
      { query: { a: 'b c+' } },
    ],
    ['keeps a malformed escape in a query', { query: ['a'] }, { url: '/?a=%zz' }, { query: { a: '%zz' } }],
    ['is blank without an equals sign', { query: ['a'] }, { url: '/?a' }, { query: { a: '' } }],
    ['may have brackets in its name', { query: ['a[]'] }, { url: '/?a[]=1' }, { query: { 'a[]': '1' } }],
    [
      'is percent-decoded in a form',
      { form: ['a'] },
      { body: 'a=%C3%A9+b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { form: { a: 'é b' } },
    ],
    [
      'is percent-decoded in a cookie',
      { cookies: ['a'] },
      { headers: { cookie: 'a=%C3%A9' } },
      { cookies: { a: 'é' } },
    ],
  ] as const
  for (const [title, input, request, expected] of cases) {
    it(title, async () => assert.deepEqual(await receive(input, request), expected))
  }
})

describe('path parameters', () => {
  it('are there without being declared', async () => {
    const response = await send({}, { url: '/7/1.5/a%20b/x/y' }, '/{id:int}/{size:float}/{name}/{rest:path}')
    assert.deepEqual(response.json(), { params: { id: 7, size: 1.5, name: 'a b', rest: 'x/y' }, inject: {} })
  })

  it('can be declared by name, which makes them strings', async () => {
    const response = await send({ params: ['id'] }, { url: '/7' }, '/{id:int}')
    assert.deepEqual(response.json(), { params: { id: '7' }, inject: {} })
  })
})

describe('inject', () => {
  it('supplies the built-in tokens to controller and route', async () => {
    const app = serve(
      defineController({
        prefix: '/',
        inject: { request: HttpRequest, host: ClientAddress },
        routes: [
          {
            method: 'GET',
            path: '/{id:int}',
            name: 'one',
            input: { inject: { context: ExecutionContext, response: HttpResponse, again: HttpRequest } },
            handler: ({ inject }, context) => ({
              method: inject.request.method,
              path: inject.request.path,
              host: inject.host,
              same: [
                inject.context === context,
                inject.again === inject.request,
                context.request === inject.request,
                context.response === inject.response,
                context.switchToHttpConnection().getRequest() === inject.request,
              ],
              route: context.route,
            }),
          },
        ],
      }),
    )
    const response = await app.inject({ url: '/7', remoteAddress: '10.0.0.7' })
    assert.deepEqual(response.json(), {
      method: 'GET',
      path: '/7',
      host: '10.0.0.7',
      same: [true, true, true, true, true],
      route: { name: 'one', method: 'GET', path: '/{id:int}', controller: '', meta: {} },
    })
  })

  it('is empty when nothing is injected', async () =>
    assert.deepEqual((await send({}, {})).json(), { params: {}, inject: {} }))
})

describe('a 422', () => {
  it('holds the problems of all sources, in the order of the sources', async () => {
    const input = {
      form: { f: z.number() },
      cookies: ['c'],
      headers: { xCount: z.number() },
      query: { limit: z.number().int().max(5), tags: z.array(z.number()), sort: z.enum(['a', 'b']) },
      params: { id: z.string().min(3) },
    }
    const request: Partial<InjectOptions> = {
      url: '/ab',
      query: { limit: '9', tags: ['1', 'x'], sort: 'secret' },
      headers: { 'x-count': 'secret' },
      form: { f: 'secret' },
    }
    assert.deepEqual(await problemsOf(input, request, '/{id}'), {
      type: 'urn:octavo:problem:validation-failed',
      title: 'Validation failed',
      status: 422,
      detail: '7 values are not as the API describes',
      code: 'validation_failed',
      errors: [
        {
          in: 'params',
          path: ['id'],
          code: 'too_small',
          message: 'Too small: expected string to have >=3 characters',
        },
        { in: 'query', path: ['limit'], code: 'too_big', message: 'Too big: expected number to be <=5' },
        {
          in: 'query',
          path: ['tags', 1],
          code: 'invalid_type',
          message: 'Invalid input: expected number, received string',
        },
        {
          in: 'query',
          path: ['sort'],
          code: 'invalid_value',
          message: 'Invalid option: expected one of "a"|"b"',
        },
        {
          in: 'headers',
          path: ['xCount'],
          code: 'invalid_type',
          message: 'Invalid input: expected number, received string',
        },
        { in: 'cookies', path: ['c'], ...Missing },
        {
          in: 'form',
          path: ['f'],
          code: 'invalid_type',
          message: 'Invalid input: expected number, received string',
        },
      ],
    })
  })

  it('names the place in a body', async () => {
    const body = z.object({ cars: z.array(z.object({ name: z.string() })) })
    assert.deepEqual(await problemsOf({ body }, { json: { cars: [{ name: 'a' }, {}] } }), {
      type: 'urn:octavo:problem:validation-failed',
      title: 'Validation failed',
      status: 422,
      detail: 'One value is not as the API describes',
      code: 'validation_failed',
      errors: [{ in: 'body', path: ['cars', 1, 'name'], ...Missing }],
    })
  })

  it('has an empty path for a source as a whole', async () => {
    const response = await send({ body: z.object({}) }, {})
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:validation-failed',
      title: 'Validation failed',
      status: 422,
      detail: 'One value is not as the API describes',
      code: 'validation_failed',
      errors: [
        {
          in: 'body',
          path: [],
          code: 'invalid_type',
          message: 'Invalid input: expected object, received undefined',
        },
      ],
    })
  })

  it('never echoes values that were sent', async () => {
    const secret = 'hunter2'
    const input = {
      query: z.strictObject({
        number: z.number(),
        literal: z.literal('a'),
        email: z.email(),
        regex: z.string().regex(/^a/),
        union: z.union([z.number(), z.boolean()]),
        refined: z.string().refine(() => false),
        date: z.date(),
        list: z.array(z.number()),
      }),
      headers: { h: z.uuid() },
      cookies: { c: z.bigint() },
      body: z.object({ password: z.number(), set: z.record(z.string(), z.number()) }),
    }
    const names = ['number', 'literal', 'email', 'regex', 'union', 'refined', 'date', 'list', 'extra']
    const response = await send(input, {
      query: Object.fromEntries(names.map((name) => [name, secret])),
      headers: { h: secret },
      cookies: { c: secret },
      json: { password: secret, set: { a: secret } },
    })
    assert.deepEqual(
      { status: response.statusCode, echoes: response.body.includes(secret) },
      { status: 422, echoes: false },
    )
  })

  it('does not run the handler', async () => {
    let runs = 0
    const handler = () => {
      runs++
      return null
    }
    const routes = [{ method: 'GET', input: { query: ['q'] }, handler }]
    const app = serve(controller({ prefix: '/', routes }))
    const statuses = [(await app.inject('/')).statusCode, (await app.inject('/?q=1')).statusCode]
    assert.deepEqual({ statuses, runs }, { statuses: [422, 200], runs: 1 })
  })

  it('lists 200 problems and cuts long names', async () => {
    const body = z.array(z.number())
    const response = await send({ body }, { json: Array.from({ length: 300 }, () => 'x') })
    const { errors, detail } = response.json() as {
      readonly errors: readonly unknown[]
      readonly detail: string
    }
    assert.deepEqual(
      { count: errors.length, detail },
      { count: 200, detail: '300 values are not as the API describes' },
    )
    const long = await send({ body: z.strictObject({}) }, { json: { ['k'.repeat(10_000)]: 1 } })
    assert.ok(long.body.length < 1000)
  })
})

describe('a body with something wrong in every byte', () => {
  const many = Array.from({ length: 150_000 }, () => 'x')
  const cases: readonly (readonly [string, object, unknown, number])[] = [
    ['is a 422 beside another source', { body: z.array(z.number()), query: ['q'] }, many, 150_001],
    // zod cannot hand that many issues from a list to what is around it
    ['is a 422 in a list within a list', { body: z.array(z.array(z.number())) }, [many], 1],
    [
      'is a 422 with functions that give promises',
      { body: z.object({ list: z.array(z.number()).refine(async () => true) }) },
      { list: many },
      1,
    ],
  ]
  for (const [title, input, json, count] of cases) {
    it(title, async () => {
      const response = await send(input, { json })
      const { detail } = response.json() as { readonly detail: string }
      const subject = count === 1 ? 'One value is' : `${count} values are`
      assert.deepEqual([response.statusCode, detail], [422, `${subject} not as the API describes`])
    })
  }
})

describe('a schema that throws', () => {
  const cases = [
    [
      'at once',
      {
        query: {
          a: z.string().refine(() => {
            throw new Error('secret')
          }),
        },
      },
    ],
    [
      'later',
      {
        query: {
          a: z.string().refine(async () => {
            throw new Error('secret')
          }),
        },
      },
    ],
    [
      'at once, while another throws later',
      {
        query: {
          a: z.string().refine(async () => {
            throw new Error('secret')
          }),
        },
        headers: {
          host: z.string().refine(() => {
            throw new Error('secret')
          }),
        },
      },
    ],
  ] as const
  for (const [title, input] of cases) {
    it(`${title} is a 500, each time`, async () => {
      const app = echo(input)
      const statuses = [(await app.inject('/?a=1')).statusCode, (await app.inject('/?a=1')).statusCode]
      assert.deepEqual(statuses, [500, 500])
    })
  }

  it('runs an asynchronous refinement once for each request', async () => {
    let runs = 0
    const count = async () => {
      runs++
      return true
    }
    const app = echo({ query: { a: z.string().refine(count) } })
    await app.inject('/?a=1')
    await app.inject('/?a=1')
    assert.equal(runs, 2)
  })
})
