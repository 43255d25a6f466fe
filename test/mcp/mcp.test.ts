import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as setTimeoutLater } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createApp,
  DefinitionError,
  defineController,
  defineGuard,
  defineModule,
  notFound,
  sse,
  VersioningSchemes,
  type AppOptions,
  type EdgeApp,
} from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { mcp, type McpOptions } from 'octavo/mcp'
import { compression, rateLimit } from 'octavo/middleware'
import { z } from 'zod'

const Car = model('Car', { id: z.int(), name: z.string() })
const TitleToName = defineVersionChange({
  version: '2',
  title: 'The title of a car is its name',
  change: [reshape({ of: Car, fields: { name: { was: 'title' } } })],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [TitleToName] })

const SignedIn = bearerAuth({ verify: (token) => ['ann', 'root'].includes(token) && { name: token } })
const Admin = bearerAuth({ verify: (token) => token === 'root' && { name: token } })

function cars(onCreate: (seen: unknown) => void = () => undefined) {
  return defineController({
    prefix: '/cars',
    name: 'car',
    tags: ['assistant'],
    routes: [
      {
        method: 'GET',
        path: '/{id:int}',
        name: 'find',
        summary: 'Find a car',
        input: { query: z.object({ parts: z.array(z.string()).optional() }) },
        response: Car,
        handler: ({ params, query }) => {
          if (params.id === 9) throw notFound('There is no car 9')
          return { id: params.id, name: ['Ford', ...(query.parts ?? [])].join(' ') }
        },
      },
      {
        method: 'POST',
        name: 'add',
        guards: [SignedIn],
        input: { body: Car },
        response: { 201: Car },
        handler: ({ body }, { request, identity }) => {
          onCreate([identity, request.ip, request.header('user-agent')])
          return body
        },
      },
      { method: 'GET', name: 'list', response: z.array(Car), handler: () => [{ id: 1, name: 'Fiat' }] },
      { method: 'DELETE', path: '/{id:int}', name: 'remove', guards: [Admin], handler: () => undefined },
      {
        method: 'GET',
        path: '/events',
        name: 'watch',
        events: { moved: z.object({ to: z.int() }) },
        handler: () =>
          sse(function* () {
            yield { event: 'moved', data: { to: 1 } }
            yield { event: 'moved', data: { to: 2 } }
          }),
      },
      {
        method: 'POST',
        path: '/photo',
        name: 'photo',
        input: { files: z.object({ photo: z.file() }) },
        handler: () => 1,
      },
      { method: 'GET', path: '/private', name: 'hidden', tags: ['other'], handler: () => 1 },
    ],
  })
}

type Given = Partial<McpOptions> & { readonly app?: object; readonly onCreate?: (seen: unknown) => void }

function start({ app: options, onCreate, ...given }: Given = {}) {
  const tools = mcp({ name: 'garage', tags: ['assistant'], ...given })
  return createApp(defineModule({ controllers: [cars(onCreate)], routers: [tools] }), {
    logger: false,
    versioning: {
      scheme: VersioningSchemes.URL,
      history,
      defaultVersion: '2',
      versions: [{ version: '1', sunset: '2099-01-01' }],
    },
    ...options,
  } satisfies AppOptions)
}

type Era = 'legacy' | 'auto'

async function connect(
  app: Pick<EdgeApp, 'fetch'>,
  {
    path = '/mcp',
    token,
    era = 'auto',
    headers = {},
  }: { path?: string; token?: string; era?: Era; headers?: Record<string, string> } = {},
): Promise<Client> {
  const client = new Client({ name: 'claude code', version: '2.1' }, { versionNegotiation: { mode: era } })
  const transport = new StreamableHTTPClientTransport(new URL(path, 'http://localhost'), {
    fetch: async (url, init) => app.fetch(new Request(url, init), { remoteAddress: '203.0.113.7' }),
    requestInit: {
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    },
  })
  await client.connect(transport)
  return client
}

/** A result as far as tests look at it. */
function shown(result: object): readonly unknown[] {
  const { structuredContent, isError, _meta: meta } = Object(result)
  return [structuredContent, isError, Object(meta)['octavo/version']]
}

for (const era of ['legacy', 'auto'] as const)
  describe(`tools for clients of revision ${era === 'legacy' ? '2025-11-25' : '2026-07-28'}`, () => {
    it('are the operations with the tag', async () => {
      const client = await connect(start(), { era })
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
        [
          ['car_find', true, false],
          ['car_remove', false, true],
          ['car_add', false, false],
          ['car_list', true, false],
          ['car_watch', true, false],
        ],
      )
      const [find, , add] = tools
      assert.deepEqual(find?.inputSchema, {
        type: 'object',
        properties: {
          id: { type: 'integer', minimum: 0 },
          parts: { type: 'array', items: { type: 'string' } },
        },
        required: ['id'],
        additionalProperties: false,
      })
      assert.deepEqual(Object(add?.inputSchema)['$defs'].Car.required, ['id', 'name'])
      assert.deepEqual(Object(find?.outputSchema).required, ['id', 'name'])
    })

    it('run as requests do', async () => {
      const seen: unknown[] = []
      const client = await connect(start({ onCreate: (each) => seen.push(each) }), { era, token: 'ann' })
      const added = await client.callTool({ name: 'car_add', arguments: { body: { id: 7, name: 'Ford' } } })
      assert.deepEqual(shown(added), [{ id: 7, name: 'Ford' }, undefined, '2'])
      const [[identity, ip]] = seen as [[unknown, unknown]]
      assert.deepEqual([identity, ip], [{ name: 'ann' }, '203.0.113.7'])
      const found = await client.callTool({ name: 'car_find', arguments: { id: 7, parts: ['a', 'b'] } })
      assert.deepEqual(shown(found)[0], { id: 7, name: 'Ford a b' })
      const list = await client.callTool({ name: 'car_list', arguments: {} })
      assert.deepEqual(shown(list)[0], { result: [{ id: 1, name: 'Fiat' }] })
    })

    it('give problems as errors that a model can read', async () => {
      const client = await connect(start(), { era })
      const missing = await client.callTool({ name: 'car_find', arguments: { id: 9 } })
      assert.deepEqual([Object(shown(missing)[0]).detail, missing.isError], ['There is no car 9', true])
      const denied = await client.callTool({ name: 'car_add', arguments: { body: { id: 7, name: 'Ford' } } })
      assert.deepEqual([Object(shown(denied)[0]).status, denied.isError], [401, true])
      const other = await client.callTool({ name: 'car_find', arguments: { id: 'x' } })
      assert.deepEqual([Object(shown(other)[0]).detail, other.isError], ['data/id must be integer', true])
      const more = await client.callTool({ name: 'car_find', arguments: { id: 7, colour: 'red' } })
      assert.deepEqual([Object(shown(more)[0]).detail, more.isError], ['The arguments are id, parts.', true])
      await assert.rejects(client.callTool({ name: 'car_hidden', arguments: {} }), /no tool of this name/)
    })

    it('are those of the version that is asked for', async () => {
      const client = await connect(start(), { era, path: '/v1/mcp' })
      const { tools } = await client.listTools()
      const [find] = tools
      assert.deepEqual(Object(find?.outputSchema).required, ['id', 'title'])
      assert.match(find?.description ?? '', /Find a car It ends on 2099-01-01\.|Find a car. It ends on/)
      const found = await client.callTool({ name: 'car_find', arguments: { id: 7 } })
      assert.deepEqual(shown(found), [{ id: 7, title: 'Ford' }, undefined, '1'])
    })
  })

describe('a call by an older list', () => {
  it('is served in the version that it fits, and so is its result', async () => {
    const client = await connect(start(), { token: 'ann' })
    // two lists at one address: that of before the default version changed is still known to many clients
    const older = await call(client, 'car_add', { body: { id: 7, title: 'Ford' } })
    assert.deepEqual(shown(older), [{ id: 7, title: 'Ford' }, undefined, '1'])
    const newer = await call(client, 'car_add', { body: { id: 7, name: 'Ford' } })
    assert.deepEqual(shown(newer), [{ id: 7, name: 'Ford' }, undefined, '2'])
    const neither = await call(client, 'car_add', { body: { id: 7 } })
    assert.deepEqual([Object(shown(neither)[0]).code, shown(neither)[2]], ['validation_failed', '2'])
  })

  it('is served in the version that it names', async () => {
    const client = await connect(start())
    const found = await call(client, 'car_find', { id: 7 }, { 'octavo/version': '1' })
    assert.deepEqual(shown(found), [{ id: 7, title: 'Ford' }, undefined, '1'])
    const unknown = await call(client, 'car_find', { id: 7 }, { 'octavo/version': '9' })
    assert.deepEqual(shown(unknown)[2], '2')
  })

  it('is not served in a version that is gone', async () => {
    const gone = {
      scheme: VersioningSchemes.URL,
      history,
      versions: [{ version: '1', sunset: '2020-01-01', retired: 'gone' }],
    }
    const client = await connect(start({ app: { versioning: { ...gone, defaultVersion: '2' } } }), {
      token: 'ann',
    })
    const older = await call(client, 'car_add', { body: { id: 7, title: 'Ford' } })
    assert.deepEqual([older.isError, shown(older)[2]], [true, '2'])
  })
})

describe('a version that ends between the list and the call', () => {
  it('is a clear error for both, and newer versions are served on', async () => {
    let now = Date.parse('2029-12-31')
    const versioning = {
      scheme: VersioningSchemes.URL,
      history,
      defaultVersion: '2',
      versions: [{ version: '1', sunset: '2030-01-01', retired: 'gone' }],
      clock: () => now,
    }
    const app = start({ app: { versioning } })
    const client = await connect(app, { path: '/v1/mcp' })
    await client.listTools()
    assert.deepEqual(shown(await call(client, 'car_find', { id: 7 }))[2], '1')
    now = Date.parse('2030-01-02')
    await assert.rejects(call(client, 'car_find', { id: 7 }), /Version 1 has ended here/)
    await assert.rejects(client.request({ method: 'tools/list', params: {} }), /Version 1 has ended here/)
    const named = connect(app).then((other) => call(other, 'car_find', { id: 7 }, { 'octavo/version': '1' }))
    await assert.rejects(named, /Version 1 has ended here/)
    assert.deepEqual(shown(await call(await connect(app), 'car_find', { id: 7 }))[2], '2')
  })
})

describe('tools under other schemes', () => {
  const schemes = [
    [
      'a header',
      { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
      '/mcp',
      { 'x-version': '1' },
    ],
    ['a query parameter', { scheme: VersioningSchemes.QUERY }, '/mcp?version=1', {}],
    [
      'Accept',
      { scheme: VersioningSchemes.HEADER, headerParameter: 'accept' },
      '/mcp',
      { accept: 'application/json;version=1, text/event-stream' },
    ],
  ] as const
  for (const [title, scheme, path, headers] of schemes)
    it(`have the version of ${title}`, async () => {
      const app = start({ app: { versioning: { ...scheme, history, defaultVersion: '2' } } })
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'car_find', arguments: { id: 7 } },
      }
      const response = await app.inject({
        method: 'POST',
        url: path,
        headers: { accept: 'application/json, text/event-stream', ...headers },
        json: message,
      })
      assert.match(response.body, /"structuredContent":\{"id":7,"title":"Ford"\}/)
      const client = await connect(app)
      const { tools } = await client.listTools()
      assert.deepEqual(Object.keys(Object(tools[0]?.inputSchema.properties)), ['id', 'parts'])
    })

  it('need no version', async () => {
    const plain = defineController({
      prefix: '/cars',
      tags: ['assistant'],
      routes: [{ method: 'GET', name: 'all', handler: () => 'text' }],
    })
    const app = createApp(
      defineModule({
        controllers: [plain],
        routers: [mcp({ name: 'plain', include: ({ method }) => method === 'GET' })],
      }),
      { logger: false },
    )
    const client = await connect(app)
    const result = await call(client, 'cars_all', {})
    assert.deepEqual(shown(result), [{ result: 'text' }, undefined, null])
  })
})

describe('a list of tools', () => {
  it('has those that guards allow', async () => {
    const app = start({ list: 'allowed' })
    const namesFor = async (token?: string): Promise<readonly string[]> => {
      const client = await connect(app, token === undefined ? {} : { token })
      const { tools } = await client.listTools()
      return tools.map(({ name }) => name)
    }
    assert.deepEqual(await namesFor(), ['car_find', 'car_list', 'car_watch'])
    assert.deepEqual(await namesFor('ann'), ['car_find', 'car_add', 'car_list', 'car_watch'])
    assert.deepEqual(await namesFor('root'), ['car_find', 'car_remove', 'car_add', 'car_list', 'car_watch'])
  })

  it('may be kept until the next sunset, by others only if no guard decides', async () => {
    const soon = {
      scheme: VersioningSchemes.URL,
      history,
      defaultVersion: '2',
      versions: [{ version: '1', sunset: '2030-01-01' }],
      clock: () => Date.parse('2030-01-01') - 1000,
    }
    const cases: readonly (readonly [Given, unknown, unknown])[] = [
      [{}, 300_000, 'public'],
      [{ ttl: 60_000 }, 60_000, 'public'],
      [{ app: { versioning: soon } }, 1000, 'public'],
      [{ list: 'allowed' }, 300_000, 'private'],
      [{ guards: [SignedIn] }, 300_000, 'private'],
    ]
    for (const [given, ttl, scope] of cases) {
      const client = await connect(start(given), { token: 'ann' })
      const { ttlMs, cacheScope } = Object(await client.listTools())
      assert.deepEqual([ttlMs, cacheScope], [ttl, scope])
    }
  })

  it('comes in pages', async () => {
    const many = defineController({
      prefix: '/many',
      tags: ['assistant'],
      routes: Array.from(
        { length: 1200 },
        (_, index) =>
          ({ method: 'GET', path: `/${index}`, name: `get${index}`, handler: () => index }) as const,
      ),
    })
    const app = createApp(
      defineModule({ controllers: [many], routers: [mcp({ name: 'many', tags: ['assistant'] })] }),
      { logger: false },
    )
    const client = await connect(app)
    const first = Object(await client.request({ method: 'tools/list', params: {} }))
    assert.deepEqual([first.tools.length, first.nextCursor], [500, '500'])
    const { tools } = await client.listTools()
    assert.equal(tools.length, 1200)
    await assert.rejects(client.request({ method: 'tools/list', params: { cursor: '-1' } }), /cursor/)
  })

  it('has the other tools if a guard fails', async () => {
    const lines: unknown[] = []
    const none = () => undefined
    const logger = { debug: none, info: none, warn: none, error: (fields: object) => lines.push(fields) }
    const Failing = defineGuard({ name: 'failing', canActivate: () => Promise.reject(new Error('no store')) })
    const controller = defineController({
      prefix: '/x',
      tags: ['assistant'],
      routes: [
        { method: 'GET', path: '/a', name: 'a', guards: [Failing], handler: () => 1 },
        { method: 'QUERY', path: '/b', name: 'b', handler: () => 1 },
      ],
    })
    const tools = mcp({ name: 'x', tags: ['assistant'], list: 'allowed' })
    const app = createApp(defineModule({ controllers: [controller], routers: [tools] }), { logger })
    const listed = (await (await connect(app)).listTools()).tools
    // and a query reads
    assert.deepEqual(
      listed.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.idempotentHint]),
      [['x_b', true, true]],
    )
    assert.match(JSON.stringify(lines.map((line) => Object(line).route)), /^\["x.a"/)
  })

  it('is refused to those whom guards of the server refuse', async () => {
    await assert.rejects(connect(start({ guards: [SignedIn] })), /401/)
  })
})

describe('a call', () => {
  it('counts once for a limit of the application, and for one of its route', async () => {
    const limit = rateLimit({ limit: 4, window: 60 })
    const app = start({ app: { middleware: [limit] }, guards: [limit] })
    const send = async () =>
      app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { accept: 'application/json, text/event-stream' },
        json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'car_list', arguments: {} } },
      })
    const answers = [await send(), await send(), await send()]
    // as middleware and as a guard of the server, and not for the request to the route
    assert.deepEqual(
      answers.map(({ statusCode, headers }) => [statusCode, headers['ratelimit']?.toString().includes('r=')]),
      [
        [200, true],
        [200, true],
        [429, true],
      ],
    )
  })

  it('tells of events as they come', async () => {
    const client = await connect(start())
    const progress: unknown[] = []
    const result = await client.callTool(
      { name: 'car_watch', arguments: {} },
      { onprogress: ({ message }) => progress.push(message) },
    )
    assert.deepEqual(shown(result)[0], { result: [{ to: 1 }, { to: 2 }] })
    assert.deepEqual(progress, ['{"to":1}', '{"to":2}'])
  })

  it('reads what compression of the application would encode', async () => {
    const app = start({ app: { middleware: [compression({ threshold: 0 })] } })
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'car_list', arguments: {} },
    }
    const response = await app.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'accept-encoding': 'gzip',
          'content-type': 'application/json',
        },
        body: JSON.stringify(message),
      }),
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    const isCoded = response.headers.get('content-encoding') === 'gzip'
    const body = (isCoded ? gunzipSync(bytes) : bytes).toString()
    assert.match(body, /"structuredContent":\{"result":\[\{"id":1,"name":"Fiat"\}\]\}/)
  })

  it('ends with the request of its client', async () => {
    const ended: unknown[] = []
    const slow = defineController({
      prefix: '/slow',
      tags: ['assistant'],
      routes: [
        {
          method: 'GET',
          name: 'wait',
          handler: async (_, { signal }) => {
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
            ended.push(signal.aborted)
            return 1
          },
        },
      ],
    })
    const tools = mcp({ name: 'slow', tags: ['assistant'] })
    const app = createApp(defineModule({ controllers: [slow], routers: [tools] }), { logger: false })
    const abort = new AbortController()
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'slow_wait', arguments: {} },
      }),
      signal: abort.signal,
    })
    const response = app.fetch(request)
    setTimeout(() => abort.abort(), 50)
    await response.then((answer) => answer.text()).catch(() => undefined)
    for (let turn = 0; turn < 100 && ended.length === 0; turn++) await setTimeoutLater(20)
    assert.deepEqual(ended, [true])
  })

  it('has the name of its program as its user agent', async () => {
    const seen: unknown[] = []
    const client = await connect(start({ onCreate: (each) => seen.push(each) }), { token: 'ann' })
    await call(client, 'car_add', { body: { id: 7, name: 'Ford' } })
    assert.deepEqual(seen, [[{ name: 'ann' }, '203.0.113.7', 'claude-code/2.1']])
  })

  it('is refused if its arguments are too long', async () => {
    const client = await connect(start(), { token: 'ann' })
    const body = { id: 7, name: 'x'.repeat(10_000_000) }
    await assert.rejects(call(client, 'car_add', { body }), /413/)
  })

  it('is refused if its arguments are nested too deeply', async () => {
    for (const levels of [600, 3_000, 20_000]) {
      const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
      const response = await start().inject({
        method: 'POST',
        url: '/mcp',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"car_find","arguments":{"id":${deep}}}}`,
      })
      assert.deepEqual([response.statusCode, Object(response.json()).code], [400, 'malformed_json'])
    }
  })

  it('is named at the start if it cannot be one', async () => {
    const lines: unknown[] = []
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      error: () => undefined,
      warn: (...line: unknown[]) => lines.push(line),
    }
    await start({ app: { logger } }).ready()
    const leftOut = [{ operation: 'car.photo', why: 'its input is a form' }]
    assert.deepEqual(lines, [[{ leftOut }, 'Some operations cannot be tools of mcp']])
  })
})

describe('schemas of tools', () => {
  it('may be recursive, and refer to each other in circles', async () => {
    const Part = z
      .object({
        name: z.string(),
        get parts() {
          return z.array(Part).optional()
        },
        get maker() {
          return Maker.optional()
        },
      })
      .meta({ id: 'Part' })
    const Maker = z
      .object({
        get best() {
          return Part.optional()
        },
      })
      .meta({ id: 'Maker' })
    const client = await connectTo(Part)
    const [tool] = (await client.listTools()).tools
    assert.deepEqual(Object.keys(Object(tool?.inputSchema['$defs'])).toSorted(), ['Maker', 'Part'])
    let body: object = { name: 'last' }
    for (let level = 0; level < 100; level++)
      body = { name: 'x', parts: [body], maker: { best: { name: 'y' } } }
    assert.deepEqual(shown(await call(client, 'x_add', { body }))[0], body)
    const wrong = await call(client, 'x_add', { body: { name: 'x', parts: [{ name: 1 }] } })
    assert.equal(Object(shown(wrong)[0]).code, 'validation_failed')
  })

  it('may be too deep to be compiled, as the route validates', async () => {
    let deep: z.ZodType = z.object({ end: z.string() })
    for (let level = 0; level < 300; level++)
      deep = z.object({ next: deep.optional() }).meta({ id: `Level${level}` })
    const client = await connectTo(deep)
    const [tool] = (await client.listTools()).tools
    assert.equal(Object.keys(Object(tool?.inputSchema['$defs'])).length, 300)
    const body = { next: { next: { next: {} } } }
    assert.deepEqual(shown(await call(client, 'x_add', { body }))[0], body)
    const wrong = await call(client, 'x_add', { body: { next: 1 } })
    assert.equal(Object(shown(wrong)[0]).code, 'validation_failed')
  })

  async function connectTo(body: z.ZodType): Promise<Client> {
    const controller = defineController({
      prefix: '/x',
      tags: ['assistant'],
      routes: [
        {
          method: 'POST',
          name: 'add',
          input: { body },
          response: z.unknown(),
          handler: (input) => input.body,
        },
      ],
    })
    const tools = mcp({ name: 'x', tags: ['assistant'] })
    return connect(
      createApp(defineModule({ controllers: [controller], routers: [tools] }), { logger: false }),
    )
  }
})

describe('texts of tools', () => {
  it('have no characters that no person sees', async () => {
    const hidden = '\u{E0049}\u{E0067}\u200B\u202E\u0007'
    const Named = z
      .object({ name: z.string().describe(`The name${hidden}`) })
      .meta({ id: 'Named', description: `A name${hidden}` })
    const controller = defineController({
      prefix: '/named',
      tags: ['assistant'],
      routes: [
        {
          method: 'POST',
          name: 'add',
          description: `Adds${hidden} a\nname`,
          input: { body: Named, query: z.object({ q: z.string().describe(`A${hidden}B`) }) },
          response: Named,
          handler: ({ body }) => body,
        },
      ],
    })
    const app = createApp(
      defineModule({ controllers: [controller], routers: [mcp({ name: 'named', tags: ['assistant'] })] }),
      { logger: false },
    )
    const { tools } = await (await connect(app)).listTools()
    assert.doesNotMatch(JSON.stringify(tools), /\\u|\u{E0049}|\u200B|\u202E/u)
    assert.match(JSON.stringify(tools), /Adds a\\nname.*AB/)
  })
})

describe('mistakes in tools', () => {
  const cases: readonly (readonly [string, object, RegExp])[] = [
    ['no name', { tags: ['a'] }, /name/],
    ['nothing that chooses', { name: 'x' }, /nothing chooses the tools/],
    ['an option that does not exist', { name: 'x', tags: ['a'], tag: 'b' }, /there is no option "tag"/],
    ['a list of no kind', { name: 'x', tags: ['a'], list: 'some' }, /list/],
  ]
  for (const [title, options, expected] of cases)
    it(`such as ${title} are definition errors`, () => {
      assert.throws(
        () => mcp(options as McpOptions),
        (error: unknown) => error instanceof DefinitionError && expected.test(error.message),
      )
    })

  it('include two with one name', async () => {
    const controller = defineController({
      prefix: '/x',
      tags: ['assistant'],
      routes: [
        { method: 'GET', path: '/a', name: 'a', operationId: 'x.y_z', handler: () => 1 },
        { method: 'GET', path: '/b', name: 'b', operationId: 'x_y.z', handler: () => 1 },
      ],
    })
    const app = createApp(
      defineModule({ controllers: [controller], routers: [mcp({ name: 'x', tags: ['assistant'] })] }),
      { logger: false },
    )
    await assert.rejects(app.ready(), /the tools of the operations x\.y_z and x_y\.z would have one name/)
  })

  it('are loud in a version that is not the default, too', async () => {
    const lines: unknown[] = []
    const none = () => undefined
    const logger = { debug: none, info: none, warn: none, error: (fields: object) => lines.push(fields) }
    const controller = defineController({
      prefix: '/x',
      tags: ['assistant'],
      routes: [
        { method: 'GET', path: '/a', name: 'a', operationId: 'x.y_z', handler: () => 1 },
        { method: 'GET', path: '/b', name: 'b', version: '1', operationId: 'x_y.z', handler: () => 1 },
      ],
    })
    const app = createApp(
      defineModule({ controllers: [controller], routers: [mcp({ name: 'x', tags: ['assistant'] })] }),
      { logger, versioning: { scheme: VersioningSchemes.URL, defaultVersion: '2', versions: ['2', '1'] } },
    )
    await app.ready()
    const client = await connect(app, { path: '/v1/mcp' })
    await assert.rejects(client.listTools(), /Internal error/)
    assert.match(String(Object(lines[0]).err), /would have one name/)
  })
})

function call(client: Client, name: string, values: object, meta?: object) {
  return client.callTool({ name, arguments: { ...values }, ...(meta && { _meta: { ...meta } }) })
}
