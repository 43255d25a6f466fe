import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { basicAuth } from 'octavo/auth'

import { ask, authorization, basic, createContext } from './support.ts'

const CHALLENGE = 'Basic realm="api", charset="UTF-8"'
const NOTHING = { status: 401, code: 'unauthenticated', challenge: CHALLENGE }
const REFUSED = { status: 401, code: 'invalid_credentials', challenge: CHALLENGE }

describe('basicAuth reads', () => {
  const guard = basicAuth({
    verify: (user, password) => (user === 'refused' ? undefined : { user, password }),
  })
  const seen = (user: string, password: string): unknown => ({ identity: { user, password } })
  const cases = [
    ['user and password', [basic('ann:secret')], seen('ann', 'secret')],
    ['the example of RFC 7617 in UTF-8', ['Basic dGVzdDoxMjPCow=='], seen('test', '123£')],
    ['a user outside ASCII', [basic('Jörg 🚗:пароль')], seen('Jörg 🚗', 'пароль')],
    ['colons in the password', [basic('ann:a:b:')], seen('ann', 'a:b:')],
    ['an empty user', [basic(':secret')], seen('', 'secret')],
    ['an empty password', [basic('ann:')], seen('ann', '')],
    ['a byte-order mark as it is', [basic('\uFEFFann:x')], seen('\uFEFFann', 'x')],
    ['the scheme in any case', [basic('a:b').replace('Basic', 'bASIC')], seen('a', 'b')],
    ['several spaces behind the scheme', [basic('a:b').replace(' ', '   ')], seen('a', 'b')],
    ['a giant password', [basic(`a:${'x'.repeat(1_000_000)}`)], seen('a', 'x'.repeat(1_000_000))],
    ['no header', [], NOTHING],
    ['an empty header', [''], NOTHING],
    ['another scheme', ['Bearer abc'], NOTHING],
    ['base64 without scheme', ['YTpi'], NOTHING],
    ['a refused user', [basic('refused:x')], REFUSED],
    ['a scheme alone', ['Basic'], REFUSED],
    ['a scheme and a blank', ['Basic '], REFUSED],
    ['no base64', ['Basic !!!!'], REFUSED],
    ['base64 of URLs', ['Basic Pz86Pj4-'], REFUSED],
    ['base64 without its padding', ['Basic YTpiYw'], REFUSED],
    ['base64 with bits left over', ['Basic YTpiYx=='], REFUSED],
    ['a blank in base64', ['Basic YTpi YTpi'], REFUSED],
    ['two in one line', ['Basic YTpi, Basic YTpi'], REFUSED],
    ['no colon', [basic('ann')], REFUSED],
    ['bytes that are no UTF-8', [basic(new Uint8Array([0x61, 0x3a, 0xff]))], REFUSED],
    ['a surrogate written as bytes', [basic(new Uint8Array([0x61, 0x3a, 0xed, 0xa0, 0x80]))], REFUSED],
    ['NUL in the user', [basic('a\u0000:b')], REFUSED],
    ['a line break in the password', [basic('a:b\r\n')], REFUSED],
    ['a delete character', [basic('a:b\u007F')], REFUSED],
    ['two lines', [basic('a:b'), basic('a:b')], REFUSED],
    ['giant nonsense', [`Basic ${'!'.repeat(1_000_000)}`], REFUSED],
  ] as const
  for (const [title, lines, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(guard, authorization(...lines)), expected))
  }
})

describe('basicAuth', () => {
  it('gives verify the context and what it injects', async () => {
    const context = createContext(authorization(basic('ann:secret')))
    const guard = basicAuth({ verify: async (...seen) => ({ seen }) })
    await guard.canActivate(context, {} as never)
    assert.deepEqual((context.identity as { readonly seen: unknown }).seen, ['ann', 'secret', context, {}])
  })

  it('says the same of users and of passwords that are wrong', async () => {
    const guard = basicAuth({ verify: (user, password) => user === 'ann' && password === 'secret' })
    const [user, password] = await Promise.all(
      ['bob:secret', 'ann:wrong'].map(async (text) => ask(guard, authorization(basic(text)))),
    )
    assert.deepEqual(user, REFUSED)
    assert.deepEqual(password, REFUSED)
  })

  it('has the realm in its challenge and its scheme in documents', async () => {
    const guard = basicAuth({
      schemeName: 'ops',
      realm: 'operators',
      description: 'On call',
      verify: () => true,
    })
    assert.deepEqual(await ask(guard, {}), {
      ...NOTHING,
      challenge: 'Basic realm="operators", charset="UTF-8"',
    })
    assert.equal(guard.name, 'ops')
    assert.deepEqual(guard.security, [{ ops: { type: 'http', scheme: 'basic', description: 'On call' } }])
    assert.deepEqual(basicAuth({ verify: () => true }).security, [
      { basicAuth: { type: 'http', scheme: 'basic' } },
    ])
  })
})
