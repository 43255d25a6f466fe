import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  HttpError,
  notFound,
  reply,
  VersioningSchemes,
} from 'octavo'
import type { App } from 'octavo'
import { defineVersionChange, defineVersions, model, operation } from 'octavo/changes'
import { compression } from 'octavo/middleware'
import { createDispatcher } from 'octavo/undici'
import { z } from 'zod'

const P = model('P', { n: z.string() })

/** An application of two versions, of which the older one has another status for `GET /p`. */
function serve(was: object, handler: () => unknown, more: object = {}): App {
  const change = defineVersionChange({
    version: '2',
    title: 'Statuses differ',
    change: [operation({ route: 'p.get', ...was })],
  })
  const routes = [{ method: 'GET', name: 'get', validateResponses: false, handler, ...more }]
  const controller = Reflect.apply(defineController, undefined, [{ prefix: '/p', routes }])
  return createApp(defineModule({ controllers: [controller] }), {
    logger: false,
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: { P }, changes: [change] }),
    },
  })
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, unknown>>
}

const toAnswer = async (response: Response): Promise<Answer> => ({
  status: response.status,
  body: await response.text(),
  headers: Object.fromEntries(response.headers),
})

const ADAPTERS: Readonly<Record<string, (app: App, url: string) => Promise<Answer>>> = {
  inject: async (app, url) => {
    const { statusCode, body, headers } = await app.inject(url)
    return { status: statusCode, body, headers }
  },
  fetch: async (app, url) => toAnswer(await app.fetch(new Request(`http://localhost${url}`))),
  listen: async (app, url) => {
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return toAnswer(await fetch(new URL(url, origin)))
  },
  undici: async (app, url) => {
    const init: object = { dispatcher: createDispatcher(app) }
    return toAnswer(await fetch(`http://localhost${url}`, init))
  },
}

describe('statuses of older versions', () => {
  for (const [name, send] of Object.entries(ADAPTERS))
    for (const status of [204, 304])
      it(`without content have no body and none of its headers: ${status} of ${name}`, async () => {
        const app = serve({ status: { was: status } }, () => ({ n: 'a' }))
        const { headers, ...answer } = await send(app, '/v1/p')
        assert.deepEqual(answer, { status, body: '' })
        assert.deepEqual([headers['content-type'], headers['content-length']], [undefined, undefined])
        await app.close()
      })

  it('drop a stream whose status has no content', async () => {
    let isClosed = false
    const app = serve({ status: { was: 204 } }, async function* () {
      try {
        yield 'a'
        yield 'b'
      } finally {
        isClosed = true
      }
    })
    const { statusCode, body } = await app.inject('/v1/p')
    assert.deepEqual([statusCode, body, isClosed], [204, '', true])
    await app.close()
  })

  it('with content have the length of nothing if the newest has none', async () => {
    const app = serve({ response: { status: { 204: { was: 200 } } } }, () => reply(204, undefined))
    const { statusCode, headers } = await app.inject('/v1/p')
    assert.deepEqual([statusCode, headers['content-length']], [200, '0'])
    await app.close()
  })

  it('have no headers of a body that the middleware of the route compressed', async () => {
    const middleware = [compression({ threshold: 0 })]
    const app = serve({ status: { was: 204 } }, () => reply(200, 'a'.repeat(99)), { middleware })
    const headers = { 'accept-encoding': 'gzip' }
    const newest = await app.inject({ url: '/v2/p', headers })
    assert.equal(newest.headers['content-encoding'], 'gzip')
    const older = await app.inject({ url: '/v1/p', headers })
    assert.deepEqual([older.statusCode, older.bytes.length], [204, 0])
    const names = Object.keys(older.headers).filter((name) => name.startsWith('content-'))
    assert.deepEqual(names, [])
    await app.close()
  })

  const titles: readonly (readonly [name: string, error: HttpError, title: string])[] = [
    ['the phrase of its status', notFound('No such p'), 'Bad Request'],
    ['its own title', new HttpError(404, 'No such p', { title: 'No p' }), 'No p'],
    [
      'the title of its type',
      new HttpError(404, 'No such p', { type: 'urn:p', title: 'Not Found' }),
      'Not Found',
    ],
  ]
  for (const [name, error, title] of titles)
    it(`have a problem with ${name}`, async () => {
      const app = serve({ response: { status: { 404: { was: 400 } } } }, () => {
        throw error
      })
      const response = await app.inject('/v1/p')
      const problem = JSON.parse(response.body)
      assert.deepEqual(
        [response.statusCode, problem.status, problem.title, problem.detail],
        [400, 400, title, 'No such p'],
      )
      assert.equal(response.headers['content-length'], String(response.body.length))
      assert.equal(JSON.parse((await app.inject('/v2/p')).body).title, error.title)
      await app.close()
    })
})
