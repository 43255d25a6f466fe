import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { App, InjectResponse } from 'octavo'
import { SignJWT } from 'jose'

import { createRealWorld } from '../../examples/realworld/app.ts'

const SECRET = 'a secret for tests, long enough for all'
const ANN = { username: 'ann', email: 'ann@example.com', password: 'ann-secret' }
const BOB = { username: 'bob', email: 'bob@example.com', password: 'bob-secret' }

const realWorld = createRealWorld({ logger: false, config: { secret: SECRET } })
const app = realWorld as unknown as App
after(() => app.close())

interface Ask {
  readonly token?: string
  readonly json?: unknown
  readonly version?: string
}

function send(method: string, url: string, { token, ...rest }: Ask = {}): Promise<InjectResponse> {
  const headers = token === undefined ? {} : { authorization: `Token ${token}` }
  return app.inject({ method, url: `/api${url}`, headers, ...rest })
}

/** Creates the function that returns the status and the body of an answer. */
function createAsk(version?: string) {
  return async (method: string, url: string, rest: Ask = {}): Promise<readonly [number, unknown]> => {
    const response = await send(method, url, version === undefined ? rest : { version, ...rest })
    return [response.statusCode, response.body === '' ? undefined : response.json()]
  }
}

async function register(user: typeof ANN): Promise<string> {
  const response = await send('POST', '/users', { json: { user } })
  assert.equal(response.statusCode, 201, response.body)
  return (response.json() as { readonly user: { readonly token: string } }).user.token
}

/** An article as a version shows it. */
interface Article {
  readonly slug: string
  readonly [name: string]: unknown
}

async function articleOf(response: Promise<readonly [number, unknown]>): Promise<Article> {
  const [status, body] = await response
  assert.ok(status < 300, JSON.stringify(body))
  return (body as { readonly article: Article }).article
}

let ann = ''
let bob = ''
before(async () => {
  ann = await register(ANN)
  bob = await register(BOB)
})

describe('users of RealWorld', () => {
  const ask = createAsk()

  it('log in and get a token', async () => {
    const [status, body] = await ask('POST', '/users/login', { json: { user: ANN } })
    const { user } = body as { readonly user: { readonly token: string } }
    assert.equal(status, 200)
    assert.deepEqual(user, { username: 'ann', email: ANN.email, bio: null, image: null, token: user.token })
    const [, current] = await ask('GET', '/user', { token: user.token })
    assert.equal((current as { readonly user: { readonly username: string } }).user.username, 'ann')
  })

  it('change what they are, and keep the rest', async () => {
    const token = await register({ username: 'cat', email: 'cat@example.com', password: 'cat-secret' })
    const change = { bio: 'I sell cars', image: 'https://example.com/cat.png', password: 'new-secret' }
    const [status, body] = await ask('PUT', '/user', { token, json: { user: change } })
    const { token: _token, ...user } = (body as { readonly user: Readonly<Record<string, unknown>> }).user
    assert.deepEqual(
      [status, user],
      [200, { username: 'cat', email: 'cat@example.com', bio: change.bio, image: change.image }],
    )
    const login = (password: string) =>
      ask('POST', '/users/login', { json: { user: { email: 'cat@example.com', password } } })
    assert.deepEqual([(await login('cat-secret'))[0], (await login('new-secret'))[0]], [401, 200])
  })

  const cases: readonly (readonly [
    title: string,
    ask: () => ReturnType<typeof ask>,
    status: number,
    errors: object,
  ])[] = [
    [
      'with nothing in a field',
      () => ask('POST', '/users', { json: { user: { username: '', email: 'x', password: ' ' } } }),
      422,
      { username: ["can't be empty"], email: ['is invalid'], password: ["can't be empty"] },
    ],
    [
      'without a field',
      () => ask('POST', '/users/login', { json: { user: { email: ANN.email } } }),
      422,
      { password: ["can't be empty"] },
    ],
    [
      'with a name that is taken',
      () => ask('POST', '/users', { json: { user: { ...BOB, email: 'new@example.com' } } }),
      409,
      { body: ['is taken by another one'] },
    ],
    [
      'with an address that another one has',
      () => ask('PUT', '/user', { token: ann, json: { user: { email: BOB.email } } }),
      409,
      { body: ['is taken by another one'] },
    ],
    [
      'with a wrong password',
      () => ask('POST', '/users/login', { json: { user: { ...ANN, password: 'wrong' } } }),
      401,
      { body: ['email or password is invalid'] },
    ],
    [
      'with an unknown address',
      () => ask('POST', '/users/login', { json: { user: { ...ANN, email: 'no@example.com' } } }),
      401,
      { body: ['email or password is invalid'] },
    ],
    [
      'without a token',
      () => ask('GET', '/user'),
      401,
      { body: ['This needs the credentials that WWW-Authenticate describes'] },
    ],
    [
      'with a forged token',
      () => ask('GET', '/user', { token: 'a.b.c' }),
      401,
      { body: ['The credentials are not accepted'] },
    ],
    [
      'with a text that PostgreSQL cannot keep',
      () => ask('PUT', '/user', { token: ann, json: { user: { bio: 'a\0b' } } }),
      422,
      { body: ['has a character that is not allowed'] },
    ],
    [
      'with a path that PostgreSQL cannot keep',
      () => ask('GET', '/articles/a%00b'),
      422,
      { body: ['has a character that is not allowed'] },
    ],
    ['at no path', () => ask('GET', '/nothing'), 404, { body: ['Nothing is served at this path'] }],
  ]
  for (const [title, request, status, errors] of cases)
    it(`are refused ${title}`, async () => assert.deepEqual(await request(), [status, { errors }]))

  it('are refused with tokens of another key, and with expired ones', async () => {
    const sign = (secret: string, exp: number): Promise<string> =>
      new SignJWT({ sub: '1', exp })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(secret))
    const now = Math.floor(Date.now() / 1000)
    const tokens = [
      await sign(SECRET, now + 60),
      await sign(`${SECRET}!`, now + 60),
      await sign(SECRET, now - 60),
    ]
    const answers = await Promise.all(tokens.map((token) => ask('GET', '/user', { token })))
    assert.deepEqual(
      answers.map(([status]) => status),
      [200, 401, 401],
    )
  })
})

/** The same collection for each version: requests without one get version 1, and version 2 has another name for the tags. */
for (const [version, TAGS] of [
  [undefined, 'tagList'],
  ['2', 'tags'],
] as const) {
  describe(`articles of RealWorld in version ${version ?? 1}`, () => {
    const ask = createAsk(version)

    const draft = {
      title: 'Cars & more!',
      description: 'All of them',
      body: 'Ford',
      [TAGS]: ['cars', 'ford', 'cars'],
    }
    let article: Article = { slug: '' }
    before(async () => {
      article = await articleOf(ask('POST', '/articles', { token: ann, json: { article: draft } }))
    })

    it('have everything', () => {
      const { slug, createdAt, updatedAt, ...rest } = article
      assert.match(slug, /^cars-more-[\da-f]{8}$/)
      assert.ok(!Number.isNaN(Date.parse(String(createdAt))) && createdAt === updatedAt)
      assert.deepEqual(rest, {
        title: draft.title,
        description: draft.description,
        body: draft.body,
        [TAGS]: ['cars', 'ford'],
        favorited: false,
        favoritesCount: 0,
        author: { username: 'ann', bio: null, image: null },
      })
    })

    it('have their tags under the name of the other version, coming and going', async () => {
      const [other, name] = version === undefined ? (['2', 'tags'] as const) : (['1', 'tagList'] as const)
      const { [TAGS]: tags, ...rest } = article
      const url = `/articles/${article.slug}`
      assert.deepEqual(await articleOf(ask('GET', url, { version: other })), { ...rest, [name]: tags })
      const json = { article: { title: 'Two', description: 'b', body: 'c', [name]: ['second'] } }
      const second = await articleOf(ask('POST', '/articles', { token: bob, json, version: other }))
      assert.deepEqual(second[name], ['second'])
      assert.deepEqual((await articleOf(ask('GET', `/articles/${second.slug}`)))[TAGS], ['second'])
      await ask('DELETE', `/articles/${second.slug}`, { token: bob, version: other })
    })

    it('show a viewer what is their favourite, and everybody the rest', async () => {
      const url = `/articles/${article.slug}`
      const seen = async (token?: string): Promise<readonly unknown[]> => {
        const { favorited, favoritesCount } = await articleOf(
          ask('GET', url, token === undefined ? {} : { token }),
        )
        return [favorited, favoritesCount]
      }
      await ask('POST', `${url}/favorite`, { token: bob })
      const again = await articleOf(ask('POST', `${url}/favorite`, { token: bob }))
      assert.deepEqual([again['favorited'], again['favoritesCount']], [true, 1])
      assert.deepEqual(
        [await seen(bob), await seen(ann), await seen()],
        [
          [true, 1],
          [false, 1],
          [false, 1],
        ],
      )
      assert.equal((await ask('GET', url, { token: 'forged' }))[0], 401)
      await ask('DELETE', `${url}/favorite`, { token: bob })
      assert.deepEqual(await seen(bob), [false, 0])
    })

    it('are changed by their author, with a slug for a new title', async () => {
      const json = { article: { title: 'Trucks' } }
      const made = await articleOf(ask('POST', '/articles', { token: ann, json: { article: draft } }))
      const url = `/articles/${made.slug}`
      assert.deepEqual(await ask('PUT', url, { token: bob, json }), [
        403,
        { errors: { body: ['the article is of somebody else'] } },
      ])
      const { slug, title, body, [TAGS]: tags } = await articleOf(ask('PUT', url, { token: ann, json }))
      assert.deepEqual({ title, body, tags }, { title: 'Trucks', body: 'Ford', tags: ['cars', 'ford'] })
      assert.match(slug, /^trucks-/)
      assert.equal((await ask('GET', url))[0], 404)
      assert.equal((await ask('DELETE', `/articles/${slug}`, { token: bob }))[0], 403)
      assert.deepEqual(await ask('DELETE', `/articles/${slug}`, { token: ann }), [204, undefined])
      assert.deepEqual(await ask('GET', `/articles/${slug}`), [
        404,
        { errors: { body: ['there is no such article'] } },
      ])
    })

    it('are found by tag, author and who likes them, newest first', async () => {
      const made: string[] = []
      for (const tag of ['red', 'blue', 'red']) {
        const json = { article: { ...draft, title: tag, [TAGS]: [tag] } }
        made.unshift((await articleOf(ask('POST', '/articles', { token: bob, json }))).slug)
      }
      await ask('POST', `/articles/${made[1]}/favorite`, { token: ann })
      const list = async (query: string): Promise<readonly [number, readonly string[]]> => {
        const [, body] = await ask('GET', `/articles${query}`)
        const { articles, articlesCount } = body as {
          readonly articles: readonly Article[]
          readonly articlesCount: number
        }
        return [articlesCount, articles.map(({ slug }) => slug)]
      }
      assert.deepEqual(await list('?tag=red'), [2, [made[0], made[2]]])
      assert.deepEqual(await list('?author=bob'), [3, made])
      assert.deepEqual(await list('?author=bob&limit=1&offset=1'), [3, [made[1]]])
      assert.deepEqual(await list('?author=bob&offset=9'), [3, []])
      assert.deepEqual(await list('?favorited=ann'), [1, [made[1]]])
      assert.deepEqual(await list('?author=nobody'), [0, []])
      assert.deepEqual(await list(''), [4, [...made, article.slug]])
      assert.deepEqual(await ask('GET', '/tags'), [200, { tags: ['blue', 'cars', 'ford', 'red'] }])
    })

    it('are refused with what is missing in them, under the names of the version', async () => {
      const json = { article: { title: '', tagList: 'cars', tags: 'cars' } }
      const [status, body] = await ask('POST', '/articles', { token: ann, json })
      assert.equal(status, 422)
      assert.deepEqual(Object.keys((body as { readonly errors: object }).errors).toSorted(), [
        'body',
        'description',
        TAGS,
        'title',
      ])
      assert.equal((await ask('POST', '/articles', { json }))[0], 401)
      assert.equal((await ask('GET', '/articles?limit=1000'))[0], 422)
      assert.equal((await ask('GET', '/articles?tag=%00'))[0], 422)
      assert.equal((await ask('GET', '/articles', { version: '3' }))[0], 406)
    })

    after(async () => {
      const [, body] = await ask('GET', '/articles?limit=100')
      for (const { slug, author } of (body as { readonly articles: readonly Article[] }).articles) {
        const { username } = author as { readonly username: string }
        assert.equal(
          (await ask('DELETE', `/articles/${slug}`, { token: username === 'ann' ? ann : bob }))[0],
          204,
        )
      }
    })
  })
}

describe('the documents of RealWorld', () => {
  it('show each version with its tags, optional tokens and the format of errors', async () => {
    await app.ready()
    const { paths } = app.openapi({ version: '1' })
    assert.deepEqual(paths['/api/articles']?.['get']?.security, [{ tokenAuth: [] }, {}])
    assert.deepEqual(paths['/api/articles']?.['post']?.security, [{ tokenAuth: [] }])
    const schemasOf = (version: string) => app.openapi({ version }).components?.schemas ?? {}
    assert.deepEqual(Object.keys(schemasOf('1')), Object.keys(schemasOf('2')))
    assert.match(JSON.stringify(schemasOf('1')), /"tagList"/)
    assert.doesNotMatch(JSON.stringify(schemasOf('1')), /"tags"/)
    assert.match(JSON.stringify(schemasOf('2')), /"tags"/)
  })
})
