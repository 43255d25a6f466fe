/** A library that exports a history and all that is made of it, without a type written down. declarations.slow.test.ts compiles it. */
import {
  createApp,
  defineController,
  defineInterceptor,
  defineModule,
  defineProvider,
  VersioningSchemes,
} from 'octavo'
import {
  absent,
  before,
  defineVersionChange,
  defineVersions,
  derive,
  fieldNames,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { createClient } from 'octavo/client'
import { mutationOptions, queryOptions } from 'octavo/client/tanstack'
import { idempotency } from 'octavo/idempotency'
import { page } from 'octavo/pages'
import { preconditions } from 'octavo/preconditions'
import { createTestClient, forEachVersion } from 'octavo/testing'
import { defineUpstream } from 'octavo/upstream'
import { createWebhooks, defineWebhook } from 'octavo/webhooks'
import { z } from 'zod'

export const counts = defineProvider({ name: 'counts', create: () => new Map<string, number>() })
export const Address = model('Address', { city: z.string(), zip: z.string() })
export const User = model('User', {
  id: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  born: z.date().nullable(),
  address: Address,
  tags: z.array(z.string()).default([]),
  data: z.json().optional(),
  marks: z.partialRecord(z.enum(['good', 'bad']), Address),
  get friends() {
    return z.array(z.string())
  },
})
export const CreateUser = derive(User, (user) => user.omit({ id: true }))
export const ChangeUser = derive(User, (user) => user.partial())
export const sort = fieldNames(User)
export const users = page({ items: User, order: [{ field: 'id' }], secret: 'x'.repeat(32) })
export const numbered = page.offset({ items: User })
export const renamed = reshape({ of: Address, fields: { city: { was: 'town' }, zip: { was: 'code' } } })
export const splitName = defineVersionChange({
  version: '3',
  title: 'Names have two parts',
  change: [
    reshape({
      of: User,
      fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
      up: ({ name }) => ({ firstName: name, lastName: '' }),
      down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
    }),
    renamed,
  ],
})
export const earlier = before(splitName, User)
export const fullName = defineVersionChange({
  version: '3',
  title: 'Full names are called names',
  sideEffects: true,
  change: [
    reshape({
      of: earlier,
      fields: { name: { was: 'fullName' }, id: { was: z.number(), up: String, down: Number } },
    }),
  ],
})
export const earliest = before(fullName, earlier)
export const counted = defineVersionChange({
  version: '2',
  title: 'Users are not counted',
  change: [
    reshape({
      of: earliest,
      reads: ['id'],
      inject: { counts },
      load: (all, { inject: { counts: own } }) => new Map(all.map(({ id }) => [id, own.get(String(id))])),
      fields: { count: { was: z.int() }, fullName: { was: z.number(), up: String, down: Number } },
      down: ({ id }, { loaded }) => ({ count: loaded.get(id) ?? 0 }),
    }),
  ],
})
export const listed = operation({
  route: 'user.list',
  path: { was: '/people' },
  query: { limit: { was: 'size' }, age: { was: z.number() }, sort: { was: absent } },
  headers: { 'x-trace': { was: 'x-request' }, 'x-other': { was: absent } },
  cookies: { session: { was: 'sid' }, other: { was: absent } },
})
export const created = operation({
  route: 'user.create',
  status: { was: 200 },
  body: { now: CreateUser, was: z.tuple([CreateUser]), up: ([user]) => user },
  response: {
    status: { 404: { was: 400 }, 409: { was: 422 } },
    body: { 404: { now: z.string(), was: z.number(), down: Number } },
    headers: { location: { was: absent } },
  },
})
export const routes = defineVersionChange({ version: '2', title: 'Routes moved', change: [listed, created] })
export const beta = defineVersionChange({ version: 'next', title: 'Beta', change: [] })
export const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { User, Address },
  changes: [splitName, fullName, counted, routes],
})
export const { versions, changes, models } = history
export const migrate = (user: z.output<typeof User>) => history.migrate(User, user, { to: '1', inject: {} })
export const older = (user: z.output<typeof User>) => history.migrate(User, user, { to: '2' })
export const upstream = defineUpstream({ name: 'Users', url: 'http://127.0.0.1:1' })
export const Envelope = defineInterceptor({
  name: 'Envelope',
  envelope: (schema) =>
    z.object({ data: schema, at: z.union([z.date(), z.array(z.date())]), json: z.json() }),
  intercept: async (_context, next) => ({ data: await next(), at: [], json: null }),
})
export const once = idempotency()
export const unchanged = preconditions({ etag: () => '1', current: () => undefined })
export const userController = defineController({
  name: 'user',
  prefix: '/users',
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: { ...users.query, sort: sort.optional() } },
      response: users.response,
      handler: () => ({ items: [], next: null, prev: null }),
    },
    {
      method: 'GET',
      path: '/numbered',
      name: 'numbered',
      input: { query: numbered.query },
      response: numbered.response,
      handler: () => ({ items: [], total: 0 }),
    },
    {
      method: 'POST',
      name: 'create',
      interceptors: [once],
      input: { body: CreateUser, files: { photo: z.file().optional() } },
      response: { 201: User, 404: z.string(), 409: z.string(), '5XX': z.union([z.string(), z.json()]) },
      handler: ({ body }) => ({ id: '', ...body }),
    },
    {
      method: 'PATCH',
      path: '/{id}',
      name: 'change',
      input: { body: ChangeUser },
      response: User,
      forward: upstream,
    },
    {
      method: 'PUT',
      path: '/json',
      name: 'json',
      interceptors: [Envelope],
      input: { body: z.json() },
      response: z.json(),
      handler: ({ body }) => body,
    },
  ],
})
export const UserModule = defineModule({ controllers: [userController], providers: [counts] })
export const app = createApp(UserModule, { versioning: { scheme: VersioningSchemes.URL, history } })
export const client = createClient<typeof app>({ baseUrl: 'http://localhost' })
export const first = createClient<typeof app, '1'>({ baseUrl: 'http://localhost', version: '1' })
export const second = client.at('2')
export const { user } = first
export const page1 = await first.user.list({ query: { size: 3, age: 1 } })
export const { items } = page1.data
export const pages = client.user.list.pages()
export const json = await client.user.json({ body: { a: [null] } })
export const bytes = client.user.create
export const query = queryOptions(client.user.numbered, {})
export const mutation = mutationOptions(client.user.json)
export const tests = createTestClient(app)
export const each = forEachVersion
export const userPaused = defineWebhook({ name: 'user.paused', schema: User })
export const webhooks = createWebhooks({
  history,
  subscriptions: { of: () => [], find: () => undefined, disable: () => undefined },
})
