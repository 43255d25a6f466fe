import { defineVersionChange, defineVersions, operation, reshape } from 'octavo/changes'

import { Order } from './models.ts'

export const articles = defineVersionChange({
  version: '2',
  title: 'Items are called articles',
  description: '`Order.item` was renamed to `article`, and creating an order returned 200.',
  change: [
    reshape({ of: Order, fields: { article: { was: 'item' } } }),
    operation({ route: 'order.create', status: { was: 200 } }),
  ],
})

export const history = defineVersions({ versions: ['2', '1'], models: { Order }, changes: [articles] })
