import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import { Readable } from 'node:stream'

import { createAdaptorServer } from '@hono/node-server'
import type express from 'express'
import type { fastify as Fastify } from 'fastify'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { streamSSE } from 'hono/streaming'
import type { App } from 'octavo'
import { inside as insideExpress } from 'octavo/inside/express'
import { inside as insideFastify } from 'octavo/inside/fastify'
import { inside as insideHono } from 'octavo/inside/hono'

import { CAR } from './garage.ts'

/** The status for a state with the entity tag `"t1"`, by the conditions of a request. */
export function statusOf(header: (name: string) => unknown): number {
  const [match, noneMatch] = [header('if-match'), header('if-none-match')]
  if (match !== undefined && match !== '"t1"') return 412
  return noneMatch === '"t1"' ? 304 : 200
}

/** A framework's application that is listening. */
export interface Listening {
  readonly url: string
  readonly close: () => Promise<unknown>
}

/** What the applications note of the requests that reach their handlers. */
export interface Seen {
  readonly lines: string[]
  /** Aborted with the client of `/rows?forever`. */
  readonly aborted: string[]
}

export const storage = new AsyncLocalStorage<string>()

export const newSeen = (): Seen => ({ lines: [], aborted: [] })

export function versionOf(account: string | undefined): string | undefined {
  if (account === 'unknown') throw new Error('no such account')
  return account?.replace('account-', '')
}

const sseText = (value: object): string => `event: car\ndata: ${JSON.stringify(value)}\n\n`

export async function* rows(): AsyncGenerator<string> {
  yield `${JSON.stringify(CAR)}\n`
  await new Promise((resolve) => setTimeout(resolve, 20))
  yield `${JSON.stringify({ ...CAR, id: '8' })}\n`
}

async function listen(handler: RequestListener): Promise<Listening> {
  return started(createServer(handler))
}

async function started(server: ReturnType<typeof createAdaptorServer>): Promise<Listening> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = async (): Promise<void> => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

/** A framework by the name of its package, because several majors of one are installed. */
export async function load<F>(name: string): Promise<F> {
  const { default: framework }: { default: F } = await import(name)
  return framework
}

export function openExpress(installed: 'express' | 'express-4', parses: 'before' | 'after') {
  return async (versions: App, seen: Seen): Promise<Listening> => {
    const framework = await load<typeof express>(installed)
    const server = framework()
    server.use((request, response, next) => {
      response.setHeader('x-before', 'yes')
      storage.run(String(request.headers['x-request-id']), next)
    })
    if (parses === 'before') server.use(framework.json())
    server.use(
      insideExpress<express.Request>(versions, {
        version: (request) => versionOf(request.get('x-account')),
      }),
    )
    if (parses === 'after') server.use(framework.json())
    server.use((request, _, next) => {
      seen.lines.push(`${request.method} ${request.url} ${storage.getStore()}`)
      next()
    })
    server.get(
      '/cars',
      (request, response) => void response.json([{ ...CAR, id: String(Object(request.query).limit) }]),
    )
    server.get(
      '/search',
      (request, response) => void response.json({ ...CAR, id: String(Object(request.query).q) }),
    )
    server.all('/tagged', (request, response) => {
      response.set('etag', '"t1"').status(statusOf((name) => request.get(name)))
      if (response.statusCode === 200) response.json(CAR)
      else response.end()
    })
    server.get('/raw', (_, response) => {
      const headers = ['set-cookie', 'a=1', 'content-type', 'application/json', 'set-cookie', 'b=2']
      response.writeHead(200, headers).end(JSON.stringify(CAR))
    })
    server.get('/cars/none', (_, response) => void response.status(204).end())
    server.get('/cars/hangs', (_, response) => {
      seen.lines.push('hangs')
      response.once('close', () => seen.aborted.push('hangs'))
    })
    server.get('/cars/late', (_, response) => {
      response.json(CAR)
      seen.lines.push(`${response.headersSent} ${response.writableEnded}`)
      try {
        response.setHeader('x-late', 'yes')
      } catch (error) {
        seen.lines.push(String(Object(error).code))
      }
      throw new Error('it fails late')
    })
    server.get('/cars/broken', (_, response) => {
      response.type('json').write('{"id":')
      throw new Error('it fails in between')
    })
    server.get('/cars/:id', (request, response) => void response.json({ ...CAR, id: request.params.id }))
    server.post('/cars', (request, response) => {
      if (Object(request.body).name === 'taken') return void response.status(409).json({ error: 'taken' })
      response
        .status(201)
        .location('/cars/9')
        .json({ id: '9', ...request.body })
    })
    server.get('/events', (_, response) => {
      response.type('text/event-stream').write(sseText(CAR))
      setTimeout(() => response.end(sseText({ ...CAR, id: '8' })), 20)
    })
    server.get(
      '/rows',
      (_, response) => void Readable.from(rows()).pipe(response.type('application/x-ndjson')),
    )
    server.get('/fails', () => {
      throw new Error('it fails')
    })
    server.get('/login', (_, response) => {
      response.cookie('a', '1').cookie('b', '2').json(CAR)
    })
    server.get('/other', (_, response) => response.redirect('/elsewhere'))
    server.use(((error, _request, response, next) => {
      if (response.headersSent) return next(error)
      response.status(500).json({ oops: true })
    }) satisfies express.ErrorRequestHandler)
    return listen(server)
  }
}

export function openFastify(installed: 'fastify' | 'fastify-4') {
  return async (versions: App, seen: Seen): Promise<Listening> => {
    const framework = await load<typeof Fastify>(installed)
    const querystringParser = (text: string) => ({ ...parseQuery(text), by: 'the parser of the application' })
    const server = framework(
      installed === 'fastify' ? { routerOptions: { querystringParser } } : { querystringParser },
    )
    server.addHook('onRequest', (request, reply, done) => {
      reply.header('x-before', 'yes')
      storage.run(String(request.headers['x-request-id']), done)
    })
    await server.register(insideFastify, {
      versions,
      version: (request) => versionOf(request.headers['x-account']?.toString()),
    })
    server.addHook('preHandler', async (request) => {
      seen.lines.push(`${request.method} ${request.url} ${storage.getStore()}`)
    })
    server.setErrorHandler((_error, _request, reply) => reply.code(500).send({ oops: true }))
    server.get<{ Querystring: { limit?: string } }>('/cars', (request, reply) =>
      reply.send([{ ...CAR, id: String(request.query.limit) }]),
    )
    server.get<{ Querystring: { q?: string; by?: string } }>('/search', (request, reply) =>
      reply.send({ ...CAR, id: String(request.query.by && request.query.q) }),
    )
    server.route({
      method: ['GET', 'PUT'],
      url: '/tagged',
      handler: (request, reply) => {
        reply.header('etag', '"t1"').code(statusOf((name) => request.headers[name]))
        return reply.send(reply.statusCode === 200 ? CAR : undefined)
      },
    })
    server.get('/raw', (request, reply) => {
      if (Object(request.query).hijacks !== undefined) reply.hijack()
      const headers = { 'set-cookie': ['a=1', 'b=2'], 'content-type': 'application/json' }
      reply.raw.writeHead(200, headers).write(JSON.stringify(CAR).slice(0, 9))
      setTimeout(() => reply.raw.end(JSON.stringify(CAR).slice(9)), 5)
    })
    server.get('/cars/none', (_, reply) => reply.code(204).send())
    server.get('/cars/hangs', (_, reply) => {
      seen.lines.push('hangs')
      reply.raw.once('close', () => seen.aborted.push('hangs'))
    })
    server.get<{ Params: { id: string } }>('/cars/:id', (request, reply) =>
      reply.send({ ...CAR, id: request.params.id }),
    )
    server.post('/cars', async (request, reply) =>
      Object(request.body).name === 'taken'
        ? reply.code(409).send({ error: 'taken' })
        : reply
            .code(201)
            .header('location', '/cars/9')
            .send({ id: '9', ...Object(request.body) }),
    )
    server.get('/events', async (_, reply) => {
      reply.type('text/event-stream')
      return Readable.from(
        (async function* events() {
          yield sseText(CAR)
          await new Promise((resolve) => setTimeout(resolve, 20))
          yield sseText({ ...CAR, id: '8' })
        })(),
      )
    })
    server.get('/rows', async (_, reply) => reply.type('application/x-ndjson').send(Readable.from(rows())))
    server.get('/fails', async () => {
      throw new Error('it fails')
    })
    server.get('/login', async (_, reply) => {
      reply.header('set-cookie', ['a=1', 'b=2'])
      return CAR
    })
    server.get('/other', async (_, reply) => reply.redirect('/elsewhere'))
    const url = await server.listen({ port: 0, host: '127.0.0.1' })
    return { url, close: () => server.close() }
  }
}

export function openHono(versions: App, seen: Seen): Promise<Listening> {
  const app = new Hono()
  app.use(compress())
  app.use(async (c, next) => {
    await storage.run(String(c.req.header('x-request-id')), next)
    c.res.headers.set('x-before', 'yes')
  })
  app.use(insideHono(versions, { app, version: (c) => versionOf(c.req.header('x-account')) }))
  app.use(insideHono(versions, { app }))
  app.use(async (c, next) => {
    const { pathname, search } = new URL(c.req.url)
    seen.lines.push(`${c.req.method} ${pathname}${search} ${storage.getStore()}`)
    await next()
  })
  app.get('/cars', (c) => c.json([{ ...CAR, id: String(c.req.query('limit')) }]))
  app.get('/search', (c) => c.json({ ...CAR, id: String(c.req.query('q')) }))
  app.on(['GET', 'PUT'], '/tagged', (c) => {
    c.header('etag', '"t1"')
    const status = statusOf((name) => c.req.header(name))
    return status === 200 ? c.json(CAR) : c.body(null, status === 304 ? 304 : 412)
  })
  app.get('/raw', () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['content-type', 'application/json'],
      ['set-cookie', 'b=2'],
    ])
    return new Response(JSON.stringify(CAR), { headers })
  })
  app.get('/cars/none', (c) => c.body(null, 204))
  app.get('/cars/hangs', (c) => {
    seen.lines.push('hangs')
    return new Promise<Response>((resolve) => {
      c.req.raw.signal.addEventListener('abort', () => {
        seen.aborted.push('hangs')
        resolve(c.body(null, 204))
      })
    })
  })
  app.get('/cars/:id', (c) => c.json({ ...CAR, id: c.req.param('id') }))
  app.post('/cars', async (c) => {
    const body: object = await c.req.json()
    if (Object(body).name === 'taken') return c.json({ error: 'taken' }, 409)
    return c.json({ id: '9', ...body }, 201, { location: '/cars/9' })
  })
  app.get('/events', (c) =>
    streamSSE(c, async (stream) => {
      await stream.writeSSE({ event: 'car', data: JSON.stringify(CAR) })
      await stream.sleep(20)
      await stream.writeSSE({ event: 'car', data: JSON.stringify({ ...CAR, id: '8' }) })
    }),
  )
  app.get('/rows', (c) =>
    c.body(
      Readable.toWeb(Readable.from(rows()).map((text) => Buffer.from(String(text)))) as ReadableStream,
      200,
      {
        'content-type': 'application/x-ndjson',
      },
    ),
  )
  app.get('/fails', () => {
    throw new Error('it fails')
  })
  app.get('/login', (c) => {
    c.header('set-cookie', 'a=1', { append: true })
    c.header('set-cookie', 'b=2', { append: true })
    return c.json(CAR)
  })
  app.get('/other', (c) => c.redirect('/elsewhere'))
  app.onError((_, c) => c.json({ oops: true }, 500))
  return started(createAdaptorServer(app))
}
