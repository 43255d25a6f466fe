import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'

import { HttpError } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import type { Awaitable } from 'octavo'

import { ask, authorization, createContext } from './support.ts'

const NOTHING = { status: 401, code: 'unauthenticated', challenge: 'Bearer realm="api"' }
const REFUSED = {
  status: 401,
  code: 'invalid_credentials',
  challenge: 'Bearer realm="api", error="invalid_token"',
}

describe('bearerAuth reads', () => {
  const guard = bearerAuth({ verify: (token) => (token === 'refused' ? undefined : { token }) })
  const seen = (token: string): unknown => ({ identity: { token } })
  const cases = [
    ['a token', ['Bearer abc'], seen('abc')],
    ['every character of b64token', ['Bearer aZ09-._~+/=='], seen('aZ09-._~+/==')],
    ['the scheme in any case', ['bEARER abc'], seen('abc')],
    ['several spaces behind the scheme', ['Bearer   abc'], seen('abc')],
    ['no header', [], NOTHING],
    ['an empty header', [''], NOTHING],
    ['another scheme', ['Basic YTpi'], NOTHING],
    ['a scheme that begins alike', ['Bearers abc'], NOTHING],
    ['a token without scheme', ['abc'], NOTHING],
    ['a tab behind the scheme', ['Bearer\tabc'], NOTHING],
    ['a refused token', ['Bearer refused'], REFUSED],
    ['a scheme without token', ['Bearer'], REFUSED],
    ['an empty token', ['Bearer '], REFUSED],
    ['padding alone', ['Bearer =='], REFUSED],
    ['padding in the middle', ['Bearer a=b'], REFUSED],
    ['a blank inside', ['Bearer a b'], REFUSED],
    ['a quoted token', ['Bearer "abc"'], REFUSED],
    ['two tokens in one line', ['Bearer abc, Bearer abc'], REFUSED],
    ['a character outside ASCII', ['Bearer ä'], REFUSED],
    ['a control character', ['Bearer a\u0000'], REFUSED],
    ['two lines', ['Bearer abc', 'Bearer abc'], REFUSED],
    ['two lines, one of another scheme', ['Basic YTpi', 'Bearer abc'], REFUSED],
    ['a giant token that is none', [`Bearer ${'a='.repeat(500_000)}`], REFUSED],
  ] as const
  for (const [title, lines, expected] of cases) {
    it(title, async () => assert.deepEqual(await ask(guard, authorization(...lines)), expected))
  }

  it('giant tokens too', async () => {
    const token = 'a'.repeat(1_000_000)
    assert.deepEqual(await ask(guard, authorization(`Bearer ${token}`)), seen(token))
  })
})

describe('bearerAuth: the result of verify', () => {
  const answers: readonly (readonly [title: string, verdict: Awaitable<unknown>, expected: unknown])[] = [
    ['an object', { id: 0 }, { identity: { id: 0 } }],
    ['a promise of an object', Promise.resolve({ id: 0 }), { identity: { id: 0 } }],
    ['a text', 'ann', { identity: 'ann' }],
    ['an empty list', [], { identity: [] }],
    ['true', true, { identity: undefined }],
    ['a promise of true', Promise.resolve(true), { identity: undefined }],
    ['false', false, REFUSED],
    ['null', null, REFUSED],
    ['undefined', undefined, REFUSED],
    ['a promise of undefined', Promise.resolve(), REFUSED],
    ['0', 0, REFUSED],
    ['an empty text', '', REFUSED],
  ]
  for (const [title, verdict, expected] of answers) {
    it(`may be ${title}`, async () => {
      const guard = bearerAuth({ verify: () => verdict })
      assert.deepEqual(await ask(guard, authorization('Bearer abc')), expected)
    })
  }

  it('true leaves the identity that there is', async () => {
    const context = createContext(authorization('Bearer abc'))
    context.identity = 'ann'
    assert.equal(await bearerAuth({ verify: () => true }).canActivate(context, {} as never), true)
    assert.equal(context.identity, 'ann')
  })

  it('is asked for with the context and what it injects', async () => {
    const context = createContext(authorization('Bearer abc'))
    const guard = bearerAuth({ verify: (...seen) => ({ seen }) })
    await guard.canActivate(context, {} as never)
    assert.deepEqual((context.identity as { readonly seen: unknown }).seen, ['abc', context, {}])
  })

  it('is not asked for when nothing can be read', async () => {
    const guard = bearerAuth({ verify: () => assert.fail('asked') })
    assert.deepEqual(await ask(guard, authorization('Bearer')), REFUSED)
    assert.deepEqual(await ask(guard, {}), NOTHING)
  })
})

describe('bearerAuth: an error of verify', () => {
  const outage = new Error('the database is gone')
  const limit = new HttpError(429)
  for (const [title, error] of [
    ['an error', outage],
    ['an HttpError', limit],
  ] as const) {
    const fail = (): never => {
      throw error
    }
    for (const [how, verify] of [
      ['at once', fail],
      ['later', async () => fail()],
    ] as const) {
      it(`is passed on: ${title}, ${how}`, async () => {
        const guard = bearerAuth({ verify })
        const context = createContext(authorization('Bearer abc'))
        await assert.rejects(
          async () => guard.canActivate(context, {} as never),
          (thrown) => thrown === error,
        )
      })
    }
  }
})

describe('the 401 of bearerAuth', () => {
  it('has the realm, quoted', async () => {
    const guard = bearerAuth({ realm: 'the "inner" \\ circle', verify: () => true })
    assert.deepEqual(await ask(guard, {}), {
      ...NOTHING,
      challenge: 'Bearer realm="the \\"inner\\" \\\\ circle"',
    })
  })

  it('repeats nothing of what was sent, whatever was wrong', async () => {
    const guard = bearerAuth({ verify: () => undefined })
    const texts = ['Bearer secret', 'Bearer secret secret', 'Bearer'].map(async (line) => {
      const context = createContext(authorization(line))
      try {
        return String(await guard.canActivate(context, {} as never))
      } catch (error) {
        assert.ok(error instanceof HttpError)
        const { message, detail, title, code, headers, members } = error
        return JSON.stringify({ message, detail, title, code, headers, members })
      }
    })
    const [first, ...others] = await Promise.all(texts)
    assert.doesNotMatch(first ?? '', /secret/)
    for (const other of others) assert.equal(other, first)
  })
})

describe('bearerAuth in documents', () => {
  it('is a scheme by its name', () => {
    assert.deepEqual(bearerAuth({ verify: () => true }).security, [
      { bearerAuth: { type: 'http', scheme: 'bearer' } },
    ])
  })

  it('has format and description', () => {
    const guard = bearerAuth({
      schemeName: 'session',
      bearerFormat: 'JWT',
      description: 'From /login',
      verify: () => true,
    })
    assert.equal(guard.name, 'session')
    assert.deepEqual(guard.security, [
      { session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'From /login' } },
    ])
  })
})

describe('bearerAuth with another scheme', () => {
  const guard = bearerAuth({ scheme: 'Token', verify: (token) => token === 'good' && { token } })
  const nothing = { ...NOTHING, challenge: 'Token realm="api"' }
  const refused = { ...REFUSED, challenge: 'Token realm="api", error="invalid_token"' }
  const cases = [
    ['its word', ['Token good'], { identity: { token: 'good' } }],
    ['its word in any case', ['tOKEN good'], { identity: { token: 'good' } }],
    ['another word', ['Bearer good'], nothing],
    ['no header', [], nothing],
    ['a refused token', ['Token bad'], refused],
    ['a word without token', ['Token'], refused],
    ['a token that is none', ['Token "good"'], refused],
  ] as const
  for (const [title, lines, expected] of cases) {
    it(`reads ${title}`, async () => assert.deepEqual(await ask(guard, authorization(...lines)), expected))
  }

  it('is an API key of the Authorization header in documents', () => {
    const key = { type: 'apiKey', in: 'header', name: 'Authorization' }
    assert.equal(guard.name, 'tokenAuth')
    assert.deepEqual(guard.security, [{ tokenAuth: { ...key, description: 'Sent as "Token <token>"' } }])
    const described = bearerAuth({
      scheme: 'Token',
      schemeName: 'session',
      bearerFormat: 'JWT',
      description: 'From /login',
      verify: () => true,
    })
    assert.deepEqual(described.security, [
      { session: { ...key, description: 'From /login. Sent as "Token <JWT>"' } },
    ])
  })

  it('is Bearer in whatever case it is written', () => {
    const { name, security } = bearerAuth({ scheme: 'bearer', verify: () => true })
    assert.equal(name, 'bearerAuth')
    assert.deepEqual(security, [{ bearerAuth: { type: 'http', scheme: 'bearer' } }])
  })

  it('has a name that documents take', () =>
    assert.equal(bearerAuth({ scheme: 'X!y', verify: () => true }).name, 'x-yAuth'))
})

describe('a verify without return', () => {
  it('is told of in the log, for those whom no compiler warned', async () => {
    const debug = mock.fn()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what only JavaScript lets through
    const verify = (async (token: string) => void token) as unknown as (token: string) => undefined
    const context = Object.assign(createContext(authorization('Bearer good')), { log: { debug } })
    const refused = bearerAuth({ verify }).canActivate(context, {} as never)
    await assert.rejects(async () => refused, { code: 'invalid_credentials' })
    assert.deepEqual(debug.mock.calls[0]?.arguments, [
      { guard: 'bearerAuth' },
      'Credentials were refused by undefined: check that the function of the guard returns its result',
    ])
  })
})
