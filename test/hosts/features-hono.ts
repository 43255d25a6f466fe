import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Server } from 'node:http'
import { Readable } from 'node:stream'

import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { getCookie, setCookie } from 'hono/cookie'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { validator } from 'hono/validator'
import { inside } from 'octavo/inside/hono'

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

const toWeb = (texts: AsyncIterable<string>): ReadableStream =>
  Readable.toWeb(Readable.from(texts).map((text) => Buffer.from(String(text)))) as ReadableStream

/** Opens the application of the features on Hono 4. */
export const openHonoFeatures: OpenFeatures = async (versions, notes, place) => {
  const limit = createLimiter()
  const sessions = new Map<string, number>()
  const app = new Hono<{ Bindings: HttpBindings; Variables: { requestId: string } }>()
  app.use(async (c, next) => {
    const { method, path } = c.req
    await next()
    notes.log.push(`${method} ${path} ${c.res.status}`)
  })
  const own = [compress({ threshold: 0 }), cors({ origin: ORIGIN, credentials: true })]
  if (place === 'outside') own.forEach((each) => app.use(each))
  app.use(requestId())
  app.use((c, next) => storage.run(c.get('requestId'), next))
  app.use(async (c, next) => {
    const { remaining, isOver } = limit(c.req.header('x-client'))
    c.header('x-ratelimit-remaining', String(remaining))
    if (isOver) return c.json({ over: true }, 429)
    return next()
  })
  app.use(inside(versions, { app }))
  if (place === 'behind') own.forEach((each) => app.use(each))
  app.use(async (c, next) => {
    notes.handled.push(`${c.req.method} ${c.req.path}`)
    await next()
  })
  app.get('/items/:id', (c) => c.json(toItem(c.req.param('id'))))
  app.delete('/items/:id', (c) => c.json({ removed: c.req.param('id') }))
  app.get('/owners/:id', (c) => c.json(toItem(c.req.param('id'))))
  app.get('/session', (c) => {
    const id = getCookie(c, 'sid') ?? crypto.randomUUID()
    sessions.set(id, (sessions.get(id) ?? 0) + 1)
    setCookie(c, 'sid', id)
    return c.json(toItem(sessions.get(id)))
  })
  app.get('/ip', (c) => {
    const address = c.req.header('x-forwarded-for') ?? getConnInfo(c).remote.address
    const host = c.req.header('host')?.split(':')[0]
    return c.json(toItem(`${address} ${c.req.header('x-forwarded-proto')} ${host}`))
  })
  app.get('/limited', (c) => c.json(toItem('1')))
  app.get('/big', (c) => c.json(MANY))
  app.get('/context', async (c) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return c.json(toItem(storage.getStore()))
  })
  app.post(
    '/items',
    validator('json', (body, c) => (Object(body).name.length > 5 ? c.json({ tooLong: 'name' }, 422) : body)),
    (c) => c.json({ id: '9', ...Object(c.req.valid('json')) }, 201),
  )
  app.post('/owners', async (c) =>
    c.json({ id: '9', ...(await c.req.json<object>()) }, 201, { location: '/owners/9' }),
  )
  app.post('/uploads', async (c) => {
    const { file, name } = await c.req.parseBody()
    if (!(file instanceof File)) return c.json({ missing: 'file' }, 400)
    const bytes = new Uint8Array(await file.arrayBuffer())
    return c.json({ id: `${file.name} ${file.type} ${digest(bytes)}`, name })
  })
  app.post('/binary', async (c) => c.json(toItem(digest(new Uint8Array(await c.req.arrayBuffer())))))
  app.get('/ticks', (c) =>
    c.body(toWeb(twoItems(notes, toEvent)), 200, { 'content-type': 'text/event-stream' }),
  )
  app.get('/lines', (c) =>
    c.body(toWeb(twoItems(notes, toLine)), 200, { 'content-type': 'application/x-ndjson' }),
  )
  app.get('/file', async (c) => {
    const bytes = await readFile('LICENSE')
    c.header('accept-ranges', 'bytes')
    if (c.req.header('range') !== 'bytes=0-10') return c.body(bytes)
    return c.body(bytes.subarray(0, 11), 206, { 'content-range': `bytes 0-10/${bytes.length}` })
  })
  app.get('/part', (c) => {
    const headers = { 'content-range': PART.range, 'content-type': 'application/json' }
    return c.req.header('range') === undefined ? c.json(toItem('7')) : c.body(PART.text, 206, headers)
  })
  const server = createAdaptorServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  if (!(server instanceof Server)) throw new TypeError('It speaks HTTP/1.1')
  return server
}
