import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import type { AppOptions, InjectOptions } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { controller } from '../support/untyped.ts'

/** The status and what the handler received; the code of the problem where it did not run. */
async function send(
  input: object,
  request: Partial<InjectOptions>,
  options: AppOptions = {},
): Promise<unknown> {
  let received: unknown
  const handler = (value: Readonly<Record<string, unknown>>) => {
    received = value['body'] ?? value['form']
    return null
  }
  const routes = [{ method: 'POST', input, handler }]
  const app = serve(controller({ prefix: '/', routes }), options)
  const response = await app.inject({ method: 'POST', url: '/', ...request })
  if (response.statusCode === 200) return received
  const { status, code } = response.json() as { readonly status: number; readonly code: string }
  return `${status} ${code}`
}

const Any = { body: z.unknown() }
const ObjectBody = { body: z.object({ a: z.unknown() }) }
const TextBody = { body: z.string() }
const BytesBody = { body: z.instanceof(Uint8Array) }
const FormBody = { form: ['a'] }
const JSON_TYPE = { 'content-type': 'application/json' }

const bytes = (...list: readonly (number | string)[]) =>
  Buffer.concat(list.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))

describe('a JSON body', () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  const cases = [
    ['is parsed', ObjectBody, '{"a":[1,"x",null,true]}', { a: [1, 'x', null, true] }],
    ['is never converted', { body: z.object({ a: z.number() }) }, '{"a":"1"}', '422 validation_failed'],
    ['can be a string', TextBody, '"x"', 'x'],
    ['can be a number', { body: z.number() }, '7', 7],
    ['can be null', { body: z.null() }, 'null', undefined],
    ['can have white space around it', ObjectBody, ' \r\n{"a":1}\t', { a: 1 }],
    ['can begin with a byte-order mark', ObjectBody, bytes(0xef, 0xbb, 0xbf, '{"a":1}'), { a: 1 }],
    [
      'cannot begin with two byte-order marks',
      ObjectBody,
      bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, '{}'),
      '400 malformed_json',
    ],
    ['cannot be only a byte-order mark', ObjectBody, bytes(0xef, 0xbb, 0xbf), '400 malformed_json'],
    ['cannot be cut off', ObjectBody, '{"a":', '400 malformed_json'],
    ['cannot have something behind it', ObjectBody, '{"a":1} x', '400 malformed_json'],
    ['cannot have a comma at the end', ObjectBody, '{"a":1,}', '400 malformed_json'],
    ['cannot have comments', ObjectBody, '/**/{}', '400 malformed_json'],
    ['cannot be blank', ObjectBody, ' ', '400 malformed_json'],
    ['cannot hold NaN', ObjectBody, '{"a":NaN}', '400 malformed_json'],
    ['cannot have bytes that are not UTF-8', ObjectBody, bytes('{"a":"', 0xff, '"}'), '400 malformed_body'],
    ['cannot have an overlong encoding', ObjectBody, bytes('{"a":"', 0xc0, 0xaf, '"}'), '400 malformed_body'],
    [
      'cannot have a surrogate in UTF-8',
      ObjectBody,
      bytes('{"a":"', 0xed, 0xa0, 0x80, '"}'),
      '400 malformed_body',
    ],
    ['cannot be UTF-16', ObjectBody, Buffer.from('\ufeff{"a":1}', 'utf16le'), '400 malformed_body'],
    ['can have 500 levels', { body: z.array(z.unknown()).transform(() => 'deep') }, nested(500), 'deep'],
    ['cannot have 501 levels', { body: z.array(z.unknown()) }, nested(501), '400 malformed_json'],
    [
      'cannot have 501 levels of objects',
      Any,
      `${'{"a":'.repeat(501)}1${'}'.repeat(501)}`,
      '400 malformed_json',
    ],
    ['cannot have 100,000 levels', Any, '['.repeat(100_000), '400 malformed_json'],
    [
      'can have more brackets beside each other',
      {
        body: z
          .array(z.unknown())
          .length(600)
          .transform(() => 'wide'),
      },
      `[${Array(600).fill('[]').join()}]`,
      'wide',
    ],
    [
      'can have more brackets in a string',
      { body: z.array(z.string()).transform(() => 'text') },
      JSON.stringify(['"['.repeat(600)]),
      'text',
    ],
    ['drops __proto__ unless declared', ObjectBody, '{"a":1,"__proto__":{"b":2}}', { a: 1 }],
    ['keeps the last of repeated keys', ObjectBody, '{"a":1,"a":2}', { a: 2 }],
  ] as const
  for (const [title, input, body, expected] of cases) {
    it(title, async () => assert.deepEqual(await send(input, { body, headers: JSON_TYPE }), expected))
  }

  it('leaves __proto__ to the schema as an ordinary key', async () => {
    const received = await send(
      { body: z.unknown() },
      { body: '{"__proto__":{"admin":true}}', headers: JSON_TYPE },
    )
    assert.deepEqual(
      {
        keys: Object.keys(received as object),
        prototype: Object.getPrototypeOf(received) === Object.prototype,
        admin: 'admin' in (received as object),
        polluted: 'admin' in {},
      },
      { keys: ['__proto__'], prototype: true, admin: false, polluted: false },
    )
  })

  it('is refused by a strict schema with __proto__', async () =>
    assert.equal(
      await send({ body: z.strictObject({}) }, { body: '{"__proto__":1}', headers: JSON_TYPE }),
      '422 validation_failed',
    ))

  it('is never quoted when it is malformed', async () => {
    const routes = [{ method: 'POST', input: ObjectBody, handler: () => null }]
    const app = serve(controller({ prefix: '/', routes }))
    const response = await app.inject({
      method: 'POST',
      url: '/',
      body: '{"password":hunter2}',
      headers: JSON_TYPE,
    })
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:malformed-json',
      title: 'Malformed JSON',
      status: 400,
      detail: 'The body is not valid JSON',
      code: 'malformed_json',
    })
  })
})

describe('a body that is missing', () => {
  const cases = [
    ['is undefined', { body: z.string().optional() }, {}, undefined],
    ['is undefined with a content type', { body: z.string().optional() }, { headers: JSON_TYPE }, undefined],
    ['is the default', { body: z.object({}).default({}) }, {}, {}],
    ['is refused where one is declared', ObjectBody, {}, '422 validation_failed'],
    ['is refused where bytes are declared', BytesBody, {}, '422 validation_failed'],
    ['has no fields of a form', FormBody, {}, '422 validation_failed'],
    ['is a form whose fields are optional', { form: { a: z.string().optional() } }, {}, Object.assign({})],
  ] as const
  for (const [title, input, request, expected] of cases) {
    it(title, async () => assert.deepEqual(await send(input, request), expected))
  }
})

describe('the content type', () => {
  const refused = '415 unsupported_media_type'
  const json = '{"a":1}'
  const cases = [
    ['can be absent for JSON', ObjectBody, undefined, json, { a: 1 }],
    ['can be application/json', ObjectBody, 'application/json', json, { a: 1 }],
    ['can be in any case', ObjectBody, 'Application/JSON', json, { a: 1 }],
    ['can have parameters', ObjectBody, 'application/json; profile="x;y"', json, { a: 1 }],
    ['can name UTF-8', ObjectBody, 'application/json;charset=UTF-8', json, { a: 1 }],
    ['can name UTF-8 in quotes', ObjectBody, 'application/json; charset="utf-8"', json, { a: 1 }],
    ['can name US-ASCII', ObjectBody, 'application/json; charset=us-ascii', json, { a: 1 }],
    ['can be a type on top of JSON', ObjectBody, 'application/merge-patch+json', json, { a: 1 }],
    ['cannot name another charset', ObjectBody, 'application/json; charset=utf-16', json, refused],
    ['cannot be text for an object', ObjectBody, 'text/plain', json, refused],
    ['cannot be text for a list', { body: z.array(z.string()) }, 'text/plain', json, refused],
    ['cannot be text for a number', { body: z.number() }, 'text/plain', '7', refused],
    ['cannot be HTML for an object', ObjectBody, 'text/html', json, refused],
    ['cannot be XML for an object', ObjectBody, 'application/xml', '<a/>', refused],
    ['cannot be a form for an object', ObjectBody, 'application/x-www-form-urlencoded', 'a=1', refused],
    ['cannot be multipart for an object', ObjectBody, 'multipart/form-data; boundary=x', '--x--', refused],
    ['cannot be bytes for an object', ObjectBody, 'application/octet-stream', json, refused],
    ['cannot merely begin with JSON', ObjectBody, 'application/jsonp', json, refused],
    ['cannot be JSON lines', ObjectBody, 'application/x-ndjson', json, refused],
    ['cannot be malformed', ObjectBody, 'json', json, refused],
    ['cannot be a list', ObjectBody, 'application/json, text/plain', json, refused],
    ['cannot be blank', ObjectBody, '', json, refused],
    ['can be text for a string', TextBody, 'text/plain', 'abc', 'abc'],
    ['can be another text for a string', TextBody, 'text/csv', 'a,b', 'a,b'],
    ['can be XML for a string', TextBody, 'application/xml', '<a/>', '<a/>'],
    ['can be a type on top of XML for a string', TextBody, 'image/svg+xml', '<svg/>', '<svg/>'],
    ['can be JSON for a string', TextBody, 'application/json', '"abc"', 'abc'],
    ['can be absent for a string in JSON', TextBody, undefined, '"abc"', 'abc'],
    ['cannot be absent for a string that is not in JSON', TextBody, undefined, 'abc', '400 malformed_json'],
    ['cannot be a form for a string', TextBody, 'application/x-www-form-urlencoded', 'a=1', refused],
    ['cannot be text in another charset', TextBody, 'text/plain; charset=iso-8859-1', 'abc', refused],
    ['can be text for an optional string', { body: z.string().optional() }, 'text/plain', 'abc', 'abc'],
    ['can be text for a string with transform', { body: z.string().transform(Number) }, 'text/plain', '7', 7],
    ['can be text for an enum', { body: z.enum(['a', 'b']) }, 'text/plain', 'b', 'b'],
    [
      'can be text for a union with a string',
      { body: z.union([z.object({}), z.string()]) },
      'text/plain',
      'b',
      'b',
    ],
    ['can be text for z.unknown', Any, 'text/plain', 'b', 'b'],
    ['can be anything for bytes', BytesBody, 'image/png', bytes(0, 255), bytes(0, 255)],
    ['can be absent for bytes', BytesBody, undefined, bytes(0, 255), bytes(0, 255)],
    ['can be JSON for bytes', BytesBody, 'application/json', '{', bytes('{')],
    [
      'can be anything for optional bytes',
      { body: z.instanceof(Uint8Array).optional() },
      'a/b',
      'x',
      bytes('x'),
    ],
    ['can be urlencoded for a form', FormBody, 'application/x-www-form-urlencoded', 'a=1', { a: '1' }],
    [
      'can be urlencoded with a charset',
      FormBody,
      'application/x-www-form-urlencoded; charset=UTF-8',
      'a=1',
      { a: '1' },
    ],
    ['can be absent for a form', FormBody, undefined, 'a=1', { a: '1' }],
    ['cannot be JSON for a form', FormBody, 'application/json', json, refused],
    ['cannot be text for a form', FormBody, 'text/plain', 'a=1', refused],
    [
      'cannot be in another charset for a form',
      FormBody,
      'application/x-www-form-urlencoded; charset=utf-16',
      'a=1',
      refused,
    ],
  ] as const
  for (const [title, input, type, body, expected] of cases) {
    it(title, async () => {
      const received = await send(input, { body, headers: { 'content-type': type } })
      assert.deepEqual(received instanceof Uint8Array ? Buffer.from(received) : received, expected)
    })
  }

  it('that is refused says what to send', async () => {
    const routes = [
      { method: 'POST', path: '/object', input: ObjectBody, handler: () => null },
      { method: 'POST', path: '/text', input: TextBody, handler: () => null },
      { method: 'POST', path: '/form', input: FormBody, handler: () => null },
    ]
    const app = serve(controller({ prefix: '/', routes }))
    const details = await Promise.all(
      ['/object', '/text', '/form'].map(async (url) => {
        const response = await app.inject({
          method: 'POST',
          url,
          body: 'x',
          headers: { 'content-type': 'a/b' },
        })
        return response.json()
      }),
    )
    const problem = (detail: string) => ({
      type: 'urn:octavo:problem:unsupported-media-type',
      title: 'Unsupported Media Type',
      status: 415,
      detail,
      code: 'unsupported_media_type',
    })
    assert.deepEqual(details, [
      problem('Send the body as application/json'),
      problem('Send the body as text/plain'),
      problem('Send the body as application/x-www-form-urlencoded or multipart/form-data'),
    ])
  })
})

describe('a text body', () => {
  it('cannot have bytes that are not UTF-8', async () =>
    assert.equal(
      await send(TextBody, { body: bytes(0xff), headers: { 'content-type': 'text/plain' } }),
      '400 malformed_body',
    ))

  it('is without its byte-order mark', async () =>
    assert.equal(
      await send(TextBody, { body: bytes(0xef, 0xbb, 0xbf, 'a'), headers: { 'content-type': 'text/plain' } }),
      'a',
    ))

  it('as a form cannot have bytes that are not UTF-8', async () =>
    assert.equal(
      await send(FormBody, {
        body: bytes('a=', 0xff),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
      '400 malformed_body',
    ))
})

describe('the limit of a body', () => {
  const text = { 'content-type': 'text/plain' }
  const mebibyte = 1_048_576
  const cases = [
    ['is 1 MiB', { body: 'x'.repeat(mebibyte), headers: text }, {}, 'x'.repeat(mebibyte)],
    ['is not a byte more', { body: 'x'.repeat(mebibyte + 1), headers: text }, {}, '413 body_too_large'],
    ['is what the application says', { body: 'xxxx', headers: text }, { bodyLimit: 4 }, 'xxxx'],
    ['is counted in bytes', { body: 'xxxé', headers: text }, { bodyLimit: 4 }, '413 body_too_large'],
    ['can be nothing', { body: 'x', headers: text }, { bodyLimit: 0 }, '413 body_too_large'],
  ] as const
  for (const [title, request, options, expected] of cases) {
    it(title, async () => assert.equal(await send(TextBody, request, options), expected))
  }

  it('counts for forms and bytes too', async () =>
    assert.deepEqual(
      [
        await send(FormBody, { form: { a: 'xxxx' } }, { bodyLimit: 5 }),
        await send(BytesBody, { body: bytes('xxxxxx') }, { bodyLimit: 5 }),
      ],
      ['413 body_too_large', '413 body_too_large'],
    ))

  it('says what it is', async () => {
    const routes = [{ method: 'POST', input: TextBody, handler: () => null }]
    const app = serve(controller({ prefix: '/', routes }), { bodyLimit: 3 })
    const response = await app.inject({ method: 'POST', url: '/', body: '"xx"' })
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:body-too-large',
      title: 'Content Too Large',
      status: 413,
      detail: 'The body is longer than 3 bytes',
      code: 'body_too_large',
    })
  })
})

describe('the body in context.request', () => {
  const app = serve([
    {
      method: 'POST',
      input: { body: z.object({ a: z.number() }) },
      handler: async ({ body }, { request }) => ({
        body,
        text: await request.text(),
        json: await request.json(),
        bytes: [...(await request.bytes())],
        web: await request.web.text(),
      }),
    },
    {
      method: 'POST',
      path: '/undeclared',
      handler: async (_input, { request }) => ({
        first: await request.text(),
        again: await request.text(),
      }),
    },
  ])

  it('is still there after validation', async () => {
    const text = '{"a": 1}'
    const response = await app.inject({ method: 'POST', url: '/', body: text })
    assert.deepEqual(response.json(), {
      body: { a: 1 },
      text,
      json: { a: 1 },
      bytes: [...Buffer.from(text)],
      web: text,
    })
  })

  it('is there when none is declared', async () => {
    const response = await app.inject({ method: 'POST', url: '/undeclared', body: 'abc' })
    assert.deepEqual(response.json(), { first: 'abc', again: 'abc' })
  })
})
