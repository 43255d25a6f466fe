import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as send } from 'node:http'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, HttpError, reply } from 'octavo'
import type { App, Middleware } from 'octavo'
import { direct } from 'octavo/engine'
import { z } from 'zod'

const open = (middleware: readonly Middleware[] = []): App =>
  createApp(
    defineModule({
      controllers: [
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
      ],
    }),
    { logger: false, middleware },
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
