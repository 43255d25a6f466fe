import { randomBytes } from 'node:crypto'

import { defineController, defineProblem, defineProvider, VERSION_NEUTRAL } from 'octavo'
import { defineVersionChange, defineVersions, derive, model, reshape } from 'octavo/changes'
import { z } from 'zod'

import { Db } from './database.ts'
import { Text } from './errors.ts'
import { SignedIn, Visitor } from './users.ts'
import type { User } from './users.ts'

const Article = model('Article', {
  slug: z.string(),
  title: Text.max(200),
  description: Text,
  body: Text,
  tags: z.array(Text.max(50)).max(20).default([]),
  createdAt: z.date(),
  updatedAt: z.date(),
  favorited: z.boolean(),
  favoritesCount: z.number(),
  author: z.object({ username: z.string(), bio: z.string().nullable(), image: z.string().nullable() }),
})
type Article = z.output<typeof Article>

const Draft = derive(Article, (article) =>
  article.pick({ title: true, description: true, body: true, tags: true }),
)
const Change = derive(Draft, (draft) => draft.omit({ tags: true }).partial())

const renameTags = defineVersionChange({
  version: '2',
  title: 'Tags are called tags',
  description: '`tagList` of articles is called `tags`.',
  change: [reshape({ of: Article, fields: { tags: { was: 'tagList' } } })],
})

export const history = defineVersions({
  versions: ['2', '1'],
  models: { Article },
  changes: [renameTags],
})

const Filter = z.object({
  tag: z.string().optional(),
  author: z.string().optional(),
  favorited: z.string().optional(),
  limit: z.number().int().min(1).max(100).default(20),
  offset: z.number().int().min(0).max(1_000_000).default(0),
})

const MATCHING = `FROM articles a JOIN users u ON u.id = a.author_id
  WHERE ($1::text IS NULL OR $1 = ANY (a.tags)) AND ($2::text IS NULL OR u.username = $2)
    AND ($3::text IS NULL OR EXISTS (SELECT FROM favorites f JOIN users fan ON fan.id = f.user_id
      WHERE f.article_id = a.id AND fan.username = $3)) AND ($4::text IS NULL OR a.slug = $4)`
const SHOWN = `SELECT a.slug, a.title, a.description, a.body, a.tags,
    a.created_at AS "createdAt", a.updated_at AS "updatedAt",
    EXISTS (SELECT FROM favorites f WHERE f.article_id = a.id AND f.user_id = $5) AS favorited,
    (SELECT count(*)::int FROM favorites f WHERE f.article_id = a.id) AS "favoritesCount",
    json_build_object('username', u.username, 'bio', u.bio, 'image', u.image) AS author
  ${MATCHING} ORDER BY a.id DESC LIMIT $6 OFFSET $7`

const toSlug = (title: string): string =>
  [...(title.toLowerCase().match(/[a-z\d]+/g) ?? []), randomBytes(4).toString('hex')].join('-')

const ArticleNotFound = defineProblem({
  code: 'article_not_found',
  status: 404,
  title: 'there is no such article',
})
const OfAnother = defineProblem({
  code: 'article_of_another',
  status: 403,
  title: 'the article is of somebody else',
})

/** The articles, as a viewer sees them. */
export const Articles = defineProvider({
  name: 'Articles',
  inject: { db: Db },
  create: ({ db: { query } }) => {
    const find = async (slug: string, viewer: User | undefined): Promise<Article> => {
      const [found] = await query<Article>(SHOWN, null, null, null, slug, viewer?.id, 1, 0)
      if (found === undefined) throw ArticleNotFound()
      return found
    }
    const own = async (slug: string, viewer: User): Promise<void> => {
      const { author } = await find(slug, viewer)
      if (author.username !== viewer.username) throw OfAnother()
    }
    return {
      find,
      list: async (
        { tag, author, favorited, limit, offset }: z.output<typeof Filter>,
        viewer: User | undefined,
      ) => {
        const filter = [tag, author, favorited, null]
        const [counted] = await query<{ count: number }>(`SELECT count(*)::int ${MATCHING}`, ...filter)
        const articles = await query<Article>(SHOWN, ...filter, viewer?.id, limit, offset)
        return { articles, articlesCount: counted?.count ?? 0 }
      },
      create: async ({ title, description, body, tags }: z.output<typeof Draft>, viewer: User) => {
        const slug = toSlug(title)
        const columns = 'author_id, slug, title, description, body, tags'
        const values = [viewer.id, slug, title, description, body, [...new Set(tags)]]
        await query(`INSERT INTO articles (${columns}) VALUES ($1, $2, $3, $4, $5, $6)`, ...values)
        return find(slug, viewer)
      },
      change: async (slug: string, { title, description, body }: z.output<typeof Change>, viewer: User) => {
        await own(slug, viewer)
        const next = title === undefined ? slug : toSlug(title)
        await query(
          `UPDATE articles SET slug = $2, title = COALESCE($3, title), description = COALESCE($4, description),
             body = COALESCE($5, body), updated_at = now() WHERE slug = $1`,
          slug,
          next,
          title,
          description,
          body,
        )
        return find(next, viewer)
      },
      remove: async (slug: string, viewer: User) => {
        await own(slug, viewer)
        await query('DELETE FROM articles WHERE slug = $1', slug)
      },
      favorite: async (slug: string, viewer: User) => {
        const added = 'SELECT $2::int, id FROM articles WHERE slug = $1'
        await query(
          `INSERT INTO favorites (user_id, article_id) ${added} ON CONFLICT DO NOTHING`,
          slug,
          viewer.id,
        )
        return find(slug, viewer)
      },
      unfavorite: async (slug: string, viewer: User) => {
        const article = '(SELECT id FROM articles WHERE slug = $1)'
        await query(`DELETE FROM favorites WHERE user_id = $2 AND article_id = ${article}`, slug, viewer.id)
        return find(slug, viewer)
      },
      tags: async () => {
        const rows = await query<{ tag: string }>(
          'SELECT DISTINCT unnest(tags) AS tag FROM articles ORDER BY tag',
        )
        return { tags: rows.map(({ tag }) => tag) }
      },
    }
  },
})

const Shown = z.object({ article: Article })

export const articleController = defineController({
  name: 'ArticleController',
  prefix: '/articles',
  inject: { articles: Articles },
  routes: [
    {
      method: 'GET',
      name: 'list',
      guards: [Visitor],
      input: { query: Filter },
      response: z.object({ articles: z.array(Article), articlesCount: z.number() }),
      handler: ({ query, inject: { articles } }, { identity }) => articles.list(query, identity),
    },
    {
      method: 'GET',
      path: '/{slug}',
      name: 'find',
      guards: [Visitor],
      response: Shown,
      problems: [ArticleNotFound],
      handler: async ({ params: { slug }, inject: { articles } }, { identity }) => ({
        article: await articles.find(slug, identity),
      }),
    },
    {
      method: 'POST',
      name: 'create',
      guards: [SignedIn],
      input: { body: z.object({ article: Draft }) },
      response: { 201: Shown },
      handler: async ({ body, inject: { articles } }, { identity }) => ({
        article: await articles.create(body.article, identity),
      }),
    },
    {
      method: 'PUT',
      path: '/{slug}',
      name: 'change',
      guards: [SignedIn],
      input: { body: z.object({ article: Change }) },
      response: Shown,
      problems: [ArticleNotFound, OfAnother],
      handler: async ({ params: { slug }, body, inject: { articles } }, { identity }) => ({
        article: await articles.change(slug, body.article, identity),
      }),
    },
    {
      method: 'DELETE',
      path: '/{slug}',
      name: 'remove',
      guards: [SignedIn],
      status: 204,
      problems: [ArticleNotFound, OfAnother],
      handler: ({ params: { slug }, inject: { articles } }, { identity }) => articles.remove(slug, identity),
    },
    {
      method: 'POST',
      path: '/{slug}/favorite',
      name: 'favorite',
      guards: [SignedIn],
      response: Shown,
      problems: [ArticleNotFound],
      handler: async ({ params: { slug }, inject: { articles } }, { identity }) => ({
        article: await articles.favorite(slug, identity),
      }),
    },
    {
      method: 'DELETE',
      path: '/{slug}/favorite',
      name: 'unfavorite',
      guards: [SignedIn],
      response: Shown,
      problems: [ArticleNotFound],
      handler: async ({ params: { slug }, inject: { articles } }, { identity }) => ({
        article: await articles.unfavorite(slug, identity),
      }),
    },
  ],
})

export const tagController = defineController({
  name: 'TagController',
  prefix: '/tags',
  version: VERSION_NEUTRAL,
  inject: { articles: Articles },
  routes: [
    {
      method: 'GET',
      name: 'list',
      response: z.object({ tags: z.array(z.string()) }),
      handler: ({ inject: { articles } }) => articles.tags(),
    },
  ],
})
