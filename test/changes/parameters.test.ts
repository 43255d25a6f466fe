import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { DefinitionError, defineController, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import type { OperationOptions } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Search = model('Search', { text: z.string(), limit: z.int() })

type Given = Omit<OperationOptions, 'route'>

interface Opened {
  readonly app: App
  readonly seen: unknown[]
}

/** An application of two versions, whose list takes the given sources. */
function open(input: object, given: Given, ...reshapes: ReturnType<typeof reshape>[]): Opened {
  const seen: unknown[] = []
  const change = defineVersionChange({
    version: '2',
    title: 'Other parameters',
    change: [operation({ route: 'car.list', ...given }), ...reshapes],
  })
  const controller = defineController({
    prefix: '/car',
    routes: [
      {
        method: 'GET',
        name: 'list',
        input: input as { query: { limit: z.ZodType } },
        handler: (all) => {
          const { query, headers, cookies } = all as unknown as Record<string, unknown>
          seen.push(query ?? headers ?? cookies)
          return {}
        },
      },
    ],
  })
  const app = serve(controller, {
    docs: {},
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: { Search }, changes: [change] }),
    },
  })
  return { app, seen }
}

async function errorsOf({ app }: Opened, url: string, headers = {}): Promise<unknown> {
  const answer = await app.inject({ url, headers })
  if (answer.statusCode !== 422) return answer.statusCode
  return Object(answer.json()).errors.map((each: { in: string; path: unknown[] }) =>
    [each.in, ...each.path].join('.'),
  )
}

describe('a parameter that was another one', () => {
  const limit = z.int().max(100)

  it('is refused in the name of then if the newest schema refuses what the client sent', async () => {
    const opened = open({ query: { limit } }, { query: { limit: { was: z.int() } } })
    assert.deepEqual(await errorsOf(opened, '/v1/car?limit=100000'), ['query.limit'])
    assert.equal(await errorsOf(opened, '/v1/car?limit=50'), 200)
    assert.deepEqual(opened.seen, [{ limit: 50 }])
    const headers = open({ headers: { 'x-limit': limit } }, { headers: { 'X-Limit': { was: z.int() } } })
    assert.deepEqual(await errorsOf(headers, '/v1/car', { 'x-limit': '101' }), ['headers.x-limit'])
    const cookies = open({ cookies: { limit } }, { cookies: { limit: { was: z.int() } } })
    assert.deepEqual(await errorsOf(cookies, '/v1/car', { cookie: 'limit=101' }), ['cookies.limit'])
  })

  it('is a failure if what a function made does not fit', async () => {
    for (const up of [() => undefined, () => ({ odd: 1 }), () => 101, () => Number.NaN]) {
      const opened = open({ query: { limit } }, { query: { limit: { was: z.string(), up } } })
      assert.equal(await errorsOf(opened, '/v1/car?limit=7'), 500)
      assert.deepEqual(opened.seen, [])
    }
    const added = open({ query: { limit } }, { query: { limit: { was: absent, up: () => 'many' } } })
    assert.equal(await errorsOf(added, '/v1/car'), 500)
  })

  it('is what the newest schema makes of it', async () => {
    const opened = open(
      { query: { limit: limit.default(20).transform((now) => ({ now })) } },
      { query: { limit: { was: z.int().optional() } } },
    )
    await errorsOf(opened, '/v1/car?limit=7')
    await errorsOf(opened, '/v1/car')
    assert.deepEqual(opened.seen, [{ limit: { now: 7 } }, { limit: { now: 20 } }])
    const added = open({ query: { limit: limit.default(20) } }, { query: { limit: { was: absent } } })
    await errorsOf(added, '/v1/car')
    assert.deepEqual(added.seen, [{ limit: 20 }])
  })

  it('is refused in its earlier name, also if a model has it', async () => {
    const query = derive(Search, (search) => search.extend({ limit: search.shape.limit.max(100) }))
    const opened = open(
      { query: Search },
      { query: { limit: { was: 'count' } } },
      reshape({ of: Search, fields: { limit: { was: z.number(), narrowed: true } } }),
    )
    assert.deepEqual(await errorsOf(opened, '/v1/car?text=a&count=1.5'), ['query.count'])
    assert.equal(await errorsOf(opened, '/v1/car?text=a&count=1'), 200)
    assert.ok(query)
  })

  it('meets rules of newer versions only if it is not accepted', async () => {
    const query = z.object({ limit: z.int().max(100) })
    const opened = open({ query }, { query: { limit: { was: z.int().max(1000), accepted: true } } })
    assert.equal(await errorsOf(opened, '/v1/car?limit=500'), 200)
    assert.deepEqual(await errorsOf(opened, '/v1/car?limit=5000'), ['query.limit'])
    assert.deepEqual(await errorsOf(opened, '/v2/car?limit=500'), ['query.limit'])
    assert.deepEqual(opened.seen, [{ limit: 500 }])
  })

  it('is checked by the refinements of the newest parameters', async () => {
    const query = z
      .object({ from: z.int(), until: z.int() })
      .refine(({ from, until }) => from <= until, 'from comes first')
    const opened = open({ query }, { query: { from: { was: 'start' }, until: { was: 'end' } } })
    assert.equal(await errorsOf(opened, '/v1/car?start=1&end=2'), 200)
    assert.deepEqual(await errorsOf(opened, '/v1/car?start=2&end=1'), ['query'])
  })

  it('may have been one value of what is a list now', async () => {
    const status = z.array(z.enum(['paid', 'failed', 'canceled'])).optional()
    const was = z.enum(['paid', 'failed']).optional()
    const up = (old: unknown): unknown => (old === 'failed' ? ['failed', 'canceled'] : old && [old])
    const opened = open({ query: { status } }, { query: { status: { was, up } } })
    for (const query of ['status=failed', 'status=paid', ''])
      assert.equal(await errorsOf(opened, `/v1/car?${query}`), 200)
    assert.equal(await errorsOf(opened, '/v2/car?status=canceled&status=paid'), 200)
    assert.deepEqual(opened.seen, [
      { status: ['failed', 'canceled'] },
      { status: ['paid'] },
      {},
      { status: ['canceled', 'paid'] },
    ])
    assert.deepEqual(await errorsOf(opened, '/v1/car?status=canceled'), ['query.status'])
    await opened.app.ready()
    const { parameters } = opened.app.openapi({ version: '1' }).paths?.['/v1/car']?.['get'] ?? {}
    assert.deepEqual(parameters, [
      { name: 'status', in: 'query', schema: { type: 'string', enum: ['paid', 'failed'] } },
    ])
  })

  it('may have existed in a source that the newest version does not read', async () => {
    const opened = open({}, { query: { sort: { was: z.enum(['up', 'down']) } } })
    assert.equal(await errorsOf(opened, '/v1/car?sort=up'), 200)
    assert.deepEqual(await errorsOf(opened, '/v1/car?sort=left'), ['query.sort'])
    assert.equal(await errorsOf(opened, '/v2/car?sort=left'), 200)
  })
})

describe('a parameter that did not exist', () => {
  const messageOf = async (input: object, given: Given): Promise<string> => {
    try {
      await open(input, given).app.ready()
      return ''
    } catch (error) {
      assert.ok(error instanceof DefinitionError)
      return error.message
    }
  }

  it('needs up if the newest version demands it', async () => {
    assert.match(
      await messageOf({ query: { limit: z.int() } }, { query: { limit: { was: absent } } }),
      /query\.limit lacks up: it did not exist/,
    )
    assert.equal(
      await messageOf({ query: { limit: z.int().optional() } }, { query: { limit: { was: absent } } }),
      '',
    )
  })

  it('or was of another kind needs up', async () => {
    assert.match(
      await messageOf({ query: { limit: z.int() } }, { query: { limit: { was: z.string() } } }),
      /query\.limit lacks up: it was a string and is a number/,
    )
  })
})
