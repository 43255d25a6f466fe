import assert from 'node:assert/strict'
import { afterEach, describe, it, mock } from 'node:test'

import { exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import type { GenerateKeyPairResult } from 'jose'

import { createJwtApp } from '../../examples/jwt/app.ts'
import { createTokens } from '../../examples/jwt/tokens.ts'

const OURS = { issuer: 'https://auth.example.com', audience: 'cars' }
const BOB = { sub: 'bob', role: 'driver' } as const

type Key = GenerateKeyPairResult['privateKey'] | Uint8Array

const keys = await generateKeyPair('ES256')
const tokens = await createTokens({ ...OURS, keys })
const app = createJwtApp({ logger: false }, tokens)

async function answer(token: string | undefined, url = '/car', method = 'GET'): Promise<unknown> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { statusCode, ...response } = await app.inject({ method, url, headers })
  const json = response.json()
  return statusCode === 200 ? json : [statusCode, (json as { readonly code: unknown }).code]
}

async function login(name: string, password: string): Promise<string> {
  const credentials = Buffer.from(`${name}:${password}`).toString('base64')
  const response = await app.inject({
    method: 'POST',
    url: '/login',
    headers: { authorization: `Basic ${credentials}` },
  })
  return response.statusCode === 200
    ? (response.json() as { readonly token: string }).token
    : `${response.statusCode} ${String(response.headers['www-authenticate'])}`
}

/** A token like ours but for what is given. */
function sign(claims: object, key: Key = keys.privateKey, alg = 'ES256'): Promise<string> {
  const time = Math.floor(Date.now() / 1000)
  const payload = { ...BOB, iss: OURS.issuer, aud: OURS.audience, iat: time, exp: time + 600, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg, kid: 'main' }).sign(key)
}

describe('the login of the JWT example', () => {
  it('gives a token that opens the cars', async () => {
    assert.equal(await answer(await login('bob', 'bob-secret')), 'The cars of bob')
  })

  for (const [name, password] of [
    ['bob', 'ann-secret'],
    ['nobody', 'bob-secret'],
    ['', ''],
  ] as const) {
    it(`refuses ${name}:${password}`, async () => {
      assert.equal(await login(name, password), '401 Basic realm="login", charset="UTF-8"')
    })
  }

  it('shows the public keys alone', async () => {
    const { keys: shown } = (await answer(undefined, '/login/keys')) as typeof tokens.jwks
    assert.deepEqual(
      shown.map((key) => Object.keys(key).toSorted()),
      [['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']],
    )
  })
})

describe('the tokens of the JWT example', () => {
  afterEach(() => mock.timers.reset())

  it('expire', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const token = await tokens.sign(BOB)
    mock.timers.tick(599_000)
    assert.equal(await answer(token), 'The cars of bob')
    // clocks may differ by five seconds
    mock.timers.tick(6_000)
    assert.deepEqual(await answer(token), [401, 'invalid_credentials'])
  })

  it('are asked for', async () => assert.deepEqual(await answer(undefined), [401, 'unauthenticated']))

  const now = Math.floor(Date.now() / 1000)
  const bad: readonly (readonly [title: string, token: () => Promise<string> | string])[] = [
    ['nonsense', () => 'abc'],
    ['three parts of nonsense', () => 'a.b.c'],
    ['another issuer', () => sign({ iss: 'https://evil.example' })],
    ['another audience', () => sign({ aud: 'trucks' })],
    ['no audience', () => sign({ aud: undefined })],
    ['no expiry', () => sign({ exp: undefined })],
    ['no subject', () => sign({ sub: undefined })],
    ['a time to come', () => sign({ nbf: now + 3600 })],
    ['an unknown role', () => sign({ role: 'owner' })],
    ['the key of somebody else', async () => sign({}, (await generateKeyPair('ES256')).privateKey)],
    [
      'the public key as a shared secret',
      async () => sign({}, Buffer.from(await exportSPKI(keys.publicKey)), 'HS256'),
    ],
    ['no signature', () => new UnsecuredJWT({ ...BOB }).encode()],
    ['a changed payload', async () => (await tokens.sign(BOB)).replace(/\.[^.]+\./, '.eyJzdWIiOiJhbm4ifQ.')],
  ]
  for (const [title, token] of bad) {
    it(`are refused: ${title}`, async () =>
      assert.deepEqual(await answer(await token()), [401, 'invalid_credentials']))
  }
})

describe('the scopes of the JWT example', () => {
  const cases = [
    ['ann', 'ann-secret', 'ann sold car 7'],
    ['bob', 'bob-secret', [403, 'insufficient_scope']],
  ] as const
  for (const [name, password, expected] of cases) {
    it(`${name} → ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await answer(await login(name, password), '/car/7', 'DELETE'), expected)
    })
  }
})
