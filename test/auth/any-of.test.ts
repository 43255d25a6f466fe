import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineGuard, defineToken, HttpError, unauthorized } from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth } from 'octavo/auth'

import { ask, authorization, basic, createContext } from './support.ts'

const bearer = bearerAuth({ verify: (token) => token === 'good' && { by: 'bearer' } })
const user = basicAuth({ verify: (name) => name === 'ann' && { by: 'basic' } })
const key = apiKey({ in: 'header', name: 'X-API-Key', verify: (text) => text === 'good' && { by: 'key' } })
const never = defineGuard({ name: 'never', canActivate: () => false })

const KEY = 'ApiKey realm="api", in="header", name="X-API-Key"'
const USER = 'Basic realm="api", charset="UTF-8"'

describe('anyOf', () => {
  const guard = anyOf(bearer, user, key)
  const nothing = {
    status: 401,
    code: 'unauthenticated',
    challenge: `Bearer realm="api", ${USER}, ${KEY}`,
  }
  const wrongToken = {
    status: 401,
    code: 'invalid_credentials',
    challenge: `Bearer realm="api", error="invalid_token", ${USER}, ${KEY}`,
  }
  const good = { 'x-api-key': 'good' }
  const cases = [
    ['the first', authorization('Bearer good'), { identity: { by: 'bearer' } }],
    ['the second', authorization(basic('ann:x')), { identity: { by: 'basic' } }],
    ['the last', { headers: good }, { identity: { by: 'key' } }],
    [
      'one beside wrong credentials',
      { headers: { ...good, authorization: 'Bearer bad' } },
      { identity: { by: 'key' } },
    ],
    [
      'the first of two',
      { headers: { ...good, authorization: 'Bearer good' } },
      { identity: { by: 'bearer' } },
    ],
    ['none, for nothing was sent', {}, nothing],
    ['none, for a token is wrong', authorization('Bearer bad'), wrongToken],
    ['none, for a user is wrong', authorization(basic('bob:x')), { ...nothing, code: 'invalid_credentials' }],
    ['none, for there are two lines', authorization('Bearer good', basic('ann:x')), wrongToken],
  ] as const
  for (const [title, carried, expected] of cases) {
    it(`asks one after the other: ${title}`, async () =>
      assert.deepEqual(await ask(guard, carried), expected))
  }

  it('does not ask on when one allows', async () => {
    const rest = defineGuard({ name: 'rest', canActivate: () => assert.fail('asked') })
    assert.deepEqual(await ask(anyOf(bearer, rest), authorization('Bearer good')), {
      identity: { by: 'bearer' },
    })
  })

  it('can hold another', async () => {
    const nested = anyOf(anyOf(bearer, user), key)
    assert.deepEqual(await ask(nested, { headers: good }), { identity: { by: 'key' } })
    assert.deepEqual(await ask(nested, {}), nothing)
  })

  it('writes equal challenges once', async () => {
    assert.deepEqual(await ask(anyOf(key, key), {}), { ...nothing, challenge: KEY })
  })
})

describe('anyOf with guards of your own', () => {
  it('is a 403 when all say false', async () => assert.equal(await ask(anyOf(never, never), {}), false))

  it('is a 401 when one asks for credentials', async () => {
    const expected = { status: 401, code: 'unauthenticated', challenge: KEY }
    assert.deepEqual(await ask(anyOf(never, key), {}), expected)
    assert.deepEqual(await ask(anyOf(key, never), {}), expected)
  })

  it('takes their 401 for a no, with its challenge in any case and without', async () => {
    const fails = (headers: Readonly<Record<string, string>>): ReturnType<typeof defineGuard> =>
      defineGuard({
        name: 'fails',
        canActivate: () => {
          throw unauthorized('no', { headers })
        },
      })
    const guard = anyOf(fails({ 'WWW-Authenticate': 'Negotiate' }), fails({}), key)
    assert.deepEqual(await ask(guard, {}), {
      status: 401,
      code: 'unauthenticated',
      challenge: `Negotiate, ${KEY}`,
    })
    assert.deepEqual(await ask(anyOf(fails({})), {}), {
      status: 401,
      code: 'unauthenticated',
      challenge: undefined,
    })
  })

  for (const error of [new Error('the database is gone'), new HttpError(403), new HttpError(503)]) {
    it(`passes on at once what is no 401: ${error.message}`, async () => {
      const fails = bearerAuth({
        verify: () => {
          throw error
        },
      })
      const context = createContext({ headers: { authorization: 'Bearer x', 'x-api-key': 'good' } })
      await assert.rejects(
        async () => anyOf(fails, key).canActivate(context, {} as never),
        (thrown) => thrown === error,
      )
    })
  }

  it('leaves nothing of those that say no', async () => {
    const leaves = defineGuard({
      name: 'leaves',
      canActivate: (context) => {
        context.identity = 'somebody'
        return false
      },
    })
    const open = defineGuard({ name: 'open', canActivate: () => true })
    assert.deepEqual(await ask(anyOf(leaves, open), {}), { identity: undefined })
  })

  it('takes what is falsy for a no', async () => {
    const forgets = { ...never, canActivate: () => undefined }
    assert.equal(await ask(anyOf(forgets), {}), false)
  })

  it('gives each what it injects, also when two use one key', async () => {
    const text = defineToken<string>('text')
    const number = defineToken<number>('number')
    const seen: unknown[] = []
    const injects = (token: typeof text | typeof number): ReturnType<typeof defineGuard> =>
      defineGuard({
        name: 'injects',
        inject: { value: token },
        canActivate: (_, inject) => seen.push(inject) > 1,
      })
    const guard = anyOf(injects(text), bearer, injects(number))
    const tokens = Object.entries(guard.inject)
    assert.deepEqual(
      tokens.map(([, token]) => token),
      [text, number],
    )
    const values = Object.fromEntries(tokens.map(([name, token]) => [name, token === text ? 'a' : 1]))
    assert.deepEqual(await ask(guard, {}, values), { identity: undefined })
    assert.deepEqual(seen, [{ value: 'a' }, { value: 1 }])
  })
})

describe('anyOf in documents', () => {
  it('has the alternatives of all', () => {
    const { name, security } = anyOf(bearer, anyOf(user, key), never)
    assert.equal(name, 'anyOf(bearerAuth, anyOf(basicAuth, header-X-API-Key), never)')
    assert.deepEqual(security, [
      { bearerAuth: { type: 'http', scheme: 'bearer' } },
      { basicAuth: { type: 'http', scheme: 'basic' } },
      { 'header-X-API-Key': { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    ])
  })

  it('has nothing when no guard has', () => assert.equal('security' in anyOf(never), false))
})
