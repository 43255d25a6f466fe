import type { App } from 'octavo'

import { documentsOf, EXAMPLES, SHOP_SETTINGS } from '../examples.ts'
import { CREDENTIALS } from './everything-guarded.ts'
import { createEverything, WAYS } from './everything.ts'
import type { Subject } from './run.ts'
import { throughFetch, throughSocket } from './send.ts'

/** An application whose documents can be tried. */
export interface Fuzzed {
  readonly name: string
  /** Makes the application; `folder` is where it may write. `close` ends it. */
  readonly open: (folder: string) => Promise<{
    readonly subjects: readonly Subject[]
    readonly close: () => Promise<void>
  }>
}

type Knowledge = Pick<Subject, 'known' | 'refuses' | 'lenient' | 'credentials'>

/** What a client of each example is told besides the document: secrets, and what there is to ask for. */
const KNOWLEDGE: Readonly<Record<string, (app: App) => Promise<Knowledge>>> = {
  jwt: async (app) => {
    const login = Buffer.from('ann:ann-secret').toString('base64')
    const answer = await app.inject({
      method: 'POST',
      url: '/login',
      headers: { authorization: `Basic ${login}` },
    })
    const { token } = answer.json() as { readonly token: string }
    return { credentials: async () => ({ login, jwtAuth: token }) }
  },
  shop: async (app) => {
    const email = 'admin@shop.example'
    const password = SHOP_SETTINGS.adminPassword
    const { cookies } = await app.inject({
      method: 'POST',
      url: '/accounts/login',
      json: { email, password },
    })
    const { name, value = '' } = cookies[0] ?? { name: '' }
    // of the orders that calls place, few have an id that a call would guess
    const order = await app.inject({
      method: 'POST',
      url: '/v1/orders',
      cookies: { [name]: value },
      json: { lines: [{ articleId: 1, quantity: 1 }] },
    })
    const { id } = order.json() as { readonly id: number }
    const session = encodeURIComponent(value)
    return {
      credentials: async () => ({ session, 'header-X-API-Key': SHOP_SETTINGS.importKey }),
      known: {
        'account.login email': [email],
        'account.login password': [password],
        article_id: [1, 2],
        articleId: [1, 2],
        order_id: [id],
        quantity: [1],
        search: ['cup'],
      },
      refuses: {
        'order.place': 'one line for each article is a rule of a refinement',
        'account.login': 'the wrong password is a 401',
      },
    }
  },
  realworld: async (app) => {
    const register = async (username: string): Promise<string> => {
      const user = { username, email: `${username}@example.com`, password: 'a-secret' }
      const answer = await app.inject({ method: 'POST', url: '/api/users', json: { user } })
      return `Token ${(answer.json() as { readonly user: { readonly token: string } }).user.token}`
    }
    // one who only logs in, because calls change the other one
    await register('ann')
    const tokenAuth = await register('bob')
    const article = { title: 'Cars', description: 'All', body: 'Ford' }
    const headers = { authorization: tokenAuth }
    // so many because calls remove and rename them
    const created = await Promise.all(
      Array.from({ length: 60 }, () =>
        app.inject({ method: 'POST', url: '/api/articles', headers, json: { article } }),
      ),
    )
    return {
      credentials: async () => ({ tokenAuth }),
      known: {
        'user.login email': ['ann@example.com'],
        'user.login password': ['a-secret'],
        slug: created.map(
          (answer) => (answer.json() as { readonly article: { readonly slug: string } }).article.slug,
        ),
      },
      refuses: { 'user.login': 'the wrong password is a 401' },
    }
  },
  'history-header': knowUsers,
  'history-url': knowUsers,
  downloads: async () => ({ known: { name: ['app.ts', 'main.ts'] } }),
}

/** Users, whose ids were numbers in the first release. Few calls by the document of all versions fit one of them in path, header and body. */
async function knowUsers(app: App): Promise<Knowledge> {
  const json = { firstName: 'Ann', lastName: 'Lee', addresses: [] }
  for (let count = 0; count < 3; count++)
    await app.inject({ method: 'POST', url: '/users', version: '3', json })
  return {
    known: {
      id: [1, 'user_1', 2, 'user_2', 3, 'user_3'],
      'user.patch id': ['user_1', 'user_2', 1],
      'user.patch x-api-version': ['3', '2', '1'],
    },
  }
}

/** Those whose documents are tried over a socket. */
const OVER_SOCKETS = new Set(['hello', 'car-url', 'car-host', 'rates-vendor', 'downloads', 'upload'])

const EVERYTHING: Knowledge = {
  credentials: async () => CREDENTIALS,
  refuses: {
    'guards.even': 'what a guard decides is no matter of documents',
    'bodies.rules': 'a handler refuses what its schema takes',
    'texts.loose': 'zod does not tell the words that z.stringbool() takes',
    'bodies.changed': 'JSON Schema shows the first schema of a pipe, not what the second demands',
  },
  lenient: { 'bodies.changed': 'z.catch takes anything', 'texts.loose': 'so does z.coerce' },
}

// what differs between the schemes is how versions are asked for: the rest is called under one of them
const WHOLE = 'everything-url 2'
const VERSIONED = /^(?:thing|loose)\./

/** The examples, and the application with everything under each of its schemes. */
export const FUZZED: readonly Fuzzed[] = [
  ...EXAMPLES.map(({ name, create }): Fuzzed => ({
    name,
    open: (folder) => open(name, create(folder), KNOWLEDGE[name] ?? (async () => ({}))),
  })),
  ...Object.keys(WAYS).map((way): Fuzzed => ({
    name: `everything-${way}`,
    open: () => open(`everything-${way}`, createEverything(way), async () => EVERYTHING),
  })),
]

async function open(name: string, app: App, know: (app: App) => Promise<Knowledge>) {
  const documents = await documentsOf(app)
  const socket = OVER_SOCKETS.has(name)
    ? throughSocket(await app.listen({ port: 0, host: '127.0.0.1' }))
    : undefined
  const knowledge = await know(app)
  return {
    subjects: documents.map(({ version, document }): Subject => ({
      name: `${name} ${version}`,
      document,
      send: socket?.send ?? throughFetch(app),
      isMerged: version === 'all',
      ...(name.startsWith('everything') && `${name} ${version}` !== WHOLE ? { part: VERSIONED } : {}),
      ...knowledge,
    })),
    close: async () => {
      socket?.close()
      await app.close()
    },
  }
}
