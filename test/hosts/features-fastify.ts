/* oxlint-disable oxc/no-async-endpoint-handlers -- the rule is for Express, and Fastify awaits handlers */
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'

import type { fastify as Fastify, FastifyPluginCallback, FastifyRequest } from 'fastify'
import { inside } from 'octavo/inside/fastify'

import { load } from './apps.ts'
import {
  createLimiter,
  digest,
  MANY,
  ORIGIN,
  PART,
  storage,
  toEvent,
  toItem,
  toLine,
  twoItems,
  type OpenFeatures,
} from './features.ts'

type Plugin = FastifyPluginCallback<Record<string, unknown>>

interface Upload {
  readonly filename: string
  readonly mimetype: string
  toBuffer(): Promise<Uint8Array>
  readonly fields: Readonly<Record<string, unknown>>
}

const NEW_ITEM = { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } }

/** Opens the application of the features on Fastify 5. */
export const openFastifyFeatures: OpenFeatures = async (versions, notes, place) => {
  const framework = await load<typeof Fastify>('fastify')
  const [compress, cors, multipart] = await Promise.all([
    load<Plugin>('@fastify/compress'),
    load<Plugin>('@fastify/cors'),
    load<Plugin>('@fastify/multipart'),
  ])
  const limit = createLimiter()
  const sessions = new Map<string, number>()
  const server = framework({ trustProxy: true, requestIdHeader: 'x-request-id' })
  server.addHook('onResponse', async ({ method, originalUrl }, { statusCode }) => {
    notes.log.push(`${method} ${originalUrl} ${statusCode}`)
  })
  if (place === 'outside') await server.register(cors, { origin: ORIGIN, credentials: true })
  await server.register(multipart)
  if (place === 'behind') await server.register(compress, { threshold: 0 })
  server.addHook('onRequest', (request, reply, done) => {
    const { remaining, isOver } = limit(request.headers['x-client']?.toString())
    reply.header('x-ratelimit-remaining', String(remaining))
    if (isOver) void reply.code(429).send({ over: true })
    else storage.run(request.id, done)
  })
  await server.register(inside, { versions })
  if (place === 'behind') await server.register(cors, { origin: ORIGIN, credentials: true })
  if (place === 'outside') await server.register(compress, { threshold: 0 })
  server.addHook('preHandler', async ({ method, url }) => {
    notes.handled.push(`${method} ${url}`)
  })
  const paramOf = ({ params }: FastifyRequest): unknown => Object(params).id
  server.get('/items/:id', async (request) => toItem(paramOf(request)))
  server.delete('/items/:id', async () => ({ removed: '7' }))
  server.get('/owners/:id', async (request) => toItem(paramOf(request)))
  server.get('/session', async (request, reply) => {
    const [, id = crypto.randomUUID()] = /sid=([^;]+)/.exec(request.headers.cookie ?? '') ?? []
    sessions.set(id, (sessions.get(id) ?? 0) + 1)
    reply.header('set-cookie', `sid=${id}`)
    return toItem(sessions.get(id))
  })
  server.get('/ip', async ({ ip, protocol, hostname }) => toItem(`${ip} ${protocol} ${hostname}`))
  server.get('/limited', async () => toItem('1'))
  server.get('/big', async () => MANY)
  server.get('/context', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return toItem(storage.getStore())
  })
  server.setErrorHandler((error, _request, reply) => {
    const { validation, statusCode = 500 } = Object(error)
    if (validation !== undefined) return reply.code(422).send({ tooLong: 'name' })
    return reply.code(statusCode).send(error)
  })
  server.post('/items', { schema: { body: NEW_ITEM } }, async ({ body }, reply) => {
    reply.code(201)
    return { id: '9', ...Object(body) }
  })
  server.post('/owners', async ({ body }, reply) => {
    reply.code(201).header('location', '/owners/9')
    return { id: '9', ...Object(body) }
  })
  server.post('/uploads', async (request) => {
    const upload: Upload = await Reflect.apply(
      Reflect.get(request, 'file') as () => Promise<Upload>,
      request,
      [],
    )
    const bytes = await upload.toBuffer()
    const { value: name } = Object(upload.fields['name'])
    return { id: `${upload.filename} ${upload.mimetype} ${digest(bytes)}`, name }
  })
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_, body, done) => {
    done(null, body)
  })
  server.post('/binary', async ({ body }) => toItem(digest(Buffer.from(body as Uint8Array))))
  server.get('/ticks', async (_, reply) =>
    reply.type('text/event-stream').send(Readable.from(twoItems(notes, toEvent))),
  )
  server.get('/lines', async (_, reply) =>
    reply.type('application/x-ndjson').send(Readable.from(twoItems(notes, toLine))),
  )
  server.get('/file', async ({ headers: { range } }, reply) => {
    const text = await readFile('LICENSE')
    reply.header('accept-ranges', 'bytes').type('text/plain')
    if (range !== 'bytes=0-10') return text
    reply.code(206).header('content-range', `bytes 0-10/${text.length}`)
    return text.subarray(0, 11)
  })
  server.get('/part', async ({ headers: { range } }, reply) => {
    if (range === undefined) return toItem('7')
    reply.code(206).header('content-range', PART.range).type('application/json')
    return PART.text
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  return server.server
}
