import { defineProblem, defineProvider } from 'octavo'
import { z } from 'zod'

import { UnitOfWork } from '../database/module.ts'

/** PostgreSQL keeps no NUL, and names need no other control characters. */
const Line = z.string().regex(/^\P{Cc}*$/u, 'No control characters')

export const NewArticle = z.object({
  name: Line.trim().min(1).max(100),
  cents: z.number().int().positive().max(100_000_000),
  stock: z.number().int().min(0).max(1_000_000),
})
export type NewArticle = z.output<typeof NewArticle>

export const Article = NewArticle.extend({ id: z.number() })
export type Article = z.output<typeof Article>

export const ArticleNotFound = defineProblem({
  code: 'article_not_found',
  status: 404,
  title: 'There is no such article',
})

export const ArticleFilter = z.object({
  search: Line.max(100).default(''),
  limit: z.number().int().min(1).max(100).default(20),
  offset: z.number().int().min(0).max(1_000_000).default(0),
})

export const Articles = defineProvider({
  name: 'Articles',
  scope: 'request',
  inject: { work: UnitOfWork },
  create: ({ work }) => ({
    list: ({ search, limit, offset }: z.output<typeof ArticleFilter>): Promise<Article[]> =>
      work.query(
        Article,
        'SELECT * FROM articles WHERE strpos(lower(name), lower($1)) > 0 ORDER BY name LIMIT $2 OFFSET $3',
        search,
        limit,
        offset,
      ),
    find: async (id: number): Promise<Article | undefined> => {
      // a path may hold a number that is larger than every id
      const [found] = await work.query(Article, 'SELECT * FROM articles WHERE id = $1::bigint', id)
      return found
    },
    /** `undefined` when there is an article of this name. */
    create: async ({ name, cents, stock }: NewArticle): Promise<Article | undefined> => {
      const [created] = await work.query(
        Article,
        'INSERT INTO articles (name, cents, stock) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING *',
        name,
        cents,
        stock,
      )
      return created
    },
  }),
})
