import { defineController, defineModule, defineProblem, defineProvider } from 'octavo'
import type { Interceptor } from 'octavo'
import { apiKey } from 'octavo/auth'
import { z } from 'zod'

import { Database, DatabaseModule } from './database.ts'
import { NewOrder, Order, OrderPath } from './models.ts'

const ROW = 'id, article, quantity, ordered_at AS "orderedAt"'

const OrderNotFound = defineProblem({
  code: 'order_not_found',
  status: 404,
  title: 'There is no such order',
})
const KeyTaken = defineProblem({
  code: 'key_taken',
  status: 409,
  title: 'Another order has this idempotency key',
})

/** The orders of all clients, in PostgreSQL. It knows the newest shapes only. */
export const Orders = defineProvider({
  name: 'Orders',
  inject: { database: Database },
  create: ({ database: { query } }) => ({
    list: (client: string) =>
      query<Order>(`SELECT ${ROW} FROM orders WHERE client = $1 ORDER BY id DESC LIMIT 20`, client),
    find: async (client: string, id: number): Promise<Order> => {
      const [order] = await query<Order>(
        `SELECT ${ROW} FROM orders WHERE client = $1 AND id = $2`,
        client,
        id,
      )
      if (order === undefined) throw OrderNotFound()
      return order
    },
    /**
     * Stores an order. The idempotency key makes it one row, also if an instance was killed before it could keep its result in Redis, or if
     * Redis has lost it.
     */
    create: async (
      client: string,
      { article, quantity }: NewOrder,
      key: string | undefined,
    ): Promise<Order> => {
      const [order] = await query<Order>(
        `INSERT INTO orders (client, article, quantity, key) VALUES ($1, $2, $3, $4)
         ON CONFLICT (client, key) DO UPDATE SET key = excluded.key
         WHERE orders.article = excluded.article AND orders.quantity = excluded.quantity RETURNING ${ROW}`,
        client,
        article,
        quantity,
        key,
      )
      if (order === undefined) throw KeyTaken()
      return order
    },
  }),
})

/** Lets those in whom the option `client` of the application knows by their key. */
export const KnownClient = apiKey({
  in: 'header',
  name: 'x-api-key',
  verify: (_key, { client }) => client !== undefined && { name: client },
})

/** The header by which a client may send an order again. */
export const KEY = 'idempotency-key'

const createController = (once: Interceptor) =>
  defineController({
    name: 'OrderController',
    prefix: '/orders',
    guards: [KnownClient],
    inject: { orders: Orders },
    routes: [
      {
        method: 'GET',
        name: 'list',
        response: z.array(Order),
        handler: ({ inject: { orders } }, { identity }) => orders.list(identity.name),
      },
      {
        method: 'GET',
        path: '/{id}',
        name: 'find',
        input: { params: OrderPath },
        response: Order,
        problems: [OrderNotFound],
        handler: ({ params, inject: { orders } }, { identity }) => orders.find(identity.name, params.id),
      },
      {
        method: 'POST',
        name: 'create',
        input: { body: NewOrder },
        response: { 201: Order },
        problems: [KeyTaken],
        interceptors: [once],
        handler: ({ body, inject: { orders } }, { identity, request }) =>
          orders.create(identity.name, body, request.header(KEY)),
      },
    ],
  })

/** `once` keeps the idempotency keys of orders. */
export const createOrdersModule = (once: Interceptor) =>
  defineModule({
    name: 'OrdersModule',
    imports: [DatabaseModule],
    providers: [Orders],
    controllers: [createController(once)],
  })
