import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineErrorFormat, defineModule, reply } from 'octavo'
import { createClient, ProblemError } from 'octavo/client'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

const cars = defineController({
  name: 'CarController',
  routes: [
    { method: 'POST', name: 'add', input: { body: z.object({ name: z.string() }) }, handler: () => 'added' },
    {
      method: 'GET',
      path: '/range/{own:int}',
      name: 'range',
      response: { 200: z.string(), '4XX': z.object({ mine: z.boolean() }) },
      handler: ({ params }) => (params.own === 1 ? reply(409, { mine: true }) : reply(200, 'a')),
    },
  ],
})
const module = defineModule({ controllers: [cars] })
const errorFormat = defineErrorFormat({
  contentType: 'application/vnd.cars.error+json; charset=utf-8',
  schema: z.object({ title: z.string(), at: z.date(), errors: z.array(z.string()) }),
  format: ({ code }) => ({ title: code, at: new Date(0), errors: ['a'] }),
})
const app = createApp(module, { logger: false, errorFormat })
const plain = createApp(module, { logger: false })

/** What a call rejects with. */
async function errorOf(call: Promise<unknown>): Promise<ProblemError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ProblemError, String(error))
  return error
}

describe('the client of an application with an error format', () => {
  const client = createClient<typeof app>({ fetch: app.fetch })

  it('has the body as data, and reads nothing of a problem document out of it', async () => {
    const error = await errorOf(client.car.add({ body: { name: 3 as never } }))
    const { status, code, title, type, errors, members, message } = error
    assert.deepEqual(error.data, {
      title: 'validation_failed',
      at: '1970-01-01T00:00:00.000Z',
      errors: ['a'],
    })
    assert.deepEqual(
      { status, code, title, type, errors, members, message },
      {
        status: 422,
        code: undefined,
        title: 'Unprocessable Entity',
        type: 'about:blank',
        errors: [],
        members: {},
        message: 'Unprocessable Entity',
      },
    )
  })

  it('tells errors in the format from others, with the type of their body', async () => {
    const error: unknown = await errorOf(client.car.add({ body: { name: 3 as never } }))
    assert.ok(ProblemError.isFrom<typeof app>(error), 'it is no error of the application')
    expectTypeOf(error.data).toEqualTypeOf<{ title: string; at: string; errors: string[] }>()
    assert.equal(error.data.title, 'validation_failed')
    const proxied = createClient<typeof app>({
      routes: {
        version: null,
        errorType: 'application/vnd.cars.error+json',
        routes: { 'car.add': { method: 'POST', path: '/car' } },
      },
      baseUrl: 'http://a.test',
      fetch: async () =>
        new Response('{"title":"a"}', { status: 502, headers: { 'content-type': 'application/json' } }),
    })
    const foreign = await errorOf(proxied.car.add({ body: { name: 'a' } }))
    assert.equal(ProblemError.isFrom<typeof app>(foreign), false)
    assert.equal(ProblemError.isFrom<typeof app>(new Error('other')), false)
  })

  it('does not take the format for what a range declares', async () => {
    const declared = await client.car.range({ params: { own: 1 } })
    assert.deepEqual([declared.status, declared.data], [409, { mine: true }])
    const { status, data } = await errorOf(client.car.range({ params: { own: 'neither' } }))
    assert.deepEqual([status, Object(data).title], [404, 'route_not_found'])
  })

  it('learns the type of errors from the documents', async () => {
    const documented = createApp(module, { logger: false, errorFormat, docs: {} })
    const overHttp = createClient<typeof documented>({
      baseUrl: 'http://a.test',
      fetch: (url, init) => documented.fetch(new Request(url, init)),
    })
    const error = await errorOf(overHttp.car.add({ body: { name: 3 as never } }))
    assert.equal(ProblemError.isFrom<typeof documented>(error), true)
  })
})

describe('the client of an application without an error format', () => {
  it('has the problem document, with its type', async () => {
    const client = createClient<typeof plain>({ fetch: plain.fetch })
    const error = await errorOf(client.car.add({ body: { name: 3 as never } }))
    assert.ok(ProblemError.isFrom<typeof plain>(error), 'it is no error of the application')
    expectTypeOf(error.data.code).toEqualTypeOf<string>()
    expectTypeOf(error.data.detail).toEqualTypeOf<string | undefined>()
    assert.equal(error.data.code, 'validation_failed')
    assert.equal(error.errors[0]?.in, 'body')
  })
})
