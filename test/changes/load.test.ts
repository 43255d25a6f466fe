import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineProvider,
  DefinitionError,
  HttpError,
  reply,
  sse,
  VersioningSchemes,
} from 'octavo'
import type { App } from 'octavo'
import {
  absent,
  before,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { checkHistory } from 'octavo/testing'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Profile = model('Profile', { username: z.string(), bio: z.string() })
const Article = model('Article', { slug: z.string(), author: z.string() })
const Draft = derive(Article, (article) => article.omit({ slug: true }))
const Page = z.object({ items: z.array(Article), top: Article.optional(), count: z.int() })

interface Directory {
  profiles(names: readonly string[]): Promise<ReadonlyMap<string, { username: string; about: string }>>
}

/** What was loaded, in order. */
let calls: string[] = []
let failure: (() => unknown) | undefined
afterEach(() => {
  calls = []
  failure = undefined
})

const directory: Directory = {
  profiles: async (names) => {
    calls.push(`profiles of ${names.join()}`)
    await failure?.()
    const known = names.filter((name) => name !== 'nobody')
    return new Map(known.map((name) => [name, { username: name, about: `about ${name}` }]))
  },
}
const Users = defineProvider({ name: 'Users', scope: 'request', create: () => directory })

const bios = defineVersionChange({
  version: '3',
  title: 'Profiles have a bio',
  change: [reshape({ of: Profile, fields: { bio: { was: 'about' } } })],
})
const authors = defineVersionChange({
  version: '2',
  title: 'An article names its author',
  change: [
    reshape({
      of: before(bios, Article),
      inject: { users: Users },
      load: {
        down: (articles, { inject: { users } }) => users.profiles(articles.map(({ author }) => author)),
        up: async (articles) => {
          calls.push(`check of ${articles.map(({ author }) => author.username).join()}`)
          const known = new Set(['ann', 'bob'])
          const other = articles.find(({ author }) => !known.has(author.username))
          if (other !== undefined) throw new HttpError(409, `no ${other.author.username}`)
          return known
        },
      },
      fields: {
        author: {
          was: Profile,
          down: (author, { loaded }) => loaded.get(author) ?? { username: author, about: '' },
          up: ({ username }, { loaded }) => (loaded.has(username) ? username : 'nobody'),
        },
      },
      examples: [
        {
          old: { author: { username: 'ann', about: 'x' } },
          now: { author: 'ann' },
          loaded: new Map([['ann', { username: 'ann', about: 'x' }]]),
        },
      ],
    }),
  ],
})
const slugs = defineVersionChange({
  version: '2',
  title: 'Articles have a slug',
  change: [
    reshape({
      of: Article,
      not: [Draft],
      load: async (articles) => {
        calls.push(`titles of ${articles.map(({ slug }) => slug).join()}`)
        return new Map(articles.map(({ slug }) => [slug, slug.toUpperCase()]))
      },
      fields: { slug: { was: absent }, title: { was: z.string() } },
      up: ({ title }) => ({ slug: title.toLowerCase() }),
      down: ({ slug }, { loaded }) => ({ title: loaded.get(slug) ?? '' }),
      lossy: ['title'],
      examples: [{ old: { title: 'A' }, now: { slug: 'a' }, loaded: new Map([['a', 'A']]) }],
    }),
  ],
})
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { Profile, Article },
  changes: [bios, authors, slugs],
})

const articles = [
  { slug: 'a', author: 'ann' },
  { slug: 'b', author: 'bob' },
  { slug: 'n', author: 'nobody' },
]

const ArticleController = defineController({
  prefix: '/article',
  routes: [
    {
      method: 'GET',
      response: Page,
      handler: () => ({ items: articles, top: { slug: 't', author: 'bob' }, count: 3 }),
    },
    { method: 'GET', path: '/none', response: z.object({ count: z.int() }), handler: () => ({ count: 0 }) },
    { method: 'GET', path: '/wrong', response: Page, handler: () => ({ items: [{}] }) as never },
    {
      method: 'POST',
      input: { body: z.object({ drafts: z.array(Draft) }) },
      response: z.array(z.string()),
      handler: ({ body }) => body.drafts.map(({ author }) => author),
    },
    {
      method: 'GET',
      path: '/feed',
      events: { added: Article },
      handler: () => sse([{ event: 'added', data: { slug: 'a', author: 'ann' } }]),
    },
    { method: 'GET', path: '/lines', items: Article, handler: () => articles.slice(0, 2) },
    {
      method: 'GET',
      path: '/migrated',
      response: z.unknown(),
      handler: async (_, context) => context.migrate(Article, { slug: 'a', author: 'ann' }),
    },
  ],
})

function start(): App {
  return createApp(defineModule({ controllers: [ArticleController], providers: [Users] }), {
    versioning: { scheme: VersioningSchemes.URL, history },
    logger: false,
  })
}

/** Runs something as on platforms that forbid to make code from text. */
async function withoutCode<T>(run: () => Promise<T>): Promise<T> {
  z.config({ jitless: true })
  try {
    return await run()
  } finally {
    z.config({ jitless: false })
  }
}

const WAYS = {
  'as compiled code': async <T>(run: () => Promise<T>): Promise<T> => run(),
  'without generated code': withoutCode,
}

for (const [way, run] of Object.entries(WAYS))
  describe(`data that only older versions show, ${way}`, () => {
    const get = async (url: string): ReturnType<App['inject']> => run(async () => start().inject(url))

    it('is loaded by one call for all values of a response, and for each change', async () => {
      const response = await get('/v2/article')
      assert.deepEqual(response.json(), {
        items: [
          { slug: 'a', author: 'ann' },
          { slug: 'b', author: 'bob' },
          { slug: 'n', author: 'nobody' },
        ],
        top: { slug: 't', author: 'bob' },
        count: 3,
      })
      assert.deepEqual(calls, [])
      const first = await get('/v1/article')
      const ann = { username: 'ann', about: 'about ann' }
      const bob = { username: 'bob', about: 'about bob' }
      assert.deepEqual(first.json(), {
        items: [
          { author: ann, title: 'A' },
          { author: bob, title: 'B' },
          { author: { username: 'nobody', about: '' }, title: 'N' },
        ],
        top: { author: bob, title: 'T' },
        count: 3,
      })
      assert.deepEqual(new Set(calls), new Set(['profiles of ann,bob,nobody,bob', 'titles of a,b,n,t']))
    })

    it('is not loaded for responses without the model, and for results that are wrong', async () => {
      assert.deepEqual((await get('/v1/article/none')).json(), { count: 0 })
      assert.equal((await get('/v1/article/wrong')).statusCode, 500)
      assert.deepEqual(calls, [])
    })

    it('is loaded for requests, too', async () => {
      const post = async (version: string, json: object): ReturnType<App['inject']> =>
        run(async () => start().inject({ method: 'POST', url: `/v${version}/article`, json }))
      const of = (...names: readonly string[]): object => ({
        drafts: names.map((username) => ({ author: { username, about: '' } })),
      })
      assert.deepEqual((await post('1', of('ann', 'bob'))).json(), ['ann', 'bob'])
      assert.deepEqual(calls, ['check of ann,bob'])
      assert.equal((await post('1', of('eve'))).statusCode, 409)
      const invalid = await post('1', { drafts: [{ author: 'ann' }] })
      assert.equal(invalid.statusCode, 422)
      assert.equal(calls.length, 2)
      assert.deepEqual((await post('3', { drafts: [{ author: 'ann' }] })).json(), ['ann'])
      assert.equal(calls.length, 2)
    })

    it('is loaded for each event of a stream, and once for items that are there together', async () => {
      assert.equal(
        (await get('/v1/article/feed')).body,
        'event: added\ndata: {"title":"A","author":{"username":"ann","about":"about ann"}}\n\n',
      )
      assert.equal(
        (await get('/v1/article/lines')).body,
        '{"title":"A","author":{"username":"ann","about":"about ann"}}\n{"title":"B","author":{"username":"bob","about":"about bob"}}\n',
      )
      assert.equal(calls.length, 4)
      assert.ok(calls.includes('profiles of ann,bob'), String(calls))
    })

    it('is loaded by context.migrate, which returns a promise', async () => {
      const { body } = await get('/v1/article/migrated')
      assert.equal(body, '{"title":"A","author":{"username":"ann","about":"about ann"}}')
    })

    it('may be refused with an error, which is answered', async () => {
      failure = () => {
        throw new HttpError(503, 'later')
      }
      const response = await get('/v1/article')
      assert.equal(response.statusCode, 503)
      assert.equal(JSON.parse(response.body).detail, 'later')
    })

    it('is a failure of the change if anything else is thrown', async () => {
      failure = () => {
        throw new TypeError('broken')
      }
      const response = await get('/v1/article')
      assert.equal(response.statusCode, 500)
      assert.equal(JSON.parse(response.body).code, 'migration_failed')
    })

    it('is turned by the history with what changes inject', async () => {
      const given = { slug: 'a', author: 'bob' }
      const made = history.migrate(Article, given, { to: '1', inject: { users: directory } })
      assert.deepEqual(await run(async () => made), {
        author: { username: 'bob', about: 'about bob' },
        title: 'A',
      })
      assert.throws(() => history.migrate(Article, given, { to: '1' }), /pass `inject`/)
    })
  })

describe('changes that load data', () => {
  it('take the signal of the request, which ends the wait', async () => {
    const Slow = model('Slow', { id: z.string() })
    let seen: AbortSignal | undefined
    const change = defineVersionChange({
      version: '2',
      title: 'Slow',
      change: [
        reshape({
          of: Slow,
          load: async (_, { signal }) => {
            seen = signal
            return new Promise<string>(() => {})
          },
          fields: { id: { was: z.string(), down: (_, { loaded }) => loaded } },
        }),
      ],
    })
    const controller = defineController({
      prefix: '/slow',
      routes: [{ method: 'GET', response: Slow, timeout: 20, handler: () => ({ id: '7' }) }],
    })
    const app = serve(controller, {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: { Slow }, changes: [change] }),
      },
    })
    const response = await app.inject('/v1/slow')
    assert.equal(response.statusCode, 503)
    assert.equal(JSON.parse(response.body).code, 'handler_timeout')
    assert.equal(seen?.aborted, true)
  })

  it('load for objects that a newer change makes together with those that are there', async () => {
    const Tag = model('Tag', { name: z.string() })
    const Post = model('Post', { id: z.string(), tag: Tag })
    const asked: string[] = []
    const tagged = defineVersionChange({
      version: '2',
      title: 'Tags have names',
      change: [
        reshape({
          of: Tag,
          load: async (tags) => {
            asked.push(tags.map(({ name }) => name).join())
            return 1
          },
          fields: { name: { was: absent }, id: { was: z.number() } },
          up: ({ id }) => ({ name: `${id}` }),
          down: ({ name }, { loaded }) => ({ id: name.length + loaded }),
        }),
      ],
    })
    const more = defineVersionChange({
      version: '3',
      title: 'A tag is enough',
      change: [
        reshape({
          of: Post,
          load: (posts) => posts.map(({ id }) => `${id}${id}`),
          fields: { id: { was: z.string() }, other: { was: Tag } },
          down: (_, { loaded: [name = ''] }) => ({ other: { name } }),
        }),
      ],
    })
    const posts = defineVersions({
      versions: ['3', '2', '1'],
      models: { Tag, Post },
      changes: [tagged, more],
    })
    const made = posts.migrate(Post, { id: 'ab', tag: { name: 'x' } }, { to: '1', inject: {} })
    assert.deepEqual(await made, { id: 'ab', tag: { id: 2 }, other: { id: 5 } })
    assert.deepEqual(asked, ['x,abab'])
  })

  it('load once if an object without some fields needs only the later one of a version', async () => {
    const User = model('User', { first: z.string(), last: z.string() })
    const Patch = derive(User, (user) => user.partial())
    const asked: string[] = []
    const shared = (users: readonly object[]): number => asked.push(JSON.stringify(users))
    for (const [late, early] of [
      [(users: readonly object[]) => shared(users), (users: readonly object[]) => shared(users)],
      [shared, shared],
    ] as const) {
      const newer = defineVersionChange({
        version: '2',
        title: 'Last names have another name',
        change: [
          reshape({
            of: User,
            load: { up: late },
            fields: { last: { was: z.string(), up: (last, { loaded }) => `${last}${loaded}` } },
          }),
        ],
      })
      const older = defineVersionChange({
        version: '2',
        title: 'First names have another name',
        change: [
          reshape({
            of: before(newer, User),
            load: { up: early },
            fields: { first: { was: z.string(), up: (first, { loaded }) => `${first}${loaded}` } },
          }),
        ],
      })
      const users = defineVersions({ versions: ['2', '1'], models: { User }, changes: [newer, older] })
      const old = [{ first: 'a', last: 'b' }, { last: 'c' }]
      const made = await users.migrate(z.array(Patch), old, { from: '1', inject: {} })
      assert.equal(made.length, 2)
      assert.equal(asked.length, 2)
      asked.length = 0
    }
  })

  it('load for all levels of a model that holds itself, also in fields that had another name', async () => {
    const Comment = model('Comment', {
      id: z.string(),
      author: z.string(),
      get replies(): z.ZodOptional<z.ZodArray<z.ZodAny>> {
        return z.array(Comment as unknown as z.ZodAny).optional()
      },
    })
    const sizes: number[] = []
    const change = defineVersionChange({
      version: '2',
      title: 'Comments name their authors',
      change: [
        reshape({
          of: Comment,
          load: async (comments) => {
            sizes.push(comments.length)
            return new Map(comments.map(({ author }) => [author, { username: author, bio: '' }]))
          },
          fields: {
            author: {
              was: Profile,
              up: ({ username }) => username,
              down: (name, { loaded }) => loaded.get(name) ?? { username: '', bio: '' },
            },
            replies: { was: 'children' },
          },
        }),
      ],
    })
    const Post = model('Post', { title: z.string(), comment: Comment })
    const titles = defineVersionChange({
      version: '3',
      title: 'Posts have titles',
      change: [
        reshape({
          of: Post,
          load: (posts) => posts.length,
          fields: { title: { was: z.number(), down: (_, { loaded }) => loaded, up: String } },
        }),
      ],
    })
    const own = defineVersions({
      versions: ['3', '2', '1'],
      models: { Comment, Post },
      changes: [change, titles],
    })
    const leaf = () => ({ id: '3', author: 'c' })
    const value = { id: '1', author: 'a', replies: [{ id: '2', author: 'b', replies: [leaf()] }, leaf()] }
    const profile = (username: string) => ({ username, bio: '' })
    const old = { id: '3', author: profile('c') }
    assert.deepEqual(await own.migrate(Comment, value, { to: '1', inject: {} }), {
      id: '1',
      author: profile('a'),
      children: [{ id: '2', author: profile('b'), children: [old] }, old],
    })
    assert.deepEqual(sizes, [4])
    // the load of a newer version comes first
    const post = { title: 'x', comment: value }
    assert.equal((await own.migrate(Post, post, { to: '1', inject: {} })).title, 1)
    assert.deepEqual(sizes, [4, 4])
  })

  it('load for all levels of a request at once if another change gave the field between them a name', async () => {
    const Tree = model('Tree', {
      id: z.int(),
      get parts(): z.ZodArray<z.ZodAny> {
        return z.array(Tree as unknown as z.ZodAny)
      },
    })
    const sizes: number[] = []
    const own = defineVersions({
      versions: ['3', '2', '1'],
      models: { Tree },
      changes: [
        defineVersionChange({
          version: '3',
          title: 'Branches are parts',
          change: [reshape({ of: Tree, fields: { parts: { was: 'branches' } } })],
        }),
        defineVersionChange({
          version: '2',
          title: 'Ids are numbers',
          change: [
            reshape({
              of: Tree,
              load: { up: (trees) => sizes.push(trees.length) },
              fields: { id: { was: z.string(), up: (_, { loaded }) => loaded, down: String } },
            }),
          ],
        }),
      ],
    })
    const old = { id: 'a', branches: [{ id: 'b', branches: [] }] }
    const made = await own.migrate(Tree, old, { from: '1', inject: {} })
    assert.deepEqual(made, { id: 1, parts: [{ id: 1, parts: [] }] })
    assert.deepEqual(sizes, [2])
  })

  it('run functions without a second argument where data cannot be loaded', async () => {
    const Item = model('Item', { id: z.string(), size: z.string(), label: z.string(), note: z.string() })
    const change = defineVersionChange({
      version: '2',
      title: 'Items have labels',
      change: [
        reshape({
          of: Item,
          reads: ['note'],
          load: (items) => items.length,
          fields: {
            size: { was: z.number(), up: String, down: Number },
            label: { was: absent },
            text: { was: z.string() },
          },
          up: () => ({ label: '' }),
          down: ({ label }, { loaded }) => ({ text: `${label}${loaded}` }),
        }),
      ],
    })
    const own = defineVersions({ versions: ['2', '1'], models: { Item }, changes: [change] })
    const Patch = derive(Item, (item) => item.partial())
    assert.deepEqual(await own.migrate(Patch, { size: '7' }, { to: '1', inject: {} }), { size: 7 })
  })

  it('load for a part of which a function needs nothing', async () => {
    const Thing = model('Thing', { id: z.string(), flag: z.boolean() })
    const change = defineVersionChange({
      version: '2',
      title: 'Things have no notes',
      change: [
        reshape({
          of: Thing,
          load: () => 'loaded',
          fields: {
            flag: { was: z.string(), up: (old) => old === 'yes', down: (now) => (now ? 'yes' : 'no') },
            id: { was: 'key' },
            note: { was: z.string() },
          },
          down: (_, { loaded }) => ({ note: loaded }),
        }),
      ],
    })
    const own = defineVersions({ versions: ['2', '1'], models: { Thing }, changes: [change] })
    const Patch = derive(Thing, (thing) => thing.partial())
    assert.deepEqual(await own.migrate(Patch, { id: '7' }, { to: '1', inject: {} }), {
      key: '7',
      note: 'loaded',
    })
  })

  it('are checked by their examples', () => {
    assert.deepEqual(checkHistory(history), [])
    const bare = defineVersionChange({
      version: '2',
      title: 'Bare',
      change: [
        reshape({
          of: Article,
          load: () => 'x',
          fields: { author: { was: z.string(), down: (_, { loaded }) => loaded } },
        }),
      ],
    })
    const other = defineVersions({ versions: ['2', '1'], models: { Article }, changes: [bare] })
    assert.deepEqual(
      checkHistory(other).map(({ code, message }) => [code, message]),
      [['unchecked', 'Article is not checked, because the change loads data']],
    )
  })

  const problems = (run: () => unknown): readonly string[] => {
    try {
      run()
    } catch (error) {
      assert.ok(error instanceof DefinitionError)
      return error.errors.map(({ code, where, message, fix }) =>
        [code, where.replace(/ \(.*/, ''), message, fix].join(' | '),
      )
    }
    return []
  }

  it('inject what the root module sees', async () => {
    const app = createApp(defineModule({ name: 'AppModule', controllers: [ArticleController] }), {
      versioning: { scheme: VersioningSchemes.URL, history },
    })
    await assert.rejects(
      async () => app.ready(),
      (error) => {
        assert.deepEqual(
          problems(() => {
            throw error
          }),
          [
            'missing_provider | change "an-article-names-its-author" | inject.users needs Users: no module provides it | add Users to providers of AppModule',
          ],
        )
        return true
      },
    )
  })

  it('need a function that gets the result', () => {
    const load = { up: () => 1 }
    const change = defineVersionChange({
      version: '2',
      title: 'Idle',
      change: [reshape({ of: Article, load, fields: { author: { was: 'writer' } } })],
    })
    assert.deepEqual(
      problems(() => {
        const other = defineVersions({ versions: ['2', '1'], models: { Article }, changes: [change] })
        createApp(defineModule({ controllers: [ArticleController], providers: [Users] }), {
          versioning: { scheme: VersioningSchemes.URL, history: other },
        }).versions()
      }),
      [
        'invalid_change | change "idle" | load.up has no effect: no up gets its result | write up, or remove it',
      ],
    )
  })
})

describe('data that is loaded for a whole body', () => {
  const Charge = model('Charge', { id: z.string(), customer: z.string() })
  const Charges = z.array(Charge)
  const Full = z.object({ id: z.string(), name: z.string() })
  const ChargePage = z.object({ items: Charges, next: z.string().nullable() })
  interface Book {
    names(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  }
  const book: Book = {
    names: async (ids) => {
      calls.push(`names of ${ids.join()}`)
      await failure?.()
      return new Map(ids.map((id) => [id, id.toUpperCase()]))
    },
  }
  const Customers = defineProvider({ name: 'Customers', create: () => book })
  const renamed = defineVersionChange({
    version: '3',
    title: 'A charge has a customer',
    change: [reshape({ of: Charge, fields: { customer: { was: 'buyer' } } })],
  })
  const idsOf = (charges: readonly { customer: string }[]): string[] =>
    charges.map(({ customer }) => customer)
  const names = defineVersionChange({
    version: '4',
    title: 'Charges name no customers',
    change: [
      operation({
        route: 'charge.list',
        inject: { customers: Customers },
        response: {
          body: {
            200: {
              now: Charges,
              was: z.object({ charges: Charges, names: z.array(z.string()) }),
              load: async (charges, { inject: { customers }, signal }) => {
                expectTypeOf(charges).toEqualTypeOf<{ id: string; customer: string }[]>()
                assert.equal(signal.aborted, false)
                return customers.names(idsOf(charges))
              },
              down: (charges, { loaded, request, result }) => {
                expectTypeOf(loaded).toEqualTypeOf<ReadonlyMap<string, string>>()
                calls.push('down')
                assert.equal(typeof result?.headers, request === undefined ? 'undefined' : 'object')
                return { charges, names: charges.map(({ customer }) => loaded.get(customer) ?? '') }
              },
            },
          },
        },
      }),
      operation({
        route: 'charge.create',
        inject: { customers: Customers },
        body: {
          now: Charge,
          was: z.string(),
          load: async (id, { inject: { customers } }) => {
            expectTypeOf(id).toEqualTypeOf<string>()
            return customers.names([id])
          },
          up: (id, { loaded }) => {
            expectTypeOf(loaded).toEqualTypeOf<ReadonlyMap<string, string>>()
            calls.push('up')
            return { id, customer: loaded.get(id) ?? '' }
          },
        },
      }),
      operation({
        route: 'charge.pages',
        inject: { customers: Customers },
        paged: {
          now: ChargePage,
          was: z.array(Full),
          atMost: 10,
          load: async ({ items }, { inject: { customers } }) => customers.names(idsOf(items)),
          down: ({ items }, { loaded }) =>
            items.map(({ id, customer }) => ({ id, name: loaded.get(customer) ?? '' })),
        },
      }),
    ],
  })
  const made = defineVersions({
    versions: ['4', '3', '2'],
    models: { Charge },
    changes: [names, renamed],
  })
  const one = { id: 'a', customer: 'ann' }
  const two = { id: 'b', customer: 'bob' }
  const ChargeController = defineController({
    prefix: '/charge',
    routes: [
      { method: 'GET', name: 'list', response: Charges, handler: () => [one, two] },
      {
        method: 'POST',
        name: 'create',
        input: { body: Charge },
        response: { 201: z.unknown() },
        handler: ({ body }) => reply(201, body),
      },
      {
        method: 'GET',
        path: '/pages',
        name: 'pages',
        input: { query: z.object({ cursor: z.string().optional() }) },
        response: ChargePage,
        handler: ({ query: { cursor } }) =>
          cursor === undefined ? { items: [one], next: '2' } : { items: [two], next: null },
      },
    ],
  })
  const app = createApp(defineModule({ controllers: [ChargeController], providers: [Customers] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history: made },
  })
  const get = async (url: string): Promise<unknown> => (await app.inject(url)).json()
  const post = async (version: string, json: unknown): Promise<unknown> =>
    (await app.inject({ method: 'POST', url: `/v${version}/charge`, json: json as object })).json()

  it('is loaded once for a response, and its models have their older fields', async () => {
    assert.deepEqual(await get('/v4/charge'), [one, two])
    assert.deepEqual(calls, [])
    assert.deepEqual(await get('/v3/charge'), { charges: [one, two], names: ['ANN', 'BOB'] })
    assert.deepEqual(calls, ['names of ann,bob', 'down'])
    assert.deepEqual(await get('/v2/charge'), {
      charges: [
        { id: 'a', buyer: 'ann' },
        { id: 'b', buyer: 'bob' },
      ],
      names: ['ANN', 'BOB'],
    })
  })

  it('is loaded once for the items of all pages', async () => {
    assert.deepEqual(await get('/v2/charge/pages'), [
      { id: 'a', name: 'ANN' },
      { id: 'b', name: 'BOB' },
    ])
    assert.deepEqual(calls, ['names of ann,bob'])
  })

  it('is loaded for requests, and functions run once', async () => {
    assert.deepEqual(await post('3', 'ann'), { id: 'ann', customer: 'ANN' })
    assert.deepEqual(calls, ['names of ann', 'up'])
    assert.deepEqual(await post('4', one), one)
    assert.equal(calls.length, 2)
  })

  it('is loaded for models that a function made of a text', async () => {
    const Note = model('Note', { text: z.string() })
    const checked = defineVersionChange({
      version: '3',
      title: 'Checked',
      change: [
        reshape({
          of: Note,
          load: { up: async (notes) => notes.length },
          fields: {
            text: { was: z.string(), up: (text, { loaded }) => text + loaded, down: (text) => text },
          },
        }),
      ],
    })
    const texts = defineVersionChange({
      version: '2',
      title: 'Notes were texts',
      change: [
        operation({ route: 'note.add', body: { now: Note, was: z.string(), up: (text) => ({ text }) } }),
      ],
    })
    const NoteController = defineController({
      name: 'NoteController',
      prefix: '/note',
      routes: [
        { method: 'POST', name: 'add', input: { body: Note }, response: Note, handler: ({ body }) => body },
      ],
    })
    const notes = serve(NoteController, {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['3', '2', '1'], models: { Note }, changes: [checked, texts] }),
      },
    })
    const answer = await notes.inject({
      method: 'POST',
      url: '/v1/note',
      headers: { 'content-type': 'application/json' },
      body: '"a"',
    })
    assert.deepEqual(answer.json(), { text: 'a1' })
  })

  it('may refuse the request, and anything else that it throws is a failure of the change', async () => {
    failure = () => {
      throw new HttpError(503, 'later')
    }
    assert.equal((await app.inject('/v3/charge')).statusCode, 503)
    failure = () => {
      throw new TypeError('broken')
    }
    assert.equal(Object(await get('/v3/charge')).code, 'migration_failed')
    assert.equal(Object(await post('3', 'ann')).code, 'migration_failed')
  })

  it('is loaded by migrate for each body', async () => {
    const asked = { to: '3', route: 'charge.list', inject: { customers: book } } as const
    assert.deepEqual(await made.migrate(Charges, [one], asked), { charges: [one], names: ['ANN'] })
    assert.throws(() => made.migrate(Charges, [one], { to: '3', route: 'charge.list' }), /pass `inject`/)
  })

  it('is not there for checkHistory, which says so', () => {
    assert.deepEqual(
      checkHistory(made)
        .filter(({ change }) => change === names.id)
        .map(({ code, model: of, message }) => [code, of, message]),
      [
        ['unchecked', 'charge.list', 'response.body.200 is not checked, because the change loads data'],
        ['unchecked', 'charge.create', 'body is not checked, because the change loads data'],
        ['unchecked', 'charge.pages', 'response.body.200 is not checked, because the change loads data'],
      ],
    )
  })

  it('is no part of events, and needs a function that gets it', async () => {
    const startWith = async (part: object, route: object): Promise<string> => {
      const change = defineVersionChange({
        version: '2',
        title: 'Other',
        change: [operation({ route: 'one.get', ...part })],
      })
      const other = defineVersions({ versions: ['2', '1'], models: {}, changes: [change] })
      const OneController = defineController({
        name: 'OneController',
        prefix: '/one',
        routes: [{ method: 'GET', name: 'get', handler: () => [], ...route } as never],
      })
      try {
        await serve(OneController, { versioning: { scheme: VersioningSchemes.URL, history: other } }).ready()
      } catch (error) {
        return String(error)
      }
      return ''
    }
    const load = (): number => 1
    const body = { now: Charges, was: z.string(), load, down: () => '' }
    assert.match(
      await startWith({ response: { body: { 200: body } } }, { items: Charge }),
      /one\.get declares no response 200/,
    )
    operation({
      route: 'one.get',
      response: {
        body: {
          200: {
            now: Charges,
            was: z.string(),
            load,
            down: (_, { loaded }) => {
              expectTypeOf(loaded).toEqualTypeOf<number>()
              return ''
            },
          },
        },
      },
    })
    const idle = { now: Charges, was: z.string(), load }
    assert.throws(() => {
      const change = defineVersionChange({
        version: '2',
        title: 'Idle',
        // @ts-expect-error it lacks down
        change: [operation({ route: 'one.get', response: { body: { 200: idle } } })],
      })
      defineVersions({ versions: ['2', '1'], models: {}, changes: [change] })
    }, /operation\.response\.body\.200\.load has no effect: no down gets its result/)
  })
})
