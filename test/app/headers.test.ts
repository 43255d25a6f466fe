import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as send } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'

import { defineController, HttpError, reply } from 'octavo'
import type { App, ExecutionContext, FinishedResponse, Middleware } from 'octavo'
import { direct } from 'octavo/engine'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const open = (middleware: readonly Middleware[] = []): App =>
  serve(
    defineController({
      prefix: '/a',
      routes: [
        {
          method: 'GET',
          path: '/tags',
          input: {
            headers: { 'x-tags': z.array(z.string()).optional(), 'x-ids': z.set(z.int()).optional() },
          },
          handler: ({ headers }) => ({ tags: headers['x-tags'], ids: [...(headers['x-ids'] ?? [])] }),
        },
        {
          method: 'GET',
          path: '/lines',
          handler: (_input, { request }) =>
            ['__proto__', 'constructor', 'x-none'].map((name) => request.headerLines(name)),
        },
        { method: 'GET', path: '/refused', handler: () => Promise.reject(new HttpError(409, 'no')) },
        { method: 'GET', path: '/crash', handler: () => Promise.reject(new Error('no')) },
        { method: 'GET', path: '/own', handler: () => reply(409, { own: true }) },
        { method: 'GET', path: '/fine', handler: () => 'fine' },
      ],
    }),
    { middleware },
  )

/** Sends a GET with each list as field lines of its own on every way in, and returns what came back by way. */
async function everyWay(
  app: App,
  path: string,
  headers: Readonly<Record<string, string[]>>,
): Promise<unknown[]> {
  const found: unknown[] = []
  found.push((await app.inject({ url: path, headers })).json())
  const own = new Headers(
    Object.entries(headers).flatMap(([name, lines]) => lines.map((line) => [name, line] as [string, string])),
  )
  found.push(await (await app.fetch(new Request(`http://a.test${path}`, { headers: own }))).json())
  return found
}

async function overSocket(
  engine: boolean,
  path: string,
  headers: Readonly<Record<string, string[]>>,
): Promise<unknown> {
  const app = open()
  const url = await app.listen({ port: 0, host: '127.0.0.1', ...(engine ? { engine: direct() } : {}) })
  const sent = send(url + path, { headers })
  sent.end()
  const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer>]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  await app.close()
  return JSON.parse(Buffer.concat(chunks).toString())
}

describe('headers of requests', () => {
  it('that declare lists have the same members on every way in, from one line or several', async () => {
    const cases = [
      [{ 'x-tags': ['a', 'b'] }, { tags: ['a', 'b'], ids: [] }],
      [
        { 'x-tags': ['a, b'], 'x-ids': ['1,2', '3'] },
        { tags: ['a', 'b'], ids: [1, 2, 3] },
      ],
      [{ 'x-tags': ['a'] }, { tags: ['a'], ids: [] }],
      [{ 'x-tags': ['"a, b"', ' c ,'] }, { tags: ['"a, b"', 'c'], ids: [] }],
    ] as const
    for (const [headers, expected] of cases) {
      const lines = Object.fromEntries(Object.entries(headers).map(([name, list]) => [name, [...list]]))
      const found = [
        ...(await everyWay(open(), '/a/tags', lines)),
        await overSocket(false, '/a/tags', lines),
        await overSocket(true, '/a/tags', lines),
      ]
      for (const each of found) assert.deepEqual(each, expected)
    }
  })

  it('have no lines of names that every object inherits', async () => {
    const found = [
      ...(await everyWay(open(), '/a/lines', {})),
      await overSocket(false, '/a/lines', {}),
      await overSocket(true, '/a/lines', {}),
    ]
    for (const each of found) assert.deepEqual(each, [[], [], []])
  })
})

describe('headers that middleware sets before the handler runs', () => {
  const ABOUT_CONTENT = {
    etag: '"a"',
    'content-encoding': 'gzip',
    'content-language': 'de',
    'content-disposition': 'attachment',
    'content-range': 'bytes 0-1/2',
    'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT',
    expires: 'Mon, 01 Jan 2024 00:00:00 GMT',
    'cache-control': 'public, max-age=60',
    'content-digest': 'sha-256=:AA==:',
  }
  const OTHERS = { 'x-own': '1', 'access-control-allow-origin': '*' }
  const setting =
    (headers: Readonly<Record<string, string>>): Middleware =>
    (context, next) => {
      for (const [name, value] of Object.entries(headers)) context.response.headers.set(name, value)
      return next()
    }

  it('do not describe the error that has replaced the content', async () => {
    const app = open([setting({ ...ABOUT_CONTENT, ...OTHERS })])
    const keptAt = async (path: string): Promise<readonly string[]> => {
      const { headers } = await app.inject(path)
      return Object.keys({ ...ABOUT_CONTENT, ...OTHERS }).filter((name) => headers[name] !== undefined)
    }
    for (const path of ['/a/refused', '/a/crash', '/none'])
      assert.deepEqual(await keptAt(path), Object.keys(OTHERS), path)
    for (const path of ['/a/fine', '/a/own'])
      assert.deepEqual(await keptAt(path), Object.keys({ ...ABOUT_CONTENT, ...OTHERS }), path)
  })

  it('keep errors out of caches, too', async () => {
    const app = open([setting({ 'cache-control': 'no-store' })])
    assert.equal((await app.inject('/none')).headers['cache-control'], 'no-store')
  })
})

describe('a header without a value', () => {
  const NONE = undefined as never
  const ways: Readonly<Record<string, (context: ExecutionContext) => unknown>> = {
    reply: () => reply(200, 'a', { headers: { 'x-none': NONE, 'x-some': '1' } }),
    'the response': ({ response }) => {
      response.headers.set('x-none', '1')
      response.headers.set('x-none', NONE)
      response.headers.append('x-none', NONE)
      response.headers.set('x-some', '1')
      return 'a'
    },
    'an error': () => {
      throw new HttpError(409, 'no', { headers: { 'x-none': NONE, 'x-some': '1' } })
    },
    middleware: () => reply(200, 'a', { headers: { 'x-some': '1' } }),
  }
  const dropping: Middleware = async (_context, next) => {
    const response = await next()
    response.headers['x-none'] = NONE
    return response
  }
  const routes = Object.entries(ways).map(([name, handler], at) => ({
    method: 'GET' as const,
    path: `/${at}` as const,
    name: `way${at}`,
    handler: (_input: unknown, context: ExecutionContext) => handler(context),
    middleware: name === 'middleware' ? [dropping] : [],
  }))

  for (const engine of ['node', 'direct'] as const)
    it(`is not sent, wherever it was set and whichever way the request came (${engine})`, async () => {
      const app = serve(routes)
      const found: string[] = []
      const options = engine === 'node' ? {} : { engine: direct() }
      const url = await app.listen({ port: 0, host: '127.0.0.1', ...options })
      for (const { path } of routes) {
        const sent = send(url + path)
        sent.end()
        const [{ headers }] = (await once(sent, 'response')) as [IncomingMessage]
        const injected = await app.inject(path)
        const fetched = await app.fetch(new Request(`http://a.test${path}`))
        for (const each of [headers, injected.headers, Object.fromEntries(fetched.headers)])
          found.push(`${'x-none' in each} ${String(Reflect.get(each, 'x-some'))}`)
      }
      await app.close()
      assert.deepEqual(
        found,
        Array.from({ length: 3 * routes.length }, () => 'false 1'),
      )
    })
})

describe('a value that several requests answer with', () => {
  it('keeps its headers, whatever middleware does with those of a response', async () => {
    const lists = { 'set-cookie': ['own=1'], 'x-list': ['own'] }
    const shared = { headers: lists }
    const error = new HttpError(409, 'no', { headers: lists as never })
    const known = reply(200, 'known', shared)
    let kept: FinishedResponse | undefined
    const values: readonly (() => unknown)[] = [
      () => known,
      () => {
        throw error
      },
      () => reply(200, 'a', shared),
      () =>
        new Response('a', {
          headers: [
            ['set-cookie', 'own=1'],
            ['x-list', 'own'],
          ],
        }),
    ]
    const spoil: Middleware = async (context, next) => {
      const response = await next()
      for (const list of Object.values(response.headers)) if (Array.isArray(list)) list.push('spoilt')
      context.response.headers.append('set-cookie', 'spoilt=1')
      response.headers['x-added'] = 'spoilt'
      return response
    }
    const keep: Middleware = async (_context, next) => (kept ??= await next())
    const routes = values.map((handler, at) => ({
      method: 'GET' as const,
      path: `/${at}` as const,
      name: `value${at}`,
      handler,
      middleware: at === 2 ? [keep] : [],
    }))
    const app = serve(routes, { middleware: [spoil] })
    for (const at of values.keys()) {
      const first = await app.inject(`/${at}`)
      const second = await app.inject(`/${at}`)
      assert.deepEqual(
        [second.headers['set-cookie'], second.headers['x-list']],
        [first.headers['set-cookie'], first.headers['x-list']],
      )
    }
    assert.deepEqual(lists, { 'set-cookie': ['own=1'], 'x-list': ['own'] })
    await app.close()
  })
})
