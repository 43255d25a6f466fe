import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { accepted, defineController } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Job = z.object({ state: z.enum(['running', 'done']) }).meta({ id: 'Job' })

const exports = defineController({
  name: 'exports',
  routes: [
    {
      method: 'POST',
      name: 'begin',
      response: { 202: Job },
      handler: (_input, { urlFor }) =>
        accepted({
          location: urlFor('exports.state', { id: 'größe' }),
          retryAfter: 1.2,
          data: { state: 'running' as const },
          headers: { 'x-job': 'größe'.length.toString() },
          cookies: { job: 'j1' },
        }),
    },
    {
      method: 'POST',
      path: '/later',
      name: 'later',
      status: 202,
      handler: () => accepted({ location: '/exports/ü', retryAfter: new Date('2026-06-01T10:00:00Z') }),
    },
    { method: 'POST', path: '/bare', name: 'bare', handler: () => accepted({ location: '/exports/1' }) },
    {
      method: 'GET',
      path: '/{id}',
      name: 'state',
      response: Job,
      handler: () => ({ state: 'done' as const }),
    },
  ],
})

const create = (openapi: '3.1' | '3.2' = '3.1') => serve(exports, { docs: { openapi } })

describe('accepted', () => {
  it('answers 202 with the address and the time, and the data that the route declares', async () => {
    const { statusCode, headers, json, cookies } = await create().inject({ method: 'POST', url: '/exports' })
    assert.deepEqual(
      [statusCode, headers['location'], headers['retry-after'], headers['x-job'], json(), cookies],
      [202, '/exports/gr%C3%B6%C3%9Fe', '2', '5', { state: 'running' }, [{ name: 'job', value: 'j1' }]],
    )
  })

  it('names a moment, or none, and needs no body', async () => {
    const app = create()
    const [later, bare] = await Promise.all(
      ['/exports/later', '/exports/bare'].map((url) => app.inject({ method: 'POST', url })),
    )
    assert.deepEqual(
      [later?.statusCode, later?.headers['location'], later?.headers['retry-after'], later?.body],
      [202, '/exports/%C3%BC', 'Mon, 01 Jun 2026 10:00:00 GMT', ''],
    )
    assert.deepEqual([bare?.statusCode, bare?.headers['retry-after'], bare?.body], [202, undefined, ''])
  })

  it('refuses times that are none', () => {
    for (const retryAfter of [-1, Number.NaN, Number.POSITIVE_INFINITY, new Date('never')])
      assert.throws(() => accepted({ location: '/', retryAfter }), {
        name: 'RangeError',
        message: `accepted: retryAfter is ${String(retryAfter)}; give seconds of 0 or more, or a Date`,
      })
  })

  it('has its headers in documents', async () => {
    for (const version of ['3.1', '3.2'] as const) {
      const app = create(version)
      await app.ready()
      const { paths, components } = app.openapi()
      const headers = {
        Location: { $ref: '#/components/headers/Location' },
        'Retry-After': { $ref: '#/components/headers/Retry-After' },
      }
      assert.deepEqual(paths['/exports']?.['post']?.responses['202'], {
        description: 'Accepted',
        headers,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Job' } } },
      })
      assert.deepEqual(paths['/exports/later']?.['post']?.responses['202'], {
        description: 'Success',
        headers,
        content: { '*/*': {} },
      })
      // a route that does not say what it answers
      assert.equal(
        Object.hasOwn(Object(paths['/exports/bare']?.['post']?.responses['2XX']), 'headers'),
        false,
      )
      assert.deepEqual(Object(components).headers, {
        Location: {
          description: 'Where the state of the work is (RFC 9110 section 10.2.2)',
          schema: { type: 'string', format: 'uri-reference' },
        },
        'Retry-After': {
          description: 'The seconds after which to ask for it, or an HTTP date (RFC 9110 section 10.2.3)',
          schema: { type: 'string' },
        },
      })
    }
  })

  it('is typed by the response of the route', () => {
    defineController({
      name: 'typed',
      routes: [
        // @ts-expect-error: the route declares no 202
        { method: 'POST', response: { 200: Job }, handler: () => accepted({ location: '/' }) },
        {
          method: 'POST',
          path: '/wrong',
          response: { 202: Job },
          // @ts-expect-error: the state is none of those declared
          handler: () => accepted({ location: '/', data: { state: 'lost' } }),
        },
      ],
    })
  })
})
