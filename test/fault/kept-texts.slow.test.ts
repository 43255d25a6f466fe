import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { createApp, defineController, defineModule, Session, VersioningSchemes } from 'octavo'
import type { App, AppOptions, HttpRequest } from 'octavo'
import { jwtAuth } from 'octavo/auth'
import { idempotency } from 'octavo/idempotency'
import { rateLimit } from 'octavo/middleware'
import { pinned } from 'octavo/pins'
import { createMemoryStore } from 'octavo/stores'
import { SignJWT } from 'jose'
import { z } from 'zod'

import { ENGINES, PLACE, send } from '../node/support.ts'
import { measureMemory } from './observed.ts'

setFlagsFromString('--expose-gc')
Object.assign(globalThis, { gc: runInNewContext('gc') })

const REQUESTS = 800
/** What an entry may take, in bytes, with its share of what is made once. The headers of each request have seven times as many. */
const BOUND = 2000
const LONG = 'x'.repeat(14_000)
/** Long enough for a part of a header to be kept as a part. */
const VERSION = '20260101first'
const SECRET = 'a secret of thirty-two characters'

type Headers = Record<string, string>

/** An application that keeps a text of each request, and headers that have such a text and a long rest. */
interface Store {
  readonly app: App
  readonly headers: (index: number) => Headers | Promise<Headers>
}

function serve(options: AppOptions, route: object = {}, inject: object = {}): App {
  const routes = [{ method: 'PUT', version: VERSION, handler: () => 'done', ...route }]
  // their types are forgotten
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const controller = defineController({ name: 'car', inject: inject as never, routes: routes as never })
  const versioning = { scheme: VersioningSchemes.QUERY, defaultVersion: VERSION } as const
  return createApp(defineModule({ controllers: [controller] }), { logger: false, versioning, ...options })
}

const idOf = ({ cookies }: HttpRequest): string | undefined => cookies['id']
const inCookie = (index: number): Headers => ({
  cookie: `id=client-number-${index}; version=${VERSION}; more=${LONG}`,
})

const STORES: Readonly<Record<string, () => Store>> = {
  'the names of clients of `usage`': () => ({
    app: serve({
      store: createMemoryStore(),
      client: (request) => request.header('x-client'),
      usage: { limit: 2 * REQUESTS },
    }),
    headers: (index) => ({ 'x-client': `client-number-${index}-${LONG}` }),
  }),
  'the clients of `pinned`': () => {
    const onFirstUse = (_client: string, request: HttpRequest): string => request.cookies['version'] ?? ''
    const pins = pinned({ client: idOf, store: createMemoryStore(), onFirstUse, maxClients: 2 * REQUESTS })
    return {
      app: serve({ versioning: { scheme: VersioningSchemes.QUERY, defaultVersion: pins } }),
      headers: inCookie,
    }
  },
  'the keys of `rateLimit`': () => ({
    app: serve({ middleware: [rateLimit({ limit: 9, window: 3600, by: ({ request }) => idOf(request) })] }),
    headers: inCookie,
  }),
  'the host names of the scheme HOST': () => ({
    app: serve({ versioning: { scheme: VersioningSchemes.HOST, defaultVersion: VERSION }, trustProxy: true }),
    headers: (index) => ({ 'x-forwarded-host': `v${VERSION}.number${index}.com, ${LONG}` }),
  }),
  'the ids of sessions': () => {
    const handler = ({
      inject: { session },
    }: {
      readonly inject: { readonly session: Session<{ n?: number }> }
    }) => {
      session.data.n = (session.data.n ?? 0) + 1
      return 'done'
    }
    const schema = z.object({ n: z.int().optional() })
    const kept = new Map<string, string>()
    const store = {
      get: (key: string) => kept.get(key),
      delete: (key: string) => kept.delete(key),
      // the newest last, as caches do
      set: (key: string, value: string) => (kept.delete(key), kept.set(key, value), true),
    }
    const app = serve({ session: { secret: SECRET, schema, store } }, { handler }, { session: Session })
    return {
      app,
      headers: async () => {
        const { headers } = await app.inject({ method: 'PUT', url: '/car' })
        const [cookie] = String(headers['set-cookie']).split(';')
        return { cookie: `${cookie}; more=${LONG}` }
      },
    }
  },
  'the tokens of `jwtAuth`': () => {
    const names = { issuer: 'https://a.example', audience: 'https://b.example' }
    const SignedIn = jwtAuth({ ...names, secret: SECRET, algorithms: ['HS256'], maxTokens: REQUESTS })
    return {
      app: serve({ guards: [SignedIn] }),
      headers: async (index) => {
        const token = new SignJWT({ sub: String(index) })
          .setProtectedHeader({ alg: 'HS256' })
          .setIssuer(names.issuer)
          .setAudience(names.audience)
          .setExpirationTime('1h')
        return { authorization: `Bearer${' '.repeat(14_000)}${await token.sign(Buffer.from(SECRET))}` }
      },
    }
  },
  'the keys of `idempotency`': () => ({
    app: serve(
      {},
      { interceptors: [idempotency({ methods: ['PUT'], client: ({ request }) => idOf(request) })] },
    ),
    headers: (index) => ({ 'idempotency-key': `"number ${index}"`, ...inCookie(index) }),
  }),
}

/** The ways into an application, each with the function that sends a request and returns its status. */
const WAYS: Readonly<
  Record<
    string,
    (app: App) => Promise<(headers: Headers) => Promise<number>> | ((headers: Headers) => Promise<number>)
  >
> = {
  fetch: (app) => async (headers) =>
    (await app.fetch(new Request('http://localhost/car', { method: 'PUT', headers }))).status,
  'node:http': (app) => overSocket(app, 'node'),
  'the engine direct': (app) => overSocket(app, 'direct'),
}

const WAYS_IN = Object.entries(WAYS)

async function overSocket(
  app: App,
  engine: 'node' | 'direct',
): Promise<(headers: Headers) => Promise<number>> {
  const url = await app.listen({ ...PLACE, ...ENGINES[engine] })
  const agent = new Agent({ keepAlive: true })
  return async (headers) => (await send(url, { method: 'PUT', path: '/car', headers, agent })).status
}

/** A way for each store in turn, because ways and stores know nothing of each other, and all of them for the first one. */
const waysOf = (store: number): typeof WAYS_IN =>
  WAYS_IN.filter((_, way) => store === 0 || way === store % WAYS_IN.length)

describe('hundreds of long headers', () => {
  for (const [store, [name, open]] of Object.entries(STORES).entries())
    for (const [way, enter] of waysOf(store))
      it(`leave nothing but ${name}, through ${way}`, async () => {
        const { app, headers } = open()
        const ask = await enter(app)
        const fill = async (from: number, to: number): Promise<void> => {
          for (let index = from; index < to; index++) assert.equal(await ask(await headers(index)), 200)
        }
        await fill(0, 300)
        const before = await measureMemory(10)
        await fill(300, 300 + REQUESTS)
        const each = ((await measureMemory(10)).heap - before.heap) / REQUESTS
        await app.close()
        console.log(`${Math.round(each)} bytes: ${name}, ${way}`)
        assert.ok(each < BOUND, `${Math.round(each)} bytes a request`)
      })
})
