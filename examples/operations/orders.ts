import { defineController, defineModule, defineProvider, notFound } from 'octavo'
import { apiKey } from 'octavo/auth'
import { z } from 'zod'

import { Database, DatabaseModule } from './database.ts'
import { NewOrder, Order, OrderPath } from './models.ts'

const ROW = 'id, article, quantity, ordered_at AS "orderedAt"'

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
      if (order === undefined) throw notFound('There is no such order')
      return order
    },
    create: async (client: string, { article, quantity }: NewOrder): Promise<Order> => {
      const [order] = await query<Order>(
        `INSERT INTO orders (client, article, quantity) VALUES ($1, $2, $3) RETURNING ${ROW}`,
        client,
        article,
        quantity,
      )
      if (order === undefined) throw new Error('INSERT returned no row')
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

const orderController = defineController({
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
      handler: ({ params, inject: { orders } }, { identity }) => orders.find(identity.name, params.id),
    },
    {
      method: 'POST',
      name: 'create',
      input: { body: NewOrder },
      response: { 201: Order },
      handler: ({ body, inject: { orders } }, { identity }) => orders.create(identity.name, body),
    },
  ],
})

export const OrdersModule = defineModule({
  name: 'OrdersModule',
  imports: [DatabaseModule],
  providers: [Orders],
  controllers: [orderController],
})
