import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { bind, createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, derive, model, operation, reshape } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { z } from 'zod'

import { createCounts } from '../support/usage.ts'
import { inPieces, countSplit } from '../support/walked.ts'
import { garageAt, startServer } from './garage.ts'

const Car = model('Car', { id: z.int(), label: z.string() })
const NewCar = derive(Car, (car) => car.omit({ id: true }))

const renamed = defineVersionChange({
  version: '2',
  title: 'Labels',
  change: [
    reshape({ of: Car, fields: { label: { was: 'name' } } }),
    operation({
      route: 'cars.find',
      headers: { 'x-size': { was: 'x-limit' } },
      cookies: { shade: { was: 'color' } },
      response: { headers: { 'x-total': { was: 'x-count' } } },
    }),
    operation({ route: 'cars.moved', path: { was: '/autos/{id:int}' }, method: { was: 'POST' } }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [renamed] })

/** A request as the API behind has received it. */
interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const EVENTS =
  'retry: 5\n\n: note\n\nevent: car\nid: 3\ndata: {"id":7,"label":"Bee"}\n\nevent: gone\ndata: 7\n\n'
const ITEMS = '{"id":7,"label":"Bee"}\n{"id":8,"label":"Ant"}\n'
const STREAMS: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/cars/watch': ['text/event-stream', EVENTS],
  '/cars/export': ['application/x-ndjson', ITEMS],
}

describe('a forwarded route of an older version', () => {
  let seen: Seen
  let app: ReturnType<typeof build>
  let close: () => void
  const { usage, read } = createCounts()
  const garageUrl = { value: '' }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, headers } = request
    seen = { method, url: request.url, headers, body: Buffer.concat(chunks).toString('latin1') }
    const [type, text] = STREAMS[request.url ?? ''] ?? []
    if (type !== undefined) {
      response.writeHead(200, { 'content-type': type })
      // two pieces, which end in the middle of a line
      response.write(text?.slice(0, 40))
      setImmediate(() => response.end(text?.slice(40)))
    } else
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-total': '1' })
        .end('{"id":7,"label":"Bee"}')
  }

  function build() {
    const garage = garageAt(() => garageUrl.value)
    const routes = [
      {
        method: 'GET',
        path: '/find',
        name: 'find',
        input: {
          headers: { 'x-size': z.int().optional() },
          cookies: { shade: z.string().optional() },
        },
        response: Car,
        forward: garage,
      },
      {
        method: 'GET',
        path: '/watch',
        name: 'watch',
        events: { car: Car, gone: z.string() },
        forward: garage,
      },
      { method: 'GET', path: '/export', name: 'export', items: Car, forward: garage },
      {
        method: 'POST',
        path: '/form',
        name: 'form',
        input: { form: NewCar },
        response: Car,
        forward: garage,
      },
      {
        method: 'POST',
        path: '/photo',
        name: 'photo',
        input: { form: NewCar, files: { photo: z.instanceof(File) } },
        response: Car,
        forward: garage,
      },
      { method: 'PUT', path: '/{id:int}', name: 'moved', response: Car, forward: garage },
    ] as const
    const controller = defineController({ prefix: '/cars', name: 'cars', routes })
    return createApp(defineModule({ controllers: [controller] }), {
      logger: false,
      client: (request) => request.header('x-client'),
      usage,
      versioning: { scheme: VersioningSchemes.URL, history },
    })
  }

  before(async () => {
    const behind = await startServer((request, response) => void answer(request, response))
    close = behind.close
    garageUrl.value = behind.url
    app = build()
    await app.ready()
  })

  after(() => close())

  it('has its events converted one by one, and those of the newest version pass byte by byte', async () => {
    const older = await app.inject('/v1/cars/watch')
    assert.equal(older.headers['content-type'], 'text/event-stream')
    assert.match(
      older.body,
      /event: car\nid: 3\ndata: {"id":7,"name":"Bee"}\n\nevent: gone\nid: 3\ndata: 7\n\n$/,
    )
    assert.equal((await app.inject('/v2/cars/watch')).body, EVENTS)
  })

  it('has its items converted one by one, and those of the newest version pass byte by byte', async () => {
    const older = await app.inject('/v1/cars/export')
    assert.equal(older.body, '{"id":7,"name":"Bee"}\n{"id":8,"name":"Ant"}\n')
    assert.equal((await app.inject('/v2/cars/export')).body, ITEMS)
  })

  it('has the headers and cookies of the newest one behind, beside those that no version declares', async () => {
    const headers = { 'x-limit': '5', 'x-other': 'a', cookie: 'color=red; own=1' }
    const response = await app.inject({ url: '/v1/cars/find', headers })
    assert.deepEqual(response.json(), { id: 7, name: 'Bee' })
    assert.deepEqual([response.headers['x-count'], response.headers['x-total']], ['1', undefined])
    assert.deepEqual(
      ['x-size', 'x-limit', 'x-other', 'cookie'].map((name) => seen.headers[name]),
      ['5', undefined, 'a', 'own=1; shade=red'],
    )
  })

  it('has urlencoded and multipart forms of the newest one behind, with their files', async () => {
    const form = await app.inject({
      method: 'POST',
      url: '/v1/cars/form',
      body: new URLSearchParams({ name: 'Ä b' }),
    })
    assert.equal(form.statusCode, 200)
    assert.deepEqual(
      [seen.body, seen.headers['content-type']?.split(';')[0]],
      ['label=%C3%84+b', 'application/x-www-form-urlencoded'],
    )
    const data = new FormData()
    data.append('name', 'Bee')
    data.append('photo', new File(['GIF89a...'], 'bee.gif', { type: 'image/gif' }))
    assert.equal((await app.inject({ method: 'POST', url: '/v1/cars/photo', body: data })).statusCode, 200)
    assert.match(seen.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/)
    assert.match(
      seen.body,
      /name="label"\r\n\r\nBee\r\n[^]*filename="bee.gif"\r\nContent-Type: image\/gif\r\n\r\nGIF89a\.\.\.\r\n/,
    )
    assert.doesNotMatch(seen.body, /name="name"/)
  })

  it('has the path and method of the newest one behind', async () => {
    const response = await app.inject({ method: 'POST', url: '/v1/autos/7' })
    assert.deepEqual(response.json(), { id: 7, name: 'Bee' })
    assert.deepEqual([seen.method, seen.url], ['PUT', '/cars/7'])
  })

  it('is counted, listed, named by urlFor and called by typed clients as one with a handler is', async () => {
    const client = createClient<typeof app>({ fetch: app.fetch, headers: { 'x-client': 'acme' } })
    const found = await client.at('1').cars.find({ headers: { 'x-limit': 5 } })
    assert.equal(found.status === 200 && found.data.name, 'Bee')
    const [oldest] = app.versions()
    assert.equal(oldest?.routes.find(({ name }) => name === 'cars.find')?.isConverted, true)
    assert.equal(app.urlFor('cars.moved', { id: 7 }), '/v2/cars/7')
    assert.equal(await client.at('1').url('cars.moved', { params: { id: 7 } }), 'http://localhost/v1/autos/7')
    await app.close()
    const entry = (await read()).find(({ client: name }) => name === 'acme')
    assert.equal(entry?.count, 1)
    assert.deepEqual(
      entry.changes?.map(({ id, count }) => [id, count]),
      [['labels', 1]],
    )
  })
})

describe('a long item of an upstream', () => {
  it('is converted with one look at each chunk', async () => {
    const garage = garageAt('http://a.test')
    const label = 'x'.repeat(400_000)
    const routes = [{ method: 'GET', path: '/export', name: 'export', items: Car, forward: garage }] as const
    const fake = (): Response =>
      new Response(inPieces(`${JSON.stringify({ id: 7, label })}\n`, 256), {
        headers: { 'content-type': 'application/x-ndjson' },
      })
    const labels = defineVersionChange({
      version: '2',
      title: 'Labels',
      change: [reshape({ of: Car, fields: { label: { was: 'name' } } })],
    })
    const app = createApp(
      defineModule({ controllers: [defineController({ prefix: '/cars', name: 'cars', routes })] }),
      {
        logger: false,
        versioning: {
          scheme: VersioningSchemes.URL,
          history: defineVersions({ versions: ['2', '1'], models: { Car }, changes: [labels] }),
        },
        overrides: [bind(garage, fake)],
      },
    )
    const count = await countSplit(async () => {
      const { body } = await app.inject('/v1/cars/export')
      assert.equal(body, `{"id":7,"name":"${label}"}\n`)
    })
    assert.ok(count < 1_000_000, `${count} characters`)
  })
})
