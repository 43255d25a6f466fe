import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, sse, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { absent, defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
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
const later = shaped({ down: async (now: string) => now.length })
const together = (down: unknown): unknown =>
  Reflect.apply(reshape, undefined, [
    { of: P, fields: { n: { was: absent }, old: { was: z.string() } }, up: () => value, down },
  ])
const rejects = together(async () => {
  throw new Error('rejected')
})
const plain = { response: P, handler: () => value }
const events = (): unknown => Reflect.apply(sse, undefined, [[{ event: 'p', data: value }]])
const body = { n: 7 }
const Small = z.object({ n: z.number().max(2) })

const FAILURES: Readonly<Record<string, readonly [part: unknown, route: object, reason: RegExp]>> = {
  'down throws for a result': [fails, plain, /no number/],
  'down throws without checks': [fails, { ...plain, validateResponses: false }, /no number/],
  'down throws for the first event': [fails, { events: { p: P }, handler: events }, /no number/],
  'down throws for the first item': [fails, { items: P, handler: () => [value] }, /no number/],
  'down returns a promise for a result': [later, plain, /returned a promise at n: up and down/],
  'down returns a promise for an item in a list': [
    later,
    { response: z.array(P), handler: () => [value] },
    /returned a promise/,
  ],
  'down returns a promise for the first event': [
    later,
    { events: { p: P }, handler: events },
    /returned a promise/,
  ],
  'down returns a promise for the first item': [
    later,
    { items: P, handler: () => [value] },
    /returned a promise/,
  ],
  'down of an object rejects': [rejects, plain, /returned a promise/],
  'down of an object rejects for the first item': [
    rejects,
    { items: P, handler: () => [value] },
    /returned a promise/,
  ],
  'down returns a promise without checks': [
    later,
    { ...plain, validateResponses: false },
    /returned a promise/,
  ],
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
    /The change "names-differ" made a value that does not fit: n is of type number: Invalid input/,
  ],
  'up of a body makes a value that does not fit': [
    operation({
      route: 'p.get',
      body: { now: Small, was: z.object({ n: z.number() }), up: ({ n }) => ({ n }) },
    }),
    { method: 'POST', input: { body: Small }, handler: () => 'ok' },
    /does not fit: body\.n is of type number: .*\. Write narrowed: true beside was if that is a mistake/,
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

describe('undeclared members that a change makes', () => {
  const was = z.object({ v: z.string() })
  const leaky = shaped({
    was,
    up: ({ v }: z.output<typeof was>) => v,
    down: (v: string) => ({ v, password: 'leak' }),
  })
  const wrong = shaped({
    was,
    up: ({ v }: z.output<typeof was>) => v,
    down: () => ({ v: 7, password: 'leak' }),
  })
  const Completed = z.object({ list: z.array(P), note: z.string().default('none') })
  for (const validateResponses of [true, 'strict'] as const)
    for (const [name, part, v] of [
      ['fits', leaky, 'secret'],
      ['does not fit', wrong, 7],
    ] as const)
      it(`are not sent in a value that ${name}: ${String(validateResponses)}`, async () => {
        const bodyOf = async (route: object): Promise<unknown> => {
          const app = serve([part], { validateResponses, ...route })
          const response = await app.inject('/v1/p')
          assert.equal(response.statusCode, 200)
          await app.close()
          return JSON.parse(response.body.replace(/^[^{]*/, ''))
        }
        const older = { n: { v } }
        assert.deepEqual(await bodyOf(plain), older)
        assert.deepEqual(await bodyOf({ response: P.nullable(), handler: () => value }), older)
        assert.deepEqual(await bodyOf({ response: z.union([P, z.string()]), handler: () => value }), older)
        assert.deepEqual(await bodyOf({ response: Completed, handler: () => ({ list: [value] }) }), {
          list: [older],
          note: 'none',
        })
        assert.deepEqual(await bodyOf({ items: P, handler: () => [value] }), older)
        assert.deepEqual(await bodyOf({ events: { p: P }, handler: events }), older)
      })

  it('leave alone what transforms of the newest schema make', async () => {
    const Made = z.object({ p: P, at: z.object({ a: z.string() }).transform(({ a }) => ({ b: a })) })
    const app = serve([leaky], { response: Made, handler: () => ({ p: value, at: { a: 'x' } }) })
    const response = await app.inject('/v1/p')
    assert.deepEqual(JSON.parse(response.body), { p: { n: { v: 'secret' } }, at: { b: 'x' } })
    await app.close()
  })
})
