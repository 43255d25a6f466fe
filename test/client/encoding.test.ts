import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'

import * as fc from 'fast-check'
import { createApp, defineController, defineModule } from 'octavo'
import { createClient } from 'octavo/client'
import type { ClientOptions } from 'octavo/client'
import { createDispatcher } from 'octavo/undici'
import { z } from 'zod'

import { createCarsApp } from './cars.ts'

const app = createCarsApp()
const ADAPTERS: readonly ClientOptions[] = [{ fetch: app.fetch }, { dispatcher: createDispatcher(app) }]

type Cars = typeof app

describe('path parameters', () => {
  const cases: readonly [text: string, rest: string][] = [
    ['a', 'b/c'],
    ['a/b', ''],
    ['ä?#%2F ;&=+', 'x y/%/ü/.../..a'],
    ['{text}', '{rest:path}'],
    ['$&', '$1'],
    ['🚗', '/'],
  ]
  for (const [text, rest] of cases) {
    it(`arrive as they were given: ${text}, ${rest}`, async () => {
      for (const adapter of ADAPTERS) {
        const client = createClient<Cars>(adapter)
        const { data } = await client.echo.path({ params: { text, from: text, to: 'z', rest } })
        assert.deepEqual(data, { params: { text, from: text, to: 'z', rest }, method: 'GET' })
      }
    })
  }

  const client = createClient<Cars>(ADAPTERS[0])
  const refused: readonly [params: object, message: RegExp][] = [
    [{}, /^echo\.path: the path parameter text is missing$/],
    [{ text: null }, /^echo\.path: the path parameter text is missing$/],
    [{ text: '' }, /^echo\.path: the path parameter text is empty$/],
    [{ text: '.' }, /^echo\.path: the path would have the segment "\.", which no client sends$/],
    [{ text: '..' }, /^echo\.path: the path would have the segment "\.\.", which no client sends$/],
    [{ text: 'a', from: 'a', to: 'b', rest: 'a/../b' }, /^echo\.path: the path would have the segment/],
    [{ text: 'a', other: 1 }, /^echo\.path: there is no path parameter other$/],
    [{ text: Symbol('a') }, /^A symbol cannot be sent$/],
    [{ text: () => 'a' }, /^A function cannot be sent$/],
  ]
  for (const [params, message] of refused) {
    it(`are refused where they make no path: ${inspect(params)}`, async () => {
      await assert.rejects(client.echo.path({ params: params as never }), { name: 'TypeError', message })
    })
  }
})

describe('queries', () => {
  const cases: readonly [title: string, query: object, expected: object][] = [
    ['texts', { text: 'ä &=+%' }, { text: 'ä &=+%' }],
    ['numbers', { count: -1.5 }, { count: -1.5 }],
    ['bigints', { big: 12345678901234567890n }, { big: '12345678901234567890' }],
    ['booleans', { flag: false }, { flag: false }],
    ['dates', { day: new Date('2026-11-22T10:00:00Z') }, { day: '2026-11-22T10:00:00.000Z' }],
    ['lists', { list: ['a', 'b,c', ''] }, { list: ['a', 'b,c', ''] }],
    ['sets', { set: new Set([1, 2]) }, { set: [1, 2] }],
    ['nothing', { text: undefined, list: undefined }, {}],
  ]
  for (const [title, query, expected] of cases) {
    it(`hold ${title}`, async () => {
      for (const adapter of ADAPTERS) {
        const { data } = await createClient<Cars>(adapter).echo.query({ query })
        assert.deepEqual(data, expected)
      }
    })
  }

  it('of bare names are texts', async () => {
    const { data } = await createClient<Cars>(ADAPTERS[0]).echo.names({ query: { q: '', sort: 'a b' } })
    assert.deepEqual(data, { q: '', sort: 'a b' })
  })
})

describe('headers and cookies', () => {
  for (const adapter of ADAPTERS) {
    it(`are read under the names of their fields over ${Object.keys(adapter)[0] ?? ''}`, async () => {
      const client = createClient<Cars>({ ...adapter, headers: { cookie: 'lang=de', 'x-trace': 'common' } })
      const { data } = await client.echo.head({
        headers: { xRequestCount: 3 },
        cookies: { sid: 'a;b=c é', theme: undefined },
      })
      assert.deepEqual(data, {
        headers: { xRequestCount: 3, 'x-trace': 'common' },
        cookies: { sid: 'a;b=c é' },
      })
    })
  }

  const client = createClient<Cars>(ADAPTERS[0])
  it('are refused where they would arrive as something else', async () => {
    const send = (headers: object, cookies: object = {}): Promise<unknown> =>
      client.echo.head({ headers: headers as never, cookies })
    await assert.rejects(
      send({ 'x-trace': ['a', 'b'] }),
      /TypeError: echo\.head: fetch cannot send the header x-trace several/,
    )
    await assert.rejects(send({ 'x-trace': 'a\r\nb: c' }), TypeError)
    await assert.rejects(
      send({ xRequestCount: 1 }, { 'a;b': 'c' }),
      /TypeError: echo\.head: no cookie can be called a;b/,
    )
  })
})

describe('bodies', () => {
  const json: readonly [title: string, body: unknown, expected: unknown][] = [
    ['an object', { a: [1, null], day: new Date(0) }, { a: [1, null], day: '1970-01-01T00:00:00.000Z' }],
    ['a text', 'text', 'text'],
    ['null', null, null],
    ['a number', 0, 0],
  ]
  for (const [title, body, expected] of json) {
    it(`are JSON: ${title}`, async () => {
      for (const adapter of ADAPTERS) {
        const { data } = await createClient<Cars>(adapter).echo.json({ body })
        assert.deepEqual(data, { body: expected, type: 'application/json' })
      }
    })
  }

  it('may be left out', async () => {
    for (const adapter of ADAPTERS) {
      assert.deepEqual((await createClient<Cars>(adapter).echo.json()).data, { body: null, type: null })
    }
  })

  it('are text where the schema is one', async () => {
    for (const adapter of ADAPTERS) {
      const { data } = await createClient<Cars>(adapter).echo.text({ body: '{"ä":1}' })
      assert.deepEqual(data, { body: '{"ä":1}', type: 'text/plain;charset=UTF-8' })
    }
  })

  const bytes = new Uint8Array([0, 255, 7])
  const byteBodies: readonly [
    title: string,
    body: () => Uint8Array | ArrayBuffer | Blob | ReadableStream,
    type: string,
  ][] = [
    ['an array', () => bytes, 'application/octet-stream'],
    ['a buffer', () => bytes.buffer, 'application/octet-stream'],
    ['a blob', () => new Blob([bytes]), 'application/octet-stream'],
    ['a blob with a type', () => new Blob([bytes], { type: 'image/png' }), 'image/png'],
    ['a stream', () => new Blob([bytes]).stream(), 'application/octet-stream'],
  ]
  for (const [title, body, type] of byteBodies) {
    it(`are bytes: ${title}`, async () => {
      for (const adapter of ADAPTERS) {
        const { data } = await createClient<Cars>(adapter).echo.bytes({ body: body() })
        assert.deepEqual(data, { body: [...bytes], type })
      }
    })
  }

  it('are forms', async () => {
    for (const adapter of ADAPTERS) {
      const { data } = await createClient<Cars>(adapter).echo.form({ form: { title: 'ä &', sizes: [1, 2] } })
      assert.deepEqual(data, { title: 'ä &', sizes: [1, 2] })
    }
  })

  it('are multipart where a route takes files, with files or without', async () => {
    for (const adapter of ADAPTERS) {
      const { echo } = createClient<Cars>(adapter)
      const one = new File(['one'], 'ä.txt', { type: 'text/plain' })
      const { data } = await echo.files({
        form: { title: 'T' },
        files: { one, many: [one, new Blob(['two'])] },
      })
      assert.deepEqual(data, {
        form: { title: 'T' },
        one: ['ä.txt', 'text/plain', 'one'],
        many: ['one', 'two'],
      })
      assert.deepEqual((await echo.files()).data, { form: {}, one: null, many: [] })
    }
  })

  it('are refused where they cannot be sent', async () => {
    const { echo } = createClient<Cars>(ADAPTERS[0])
    await assert.rejects(echo.text({ body: 1 as never }), /TypeError: echo\.text: the body is not a string/)
    await assert.rejects(
      echo.bytes({ body: 'x' as never }),
      /TypeError: echo\.bytes: the body is not a Uint8Array/,
    )
    await assert.rejects(
      echo.files({ files: { one: 'x' as never } }),
      /TypeError: echo\.files: the file one is not/,
    )
    await assert.rejects(
      echo.json({ bodi: 1 } as never),
      /TypeError: echo\.json: a call does not take bodi; it takes params/,
    )
    await assert.rejects(echo.json(7 as never), /TypeError: echo\.json: a call takes an object/)
  })
})

describe('the media type that a schema names', () => {
  const csv = z.string().meta({ contentMediaType: 'text/csv' })
  const patch = z
    .array(z.object({ op: z.string() }))
    .meta({ contentMediaType: 'application/json-patch+json' })
  const bytes = z.instanceof(Uint8Array).meta({ contentMediaType: 'image/png' })
  const form = z.object({ a: z.string() }).meta({ contentMediaType: 'multipart/form-data' })
  const typed = defineController({
    name: 'typed',
    prefix: '/typed',
    routes: [
      {
        method: 'POST',
        path: '/csv',
        name: 'csv',
        input: { body: csv },
        response: csv,
        handler: ({ body }) => body,
      },
      { method: 'POST', path: '/patch', name: 'patch', input: { body: patch }, handler: ({ body }) => body },
      {
        method: 'POST',
        path: '/bytes',
        name: 'bytes',
        input: { body: bytes },
        handler: ({ body }) => body.length,
      },
      { method: 'POST', path: '/form', name: 'form', input: { form }, handler: ({ form: fields }) => fields },
    ],
  })
  const api = createApp(defineModule({ controllers: [typed] }))

  it('is sent with the body, and read of the result', async () => {
    for (const adapter of [{ fetch: api.fetch }, { dispatcher: createDispatcher(api) }]) {
      const client = createClient<typeof api>(adapter)
      const sent = await client.typed.csv({ body: 'a,b' })
      assert.deepEqual([sent.data, sent.response.headers.get('content-type')], ['a,b', 'text/csv'])
      assert.deepEqual((await client.typed.patch({ body: [{ op: 'test' }] })).data, [{ op: 'test' }])
      assert.deepEqual((await client.typed.bytes({ body: new Blob(['ab']) })).data, 2)
      assert.deepEqual((await client.typed.form({ form: { a: 'b' } })).data, { a: 'b' })
    }
  })
})

/** Schemas with values that a call can send, by where they are sent: `texts` everywhere, the others in some sources. */
const TEXTS: Readonly<Record<string, readonly [schema: z.ZodType, values: fc.Arbitrary<unknown>]>> = {
  number: [z.number(), fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)],
  nullable: [z.number().nullable(), fc.constantFrom(1e-7, -1e-7, 5e-324, 1e21, -1.5e300, 0.1)],
  int: [z.int(), fc.maxSafeInteger()],
  literal: [z.literal([1e-7, 1e21, 'x', true]), fc.constantFrom(1e-7, 1e21, 'x', true)],
  either: [
    z.union([z.number(), z.boolean()]),
    fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.boolean(),
    ),
  ],
  bigint: [z.bigint(), fc.bigInt()],
  boolean: [z.boolean().nullable(), fc.boolean()],
  date: [
    z.date(),
    fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
  ],
  text: [z.string(), fc.stringMatching(/^[!-~]([ -~]*[!-~])?$/).filter((text) => !/^\.\.?$/.test(text))],
  email: [z.enum(['a', 'b b', 'null']), fc.constantFrom('a', 'b b', 'null')],
  defaulted: [z.string().default('d'), fc.constantFrom('d', 'null', 'undefined', '0')],
}
// a byte-order mark belongs to no text
const any = fc.string({ unit: 'binary' }).filter((text) => !text.startsWith('\ufeff'))
const EMPTY: typeof TEXTS = {
  emptyText: [z.string(), any],
  emptyOptional: [z.string().optional(), fc.option(any, { nil: undefined })],
  emptyDefault: [z.string().default('d'), fc.option(any, { nil: undefined })],
  emptyUnion: [z.union([z.literal(''), z.email()]), fc.constant('')],
}
const LISTS: typeof TEXTS = {
  numbers: [z.array(z.number()), fc.array(fc.constantFrom(1e-7, 1, -0.5, 1e22), { minLength: 1 })],
  texts: [z.array(z.string()), fc.array(any, { minLength: 1 })],
  optional: [z.array(z.string()).optional(), fc.option(fc.array(any, { minLength: 1 }), { nil: undefined })],
  tuple: [z.tuple([z.string(), z.number().optional()]), fc.constantFrom(['a'], ['', 1e-7])],
  set: [z.set(z.int()), fc.uniqueArray(fc.integer(), { minLength: 1 }).map((values) => new Set(values))],
}
/** A body may be `null`, and bytes or a list without items. */
const BODIES: typeof TEXTS = {
  nullText: [z.string().nullable(), fc.option(any)],
  nullishText: [z.string().nullish(), fc.oneof(any, fc.constantFrom(null, undefined))],
  nullUnion: [z.union([z.email(), z.null()]), fc.constantFrom('a@b.cd', null)],
  nullNumber: [z.number().nullable(), fc.constantFrom(null, 1e-7)],
  bytes: [z.instanceof(Uint8Array).transform((bytes) => [...bytes]), fc.uint8Array()],
  list: [z.array(z.string().nullable()), fc.array(fc.option(any))],
  json: [
    z.json(),
    fc
      .json()
      .map((text): unknown => JSON.parse(text))
      .filter((value) => !/:?-0\b/.test(inspect(value))),
  ],
  object: [
    z.object({ at: z.date().nullable(), of: z.tuple([z.string(), z.number().optional()]) }),
    fc.constantFrom({ at: null, of: ['a'] }, { at: new Date(0), of: ['', 1e-7] }),
  ],
}
const SENT = {
  params: TEXTS,
  cookies: { ...TEXTS, ...EMPTY },
  headers: TEXTS,
  query: { ...TEXTS, ...EMPTY, ...LISTS },
  form: { ...TEXTS, ...EMPTY, ...LISTS },
  body: { ...TEXTS, ...EMPTY, ...BODIES },
} as const

describe('values that the type of a route allows', () => {
  for (const [source, schemas] of Object.entries(SENT)) {
    it(`are taken by the server as its schemas read them: ${source}`, async () => {
      let received: unknown
      const echo = defineController({
        name: 'echo',
        prefix: '/echo',
        // routes of a list have no names that types know
        routes: Object.entries(schemas).map(([name, [schema]]) => ({
          method: 'POST',
          path: source === 'params' ? `/${name}/{field}` : `/${name}`,
          name,
          input: source === 'body' ? { body: schema } : { [source]: { field: schema } },
          handler: (input: object) => {
            received = Reflect.get(input, source)
          },
        })) as never,
      })
      const echoApp = createApp(defineModule({ controllers: [echo] }), { logger: false })
      const calls = Reflect.get(createClient<Cars>({ fetch: echoApp.fetch }), 'echo')
      for (const [name, [schema, values]] of Object.entries(schemas)) {
        const call: (input: object) => Promise<{ readonly status: number }> = Reflect.get(calls, name)
        const property = fc.asyncProperty(values, async (value) => {
          const { status } = await call({ [source]: source === 'body' ? value : { field: value } })
          const sent = schema.parse(value)
          assert.equal(status, 204, name)
          assert.deepEqual(source === 'body' ? received : Reflect.get(Object(received), 'field'), sent, name)
        })
        await fc.assert(property, { numRuns: 25 })
      }
      await echoApp.close()
    })
  }
})
