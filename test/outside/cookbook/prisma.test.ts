import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { App } from 'octavo'

import { startPostgres } from './postgres.ts'
import type { Postgres } from './postgres.ts'

/** What `prisma migrate` writes for the models, which needs an engine that Prisma downloads. */
const TABLES = `
  create table "Article" ("id" serial primary key, "name" text not null unique, "stock" integer not null);
  create table "Order" (
    "id" serial primary key,
    "amount" integer not null,
    "articleId" integer not null references "Article" ("id")
  );`

describe('the recipe for Prisma', () => {
  let app: App
  let url = ''
  let postgres: Postgres

  before(async () => {
    postgres = await startPostgres(TABLES)
    process.env['DATABASE_URL'] = postgres.url
    const recipe = await import('./.recipes/prisma-2.ts')
    app = recipe.app
    url = recipe.url
  })
  after(async () => {
    await app.close()
    await postgres.stop()
  })

  const call = async (path: string, body?: object): Promise<readonly [status: number, body: unknown]> => {
    const response = await fetch(
      url + path,
      body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
    )
    return [response.status, await response.json()]
  }

  it('is ready once the database answers', async () => {
    // the first query may take longer than a check may
    const [slow] = await call('/articles')
    assert.equal(slow, 200)
    assert.deepEqual(await call('/readyz'), [200, { status: 'ok', checks: { database: 'ok' } }])
  })

  it('turns known errors into responses', async () => {
    const pen = { name: 'Pen', stock: 3 }
    assert.deepEqual(await call('/articles', pen), [201, { id: 1, ...pen }])
    const [taken] = await call('/articles', pen)
    assert.equal(taken, 409)
    const [missing] = await call('/orders', { article: 9, amount: 1 })
    assert.equal(missing, 404)
  })

  it('rolls back an order that there is too little for', async () => {
    const [status, problem] = await call('/orders', { article: 1, amount: 4 })
    assert.deepEqual(
      [status, problem],
      [
        409,
        {
          type: 'about:blank',
          title: 'Conflict',
          status: 409,
          detail: 'There are 3 left',
          code: 'conflict',
        },
      ],
    )
    assert.deepEqual(await call('/articles'), [200, [{ id: 1, name: 'Pen', stock: 3 }]])
  })

  it('sells the last articles once', async () => {
    const orders = await Promise.all(
      Array.from({ length: 4 }, () => call('/orders', { article: 1, amount: 1 })),
    )
    const statuses = orders.map(([status]) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [201, 201, 201, 409])
    assert.deepEqual(await call('/articles'), [200, [{ id: 1, name: 'Pen', stock: 0 }]])
  })
})
