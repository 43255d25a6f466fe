import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  HttpError,
  reply,
  sse,
  stream,
  text,
  VERSION_NEUTRAL,
} from 'octavo'
import type { App, AppOptions } from 'octavo'
import { z } from 'zod'

const Part = z.object({ name: z.string(), changed: z.date().optional() })
const Car = z.object({ id: z.number(), version: z.string().nullable(), made: z.date(), parts: z.array(Part) })
const Missing = z.object({ detail: z.string() })

const carController = defineController({
  name: 'CarController',
  version: ['1', '2'],
  routes: [
    {
      method: 'GET',
      path: '/{car_id:int}',
      name: 'getOne',
      response: { 200: Car, 404: Missing },
      handler: ({ params }, { version }) =>
        params.car_id === 0
          ? reply(404, { detail: 'No such car' })
          : {
              id: params.car_id,
              version,
              made: new Date(0),
              parts: [{ name: 'wheel', changed: new Date(1000) }],
            },
    },
    {
      method: 'GET',
      name: 'list',
      input: { query: { limit: z.number().default(10), tags: z.array(z.string()).optional() } },
      response: z.object({ limit: z.number(), tags: z.array(z.string()).optional() }),
      handler: ({ query }) => query,
    },
    {
      method: 'POST',
      name: 'create',
      input: { body: z.object({ name: z.string(), year: z.number().int() }) },
      response: { 201: z.object({ name: z.string(), year: z.number() }) },
      handler: ({ body }) => body,
    },
    {
      method: 'QUERY',
      name: 'search',
      input: { body: z.object({ names: z.array(z.string()), limit: z.number().default(10) }) },
      response: z.object({ names: z.array(z.string()), limit: z.number() }),
      handler: ({ body }) => body,
    },
    { method: 'GET', path: '/only-one', name: 'onlyOne', version: '1', handler: () => 'one' },
    {
      method: 'GET',
      path: '/status',
      name: 'status',
      version: VERSION_NEUTRAL,
      response: z.object({ version: z.string().nullable() }),
      handler: (_input, { version }) => ({ version }),
    },
    {
      method: 'GET',
      path: '/hidden',
      name: 'hidden',
      includeInSchema: false,
      handler: () => 'hidden',
    },
  ],
})

/** Answers with what arrived. */
const echoController = defineController({
  name: 'EchoController',
  routes: [
    {
      method: ['GET', 'DELETE', 'HEAD'],
      path: '/at/{text}/{from}-{to}/{rest:path}',
      name: 'path',
      handler: ({ params }, { request }) => ({ params, method: request.method }),
    },
    {
      method: 'GET',
      path: '/query',
      name: 'query',
      input: {
        query: {
          text: z.string().optional(),
          count: z.number().optional(),
          big: z.bigint().optional(),
          flag: z.boolean().optional(),
          day: z.date().optional(),
          list: z.array(z.string()).optional(),
          set: z.set(z.number()).optional(),
        },
      },
      handler: ({ query }) => ({
        ...query,
        ...(query.big === undefined ? {} : { big: String(query.big) }),
        ...(query.set === undefined ? {} : { set: [...query.set] }),
      }),
    },
    {
      method: 'GET',
      path: '/head',
      name: 'head',
      input: {
        headers: { xRequestCount: z.number(), 'x-trace': z.string().optional() },
        cookies: { sid: z.string().optional(), theme: z.string().optional() },
      },
      handler: ({ headers, cookies }) => ({ headers, cookies }),
    },
    {
      method: 'GET',
      path: '/names',
      name: 'names',
      input: { query: ['q', 'sort'] },
      handler: ({ query }) => query,
    },
    {
      method: 'POST',
      path: '/json',
      name: 'json',
      input: { body: z.unknown() },
      handler: ({ body }, { request }) => ({
        body: body ?? null,
        type: request.header('content-type') ?? null,
      }),
    },
    {
      method: 'POST',
      path: '/text',
      name: 'text',
      input: { body: z.string() },
      handler: ({ body }, { request }) => ({ body, type: request.header('content-type') }),
    },
    {
      method: 'POST',
      path: '/bytes',
      name: 'bytes',
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }, { request }) => ({ body: [...body], type: request.header('content-type') }),
    },
    {
      method: 'POST',
      path: '/form',
      name: 'form',
      input: { form: { title: z.string(), sizes: z.array(z.number()).optional() } },
      handler: ({ form }) => form,
    },
    {
      method: 'POST',
      path: '/files',
      name: 'files',
      input: {
        form: { title: z.string().optional() },
        files: { one: z.file().optional(), many: z.array(z.file()).optional() },
      },
      handler: async ({ form, files }) => ({
        form,
        one: files.one === undefined ? null : [files.one.name, files.one.type, await files.one.text()],
        many: await Promise.all((files.many ?? []).map((file) => file.text())),
      }),
    },
  ],
})

const answerController = defineController({
  name: 'AnswerController',
  routes: [
    { method: 'GET', path: '/text', name: 'text', handler: () => text('plain') },
    { method: 'GET', path: '/nothing', name: 'nothing', handler: () => undefined },
    {
      method: 'GET',
      path: '/bytes',
      name: 'bytes',
      handler: () => stream([new Uint8Array([1, 2]), new Uint8Array([3])]),
    },
    {
      method: 'GET',
      path: '/vendor',
      name: 'vendor',
      handler: () => text('{"a":1}', { headers: { 'content-type': 'application/vnd.car+json' } }),
    },
    {
      method: 'GET',
      path: '/broken',
      name: 'broken',
      handler: () => text('{"a":', { headers: { 'content-type': 'application/json' } }),
    },
    { method: 'GET', path: '/events', name: 'events', handler: () => sse([{ data: 'a' }, { data: 'b' }]) },
    {
      method: 'GET',
      path: '/conflict',
      name: 'conflict',
      handler: () => {
        throw new HttpError(409, 'Taken', { code: 'car_taken', by: 'Ann', headers: { 'x-by': 'Ann' } })
      },
    },
    {
      method: 'GET',
      path: '/teapot',
      name: 'teapot',
      handler: () => reply(418, 'short and stout', { headers: { 'content-type': 'text/plain' } }),
    },
  ],
})

const users = defineRouter({
  name: 'users',
  prefix: '/users/{user_id:uuid}',
  routes: [{ method: 'GET', name: 'list', handler: ({ params }) => params }],
})
const admin = defineRouter({ prefix: '/admin', routers: [users] })
const userProfileController = defineController({
  name: 'UserProfileController',
  routes: [{ method: 'GET', name: 'get', handler: () => 'profile' }],
})
const topController = defineController({
  prefix: '/',
  routes: [{ method: 'GET', path: '/ping', name: 'ping', handler: () => 'pong' }],
})

const UsersModule = defineModule({ controllers: [userProfileController], routers: [admin] })
export const CarsModule = defineModule({
  name: 'CarsModule',
  imports: [UsersModule],
  controllers: [carController, echoController, answerController, topController],
})

/** The application that clients are tried on. */
export function createCarsApp(options: AppOptions = {}): App<typeof CarsModule> {
  return createApp(CarsModule, { logger: false, ...options })
}
