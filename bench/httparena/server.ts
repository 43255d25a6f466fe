import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { createApp, defineController, defineModule, defineProvider, text } from 'octavo'
import { compression, staticFiles } from 'octavo/middleware'
import { Pool } from 'pg'
import { z } from 'zod'

/** The folder that the runner mounts, and its port. */
const { DATA = '/data', PORT = '8080', DATABASE_URL } = process.env

const Item = z.object({
  id: z.int(),
  name: z.string(),
  category: z.string(),
  price: z.int(),
  quantity: z.int(),
  active: z.boolean(),
  tags: z.array(z.string()),
  rating: z.object({ score: z.number(), count: z.int() }),
})
const PricedItem = Item.extend({ total: z.int() })
type Row = Omit<z.infer<typeof Item>, 'rating'> & {
  readonly rating_score: number
  readonly rating_count: number
}

const Items = defineProvider({
  name: 'Items',
  create: () => z.array(Item).parse(JSON.parse(readFileSync(join(DATA, 'dataset.json'), 'utf8'))),
})

const Database = defineProvider({
  name: 'Database',
  // one pool for each worker
  create: () =>
    DATABASE_URL === undefined ? undefined : new Pool({ connectionString: DATABASE_URL, max: 4 }),
  dispose: (pool) => pool?.end(),
})

const sums = { a: z.int().default(0), b: z.int().default(0) }

const arena = defineController({
  prefix: '/',
  inject: { items: Items, database: Database },
  routes: [
    { method: 'GET', path: '/pipeline', handler: () => text('ok') },
    {
      method: 'GET',
      path: '/baseline11',
      input: { query: sums },
      handler: ({ query }) => text(`${query.a + query.b}`),
    },
    {
      method: 'POST',
      path: '/baseline11',
      input: { query: sums, body: z.string().transform(Number).pipe(z.int()) },
      handler: ({ query, body }) => text(`${query.a + query.b + body}`),
    },
    {
      method: 'GET',
      path: '/json/{count:int}',
      input: { query: { m: z.int().default(1) } },
      response: z.object({ items: z.array(PricedItem), count: z.int() }),
      handler: ({ params, query, inject }) => {
        const items = inject.items
          .slice(0, Math.max(0, params.count))
          .map((item) => ({ ...item, total: item.price * item.quantity * query.m }))
        return { items, count: items.length }
      },
    },
    {
      method: 'POST',
      path: '/upload',
      bodyLimit: 64 * 1024 * 1024,
      input: { body: z.instanceof(Uint8Array) },
      handler: ({ body }) => text(`${body.byteLength}`),
    },
    {
      method: 'GET',
      path: '/async-db',
      input: {
        query: {
          min: z.int().default(10),
          max: z.int().default(50),
          limit: z.int().min(1).max(50).catch(50).default(50),
        },
      },
      response: z.object({ items: z.array(Item), count: z.int() }),
      handler: async ({ query, inject }) => {
        const found = await inject.database?.query<Row>(
          'SELECT id, name, category, price, quantity, active, tags, rating_score, rating_count FROM items WHERE price BETWEEN $1 AND $2 LIMIT $3',
          [query.min, query.max, query.limit],
        )
        const items = (found?.rows ?? []).map(({ rating_score: score, rating_count: count, ...item }) => ({
          ...item,
          rating: { score, count },
        }))
        return { items, count: items.length }
      },
    },
  ],
})

const files = join(DATA, 'static')
const app = createApp(defineModule({ controllers: [arena], providers: [Items, Database] }), {
  logger: false,
  middleware: [
    compression(),
    ...(existsSync(files) ? [staticFiles({ root: files, prefix: '/static' })] : []),
  ],
})
await app.listen({ port: Number(PORT), workers: 'auto' })
