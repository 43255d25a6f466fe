import { defineController, defineGuard, defineProvider } from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth, optional } from 'octavo/auth'
import type { ExecutionContext, Guard } from 'octavo'
import type { IdentityOf } from 'octavo/auth'

import { expectTypeOf } from 'expect-type'

interface User {
  readonly id: number
}
interface Partner {
  readonly partner: string
}
declare const user: User
declare const maybe: boolean

// what verify returns
expectTypeOf<IdentityOf<User>>().toEqualTypeOf<User>()
expectTypeOf<IdentityOf<Promise<User | null>>>().toEqualTypeOf<User>()
expectTypeOf<IdentityOf<User | Promise<undefined> | false>>().toEqualTypeOf<User>()
expectTypeOf<IdentityOf<User | true>>().toEqualTypeOf<User | undefined>()
expectTypeOf<IdentityOf<Promise<User | boolean>>>().toEqualTypeOf<User | undefined>()
expectTypeOf<IdentityOf<boolean>>().toEqualTypeOf<never>()
expectTypeOf<IdentityOf<Promise<true> | undefined>>().toEqualTypeOf<never>()
expectTypeOf<IdentityOf<string | null>>().toEqualTypeOf<string>()
expectTypeOf<IdentityOf<User | Partner | ''>>().toEqualTypeOf<User | Partner>()
expectTypeOf<IdentityOf<unknown>>().toEqualTypeOf<unknown>()
expectTypeOf<IdentityOf<ReturnType<typeof JSON.parse>>>().toEqualTypeOf<unknown>()

const bearer = bearerAuth({
  verify: async (token, context) => {
    expectTypeOf(token).toEqualTypeOf<string>()
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>()
    return maybe ? user : null
  },
})
expectTypeOf(bearer).toEqualTypeOf<Guard<User>>()
const basic = basicAuth({ verify: (name, password) => name === 'ops' && password === 'secret' })
expectTypeOf(basic).toEqualTypeOf<Guard>()
const partner = apiKey({
  in: 'header',
  name: 'X-API-Key',
  verify: (key) => (key === 'k' ? { partner: key } : undefined),
})
expectTypeOf(partner).toEqualTypeOf<Guard<{ partner: string }>>()
const half = bearerAuth({ verify: (token) => (maybe ? user : token === 'open') })
expectTypeOf(half).toEqualTypeOf<Guard<User | undefined>>()

// a body without return refuses everybody
bearerAuth({
  // @ts-expect-error -- verify has to return who it is, true, or undefined to refuse
  verify: async (token) => {
    void token
  },
})
basicAuth({
  // @ts-expect-error -- as above
  verify: (name) => {
    void name
  },
})
bearerAuth({ verify: () => undefined })

// alternatives
expectTypeOf(anyOf(bearer, partner)).toEqualTypeOf<Guard<User | { partner: string }>>()
expectTypeOf(anyOf(bearer, basic)).toEqualTypeOf<Guard<User | undefined>>()
expectTypeOf(anyOf(basic, basic)).toEqualTypeOf<Guard>()
expectTypeOf(anyOf(anyOf(bearer), partner)).toEqualTypeOf<Guard<User | { partner: string }>>()

// what it injects
const Names = defineProvider({ name: 'Names', create: async () => new Map<string, User>() })
const injecting = bearerAuth({
  inject: { names: Names },
  verify: (_token, context, inject) => {
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>()
    expectTypeOf(inject).toEqualTypeOf<{ readonly names: Map<string, User> }>()
    return inject.names.get('a')
  },
})
expectTypeOf(injecting).toEqualTypeOf<Guard<User>>()
expectTypeOf(
  basicAuth({ inject: { names: Names }, verify: (name, _password, _context, { names }) => names.get(name) }),
).toEqualTypeOf<Guard<User>>()
expectTypeOf(
  apiKey({
    in: 'query',
    name: 'key',
    inject: { names: Names },
    verify: async (key, _context, { names }) => names.get(key),
  }),
).toEqualTypeOf<Guard<User>>()
// @ts-expect-error no such key
bearerAuth({ inject: { names: Names }, verify: (_token, _context, { users }) => Boolean(users) })
// @ts-expect-error no token
bearerAuth({ inject: { names: 1 }, verify: () => true })

// without credentials
const visitor = optional(bearerAuth({ verify: () => user }))
expectTypeOf(visitor).toEqualTypeOf<Guard<User | undefined>>()
expectTypeOf(optional(visitor)).toEqualTypeOf<Guard<User | undefined>>()
defineGuard({
  name: 'after',
  after: visitor,
  canActivate: ({ identity }) => {
    expectTypeOf(identity).toEqualTypeOf<User | undefined>()
    return true
  },
})
expectTypeOf(optional(basicAuth({ verify: () => true }))).toEqualTypeOf<Guard>()
expectTypeOf(optional(anyOf(bearer, partner))).toEqualTypeOf<Guard<User | { partner: string } | undefined>>()
expectTypeOf(anyOf(visitor, partner)).toEqualTypeOf<Guard<User | { partner: string } | undefined>>()
defineController({
  name: 'd',
  guards: [visitor],
  routes: [
    { method: 'GET', handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<User | undefined>() },
    {
      method: 'POST',
      guards: [bearer],
      handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<User>(),
    },
  ],
})

// mistakes
// @ts-expect-error no verify
bearerAuth({ realm: 'x' })
// @ts-expect-error no such place
apiKey({ in: 'body', name: 'key', verify: () => true })
// @ts-expect-error no such option
basicAuth({ verify: () => true, relam: 'x' })
// @ts-expect-error no guards
anyOf()

const plain = defineGuard({ name: 'plain', canActivate: ({ identity }) => identity !== undefined })

defineController({
  name: 'a',
  guards: [bearer, plain],
  routes: [
    { method: 'GET', handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<User>() },
    {
      method: 'GET',
      path: '/{id:int}',
      guards: [plain],
      handler: ({ params }, c) => {
        expectTypeOf(params.id).toEqualTypeOf<number>()
        expectTypeOf(c.identity).toEqualTypeOf<User>()
      },
    },
    {
      method: 'POST',
      withoutGuards: [bearer],
      guards: [partner],
      handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<{ partner: string }>(),
    },
    {
      method: 'PUT',
      withoutGuards: [bearer],
      guards: [half],
      handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<User | undefined>(),
    },
    {
      method: 'DELETE',
      withoutGuards: [bearer],
      handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<unknown>(),
    },
  ],
})
defineController({
  name: 'b',
  guards: [anyOf(bearer, partner)],
  routes: [
    {
      method: 'GET',
      handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<User | { partner: string }>(),
    },
  ],
})
defineController({
  name: 'c',
  guards: [basic],
  routes: [
    { method: 'GET', handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<unknown>() },
    {
      method: 'GET',
      guards: [bearerAuth({ verify: () => user })],
      handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<User>(),
    },
    {
      method: 'GET',
      guards: [anyOf(bearer, basic)],
      handler: (_, c) => expectTypeOf(c.identity).toEqualTypeOf<User | undefined>(),
    },
  ],
})
