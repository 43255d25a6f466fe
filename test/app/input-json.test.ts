import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule } from 'octavo'
import { createClient } from 'octavo/client'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const REFUSED = Symbol('422')

/** What a handler receives of a JSON body, or REFUSED. */
async function receive(schema: z.ZodType, body: unknown): Promise<unknown> {
  let received: unknown = REFUSED
  const response = await serve([
    {
      method: 'POST',
      input: { body: schema },
      handler: (input: { readonly body: unknown }) => {
        received = input.body
        return null
      },
    },
  ]).inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(response.statusCode, received === REFUSED ? 422 : 200, response.body)
  return received
}

const DAY = '2026-11-22'
const day = new Date(DAY)
const TIME = '2026-11-22T10:00:00.5+01:00'
const time = new Date(TIME)

interface Tree {
  readonly at: Date
  readonly below: readonly Tree[]
}
const Tree = z.object({
  at: z.date(),
  get below() {
    return z.array(Tree)
  },
})
const Chain: z.ZodType = z.lazy(() => z.object({ at: z.date(), next: Chain.nullable() }))

const Event = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('day'), at: z.date() }),
  z.object({ kind: z.literal('text'), at: z.string() }),
])

const accepted: readonly [title: string, schema: z.ZodType, sent: unknown, expected: unknown][] = [
  ['a date', z.date(), DAY, day],
  ['a date and time', z.date(), TIME, time],
  ['an integer for a bigint', z.bigint(), 7, 7n],
  ['digits for a bigint', z.bigint(), '-12345678901234567890', -12345678901234567890n],
  ['a field', z.object({ at: z.date(), big: z.bigint() }), { at: DAY, big: 1 }, { at: day, big: 1n }],
  ['a list', z.array(z.date()), [DAY, TIME], [day, time]],
  ['a record', z.record(z.string(), z.bigint()), { a: '1' }, { a: 1n }],
  ['a tuple', z.tuple([z.date(), z.string()], z.bigint()), [DAY, DAY, 1], [day, DAY, 1n]],
  ['members that are not declared', z.object({}).catchall(z.date()), { a: DAY }, { a: day }],
  ['the first option', z.union([z.date(), z.string()]), DAY, day],
  ['a string before a date', z.union([z.string(), z.date()]), DAY, DAY],
  ['an option that is no date', z.union([z.date(), z.string()]), 'tomorrow', 'tomorrow'],
  ['an option by its kind', Event, { kind: 'day', at: DAY }, { kind: 'day', at: day }],
  ['another option by its kind', Event, { kind: 'text', at: DAY }, { kind: 'text', at: DAY }],
  [
    'both sides',
    z.intersection(z.object({ a: z.date() }), z.object({ b: z.bigint() })),
    { a: DAY, b: 1 },
    { a: day, b: 1n },
  ],
  ['nothing for an optional date', z.object({ at: z.date().optional() }), {}, {}],
  ['null', z.object({ at: z.date().nullable() }), { at: null }, { at: null }],
  ['a default', z.object({ at: z.date().default(day) }), {}, { at: day }],
  ['a value with a default', z.object({ at: z.date().default(day) }), { at: TIME }, { at: time }],
  ['a prefault', z.object({ at: z.date().prefault(day) }), {}, { at: day }],
  ['what catches', z.object({ at: z.date().catch(day) }), { at: 'tomorrow' }, { at: day }],
  ['readonly', z.object({ at: z.date().readonly() }), { at: DAY }, { at: day }],
  [
    'what recurses',
    Tree,
    { at: DAY, below: [{ at: TIME, below: [] }] },
    { at: day, below: [{ at: time, below: [] }] },
  ],
  [
    'what is lazy',
    Chain,
    { at: DAY, next: { at: TIME, next: null } },
    { at: day, next: { at: time, next: null } },
  ],
  ['the start of a transform', z.date().transform((at) => at.getUTCDate()), DAY, 22],
  ['a refinement', z.object({ at: z.date().refine((at) => at <= day) }), { at: DAY }, { at: day }],
  [
    'a promised refinement',
    z.object({ at: z.date().refine(async (at) => at <= day) }),
    { at: DAY },
    { at: day },
  ],
  ['a pipe of text', z.string().pipe(z.coerce.date()), DAY, day],
  ['coercion, as before', z.coerce.date(), 0, new Date(0)],
]

describe('JSON bodies', () => {
  for (const [title, schema, sent, expected] of accepted) {
    it(`have ${title}`, async () => {
      assert.deepEqual(await receive(schema, sent), expected)
    })
  }

  const refused: readonly [title: string, schema: z.ZodType, sent: unknown][] = [
    ['a number for a date', z.date(), 0],
    ['a day that there is not', z.date(), '2026-02-30'],
    ['other words for a date', z.date(), 'Nov 22 2026'],
    ['nothing for a date', z.object({ at: z.date() }), {}],
    ['null for a date', z.object({ at: z.date() }), { at: null }],
    ['a date before the least', z.object({ at: z.date().min(time) }), { at: DAY }],
    ['a short tuple', z.tuple([z.string(), z.date()]), ['a']],
    ['a fraction for a bigint', z.bigint(), 1.5],
    ['a number that lost its digits', z.bigint(), 2 ** 60],
    ['words for a bigint', z.bigint(), '1e3'],
    ['more than 1000 digits', z.bigint(), '1'.repeat(1001)],
    ['a bigint below the least', z.bigint().min(5n), 4],
    ['a date for preprocess', z.preprocess((value) => value, z.date()), DAY],
  ]
  for (const [title, schema, sent] of refused) {
    it(`have not ${title}`, async () => {
      assert.equal(await receive(schema, sent), REFUSED)
    })
  }

  it('name the place and the schema of a mistake', async () => {
    const app = serve([
      { method: 'POST', input: { body: z.object({ days: z.array(z.date()) }) }, handler: () => null },
    ])
    const response = await app.inject({ method: 'POST', url: '/', body: { days: [DAY, 'no'] } })
    const { errors } = response.json() as { readonly errors: unknown }
    const message = 'Invalid input: expected date, received string'
    assert.deepEqual(errors, [{ in: 'body', path: ['days', 1], code: 'invalid_type', message }])
  })

  it('make a default that is a function anew for each request', async () => {
    let made = 0
    const schema = z.object({ at: z.date(), id: z.number().default(() => ++made) })
    const app = serve([{ method: 'POST', input: { body: schema }, handler: ({ body }) => body.id }])
    const post = async () =>
      (await app.inject({ method: 'POST', url: '/', body: { at: DAY } })).json() as number
    const first = await post()
    assert.equal(await post(), first + 1)
  })

  it('come from the typed client as dates and bigints', async () => {
    const body = z.object({ at: z.date(), big: z.bigint() })
    const response = z.object({ at: z.date(), big: z.string() })
    const controller = defineController({
      name: 'EventController',
      routes: [
        {
          method: 'POST',
          name: 'create',
          input: { body },
          response: { 201: response },
          handler: (input) => ({ at: input.body.at, big: String(input.body.big) }),
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    const client = createClient<typeof app>({ fetch: app.fetch })
    const { data } = await client.event.create({ body: { at: time, big: 2n ** 80n } })
    assert.deepEqual(data, { at: time.toISOString(), big: String(2n ** 80n) })
  })
})
