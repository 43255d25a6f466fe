import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { getMigrations } from 'better-auth/db/migration'
import { Pool } from 'pg'

import { startPostgres } from './postgres.ts'
import type { Postgres } from './postgres.ts'

const ORIGIN = 'http://localhost:3000'

describe('the recipe for better-auth', () => {
  let postgres: Postgres
  let url = ''
  let close: () => Promise<void>

  before(async () => {
    postgres = await startPostgres()
    process.env['DATABASE_URL'] = postgres.url
    process.env['BETTER_AUTH_SECRET'] = 'a secret of more than thirty-two characters'
    // what `npx auth migrate` does
    const pool = new Pool({ connectionString: postgres.url })
    const { runMigrations } = await getMigrations({ database: pool, emailAndPassword: { enabled: true } })
    await runMigrations()
    await pool.end()
    const { app, url: address } = await import('./.recipes/better-auth.ts')
    url = address
    close = () => app.close()
  })
  after(async () => {
    await close()
    await postgres.stop()
  })

  const ann = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' }
  const post = (
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`${url}/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ORIGIN, ...headers },
      body: JSON.stringify(body),
    })
  const cookieOf = (response: Response): string =>
    response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
  const me = (cookie = ''): Promise<Response> => fetch(`${url}/me`, { headers: { cookie } })

  it('refuses requests without a session with a problem', async () => {
    const response = await me()
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('content-type'), 'application/problem+json')
  })

  it('knows who has signed up, until they sign out', async () => {
    const signedUp = await post('/sign-up/email', ann)
    assert.equal(signedUp.status, 200, await signedUp.clone().text())
    const cookie = cookieOf(signedUp)
    assert.deepEqual(await (await me(cookie)).json(), { name: ann.name, email: ann.email })
    assert.equal((await post('/sign-out', {}, { cookie })).status, 200)
    assert.equal((await me(cookie)).status, 401)
  })

  it('signs in with the password alone', async () => {
    const { email, password } = ann
    assert.equal((await post('/sign-in/email', { email, password: 'something else' })).status, 401)
    const signedIn = await post('/sign-in/email', { email, password })
    assert.equal((await me(cookieOf(signedIn))).status, 200)
    assert.equal((await me('better-auth.session_token=forged.value')).status, 401)
  })

  it('refuses pages of other origins', async () => {
    const { email, password } = ann
    const cookie = cookieOf(await post('/sign-in/email', { email, password }))
    const response = await post('/sign-out', {}, { cookie, origin: 'https://evil.example' })
    assert.equal(response.status, 403)
    assert.equal((await me(cookie)).status, 200)
  })

  it('stores the address of the client, whatever it sends', async () => {
    const { email, password } = ann
    const forged = { 'x-forwarded-for': '203.0.113.7', 'x-client-address': '203.0.113.8' }
    const cookie = cookieOf(await post('/sign-in/email', { email, password }, forged))
    const response = await fetch(`${url}/api/auth/get-session`, { headers: { cookie } })
    assert.equal(Object(await response.json()).session.ipAddress, '127.0.0.1')
  })
})
