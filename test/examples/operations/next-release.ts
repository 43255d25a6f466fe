/*
 * The release after that of examples/operations: version 3 has ids that are text. It runs beside instances of the release before.
 */
import { defineController, defineModule } from 'octavo'
import type { Interceptor } from 'octavo'
import { defineVersionChange, defineVersions, derive, model, operation, reshape } from 'octavo/changes'
import { z } from 'zod'

import { createOrdersApp } from '../../../examples/operations/app.ts'
import { DatabaseModule } from '../../../examples/operations/database.ts'
import { KEY, KnownClient, Orders } from '../../../examples/operations/orders.ts'
import { readEnvironment, Settings, toListenOptions } from '../../../examples/operations/settings.ts'

const Order = model('Order', {
  id: z.string().regex(/^order_[1-9]\d*$/),
  article: z.string().min(1).max(100),
  quantity: z.int().min(1).max(1000),
  orderedAt: z.date(),
})
const OrderPath = derive(Order, (order) => order.pick({ id: true }))
const NewOrder = derive(Order, (order) => order.pick({ article: true, quantity: true }))

const toId = (id: number): string => `order_${id}`
const toNumber = (id: string): number => Number(id.slice('order_'.length))

const textIds = defineVersionChange({
  version: '3',
  title: 'Ids are text',
  change: [reshape({ of: Order, fields: { id: { was: z.int().min(1), up: toId, down: toNumber } } })],
})
const articles = defineVersionChange({
  version: '2',
  title: 'Items are called articles',
  change: [
    reshape({ of: Order, fields: { article: { was: 'item' } } }),
    operation({ route: 'order.create', status: { was: 200 } }),
  ],
})
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { Order },
  changes: [textIds, articles],
})

const createController = (once: Interceptor) =>
  defineController({
    name: 'OrderController',
    prefix: '/orders',
    guards: [KnownClient],
    inject: { orders: Orders },
    routes: [
      {
        method: 'GET',
        path: '/{id}',
        name: 'find',
        input: { params: OrderPath },
        response: Order,
        handler: async ({ params, inject: { orders } }, { identity }) => {
          const order = await orders.find(identity.name, toNumber(params.id))
          return { ...order, id: toId(order.id) }
        },
      },
      {
        method: 'POST',
        name: 'create',
        input: { body: NewOrder },
        response: { 201: Order },
        interceptors: [once],
        handler: async ({ body, inject: { orders } }, { identity, request }) => {
          const order = await orders.create(identity.name, body, request.header(KEY))
          return { ...order, id: toId(order.id) }
        },
      },
    ],
  })
const createModule = (once: Interceptor) =>
  defineModule({
    name: 'OrdersModule',
    imports: [DatabaseModule],
    providers: [Orders],
    controllers: [createController(once)],
  })

const environment = readEnvironment()
const app = createOrdersApp(environment, { createModule, history })
await app.listen(toListenOptions(Settings.parse(environment)))
