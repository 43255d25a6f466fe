import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'

import type express from 'express'
import { inside } from 'octavo/inside/express'

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

type Create = (options?: object) => express.RequestHandler

type Multer = (options?: object) => { single(name: string): express.RequestHandler }

/** Opens the application of the features on a major of Express. */
export function openExpressFeatures(installed: 'express' | 'express-4'): OpenFeatures {
  return async (versions, notes, place) => {
    const framework = await load<typeof express>(installed)
    const [compression, cors, session] = await Promise.all(
      ['compression', 'cors', 'express-session'].map((name) => load<Create>(name)),
    )
    const multer = await load<Multer>('multer')
    const limit = createLimiter()
    const server = framework()
    const use = (handler: express.RequestHandler | undefined): void => {
      if (handler !== undefined) server.use(handler)
    }
    server.set('trust proxy', true)
    use((request, response, next) => {
      const { method, url } = request
      response.once('finish', () => notes.log.push(`${method} ${url} ${response.statusCode}`))
      next()
    })
    const both = [compression?.({ threshold: 0 }), cors?.({ origin: ORIGIN, credentials: true })]
    if (place === 'outside') both.forEach(use)
    use(session?.({ secret: 'of tests', resave: false, saveUninitialized: false }))
    use((request, response, next) => {
      const { remaining, isOver } = limit(request.get('x-client'))
      response.set('x-ratelimit-remaining', String(remaining))
      if (isOver) response.status(429).json({ over: true })
      else storage.run(String(request.headers['x-request-id']), next)
    })
    use(inside(versions))
    if (place === 'behind') both.forEach(use)
    use(framework.json())
    use((request, _, next) => {
      notes.handled.push(`${request.method} ${request.url}`)
      next()
    })
    const read = (path: string, handler: (request: express.Request) => unknown): void => {
      server.get(path, (request, response) => void response.json(handler(request)))
    }
    read('/items/:id', ({ params }) => toItem(params['id']))
    server.delete('/items/:id', (_, response) => void response.json({ removed: '7' }))
    read('/owners/:id', ({ params }) => toItem(params['id']))
    read('/session', ({ session: own }: express.Request & { session?: { count?: number } }) => {
      Object(own).count = (own?.count ?? 0) + 1
      return toItem(own?.count)
    })
    read('/ip', ({ ip, protocol, hostname }) => toItem(`${ip} ${protocol} ${hostname}`))
    read('/limited', () => toItem('1'))
    read('/big', () => MANY)
    server.get('/context', (_, response) => {
      setTimeout(() => response.json(toItem(storage.getStore())), 5)
    })
    server.post('/items', (request, response) => {
      const { name } = Object(request.body)
      if (name.length > 5) response.status(422).json({ tooLong: 'name' })
      else response.status(201).json({ id: '9', name })
    })
    server.post('/owners', (request, response) => {
      response
        .status(201)
        .location('/owners/9')
        .json({ id: '9', ...request.body })
    })
    server.post('/uploads', multer().single('file'), (request, response) => {
      const { originalname, mimetype, buffer } = Object(Reflect.get(request, 'file'))
      response.json({ ...request.body, id: `${originalname} ${mimetype} ${digest(buffer)}` })
    })
    server.post('/binary', framework.raw({ type: '*/*' }), (request, response) => {
      response.json(toItem(digest(request.body)))
    })
    const stream = async (texts: AsyncIterable<string>, response: express.Response): Promise<void> => {
      for await (const text of texts) {
        response.write(text)
        // of compression()
        Object(response).flush()
      }
      response.end()
    }
    server.get('/ticks', (_, response) =>
      stream(twoItems(notes, toEvent), response.type('text/event-stream')),
    )
    server.get('/lines', (_, response) =>
      stream(twoItems(notes, toLine), response.type('application/x-ndjson')),
    )
    server.get('/file', (_, response) => response.sendFile(join(process.cwd(), 'LICENSE')))
    server.get('/part', (request, response) => {
      if (request.get('range') === undefined) response.json(toItem('7'))
      else response.status(206).set('content-range', PART.range).type('json').end(PART.text)
    })
    const listening = createServer(server).listen(0, '127.0.0.1')
    await once(listening, 'listening')
    return listening
  }
}
