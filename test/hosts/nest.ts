import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

import type { Express } from 'express'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from 'octavo'
import { inside as insideExpress } from 'octavo/inside/express'
import { inside as insideFastify } from 'octavo/inside/fastify'

import { addHandler, type Decorator } from '../../examples/inside/nest.ts'
import { load, rows, statusOf, storage, versionOf, type Listening, type Seen } from './apps.ts'
import { CAR } from './garage.ts'

/** The part of NestJS that the tests use. Several of its majors are installed. */
export interface Nest {
  readonly Controller: (path: string) => (target: object) => void
  readonly Module: (options: object) => (target: object) => void
  readonly Catch: () => (target: object) => void
  readonly Get: (path: string) => Decorator
  readonly Post: (path: string) => Decorator
  readonly Put: (path: string) => Decorator
  readonly Delete: (path: string) => Decorator
  readonly Sse: (path: string) => Decorator
  readonly HttpCode: (status: number) => Decorator
  readonly Header: (name: string, value: string) => Decorator
  readonly Redirect: (url: string, status: number) => Decorator
  readonly Param: (name: string) => Decorator
  readonly Query: () => Decorator
  readonly Body: (pipe?: object) => Decorator
  readonly UploadedFile: () => Decorator
  readonly UseInterceptors: (...interceptors: readonly unknown[]) => Decorator
  /** Of its platform Express. */
  readonly FileInterceptor: (field: string) => unknown
  readonly Req: () => Decorator
  readonly Res: (options?: object) => Decorator
  readonly StreamableFile: new (stream: Readable) => object
  readonly HttpException: new (body: object, status: number) => Error
  readonly ExpressAdapter: new () => object
  readonly FastifyAdapter: new () => object
  readonly NestFactory: {
    create(module: object, adapter: object, options: object): Promise<NestApp>
  }
  /** Of rxjs. */
  readonly from: (values: AsyncIterable<object>) => object
  readonly map: (convert: (value: object) => object) => unknown
}

export interface NestApp {
  getHttpAdapter(): { getInstance(): unknown }
  register(plugin: unknown, options: object): Promise<void>
  use(middleware: unknown): void
  enableCors(options: object): void
  useGlobalFilters(...filters: readonly object[]): void
  useGlobalInterceptors(...interceptors: readonly object[]): void
  listen(port: number, host: string): Promise<unknown>
  getUrl(): Promise<string>
  close(): Promise<void>
}

/** The response of either platform. */
type Reply = ServerResponse & {
  readonly raw?: ServerResponse
  status(code: number): Reply
  header(name: string, value: string | string[]): Reply
  send(body: unknown): void
}

async function* carEvents(): AsyncGenerator<object> {
  yield { type: 'car', data: CAR }
  await new Promise((resolve) => setTimeout(resolve, 20))
  yield { type: 'car', data: { ...CAR, id: '8' } }
}

function createModule(nest: Nest, seen: Seen): object {
  // classes without syntax of their own, which decorators fill
  function Cars(): void {}
  function CarsModule(): void {}
  const { Get, Put, Post, Param, Query, Body, Req, Res } = nest
  const add = addHandler.bind(undefined, Cars)
  const passing = Res({ passthrough: true })
  add([Get('/cars')], [Query()], ({ limit }: { limit?: string }) => [{ ...CAR, id: String(limit) }])
  add([Get('/cars/none'), nest.HttpCode(204)], [], () => undefined)
  add([Get('/cars/hangs')], [Req()], (request: IncomingMessage) => {
    seen.lines.push('hangs')
    return new Promise((resolve) => {
      request.socket.once('close', () => {
        seen.aborted.push('hangs')
        resolve(undefined)
      })
    })
  })
  add([Get('/cars/:id')], [Param('id')], (id: string) => ({ ...CAR, id }))
  add([Get('/search')], [Query()], ({ q }: { q?: string }) => ({ ...CAR, id: q }))
  for (const method of [Get, Put])
    add([method('/tagged')], [Req(), passing], ({ headers }: IncomingMessage, reply: Reply) => {
      const status = statusOf((name) => headers[name])
      reply.header('etag', '"t1"').status(status)
      return status === 200 ? CAR : undefined
    })
  add([Get('/raw')], [Res()], (reply: Reply) => {
    const headers = { 'set-cookie': ['a=1', 'b=2'], 'content-type': 'application/json' }
    const response = reply.raw ?? reply
    response.writeHead(200, headers).end(JSON.stringify(CAR))
  })
  add([Post('/cars')], [Body(), passing], (body: object, reply: Reply) => {
    if (Object(body).name === 'taken') throw new nest.HttpException({ error: 'taken' }, 409)
    reply.header('location', '/cars/9')
    return { id: '9', ...body }
  })
  add([nest.Sse('/events')], [], () => nest.from(carEvents()))
  add(
    [Get('/rows'), nest.Header('content-type', 'application/x-ndjson')],
    [],
    () => new nest.StreamableFile(Readable.from(rows(), { objectMode: false })),
  )
  add([Get('/fails')], [], () => {
    throw new Error('it fails')
  })
  add([Get('/login')], [passing], (reply: Reply) => {
    reply.header('set-cookie', ['a=1', 'b=2'])
    return CAR
  })
  add([Get('/other'), nest.Redirect('/elsewhere', 302)], [], () => undefined)
  nest.Controller('/')(Cars)
  nest.Module({ controllers: [Cars] })(CarsModule)
  return CarsModule
}

function createFilter(nest: Nest): object {
  class Filter {
    catch(error: unknown, host: { switchToHttp(): { getResponse(): Reply } }): void {
      const reply = host.switchToHttp().getResponse()
      if (error instanceof nest.HttpException)
        reply.status(Object(error).getStatus()).send(Object(error).getResponse())
      else reply.status(500).send({ oops: true })
    }
  }
  nest.Catch()(Filter)
  return new Filter()
}

/** Adds what stands before the routes, on either platform. */
const PLATFORMS = {
  express: async (app: NestApp, versions: App, seen: Seen): Promise<void> => {
    // those of the platform come after what is added here
    const server = app.getHttpAdapter().getInstance() as Express
    server.use((request, response, next) => {
      response.setHeader('x-before', 'yes')
      storage.run(String(request.headers['x-request-id']), next)
    })
    server.use(
      insideExpress(versions, { version: ({ headers }) => versionOf(headers['x-account']?.toString()) }),
    )
    server.use((request, _, next) => {
      seen.lines.push(`${request.method} ${request.url} ${storage.getStore()}`)
      next()
    })
  },
  fastify: async (app: NestApp, versions: App, seen: Seen): Promise<void> => {
    const server = app.getHttpAdapter().getInstance() as FastifyInstance
    server.addHook('onRequest', (request, reply, done) => {
      reply.header('x-before', 'yes')
      storage.run(String(request.headers['x-request-id']), done)
    })
    await app.register(insideFastify, {
      versions,
      version: ({ headers }: FastifyRequest) => versionOf(headers['x-account']?.toString()),
    })
    server.addHook('preHandler', async ({ method, url }) => {
      seen.lines.push(`${method} ${url} ${storage.getStore()}`)
    })
  },
}

/** Opens the same API of NestJS on a platform. */
export function openNest(name: `nest-${number}`, platform: keyof typeof PLATFORMS) {
  return async (versions: App, seen: Seen): Promise<Listening> => {
    const nest = await load<Nest>(name)
    const adapter = new nest[platform === 'express' ? 'ExpressAdapter' : 'FastifyAdapter']()
    const app = await nest.NestFactory.create(createModule(nest, seen), adapter, { logger: false })
    await PLATFORMS[platform](app, versions, seen)
    app.useGlobalFilters(createFilter(nest))
    await app.listen(0, '127.0.0.1')
    return { url: await app.getUrl(), close: () => app.close() }
  }
}
