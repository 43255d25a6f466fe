import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { expectTypeOf } from 'expect-type'
import * as fc from 'fast-check'
import { createApp, defineController, defineModule, mergePatch } from 'octavo'
import type { App, MergePatch } from 'octavo'
import { z } from 'zod'

const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }

interface Car {
  name: string
  owner?: string
  parts: { wheels: number; spare?: string | null }
  built: Date
  tags: readonly string[]
}

const Patch = z
  .object({ name: z.string(), owner: z.string().nullable(), tags: z.array(z.string()) })
  .partial()

const cars = defineController({
  name: 'cars',
  routes: [
    { method: 'GET', handler: () => 'cars' },
    { method: ['PUT', 'PATCH'], input: { body: Patch }, handler: ({ body }) => body },
    {
      method: 'PATCH',
      path: '/record',
      input: { body: z.record(z.string(), z.number().nullable()) },
      handler: ({ body }) => body,
    },
    {
      method: 'PATCH',
      path: '/either',
      input: { body: z.union([z.string(), Patch]).optional() },
      handler: ({ body }) => body,
    },
    { method: 'PATCH', path: '/list', input: { body: z.array(z.number()) }, handler: ({ body }) => body },
    {
      method: 'PATCH',
      path: '/steps',
      input: {
        body: z.array(z.object({ op: z.string() })).meta({ contentMediaType: 'application/json-patch+json' }),
      },
      handler: ({ body }) => body,
    },
    { method: 'PATCH', path: '/form', input: { form: { name: z.string() } }, handler: ({ form }) => form },
    {
      method: 'PATCH',
      path: '/bytes',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => body.length,
    },
    { method: 'PATCH', path: '/own', handler: () => 'own' },
  ],
})

const serve = (): App => createApp(defineModule({ controllers: [cars] }), { logger: false })

describe('a body of PATCH', () => {
  for (const type of ['application/merge-patch+json', 'application/json', undefined]) {
    it(`is JSON as ${type ?? 'no type'}`, async () => {
      const response = await serve().inject({
        method: 'PATCH',
        url: '/cars',
        body: '{"name":"Ford","owner":null}',
        headers: type === undefined ? {} : { 'content-type': type },
      })
      assert.deepEqual([response.statusCode, response.json()], [200, { name: 'Ford', owner: null }])
    })
  }
  it('holds null where the schema takes it, and is a 422 elsewhere', async () => {
    const { statusCode, body } = await serve().inject({
      method: 'PATCH',
      url: '/cars',
      body: '{"name":null,"owner":null}',
      headers: MERGE_PATCH,
    })
    const { errors } = JSON.parse(body) as { errors: readonly { path: readonly string[] }[] }
    assert.deepEqual([statusCode, errors.map(({ path }) => path)], [422, [['name']]])
  })
  it('is of another type: 415 with those that the route takes', async () => {
    const headers = { 'content-type': 'application/xml' }
    const response = await serve().inject({ method: 'PATCH', url: '/cars', body: '<a/>', headers })
    const { code, detail } = response.json() as { code: string; detail: string }
    assert.deepEqual(
      [response.statusCode, code, detail, response.headers['accept-patch']],
      [
        415,
        'unsupported_media_type',
        'Send the body as application/json or application/merge-patch+json',
        'application/json, application/merge-patch+json',
      ],
    )
    const put = await serve().inject({ method: 'PUT', url: '/cars', body: '<a/>', headers })
    assert.deepEqual(
      [put.statusCode, (put.json() as { detail: string }).detail, put.headers['accept-patch']],
      [415, 'Send the body as application/json', undefined],
    )
  })
})

describe('Accept-Patch', () => {
  const cases = [
    ['/cars', 'application/json, application/merge-patch+json'],
    ['/cars/record', 'application/json, application/merge-patch+json'],
    ['/cars/either', 'application/json, application/merge-patch+json, text/plain'],
    ['/cars/list', 'application/json'],
    ['/cars/steps', 'application/json-patch+json'],
    ['/cars/form', 'application/x-www-form-urlencoded, multipart/form-data'],
    ['/cars/bytes', undefined],
    ['/cars/own', undefined],
  ] as const
  for (const [url, accepted] of cases) {
    it(`of ${url} is ${accepted ?? 'not sent'}`, async () => {
      const app = serve()
      for (const [method, status] of [
        ['OPTIONS', 204],
        ['DELETE', 405],
      ] as const) {
        const { statusCode, headers } = await app.inject({ method, url })
        assert.deepEqual([statusCode, headers['accept-patch']], [status, accepted])
        assert.match(String(headers['allow']), /\bPATCH\b/)
      }
    })
  }
})

describe('documents of PATCH', () => {
  it('show JSON objects as merge patches too, by PATCH alone', async () => {
    const app = serve()
    await app.ready()
    const { paths } = app.openapi()
    const typesOf = (path: string, method: string) =>
      Object.keys(paths[path]?.[method]?.requestBody?.content ?? {})
    assert.deepEqual(typesOf('/cars', 'patch'), ['application/json', 'application/merge-patch+json'])
    assert.deepEqual(typesOf('/cars', 'put'), ['application/json'])
    assert.deepEqual(typesOf('/cars/list', 'patch'), ['application/json'])
    assert.deepEqual(typesOf('/cars/steps', 'patch'), ['application/json-patch+json'])
    const { content } = paths['/cars']?.['patch']?.requestBody ?? { content: {} }
    assert.deepEqual(content['application/merge-patch+json'], content['application/json'])
  })
})

describe('mergePatch', () => {
  // RFC 7396 appendix A: the target, the patch and the result
  const cases = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ] as const
  for (const [target, patch, result] of cases) {
    it(`makes ${result} of ${target} by ${patch}`, () => {
      const before = JSON.parse(target) as object
      assert.equal(JSON.stringify(mergePatch(before, JSON.parse(patch) as never)), result)
      assert.equal(JSON.stringify(before), target)
    })
  }
  it('takes __proto__ and constructor for names like any other', () => {
    const patch = JSON.parse('{"__proto__":{"bad":1},"constructor":{"prototype":{"bad":1}}}') as never
    const merged = mergePatch({ name: 'Ford' }, patch)
    assert.equal(Object.getPrototypeOf(merged), Object.prototype)
    assert.deepEqual(Object.keys(merged), ['name', '__proto__', 'constructor'])
    assert.equal(Reflect.get(merged, 'bad'), undefined)
    assert.equal(Reflect.get({}, 'bad'), undefined)
  })
  it('replaces dates, and leaves what is undefined', () => {
    const car: Car = { name: 'Ford', owner: 'Ann', parts: { wheels: 4 }, built: new Date(0), tags: ['a'] }
    assert.deepEqual(
      mergePatch(car, {
        name: undefined,
        owner: null,
        parts: { spare: 'wheel' },
        built: new Date(1),
        tags: [],
      }),
      { name: 'Ford', parts: { wheels: 4, spare: 'wheel' }, built: new Date(1), tags: [] },
    )
  })
  it('has the result that a patch of all members has, and changes nothing by an empty one', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    const bare = (value: unknown): unknown =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value).flatMap(([name, each]) => (each === null ? [] : [[name, bare(each)]])),
          )
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const merged = mergePatch(target, patch as never)
        assert.deepEqual(mergePatch({}, patch as never), bare(patch))
        assert.deepEqual(mergePatch(merged, patch as never), merged)
        assert.deepEqual(mergePatch(target, {}), { ...target })
        for (const [name, value] of Object.entries(patch))
          assert.equal(Object.hasOwn(merged, name), value !== null)
      }),
    )
  })
  it('is typed by the target: null is for members that are optional', () => {
    expectTypeOf<MergePatch<Car>>().toEqualTypeOf<{
      readonly name?: string | undefined
      readonly owner?: string | null | undefined
      readonly parts?:
        | { readonly wheels?: number | undefined; readonly spare?: string | null | undefined }
        | undefined
      readonly built?: Date | undefined
      readonly tags?: readonly string[] | undefined
    }>()
    const car: Car = { name: 'Ford', parts: { wheels: 4 }, built: new Date(0), tags: [] }
    // @ts-expect-error -- a car has a name
    mergePatch(car, { name: null })
    // @ts-expect-error -- a car has wheels
    mergePatch(car, { parts: { wheels: null } })
    expectTypeOf(mergePatch(car, { owner: null })).toEqualTypeOf<Car>()
  })
})
