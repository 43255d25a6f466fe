import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import { createApp, defineController, defineModule, file, VersioningSchemes } from 'octavo'
import { cors, etag } from 'octavo/middleware'
import type { App, AppOptions, InjectOptions } from 'octavo'
import { z } from 'zod'

const Search = z.object({ make: z.string(), limit: z.number().default(10) })
const JSON_TYPE = { 'content-type': 'application/json' }

const cars = defineController({
  name: 'cars',
  routes: [
    { method: 'GET', handler: () => ['Ford'] },
    { method: 'QUERY', input: { body: Search }, handler: ({ body }) => body },
    {
      method: ['POST', 'QUERY'],
      path: '/both',
      input: { body: Search.optional() },
      handler: ({ body }) => body ?? 'all',
    },
    { method: 'QUERY', path: '/form', input: { form: { make: z.string() } }, handler: ({ form }) => form },
    {
      method: 'QUERY',
      path: '/files',
      input: { files: { sample: z.file() } },
      handler: ({ files }) => files.sample.size,
    },
    {
      method: 'QUERY',
      path: '/text',
      input: { body: z.union([z.string(), Search]) },
      handler: ({ body }) => body,
    },
    {
      method: 'QUERY',
      path: '/sql',
      input: { body: z.string().meta({ contentMediaType: 'application/sql;charset=utf-8' }) },
      handler: ({ body }) => body,
    },
    {
      method: 'QUERY',
      path: '/digit',
      input: { body: z.string().meta({ contentMediaType: '3gpp/x' }).optional() },
      handler: ({ body }) => body,
    },
    {
      method: 'QUERY',
      path: '/bytes',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => body.length,
    },
    { method: 'QUERY', path: '/own', handler: (_input, { request }) => request.text() },
    { method: 'QUERY', path: '/download', handler: () => file(Buffer.from('abcdef'), { etag: '"7"' }) },
  ],
})

function serve(options: AppOptions = {}): App {
  return createApp(defineModule({ controllers: [cars] }), { logger: false, ...options })
}

const query = (url: string, rest: Partial<InjectOptions> = {}): InjectOptions => ({
  method: 'QUERY',
  url,
  ...rest,
})

describe('QUERY', () => {
  it('reads its body as its schema says', async () => {
    const response = await serve().inject(query('/cars', { json: { make: 'Ford' } }))
    assert.deepEqual([response.statusCode, response.json()], [200, { make: 'Ford', limit: 10 }])
    assert.deepEqual((await serve().inject('/cars')).json(), ['Ford'])
  })
  it('reads forms and files', async () => {
    const form = await serve().inject(query('/cars/form', { form: { make: 'Ford' } }))
    assert.deepEqual(form.json(), { make: 'Ford' })
    const files = await serve().inject(query('/cars/files', { multipart: { sample: new Blob(['abc']) } }))
    assert.equal(files.json(), 3)
  })
  it('reads a body in the type that its schema names', async () => {
    const headers = { 'content-type': 'application/sql' }
    const response = await serve().inject(query('/cars/sql', { body: 'SELECT 1', headers }))
    assert.equal(response.json(), 'SELECT 1')
    const latin = { 'content-type': 'application/sql;charset=latin1' }
    assert.equal(
      (await serve().inject(query('/cars/sql', { body: 'SELECT 1', headers: latin }))).statusCode,
      415,
    )
  })
  it('has no answer of its own where a path has none, and HEAD has none of it', async () => {
    const app = serve()
    const { statusCode, headers } = await app.inject(query('/cars/nothing'))
    assert.deepEqual([statusCode, headers['allow']], [404, undefined])
    assert.equal((await app.inject({ method: 'HEAD', url: '/cars/form' })).statusCode, 405)
  })
  it('is named by urlFor and listed with its method', () => {
    const app = serve()
    assert.deepEqual(
      app.routes().flatMap(({ name, methods }) => (methods.includes('QUERY') ? [name] : [])),
      [
        'cars.query',
        'cars.postBoth',
        'cars.queryForm',
        'cars.queryFiles',
        'cars.queryText',
        'cars.querySql',
        'cars.queryDigit',
        'cars.queryBytes',
        'cars.queryOwn',
        'cars.queryDownload',
      ],
    )
  })
})

describe('the content type of QUERY', () => {
  const missing = [
    ['JSON', '/cars', '{"make":"Ford"}', 'application/json', 'application/json'],
    [
      'a form',
      '/cars/form',
      'make=Ford',
      'application/x-www-form-urlencoded, multipart/form-data',
      'application/x-www-form-urlencoded or multipart/form-data',
    ],
    ['files', '/cars/files', 'abc', 'multipart/form-data', 'multipart/form-data'],
    ['bytes', '/cars/bytes', 'abc', '*/*', '*/*'],
  ] as const
  for (const [what, url, body, accepted, named] of missing) {
    it(`has to be there with ${what}`, async () => {
      const response = await serve().inject(query(url, { body }))
      const { code, detail } = response.json() as { code: string; detail: string }
      assert.deepEqual(
        [response.statusCode, code, detail, response.headers['accept-query']],
        [400, 'missing_content_type', `Send a Content-Type with the body: ${named}`, accepted],
      )
    })
  }
  it('has to be there in chunks, too', async () => {
    async function* chunks() {
      yield Buffer.from('{"make":')
      yield Buffer.from('"Ford"}')
    }
    assert.equal((await serve().inject(query('/cars', { body: chunks() }))).statusCode, 400)
    const typed = await serve().inject(query('/cars', { body: chunks(), headers: JSON_TYPE }))
    assert.deepEqual(typed.json(), { make: 'Ford', limit: 10 })
  })
  it('may be missing without content', async () => {
    assert.equal((await serve().inject(query('/cars/both'))).json(), 'all')
    assert.equal((await serve().inject(query('/cars'))).statusCode, 422)
  })
  it('may be missing by other methods, and if the handler reads the content itself', async () => {
    const posted = await serve().inject({ method: 'POST', url: '/cars/both', body: '{"make":"Ford"}' })
    assert.deepEqual(posted.json(), { make: 'Ford', limit: 10 })
    assert.equal((await serve().inject(query('/cars/own', { body: 'anything' }))).json(), 'anything')
  })
  it('is another than the route takes: 415 with those that it does', async () => {
    const headers = { 'content-type': 'application/xml' }
    const response = await serve().inject(query('/cars', { body: '<make/>', headers }))
    assert.deepEqual(
      [response.statusCode, (response.json() as { code: string }).code, response.headers['accept-query']],
      [415, 'unsupported_media_type', 'application/json'],
    )
    const posted = await serve().inject({ method: 'POST', url: '/cars/both', body: '<make/>', headers })
    assert.deepEqual([posted.statusCode, posted.headers['accept-query']], [415, undefined])
  })
})

describe('Accept-Query', () => {
  const cases = [
    ['/cars', 'application/json'],
    ['/cars/both', 'application/json'],
    ['/cars/form', 'application/x-www-form-urlencoded, multipart/form-data'],
    ['/cars/files', 'multipart/form-data'],
    ['/cars/text', 'application/json, text/plain'],
    ['/cars/sql', 'application/sql;charset="utf-8"'],
    ['/cars/digit', '"3gpp/x"'],
    ['/cars/bytes', '*/*'],
    ['/cars/own', undefined],
  ] as const
  for (const [url, accepted] of cases) {
    it(`of ${url} is ${accepted ?? 'not sent'}, beside Allow`, async () => {
      const app = serve()
      const options = await app.inject({ method: 'OPTIONS', url })
      assert.deepEqual([options.statusCode, options.headers['accept-query']], [204, accepted])
      const other = await app.inject({ method: 'DELETE', url })
      assert.deepEqual([other.statusCode, other.headers['accept-query']], [405, accepted])
      assert.match(String(other.headers['allow']), /\bQUERY\b/)
      assert.equal(other.headers['allow'], options.headers['allow'])
    })
  }
  it('is a structured list, whatever type a schema names', async () => {
    const characters = (all: string) =>
      fc.string({ unit: fc.constantFrom(...all.split('')), minLength: 1, maxLength: 8 })
    const token = characters("ab7!#$%&'*+.^_`|~-")
    const value = characters('aZ7 "\\\\/;,=')
    // RFC 9651: a token or a string, then parameters
    const text = String.raw`"(?:[ !#-[\]-~]|\\["\\])*"`
    const member = new RegExp(
      String.raw`^(?:[A-Za-z*][!#$%&'*+.^\w\x60|~:/-]*|${text})(?:;[a-z*][\w.*-]*=${text})?$`,
    )
    await fc.assert(
      fc.asyncProperty(token, token, characters('abc'), value, async (type, subtype, name, given) => {
        const quoted = given.replaceAll(/["\\]/g, String.raw`\$&`)
        const contentMediaType = `${type}/${subtype};${name}="${quoted}"`
        const named = defineController({
          name: 'named',
          routes: [
            {
              method: 'QUERY',
              input: { body: z.string().meta({ contentMediaType }) },
              handler: ({ body }) => body,
            },
          ],
        })
        const app = createApp(defineModule({ controllers: [named] }), { logger: false })
        const { headers } = await app.inject({ method: 'OPTIONS', url: '/named' })
        const header = String(headers['accept-query'])
        assert.match(header, member)
        assert.ok(header.endsWith(`;${name}="${quoted}"`), header)
        const sent = { 'content-type': contentMediaType }
        const { statusCode } = await app.inject(query('/named', { body: 'a', headers: sent }))
        assert.equal(statusCode, 200)
      }),
      { numRuns: 50 },
    )
  })
  it('is that of the version asked for', async () => {
    const inVersion = defineController({
      name: 'parts',
      routes: [
        { method: 'GET', handler: () => 'parts' },
        { method: 'QUERY', version: '1', input: { form: { q: z.string() } }, handler: () => 'one' },
        { method: 'QUERY', version: '2', input: { body: z.object({}) }, handler: () => 'two' },
        { method: 'GET', version: '3', handler: () => 'three' },
      ],
    })
    const app = createApp(defineModule({ controllers: [inVersion] }), {
      logger: false,
      versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
    })
    const of = async (version: string) =>
      (await app.inject({ method: 'OPTIONS', url: '/parts', version })).headers['accept-query']
    assert.deepEqual(
      [await of('1'), await of('2'), await of('3')],
      ['application/x-www-form-urlencoded, multipart/form-data', 'application/json', undefined],
    )
    const two = await app.inject(query('/parts', { json: {}, version: '2' }))
    assert.equal(two.json(), 'two')
  })
  it('is not sent with what the path answers otherwise', async () => {
    const app = serve()
    assert.equal((await app.inject('/cars')).headers['accept-query'], undefined)
    assert.equal(
      (await app.inject(query('/cars', { json: { make: 'Ford' } }))).headers['accept-query'],
      undefined,
    )
  })
})

describe('QUERY as a safe method', () => {
  it('has an ETag, and 304 for what the client has', async () => {
    const app = serve({ middleware: [etag()] })
    const ford = await app.inject(query('/cars', { json: { make: 'Ford' } }))
    const audi = await app.inject(query('/cars', { json: { make: 'Audi' } }))
    const tag = String(ford.headers['etag'])
    assert.match(tag, /^"[\w-]{22}"$/)
    assert.notEqual(audi.headers['etag'], tag)
    const headers = { 'if-none-match': tag }
    const again = await app.inject(query('/cars', { json: { make: 'Ford' }, headers }))
    assert.deepEqual([again.statusCode, again.body, again.headers['etag']], [304, '', tag])
    const other = await app.inject(query('/cars', { json: { make: 'Audi' }, headers }))
    assert.equal(other.statusCode, 200)
  })
  it('has the conditions and ranges of files', async () => {
    const app = serve()
    const unchanged = await app.inject(query('/cars/download', { headers: { 'if-none-match': '"7"' } }))
    assert.equal(unchanged.statusCode, 304)
    const part = await app.inject(query('/cars/download', { headers: { range: 'bytes=1-2' } }))
    assert.deepEqual([part.statusCode, part.body, part.headers['content-range']], [206, 'bc', 'bytes 1-2/6'])
  })
  it('needs a preflight across origins, which allows it', async () => {
    const app = serve({ middleware: [cors({ origin: 'https://app.example' })] })
    const { statusCode, headers } = await app.inject({
      method: 'OPTIONS',
      url: '/cars',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'QUERY' },
    })
    assert.deepEqual(
      [statusCode, headers['access-control-allow-methods']],
      [204, 'GET, HEAD, QUERY, OPTIONS'],
    )
  })
  it('has limits as other bodies do', async () => {
    const { statusCode } = await serve({ bodyLimit: 10 }).inject(
      query('/cars', { json: { make: 'Mercedes' } }),
    )
    assert.equal(statusCode, 413)
  })
})
