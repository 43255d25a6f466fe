import { createApp, defineController, defineModule, defineRouter, FileStream, FileStreams } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import { createClient, ProblemError } from 'octavo/client'
import type { Client, ValidationIssue, Wire } from 'octavo/client'
import { Agent, fetch as undiciFetch } from 'undici'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

const Part = z.object({ name: z.string(), changed: z.date().optional() })
const Car = z.object({ id: z.number(), made: z.date(), parts: z.array(Part) })
const Missing = z.object({ detail: z.string() })
const Filter = z.object({ limit: z.number().default(10), tags: z.array(z.string()).optional() })

const carController = defineController({
  name: 'CarController',
  prefix: '/orgs/{org_id:int}/car',
  routes: [
    {
      method: 'GET',
      path: '/{car_id:uuid}/{ratio:float}/{name}/{rest:path}',
      name: 'params',
      handler: () => 1,
    },
    {
      method: 'GET',
      path: '/{kind}/{nr:int}',
      name: 'refined',
      input: { params: { kind: z.enum(['a', 'b']) } },
      handler: () => 1,
    },
    {
      method: 'GET',
      path: '/{car_id:int}',
      name: 'getOne',
      response: { 200: Car, 404: Missing },
      handler: () => ({ id: 1, made: new Date(), parts: [] }),
    },
  ],
})

const sourceController = defineController({
  name: 'SourceController',
  routes: [
    { method: 'GET', name: 'nothing', handler: () => 1 },
    { method: 'GET', name: 'filter', input: { query: Filter }, response: z.array(Car), handler: () => [] },
    {
      method: 'GET',
      name: 'fields',
      input: { query: { q: z.string(), page: z.number().optional(), size: z.number().default(1) } },
      handler: () => 1,
    },
    { method: 'GET', name: 'names', input: { query: ['q', 'sort'] }, handler: () => 1 },
    {
      method: 'GET',
      name: 'head',
      input: { headers: { userAgent: z.string() }, cookies: { sid: z.string() } },
      handler: () => 1,
    },
    { method: 'POST', name: 'json', input: { body: Filter }, handler: () => 1 },
    { method: 'POST', name: 'maybe', input: { body: z.string().optional() }, handler: () => 1 },
    { method: 'POST', name: 'bytes', input: { body: z.instanceof(Uint8Array) }, handler: () => 1 },
    {
      method: 'POST',
      name: 'form',
      input: { form: { size: z.number(), note: z.string().optional() } },
      handler: () => 1,
    },
    {
      method: 'POST',
      name: 'files',
      input: {
        form: ['title'],
        files: {
          one: z.file(),
          many: z.array(z.file()).optional(),
          late: z.instanceof(FileStream),
          rest: z.instanceof(FileStreams),
        },
      },
      handler: () => 1,
    },
    { method: ['PUT', 'PATCH'], name: 'methods', handler: () => 1 },
  ],
})

const answerController = defineController({
  name: 'AnswerController',
  routes: [
    { method: 'GET', name: 'schema', response: Car, handler: () => ({ id: 1, made: new Date(), parts: [] }) },
    {
      method: 'GET',
      name: 'pairs',
      response: [
        [200, Part],
        [409, Missing],
      ],
      handler: () => ({ name: '' }),
    },
    { method: 'GET', name: 'empty', response: { 204: z.undefined() }, handler: () => undefined },
    {
      method: 'GET',
      name: 'both',
      input: { query: ['q'] },
      response: { 200: z.string(), 400: Missing },
      handler: () => '',
    },
  ],
})

const versionController = defineController({
  name: 'UserProfileController',
  routes: [
    { method: 'GET', name: 'get', version: '1', response: { 200: z.string() }, handler: () => '' },
    {
      method: 'GET',
      path: '/{user_id:int}',
      name: 'get',
      version: '2',
      response: { 200: z.number() },
      handler: () => 1,
    },
    { method: 'GET', path: '/inline', handler: () => 1 },
  ],
})
const users = defineRouter({
  name: 'users',
  prefix: '/{tenant}/users',
  routes: [{ method: 'GET', path: '/{id:int}', name: 'list', handler: () => 1 }],
})
const admin = defineRouter({
  prefix: '/admin',
  routers: [users],
  routes: [{ method: 'GET', name: 'users', handler: () => 1 }],
})
const top = defineController({
  prefix: '/',
  routes: [{ method: 'GET', path: '/ping', name: 'ping', handler: () => 1 }],
})

const LazyModule = Promise.resolve(defineModule({ controllers: [answerController] }))
const UsersModule = defineModule({ controllers: [versionController], routers: [admin] })
export const app = createApp(
  defineModule({ imports: [UsersModule, LazyModule], controllers: [carController, sourceController, top] }),
)

const client = createClient<typeof app>({ baseUrl: 'http://localhost' })
expectTypeOf(client).toEqualTypeOf<Client<typeof app>>()

export async function paramsOf(): Promise<void> {
  const { car } = client
  await car.params({ params: { org_id: 1, car_id: '', ratio: 1.5, name: '', rest: '' } })
  await car.params({ params: { org_id: '1', car_id: '', ratio: '1.5', name: '', rest: '' } })
  await car.refined({ params: { org_id: 1, kind: 'a', nr: '7' } })
  // @ts-expect-error -- not one of the values
  await car.refined({ params: { org_id: 1, kind: 'c', nr: 7 } })
  // @ts-expect-error -- the parameter of the prefix is missing
  await car.getOne({ params: { car_id: 7 } })
  // @ts-expect-error -- an int is no boolean
  await car.getOne({ params: { org_id: 1, car_id: true } })
  // @ts-expect-error -- no such parameter
  await car.getOne({ params: { org_id: 1, car_id: 7, other: 1 } })
  // @ts-expect-error -- parameters are needed
  await car.getOne({})
  // @ts-expect-error -- an argument is needed
  await car.getOne()
  // @ts-expect-error -- not declared
  await car.getOne({ params: { org_id: 1, car_id: 7 }, query: {} })
}

export async function urls(): Promise<void> {
  expectTypeOf(client.url('ping')).toEqualTypeOf<Promise<string>>()
  await client.url('car.getOne', { params: { org_id: 1, car_id: '7' } })
  await client.url('admin.users.list', { params: { tenant: 'a', id: 1 } })
  await client.url('source.filter', { query: { tags: ['a'] } })
  await client.url('source.filter')
  // @ts-expect-error -- no such name
  await client.url('car.lost')
  // @ts-expect-error -- a parameter is missing
  await client.url('car.getOne', { params: { car_id: 7 } })
  // @ts-expect-error -- parameters are needed
  await client.url('car.getOne')
  // @ts-expect-error -- a query is needed
  await client.url('source.names')
  // @ts-expect-error -- not in a URL
  await client.url('source.filter', { query: {}, body: {} })
  const second = client.at('2')
  await second.url('user-profile.get', { params: { user_id: 1 } })
  // @ts-expect-error -- version 2 has a parameter
  await second.url('user-profile.get')
}

export async function sources(): Promise<void> {
  const { source } = client
  await source.nothing()
  await source.nothing({ signal: new AbortController().signal })
  // @ts-expect-error -- nothing is declared
  await source.nothing({ body: 1 })
  await source.filter()
  await source.filter({ query: {} })
  await source.filter({ query: { tags: ['a'] } })
  // @ts-expect-error -- not a number
  await source.filter({ query: { limit: '1' } })
  // @ts-expect-error -- no such field
  await source.filter({ query: { limits: 1 } })
  await source.fields({ query: { q: '' } })
  await source.fields({ query: { q: '', page: undefined, size: 2 } })
  // @ts-expect-error -- q is needed
  await source.fields({ query: { page: 1 } })
  await source.names({ query: { q: '', sort: '' } })
  // @ts-expect-error -- sort is needed
  await source.names({ query: { q: '' } })
  await source.head({ headers: { userAgent: '' } })
  await source.head({ headers: { userAgent: '' }, cookies: { sid: '' } })
  // @ts-expect-error -- a header is needed
  await source.head({ cookies: { sid: '' } })
  await source.json({ body: {} })
  // @ts-expect-error -- a body is needed
  await source.json()
  await source.maybe()
  await source.maybe({ body: '' })
  await source.bytes({ body: new Uint8Array() })
  await source.bytes({ body: new Blob([]) })
  // @ts-expect-error -- no bytes
  await source.bytes({ body: '' })
  await source.form({ form: { size: 1 } })
  // @ts-expect-error -- a form is no body
  await source.form({ body: { size: 1 } })
  const file = new File([], 'a')
  await source.files({ form: { title: '' }, files: { one: file, late: new Blob([]), rest: [file] } })
  await source.files({ form: { title: '' }, files: { one: file, many: [file], late: file, rest: [] } })
  // @ts-expect-error -- a text is no file
  await source.files({ form: { title: '' }, files: { one: '', late: file, rest: [] } })
  await source.methods()
  await source.methods({ method: 'PATCH' })
  // @ts-expect-error -- the route does not answer it
  await source.methods({ method: 'GET' })
  // @ts-expect-error -- the route has one method
  await source.nothing({ method: 'GET' })
  // @ts-expect-error -- values are injected on the server
  await source.nothing({ inject: {} })
}

export async function answers(): Promise<void> {
  const { car, answer, source } = client
  const found = await car.getOne({ params: { org_id: 1, car_id: 7 } })
  expectTypeOf(found.status).toEqualTypeOf<200 | 404>()
  expectTypeOf(found.headers).toEqualTypeOf<Headers>()
  expectTypeOf(found.response).toEqualTypeOf<Response>()
  if (found.status === 200) {
    expectTypeOf(found.ok).toEqualTypeOf<true>()
    expectTypeOf(found.data.made).toEqualTypeOf<string>()
    expectTypeOf(found.data).toEqualTypeOf<{
      id: number
      made: string
      parts: { name: string; changed?: string | undefined }[]
    }>()
  } else {
    expectTypeOf(found.data).toEqualTypeOf<{ detail: string }>()
  }
  if (found.ok) expectTypeOf(found.data.id).toEqualTypeOf<number>()
  else expectTypeOf(found.status).toEqualTypeOf<404>()

  const schema = await answer.schema()
  expectTypeOf(schema.status).toEqualTypeOf<number>()
  expectTypeOf(schema.ok).toEqualTypeOf<boolean>()
  expectTypeOf(schema.data.parts[0]?.changed).toEqualTypeOf<string | undefined>()
  const nothing = await source.nothing()
  expectTypeOf(nothing.data).toEqualTypeOf<unknown>()
  expectTypeOf(nothing.status).toEqualTypeOf<number>()
  const pairs = await answer.pairs()
  expectTypeOf(pairs.status).toEqualTypeOf<200 | 409>()
  const empty = await answer.empty()
  expectTypeOf(empty.data).toEqualTypeOf<undefined>()
  const both = await answer.both({ query: { q: '' } })
  expectTypeOf(both.data).toEqualTypeOf<string | { detail: string }>()
  // @ts-expect-error -- not a member
  void both.body

  const streamed = await car.getOne({ params: { org_id: 1, car_id: 7 }, as: 'stream' })
  if (streamed.ok) expectTypeOf(streamed.data).toEqualTypeOf<ReadableStream<Uint8Array>>()
  else expectTypeOf(streamed.data).toEqualTypeOf<{ detail: string }>()
  const response = await answer.schema({ as: 'response' })
  expectTypeOf(response).toEqualTypeOf<Response>()
  // @ts-expect-error -- no such form
  await answer.schema({ as: 'text' })
}

export async function names(): Promise<void> {
  const versions = await client['user-profile'].get()
  expectTypeOf(versions.data).toEqualTypeOf<string | number>()
  await client['user-profile'].get({ params: { user_id: 1 } })
  await client.admin.users({})
  await client.admin.users.list({ params: { tenant: '', id: 1 } })
  // @ts-expect-error -- the parameter of the router is missing
  await client.admin.users.list({ params: { id: 1 } })
  await client.ping()
  // @ts-expect-error -- no such route
  await client.car.getTwo()
  // @ts-expect-error -- no such controller
  await client.cars.getOne()
  // @ts-expect-error -- not named: it can be called at run time alone
  await client['user-profile'].getInline()
}

export function wire(): void {
  expectTypeOf<Wire<Date>>().toEqualTypeOf<string>()
  expectTypeOf<Wire<Date | null>>().toEqualTypeOf<string | null>()
  expectTypeOf<Wire<[Date, number]>>().toEqualTypeOf<[string, number]>()
  expectTypeOf<Wire<readonly Date[]>>().toEqualTypeOf<readonly string[]>()
  expectTypeOf<Wire<Record<string, Date>>>().toEqualTypeOf<Record<string, string>>()
  expectTypeOf<Wire<'a' | 1 | true>>().toEqualTypeOf<'a' | 1 | true>()
  expectTypeOf<Wire<unknown>>().toEqualTypeOf<unknown>()
  expectTypeOf<Wire<Uint8Array>>().toEqualTypeOf<Uint8Array>()
  interface Tree {
    readonly at: Date
    readonly below: readonly Tree[]
  }
  expectTypeOf<Wire<Tree>['below'][number]['below'][number]['at']>().toEqualTypeOf<string>()
}

/** JSON that holds itself keeps its name. */
export async function recursive(): Promise<void> {
  type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
  const Own: z.ZodType<Json> = z.lazy(() => z.union([z.string(), z.array(Own), z.record(z.string(), Own)]))
  type Dates = Date | Dates[]
  const Dates: z.ZodType<Dates> = z.any()
  const Node = z.object({
    at: z.date(),
    get below() {
      return z.array(Node)
    },
  })
  const echo = defineController({
    name: 'echo',
    prefix: '/echo',
    routes: [
      {
        method: 'POST',
        path: '/json',
        name: 'json',
        input: { body: z.json() },
        response: { 200: z.json(), 404: z.object({ why: z.json() }) },
        handler: ({ body }) => body,
      },
      {
        method: 'POST',
        path: '/own',
        name: 'own',
        input: { body: Own },
        response: Own,
        handler: ({ body }) => body,
      },
      { method: 'POST', path: '/dates', name: 'dates', response: Dates, handler: () => new Date() },
      {
        method: 'POST',
        path: '/node',
        name: 'node',
        input: { body: Node },
        response: Node,
        handler: ({ body }) => body,
      },
      {
        method: 'POST',
        path: '/text',
        name: 'text',
        input: { query: { a: z.string().nullable(), b: z.string().nullish() }, body: z.string().nullable() },
        handler: () => undefined,
      },
    ],
  })
  const json = createApp(defineModule({ controllers: [echo] }))
  const own = createClient<typeof json>({ fetch: json.fetch })
  const any = await own.echo.json({ body: [{ a: [null] }] })
  expectTypeOf(any.data).toEqualTypeOf<z.core.util.JSONType | { why: z.core.util.JSONType }>()
  expectTypeOf((await own.echo.own({ body: [] })).data).toEqualTypeOf<Json>()
  expectTypeOf(await own.echo.dates()).toExtend<{ data: string | unknown[] }>()
  const node = await own.echo.node({ body: { at: new Date(), below: [] } })
  expectTypeOf(node.data.below[0]?.below[0]?.at).toEqualTypeOf<string | undefined>()
  await own.echo.text({ query: { a: '', b: null }, body: null })
  // @ts-expect-error a query has no null
  await own.echo.text({ query: { a: null }, body: '' })
}

export function options(error: unknown): void {
  createClient<typeof app>({ fetch: app.fetch })
  createClient<typeof app>({ dispatcher: createDispatcher(app) })
  createClient<typeof app>({ dispatcher: new Agent(), baseUrl: 'http://localhost' })
  createClient<typeof app>({ fetch, baseUrl: new URL('http://localhost') })
  createClient<typeof app>({ fetch: undiciFetch, baseUrl: 'http://localhost' })
  createClient<typeof app>({
    fetch: (url, init) => {
      expectTypeOf(url).toEqualTypeOf<string>()
      expectTypeOf(init).toEqualTypeOf<RequestInit>()
      return fetch(url, { ...init, redirect: 'error' })
    },
  })
  createClient<typeof app>({ fetch: async (url) => new Response(url) })
  createClient<typeof app>({ fetch: (request: Request) => app.fetch(request) })
  // @ts-expect-error no response
  createClient<typeof app>({ fetch: (url) => url })
  createClient<typeof app>({ headers: async () => ({ authorization: '' }) })
  createClient<typeof app>({ retry: 3 })
  // @ts-expect-error -- no such option
  createClient<typeof app>({ baseURL: 'http://localhost' })
  if (error instanceof ProblemError) {
    expectTypeOf(error.status).toEqualTypeOf<number>()
    expectTypeOf(error.code).toEqualTypeOf<string | undefined>()
    expectTypeOf(error.errors[0]).toEqualTypeOf<ValidationIssue | undefined>()
  }
}
