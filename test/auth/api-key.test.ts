import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { apiKey } from 'octavo/auth'

import { ask, createContext } from './support.ts'

const verify = (key: string): { key: string } | null => (key === 'refused' ? null : { key })
const seen = (key: string): unknown => ({ identity: { key } })

describe('apiKey in a header', () => {
  const guard = apiKey({ in: 'header', name: 'X-API-Key', verify })
  const challenge = 'ApiKey realm="api", in="header", name="X-API-Key"'
  const nothing = { status: 401, code: 'unauthenticated', challenge }
  const refused = { status: 401, code: 'invalid_credentials', challenge }
  const cases = [
    ['a key', 'k1', seen('k1')],
    ['a key with a comma and blanks', 'k1, k2', seen('k1, k2')],
    ['no key', [], nothing],
    ['an empty key', '', nothing],
    ['a refused key', 'refused', refused],
    ['two lines', ['k1', 'k1'], refused],
    ['a control character', 'k\u00001', refused],
  ] as const
  for (const [title, value, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(guard, { headers: { 'x-api-key': value } }), expected))
  }
})

describe('apiKey in the query', () => {
  const guard = apiKey({ in: 'query', name: 'api_key', realm: 'cars', verify })
  const challenge = 'ApiKey realm="cars", in="query", name="api_key"'
  const nothing = { status: 401, code: 'unauthenticated', challenge }
  const refused = { status: 401, code: 'invalid_credentials', challenge }
  const cases = [
    ['a key', { api_key: 'k1' }, seen('k1')],
    ['a key outside ASCII', { api_key: 'schlüssel' }, seen('schlüssel')],
    ['no key', {}, nothing],
    ['a key by another name', { API_KEY: 'k1' }, nothing],
    ['an empty key', { api_key: '' }, nothing],
    ['a refused key', { api_key: 'refused' }, refused],
    ['two keys', { api_key: ['k1', 'k1'] }, refused],
    ['NUL', { api_key: '\u0000' }, refused],
  ] as const
  for (const [title, query, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(guard, { query }), expected))
  }

  it('does not take what objects inherit for a key', async () => {
    const inherits = apiKey({ in: 'query', name: 'constructor', verify })
    const context = { ...createContext({}), request: { query: {} } } as never
    assert.throws(() => inherits.canActivate(context, {} as never), { code: 'unauthenticated' })
  })
})

describe('apiKey in a cookie', () => {
  const guard = apiKey({ in: 'cookie', name: '__Host-key', verify })
  const challenge = 'ApiKey realm="api", in="cookie", name="__Host-key"'
  const cases = [
    ['a key', { '__Host-key': 'k1' }, seen('k1')],
    ['no key', { other: 'k1' }, { status: 401, code: 'unauthenticated', challenge }],
    ['a refused key', { '__Host-key': 'refused' }, { status: 401, code: 'invalid_credentials', challenge }],
  ] as const
  for (const [title, cookies, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(guard, { cookies }), expected))
  }
})

describe('apiKey', () => {
  it('gives verify the context and what it injects', async () => {
    const context = createContext({ query: { key: 'k1' } })
    const guard = apiKey({ in: 'query', name: 'key', verify: (...args) => ({ args }) })
    await guard.canActivate(context, {} as never)
    assert.deepEqual((context.identity as { readonly args: unknown }).args, ['k1', context, {}])
  })

  const documents = [
    ['header', 'X-API-Key', 'header-X-API-Key'],
    ['query', 'api_key', 'query-api_key'],
    ['query', 'key[]', 'query-key--'],
    ['cookie', 'key', 'cookie-key'],
  ] as const
  for (const [where, name, scheme] of documents) {
    it(`in ${where} ${name} is ${scheme} in documents`, () => {
      const guard = apiKey({ in: where, name, verify })
      assert.equal(guard.name, scheme)
      assert.deepEqual(guard.security, [{ [scheme]: { type: 'apiKey', in: where, name } }])
    })
  }

  it('takes a name and a description for documents', () => {
    const guard = apiKey({ in: 'query', name: 'key', schemeName: 'partner', description: 'By post', verify })
    assert.deepEqual(guard.security, [
      { partner: { type: 'apiKey', in: 'query', name: 'key', description: 'By post' } },
    ])
  })
})
