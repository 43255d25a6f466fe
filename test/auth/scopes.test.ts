import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, VersioningSchemes } from 'octavo'
import { anyOf, apiKey, bearerAuth, jwtAuth, optional, resourceMetadata, scopes } from 'octavo/auth'
import type { AnyGuard, App } from 'octavo'
import type { JwtOptions } from 'octavo/auth'
import { SignJWT } from 'jose'

const SECRET = new TextEncoder().encode('a secret of thirty-two characters')
const TOKENS = {
  issuer: 'https://auth.example.com',
  audience: 'https://api.example.com',
  secret: SECRET,
  algorithms: ['HS256'],
} as const satisfies JwtOptions

const sign = (claims: Readonly<Record<string, unknown>>): Promise<string> =>
  new SignJWT({ sub: 'ann', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(TOKENS.issuer)
    .setAudience(TOKENS.audience)
    .setExpirationTime('2h')
    .sign(SECRET)

function serve(outer: readonly AnyGuard[], guards: readonly AnyGuard[] = [scopes('cars:write')]): App {
  const cars = defineController({
    prefix: '/car',
    name: 'car',
    guards: outer,
    routes: [{ method: 'POST', name: 'add', guards, handler: () => 'added' }],
  })
  return createApp(defineModule({ controllers: [cars] }), { logger: false })
}

async function ask(app: App, token?: string, more: Record<string, string> = {}): Promise<readonly unknown[]> {
  const headers = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...more }
  const response = await app.inject({ method: 'POST', url: '/car', headers })
  const { code } = Object(response.json())
  return [response.statusCode, code, response.headers['www-authenticate']]
}

const ADDED = [200, undefined, undefined]
const LACKS = [
  403,
  'insufficient_scope',
  'Bearer realm="api", error="insufficient_scope", scope="cars:write"',
]

describe('scopes', () => {
  const app = serve([jwtAuth(TOKENS)])
  const cases: readonly (readonly [
    title: string,
    claims: Record<string, unknown>,
    expected: readonly unknown[],
  ])[] = [
    ['a token with the scope alone', { scope: 'cars:write' }, ADDED],
    ['a token with several', { scope: 'cars:read cars:write' }, ADDED],
    ['a token with a list of scp', { scp: ['cars:read', 'cars:write'] }, ADDED],
    ['a token with a text of scp', { scp: 'cars:read cars:write' }, ADDED],
    ['a token without scopes', {}, LACKS],
    ['a token with another scope', { scope: 'cars:read' }, LACKS],
    ['a token with a longer scope', { scope: 'cars:write:all' }, LACKS],
    ['a token with a scope in other letters', { scope: 'Cars:write' }, LACKS],
    ['a token whose scope is a number', { scope: 7 }, LACKS],
  ]
  for (const [title, claims, expected] of cases)
    it(`see ${title}`, async () => assert.deepEqual(await ask(app, await sign(claims)), expected))

  it('need all that they name, and say so', async () => {
    const both = serve([jwtAuth(TOKENS)], [scopes('cars:read', 'cars:write')])
    assert.deepEqual(await ask(both, await sign({ scope: 'cars:write cars:read' })), ADDED)
    const response = await both.inject({
      method: 'POST',
      url: '/car',
      headers: { authorization: `Bearer ${await sign({ scope: 'cars:write' })}` },
    })
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:insufficient-scope',
      title: 'Insufficient scope',
      status: 403,
      detail: 'The token does not have the scopes that this needs',
      code: 'insufficient_scope',
      scope: 'cars:read cars:write',
    })
  })
  it('of jwtAuth hold for every token', async () => {
    const guarded = serve([jwtAuth({ ...TOKENS, scopes: ['cars:write'] })], [])
    assert.deepEqual(await ask(guarded, await sign({ scope: 'cars:write' })), ADDED)
    assert.deepEqual(await ask(guarded, await sign({ scope: 'cars:read' })), LACKS)
  })
  it('leave a request without a token a 401', async () => {
    const challenge = 'Bearer realm="api"'
    assert.deepEqual(await ask(app), [401, 'unauthenticated', challenge])
    const visited = serve([optional(jwtAuth(TOKENS))])
    assert.deepEqual(await ask(visited), [401, 'unauthenticated', `${challenge}, scope="cars:write"`])
  })
  it('are not those of other credentials', async () => {
    const Partner = apiKey({ in: 'header', name: 'x-key', verify: () => ({ partner: 'acme' }) })
    const either = serve([anyOf(jwtAuth(TOKENS), Partner)])
    assert.deepEqual(await ask(either, await sign({ scope: 'cars:write' })), ADDED)
    assert.deepEqual(await ask(either, undefined, { 'x-key': 'k3y' }), LACKS)
  })
  it('are not those of a token whose identity was refused', async () => {
    const Partner = apiKey({ in: 'header', name: 'x-key', verify: () => ({ partner: 'acme' }) })
    const either = serve([anyOf(jwtAuth({ ...TOKENS, identity: () => undefined }), Partner)])
    assert.deepEqual(await ask(either, await sign({ scope: 'cars:write' }), { 'x-key': 'k3y' }), LACKS)
  })
  it('let nobody pass if no guard reads tokens', async () => {
    const none = serve([bearerAuth({ verify: () => true })])
    assert.deepEqual(await ask(none, 'abc'), [500, 'internal_error', undefined])
  })
  for (const [title, names] of [
    ['no scope', []],
    ['a scope with a blank', ['a b']],
    ['a scope with a quote', ['a"b']],
    ['an empty scope', ['']],
    ['a list', [['a']]],
  ] as const) {
    it(`are a mistake with ${title}`, () => {
      assert.throws(() => Reflect.apply(scopes, undefined, [...names]), DefinitionError)
    })
  }
})

describe('scopes in documents', () => {
  async function documented(outer: readonly AnyGuard[], guards?: readonly AnyGuard[]) {
    const app = serve(outer, guards)
    await app.ready()
    const { paths, components } = app.openapi()
    const operation = paths['/car']?.['post']
    const { security, responses = {} } = operation ?? {}
    return { security, responses, answers: Object.keys(responses), refusal: responses['403'], components }
  }
  const Partner = apiKey({ in: 'header', name: 'x-key', verify: () => ({ partner: 'acme' }) })

  it('are those of the guards', async () => {
    const { security, answers, refusal, components } = await documented([jwtAuth(TOKENS)])
    assert.deepEqual(security, [{ jwtAuth: ['cars:write'] }])
    assert.deepEqual(components.securitySchemes, {
      jwtAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    })
    assert.ok(answers.includes('401') && answers.includes('403'))
    assert.match(JSON.stringify(refusal), /does not have the scopes/)
  })
  const cases: readonly (readonly [
    title: string,
    outer: readonly AnyGuard[],
    guards: readonly AnyGuard[],
    security: unknown,
  ])[] = [
    ['no scope at all', [jwtAuth(TOKENS)], [], [{ jwtAuth: [] }]],
    [
      'of several guards',
      [jwtAuth({ ...TOKENS, scopes: ['b', 'c'] })],
      [scopes('a', 'b')],
      [{ jwtAuth: ['a', 'b', 'c'] }],
    ],
    [
      'of a token that is optional elsewhere',
      [optional(jwtAuth(TOKENS))],
      [scopes('a')],
      [{ jwtAuth: ['a'] }],
    ],
    [
      'of one of several credentials',
      [anyOf(jwtAuth({ ...TOKENS, scopes: ['a'] }), Partner)],
      [],
      [{ jwtAuth: ['a'] }, { 'header-x-key': [] }],
    ],
    ['that only tokens can have', [anyOf(jwtAuth(TOKENS), Partner)], [scopes('a')], [{ jwtAuth: ['a'] }]],
    [
      'beside other credentials',
      [Partner, jwtAuth(TOKENS)],
      [scopes('a')],
      [{ 'header-x-key': [], jwtAuth: ['a'] }],
    ],
  ]
  for (const [title, outer, guards, expected] of cases) {
    it(`are those ${title}`, async () => {
      assert.deepEqual((await documented(outer, guards)).security, expected)
    })
  }
  it('have the same responses if a token is one of several credentials', async () => {
    const tokens = jwtAuth({
      issuer: TOKENS.issuer,
      audience: TOKENS.audience,
      jwks: 'https://auth.example.com/jwks.json',
      algorithms: ['ES256'],
      scopes: ['a'],
    })
    const alone = await documented([tokens], [])
    assert.deepEqual(alone.answers, ['401', '403', '500', '503', '2XX', 'default'])
    for (const guard of [anyOf(tokens, Partner), anyOf(Partner, anyOf(tokens, Partner))])
      assert.deepEqual((await documented([guard], [])).responses, alone.responses)
  })
  it('belong to the scheme that you name', async () => {
    const openIdConnectUrl = 'https://auth.example.com/.well-known/openid-configuration'
    const securityScheme = { type: 'openIdConnect', openIdConnectUrl } as const
    const { security, components } = await documented([
      jwtAuth({ ...TOKENS, securityScheme, schemeName: 'login', description: 'Ask us' }),
    ])
    assert.deepEqual(security, [{ login: ['cars:write'] }])
    assert.deepEqual(components.securitySchemes, { login: { ...securityScheme, description: 'Ask us' } })
  })
  for (const [title, outer, guards] of [
    ['without a guard that takes tokens', [Partner], [scopes('cars:write')]],
    ['before the guard that takes tokens', [scopes('cars:write')], [jwtAuth(TOKENS)]],
    ['behind tokens that are not read', [bearerAuth({ verify: () => true })], [scopes('cars:write')]],
  ] as const) {
    it(`are a mistake ${title}`, async () => {
      const app = serve(outer, guards)
      await assert.rejects(async () => {
        await app.ready()
        app.openapi()
      }, /a guard needs the scope cars:write, and no guard of jwtAuth is before it/)
    })
  }
})

describe('resourceMetadata', () => {
  const metadata = resourceMetadata({
    resource: 'https://api.example.com/v2',
    authorizationServers: ['https://auth.example.com'],
    scopes: ['cars:read', 'cars:write'],
    documentation: 'https://example.com/docs',
    more: { resource_policy_uri: 'https://example.com/policy' },
  })
  const url = '/.well-known/oauth-protected-resource/v2'

  it('is named by the challenges', async () => {
    assert.equal(metadata.url, `https://api.example.com${url}`)
    const app = serve([jwtAuth({ ...TOKENS, resourceMetadata: metadata.url })])
    const [, , asked] = await ask(app)
    assert.equal(asked, `Bearer realm="api", resource_metadata="${metadata.url}"`)
    const [, , refused] = await ask(app, 'a.b.c')
    assert.equal(refused, `Bearer realm="api", error="invalid_token", resource_metadata="${metadata.url}"`)
    const [, , lacking] = await ask(app, await sign({}))
    assert.match(String(lacking), /error="insufficient_scope", scope="cars:write", resource_metadata="https/)
  })

  it('is served before guards and versions, below no prefix', async () => {
    const cars = defineController({
      prefix: '/car',
      version: '1',
      routes: [{ method: 'GET', handler: () => 'cars' }],
    })
    const app = createApp(defineModule({ controllers: [cars] }), {
      logger: false,
      prefix: '/api',
      guards: [jwtAuth(TOKENS)],
      middleware: [metadata],
    })
    app.enableVersioning(VersioningSchemes.HEADER)
    const response = await app.inject(url)
    assert.deepEqual(response.json(), {
      resource: 'https://api.example.com/v2',
      authorization_servers: ['https://auth.example.com'],
      scopes_supported: ['cars:read', 'cars:write'],
      bearer_methods_supported: ['header'],
      resource_documentation: 'https://example.com/docs',
      resource_policy_uri: 'https://example.com/policy',
    })
    assert.equal(response.headers['cache-control'], 'max-age=3600')
    const head = await app.inject({ method: 'HEAD', url })
    assert.deepEqual([head.statusCode, head.body], [200, ''])
    const statuses = [await app.inject({ method: 'POST', url }), await app.inject(`${url}/x`)]
    assert.deepEqual(
      statuses.map(({ statusCode }) => statusCode),
      [404, 404],
    )
  })

  it('of a host has the plain path', () => {
    const { url: plain } = resourceMetadata({
      resource: 'https://api.example.com',
      authorizationServers: ['https://auth.example.com'],
    })
    assert.equal(plain, 'https://api.example.com/.well-known/oauth-protected-resource')
  })

  for (const [title, options] of [
    ['no resource', { authorizationServers: ['https://auth.example.com'] }],
    [
      'a resource with a fragment',
      { resource: 'https://a.example/#x', authorizationServers: ['https://b.example'] },
    ],
    ['no server', { resource: 'https://a.example', authorizationServers: [] }],
  ] as const) {
    it(`is a mistake with ${title}`, () => {
      assert.throws(() => Reflect.apply(resourceMetadata, undefined, [options]), DefinitionError)
    })
  }
})
