import {
  bind,
  defineController,
  defineErrorHandler,
  defineGuard,
  defineInterceptor,
  defineProvider,
} from 'octavo'
import type { EnvelopeContent, ExecutionContext, Guard, HttpError, Interceptor } from 'octavo'

import { z } from 'zod'
import { expectTypeOf } from 'expect-type'
interface User {
  id: number
}
interface Key {
  key: string
}
const auth = null as unknown as Guard<User>
const key = null as unknown as Guard<Key>
const plain = defineGuard({ name: 'x', canActivate: () => true })
defineController({
  name: 'a',
  guards: [plain, auth],
  routes: [
    {
      method: 'GET',
      handler: (_, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<User>()
      },
    },
    {
      method: 'GET',
      path: '/{id:int}',
      name: 'foo',
      guards: [plain],
      input: { query: { a: z.number() } },
      response: { 200: z.string() },
      handler: ({ params, query }, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<User>()
        expectTypeOf(query.a).toEqualTypeOf<number>()
        expectTypeOf(params.id).toEqualTypeOf<number>()
        return 'a'
      },
    },
    {
      method: 'GET',
      withoutGuards: [auth],
      handler: (_, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<unknown>()
      },
    },
    {
      method: 'GET',
      withoutGuards: [plain],
      handler: (_, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<User>()
      },
    },
    {
      method: ['GET', 'POST'],
      withoutGuards: [auth],
      guards: [key, plain],
      input: { body: z.string() },
      handler: ({ body }, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<Key>()
        expectTypeOf(body).toEqualTypeOf<string>()
      },
    },
    // @ts-expect-error not a guard
    { method: 'GET', guards: [1], handler: () => 1 },
  ],
})
defineController({
  name: 'a',
  guards: [plain],
  routes: [
    {
      method: 'GET',
      handler: (_, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<unknown>()
      },
    },
    {
      method: 'GET',
      guards: [auth],
      handler: (_, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<User>()
      },
    },
  ],
})
defineController({
  name: 'a',
  routes: [
    {
      method: 'GET',
      handler: (_, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<unknown>()
      },
    },
    {
      method: 'GET',
      handler: (_, c: ExecutionContext) => {
        expectTypeOf(c.identity).toEqualTypeOf<unknown>()
      },
    },
  ],
})

const admin = defineGuard({
  name: 'IsAdmin',
  after: auth,
  canActivate: ({ identity }) => {
    expectTypeOf(identity).toEqualTypeOf<User>()
    return true
  },
})
expectTypeOf(admin).toEqualTypeOf<Guard<User, never>>()
defineGuard({
  name: 'IsOwner',
  after: admin,
  canActivate: ({ identity }) => identity.id === 1,
})
// @ts-expect-error a guard without another one knows no identity
defineGuard({ name: 'IsAdmin', canActivate: ({ identity }) => identity.id === 1 })
defineController({
  name: 'a',
  guards: [auth, admin],
  routes: [
    {
      method: 'GET',
      withoutGuards: [admin],
      handler: (_, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<User>()
      },
    },
  ],
})
defineController({
  name: 'a',
  routes: [
    {
      method: 'GET',
      guards: [admin],
      handler: (_, c) => {
        expectTypeOf(c.identity).toEqualTypeOf<User>()
      },
    },
  ],
})

class Broken extends Error {
  readonly part = 1
}
defineErrorHandler({ match: Broken, handle: (error) => expectTypeOf(error).toEqualTypeOf<Broken>() })
defineErrorHandler({ match: 404, handle: (error) => expectTypeOf(error).toEqualTypeOf<HttpError>() })
defineErrorHandler({ match: 500, handle: (error) => expectTypeOf(error).toEqualTypeOf<unknown>() })
const Door = defineProvider({ name: 'Door', create: async () => ({ open: true }) })
const wraps = defineInterceptor({
  name: 'Wraps',
  inject: { door: Door },
  intercept: (_context, _next, { door }) => expectTypeOf(door).toEqualTypeOf<{ open: boolean }>(),
})
const envelope = defineInterceptor({
  name: 'Envelope',
  inject: { door: Door },
  envelope: (schema) => z.object({ data: z.array(schema), route: z.string().optional() }),
  intercept: async (_context, next, { door }) => {
    expectTypeOf(door).toEqualTypeOf<{ open: boolean }>()
    return { data: await next() }
  },
})
expectTypeOf(envelope).toEqualTypeOf<Interceptor<{ data: EnvelopeContent[]; route?: string | undefined }>>()
expectTypeOf(wraps).toEqualTypeOf<Interceptor<undefined>>()
defineController({ name: 'a', interceptors: [wraps, envelope], routes: [] })
bind(envelope, wraps)
// @ts-expect-error the envelope is a schema
defineInterceptor({ name: 'a', envelope: () => 'data', intercept: (_context, next) => next() })
bind(Door, { value: { open: false } })
bind(plain, auth)
// @ts-expect-error another value
bind(Door, { value: { open: 1 } })
// @ts-expect-error an interceptor is no guard
bind(plain, wraps)
// @ts-expect-error a guard is no interceptor
defineController({ name: 'a', interceptors: [plain], routes: [] })
