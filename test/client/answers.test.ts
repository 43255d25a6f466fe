import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineErrorHandler, defineModule, notFound, reply } from 'octavo'
import { createClient, ProblemError } from 'octavo/client'
import { z } from 'zod'

import { createCarsApp } from './cars.ts'

const app = createCarsApp()
const client = createClient<typeof app>({ fetch: app.fetch })

async function problemOf(call: Promise<unknown>): Promise<ProblemError> {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof ProblemError, String(error))
    return error
  }
  throw new Error('the call did not reject')
}

describe('answers', () => {
  it('are read by their content type', async () => {
    assert.equal((await client.answer.text()).data, 'plain')
    assert.equal((await client.answer.nothing()).data, undefined)
    assert.deepEqual((await client.answer.bytes()).data, new Uint8Array([1, 2, 3]))
    assert.deepEqual((await client.answer.vendor()).data, { a: 1 })
  })

  it('have a status, headers and the response', async () => {
    const { status, ok, headers, response } = await client.answer.text()
    assert.deepEqual([status, ok, headers.get('content-type')], [200, true, 'text/plain; charset=utf-8'])
    assert.equal(response.status, 200)
  })

  it('of JSON that is none reject', async () => {
    await assert.rejects(client.answer.broken(), SyntaxError)
  })

  it('can be streams, as events are', async () => {
    const { data, status } = await client.answer.events({ as: 'stream' })
    let text = ''
    for await (const chunk of data) text += new TextDecoder().decode(chunk)
    assert.equal(status, 200)
    assert.equal(text, 'data: a\n\ndata: b\n\n')
  })

  it('can be responses, whatever their status', async () => {
    const response = await client.answer.bytes({ as: 'response' })
    assert.deepEqual(new Uint8Array(await response.arrayBuffer()), new Uint8Array([1, 2, 3]))
    const conflict = await client.answer.conflict({ as: 'response' })
    assert.equal(conflict.status, 409)
    await conflict.body?.cancel()
  })

  it('of a declared error are data also where a stream was asked for', async () => {
    const result = await client.car.getOne({ params: { car_id: 0 }, as: 'stream' })
    assert.deepEqual(result.data, { detail: 'No such car' })
  })
})

describe('an error that is not declared', () => {
  it('is a ProblemError with what the problem document says', async () => {
    const error = await problemOf(client.answer.conflict())
    assert.ok(error instanceof Error, 'an Error')
    const { name, message, status, code, title, detail, type, errors, members, headers, response } = error
    assert.deepEqual(
      { name, message, status, code, title, detail, type, errors, members },
      {
        name: 'ProblemError',
        message: 'Taken',
        status: 409,
        code: 'car_taken',
        title: 'Conflict',
        detail: 'Taken',
        type: 'about:blank',
        errors: [],
        members: { by: 'Ann' },
      },
    )
    assert.deepEqual([headers.get('x-by'), response.status], ['Ann', 409])
  })

  it('of validation has its problems', async () => {
    const error = await problemOf(client.car.create({ body: { name: 'Ford', year: 1.5 } }))
    assert.deepEqual([error.status, error.code], [422, 'validation_failed'])
    assert.deepEqual(
      error.errors.map(({ in: source, path }) => [source, path]),
      [['body', ['year']]],
    )
  })

  it('is a ProblemError without a problem document too', async () => {
    const error = await problemOf(client.answer.teapot())
    assert.deepEqual(
      [error.status, error.message, error.code, error.data, error.members],
      [418, "I'm a Teapot", undefined, 'short and stout', {}],
    )
  })

  const odd: readonly [title: string, body: string | null, type: string, expected: object][] = [
    ['no body', null, '', { data: undefined, message: 'Status 502' }],
    ['a page', '<h1>Bad gateway</h1>', 'text/html', { data: '<h1>Bad gateway</h1>', message: 'Status 502' }],
    ['JSON that is no object', '[1]', 'application/json', { data: [1], message: 'Status 502' }],
    [
      'members of other types',
      '{"title":1,"errors":[1,null]}',
      'application/problem+json',
      { title: 'Status 502', errors: [] },
    ],
    ['malformed JSON', '{"title":', 'application/problem+json', { data: '{"title":', message: 'Status 502' }],
  ]
  for (const [title, body, type, expected] of odd) {
    it(`is a ProblemError whatever its body: ${title}`, async () => {
      const other = createClient<typeof app>({
        baseUrl: 'http://localhost',
        routes: { version: null, routes: { ping: { method: 'GET', path: '/ping' } } },
        fetch: () =>
          Promise.resolve(
            new Response(body, { status: 502, headers: type === '' ? {} : { 'content-type': type } }),
          ),
      })
      const error = await problemOf(other.ping())
      for (const [name, value] of Object.entries(expected)) assert.deepEqual(Reflect.get(error, name), value)
    })
  }
})

describe('a thrown error of a status that the route declares', () => {
  const Missing = z.object({ missing: z.number() })
  const lost = defineController({
    name: 'LostController',
    routes: [
      {
        method: 'GET',
        path: '/{id:int}',
        name: 'get',
        response: { 200: z.string(), 404: Missing, 422: Missing },
        handler: ({ params }) => {
          if (params.id === 0) throw notFound('No such thing', { code: 'lost' })
          if (params.id === 1) return reply(404, { missing: 1 })
          throw new RangeError('handled')
        },
        errorHandlers: [defineErrorHandler({ match: RangeError, handle: () => reply(404, { missing: 2 }) })],
      },
      {
        method: 'GET',
        path: '/own',
        name: 'own',
        response: { 200: z.string(), 404: Missing },
        handler: () =>
          reply(404, { missing: 3 }, { headers: { 'content-type': 'application/problem+json' } }),
      },
    ],
  })
  const things = createApp(defineModule({ controllers: [lost] }), { logger: false })
  const { lost: calls } = createClient<typeof things>({ fetch: things.fetch })

  it('rejects, because its body is not what the route declares', async () => {
    const error = await problemOf(calls.get({ params: { id: 0 } }))
    assert.deepEqual([error.status, error.code, error.detail], [404, 'lost', 'No such thing'])
    await assert.rejects(calls.get({ params: { id: 0 }, as: 'stream' }), ProblemError)
  })

  it('rejects as well if the router throws it', async () => {
    const { status, code } = await problemOf(calls.get({ params: { id: 'word' } }))
    assert.deepEqual([status, code], [404, 'route_not_found'])
  })

  it('is a result if the handler or an error handler replies with the declared body', async () => {
    const first = await calls.get({ params: { id: 1 } })
    const second = await calls.get({ params: { id: 2 } })
    assert.deepEqual([first.status, first.data, second.data], [404, { missing: 1 }, { missing: 2 }])
  })

  it('rejects if a reply says itself that it is a problem document', async () => {
    const { status, data } = await problemOf(calls.own())
    assert.deepEqual([status, data], [404, { missing: 3 }])
  })
})
