import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { DefinitionError, defineController, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { absent, defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

type Untyped = (...given: readonly unknown[]) => never
const untyped = (made: unknown): Untyped => made as Untyped

const Car = model('Car', { id: z.string(), year: z.int(), plate: z.string().regex(/^[A-Z]+$/) })
const Shop = model('Shop', { name: z.string() })
const Lost = model('Lost', { name: z.string() })

const CarController = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: { limit: z.int().max(9) } },
      response: z.array(Shop),
      handler: () => [],
    },
    {
      method: 'POST',
      name: 'make',
      input: { body: Car },
      response: { 201: Car },
      handler: ({ body }) => body,
    },
    {
      method: 'GET',
      path: '/new',
      name: 'fresh',
      version: '>=2',
      response: Shop,
      handler: () => ({ name: '' }),
    },
  ],
})

/** Starts an application with one change of version 2, and returns the codes and messages of what is wrong. */
async function mistakes(...change: object[]): Promise<readonly string[]> {
  return await mistakesOf({ 2: change })
}

/** Starts an application with a change of each of these versions, and returns the codes and messages of what is wrong. */
async function mistakesOf(given: Readonly<Record<string, readonly object[]>>): Promise<readonly string[]> {
  try {
    const history = untyped(defineVersions)({
      versions: ['4', '3', '2', '1'],
      models: { Car, Shop, Lost },
      changes: Object.entries(given).map(([version, change]) =>
        untyped(defineVersionChange)({ version, title: `A change of ${version}`, change }),
      ),
    })
    const app = serve(CarController, { versioning: { scheme: VersioningSchemes.URL, history } })
    await app.ready()
    return []
  } catch (error) {
    assert.ok(error instanceof DefinitionError, String(error))
    return error.errors.map(({ code, message }) => `${code}: ${message}`)
  }
}

const named = reshape({ of: Shop, fields: { name: { was: 'title' } } })
const list = (given: object): object => untyped(operation)({ route: 'car.list', ...given })

describe('a change without an effect in any version', () => {
  const cases: readonly (readonly [string, readonly object[], string])[] = [
    [
      'a rename to itself',
      [reshape({ of: Shop, fields: { name: { was: 'name' } } })],
      'Shop.name was called name too',
    ],
    [
      'the same schema',
      [reshape({ of: Shop, fields: { name: { was: z.string() } } })],
      'Shop.name had the same schema',
    ],
    ['an operation that says nothing', [named, list({})], 'operation says nothing of car.list'],
    ['the same path', [list({ path: { was: '/car' } })], 'the path of car.list was what it is'],
    ['the same method', [list({ method: { was: 'GET' } })], 'the method of car.list was what it is'],
    ['the same status', [list({ status: { was: 200 } })], 'the status of car.list was what it is'],
    [
      'the same name',
      [list({ query: { limit: { was: 'limit' } } })],
      'query.limit of car.list was what it is',
    ],
    [
      'the same parameter',
      [list({ query: { limit: { was: z.int().max(9) } } })],
      'query.limit of car.list was what it is',
    ],
    [
      'a route that no older version has',
      [named, operation({ route: 'car.fresh', path: { was: '/car/young' } })],
      'unused_change: its operation of car.fresh reaches no route of an older version',
    ],
    [
      'a model that no route has',
      [named, reshape({ of: Lost, fields: { name: { was: 'title' } } })],
      'unused_change: its reshape of Lost reaches no route of an older version',
    ],
  ]
  for (const [what, change, message] of cases)
    it(`is a mistake at the start: ${what}`, async () => {
      const found = await mistakes(...change)
      assert.equal(found.length, 1, found.join('\n'))
      assert.ok(found[0]?.includes(message), found[0])
    })

  it('may be the same for some of the routes of a controller', async () => {
    assert.deepEqual(await mistakes(operation({ route: 'car.*', status: { was: 200 } })), [])
  })
})

describe('a field whose meaning types cannot see', () => {
  const unfit = (name: string): string =>
    `unfit: Car.${name} had values that the newer schema refuses, and there is no up`
  const was = async (fields: object): Promise<readonly string[]> =>
    mistakes(untyped(reshape)({ of: Car, fields }))

  it('needs up or narrowed if a request has it', async () => {
    assert.deepEqual(await was({ year: { was: z.number() } }), [unfit('year')])
    assert.deepEqual(await was({ plate: { was: z.string() } }), [unfit('plate')])
    assert.deepEqual(await was({ plate: { was: z.string().min(3) } }), [unfit('plate')])
    assert.deepEqual(await was({ year: { was: z.number(), narrowed: true } }), [])
    assert.deepEqual(await was({ year: { was: z.number(), up: Math.round } }), [])
    assert.deepEqual(await was({ year: { was: z.number(), accepted: true } }), [])
    assert.deepEqual(await was({ year: { was: z.int().min(3) } }), [])
  })

  it('needs neither in responses', async () => {
    assert.deepEqual(await mistakes(reshape({ of: Shop, fields: { name: { was: z.string().min(2) } } })), [])
  })
})

describe('models of a history', () => {
  it('have different names', () => {
    const other = model('Car', { id: z.string() })
    assert.throws(
      () => defineVersions({ versions: ['2', '1'], models: { Car, other }, changes: [] }),
      /two models have the name Car/,
    )
  })

  it('are all listed', () => {
    const change = defineVersionChange({ version: '2', title: 'Titles', change: [named] })
    assert.throws(
      () => defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] }),
      /^DefinitionError.*\n  defineVersions \(.*no-effect\.test\.ts:\d+\): models does not list Shop, which the change "titles" reshapes\. Add Shop to models/,
    )
  })
})

it('has an effect if a header comes and goes with one version after the other', async () => {
  const header = (was: unknown): object[] => [list({ response: { headers: { 'x-now': { was } } } })]
  assert.deepEqual(await mistakesOf({ 4: header(absent), 3: header('x-then'), 2: header(absent) }), [])
  assert.deepEqual(await mistakesOf({ 4: header(absent), 3: header(absent) }), [
    'invalid_change: operation says that response.headers.x-now of car.list was what it is',
  ])
})

/** An application with a route whose body and response have a schema, and a change of version 2. */
function served(now: z.ZodType, changeOf: (box: unknown, body: z.ZodType) => object): App {
  const Box = model('SameBox', { id: z.string(), it: now })
  const body = z.object({ it: now })
  const change = untyped(defineVersionChange)({ version: '2', title: 'It', change: [changeOf(Box, body)] })
  const history = untyped(defineVersions)({ versions: ['2', '1'], models: { Box }, changes: [change] })
  return serve(
    [
      {
        method: 'POST',
        path: '/box',
        name: 'box',
        input: { body: Box },
        response: Box,
        handler: () => ({}) as never,
      },
      { method: 'POST', path: '/raw', name: 'raw', input: { body }, handler: () => null },
    ] as never,
    { versioning: { scheme: VersioningSchemes.URL, history } },
  )
}

async function startOf(app: App): Promise<string | undefined> {
  try {
    await app.ready()
    return undefined
  } catch (error) {
    assert.ok(error instanceof DefinitionError, String(error))
    return error.errors.map(({ message }) => message).join('; ')
  }
}

const keep = (value: string): string => value

type Pair = readonly [what: string, now: () => z.ZodType, was: () => z.ZodType]

const EQUAL: readonly Pair[] = [
  ['a default', () => z.int().default(3), () => z.int().default(3)],
  ['a prefault', () => z.string().prefault('a'), () => z.string().prefault('a')],
  ['a record', () => z.record(z.string(), z.int()), () => z.record(z.string(), z.int())],
  ['a union', () => z.union([z.string(), z.int()]), () => z.union([z.string(), z.int()])],
  ['an object', () => z.object({ a: z.string(), b: z.int() }), () => z.object({ b: z.int(), a: z.string() })],
  ['a tuple', () => z.tuple([z.string(), z.int()]), () => z.tuple([z.string(), z.int()])],
  ['a fallback', () => z.string().catch('a'), () => z.string().catch('a')],
  ['a read-only list', () => z.array(z.string()).readonly(), () => z.array(z.string()).readonly()],
  ['a described text', () => z.string().describe('A'), () => z.string().describe('A')],
  ['examples', () => z.string().meta({ examples: ['a'] }), () => z.string().meta({ examples: ['a'] })],
  ['another way to write it', () => z.email(), () => z.string().email()],
  [
    'wrappers in another order',
    () => z.string().nullable().optional(),
    () => z.string().optional().nullable(),
  ],
  ['days', () => z.array(z.date().min(new Date(0))), () => z.array(z.date().min(new Date(0)))],
  ['a function', () => z.string().transform(keep), () => z.string().transform(keep)],
]

const OTHER: readonly Pair[] = [
  ['the description', () => z.string().describe('B'), () => z.string().describe('A')],
  ['the title', () => z.string().meta({ title: 'B' }), () => z.string()],
  ['examples', () => z.string().meta({ examples: ['b'] }), () => z.string().meta({ examples: ['a'] })],
  ['the description within', () => z.array(z.string().describe('B')), () => z.array(z.string())],
  ['the default', () => z.int().default(4), () => z.int().default(3)],
  ['what may be left out', () => z.string().optional(), () => z.string()],
  ['what may be null', () => z.object({ a: z.int().nullable() }), () => z.object({ a: z.int() })],
  ['a value', () => z.enum(['a', 'b']), () => z.enum(['a'])],
  ['the type of a value that JSON lacks', () => z.array(z.any()), () => z.array(z.date())],
  [
    'the flags of a pattern',
    () => z.object({ a: z.string().regex(/a/i) }),
    () => z.object({ a: z.string().regex(/a/) }),
  ],
  ['a function', () => z.string().transform(String), () => z.string().transform(keep)],
  ['deprecation', () => z.string().meta({ deprecated: true }), () => z.string()],
]

describe('a difference that documents show is a change', () => {
  for (const [what, now, was] of OTHER) {
    it(`of a field: ${what}`, async () => {
      const app = served(now(), (of) => untyped(reshape)({ of, fields: { it: { was: was() } } }))
      assert.equal(await startOf(app), undefined)
    })
    it(`of a body: ${what}`, async () => {
      const app = served(now(), (_, body) =>
        untyped(operation)({ route: 'raw', body: { now: body, was: z.object({ it: was() }) } }),
      )
      assert.equal(await startOf(app), undefined)
    })
  }

  it('and each version documents its own', async () => {
    const app = served(z.string().describe('B'), (of) =>
      untyped(reshape)({ of, fields: { it: { was: z.string().describe('A') } } }),
    )
    await app.ready()
    const described = ['2', '1'].map(
      (version) => /"SameBox":.*?"description":"(\w)"/.exec(JSON.stringify(app.openapi({ version })))?.[1],
    )
    assert.deepEqual(described, ['B', 'A'])
  })
})

describe('a schema that was written twice is no change', () => {
  for (const [what, now, was] of EQUAL) {
    it(`of a field: ${what}`, async () => {
      const app = served(now(), (of) => untyped(reshape)({ of, fields: { it: { was: was() } } }))
      assert.equal(await startOf(app), 'SameBox.it had the same schema')
    })
    it(`of a body: ${what}`, async () => {
      const app = served(now(), (_, body) =>
        untyped(operation)({ route: 'raw', body: { now: body, was: z.object({ it: was() }) } }),
      )
      assert.equal(await startOf(app), 'operation says that the body of raw was what it is')
    })
  }
})
