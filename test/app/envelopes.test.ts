import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  bind,
  createApp,
  defineController,
  defineInterceptor,
  defineModule,
  DefinitionError,
  html,
  redirect,
  reply,
  sse,
  stream,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions, Interceptor } from 'octavo'
import { absent, defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { collectErrors } from './around-support.ts'

const Car = z.object({ id: z.number() })
const Envelope = defineInterceptor({
  name: 'Envelope',
  envelope: (schema) => z.object({ data: schema, route: z.string() }),
  intercept: async (context, next) => ({ data: await next(), route: context.route.name }),
})
const Plain = defineInterceptor({ name: 'Plain', intercept: async (_context, next) => next() })

/** An application with one route, `GET /car`. */
function serve(
  route: object,
  interceptors: readonly Interceptor[] = [Envelope],
  options: AppOptions = {},
): App {
  const cars = defineController({
    prefix: '/car',
    interceptors,
    routes: [Object.assign({ name: 'one' }, route, { method: 'GET' as const, handler: handlerOf(route) })],
  })
  return createApp(defineModule({ controllers: [cars] }), { logger: false, ...options })
}

function handlerOf(route: object): () => unknown {
  const handler: unknown = Reflect.get(route, 'handler')
  assert.ok(typeof handler === 'function')
  return (...args) => Reflect.apply(handler, undefined, args)
}

async function schemaOf(app: App, status = '200'): Promise<unknown> {
  await app.ready()
  const document = app.openapi()
  return Object(document.paths['/car']).get.responses[status].content?.['application/json'].schema
}

const wrapped = { data: { id: 1 }, route: 'car.one' }

describe('an interceptor with an envelope', () => {
  const cases: readonly (readonly [string, object, number, unknown])[] = [
    ['wraps a value', { response: Car, handler: () => ({ id: 1 }) }, 200, wrapped],
    ['wraps a promise', { response: Car, handler: async () => ({ id: 1 }) }, 200, wrapped],
    [
      'has what the schema of the route does not declare left out',
      { response: Car, handler: () => ({ id: 1, secret: 2 }) },
      200,
      wrapped,
    ],
    [
      'wraps the data of a reply, which keeps its status and headers',
      { response: { 201: Car }, handler: () => reply(201, { id: 1 }, { headers: { 'x-own': 'yes' } }) },
      201,
      wrapped,
    ],
    [
      'wraps a reply with another status than that of one schema',
      { response: Car, handler: () => reply(202, { id: 1 }) },
      202,
      wrapped,
    ],
    ['wraps what default declares', { response: { default: Car }, handler: () => ({ id: 1 }) }, 200, wrapped],
    ['wraps values of a route without response', { handler: () => ({ id: 1 }) }, 200, wrapped],
    ['wraps null', { response: Car.nullable(), handler: () => null }, 200, { ...wrapped, data: null }],
    [
      'leaves replies with an error status alone',
      {
        response: { 200: Car, 404: z.object({ why: z.string() }) },
        handler: () => reply(404, { why: 'no' }),
      },
      404,
      { why: 'no' },
    ],
    [
      'leaves an error status in the head of the response alone',
      {
        response: { 200: Car, 404: z.object({ why: z.string() }) },
        handler: (_: unknown, context: { response: { status: number } }) => {
          context.response.status = 404
          return { why: 'no' }
        },
      },
      404,
      { why: 'no' },
    ],
    [
      'leaves nothing alone',
      { response: { 200: Car, 204: z.undefined() }, handler: () => undefined },
      204,
      '',
    ],
    ['leaves a reply without data alone', { response: Car, handler: () => reply(204) }, 204, ''],
    ['leaves texts alone', { response: Car, handler: () => html('<p>hi') }, 200, '<p>hi'],
    ['leaves redirects alone', { response: Car, handler: () => redirect('/bus') }, 302, ''],
    ['leaves streams alone', { response: Car, handler: () => stream(['a', 'b']) }, 200, 'ab'],
    ['leaves bytes alone', { handler: () => new TextEncoder().encode('ab') }, 200, 'ab'],
    [
      'leaves declared bytes alone',
      { response: z.instanceof(Uint8Array), handler: () => new TextEncoder().encode('ab') },
      200,
      'ab',
    ],
    ['leaves a Response alone', { response: Car, handler: () => new Response('web') }, 200, 'web'],
    [
      'leaves items alone',
      { items: Car, handler: () => [{ id: 1 }, { id: 2 }] },
      200,
      '{"id":1}\n{"id":2}\n',
    ],
    [
      'leaves events alone',
      { events: Car, handler: () => sse([{ data: { id: 1 } }]) },
      200,
      'data: {"id":1}\n\n',
    ],
  ]
  for (const [what, route, status, body] of cases)
    for (const strict of ['strict', true] as const)
      it(`${what} (validateResponses: ${strict})`, async () => {
        // these have more than is declared, or a status that is not
        if (strict === 'strict' && /left out|another status|without data/.test(what)) return
        const response = await serve(route, [Envelope], { validateResponses: strict }).inject('/car')
        assert.equal(response.statusCode, status)
        assert.deepEqual(typeof body === 'string' ? response.body : response.json(), body)
        if (status === 201) assert.equal(response.headers['x-own'], 'yes')
      })

  it('is refused what its envelope does not allow', async () => {
    const Wrong = defineInterceptor({
      name: 'Wrong',
      envelope: (schema) => z.object({ data: schema, count: z.number() }),
      intercept: async (_context, next) => ({ data: await next(), count: 'one' }),
    })
    const { logger, errors } = collectErrors()
    const app = serve({ response: Car, handler: () => ({ id: 1 }) }, [Wrong], { logger })
    const response = await app.inject('/car')
    assert.equal(response.statusCode, 500)
    assert.equal(Object(response.json()).code, 'response_invalid')
    assert.match(String(Object(errors[0]).err), /car\.one: GET \/car returned .* count: Invalid input/)
  })

  it('may return a response of its own and skip the handler', async () => {
    const Cached = defineInterceptor({
      name: 'Cached',
      envelope: (schema) => z.object({ data: schema }),
      intercept: () => reply(203, { data: { id: 7 } }),
    })
    const app = serve({ response: { 200: Car, 203: Car }, handler: () => assert.fail() }, [Cached])
    const response = await app.inject('/car')
    assert.deepEqual([response.statusCode, response.json()], [203, { data: { id: 7 } }])
  })

  it('stands inside others: the inner envelope is wrapped by the outer', async () => {
    const Outer = defineInterceptor({
      name: 'Outer',
      envelope: (schema) => z.object({ outer: schema }),
      intercept: async (_context, next) => ({ outer: await next() }),
    })
    const app = serve({ response: Car, handler: () => reply(200, { id: 1 }) }, [Outer, Plain, Envelope])
    assert.deepEqual((await app.inject('/car')).json(), { outer: wrapped })
    assert.deepEqual(Object.keys(Object(await schemaOf(app)).properties), ['outer'])
  })

  it('can be replaced by a test, and is documented as what runs', async () => {
    const app = serve({ response: Car, handler: () => ({ id: 1 }) }, [Envelope], {
      overrides: [bind(Envelope, Plain)],
    })
    assert.deepEqual((await app.inject('/car')).json(), { id: 1 })
    assert.deepEqual(Object.keys(Object(await schemaOf(app)).properties), ['id'])
  })

  it('does not wrap what context.call returns', async () => {
    const cars = defineController({
      prefix: '/car',
      interceptors: [Envelope],
      routes: [
        { method: 'GET', name: 'one', response: Car, handler: () => reply(200, { id: 1 }) },
        {
          method: 'GET',
          path: '/first',
          name: 'first',
          response: Car,
          handler: async (_, context) => context.call<z.output<typeof Car>>('car.one'),
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
    assert.deepEqual((await app.inject('/car/first')).json(), { data: { id: 1 }, route: 'car.first' })
  })
})

describe('documents of envelopes', () => {
  const object = (properties: object): object => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
  })
  const car = object({ id: { type: 'number' } })

  it('show them around successful results alone', async () => {
    const app = serve({
      response: { 200: Car, 201: Car, 404: z.object({ why: z.string() }) },
      handler: () => ({ id: 1 }),
    })
    for (const status of ['200', '201'])
      assert.deepEqual(await schemaOf(app, status), object({ data: car, route: { type: 'string' } }))
    assert.deepEqual(await schemaOf(app, '404'), object({ why: { type: 'string' } }))
  })

  it('show nothing of them without response', async () => {
    const app = serve({ handler: () => ({ id: 1 }) })
    await app.ready()
    assert.equal(JSON.stringify(app.openapi().paths).includes('route'), false)
  })

  it('name an envelope with an id once for each schema', async () => {
    const Named = defineInterceptor({
      name: 'Named',
      envelope: (schema) => z.object({ data: schema }).meta({ id: 'CarEnvelope' }),
      intercept: async (_context, next) => ({ data: await next() }),
    })
    const app = serve({ response: { 200: Car, 201: Car }, handler: () => ({ id: 1 }) }, [Named])
    assert.deepEqual(await schemaOf(app, '201'), { $ref: '#/components/schemas/CarEnvelope' })
    assert.deepEqual(Object.keys(app.openapi().components?.schemas ?? {}).includes('CarEnvelope'), true)
  })
})

describe('an envelope that cannot be used', () => {
  const cases: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['returns no schema', () => undefined, /its envelope returned undefined/],
    [
      'throws',
      () => {
        throw new Error('no way')
      },
      /its envelope failed: Error: no way/,
    ],
  ]
  for (const [what, envelope, message] of cases)
    it(`${what}: is reported once, with its place`, async () => {
      const Broken = defineInterceptor({
        name: 'Broken',
        // JavaScript can return anything
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        envelope: envelope as () => typeof Car,
        intercept: (_context, next) => next(),
      })
      const route = { method: 'GET', response: Car, handler: () => ({ id: 1 }) } as const
      const cars = defineController({
        prefix: '/car',
        interceptors: [Broken],
        routes: [route, { ...route, path: '/other' }],
      })
      assert.throws(
        () => createApp(defineModule({ controllers: [cars] })),
        (error) => {
          assert.ok(error instanceof DefinitionError)
          const [problem, ...others] = error.errors
          assert.deepEqual(others, [])
          assert.equal(problem?.code, 'invalid_response')
          assert.match(problem.where, /^interceptor Broken \(.*envelopes\.test\.ts:\d+\)$/)
          assert.match(problem.message, message)
          return true
        },
      )
    })
})

describe('an envelope around models of a history', () => {
  const User = model('User', { id: z.string(), firstName: z.string(), lastName: z.string() })
  const Meta = model('Meta', { took: z.number() })
  const Enveloped = defineInterceptor({
    name: 'Enveloped',
    envelope: (schema) => z.object({ data: schema, meta: Meta }),
    intercept: async (_context, next) => ({ data: await next(), meta: { took: 3 } }),
  })
  const splitName = defineVersionChange({
    version: '2',
    title: 'Names have two parts',
    change: [
      reshape({
        of: User,
        fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
        up: ({ name }) => ({ firstName: name.split(' ')[0] ?? '', lastName: name.split(' ')[1] ?? '' }),
        down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
      }),
      reshape({ of: Meta, fields: { took: { was: 'duration' } } }),
    ],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { User, Meta }, changes: [splitName] })
  const ann = { id: '7', firstName: 'Ann', lastName: 'Lee' }
  const users = defineController({
    prefix: '/user',
    interceptors: [Enveloped],
    routes: [
      { method: 'GET', name: 'list', response: z.array(User), handler: () => [ann] },
      { method: 'POST', name: 'create', response: { 201: User }, handler: () => reply(201, ann) },
      { method: 'PUT', name: 'put', response: User, handler: () => reply(202, ann) },
    ],
  })
  const app = createApp(defineModule({ controllers: [users] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
  })
  const old = { id: '7', name: 'Ann Lee' }
  const cases: readonly (readonly ['GET' | 'POST' | 'PUT', string, number, unknown])[] = [
    ['GET', '/v2/user', 200, { data: [ann], meta: { took: 3 } }],
    ['GET', '/v1/user', 200, { data: [old], meta: { duration: 3 } }],
    ['POST', '/v2/user', 201, { data: ann, meta: { took: 3 } }],
    ['POST', '/v1/user', 201, { data: old, meta: { duration: 3 } }],
    ['PUT', '/v1/user', 202, { data: old, meta: { duration: 3 } }],
  ]
  for (const [method, url, status, body] of cases)
    it(`turns what is in it: ${method} ${url}`, async () => {
      const response = await app.inject({ method, url })
      assert.deepEqual([response.statusCode, response.json()], [status, body])
    })

  it('documents each version as it answers', async () => {
    await app.ready()
    const [newest, older] = ['2', '1'].map((version) => JSON.stringify(app.openapi({ version })))
    for (const name of ['data', 'took', 'firstName']) assert.ok(newest?.includes(`"${name}":`), name)
    for (const name of ['data', 'duration', 'name']) assert.ok(older?.includes(`"${name}":`), name)
    assert.ok(!older?.includes('"firstName":'))
  })
})
