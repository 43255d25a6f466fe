import { defineController, defineGuard } from 'octavo'
import type { ExecutionContext, Guard } from 'octavo'

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
