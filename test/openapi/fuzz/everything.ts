import {
  createApp,
  defineController,
  defineErrorFormat,
  defineErrorHandler,
  defineModule,
  defineRouter,
  file,
  FileStream,
  html,
  HttpError,
  redirect,
  reply,
  sse,
  stream,
  text,
  ValidationError,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { App, AppOptions } from 'octavo'
import { z } from 'zod'

import { guarded } from './everything-guarded.ts'
import { bodies, enveloped } from './everything-schemas.ts'

/** Everything that can arrive as text, and how the handler got it. */
const query = {
  text: z.string().min(1).max(12),
  count: z.number().int().min(-5).max(500),
  ratio: z.number().gt(0).lt(1).optional(),
  on: z.boolean().default(false),
  day: z.date().optional(),
  size: z.enum(['s', 'm', 'l']).optional(),
  level: z.literal([1, 2, 3]).optional(),
  big: z.bigint().optional(),
  tags: z.array(z.string().min(1)).max(5).default([]),
  numbers: z.array(z.number().int()).optional(),
  kinds: z.set(z.enum(['a', 'b', 'c'])).optional(),
  pair: z.tuple([z.number(), z.string()]).optional(),
  either: z.union([z.number().int(), z.boolean()]).optional(),
  maybe: z.string().nullable().optional(),
  address: z.email().optional(),
  id: z.uuid().optional(),
  link: z.url().optional(),
  moment: z.iso.datetime().optional(),
  date: z.iso.date().optional(),
  time: z.iso.time().optional(),
  plate: z
    .string()
    .regex(/^[A-Z]{2}-\d{1,4}$/)
    .optional(),
}

const texts = defineController({
  prefix: '/texts',
  routes: [
    {
      method: 'GET',
      path: '/query',
      name: 'query',
      input: { query },
      handler: ({ query: { tags, count, big } }) => ({
        tags,
        count,
        big: big === undefined ? null : String(big),
      }),
    },
    {
      method: 'GET',
      path: '/loose',
      name: 'loose',
      summary: 'What reads raw text',
      input: {
        query: {
          coerced: z.coerce.number().optional(),
          flag: z.stringbool().optional(),
          code: z.codec(z.string().regex(/^\d+$/), z.number(), { decode: Number, encode: String }).optional(),
        },
      },
      response: z.object({ coerced: z.number().nullable(), flag: z.boolean().nullable() }),
      handler: ({ query: { coerced = null, flag = null } }) => ({ coerced, flag }),
    },
    {
      method: 'GET',
      path: '/names',
      name: 'names',
      input: { query: ['q', 'sort'] },
      response: z.object({ q: z.string(), sort: z.string() }),
      handler: (input) => input.query,
    },
    {
      method: 'GET',
      path: '/strict',
      name: 'strict',
      input: { query: z.strictObject({ page: z.number().int().min(1).default(1) }) },
      response: z.object({ page: z.number() }),
      handler: (input) => input.query,
    },
    {
      method: 'GET',
      path: '/headers',
      name: 'headers',
      input: {
        headers: {
          xCount: z.number().int().min(0).max(99),
          x_text: z.string().max(40).optional(),
          'x-on': z.boolean().optional(),
          xList: z.array(z.string()).optional(),
        },
        cookies: { theme: z.enum(['dark', 'light']).default('light'), visits: z.number().int().optional() },
      },
      response: z.object({ xCount: z.number(), theme: z.string(), list: z.array(z.string()) }),
      handler: ({ headers, cookies }) => ({
        xCount: headers.xCount,
        theme: cookies.theme,
        list: headers.xList ?? [],
      }),
    },
    {
      method: 'GET',
      path: '/path/{a:int}/{b:float}/{c:uuid}/{d:str}',
      name: 'path',
      response: z.object({ a: z.number(), b: z.number(), c: z.uuid(), d: z.string() }),
      handler: ({ params }) => params,
    },
    {
      method: 'GET',
      path: '/files/{rest:path}',
      name: 'rest',
      response: z.object({ rest: z.string() }),
      handler: ({ params }) => params,
    },
    {
      method: 'GET',
      path: '/{from}-{to:int}.json',
      name: 'mixed',
      input: { params: { from: z.enum(['ann', 'bob']), to: z.number().max(50) } },
      response: z.object({ from: z.string(), to: z.number() }),
      handler: ({ params }) => params,
    },
  ],
})

const Picture = z.file().max(200_000).mime(['image/png', 'image/jpeg'])

const forms = defineController({
  prefix: '/forms',
  routes: [
    {
      method: 'POST',
      path: '/urlencoded',
      name: 'urlencoded',
      input: {
        form: z.object({
          name: z.string().min(1),
          age: z.number().int().min(0).optional(),
          news: z.boolean().default(false),
          tags: z.array(z.string().min(1)).optional(),
        }),
      },
      response: { 201: z.object({ name: z.string(), news: z.boolean(), tags: z.array(z.string()) }) },
      handler: ({ form: { name, news, tags = [] } }) => ({ name, news, tags }),
    },
    {
      method: 'POST',
      path: '/upload',
      name: 'upload',
      input: {
        form: { title: z.string().min(1), stars: z.number().int().min(1).max(5).optional() },
        files: {
          pictures: z.array(Picture).min(1).max(3),
          cover: Picture.optional(),
          any: z.file().optional(),
        },
      },
      response: z.object({ title: z.string(), sizes: z.array(z.number().int()) }),
      handler: ({ form, files }) => ({ title: form.title, sizes: files.pictures.map(({ size }) => size) }),
    },
    {
      method: 'POST',
      path: '/streamed',
      name: 'streamed',
      input: { form: { title: z.string() }, files: { video: z.instanceof(FileStream) } },
      response: z.object({ bytes: z.number().int() }),
      handler: async ({ files }) => {
        let bytes = 0
        for await (const chunk of files.video) bytes += chunk.byteLength
        return { bytes }
      },
    },
  ],
})

const Item = z.object({ id: z.number().int(), at: z.date(), tags: z.array(z.string()) }).meta({ id: 'Item' })
const ITEM = { id: 7, at: new Date('2026-05-01T12:00:00Z'), tags: ['red'] }
const Missing = z.object({ missing: z.number() })

const answers = defineController({
  prefix: '/answers',
  routes: [
    { method: 'GET', path: '/plain', name: 'plain', response: Item, handler: () => ITEM },
    {
      method: 'GET',
      path: '/by-status/{id:int}',
      name: 'byStatus',
      response: { 200: Item, 404: Missing },
      handler: ({ params }) => (params.id % 2 === 0 ? ITEM : reply(404, { missing: params.id })),
    },
    {
      method: 'POST',
      path: '/pairs',
      name: 'pairs',
      input: { body: z.object({ accept: z.boolean() }) },
      response: [
        [201, Item],
        [202, z.object({ later: z.literal(true) })],
      ],
      handler: ({ body }) => (body.accept ? reply(202, { later: true as const }) : reply(201, ITEM)),
    },
    { method: 'POST', path: '/created', name: 'created', status: 201, response: Item, handler: () => ITEM },
    { method: 'DELETE', path: '/{id:int}', name: 'remove', handler: () => undefined },
    {
      method: 'DELETE',
      path: '/declared/{id:int}',
      name: 'removeDeclared',
      status: 204,
      handler: () => undefined,
    },
    {
      method: 'GET',
      path: '/nothing',
      name: 'nothing',
      response: { 204: z.undefined() },
      handler: () => undefined,
    },
    {
      method: 'GET',
      path: '/moved',
      name: 'moved',
      response: { 302: z.undefined() },
      handler: () => redirect('/answers/plain'),
    },
    { method: 'GET', path: '/list', name: 'list', response: z.array(Item), handler: () => [ITEM, ITEM] },
    { method: 'GET', path: '/page', name: 'page', handler: () => html('<p>page</p>') },
    { method: 'GET', path: '/text', name: 'text', handler: () => text('text') },
    {
      method: 'GET',
      path: '/bytes',
      name: 'bytes',
      handler: () => file(Buffer.from('bytes'), { filename: 'a.bin' }),
    },
    { method: 'GET', path: '/stream', name: 'stream', handler: () => stream(['a', 'b']) },
    {
      method: 'GET',
      path: '/events',
      name: 'events',
      handler: () =>
        sse(async function* events() {
          yield { data: 'one' }
        }),
    },
    {
      method: 'GET',
      path: '/declared-events',
      name: 'declaredEvents',
      events: { item: Item, gone: z.string(), ping: z.undefined(), at: z.date().nullable() },
      handler: () =>
        sse([
          { event: 'item', id: '1', data: ITEM },
          { event: 'gone', data: 'x' },
          { event: 'ping' },
          { event: 'at', data: new Date(0) },
          { event: 'at', data: null },
        ]),
    },
    {
      method: 'GET',
      path: '/one-event',
      name: 'oneEvent',
      events: Item,
      handler: () => sse([{ data: ITEM }]),
    },
    { method: 'GET', path: '/items', name: 'items', items: Item, handler: () => [ITEM, ITEM] },
    {
      method: 'GET',
      path: '/checked',
      name: 'checked',
      validateResponses: 'strict',
      response: z.object({ id: z.number(), name: z.string().nullable() }),
      handler: () => ({ id: 1, name: null }),
    },
  ],
})

const search = defineRouter({
  prefix: '/search',
  name: 'search',
  routes: [
    { method: ['GET', 'POST'], name: 'both', handler: () => ({ found: [] }) },
    {
      method: 'PATCH',
      path: '/{id:int}',
      name: 'patch',
      input: { body: z.object({ a: z.number() }).partial() },
      handler: () => ({}),
    },
    {
      method: 'QUERY',
      name: 'query',
      input: { body: z.object({ words: z.array(z.string()), limit: z.number().int().min(1).default(10) }) },
      response: z.object({ words: z.array(z.string()), limit: z.number() }),
      handler: ({ body }) => body,
    },
    { method: 'TRACE', name: 'trace', handler: () => ({ trace: true }) },
    { method: 'OPTIONS', name: 'options', handler: () => ({ options: true }) },
    { method: 'HEAD', path: '/head', name: 'head', handler: () => undefined },
    { method: 'GET', path: '/hidden', name: 'hidden', includeInSchema: false, handler: () => 'hidden' },
    {
      method: 'GET',
      path: '/old',
      name: 'old',
      deprecated: true,
      response: z.string(),
      handler: () => 'old',
    },
  ],
})

const First = z.object({ name: z.string() }).meta({ id: 'Thing' })
const Second = z.object({ name: z.string(), size: z.number().int() }).meta({ id: 'BigThing' })

const versioned = defineController({
  name: 'ThingController',
  version: ['1', '2'],
  routes: [
    { method: 'GET', name: 'list', version: '1', response: z.array(First), handler: () => [{ name: 'a' }] },
    {
      method: 'GET',
      name: 'list',
      version: ['2', '3'],
      input: { query: { limit: z.number().int().min(1).max(9).default(3) } },
      response: z.object({ items: z.array(Second) }),
      handler: ({ query: { limit } }) => ({ items: [{ name: 'a', size: limit }] }),
    },
    {
      method: 'POST',
      name: 'create',
      version: '1',
      input: { body: First },
      response: { 201: First },
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      name: 'create',
      version: '>=2',
      input: { body: Second },
      response: { 201: Second },
      handler: ({ body }) => body,
    },
    {
      method: 'GET',
      path: '/{id:int}',
      name: 'getOne',
      response: { 200: First, 404: Missing },
      handler: ({ params }) =>
        params.id === 404 ? reply(404, { missing: 404 }) : { name: String(params.id) },
    },
    {
      method: 'GET',
      path: '/status',
      name: 'status',
      version: VERSION_NEUTRAL,
      response: z.string(),
      handler: () => 'ok',
    },
    { method: 'DELETE', path: '/{id:int}', name: 'remove', version: '3', handler: () => undefined },
  ],
})

// beside the versioned ones of the same path, and of no version
const loose = defineController({
  prefix: '/thing',
  name: 'LooseController',
  routes: [
    { method: 'PUT', name: 'replace', input: { body: First }, response: First, handler: ({ body }) => body },
  ],
})

export const EverythingModule = defineModule({
  name: 'EverythingModule',
  controllers: [texts, bodies, enveloped, forms, answers, versioned, loose, ...guarded],
  routers: [search],
})

const NOW = Date.parse('2026-06-01')
const COMMON = {
  versions: [
    { version: '3' },
    {
      version: '2',
      deprecated: '2026-01-01',
      sunset: '2027-01-01',
      links: { deprecation: 'https://a.example/2' },
    },
    { version: '1', deprecated: '2025-01-01' },
  ],
  clock: () => NOW,
} as const
const GONE = [
  { version: '3' },
  { version: '2', deprecated: '2026-01-01' },
  { version: '1', deprecated: '2025-01-01', sunset: '2026-01-01', retired: 'gone' },
] as const
const { URL, HEADER, QUERY, HOST } = VersioningSchemes

/** Every way in which versions can travel. */
export const WAYS: Readonly<Record<string, (app: App) => void>> = {
  oldest: (app) => app.enableVersioning(URL, { ...COMMON, defaultVersion: '1' }),
  url: (app) => app.enableVersioning(URL, COMMON),
  gone: (app) => app.enableVersioning(URL, { ...COMMON, versions: GONE }),
  header: (app) => app.enableVersioning(HEADER, { ...COMMON, headerParameter: 'x-api-version' }),
  default: (app) => app.enableVersioning(HEADER, { ...COMMON, headerParameter: 'x-v', defaultVersion: '2' }),
  required: (app) => app.enableVersioning(HEADER, { ...COMMON, headerParameter: 'x-v', required: true }),
  accept: (app) => app.enableVersioning(HEADER, COMMON),
  echo: (app) => app.enableVersioning(HEADER, { ...COMMON, echo: 'contentType' }),
  vendor: (app) =>
    app.enableVersioning(HEADER, {
      ...COMMON,
      mediaType: 'application/vnd.things.v{version}+json',
      echo: 'contentType',
      defaultVersion: '3',
    }),
  query: (app) => app.enableVersioning(QUERY, COMMON),
  host: (app) => app.enableVersioning(HOST, COMMON),
  several: (app) => app.enableVersioning([[URL], [HEADER, { headerParameter: 'x-v' }]], COMMON),
  prefix: (app) => app.enableVersioning(URL, COMMON),
  format: (app) => app.enableVersioning(HEADER, { ...COMMON, echo: 'contentType' }),
  'format-url': (app) => app.enableVersioning(URL, COMMON),
  handlers: (app) => app.enableVersioning(URL, COMMON),
}

/** Of no type that a handler sends. */
const errorFormat = defineErrorFormat({
  schema: z.object({ error: z.string(), issues: z.number().optional() }),
  format: (error) => ({
    error: error.code,
    ...(error instanceof ValidationError ? { issues: error.errors.length } : {}),
  }),
})

const OPTIONS: Readonly<Record<string, AppOptions>> = {
  prefix: { prefix: '/api' },
  format: {
    errorFormat,
    errorHandlers: [defineErrorHandler({ match: 404, handle: () => ({ error: 'nowhere' }) })],
  },
  'format-url': { errorFormat: { ...errorFormat, contentType: 'application/vnd.things.error+json' } },
  handlers: {
    errorHandlers: [
      defineErrorHandler({ match: 422, handle: () => text('not as it should be') }),
      defineErrorHandler({
        match: HttpError,
        handle: ({ status }) => (status === 401 ? { who: 'are you' } : undefined),
      }),
    ],
  },
}

/** An application with everything that documents can show, under one of the ways. */
export function createEverything(way: keyof typeof WAYS): App {
  const app = createApp(EverythingModule, { logger: false, ...OPTIONS[way] })
  WAYS[way]?.(app)
  return app
}
