import { defineProblem, defineProvider } from 'octavo'
import { z } from 'zod'

import { ArticleNotFound } from '../catalog/articles.ts'
import { UnitOfWork } from '../database/module.ts'

/** The largest id of the tables. */
const Id = z.number().int().min(1).max(2_147_483_647)

export const NewOrder = z.object({
  lines: z
    .array(z.object({ articleId: Id, quantity: z.number().int().min(1).max(1000) }))
    .min(1)
    .max(50)
    .refine((lines) => new Set(lines.map(({ articleId }) => articleId)).size === lines.length, {
      message: 'One line for each article',
    }),
})
export type NewOrder = z.output<typeof NewOrder>

export const Order = z.object({ id: z.number(), placedAt: z.date() })
export type Order = z.output<typeof Order>

export const OrderWithTotal = Order.extend({ cents: z.number() })
export type OrderWithTotal = z.output<typeof OrderWithTotal>

export const OutOfStock = defineProblem({
  code: 'out_of_stock',
  status: 409,
  title: 'The article is out of stock',
  members: z.object({ articleId: z.number(), available: z.number() }),
})

/** What time it is. */
export const Clock = defineProvider({ name: 'Clock', create: () => () => new Date() })

const Taken = z.object({ cents: z.number() })
const Left = z.object({ stock: z.number() })

export const Orders = defineProvider({
  name: 'Orders',
  scope: 'request',
  inject: { work: UnitOfWork, now: Clock },
  create: ({ work, now }) => {
    /** Takes articles from the stock, in one statement: of two requests for the last one, one finds none. */
    const take = async (articleId: number, quantity: number): Promise<number> => {
      const [taken] = await work.query(
        Taken,
        'UPDATE articles SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING cents',
        articleId,
        quantity,
      )
      if (taken !== undefined) return taken.cents
      const [left] = await work.query(Left, 'SELECT stock FROM articles WHERE id = $1', articleId)
      throw left === undefined
        ? ArticleNotFound(`There is no article ${articleId}`)
        : OutOfStock(`Article ${articleId} is out of stock`, { articleId, available: left.stock })
    }
    return {
      place: async (accountId: number, { lines }: NewOrder): Promise<OrderWithTotal> => {
        const sql =
          'INSERT INTO orders (account_id, placed_at) VALUES ($1, $2) RETURNING id, placed_at AS "placedAt"'
        const [order] = await work.query(Order, sql, accountId, now())
        if (order === undefined) throw new Error('INSERT gave no row')
        let total = 0
        // everybody takes in the same order: two orders never wait for each other
        for (const { articleId, quantity } of lines.toSorted((a, b) => a.articleId - b.articleId)) {
          const cents = await take(articleId, quantity)
          await work.query(
            z.unknown(),
            'INSERT INTO order_lines (order_id, article_id, quantity, cents) VALUES ($1, $2, $3, $4)',
            order.id,
            articleId,
            quantity,
            cents,
          )
          total += quantity * cents
        }
        return { ...order, cents: total }
      },
      /** The orders of one account, the newest first. */
      list: (accountId: number): Promise<OrderWithTotal[]> =>
        work.query(
          OrderWithTotal,
          `SELECT id, placed_at AS "placedAt", sum(quantity * cents)::float8 AS cents
           FROM orders JOIN order_lines ON order_id = id WHERE account_id = $1 GROUP BY id ORDER BY id DESC`,
          accountId,
        ),
    }
  },
})
