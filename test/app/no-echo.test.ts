import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { HttpRequest, VersioningSchemes } from 'octavo'
import { apiKey, basicAuth, bearerAuth } from 'octavo/auth'
import type { AppOptions, InjectOptions, InjectResponse } from 'octavo'
import { z } from 'zod'

import { LOOPBACK, open, readAll } from '../node/support.ts'
import { serve } from '../support/serve.ts'
import { controller } from '../support/untyped.ts'

/** What must not come back; no schema and no code has it. */
const MARKER = 'zqxMARKERxqz'

const Input = z.strictObject({
  literal: z.literal('a').optional(),
  choice: z.enum(['a', 'b']).optional(),
  email: z.email().optional(),
  url: z.url().optional(),
  uuid: z.uuid().optional(),
  pattern: z
    .string()
    .regex(/^[0-9]$/)
    .optional(),
  prefix: z.string().startsWith('a').optional(),
  short: z.string().max(3).optional(),
  number: z.number().optional(),
  bigint: z.bigint().optional(),
  boolean: z.boolean().optional(),
  date: z.date().optional(),
  either: z.union([z.literal('a'), z.number()]).optional(),
  list: z.array(z.enum(['a'])).optional(),
  refined: z
    .string()
    .refine(() => false)
    .optional(),
})
const Deep = z.strictObject({
  ...Input.shape,
  kind: z.discriminatedUnion('type', [z.object({ type: z.literal('a') })]).optional(),
  record: z.record(z.enum(['a']), z.string()).optional(),
  numbers: z.record(z.string(), z.number()).optional(),
  tuple: z.tuple([z.number()]).optional(),
  set: z.array(z.iso.datetime()).optional(),
  stringbool: z.stringbool().optional(),
  coerced: z.coerce.number().optional(),
  template: z.templateLiteral(['a', z.number()]).optional(),
  custom: z.custom(() => false).optional(),
})
const FIELDS = Object.keys(Input.shape)

const boom = (): never => {
  throw new Error(`inside ${MARKER}`)
}
const routes = [
  { method: 'GET', path: '/int/{id:int}', handler: () => 1 },
  { method: 'GET', path: '/params/{id}', input: { params: { id: z.enum(['a']) } }, handler: () => 1 },
  { method: 'GET', path: '/query', input: { query: Input }, handler: () => 1 },
  {
    method: 'GET',
    path: '/headers',
    input: { headers: z.object({ 'x-a': z.enum(['a']) }) },
    handler: () => 1,
  },
  { method: 'GET', path: '/cookies', input: { cookies: Input.omit({ list: true }) }, handler: () => 1 },
  { method: 'POST', path: '/form', input: { form: Input }, handler: () => 1 },
  {
    method: 'POST',
    path: '/files',
    input: { form: Input, files: { file: z.file().max(1).mime('image/png') } },
    handler: () => 1,
  },
  { method: 'POST', path: '/body', input: { body: Deep }, handler: () => 1 },
  { method: 'POST', path: '/text', input: { body: z.string().max(1) }, handler: () => 1 },
  { method: 'GET', path: '/throws', handler: boom },
  {
    method: 'GET',
    path: '/throws-input',
    input: { inject: { request: HttpRequest } },
    handler: ({ inject: { request } }: { inject: { request: HttpRequest } }) => {
      throw new Error(request.url)
    },
  },
  {
    method: 'POST',
    path: '/json',
    input: { inject: { request: HttpRequest } },
    handler: ({ inject: { request } }: { inject: { request: HttpRequest } }) => request.json(),
  },
  {
    method: 'GET',
    path: '/bearer',
    guards: [bearerAuth({ verify: () => false })],
    handler: () => 1,
  },
  { method: 'GET', path: '/basic', guards: [basicAuth({ verify: () => false })], handler: () => 1 },
  {
    method: 'GET',
    path: '/key',
    guards: [apiKey({ in: 'header', name: 'x-api-key', verify: () => false })],
    handler: () => 1,
  },
]

const create = (options: AppOptions = {}) =>
  serve(controller({ prefix: '/', routes }), {
    limits: { parameters: 20 },
    ...options,
  })
const app = create()

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): InjectOptions => ({
  method: 'POST',
  url,
  body,
  headers,
})
const multipart = (disposition: string, type = 'text/plain', content = MARKER): InjectOptions =>
  post(
    '/files',
    `--b\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n--b--\r\n`,
    { 'content-type': 'multipart/form-data; boundary=b' },
  )
const json = (value: unknown): InjectOptions => post('/body', JSON.stringify(value))

const CASES: Readonly<Record<string, InjectOptions>> = {
  'a path that is not served': { url: `/${MARKER}` },
  'a parameter that does not fit its type': { url: `/int/${MARKER}` },
  'a parameter that does not fit its schema': { url: `/params/${MARKER}` },
  'a malformed escape': { url: `/params/${MARKER}%zz` },
  'a malformed target': { url: `http://${MARKER}`, method: 'DELETE' },
  'a method that the path has not': { url: '/query', method: MARKER.replaceAll(/[^a-z]/gi, '') },
  'a long target': { url: `/${MARKER.repeat(1000)}` },
  'long headers': { url: '/query', headers: { 'x-a': MARKER.repeat(2000) } },
  'too many parameters': { url: `/query?${`${MARKER}=1&`.repeat(30)}` },
  'a value of a header': { url: '/headers', headers: { 'x-a': MARKER } },
  'a cookie that is malformed': { url: '/cookies', headers: { cookie: `literal="${MARKER}` } },
  'a content type': post('/body', '{}', { 'content-type': `text/${MARKER}` }),
  'a charset': post('/body', '{}', { 'content-type': `application/json; charset=${MARKER}` }),
  'a content coding': post('/body', '{}', { 'content-encoding': MARKER }),
  'content not in its coding': post('/body', MARKER, { 'content-encoding': 'gzip' }),
  'malformed JSON': post('/body', `{"${MARKER}": ${MARKER}`),
  'JSON that a handler reads': post('/json', `{"a": ${MARKER}`),
  'JSON that is too deep': post('/body', `{"a":"${MARKER}","b":${'['.repeat(501)}${']'.repeat(501)}}`),
  'text that is too long': post('/text', MARKER, { 'content-type': 'text/plain' }),
  'text that is no UTF-8': post('/text', Buffer.concat([Buffer.from(MARKER), Buffer.of(255)]), {
    'content-type': 'text/plain',
  }),
  'a body of another type': json(MARKER),
  'credentials of another scheme': { url: '/bearer', headers: { authorization: `${MARKER} ${MARKER}` } },
  'a token': { url: '/bearer', headers: { authorization: `Bearer ${MARKER}` } },
  'a malformed token': { url: '/bearer', headers: { authorization: `Bearer ${MARKER} ${MARKER}` } },
  'a password': { url: '/basic', headers: { authorization: `Basic ${btoa(`${MARKER}:${MARKER}`)}` } },
  'malformed credentials': { url: '/basic', headers: { authorization: `Basic ${MARKER}` } },
  'a key': { url: '/key', headers: { 'x-api-key': MARKER } },
  'a failure inside': { url: '/throws' },
  'a failure that quotes its request': { url: `/throws-input?${MARKER}`, headers: { 'x-a': MARKER } },
  'a host': {
    url: '/nowhere',
    headers: { host: MARKER, 'x-forwarded-host': MARKER, 'x-forwarded-for': MARKER },
  },
  'the name of a file': multipart(`form-data; name="file"; filename="${MARKER}.png"`, `image/${MARKER}`),
  'the name of a field': multipart(`form-data; name="literal"; ${MARKER}="a"`),
  'the value of a field': multipart('form-data; name="literal"'),
  'a part without a name': multipart(`form-data; filename="${MARKER}"`),
  'a boundary': post('/files', MARKER, { 'content-type': `multipart/form-data; boundary=${MARKER}` }),
  'a coding of a part': post(
    '/files',
    `--b\r\nContent-Disposition: form-data; name="literal"\r\nContent-Transfer-Encoding: ${MARKER}\r\n\r\n1\r\n--b--\r\n`,
    { 'content-type': 'multipart/form-data; boundary=b' },
  ),
  ...Object.fromEntries(
    FIELDS.flatMap((field) => [
      [`a query value for ${field}`, { url: `/query?${field}=${MARKER}` }],
      [`several query values for ${field}`, { url: `/query?${field}=${MARKER}&${field}=${MARKER}` }],
      [`a cookie for ${field}`, { url: '/cookies', headers: { cookie: `${field}=${MARKER}` } }],
      [`a form field for ${field}`, post('/form', `${field}=${MARKER}`, FORM)],
    ]),
  ),
  ...Object.fromEntries(
    Object.keys(Deep.shape).flatMap((field) => [
      [`a text in a body for ${field}`, json({ [field]: MARKER })],
      [`a list in a body for ${field}`, json({ [field]: [MARKER] })],
      [`an object in a body for ${field}`, json({ [field]: { type: MARKER, a: { b: MARKER } } })],
    ]),
  ),
}

function assertSilent({ statusCode, body, headers }: InjectResponse): void {
  assert.ok(!body.includes(MARKER), body)
  assert.ok(!JSON.stringify(headers).includes(MARKER), JSON.stringify(headers))
  assert.ok(statusCode >= 400, `answered ${statusCode}`)
}

describe('an error does not say what was sent', () => {
  for (const [title, request] of Object.entries(CASES)) {
    it(title, async () => assertSilent(await app.inject(request)))
  }

  it('a body that is too long', async () => {
    assertSilent(await create({ bodyLimit: 5 }).inject(json({ a: MARKER })))
  })

  it('where versions are in the path, the query or a header', async () => {
    for (const [scheme, request] of [
      [VersioningSchemes.URL, { url: `/${MARKER}/query` }],
      [VersioningSchemes.QUERY, { url: `/query?literal=${MARKER}` }],
      [VersioningSchemes.HEADER, { url: '/headers', headers: { 'x-a': MARKER } }],
    ] as const) {
      const versioned = create()
      versioned.enableVersioning(scheme, {})
      assertSilent(await versioned.inject(request))
    }
  })
})

describe('an error names', () => {
  it('keys that a strict schema does not know, which are no values, and cuts long ones', async () => {
    const response = await app.inject(json({ [MARKER]: 1 }))
    assert.deepEqual(Object(response.json()).errors, [
      { in: 'body', path: [], code: 'unrecognized_keys', message: `Unrecognized key: "${MARKER}"` },
    ])
    const long = await app.inject(json({ ['k'.repeat(10_000)]: 1 }))
    assert.ok(long.body.length < 1000, `${long.body.length} characters`)
  })

  it('keys of a record whose values are wrong', async () => {
    const response = await app.inject(json({ numbers: { [MARKER]: 'no number' } }))
    assert.deepEqual(Object(response.json()).errors[0].path, ['numbers', MARKER])
  })

  it('the version that was asked for, and cuts a long one', async () => {
    const versions = [{ method: 'GET', version: '1', handler: () => 1 }]
    const versioned = serve(controller({ prefix: '/', routes: versions }))
    versioned.enableVersioning(VersioningSchemes.QUERY)
    assert.equal(Object((await versioned.inject(`/?version=${MARKER}`)).json()).requested, MARKER)
    const long = await versioned.inject(`/?version=${'9'.repeat(5000)}`)
    assert.ok(long.body.length < 1000, `${long.body.length} characters`)
  })
})

describe('a refusal at the socket does not say what was sent', () => {
  let url = ''
  before(async () => {
    url = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  const HOST = 'Host: a.test\r\n'
  for (const [title, text] of [
    ['a method', `${MARKER} / HTTP/1.1\r\n${HOST}\r\n`],
    ['a version of HTTP', `GET / HTTP/${MARKER}\r\n${HOST}\r\n`],
    ['a header without colon', `GET / HTTP/1.1\r\n${HOST}${MARKER}\r\n\r\n`],
    ['a header with a control character', `GET / HTTP/1.1\r\n${HOST}X-A: ${MARKER}\x00\r\n\r\n`],
    ['a length', `POST /body HTTP/1.1\r\n${HOST}Content-Length: ${MARKER}\r\n\r\n`],
    ['a transfer coding', `POST /body HTTP/1.1\r\n${HOST}Transfer-Encoding: ${MARKER}\r\n\r\n`],
    ['a chunk', `POST /body HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${MARKER}\r\n`],
    ['an expectation', `GET / HTTP/1.1\r\n${HOST}Expect: ${MARKER}\r\n\r\n`],
    ['a host', `GET / HTTP/1.1\r\nHost: ${MARKER}/${MARKER}\r\nConnection: close\r\n\r\n`],
    ['several hosts', `GET / HTTP/1.1\r\n${HOST}Host: ${MARKER}\r\nConnection: close\r\n\r\n`],
    ['a tunnel', `CONNECT ${MARKER}:80 HTTP/1.1\r\n${HOST}\r\n`],
    ['a long target', `GET /${MARKER.repeat(1000)} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`],
    ['long headers', `GET / HTTP/1.1\r\n${HOST}X-A: ${MARKER.repeat(3000)}\r\nConnection: close\r\n\r\n`],
  ] as const) {
    it(title, async () => {
      const socket = await open(url)
      socket.end(text, 'latin1')
      const answer = await readAll(socket)
      assert.match(answer, /^HTTP\/1\.1 4\d\d /)
      assert.ok(!answer.includes(MARKER), answer)
    })
  }
})
