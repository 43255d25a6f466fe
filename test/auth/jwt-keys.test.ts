import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'

import { createApp, defineController, defineModule } from 'octavo'
import { jwtAuth } from 'octavo/auth'
import type { App, Logger } from 'octavo'
import type { JwtOptions } from 'octavo/auth'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

const ISSUER = 'https://auth.example.com'
const AUDIENCE = 'https://api.example.com'

const keys = { old: await generateKeyPair('ES256'), new: await generateKeyPair('ES256') }

type KeyName = keyof typeof keys

const sign = (kid: KeyName, name: string = kid): Promise<string> =>
  new SignJWT({ sub: 'ann' })
    .setProtectedHeader({ alg: 'ES256', kid: name })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('2h')
    .sign(keys[kid].privateKey)

const FAULTS = ['status', 'nonsense', 'no keys', 'odd keys', 'never', 'half', 'elsewhere', 'endless'] as const

describe('the JWKS of jwtAuth', () => {
  let server: Server
  let url = ''
  let asked = 0
  let close = (): void => undefined
  let published: readonly KeyName[] = ['old']
  let answer: 'well' | 'long' | (typeof FAULTS)[number] = 'well'

  beforeEach(async () => {
    asked = 0
    published = ['old']
    answer = 'well'
    server = createServer(async (_request, response) => {
      asked++
      if (answer === 'never') return
      if (answer === 'elsewhere') response.writeHead(302, { location: '/other' })
      if (answer === 'status') response.writeHead(500)
      if (answer === 'nonsense') response.write('<html>')
      if (answer === 'half') return void response.write('{"keys":[')
      if (answer === 'endless') {
        response.once('close', () => close())
        const more = (): void => {
          if (!response.destroyed) response.write(' '.repeat(16_384), () => setImmediate(more))
        }
        return more()
      }
      // a certificate for each key, or many keys
      if (answer === 'long') response.write(' '.repeat(200_000))
      if (answer === 'odd keys') return void response.end('{"keys":[null,7]}')
      if (answer !== 'well' && answer !== 'long') return void response.end(answer === 'no keys' ? '{}' : '')
      const shown = published.map(async (kid) => ({ ...(await exportJWK(keys[kid].publicKey)), kid }))
      response.end(JSON.stringify({ keys: await Promise.all(shown) }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    url = `http://127.0.0.1:${address.port}/jwks.json`
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    // a server that answers has a minute, because a busy machine is slow
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    mock.method(AbortSignal, 'timeout', (time: number) =>
      timeout(answer === 'never' || answer === 'half' ? time : 60_000),
    )
  })
  afterEach(async () => {
    mock.restoreAll()
    mock.timers.reset()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  function serve(options: Partial<JwtOptions> = {}, logger: Logger | false = false): App {
    const guard = jwtAuth({
      issuer: ISSUER,
      audience: AUDIENCE,
      jwks: url,
      algorithms: ['ES256'],
      maxTokens: 0,
      ...options,
    })
    const cars = defineController({
      prefix: '/car',
      guards: [guard],
      routes: [{ method: 'GET', handler: () => 'cars' }],
    })
    return createApp(defineModule({ controllers: [cars] }), { logger })
  }
  async function ask(app: App, token: string): Promise<readonly unknown[]> {
    const response = await app.inject({ url: '/car', headers: { authorization: `Bearer ${token}` } })
    const { code } = Object(response.json())
    return [response.statusCode, code]
  }
  const GOOD = [200, undefined]
  const BAD = [401, 'invalid_credentials']
  const DOWN = [503, 'token_keys_unavailable']

  it('is read once for requests at once, and remembered for ten minutes', async () => {
    const app = serve()
    const token = await sign('old')
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(app, token)))
    assert.deepEqual(new Set(answers.map(([status]) => status)), new Set([200]))
    mock.timers.tick(599_000)
    assert.deepEqual([await ask(app, token), asked], [GOOD, 1])
    mock.timers.tick(1_000)
    assert.deepEqual([await ask(app, token), asked], [GOOD, 2])
  })

  it('is read again for an unknown key, once in a cooldown', async () => {
    const app = serve()
    assert.deepEqual(await ask(app, await sign('old')), GOOD)
    published = ['old', 'new']
    assert.deepEqual([await ask(app, await sign('new')), asked], [BAD, 1])
    mock.timers.tick(30_000)
    assert.deepEqual([await ask(app, await sign('new')), asked], [GOOD, 2])
    for (let index = 0; index < 10; index++)
      assert.deepEqual(await ask(app, await sign('new', `forged-${index}`)), BAD)
    assert.equal(asked, 2)
  })

  it('drops a key that its issuer withdraws', async () => {
    const app = serve()
    const token = await sign('old')
    assert.deepEqual(await ask(app, token), GOOD)
    published = ['new']
    mock.timers.tick(600_000)
    assert.deepEqual([await ask(app, token), await ask(app, await sign('new'))], [BAD, GOOD])
  })

  for (const fault of FAULTS) {
    it(`is no reason to refuse a token if it fails: ${fault}`, async () => {
      answer = fault
      const app = serve({ jwksTimeout: fault === 'never' || fault === 'half' ? 500 : 5000 })
      const token = await sign('old')
      assert.deepEqual(await ask(app, token), DOWN)
      // the issuer is left alone for a second
      const before = asked
      assert.deepEqual([await ask(app, token), asked], [DOWN, before])
      answer = 'well'
      mock.timers.tick(1_000)
      assert.deepEqual(await ask(app, token), GOOD)
    })
  }

  it('has the log tell why it cannot be read, once for each reason', async () => {
    const lines: unknown[] = []
    const drop = (): void => undefined
    const error = (details: object, message?: string): void =>
      void lines.push([message, Reflect.get(details, 'guard'), String(Reflect.get(details, 'err'))])
    const app = serve({ jwksTimeout: 500 }, { debug: drop, info: drop, warn: drop, error })
    const token = await sign('old')
    for (const fault of ['status', 'status', 'never', 'never', 'well', 'never'] as const) {
      answer = fault
      for (const _ of [1, 2]) await ask(app, token)
      // keys that are remembered are read again by then
      mock.timers.tick(600_000)
    }
    const told = (reason: string) => [
      'The keys of tokens cannot be read',
      'jwtAuth',
      `Error: The JWKS cannot be read: ${reason}`,
    ]
    const late = 'The operation was aborted due to timeout'
    assert.deepEqual(lines, [told('the status is 500'), told(late), told(late)])
  })

  it('may be away while its keys are remembered', async () => {
    const app = serve()
    const token = await sign('old')
    assert.deepEqual(await ask(app, token), GOOD)
    answer = 'status'
    mock.timers.tick(60_000)
    assert.deepEqual([await ask(app, token), await ask(app, await sign('new'))], [GOOD, DOWN])
  })

  it('is not read beyond 262,144 bytes, and its connection is closed', async () => {
    answer = 'endless'
    const closed = new Promise<void>((resolve) => {
      close = resolve
    })
    const lines: unknown[] = []
    const drop = (): void => undefined
    const error = (details: object): void => void lines.push(String(Reflect.get(details, 'err')))
    const app = serve({}, { debug: drop, info: drop, warn: drop, error })
    const token = await sign('old')
    assert.deepEqual(await ask(app, token), DOWN)
    assert.deepEqual(lines, ['Error: The JWKS cannot be read: it has more than 262144 bytes'])
    await closed
    answer = 'long'
    mock.timers.tick(1_000)
    assert.deepEqual(await ask(app, token), GOOD)
  })

  it('is not there at all', async () => {
    const app = serve({ jwks: 'http://127.0.0.1:1/jwks.json' })
    assert.deepEqual(await ask(app, await sign('old')), DOWN)
  })
})
