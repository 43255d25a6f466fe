import { defineController, defineModule, defineProblem } from 'octavo'
import { z } from 'zod'

import { SignedIn } from '../accounts/guards.ts'
import { ArticleNotFound } from '../catalog/articles.ts'
import { DatabaseModule, Transactional } from '../database/module.ts'
import { Clock, NewOrder, Order, Orders, OrderWithTotal, OutOfStock } from './orders.ts'

const OrderNotFound = defineProblem({
  code: 'order_not_found',
  status: 404,
  title: 'You have no such order',
})

const orderController = defineController({
  name: 'OrderController',
  prefix: '/orders',
  guards: [SignedIn],
  inject: { orders: Orders },
  routes: [
    {
      method: 'POST',
      name: 'place',
      version: ['1', '2'],
      input: { body: NewOrder },
      response: { 201: OrderWithTotal },
      problems: [OutOfStock, ArticleNotFound],
      handler: ({ body, inject }, { identity }) => inject.orders.place(identity.id, body),
    },
    {
      method: 'GET',
      name: 'list',
      version: '1',
      response: z.array(Order),
      handler: async ({ inject }, { identity }) =>
        (await inject.orders.list(identity.id)).map(({ id, placedAt }) => ({ id, placedAt })),
    },
    {
      method: 'GET',
      name: 'list',
      version: '2',
      response: z.object({ orders: z.array(OrderWithTotal), cents: z.number() }),
      handler: async ({ inject }, { identity }) => {
        const orders = await inject.orders.list(identity.id)
        return { orders, cents: orders.reduce((sum, { cents }) => sum + cents, 0) }
      },
    },
    {
      method: 'GET',
      path: '/{order_id:int}',
      name: 'getOne',
      version: ['1', '2'],
      response: OrderWithTotal,
      problems: [OrderNotFound],
      handler: async ({ params, inject }, { identity }) => {
        const order = (await inject.orders.list(identity.id)).find(({ id }) => id === params.order_id)
        // the order of somebody else is none either
        if (order === undefined) throw OrderNotFound()
        return order
      },
    },
  ],
})

export const OrdersModule = defineModule({
  name: 'OrdersModule',
  imports: [DatabaseModule],
  controllers: [orderController],
  providers: [Orders, Clock],
  interceptors: [Transactional],
})
