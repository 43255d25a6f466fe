import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, sse, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { z } from 'zod'

const P = model('P', { n: z.string() })
const value = { n: 'secret' }

const logs: { readonly details: Record<string, unknown>; readonly chain: readonly Error[] }[] = []

/** The errors behind an error, the outermost first. */
function chainOf(error: unknown): readonly Error[] {
  return error instanceof Error ? [error, ...chainOf(error.cause)] : []
}

/** An application with the route `GET /p` of two versions, of which the older one differs by a change. */
function serve(parts: readonly unknown[], route: object): App {
  logs.length = 0
  const logger = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (given: object) => {
      const details = { ...given } as Record<string, unknown>
      logs.push({ details, chain: chainOf(details['err']) })
    },
  }
  const title = 'Names differ'
  const change = Reflect.apply(defineVersionChange, undefined, [{ version: '2', title, change: parts }])
  const controller = Reflect.apply(defineController, undefined, [
    { prefix: '/p', routes: [{ method: 'GET', name: 'get', ...route }] },
  ])
  return createApp(defineModule({ controllers: [controller] }), {
    versioning: {
      scheme: VersioningSchemes.URL,
      history: Reflect.apply(defineVersions, undefined, [
        { versions: ['2', '1'], models: { P }, changes: [change] },
      ]),
    },
    logger,
  })
}

const shaped = (field: object): unknown =>
  Reflect.apply(reshape, undefined, [{ of: P, fields: { n: { was: z.number(), up: () => 'a', ...field } } }])
const fails = shaped({
  down: () => {
    throw new Error('no number')
  },
})
const plain = { response: P, handler: () => value }
const events = (): unknown => Reflect.apply(sse, undefined, [[{ event: 'p', data: value }]])
const body = { n: 7 }

const FAILURES: Readonly<Record<string, readonly [part: unknown, route: object, reason: RegExp]>> = {
  'down throws for a result': [fails, plain, /no number/],
  'down throws without checks': [fails, { ...plain, validateResponses: false }, /no number/],
  'down throws for the first event': [fails, { events: { p: P }, handler: events }, /no number/],
  'down throws for the first item': [fails, { items: P, handler: () => [value] }, /no number/],
  'down of a header throws': [
    operation({
      route: 'p.get',
      response: {
        headers: {
          'x-a': {
            was: 'x-b',
            down: () => {
              throw new Error('no header')
            },
          },
        },
      },
    }),
    plain,
    /no header/,
  ],
  'up throws': [
    shaped({
      up: () => {
        throw new Error('no text')
      },
      down: Number,
    }),
    { method: 'POST', input: { body: P }, handler: () => 'ok' },
    /no text/,
  ],
  'up makes a value that does not fit': [
    shaped({ up: Number, down: Number }),
    { method: 'POST', input: { body: P }, handler: () => 'ok' },
    /made a value that does not fit/,
  ],
  'a result is bytes': [
    shaped({ down: Number }),
    { response: P, handler: () => new TextEncoder().encode('secret') },
    /returned a stream or bytes/,
  ],
  'a result is a Response': [
    shaped({ down: Number }),
    { response: P, handler: () => Response.json(value) },
    /returned a stream or bytes/,
  ],
}

describe('a change that fails', () => {
  for (const [name, [part, route, reason]] of Object.entries(FAILURES)) {
    it(`is logged once, with its route and its cause: ${name}`, async () => {
      const app = serve([part], route)
      const method = 'method' in route ? 'POST' : 'GET'
      const response = await app.inject({ method, url: '/v1/p', ...(method === 'POST' && { body }) })
      const problem = JSON.parse(response.body)
      assert.deepEqual([response.statusCode, problem.code], [500, 'migration_failed'])
      assert.doesNotMatch(response.body, /secret|no number|no text/)
      assert.equal(logs.length, 1)
      const [{ details, chain } = { details: {}, chain: [] }] = logs
      assert.equal(typeof problem.requestId, 'string')
      assert.equal(details['requestId'], problem.requestId)
      assert.equal(details['version'], '1')
      const messages = chain.map(({ message }) => message)
      assert.match(messages[0] ?? '', /^p\.get: (GET|POST) \/p /)
      assert.match(messages.join('\n'), reason)
      if (!name.startsWith('a result is') && !name.includes('header'))
        assert.match(messages[0] ?? '', /because of the change "names-differ"/)
      await app.close()
    })
  }
})
