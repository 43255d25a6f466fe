import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { request as send } from 'node:http'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

import { getRequestListener } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import express from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { DefinitionError, defineController, type App, type AppOptions } from 'octavo'
import { direct } from 'octavo/engine'
import { defineUpstream, type UpstreamOptions } from 'octavo/upstream'

import { serve } from '../support/serve.ts'
import { frontOf } from './garage.ts'

const current = new AsyncLocalStorage<string>()

/** Facts that an application reads of its request. */
interface Facts {
  readonly url: string
  readonly address: string | undefined
  readonly id: string | undefined
  readonly store: string | undefined
  readonly forwarded: string | undefined
  readonly host: string | undefined
}

let asked = 0
let aborted = 0
const onAbort = (): unknown => aborted++

function createHono() {
  const hono = new Hono()
  hono.get('/cars/:id', (c) => c.json({ id: Number(c.req.param('id')), label: 'Bee' }, 200, { 'x-a': 'b' }))
  hono.post('/cars', async (c) => c.json({ id: 8, ...(await c.req.json<object>()) }, 201))
  hono.get('/facts', (c) =>
    c.json({
      url: c.req.url,
      address: getConnInfo(c).remote.address,
      id: c.req.header('x-request-id'),
      store: current.getStore(),
      forwarded: c.req.header('x-forwarded-for'),
      host: c.req.header('host'),
    } satisfies Facts),
  )
  hono.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      await stream.writeSSE({ data: '1' })
      await stream.writeSSE({ data: '2' })
    }),
  )
  hono.put('/long', async (c) => c.text(String((await c.req.arrayBuffer()).byteLength)))
  hono.get('/copy', async (c) => {
    const copy = new Request(c.req.raw, { headers: { 'x-copy': 'yes' } })
    return c.text([copy.url, copy.headers.get('x-copy'), c.req.raw.clone().url === copy.url].join(' '))
  })
  hono.post('/twice', async (c) => {
    const copy = c.req.raw.clone()
    return c.text((await c.req.text()) + (await copy.text()))
  })
  hono.get('/never', (c) => {
    asked++
    c.req.raw.signal.addEventListener('abort', onAbort)
    return new Promise<Response>(() => undefined)
  })
  hono.get('/fails', () => {
    throw new Error('broken')
  })
  hono.get('/cookies', () => {
    const headers = new Headers({ location: '/cars/7' })
    for (const cookie of ['a=1', 'b=2; Path=/']) headers.append('set-cookie', cookie)
    return new Response(null, { status: 302, headers })
  })
  return hono
}

function createExpress() {
  const app = express()
  app.use(express.json())
  app.get(
    '/cars/:id',
    (req, res) => void res.set('x-a', 'b').json({ id: Number(req.params.id), label: 'Bee' }),
  )
  app.post('/cars', (req, res) => void res.status(201).json({ id: 8, ...req.body }))
  app.get('/facts', (req, res) => {
    const facts: Facts = {
      url: `${req.protocol}://${req.get('host') ?? ''}${req.originalUrl}`,
      address: req.ip,
      id: req.get('x-request-id'),
      store: current.getStore(),
      forwarded: req.get('x-forwarded-for'),
      host: req.get('host'),
    }
    res.json(facts)
  })
  app.get('/events', (_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.write('data: 1\n\n')
    setImmediate(() => res.end('data: 2\n\n'))
  })
  app.put('/long', (req, res) => {
    let size = 0
    req.on('data', (chunk: Buffer) => (size += chunk.length)).on('end', () => res.send(String(size)))
  })
  app.get('/never', (_, res) => {
    asked++
    res.on('close', onAbort)
  })
  app.get('/fails', () => {
    throw new Error('broken')
  })
  app.get('/cookies', (_, res) => res.cookie('a', '1').cookie('b', '2').redirect('/cars/7'))
  return app
}

const behind = serve(
  defineController({
    prefix: '/',
    routes: [
      { method: 'GET', path: '/cars/{id:int}', handler: ({ params }) => ({ id: params.id, label: 'Bee' }) },
      {
        method: 'GET',
        path: '/facts',
        handler: (_, { request, requestId }) => ({
          url: request.url,
          address: request.ip,
          id: requestId,
          host: request.header('host'),
        }),
      },
    ],
  }),
)

/** Waits until something is so, for ten seconds. */
async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    assert.ok(tries < 1_000)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

type LocalApp = NonNullable<UpstreamOptions<{}>['app']>

function frontOfApp(app: LocalApp, options: Partial<AppOptions> = {}): App {
  const garage = defineUpstream({ name: 'Garage', app, timeouts: { headers: 20_000 } })
  return frontOf(garage, {
    middleware: [(_, next) => current.run('of the request', next)],
    ...options,
  })
}

const hono = createHono()
const apps: Readonly<Record<string, LocalApp>> = {
  'an application of Hono': hono,
  'a listener of Hono': getRequestListener(hono.fetch, { overrideGlobalObjects: false }),
  'an application of Express': createExpress(),
}

/** Whether the platform hides the text that a response was created with, as Node 24 does. */
const isStateHidden = Object.getOwnPropertySymbols(new Response('')).length === 0

for (const [name, given] of Object.entries(apps)) {
  describe(`an upstream that is ${name}`, () => {
    const app = frontOfApp(given)
    after(() => app.close())

    it('answers the newest version as it is, and older ones converted', async () => {
      const newest = await app.inject('/v2/cars/7')
      assert.deepEqual([newest.json(), newest.headers['x-a']], [{ id: 7, label: 'Bee' }, 'b'])
      assert.equal(newest.headers['content-length'], isStateHidden && given === hono ? undefined : '22')
      const older = await app.inject('/v1/cars/7')
      assert.deepEqual([older.json(), older.headers['x-a']], [{ id: 7, name: 'Bee' }, 'b'])
      const made = await app.inject({ method: 'POST', url: '/v1/cars', json: { name: 'Ant' } })
      assert.deepEqual([made.statusCode, made.json()], [201, { id: 8, name: 'Ant' }])
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      const body = gzipSync('{"label":"Ant"}')
      const coded = await app.inject({ method: 'POST', url: '/v2/cars', headers, body })
      assert.equal(coded.statusCode, name.endsWith('Express') ? 201 : 500, 'Hono undoes no coding')
      const refused = await app.inject({ method: 'POST', url: '/v1/cars', json: { name: 7 } })
      assert.match(refused.body, /"path":\["name"\]/)
      assert.equal((await app.inject({ method: 'HEAD', url: '/v2/cars/7' })).body, '')
      const redirect = await app.inject('/v1/cookies')
      assert.deepEqual([redirect.statusCode, redirect.headers['location']], [302, '/v1/cars/7'])
      assert.equal(redirect.headers['set-cookie']?.length, 2)
      assert.equal((await app.inject('/v2/events')).body, 'data: 1\n\ndata: 2\n\n')
      assert.equal((await app.inject('/v2/fails')).statusCode, 500)
      const long = await app.inject({ method: 'PUT', url: '/v2/long', body: Buffer.alloc(300_000) })
      assert.equal(long.body, '300000')
    })

    for (const engine of [undefined, direct()])
      it(`has the facts of the request, ${engine === undefined ? 'on node:http' : 'on the direct engine'}`, async () => {
        const other = frontOfApp(given)
        const url = await other.listen({ port: 0, host: '127.0.0.1', ...(engine && { engine }) })
        const headers = { 'x-request-id': 'sent', 'x-forwarded-for': '1.1.1.1' }
        const response = await fetch(`${url}/v1/facts?a=1`, { headers })
        const { id, address, ...facts } = (await response.json()) as Facts
        assert.deepEqual(facts, {
          url: `${url}/facts?a=1`,
          store: 'of the request',
          host: new URL(url).host,
        })
        assert.match(String(address), /127\.0\.0\.1$/)
        // the id is that of the log, which no client chooses
        assert.match(String(id), /^[\da-f-]{36}$/)
        await other.close()
      })

    it('gets the address that a proxy tells, but not one that a client claims', async () => {
      for (const [trustProxy, expected] of [
        [false, undefined],
        ['10.0.0.0/8', undefined],
        ['127.0.0.1', '1.1.1.1'],
      ] as const) {
        const other = frontOfApp(given, { trustProxy })
        const url = await other.listen({ port: 0, host: '127.0.0.1' })
        const headers = { 'x-forwarded-for': '1.1.1.1', x_forwarded_for: '2.2.2.2' }
        const response = await fetch(`${url}/v1/facts`, { headers })
        assert.equal(((await response.json()) as Facts).forwarded, expected, String(trustProxy))
        await other.close()
      }
    })

    it('ends with a client that is gone', async () => {
      const other = frontOfApp(given)
      const url = await other.listen({ port: 0, host: '127.0.0.1' })
      const [first, before] = [asked, aborted]
      const sent = send(`${url}/v2/never`).on('error', () => undefined)
      sent.end()
      await until(() => asked > first)
      sent.destroy()
      await until(() => aborted > before)
      await other.close()
    })

    it('has a time limit', async () => {
      const slow = frontOf(defineUpstream({ name: 'Garage', app: given, timeouts: { headers: 20 } }))
      const before = aborted
      assert.match((await slow.inject('/v2/never')).body, /"code":"upstream_timeout"/)
      assert.equal(aborted - before, 1)
    })
  })
}

describe('an upstream that is an application of Octavo', () => {
  it('knows the client and the id of the request', async () => {
    const app = frontOfApp(behind)
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    assert.deepEqual(await (await fetch(`${url}/v1/cars/7`)).json(), { id: 7, name: 'Bee' })
    const facts = (await (await fetch(`${url}/v2/facts`)).json()) as Facts
    assert.deepEqual([facts.url, facts.host, facts.address], ['/facts', new URL(url).host, '127.0.0.1'])
    await app.close()
  })
})

describe('a request of an application in this process', () => {
  it('has the environment and the execution of a worker', async () => {
    const environment = { KEY: 'Bee' }
    const execution = { waitUntil: () => undefined }
    const received: unknown[] = []
    const worker = {
      fetch: (_: Request, ...given: readonly unknown[]) => {
        received.push(...given)
        return Response.json({ id: 7, label: 'Bee' })
      },
    }
    const front = frontOfApp(worker)
    const response = await front.fetch(new Request('http://a.test/v1/cars/7'), environment, execution)
    assert.deepEqual(await response.json(), { id: 7, name: 'Bee' })
    assert.deepEqual(received, [environment, execution])
  })

  it('reaches Fastify by its listener', async () => {
    const server = fastify()
    server.get('/cars/:id', (_, reply) => reply.header('x-a', 'b').send({ id: 7, label: 'Bee' }))
    server.post('/cars', ({ body }, reply) => reply.code(201).send({ id: 8, ...Object(body) }))
    await server.ready()
    const front = frontOfApp((request, response) => server.routing(request, response))
    const older = await front.inject('/v1/cars/7')
    assert.deepEqual([older.json(), older.headers['x-a']], [{ id: 7, name: 'Bee' }, 'b'])
    const made = await front.inject({ method: 'POST', url: '/v1/cars', json: { name: 'Ant' } })
    assert.deepEqual([made.statusCode, made.json()], [201, { id: 8, name: 'Ant' }])
    await server.close()
  })

  const app = frontOfApp(hono)

  it('can be copied, and read once', async () => {
    assert.equal((await app.inject('/v2/copy')).body, 'http://localhost/copy yes true')
    const twice = await app.inject({ method: 'POST', url: '/v2/twice', body: 'ab' })
    assert.equal(twice.body, 'abab')
  })
})

describe('defineUpstream', () => {
  it('has either an address or an application', () => {
    const codes = (options: object): unknown => {
      try {
        defineUpstream({ name: 'Garage', ...options })
      } catch (error) {
        assert.ok(error instanceof DefinitionError)
        return error.errors.map(({ message }) => message)
      }
      return undefined
    }
    assert.deepEqual(codes({}), ['it has no url'])
    const wrong = codes({ url: 'http://a.test', app: hono, retries: 1 })
    assert.deepEqual(wrong, [
      'url is for an API at an address, and app is one in this process',
      'retries is for an API at an address, and app is one in this process',
    ])
    assert.match(String(codes({ app: {} })), /app is an empty object/)
  })
})
