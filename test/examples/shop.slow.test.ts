import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, beforeEach, describe, it } from 'node:test'

import { bind, Config, createApp, defineController, defineGuard, defineModule } from 'octavo'
import type { App, AppOptions, InjectOptions, InjectResponse } from 'octavo'
import { z } from 'zod'

import type { Account } from '../../examples/shop/accounts/accounts.ts'
import { IsAdmin, SignedIn } from '../../examples/shop/accounts/guards.ts'
import { createShop } from '../../examples/shop/app.ts'
import { openDatabase } from '../../examples/shop/database/database.ts'
import type { Database } from '../../examples/shop/database/database.ts'
import { DatabaseModule, Db, UnitOfWork } from '../../examples/shop/database/module.ts'
import { createTables } from '../../examples/shop/database/tables.ts'
import { Clock } from '../../examples/shop/orders/orders.ts'

const SECRET = 'a secret for tests, long enough for all'
const NOON = '2026-05-01T12:00:00.000Z'
const IMPORT_KEY = 'the key of our supplier'
const SETTINGS = { databaseUrl: 'memory://', sessionSecret: SECRET, importKey: IMPORT_KEY }
const Stock = z.object({ stock: z.number() })
const TEAPOT = 1
const KETTLE = 3

// what is in the database of SHOP_DATABASE_URL is dropped
const servers = [
  ['PGlite', 'memory://'],
  ['a server', process.env['SHOP_DATABASE_URL']],
] as const

for (const [title, url] of servers) {
  describe(`the shop on ${title}`, { skip: url === undefined && 'SHOP_DATABASE_URL is not set' }, () => {
    let database: Database
    let app: App

    /** An application of its own on the same database. */
    function shop(overrides: AppOptions['overrides'] = [], settings: object = {}): App {
      return createShop(
        { sessionSecret: SECRET },
        {
          logger: false,
          overrides: [
            bind(Db, { value: database }),
            bind(Clock, { value: () => new Date(NOON) }),
            bind(Config, { value: { ...SETTINGS, ...settings } }),
            ...overrides,
          ],
        },
      )
    }

    async function stockOf(id: number): Promise<unknown> {
      const response = await app.inject(`/articles/${id}`)
      return (response.json() as { readonly stock: unknown }).stock
    }

    before(async () => {
      database = await openDatabase(url ?? '')
      app = shop()
    })
    beforeEach(async () => {
      await database.query(z.unknown(), 'DROP TABLE IF EXISTS order_lines, orders, articles, accounts')
      await createTables(database)
    })
    after(async () => {
      await app.close()
      await database.close()
    })

    describe('accounts', () => {
      it('register, log in, are known, log out', async () => {
        const ann = browser(app)
        assert.equal((await ann({ url: '/accounts/me' })).statusCode, 401)
        const account = { id: 1, email: 'ann@example.com', role: 'customer' }
        const body = { email: 'Ann@Example.com ', password: 'ann-secret' }
        const registered = await ann({ method: 'POST', url: '/accounts', json: body })
        assert.deepEqual([registered.statusCode, registered.json()], [201, account])
        assert.equal((await ann({ method: 'POST', url: '/accounts/login', json: body })).statusCode, 200)
        assert.deepEqual((await ann({ url: '/accounts/me' })).json(), account)
        assert.equal((await ann({ method: 'POST', url: '/accounts/logout' })).statusCode, 204)
        assert.equal((await ann({ url: '/accounts/me' })).statusCode, 401)
      })

      it('keep no password that can be read', async () => {
        await customer(app, 'ann')
        const [row] = await database.query(
          z.object({ password: z.string() }),
          'SELECT password FROM accounts',
        )
        assert.match(row?.password ?? '', /^[\da-f]{32}:[\da-f]{64}$/)
      })

      it('are one for each address', async () => {
        await customer(app, 'ann')
        assert.equal((await register(browser(app), 'ann')).statusCode, 409)
      })

      for (const [name, password] of [
        ['ann', 'another-secret'],
        ['nobody', 'ann-secret'],
      ] as const) {
        it(`refuse ${name} with ${password}, and say no more`, async () => {
          await customer(app, 'ann')
          const refused = await login(browser(app), name, password)
          assert.deepEqual(
            [refused.statusCode, refused.cookies, (refused.json() as { readonly title: unknown }).title],
            [401, [], 'Address or password is wrong'],
          )
        })
      }

      it('change the id of the session at the login', async () => {
        const ann = browser(app)
        await register(ann, 'ann')
        const [first] = (await login(ann, 'ann')).cookies
        const [second] = (await login(ann, 'ann')).cookies
        assert.notEqual(second?.value, first?.value)
        const old = await app.inject({ url: '/accounts/me', cookies: { '__Host-sid': first?.value ?? '' } })
        assert.equal(old.statusCode, 401)
      })

      it('refuse a forged cookie', async () => {
        const ann = browser(app)
        await register(ann, 'ann')
        const [cookie] = (await login(ann, 'ann')).cookies
        const [id = '', signature = ''] = (cookie?.value ?? '').split('.')
        const forged = `${id}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
        for (const [value, status] of [
          [`${id}.${signature}`, 200],
          [forged, 401],
          [id, 401],
        ] as const) {
          const response = await app.inject({ url: '/accounts/me', cookies: { '__Host-sid': value } })
          assert.equal(response.statusCode, status)
        }
      })

      it('say what is wrong with the input', async () => {
        const json = { email: 'ann', password: 'short' }
        const response = await app.inject({ method: 'POST', url: '/accounts', json })
        assert.deepEqual([response.statusCode, places(response)], [422, ['email', 'password']])
        assert.doesNotMatch(response.body, /"short"/)
      })
    })

    describe('articles', () => {
      const MUG = { name: 'Mug', cents: 950, stock: 5 }

      it('are listed, searched and shown', async () => {
        const names = async (query: InjectOptions['query'] = {}): Promise<unknown> =>
          (
            (await app.inject({ url: '/articles', query })).json() as readonly { readonly name: string }[]
          ).map(({ name }) => name)
        assert.deepEqual(await names(), ['Cup', 'Golden kettle', 'Teapot'])
        assert.deepEqual(await names({ search: 'TEA' }), ['Teapot'])
        assert.deepEqual(await names({ search: '%' }), [])
        assert.deepEqual(await names({ limit: 1, offset: 1 }), ['Golden kettle'])
        assert.equal((await app.inject('/articles?limit=0')).statusCode, 422)
        assert.equal((await app.inject('/articles/1')).statusCode, 200)
        assert.equal((await app.inject('/articles?search=%00')).statusCode, 422)
        assert.equal((await app.inject('/articles/99')).statusCode, 404)
        assert.equal((await app.inject('/articles/3000000000')).statusCode, 404)
      })

      it('are created by admins', async () => {
        const shopOfAnn = shop([], { adminPassword: 'admin-secret' })
        const admin = browser(shopOfAnn)
        await login(admin, 'admin', 'admin-secret', 'shop.example')
        const created = await admin({ method: 'POST', url: '/articles', json: MUG })
        assert.deepEqual([created.statusCode, created.json()], [201, { ...MUG, id: 4 }])
        assert.equal((await admin({ method: 'POST', url: '/articles', json: MUG })).statusCode, 409)
        await shopOfAnn.close()
      })

      it('are not created by others, whose input nobody looks at', async () => {
        const ann = await customer(app, 'ann')
        assert.equal((await ann({ method: 'POST', url: '/articles', json: {} })).statusCode, 403)
        assert.equal((await app.inject({ method: 'POST', url: '/articles', json: {} })).statusCode, 401)
      })

      it('are created by everybody where a test says so', async () => {
        const everyone = defineGuard({ name: 'everyone', canActivate: () => true })
        const open = shop([bind(SignedIn, everyone), bind(IsAdmin, everyone)])
        assert.equal((await open.inject({ method: 'POST', url: '/articles', json: MUG })).statusCode, 201)
        await open.close()
      })

      it('are imported with the key of the settings', async () => {
        const send = (key: string, target = app): Promise<InjectResponse> =>
          target.inject({
            method: 'POST',
            url: '/articles/import',
            headers: { 'x-api-key': key },
            json: [MUG, { ...MUG, name: 'Cup' }, { ...MUG, name: 'Bowl' }],
          })
        assert.equal((await send('guess')).statusCode, 401)
        assert.deepEqual((await send(IMPORT_KEY)).json(), { created: 2 })
        const closed = shop([], { importKey: undefined })
        assert.equal((await send('undefined', closed)).statusCode, 401)
        await closed.close()
      })
    })

    describe('the unit of work', () => {
      it('is taken back when nobody commits', async () => {
        const careless = defineController({
          name: 'careless',
          inject: { work: UnitOfWork },
          routes: [
            {
              method: 'POST',
              handler: ({ inject }) =>
                inject.work.query(Stock, 'UPDATE articles SET stock = 0 RETURNING stock'),
            },
          ],
        })
        const other = createApp(defineModule({ imports: [DatabaseModule], controllers: [careless] }), {
          logger: false,
          overrides: [bind(Db, { value: database })],
        })
        const response = await other.inject({ method: 'POST', url: '/careless' })
        assert.deepEqual(response.json(), [{ stock: 0 }, { stock: 0 }, { stock: 0 }])
        assert.equal(await stockOf(TEAPOT), 10)
        await other.close()
      })
    })

    describe('orders', () => {
      it('take from the stock and are listed, with totals in version 2', async () => {
        const ann = await customer(app, 'ann')
        const placed = await order(ann, [TEAPOT, 2], [KETTLE, 1])
        const first = { id: 1, placedAt: NOON }
        assert.deepEqual([placed.statusCode, placed.json()], [201, { ...first, cents: 104_800 }])
        assert.deepEqual([await stockOf(TEAPOT), await stockOf(KETTLE)], [8, 0])
        await order(ann, [TEAPOT, 1])
        const second = { id: 2, placedAt: NOON }
        assert.deepEqual((await ann({ url: '/orders', version: '1' })).json(), [second, first])
        assert.deepEqual((await ann({ url: '/orders', version: '2' })).json(), {
          orders: [
            { ...second, cents: 2900 },
            { ...first, cents: 104_800 },
          ],
          cents: 107_700,
        })
        assert.equal((await ann({ url: '/orders', version: '3' })).statusCode, 404)
      })

      it('that cannot be filled change nothing', async () => {
        const ann = await customer(app, 'ann')
        const refused = await order(ann, [TEAPOT, 2], [KETTLE, 2])
        const { code, articleId, available } = refused.json() as Readonly<Record<string, unknown>>
        assert.deepEqual([refused.statusCode, code, articleId, available], [409, 'out_of_stock', KETTLE, 1])
        assert.equal((await order(ann, [TEAPOT, 2], [99, 1])).statusCode, 404)
        assert.deepEqual([await stockOf(TEAPOT), await stockOf(KETTLE)], [10, 1])
        assert.deepEqual((await ann({ url: '/v1/orders' })).json(), [])
      })

      it('for the last article: one of many that overlap wins', async () => {
        const [ann, bob] = [await customer(app, 'ann'), await customer(app, 'bob')]
        const buyers = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? ann : bob))
        const responses = await Promise.all(
          buyers.map((buyer, index) =>
            // in both orders: they must not wait for each other
            index < 4 ? order(buyer, [TEAPOT, 1], [KETTLE, 1]) : order(buyer, [KETTLE, 1], [TEAPOT, 1]),
          ),
        )
        const statuses = responses.map(({ statusCode }) => statusCode)
        assert.deepEqual(
          statuses.toSorted((a, b) => a - b),
          [201, ...Array.from({ length: 7 }, () => 409)],
        )
        assert.deepEqual([await stockOf(TEAPOT), await stockOf(KETTLE)], [9, 0])
      })

      it('of others are invisible', async () => {
        const [ann, bob] = [await customer(app, 'ann'), await customer(app, 'bob')]
        await order(ann, [TEAPOT, 1])
        assert.equal((await ann({ url: '/v1/orders/1' })).statusCode, 200)
        assert.equal((await bob({ url: '/v1/orders/1' })).statusCode, 404)
        assert.deepEqual((await bob({ url: '/v2/orders' })).json(), { orders: [], cents: 0 })
        assert.equal((await app.inject('/v1/orders')).statusCode, 401)
      })

      it('belong to whom a guard of a test says', async () => {
        await register(browser(app), 'ann')
        const ann: Account = { id: 1, email: 'ann@example.com', role: 'customer' }
        const asAnn = defineGuard({
          name: 'asAnn',
          canActivate: (context) => {
            context.identity = ann
            return true
          },
        })
        const fake = shop([bind(SignedIn, asAnn)])
        assert.equal((await order(browser(fake), [TEAPOT, 1])).statusCode, 201)
        await fake.close()
      })

      for (const [name, lines, place] of [
        ['no line', [], 'lines'],
        ['a quantity of none', [[TEAPOT, 0]], 'lines.0.quantity'],
        ['an article twice', [[TEAPOT, 1], [TEAPOT, 1]], 'lines'], // prettier-ignore
        ['an id beyond all', [[2 ** 31, 1]], 'lines.0.articleId'],
      ] as const) {
        it(`are refused with ${name}`, async () => {
          const response = await order(await customer(app, 'ann'), ...lines)
          assert.deepEqual([response.statusCode, places(response)], [422, [place]])
        })
      }
    })
  })
}

describe('the settings of the shop', () => {
  it('need a secret for sessions', () => {
    assert.throws(() => createShop({ sessionSecret: '' }), /session\.secret/)
  })

  it('are checked at the start', async () => {
    const app = createShop(
      { sessionSecret: SECRET },
      { logger: false, overrides: [bind(Config, { value: { ...SETTINGS, port: 'high' } })] },
    )
    await assert.rejects(app.ready(), /config\.port/)
    await app.close()
  })
})

describe('npm run shop', () => {
  /** Starts the shop; what it printed when it came to `until` or to its end, and how it ended. */
  async function run(env: Readonly<Record<string, string>>, until: string): Promise<readonly unknown[]> {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--conditions', 'octavo-source', 'examples/shop/main.ts'],
      { env: { PATH: process.env['PATH'], PORT: '0', ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const exited = once(child, 'exit')
    let text = ''
    const add = (chunk: Buffer): void => {
      text += chunk.toString()
      if (text.includes(until)) child.kill('SIGTERM')
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    const [code] = await exited
    return [code, text]
  }

  it('listens until SIGTERM, and says that the secret is a random one', async () => {
    const [code, text] = await run({}, 'Ctrl+C')
    assert.equal(code, 0)
    assert.match(String(text), /SESSION_SECRET is not set.+\nThe shop listens on http/)
  })

  it('does not start in production without a secret', async () => {
    const [code, text] = await run({ NODE_ENV: 'production' }, 'Ctrl+C')
    assert.equal(code, 1)
    assert.match(String(text), /sessionSecret/)
  })
})

type Send = (request: InjectOptions) => Promise<InjectResponse>

/** Sends requests and keeps cookies, as a browser does. */
function browser(app: App): Send {
  const jar = new Map<string, string>()
  return async (request) => {
    const response = await app.inject({ ...request, cookies: Object.fromEntries(jar) })
    for (const { name, value = '', maxAge } of response.cookies) {
      if (maxAge === 0) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
}

function register(send: Send, name: string): Promise<InjectResponse> {
  const json = { email: `${name}@example.com`, password: `${name}-secret` }
  return send({ method: 'POST', url: '/accounts', json })
}

function login(
  send: Send,
  name: string,
  password = `${name}-secret`,
  host = 'example.com',
): Promise<InjectResponse> {
  return send({ method: 'POST', url: '/accounts/login', json: { email: `${name}@${host}`, password } })
}

/** A browser of somebody who has just registered and logged in. */
async function customer(app: App, name: string): Promise<Send> {
  const send = browser(app)
  await register(send, name)
  await login(send, name)
  return send
}

function order(send: Send, ...lines: readonly (readonly [article: number, quantity: number])[]) {
  const json = { lines: lines.map(([articleId, quantity]) => ({ articleId, quantity })) }
  return send({ method: 'POST', url: '/orders', version: '1', json })
}

/** Where the input was wrong. */
function places(response: InjectResponse): readonly string[] {
  const { errors } = response.json() as { readonly errors: readonly { readonly path: readonly unknown[] }[] }
  return errors.map(({ path }) => path.join('.'))
}
