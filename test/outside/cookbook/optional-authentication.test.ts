import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'

import { startServer } from './support.ts'

describe('the recipe of optional authentication', async () => {
  const pair = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' }
  let isDown = false
  const issuer = await startServer(
    createServer((_request, response) =>
      isDown ? void response.writeHead(503).end() : void response.end(JSON.stringify({ keys: [jwk] })),
    ),
  )
  process.env['ISSUER'] = issuer
  const { app, url } = await import('./.recipes/optional-authentication.ts')
  await app.ready()
  after(() => app.close())

  const sign = (kid: string, audience: string, expiry: string): Promise<string> =>
    new SignJWT({ name: 'Ann' })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setSubject('ann')
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(expiry)
      .sign(pair.privateKey)
  const call = (path: string, token?: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, {
      ...init,
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
    })
  const idsOf = async (response: Response): Promise<readonly number[]> =>
    [].concat(Object(await response.json())).map(({ id }) => id)

  it('answers a 503 and no 401 without the keys of the provider', async () => {
    isDown = true
    const response = await call('/articles', await sign('one', 'articles', '5m'))
    isDown = false
    assert.equal(response.status, 503)
    // the provider is left alone for a second
    await delay(1_100)
  })

  it('answers everybody, and people with a token more', async () => {
    const stranger = await call('/articles')
    assert.equal(stranger.headers.get('cache-control'), 'private, no-cache')
    assert.deepEqual(await idsOf(stranger), [1])
    const token = await sign('one', 'articles', '5m')
    assert.deepEqual(await idsOf(await call('/articles', token)), [1, 2])
    assert.equal((await call('/articles/2')).status, 404)
    assert.equal((await call('/articles/2', token)).status, 200)
  })

  it('refuses wrong tokens', async () => {
    const tokens = ['expired', await sign('one', 'other', '5m'), await sign('one', 'articles', '-5m')]
    for (const token of tokens) assert.equal((await call('/articles', token)).status, 401)
  })

  it('requires a token where it says so', async () => {
    const init = { method: 'POST', body: '{"title":"New"}' }
    assert.equal((await call('/articles', undefined, init)).status, 401)
    const created = await call('/articles', await sign('one', 'articles', '5m'), init)
    assert.equal(created.status, 201)
    assert.deepEqual(await created.json(), { id: 3, title: 'New', author: 'ann', isDraft: true })
  })

  it('documents both ways', () => {
    const { paths } = app.openapi()
    assert.deepEqual(paths['/articles']?.['get']?.security, [{ jwtAuth: [] }, {}])
    assert.deepEqual(paths['/articles']?.['post']?.security, [{ jwtAuth: [] }])
  })
})
