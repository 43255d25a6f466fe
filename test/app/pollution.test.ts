import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { HttpRequest } from 'octavo'
import type { InjectOptions } from 'octavo'
import { z } from 'zod'

import { exchange, LOOPBACK, parse } from '../node/support.ts'
import { serve } from '../support/serve.ts'
import { controller } from '../support/untyped.ts'

/** Names that every object has, or that lead to its prototype. */
const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
] as const
/** How some parsers nest what they find. */
const NESTED = [
  '__proto__[polluted]',
  '__proto__.polluted',
  'constructor[prototype][polluted]',
  'a[__proto__][polluted]',
]

const SOURCES = ['query', 'headers', 'cookies', 'form', 'body'] as const
type Source = (typeof SOURCES)[number] | 'multipart'

/** A record in which `__proto__` is an ordinary key. */
const record = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(entries)

function toRequest(source: Source, name: string): InjectOptions {
  const escaped = encodeURIComponent(name)
  const post = { method: 'POST', url: '/' }
  const requests: Readonly<Record<Source, InjectOptions>> = {
    query: { ...post, url: `/?${escaped}=polluted&other=1` },
    headers: {
      ...post,
      headers: { ...(record([[name, 'polluted']]) as Record<string, string>), other: '1' },
    },
    cookies: { ...post, headers: { cookie: `${name}=polluted; other=1` } },
    form: {
      ...post,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${escaped}=polluted&other=1`,
    },
    multipart: {
      ...post,
      multipart: record([
        [name, 'polluted'],
        ['other', '1'],
      ]) as Record<string, string>,
    },
    body: { ...post, body: `{${JSON.stringify(name)}:{"polluted":true},"other":"1"}` },
  }
  return requests[source]
}

const members = Object.getOwnPropertyNames(Object.prototype)

function assertUntouched(): void {
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), members)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
  assert.equal(Reflect.get(Object, 'polluted'), undefined)
}

/** Whether nothing that a client sent is behind the value; what it inherits is what every object does, or nothing. */
function assertClean(value: unknown): void {
  assertUntouched()
  if (typeof value !== 'object' || value === null) return
  const prototype: unknown = Object.getPrototypeOf(value)
  const isBare = prototype === null || Reflect.ownKeys(Object(prototype)).length === 0
  assert.ok(isBare || prototype === Object.prototype || Array.isArray(value), 'has a prototype of its own')
  assert.equal(Reflect.get(value, 'polluted'), undefined)
  assert.equal(Reflect.get(value, 'other'), '1')
}

/** What a handler received of a source; `undefined` when it did not run. */
async function receive(source: Source, schema: unknown, request: InjectOptions) {
  const key = source === 'multipart' ? 'form' : source
  let received: unknown
  const handler = (input: object): null => {
    received = Reflect.get(input, key)
    return null
  }
  const routes = [{ method: 'POST', input: { [key]: schema }, handler }]
  const app = serve(controller({ prefix: '/', routes }))
  const { statusCode } = await app.inject(request)
  return { statusCode, received }
}

describe('a name that objects inherit', () => {
  for (const source of [...SOURCES, 'multipart'] as const) {
    // a header cannot have brackets in its name
    const names = source === 'headers' ? NAMES : [...NAMES, ...NESTED]
    for (const name of names) {
      it(`is a key like any other, or none: ${name} in ${source}`, async () => {
        const schemas = [
          z.looseObject({}),
          z.record(z.string(), z.unknown()),
          z.unknown(),
          z.object({}).catchall(z.unknown()),
        ]
        for (const schema of schemas) {
          if (schema instanceof z.ZodUnknown && source !== 'body') continue
          // before 4.1.13, zod takes an object with a `constructor` for an instance of a class
          if (schema instanceof z.ZodRecord && !schema.safeParse({ constructor: '' }).success) continue
          const { statusCode, received } = await receive(source, schema, toRequest(source, name))
          assert.equal(statusCode, 200)
          assertClean(received)
        }
      })
    }

    it(`is no value where nothing was sent: ${source}`, async () => {
      const schema = z.object({
        constructor: z.string().optional(),
        toString: z.string().optional(),
        valueOf: z.string().default('none'),
        other: z.string(),
      })
      const { statusCode, received } = await receive(source, schema, toRequest(source, 'harmless'))
      assert.equal(statusCode, 200)
      assert.deepEqual(Object.entries(Object(received)), [
        ['valueOf', 'none'],
        ['other', '1'],
      ])
    })
  }

  it('is refused in a body by schemas that know their keys', async () => {
    for (const name of NAMES) {
      const request = toRequest('body', name)
      const { statusCode } = await receive('body', z.strictObject({ other: z.string() }), request)
      assert.equal(statusCode, 422, name)
      assertUntouched()
    }
  })

  it('is dropped by schemas that drop what they do not know', async () => {
    for (const source of [...SOURCES, 'multipart'] as const) {
      for (const name of NAMES) {
        const { received } = await receive(source, z.object({ other: z.string() }), toRequest(source, name))
        assert.deepEqual(Object.keys(Object(received)), ['other'], `${name} in ${source}`)
        assertClean(received)
      }
    }
  })

  it('deep inside of a body stays where it is', async () => {
    const body =
      '{"other":"1","a":[{"b":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}]}'
    for (const schema of [
      z.unknown(),
      z.looseObject({}),
      z.looseObject({ constructor: z.unknown().optional() }),
    ]) {
      const { statusCode, received } = await receive('body', schema, { method: 'POST', url: '/', body })
      assert.equal(statusCode, 200)
      assertClean(received)
      const copy: unknown = structuredClone(received)
      Object.assign({}, copy)
      assertUntouched()
    }
  })

  it('can name a path parameter, but for __proto__', async () => {
    const handler = ({ params }: { params: Record<string, unknown> }) => [
      params['constructor'],
      params['toString'],
    ]
    const routes = [{ method: 'GET', path: '/{constructor}/{toString}', handler }]
    const app = serve(controller({ prefix: '/', routes }))
    assert.deepEqual((await app.inject('/__proto__/polluted')).json(), ['__proto__', 'polluted'])
    const mistaken = { prefix: '/', routes: [{ method: 'GET', path: '/{__proto__}', handler }] }
    assert.throws(() => serve(controller(mistaken)))
  })
})

describe('request records', () => {
  const routes = [
    {
      method: 'GET',
      input: { inject: { request: HttpRequest } },
      handler: ({ inject: { request } }: { inject: { request: HttpRequest } }) => {
        for (const part of [request.query, request.cookies, request.headers]) {
          assert.equal('toString' in part, false)
          assert.equal(Reflect.get(part, 'polluted'), undefined)
          assert.equal(typeof Reflect.get(part, 'valueOf'), 'undefined')
        }
        return [
          request.header('__proto__') ?? null,
          request.header('constructor') ?? null,
          request.header('valueOf') ?? null,
          request.query['__proto__'] ?? null,
          request.cookies['constructor'] ?? null,
        ]
      },
    },
  ]
  const app = serve(controller({ prefix: '/', routes }))
  let url = ''
  before(async () => {
    url = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  it('inherits nothing, also over a socket', async () => {
    const head = [
      'Host: a.test',
      '__proto__: polluted',
      'constructor: c',
      'Cookie: constructor=d',
      'Connection: close',
    ]
    const text = await exchange(url, `GET /?__proto__=q HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`)
    const [proto, ...others] = JSON.parse(parse(text).body) as unknown[]
    // node:http drops the first
    assert.ok(proto === null || proto === 'polluted', String(proto))
    assert.deepEqual(others, ['c', null, 'q', 'd'])
    assertUntouched()
  })
})
