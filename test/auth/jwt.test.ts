import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, describe, it, mock } from 'node:test'

import { createApp, defineController, defineModule, defineProvider, DefinitionError } from 'octavo'
import { anyOf, apiKey, jwtAuth, optional } from 'octavo/auth'
import type { AnyGuard, App, Guard, Logger } from 'octavo'
import type { JwtClaims, JwtOptions } from 'octavo/auth'
import { expectTypeOf } from 'expect-type'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import type { JWTHeaderParameters } from 'jose'
import { z } from 'zod'

const ISSUER = 'https://auth.example.com'
const AUDIENCE = 'https://api.example.com'
const OURS = { issuer: ISSUER, audience: AUDIENCE }
const SECRET = 'a secret of thirty-two characters'

const pairs = {
  RS256: await generateKeyPair('RS256', { extractable: true }),
  ES256: await generateKeyPair('ES256', { extractable: true }),
  EdDSA: await generateKeyPair('EdDSA', { extractable: true }),
}
const jwkOf = async (alg: keyof typeof pairs) => ({
  ...(await exportJWK(pairs[alg].publicKey)),
  alg,
  kid: alg,
})
const jwks = { keys: [await jwkOf('RS256'), await jwkOf('ES256'), await jwkOf('EdDSA')] }
const spki = await exportSPKI(pairs.RS256.publicKey)
const privateJwk = await exportJWK(pairs.ES256.privateKey)
const es256 = { ...OURS, jwks, algorithms: ['ES256'] } as const

type SigningKey = Parameters<SignJWT['sign']>[0]

const seconds = (): number => Math.floor(Date.now() / 1000)

/** A token like that of the issuer but for what is given. */
function sign(
  claims: Readonly<Record<string, unknown>> = {},
  header: Partial<JWTHeaderParameters> = {},
  key: SigningKey = pairs.ES256.privateKey,
): Promise<string> {
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: 'ann', exp: seconds() + 600, ...claims }
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'ES256', ...header }).sign(key)
}

/** Signs texts as they are: objects cannot have a name twice. */
async function signTexts(header: string, payload: string): Promise<string> {
  const data = [header, payload].map((text) => Buffer.from(text).toString('base64url')).join('.')
  const signature = await crypto.subtle.sign(
    { name: 'ECDSA', hash: 'SHA-256' },
    pairs.ES256.privateKey,
    Buffer.from(data),
  )
  return `${data}.${Buffer.from(signature).toString('base64url')}`
}

function serve(guard: AnyGuard, logger: Logger | false = false): App {
  const cars = defineController({
    prefix: '/car',
    guards: [guard],
    routes: [{ method: 'GET', handler: (_input, { identity }) => identity ?? 'nobody' }],
  })
  return createApp(defineModule({ controllers: [cars] }), {
    logger,
    // a token of 100 kB would not reach the guard otherwise
    limits: { headers: 1_000_000 },
  })
}

async function ask(app: App, token?: string): Promise<readonly unknown[]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const response = await app.inject({ url: '/car', headers })
  const body: unknown = response.json()
  if (response.statusCode === 200) return [200, body]
  const { code } = body as { readonly code: unknown }
  return [response.statusCode, code, response.headers['www-authenticate']]
}

const REFUSED = [401, 'invalid_credentials', 'Bearer realm="api", error="invalid_token"']
const subject = (claims: JwtClaims): string | undefined => claims.sub

describe('jwtAuth accepts', () => {
  for (const alg of ['RS256', 'ES256', 'EdDSA'] as const) {
    it(`${alg} by a JWKS`, async () => {
      const app = serve(jwtAuth({ ...OURS, jwks, algorithms: [alg], identity: subject }))
      assert.deepEqual(await ask(app, await sign({}, { alg, kid: alg }, pairs[alg].privateKey)), [200, 'ann'])
    })
    it(`${alg} by a public key as PEM, JWK and CryptoKey`, async () => {
      const { publicKey, privateKey } = pairs[alg]
      const token = await sign({}, { alg, kid: 'any' }, privateKey)
      for (const key of [await exportSPKI(publicKey), await jwkOf(alg), publicKey]) {
        const app = serve(jwtAuth({ ...OURS, publicKey: key, algorithms: [alg], identity: subject }))
        assert.deepEqual(await ask(app, token), [200, 'ann'])
      }
    })
  }
  it('HS256 by a secret', async () => {
    const app = serve(jwtAuth({ ...OURS, secret: SECRET, algorithms: ['HS256'], identity: subject }))
    const key = Buffer.from(SECRET)
    assert.deepEqual(await ask(app, await sign({}, { alg: 'HS256' }, key)), [200, 'ann'])
    const other = Buffer.from(SECRET.toUpperCase())
    assert.deepEqual(await ask(app, await sign({}, { alg: 'HS256' }, other)), REFUSED)
  })

  const app = serve(jwtAuth({ ...es256, identity: subject }))
  const good: readonly (readonly [title: string, token: () => Promise<string>])[] = [
    ['one of several audiences', () => sign({ aud: ['other', AUDIENCE] })],
    ['the type JWT', () => sign({}, { typ: 'JWT' })],
    ['the type of access tokens', () => sign({}, { typ: 'application/AT+jwt' })],
    ['a clock that is a little ahead', () => sign({ nbf: seconds() + 3 })],
    ['a clock that is a little behind', () => sign({ exp: seconds() - 3 })],
  ]
  for (const [title, token] of good)
    it(title, async () => assert.deepEqual(await ask(app, await token()), [200, 'ann']))

  it('tokens of any of several issuers', async () => {
    const guard = jwtAuth({ ...es256, issuer: ['https://old.example.com', ISSUER], identity: subject })
    assert.deepEqual(await ask(serve(guard), await sign()), [200, 'ann'])
  })
  it('other types, if it is told so', async () => {
    const logout = serve(jwtAuth({ ...es256, typ: ['logout+jwt'], identity: subject }))
    assert.deepEqual(await ask(logout, await sign({}, { typ: 'logout+jwt' })), [200, 'ann'])
    assert.deepEqual(await ask(logout, await sign({}, { typ: 'JWT' })), REFUSED)
    assert.deepEqual(await ask(logout, await sign()), REFUSED)
  })
})

describe('jwtAuth refuses', () => {
  const app = serve(jwtAuth({ ...es256, identity: subject }))
  const claims = (more: string): string =>
    `{"iss":"${ISSUER}","aud":"${AUDIENCE}","sub":"ann","exp":${seconds() + 600}${more}}`
  const HEADER = '{"alg":"ES256","kid":"ES256"}'

  it('no claims of 64 levels', async () => {
    const token = await signTexts(HEADER, claims(`,"x":${'{"x":'.repeat(63)}1${'}'.repeat(63)}`))
    assert.deepEqual(await ask(app, token), [200, 'ann'])
  })
  it('nothing that is signed like these tokens', async () => {
    assert.deepEqual(await ask(app, await signTexts(HEADER, claims(',"n":{"a":[{"b":1}]}'))), [200, 'ann'])
  })

  const bad: readonly (readonly [title: string, token: () => Promise<string> | string])[] = [
    ['nonsense', () => 'abc'],
    ['three parts of nonsense', () => 'a.b.c'],
    ['five parts, as encrypted tokens have', () => 'a.b.c.d.e'],
    ['alg none', () => new UnsecuredJWT({ sub: 'ann' }).setIssuer(ISSUER).setAudience(AUDIENCE).encode()],
    [
      'alg none with a signature',
      async () => (await sign()).replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString('base64url')),
    ],
    ['the public key as the secret of HS256', () => sign({}, { alg: 'HS256' }, Buffer.from(spki))],
    [
      'an algorithm of the JWKS that is not in the list',
      () => sign({}, { alg: 'RS256', kid: 'RS256' }, pairs.RS256.privateKey),
    ],
    ['the key of another algorithm', () => sign({}, { alg: 'RS256', kid: 'ES256' }, pairs.RS256.privateKey)],
    ['another issuer', () => sign({ iss: 'https://evil.example' })],
    ['no issuer', () => sign({ iss: undefined })],
    ['another audience', () => sign({ aud: 'https://api.example.com/' })],
    ['no audience', () => sign({ aud: undefined })],
    ['another type', () => sign({}, { typ: 'logout+jwt' })],
    ['a type that is no text', () => signTexts('{"alg":"ES256","kid":"ES256","typ":["JWT"]}', claims(''))],
    ['a token that has expired', () => sign({ exp: seconds() - 6 })],
    ['a token that is not valid yet', () => sign({ nbf: seconds() + 10 })],
    ['no expiry', () => sign({ exp: undefined })],
    [
      'an expiry that is no number',
      () => signTexts(HEADER, claims('').replace(/"exp":\d+/, '"exp":"never"')),
    ],
    ['an unknown kid', () => sign({}, { kid: 'another' })],
    ['the key of somebody else', async () => sign({}, {}, (await generateKeyPair('ES256')).privateKey)],
    [
      'a changed payload',
      async () =>
        (await sign()).replace(
          /\.[^.]+\./,
          `.${Buffer.from(claims(',"admin":true')).toString('base64url')}.`,
        ),
    ],
    ['a cut signature', async () => (await sign()).slice(0, -4)],
    ['a token of 100 kB', () => sign({ fill: 'x'.repeat(75_000) })],
    [
      'a critical extension',
      () => signTexts('{"alg":"ES256","kid":"ES256","crit":["exp"],"exp":1}', claims('')),
    ],
    [
      'a critical b64',
      () => signTexts('{"alg":"ES256","kid":"ES256","crit":["b64"],"b64":true}', claims('')),
    ],
    ['a claim that is there twice', () => signTexts(HEADER, claims(',"sub":"bob"'))],
    ['a claim that is there twice, once escaped', () => signTexts(HEADER, claims(',"s\\u0075b":"bob"'))],
    ['a member of a claim that is there twice', () => signTexts(HEADER, claims(',"act":{"sub":1,"sub":2}'))],
    [
      'a header that is there twice',
      () => signTexts('{"alg":"none","alg":"ES256","kid":"ES256"}', claims('')),
    ],
    ['claims that are no object', () => signTexts(HEADER, '"ann"')],
    ['claims of many lists', () => signTexts(HEADER, claims(`,"x":${'['.repeat(5000)}${']'.repeat(5000)}`))],
    [
      'claims of many objects',
      () => signTexts(HEADER, claims(`,"x":${'{"x":'.repeat(64)}1${'}'.repeat(64)}`)),
    ],
    ['a subject that is no text', () => sign({ sub: 7 })],
    ['an id that is no text', () => sign({ jti: ['7'] })],
    ['a time of issue that is no number', () => sign({ iat: 'today' })],
    [
      'a header of many levels',
      () => signTexts(`{"alg":"ES256","x":${'['.repeat(5000)}${']'.repeat(5000)}}`, claims('')),
    ],
  ]
  for (const [title, token] of bad)
    it(title, async () => assert.deepEqual(await ask(app, await token()), REFUSED))

  it('a request without a token', async () => {
    assert.deepEqual(await ask(app), [401, 'unauthenticated', 'Bearer realm="api"'])
  })

  it('keys that the token brings along', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    const jwk = await exportJWK(publicKey)
    const fetched = mock.method(globalThis, 'fetch', () => assert.fail('asked'))
    const url = 'https://evil.example/jwks.json'
    try {
      for (const header of [{ jwk }, { jku: url }, { x5u: url }]) {
        assert.deepEqual(await ask(app, await sign({}, header, privateKey)), REFUSED)
        assert.deepEqual(await ask(app, await sign({}, header)), [200, 'ann'])
      }
      assert.equal(fetched.mock.callCount(), 0)
    } finally {
      fetched.mock.restore()
    }
  })
})

describe('a token that jwtAuth remembers', () => {
  afterEach(() => mock.timers.reset())

  it('expires', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const app = serve(jwtAuth({ ...es256, clockTolerance: 0, identity: subject }))
    const token = await sign({ exp: seconds() + 20 })
    assert.deepEqual(await ask(app, token), [200, 'ann'])
    mock.timers.tick(19_000)
    assert.deepEqual(await ask(app, token), [200, 'ann'])
    mock.timers.tick(1_000)
    assert.deepEqual(await ask(app, token), REFUSED)
  })

  it('is verified once, and again after a minute', async () => {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const verified = mock.method(crypto.subtle, 'verify')
    try {
      const app = serve(jwtAuth({ ...es256, maxTokens: 1 }))
      const [one, other] = [await sign(), await sign({ sub: 'bob' })]
      const count = async (token: string): Promise<number> => {
        const before = verified.mock.callCount()
        assert.equal((await ask(app, token))[0], 200)
        return verified.mock.callCount() - before
      }
      assert.deepEqual([await count(one), await count(one)], [1, 0])
      mock.timers.tick(60_000)
      assert.deepEqual([await count(one), await count(one)], [1, 0])
      // of which there is room for one
      assert.deepEqual([await count(other), await count(one)], [1, 1])
      // of the last character of 64 bytes, four bits are unused
      const changed = one.slice(0, -1) + String.fromCharCode(one.charCodeAt(one.length - 1) + 1)
      assert.deepEqual([await count(changed), await count(one)], [1, 0])
      const none = serve(jwtAuth({ ...es256, maxTokens: 0 }))
      const before = verified.mock.callCount()
      for (const _ of [1, 2]) await ask(none, one)
      assert.equal(verified.mock.callCount() - before, 2)
    } finally {
      verified.mock.restore()
    }
  })

  it('is not changed by a handler', async () => {
    const seen: unknown[] = []
    const guard = jwtAuth({
      ...es256,
      identity: (claims) => {
        seen.push(claims['roles'])
        return Reflect.set(Object(claims['roles']), 'length', 0) ? 'changed' : 'kept'
      },
    })
    const app = serve(guard)
    const token = await sign({ roles: ['driver'] })
    assert.deepEqual(
      [await ask(app, token), await ask(app, token)],
      [
        [200, 'kept'],
        [200, 'kept'],
      ],
    )
    assert.deepEqual(seen, [['driver'], ['driver']])
  })
})

describe('the identity of jwtAuth', () => {
  const User = z.object({ sub: z.string(), role: z.enum(['driver', 'manager']).default('driver') })

  it('is the claims, or what the schema makes of them', async () => {
    const plain = jwtAuth(es256)
    expectTypeOf(plain).toEqualTypeOf<Guard<JwtClaims>>()
    const typed = jwtAuth({ ...es256, claims: User })
    expectTypeOf(typed).toEqualTypeOf<Guard<z.output<typeof User>>>()
    const token = await sign({ exp: 4_000_000_000 })
    assert.deepEqual(await ask(serve(plain), token), [
      200,
      { iss: ISSUER, aud: AUDIENCE, sub: 'ann', exp: 4_000_000_000 },
    ])
    assert.deepEqual(await ask(serve(typed), token), [200, { sub: 'ann', role: 'driver' }])
  })
  it('may have a subject of another type, if the schema has it', async () => {
    const app = serve(jwtAuth({ ...es256, claims: z.object({ sub: z.number() }) }))
    assert.deepEqual(await ask(app, await sign({ sub: 7 })), [200, { sub: 7 }])
  })
  it('is refused if the claims do not fit', async () => {
    const app = serve(jwtAuth({ ...es256, claims: User }))
    assert.deepEqual(await ask(app, await sign({ role: 'owner' })), REFUSED)
  })
  it('is what the function returns, with what it injects', async () => {
    const Users = defineProvider({ name: 'Users', create: () => new Map([['ann', { name: 'Ann' }]]) })
    const guard = jwtAuth({
      ...es256,
      claims: User,
      inject: { users: Users },
      identity: async ({ sub }, _context, { users }) => users.get(sub),
    })
    expectTypeOf(guard).toEqualTypeOf<Guard<{ name: string }>>()
    const cars = defineController({
      prefix: '/car',
      guards: [guard],
      routes: [{ method: 'GET', handler: (_input, { identity }) => identity.name }],
    })
    const app = createApp(defineModule({ controllers: [cars], providers: [Users] }), { logger: false })
    assert.deepEqual(await ask(app as unknown as App, await sign()), [200, 'Ann'])
    assert.deepEqual(await ask(app as unknown as App, await sign({ sub: 'bob' })), REFUSED)
  })
  it('may be absent if the guard is optional, but not wrong', async () => {
    const app = serve(optional(jwtAuth({ ...es256, identity: subject })))
    assert.deepEqual(await ask(app), [200, 'nobody'])
    assert.deepEqual(await ask(app, await sign()), [200, 'ann'])
    assert.deepEqual(await ask(app, 'a.b.c'), REFUSED)
  })
  it('is that of another guard of anyOf', async () => {
    const Partner = apiKey({
      in: 'header',
      name: 'x-key',
      verify: (key) => (key === 'k3y' ? 'acme' : undefined),
    })
    const app = serve(anyOf(jwtAuth({ ...es256, identity: subject }), Partner))
    assert.deepEqual(await ask(app, await sign()), [200, 'ann'])
    const partner = await app.inject({ url: '/car', headers: { 'x-key': 'k3y' } })
    assert.equal(partner.json(), 'acme')
  })
})

describe('isRevoked of jwtAuth', () => {
  it('is asked with every request', async () => {
    const revoked = new Set<unknown>()
    const app = serve(
      jwtAuth({
        ...es256,
        isRevoked: async ({ jti }) => revoked.has(jti),
        claims: z.object({ sub: z.string() }),
      }),
    )
    const token = await sign({ jti: '7' })
    assert.deepEqual(await ask(app, token), [200, { sub: 'ann' }])
    revoked.add('7')
    assert.deepEqual(await ask(app, token), REFUSED)
  })
  it('fails the request if it fails', async () => {
    const app = serve(jwtAuth({ ...es256, isRevoked: () => Promise.reject(new Error('the store is away')) }))
    assert.deepEqual((await ask(app, await sign())).slice(0, 2), [500, 'internal_error'])
  })
})

describe('jwtAuth: its messages', () => {
  it('holds neither tokens nor secrets, in answers and in the log', async () => {
    const lines: string[] = []
    const log = (details: object, message?: string): void => {
      const err: unknown = Reflect.get(details, 'err')
      lines.push(`${message} ${JSON.stringify(details)} ${err instanceof Error ? String(err.stack) : ''}`)
    }
    const logger = { debug: log, info: log, warn: log, error: log }
    const app = serve(jwtAuth({ ...OURS, secret: SECRET, algorithms: ['HS256'] }), logger)
    const tokens = [
      await sign({ sub: 'ann-s3cret' }, { alg: 'HS256' }, Buffer.from('another secret of 32 characters!')),
      await sign({ sub: 'ann-s3cret', exp: 1 }, { alg: 'HS256' }, Buffer.from(SECRET)),
      'n0nsense',
    ]
    for (const token of tokens) {
      const response = await app.inject({ url: '/car', headers: { authorization: `Bearer ${token}` } })
      lines.push(response.body, JSON.stringify(response.headers))
    }
    assert.match(lines.join('\n'), /A token was refused .*"reason":"ERR_JWT_EXPIRED exp"/)
    for (const secret of [...tokens, ...tokens.flatMap((token) => token.split('.')), SECRET, 'ann-s3cret'])
      assert.ok(!lines.join('\n').includes(secret), 'it was written')
  })
})

describe('options of jwtAuth', () => {
  const jwk = jwks.keys[1]
  const cases: readonly (readonly [title: string, options: object, message: RegExp])[] = [
    [
      'without all of them',
      {},
      /issuer is missing.*audience is missing.*algorithms is missing.*there is no key/s,
    ],
    ['without algorithms', { ...OURS, jwks }, /algorithms is missing/],
    ['with an unknown algorithm', { ...es256, algorithms: ['none'] }, /algorithms\[0\] is "none"/],
    ['with no algorithm', { ...es256, algorithms: [] }, /algorithms is an empty list/],
    ['with two kinds of keys', { ...es256, secret: SECRET }, /jwks and secret are given/],
    ['with HS256 by a JWKS', { ...es256, algorithms: ['ES256', 'HS256'] }, /"HS256" does not go with jwks/],
    [
      'with HS256 by a public key',
      { ...OURS, publicKey: jwk, algorithms: ['HS256'] },
      /"HS256" does not go with publicKey/,
    ],
    [
      'with ES256 by a secret',
      { ...OURS, secret: SECRET, algorithms: ['ES256'] },
      /"ES256" does not go with secret/,
    ],
    [
      'with a short secret',
      { ...OURS, secret: 'x'.repeat(31), algorithms: ['HS256'] },
      /secret is a string of 31 characters. Give a text or Uint8Array of 256 bits/,
    ],
    [
      'with a private key',
      { ...OURS, publicKey: privateJwk, algorithms: ['ES256'] },
      /publicKey holds a key that is not public/,
    ],
    [
      'with a private key in the JWKS',
      { ...es256, jwks: { keys: [jwk, privateJwk] } },
      /jwks\.keys\[1\] holds a key that is not public/,
    ],
    [
      'with a URL of metadata that no header can hold',
      { ...es256, resourceMetadata: 'https://bücher.example/metadata' },
      /resourceMetadata is .*Give the URL of a document, in ASCII/,
    ],
    [
      'with a URL of metadata of two lines',
      { ...es256, resourceMetadata: 'https://a.example/\r\nset-cookie: a=b' },
      /resourceMetadata is /,
    ],
    [
      'with several algorithms of one key',
      { ...OURS, publicKey: jwk, algorithms: ['ES256', 'RS256'] },
      /several algorithms/,
    ],
    ['with a JWKS that is no URL', { ...es256, jwks: 'jwks.json' }, /jwks is a string of 9 characters/],
    ['with a scope that has a blank', { ...es256, scopes: ['a b'] }, /scopes\[0\]/],
    ['with an unknown one', { ...es256, jwksUrl: 'x' }, /there is no option "jwksUrl"/],
  ]
  for (const [title, options, message] of cases) {
    it(`are a mistake ${title}`, () => {
      assert.throws(
        () => jwtAuth(options as JwtOptions),
        (error) =>
          error instanceof DefinitionError && message.test(error.message) && !error.message.includes(SECRET),
      )
    })
  }
  it('tell of a key that is none with the first request', async () => {
    const publicKey = `-----BEGIN PUBLIC KEY-----\n${createHash('sha256').update('x').digest('base64')}\n-----END PUBLIC KEY-----`
    const app = serve(jwtAuth({ ...OURS, publicKey, algorithms: ['ES256'] }))
    assert.deepEqual((await ask(app, await sign())).slice(0, 2), [500, 'internal_error'])
  })
})

describe('jwtAuth with another scheme', () => {
  const guard = jwtAuth({ ...es256, scheme: 'Token' })
  const send = (authorization: string) => serve(guard).inject({ url: '/car', headers: { authorization } })

  it('reads its word in any case, and asks for it', async () => {
    const token = await sign()
    assert.equal((await send(`token ${token}`)).statusCode, 200)
    const other = await send(`Bearer ${token}`)
    assert.deepEqual([other.statusCode, other.headers['www-authenticate']], [401, 'Token realm="api"'])
  })

  it('is an API key of the Authorization header in documents', () =>
    assert.deepEqual(guard.security, [
      {
        jwtAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'Sent as "Token <JWT>"',
        },
      },
    ]))
})
