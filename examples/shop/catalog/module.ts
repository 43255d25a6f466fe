import { Config, defineController, defineModule, defineProblem, VERSION_NEUTRAL } from 'octavo'
import { apiKey, safeEqual } from 'octavo/auth'
import { z } from 'zod'

import { IsAdmin, SignedIn } from '../accounts/guards.ts'
import { DatabaseModule, Transactional } from '../database/module.ts'
import { ShopSettings } from '../settings.ts'
import { Article, ArticleFilter, ArticleNotFound, Articles, NewArticle } from './articles.ts'

/** Suppliers, who send the key of the settings; nobody when there is none. */
const Supplier = apiKey({
  in: 'header',
  name: 'X-API-Key',
  verify: async (key, context) => {
    const { importKey } = await context.resolve(Config.of(ShopSettings))
    return importKey !== undefined && safeEqual(key, importKey)
  },
})

const NameTaken = defineProblem({
  code: 'name_taken',
  status: 409,
  title: 'There is an article of this name',
  members: z.object({ name: z.string() }),
})

const articleController = defineController({
  name: 'ArticleController',
  prefix: '/articles',
  inject: { articles: Articles },
  routes: [
    {
      method: 'GET',
      name: 'list',
      input: { query: ArticleFilter },
      response: z.array(Article),
      handler: ({ query, inject }) => inject.articles.list(query),
    },
    {
      method: 'GET',
      path: '/{article_id:int}',
      name: 'getOne',
      response: Article,
      problems: [ArticleNotFound],
      handler: async ({ params, inject }) => {
        const article = await inject.articles.find(params.article_id)
        if (article === undefined) throw ArticleNotFound()
        return article
      },
    },
    {
      method: 'POST',
      name: 'create',
      guards: [SignedIn, IsAdmin],
      input: { body: NewArticle },
      response: { 201: Article },
      problems: [NameTaken],
      handler: async ({ body, inject }) => {
        const article = await inject.articles.create(body)
        if (article === undefined) throw NameTaken(undefined, { name: body.name })
        return article
      },
    },
    {
      method: 'POST',
      path: '/import',
      name: 'import',
      summary: 'Creates the articles of a list whose names are new',
      guards: [Supplier],
      input: { body: z.array(NewArticle).max(1000) },
      response: z.object({ created: z.number() }),
      handler: async ({ body, inject }) => {
        let created = 0
        for (const article of body) if (await inject.articles.create(article)) created += 1
        return { created }
      },
    },
  ],
})

export const CatalogModule = defineModule({
  name: 'CatalogModule',
  version: VERSION_NEUTRAL,
  imports: [DatabaseModule],
  controllers: [articleController],
  providers: [Articles],
  interceptors: [Transactional],
})
