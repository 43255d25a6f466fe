import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { createApp, defineController, defineGuard, defineModule, defineProvider } from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth } from 'octavo/auth'
import { z } from 'zod'

import { LOOPBACK, send } from '../node/support.ts'
import { basic } from './support.ts'

interface User {
  readonly name: string
}

const Users = defineProvider({
  name: 'Users',
  create: () => new Map<string, User>([['good', { name: 'ann' }]]),
})
const Prefix = defineProvider({ name: 'Prefix', scope: 'request', create: () => 'a' })

const SignedIn = bearerAuth({
  verify: async (token, context) => {
    if (token === 'outage') throw new Error('the database is gone')
    return (await context.resolve(Users)).get(token)
  },
})
const Operator = basicAuth({ verify: (name) => (name === 'ops' ? { name } : undefined) })
const Cookie = apiKey({ in: 'cookie', name: 'key', verify: (key) => (key === 'good' ? { key } : null) })
const Query = apiKey({ in: 'query', name: 'key', verify: (key) => key === 'good' })
const BeginsWithA = defineGuard({
  name: 'BeginsWithA',
  inject: { prefix: Prefix },
  canActivate: ({ identity }, { prefix }) => JSON.stringify(identity).startsWith(`{"name":"${prefix}`),
})
const IsLocal = defineGuard({
  name: 'IsLocal',
  inject: { prefix: Prefix },
  canActivate: ({ request }, { prefix }) => request.header('x-local') === prefix,
})

const cars = defineController({
  prefix: '/car',
  guards: [SignedIn],
  routes: [
    { method: 'GET', handler: (_input, { identity }) => identity },
    {
      method: 'POST',
      input: { body: z.object({ name: z.string() }) },
      guards: [BeginsWithA],
      handler: ({ body }) => body,
    },
    {
      method: 'GET',
      path: '/open',
      withoutGuards: [SignedIn],
      handler: (_input, { identity }) => ({ identity }),
    },
    {
      method: 'GET',
      path: '/any',
      withoutGuards: [SignedIn],
      guards: [anyOf(SignedIn, IsLocal, Operator, Cookie)],
      handler: (_input, { identity }) => identity ?? 'nobody',
    },
    {
      method: 'GET',
      path: '/both',
      guards: [Query],
      handler: (_input, { identity }) => identity,
    },
    { method: 'GET', path: '/other', guards: [BeginsWithA, Operator], handler: () => 'never' },
  ],
})
const app = createApp(defineModule({ controllers: [cars], providers: [Users, Prefix] }), { logger: false })

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` })
const TOKEN = 'Bearer realm="api"'
const ANY = `${TOKEN}, Basic realm="api", charset="UTF-8", ApiKey realm="api", in="cookie", name="key"`

describe('requests that guards for credentials let pass', () => {
  const cases = [
    [{ url: '/car', headers: bearer('good') }, { name: 'ann' }],
    [{ url: '/car', method: 'POST', headers: bearer('good'), json: { name: 'Ford' } }, { name: 'Ford' }],
    [{ url: '/car/open' }, {}],
    [{ url: '/car/any', headers: bearer('good') }, { name: 'ann' }],
    [{ url: '/car/any', headers: { 'x-local': 'a' } }, 'nobody'],
    [{ url: '/car/any', headers: { authorization: basic('ops:x') } }, { name: 'ops' }],
    [{ url: '/car/any', cookies: { key: 'good' } }, { key: 'good' }],
    [{ url: '/car/any', headers: bearer('bad'), cookies: { key: 'good' } }, { key: 'good' }],
    [{ url: '/car/both?key=good', headers: bearer('good') }, { name: 'ann' }],
  ] as const
  for (const [request, expected] of cases) {
    it(`${JSON.stringify(request)} → ${JSON.stringify(expected)}`, async () => {
      const response = await app.inject(request)
      assert.deepEqual([response.statusCode, response.json()], [200, expected])
    })
  }
})

describe('requests that guards for credentials deny', () => {
  const refused = `${TOKEN}, error="invalid_token"`
  const cases = [
    [{ url: '/car' }, 401, 'unauthenticated', TOKEN],
    [{ url: '/car', method: 'POST', json: { name: 7 } }, 401, 'unauthenticated', TOKEN],
    [{ url: '/car', headers: bearer('bad') }, 401, 'invalid_credentials', refused],
    [
      { url: '/car', headers: { authorization: ['Bearer good', 'Bearer good'] } },
      401,
      'invalid_credentials',
      refused,
    ],
    [{ url: '/car', headers: { authorization: basic('ops:x') } }, 401, 'unauthenticated', TOKEN],
    [{ url: '/car', headers: bearer('outage') }, 500, 'internal_error', undefined],
    [{ url: '/car/any' }, 401, 'unauthenticated', ANY],
    [{ url: '/car/any', headers: bearer('outage') }, 500, 'internal_error', undefined],
    [
      { url: '/car/both', headers: bearer('good') },
      401,
      'unauthenticated',
      'ApiKey realm="api", in="query", name="key"',
    ],
    [
      { url: '/car/both?key=good&key=good', headers: bearer('good') },
      401,
      'invalid_credentials',
      'ApiKey realm="api", in="query", name="key"',
    ],
    [
      { url: '/car/both?key=%00', headers: bearer('good') },
      401,
      'invalid_credentials',
      'ApiKey realm="api", in="query", name="key"',
    ],
    // one header cannot hold both
    [
      { url: '/car/other', headers: bearer('good') },
      401,
      'unauthenticated',
      'Basic realm="api", charset="UTF-8"',
    ],
    [{ url: '/car/nothing' }, 404, 'route_not_found', undefined],
  ] as const
  for (const [request, status, code, challenge] of cases) {
    it(`${JSON.stringify(request)} → ${status} ${code}`, async () => {
      const response = await app.inject(request)
      const problem = response.json() as { readonly code: unknown }
      assert.deepEqual(
        [response.statusCode, problem.code, response.headers['www-authenticate']],
        [status, code, challenge],
      )
    })
  }

  it('a denial is a whole problem document', async () => {
    const response = await app.inject({ url: '/car', headers: bearer('bad') })
    assert.equal(response.headers['content-type'], 'application/problem+json')
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:invalid-credentials',
      title: 'Invalid credentials',
      status: 401,
      detail: 'The credentials are not accepted',
      code: 'invalid_credentials',
    })
  })
})

describe('credentials on a socket', () => {
  let url = ''
  before(async () => {
    url = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  it('are read', async () => {
    const { status, bytes } = await send(url, { path: '/car', headers: bearer('good') })
    assert.deepEqual([status, JSON.parse(bytes.toString())], [200, { name: 'ann' }])
  })

  it('are refused when there are two lines of them', async () => {
    const headers = { authorization: ['Bearer good', 'Bearer bad'] }
    assert.equal((await send(url, { path: '/car', headers })).status, 401)
  })
})
