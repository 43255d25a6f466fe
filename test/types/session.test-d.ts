import { createApp, defineController, defineGuard, defineModule, defineProvider, Session } from 'octavo'
import type { SessionOptions, Store } from 'octavo'

import { expectTypeOf } from 'expect-type'
import { Redis } from 'ioredis'
import { createRedisStore } from 'octavo/stores'
import { z } from 'zod'

const Cart = z.object({ user: z.string().optional(), items: z.array(z.number()).default([]) })
interface CartData {
  user?: string | undefined
  items: number[]
}
const TypedSession = Session.of(Cart)

// Session.of types the data wherever it is injected
defineController({
  prefix: '/cart',
  inject: { session: TypedSession },
  routes: [
    {
      method: 'GET',
      handler: async ({ inject: { session } }, context) => {
        expectTypeOf(session).toEqualTypeOf<Session<CartData>>()
        expectTypeOf(session.data).toEqualTypeOf<CartData>()
        expectTypeOf(session.id).toEqualTypeOf<string>()
        expectTypeOf(await context.resolve(TypedSession)).toEqualTypeOf<Session<CartData>>()
        session.data.items.push(1)
        // @ts-expect-error another type
        session.data.user = 1
        // @ts-expect-error no such field
        session.data.nothing = 1
        // @ts-expect-error the data is changed, not replaced
        session.data = { items: [] }
      },
    },
    {
      method: 'GET',
      path: '/own',
      input: { inject: { mine: TypedSession } },
      handler: ({ inject: { mine } }) => {
        expectTypeOf(mine.data).toEqualTypeOf<CartData>()
      },
    },
  ],
})
defineGuard({
  name: 'signed-in',
  inject: { session: TypedSession },
  canActivate: (_context, { session }) => {
    expectTypeOf(session.data.user).toEqualTypeOf<string | undefined>()
    return session.data.user !== undefined
  },
})
defineProvider({
  name: 'cart',
  scope: 'request',
  inject: { session: TypedSession },
  create: ({ session }) => {
    expectTypeOf(session.data.items).toEqualTypeOf<number[]>()
    return session
  },
})

// without a schema and without Register, data is anything
defineController({
  prefix: '/any',
  inject: { session: Session },
  routes: [
    {
      method: 'GET',
      handler: ({ inject: { session } }) => {
        expectTypeOf(session).toEqualTypeOf<Session>()
        expectTypeOf(session.data).toEqualTypeOf<Record<string, unknown>>()
      },
    },
  ],
})

// what fits as a store
expectTypeOf<ReturnType<typeof createRedisStore>>().toEqualTypeOf<Store>()
expectTypeOf<{ get(key: string): string }>().not.toExtend<Store>()

const secret = 'a secret of more than 32 characters'
createApp(defineModule({}), {
  session: { secret, schema: Cart, store: createRedisStore(new Redis()) },
})
createApp(defineModule({}), { session: { secret: [secret], cookie: { sameSite: 'strict', maxAge: 60 } } })
// @ts-expect-error a secret there has to be
createApp(defineModule({}), { session: {} })
// @ts-expect-error no such option
createApp(defineModule({}), { session: { secret, ttl: 60 } })
// @ts-expect-error no such mode
const wrong: SessionOptions = { secret, conflicts: 'merge' }
void wrong
