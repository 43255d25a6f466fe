import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, reply, VersioningSchemes } from 'octavo'
import { createClient } from 'octavo/client'
import { checkHistory } from 'octavo/testing'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import type { VersionChange } from 'octavo/changes'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Charge = model('Charge', { id: z.string(), amount: z.int(), currency: z.string() })
const Charges = z.array(Charge)
const NewCharge = derive(Charge, (charge) => charge.omit({ id: true }))
const Envelope = z.object({ data: Charges })
const Page = z.object({ items: Charges, total: z.int() })
const Batch = z.object({ charges: z.array(NewCharge).min(1).max(2) })
const Reason = z.object({ reason: z.string() })
const Csv = z.string().meta({ contentMediaType: 'text/csv' })

/** The newest list is a page; that of 3 was in an envelope, that of 2 was a list, and that of 1 was text. */
const pages = defineVersionChange({
  version: '4',
  title: 'Charges come in pages',
  change: [
    operation({
      route: 'charge.list',
      query: { size: { was: 'limit' } },
      response: { body: { 200: { now: Page, was: Envelope, down: ({ items }) => ({ data: items }) } } },
    }),
  ],
})
const envelopes = defineVersionChange({
  version: '3',
  title: 'Lists have an envelope',
  change: [
    reshape({
      of: Charge,
      fields: { amount: { was: z.number(), up: (old) => Math.round(old * 100), down: (now) => now / 100 } },
    }),
    operation({
      route: 'charge.list',
      response: { body: { 200: { now: Envelope, was: Charges, down: ({ data }) => data } } },
    }),
    operation({
      route: 'charge.create',
      body: { now: Batch, was: NewCharge, up: (old) => ({ charges: [old] }) },
      response: {
        body: {
          201: { now: Charges, was: Charge, down: ([first]) => first ?? { id: '', amount: 0, currency: '' } },
        },
      },
    }),
  ],
})
const texts = defineVersionChange({
  version: '2',
  title: 'Lists are JSON',
  change: [
    reshape({ of: Charge, fields: { currency: { was: 'unit' } } }),
    operation({
      route: 'charge.list',
      response: {
        body: {
          200: {
            now: Charges,
            was: Csv,
            down: (all) => all.map(({ id, amount }) => `${id},${amount}`).join('\n'),
          },
        },
      },
    }),
    operation({
      route: 'charge.cancel',
      body: { now: Reason, was: absent, up: () => ({ reason: 'none' }) },
    }),
  ],
})

const history = defineVersions({
  versions: ['4', '3', '2', '1'],
  models: { Charge },
  changes: [pages, envelopes, texts],
})

const ann = { id: 'a', amount: 1250, currency: 'eur' }
const bob = { id: 'b', amount: 300, currency: 'usd' }

let bodies: unknown[] = []
const controller = defineController({
  name: 'ChargeController',
  prefix: '/charge',
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: { size: z.string().optional() } },
      response: Page,
      handler: ({ query: { size } }) => ({ items: [ann, bob].slice(0, Number(size ?? 2)), total: 2 }),
    },
    {
      method: 'POST',
      name: 'create',
      input: { body: Batch },
      response: { 201: Charges },
      handler: ({ body }) => {
        bodies.push(body)
        return reply(
          201,
          body.charges.map((charge, index) => ({ ...charge, id: String(index) })),
        )
      },
    },
    {
      method: 'POST',
      path: '/cancel',
      name: 'cancel',
      input: { body: Reason },
      response: Reason,
      handler: ({ body }) => body,
    },
  ],
})

const root = defineModule({ controllers: [controller] })
const app = createApp(root, {
  logger: false,
  docs: {},
  versioning: { scheme: VersioningSchemes.URL, history },
})

const get = async (url: string): Promise<readonly unknown[]> => {
  const { statusCode, body, headers } = await app.inject(url)
  return [statusCode, headers['content-type'], body]
}
const post = async (url: string, body?: unknown): Promise<readonly unknown[]> => {
  const answer = await app.inject({ method: 'POST', url, ...(body === undefined ? {} : { body }) })
  return [answer.statusCode, answer.json()]
}
const JSON_TYPE = 'application/json'

describe('a whole body of an older version', () => {
  it('is made of the newer ones, and models in it have the fields that they had', async () => {
    assert.deepEqual(await get('/v4/charge'), [
      200,
      JSON_TYPE,
      JSON.stringify({ items: [ann, bob], total: 2 }),
    ])
    assert.deepEqual(await get('/v3/charge?limit=1'), [200, JSON_TYPE, JSON.stringify({ data: [ann] })])
    assert.deepEqual(await get('/v2/charge?limit=1'), [
      200,
      JSON_TYPE,
      JSON.stringify([{ ...ann, amount: 12.5 }]),
    ])
    // functions see the newest models
    assert.deepEqual(await get('/v1/charge'), [200, 'text/csv', 'a,12.5\nb,3'])
  })

  it('becomes the newest one in a request', async () => {
    bodies = []
    assert.deepEqual(await post('/v4/charge', { charges: [{ amount: 1, currency: 'eur' }] }), [
      201,
      [{ id: '0', amount: 1, currency: 'eur' }],
    ])
    assert.deepEqual(await post('/v3/charge', { charges: [{ amount: 2, currency: 'eur' }] }), [
      201,
      [{ id: '0', amount: 2, currency: 'eur' }],
    ])
    assert.deepEqual(await post('/v2/charge', { amount: 12.5, currency: 'eur' }), [
      201,
      { id: '0', amount: 12.5, currency: 'eur' },
    ])
    assert.deepEqual(await post('/v1/charge', { amount: 7, unit: 'usd' }), [
      201,
      { id: '0', amount: 7, unit: 'usd' },
    ])
    assert.deepEqual(bodies, [
      { charges: [{ amount: 1, currency: 'eur' }] },
      { charges: [{ amount: 2, currency: 'eur' }] },
      { charges: [{ amount: 1250, currency: 'eur' }] },
      { charges: [{ amount: 700, currency: 'usd' }] },
    ])
  })

  it('is read and refused in its own shape', async () => {
    const [status, problem] = await post('/v1/charge', { charges: [] })
    assert.equal(status, 422)
    assert.deepEqual(
      Object(problem).errors.map(({ path }: { path: unknown }) => path),
      [['amount'], ['unit']],
    )
  })

  it('may not have existed', async () => {
    assert.deepEqual(await post('/v1/charge/cancel'), [200, { reason: 'none' }])
    assert.deepEqual(await post('/v2/charge/cancel', { reason: 'late' }), [200, { reason: 'late' }])
  })

  it('is in the documents of its version', async () => {
    await app.ready()
    const contents = (version: string): readonly unknown[] => {
      const { paths } = app.openapi({ version })
      const list = Object(paths)['/v{n}/charge'.replace('{n}', version)]
      const cancel = Object(paths)[`/v${version}/charge/cancel`]
      return [
        list.get.responses[200].content,
        list.post.requestBody.content['application/json'].schema,
        cancel.post.requestBody !== undefined,
      ]
    }
    const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
    const list = { type: 'array', items: ref('Charge') }
    assert.deepEqual(contents('2')[0], { 'application/json': { schema: list } })
    assert.deepEqual(Object.keys(Object(contents('1')[0])), ['text/csv'])
    assert.deepEqual([contents('2')[2], contents('1')[2]], [true, false])
    assert.deepEqual(Object.keys(Object(contents('1')[1]).properties), ['amount', 'unit'])
  })

  it('is known to typed clients of its version', async () => {
    const client = createClient<typeof app>({ baseUrl: 'http://charges.test', fetch: app.fetch })
    const { data: two } = await client.at('2').charge.list({ query: { limit: '1' } })
    expectTypeOf(two).toEqualTypeOf<{ id: string; amount: number; currency: string }[]>()
    const { data: three } = await client.at('3').charge.list()
    expectTypeOf(three).toEqualTypeOf<{ data: { id: string; amount: number; currency: string }[] }>()
    const { data: text } = await client.at('1').charge.list()
    expectTypeOf(text).toEqualTypeOf<string>()
    assert.equal(text, 'a,12.5\nb,3')
    const { data: made } = await client.at('1').charge.create({ body: { amount: 1, unit: 'eur' } })
    expectTypeOf(made).toEqualTypeOf<{ id: string; amount: number; unit: string }>()
    assert.deepEqual(made, { id: '0', amount: 1, unit: 'eur' })
    // @ts-expect-error the body of version 1 is one charge
    const wrong = (): unknown => client.at('1').charge.create({ body: { charges: [] } })
    assert.equal(typeof wrong, 'function')
    assert.deepEqual((await client.at('1').charge.cancel()).data, { reason: 'none' })
  })

  it('needs a function if its types say so', () => {
    // @ts-expect-error a page is no list
    operation({ route: 'charge.list', response: { body: { 200: { now: Page, was: Charges } } } })
    // @ts-expect-error a list is no page
    operation({ route: 'charge.list', body: { now: Page, was: Charges } })
    // @ts-expect-error nothing is no page
    operation({ route: 'charge.list', body: { now: Page, was: absent } })
    operation({
      route: 'charge.list',
      // @ts-expect-error the function returns something else
      response: { body: { 200: { now: Page, was: Charges, down: ({ total }) => total } } },
    })
    assert.ok(
      operation({
        route: 'charge.list',
        response: { body: { 200: { now: Page, was: Page.omit({ total: true }) } } },
      }),
    )
  })
})

/** The mistakes of a history with one operation. */
async function mistakesOf(part: object): Promise<string> {
  const change = defineVersionChange({ version: '2', title: 'One', change: [operation(part as never)] })
  try {
    const made = defineVersions({
      versions: ['2', '1'],
      models: { Charge },
      changes: [change as VersionChange<'2'>],
    })
    await createApp(root, {
      logger: false,
      versioning: { scheme: VersioningSchemes.URL, history: made },
    }).ready()
  } catch (error) {
    assert.ok(error instanceof DefinitionError)
    return error.message
  }
  return ''
}

describe('a mistake in a whole body', () => {
  const down = (): unknown => []
  for (const [what, part, expected] of [
    [
      'another schema than the route has',
      { route: 'charge.list', response: { body: { 200: { now: Envelope, was: Charges, down } } } },
      /operation\.response\.body\.200\.now is not the schema of charge\.list/,
    ],
    [
      'a status that the route does not declare',
      { route: 'charge.list', response: { body: { 404: { now: Page, was: Charges, down } } } },
      /operation\.response\.body\.404: charge\.list declares no response 404/,
    ],
    [
      'a body that the route does not read',
      { route: 'charge.list', body: { now: Page, was: Charges, up: down } },
      /operation\.body: charge\.list reads no body/,
    ],
    [
      'no function for another kind',
      { route: 'charge.list', response: { body: { 200: { now: Page, was: Charges } } } },
      /operation\.response\.body\.200 lacks down: it was an array and is an object/,
    ],
    [
      'no function for a body that did not exist',
      { route: 'charge.create', body: { now: Batch, was: absent } },
      /operation\.body lacks up: it did not exist/,
    ],
    [
      'the same schema',
      { route: 'charge.list', response: { body: { 200: { now: Page, was: Page } } } },
      /says that the response 200 of charge\.list was what it is/,
    ],
    [
      'no schema',
      { route: 'charge.list', response: { body: { 200: { was: Charges, down } } } },
      /operation\.response\.body\.200\.now is missing/,
    ],
    [
      'a word for a schema',
      { route: 'charge.create', body: { now: Batch, was: 'old', up: down } },
      /operation\.body\.was is/,
    ],
    [
      'an unknown member',
      { route: 'charge.list', response: { body: { 200: { now: Page, was: Charges, up: down } } } },
      /operation\.response\.body\.200\.up/,
    ],
    [
      'a key that is no status',
      { route: 'charge.list', response: { body: { ok: { now: Page, was: Charges, down } } } },
      /operation\.response\.body has ok/,
    ],
  ] as const)
    it(`is reported: ${what}`, async () => assert.match(await mistakesOf(part), expected))
})

/** The findings of a history with one operation. */
function findingsOf(part: object): readonly unknown[] {
  const change = defineVersionChange({ version: '2', title: 'One', change: [operation(part as never)] })
  const made = defineVersions({
    versions: ['2', '1'],
    models: { Charge },
    changes: [change as VersionChange<'2'>],
  })
  return checkHistory(made).map(({ code, model: of, fields, message }) => [
    code,
    of,
    fields,
    message.split(' ')[0],
  ])
}

describe('checkHistory', () => {
  it('finds nothing in functions that make what the other side takes', () => {
    assert.deepEqual(
      checkHistory(history, { runs: 20 }).filter(({ fields }) =>
        fields.some((each) => each.includes('body')),
      ),
      [],
    )
  })

  it('finds functions of whole bodies that make something else, throw or are missing', () => {
    const route = 'charge.list'
    const answers = (was: object, down?: () => unknown): object => ({
      route,
      response: { body: { 200: { now: Page, was, ...(down && { down }) } } },
    })
    assert.deepEqual(findingsOf(answers(Charges, () => ({}))), [
      ['unfit', route, ['response.body.200'], 'down'],
    ])
    assert.deepEqual(
      findingsOf(
        answers(Charges, () => {
          throw new Error('no')
        }),
      ),
      [['failed', route, ['response.body.200'], 'down']],
    )
    assert.deepEqual(findingsOf(answers(Charges, async () => [])), [
      ['failed', route, ['response.body.200'], 'down'],
    ])
    assert.deepEqual(findingsOf(answers(Page.extend({ total: z.int().max(3) }))), [
      ['narrower', route, ['response.body.200'], 'response.body.200'],
    ])
    const body = { now: Batch, was: z.array(NewCharge), up: (charges: unknown) => ({ charges }) }
    assert.deepEqual(findingsOf({ route: 'charge.create', body }), [
      ['unfit', 'charge.create', ['body'], 'up'],
    ])
    assert.deepEqual(findingsOf({ route: 'charge.create', body: { ...body, narrowed: true } }), [])
  })
})

/** An application of two versions of one route. */
async function open(
  given: object,
  route: object,
): Promise<(url: string, body?: unknown) => Promise<readonly unknown[]>> {
  const change = defineVersionChange({
    version: '2',
    title: 'One',
    change: [operation({ route: 'it.it', ...given })],
  })
  const made = serve(
    defineController({
      name: 'ItController',
      prefix: '/it',
      routes: [
        {
          method: 'POST',
          name: 'it',
          handler: ({ body }: { body?: unknown }) => body,
          ...route,
        } as never,
      ],
    }),
    {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({
          versions: ['2', '1'],
          models: {},
          changes: [change as VersionChange<'2'>],
        }),
      },
    },
  )
  await made.ready()
  return async (url, body) => {
    const answer = await made.inject({ method: 'POST', url, ...(body === undefined ? {} : { body }) })
    return [
      answer.statusCode,
      answer.headers['content-type'],
      answer.body.startsWith('{') ? (Object(answer.json()).code ?? answer.json()) : answer.body,
    ]
  }
}

describe('a body that does not fit', () => {
  const Small = z.object({ all: z.array(z.int()).max(2) })
  const Numbers = z.array(z.number())
  const up = (all: readonly number[]): object => ({ all })
  it('is a mistake of the change if its function made it', async () => {
    const call = await open({ body: { now: Small, was: Numbers, up } }, { input: { body: Small } })
    assert.deepEqual((await call('/v1/it', [1, 2])).at(-1), { all: [1, 2] })
    assert.deepEqual((await call('/v1/it', [1, 2, 3])).at(-1), 'migration_failed')
    assert.deepEqual((await call('/v1/it', {})).at(-1), 'validation_failed')
  })

  it('is a mistake of the client if the change says so, or if no function made it', async () => {
    const narrowed = await open(
      { body: { now: Small, was: Numbers, up, narrowed: true } },
      { input: { body: Small } },
    )
    assert.deepEqual((await narrowed('/v1/it', [1, 2, 3])).at(-1), 'validation_failed')
    const same = await open(
      { body: { now: Small, was: z.object({ all: Numbers }) } },
      { input: { body: Small } },
    )
    assert.deepEqual((await same('/v1/it', { all: [1] })).at(-1), { all: [1] })
    assert.deepEqual((await same('/v1/it', { all: [1.5] })).at(-1), 'validation_failed')
  })

  it('is a mistake of a function that throws or takes time', async () => {
    const down = (): never => {
      throw new Error('secret')
    }
    const throwing = await open(
      { response: { body: { 200: { now: Small, was: Numbers, down } } } },
      { response: Small, handler: () => ({ all: [1] }) },
    )
    assert.deepEqual(await throwing('/v1/it'), [500, 'application/problem+json', 'migration_failed'])
    assert.deepEqual(await throwing('/v2/it'), [200, JSON_TYPE, { all: [1] }])
    const later = await open(
      { response: { body: { 200: { now: Small, was: Numbers, down: async () => [] } } } },
      { response: Small, handler: () => ({ all: [1] }) },
    )
    assert.deepEqual((await later('/v1/it')).at(-1), 'migration_failed')
  })

  it('may be made of null', async () => {
    const down = (made: unknown): unknown => made ?? [7]
    const given = { response: { body: { 200: { now: Small.nullable(), was: Numbers, down } } } }
    const Newest = given.response.body[200].now
    const call = await open(given, { response: Newest, handler: () => null })
    assert.deepEqual(await call('/v1/it'), [200, JSON_TYPE, '[7]'])
    assert.deepEqual(await call('/v2/it'), [200, JSON_TYPE, 'null'])
  })

  it('is refused if the newest response is a stream or bytes', async () => {
    const down = (): readonly number[] => []
    const call = await open(
      { response: { body: { 200: { now: Small, was: Numbers, down } } } },
      { response: Small, handler: () => new Uint8Array([1]) },
    )
    assert.deepEqual((await call('/v1/it')).at(-1), 'migration_failed')
  })

  it('has the content type of its own version', async () => {
    const Text = z.string().meta({ contentMediaType: 'text/plain' })
    const call = await open(
      {
        response: {
          body: {
            200: {
              now: Text,
              was: z.object({ words: z.array(z.string()) }),
              down: (text: string) => ({ words: text.split(' ') }),
            },
          },
        },
      },
      {
        response: { 200: Text },
        handler: () => reply(200, 'a b', { headers: { 'content-type': 'text/plain' } }),
      },
    )
    assert.deepEqual(await call('/v2/it'), [200, 'text/plain', 'a b'])
    assert.deepEqual(await call('/v1/it'), [200, JSON_TYPE, { words: ['a', 'b'] }])
  })
})

it('composes with what changes load for the models in it', async () => {
  const Person = model('Person', { name: z.string() })
  const People = z.object({ people: z.array(Person) })
  const calls: unknown[] = []
  const loading = defineVersionChange({
    version: '2',
    title: 'People have no mail',
    change: [
      reshape({
        of: Person,
        load: {
          down: async (people) => {
            calls.push(people.map(({ name }) => name))
            return 'x.org'
          },
          up: async () => 'x.org',
        },
        fields: { mail: { was: z.string() } },
        reads: ['name'],
        down: ({ name }, { loaded }) => ({ mail: `${name}@${loaded}` }),
        // @ts-expect-error -- no side has loaded
        up: (old, { loaded }) => ({ ...old, loaded }),
      }),
      operation({
        route: 'people.people',
        body: { now: People, was: z.array(Person), up: (people) => ({ people }) },
        response: { body: { 200: { now: People, was: z.array(Person), down: ({ people }) => people } } },
      }),
    ],
  })
  const loadingApp = serve(
    defineController({
      name: 'PeopleController',
      prefix: '/people',
      routes: [
        {
          method: 'POST',
          name: 'people',
          input: { body: People },
          response: { 200: People },
          handler: ({ body }) => reply(200, body),
        },
      ],
    }),
    {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: { Person }, changes: [loading] }),
      },
    },
  )
  const answer = await loadingApp.inject({
    method: 'POST',
    url: '/v1/people',
    body: [
      { name: 'ann', mail: 'a@b.c' },
      { name: 'bob', mail: 'a@b.c' },
    ],
  })
  assert.deepEqual(answer.json(), [
    { name: 'ann', mail: 'ann@x.org' },
    { name: 'bob', mail: 'bob@x.org' },
  ])
  assert.deepEqual(calls, [['ann', 'bob']])
})

describe('migrate with the name of a route', () => {
  it('converts a whole body of its responses', () => {
    const page = { items: [ann], total: 1 }
    const list = history.migrate(Page, page, { to: '2', route: 'charge.list' })
    expectTypeOf(list).toEqualTypeOf<{ id: string; amount: number; currency: string }[]>()
    assert.deepEqual(list, [{ ...ann, amount: 12.5 }])
    assert.deepEqual(history.migrate(Page, page, { to: '3', route: 'charge.list' }), { data: [ann] })
    assert.equal(history.migrate(Page, page, { to: '1', route: 'charge.list' }), 'a,12.5')
    assert.deepEqual(history.migrate(Page, page, { to: '2' }), {
      items: [{ ...ann, amount: 12.5 }],
      total: 1,
    })
    assert.deepEqual(history.migrate(Page, page, { to: '2', route: 'charge.create' }), {
      items: [{ ...ann, amount: 12.5 }],
      total: 1,
    })
  })

  it('converts a whole body of its requests', () => {
    const batch = history.migrate(Batch, { amount: 7, unit: 'eur' }, { from: '1', route: 'charge.create' })
    assert.deepEqual(batch, { charges: [{ amount: 700, currency: 'eur' }] })
    // @ts-expect-error a request of version 1 has one charge
    assert.throws(() => history.migrate(Batch, { charges: [] }, { from: '1', route: 'charge.create' }))
  })
})

describe('a media type that alone was another one', () => {
  const Sheet = z.string().meta({ contentMediaType: 'text/csv' })
  const Text = z.string().meta({ contentMediaType: 'text/plain' })
  const change = defineVersionChange({
    version: '2',
    title: 'Sheets are CSV',
    change: [
      operation({
        route: 'readSheet',
        response: { body: { 200: { now: Sheet, was: Text } } },
      }),
      operation({ route: 'writeSheet', body: { now: Sheet, was: Text } }),
    ],
  })
  const served = serve(
    [
      { method: 'GET', path: '/sheet', name: 'readSheet', response: Sheet, handler: () => 'a,b' },
      {
        method: 'PUT',
        path: '/sheet',
        name: 'writeSheet',
        input: { body: Sheet },
        response: z.object({ got: z.string() }),
        handler: ({ body }) => ({ got: body }),
      },
    ],
    {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: {}, changes: [change] }),
      },
    },
  )

  for (const [version, type, other] of [
    ['2', 'text/csv', 'text/plain'],
    ['1', 'text/plain', 'text/csv'],
  ] as const)
    it(`is ${type} in version ${version}`, async () => {
      await served.ready()
      const read = await served.inject(`/v${version}/sheet`)
      assert.match(String(read.headers['content-type']), new RegExp(`^${type}`))
      assert.equal(read.body, 'a,b')
      const write = await served.inject({
        method: 'PUT',
        url: `/v${version}/sheet`,
        headers: { 'content-type': type },
        body: 'a,b',
      })
      assert.deepEqual(write.json(), { got: 'a,b' })
      const document = JSON.stringify(served.openapi({ version }))
      assert.ok(document.includes(type) && !document.includes(other))
    })
})
