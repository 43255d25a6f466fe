import {
  badRequest,
  defineController,
  defineModule,
  file,
  html,
  HttpRequest,
  redirect,
  reply,
  Session,
  sse,
  stream,
  VersioningSchemes,
} from 'octavo/edge'
import type { AppOptions, HeaderOptions } from 'octavo/edge'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { bearerAuth, jwtAuth, safeEqual, scopes } from 'octavo/auth'
import { idempotency } from 'octavo/idempotency'
import { compression, cors, etag, rateLimit, requestId, securityHeaders } from 'octavo/middleware'
import { defineUpstream } from 'octavo/upstream'
import { verifyWebhook } from 'octavo/webhooks'
import { z } from 'zod'

import { activeSpan, traced } from './telemetry.ts'

/** The longest body that the application takes, in bytes. */
export const BODY_LIMIT = 100_000
export const TOKEN = 'token-for-tests'
/** Of the sender of webhooks. */
export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** The address of the API behind, which the bundler writes in. */
declare const BEHIND: string

const wait = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
const Visits = z.object({ count: z.number().default(0) })
const visits = Session.of(Visits)
const SignedIn = bearerAuth({ verify: (token) => (safeEqual(token, TOKEN) ? { name: 'Ann' } : undefined) })
/** Of the issuer of the token in the checks. Its private key is gone. */
const ISSUER_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'LTLcyJdOWul6mU5NTXPsa4pisdKLMIBprgDEuF-Cnhc',
  y: 'tFsGKrVoW77upgDAe8F6KB0puFxq7ZEsDYLM5zXzmVI',
  kid: 'main',
}
const WithToken = jwtAuth({
  issuer: 'https://auth.example.com',
  audience: 'https://api.example.com',
  algorithms: ['ES256'],
  jwks: { keys: [ISSUER_KEY] },
  identity: ({ sub }) => sub,
})
/** Streams whose client has left. */
let given = 0
/** Work after a response that has ended. */
let worked = 0
/** Orders that were made. */
let ordered = 0
/** Whether work may end, and how much did. */
const after = { isAllowed: false, done: 0 }

/** Waits for another request, so that the response is sent before it ends. */
async function workLater(): Promise<void> {
  while (!after.isAllowed) await wait(10)
  after.done++
}

async function* count(signal: AbortSignal): AsyncGenerator<{ readonly data: number }> {
  for (let at = 0; at < 1_000; at++) {
    yield { data: at }
    await wait(20)
    if (signal.aborted) given++
    if (signal.aborted) return
  }
}

async function* lines(): AsyncGenerator<string> {
  for (let at = 0; at < 100; at++) {
    if (at % 25 === 0) await wait(1)
    yield `${'line '.repeat(200)}${at}\n`
  }
}

const basics = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/hello', handler: () => ({ hello: 'world' }) },
    { method: 'GET', path: '/car/{id:int}', handler: ({ params }) => params },
    { method: 'GET', path: '/files/{path:path}', handler: ({ params }) => params },
    { method: 'GET', path: '/moved', handler: () => redirect('/hello', 308) },
    { method: 'GET', path: '/page', handler: () => html('<p>Hello</p>') },
    {
      method: 'GET',
      path: '/created',
      handler: () => reply(201, { id: 1 }, { headers: { location: '/car/1' } }),
    },
    { method: 'DELETE', path: '/car/{id:int}', handler: () => undefined },
    {
      method: 'GET',
      path: '/bytes',
      handler: () => file(new TextEncoder().encode('0123456789'), { type: 'text/plain' }),
    },
    { method: 'GET', path: '/fails', handler: () => Promise.reject(new Error('a secret of the server')) },
    { method: 'GET', path: '/refuses', handler: () => Promise.reject(badRequest('Not today')) },
    { method: 'GET', path: '/late', timeout: 100, handler: () => wait(1_500) },
    { method: 'GET', path: '/slow', handler: async () => (await wait(700), 'slow') },
    { method: 'GET', path: '/lines', handler: () => stream(lines(), { type: 'text/plain' }) },
    { method: 'GET', path: '/large', handler: () => ({ text: 'x'.repeat(300_000) }) },
    { method: 'GET', path: '/events', handler: (_input, { signal }) => sse(count(signal)) },
    { method: 'GET', path: '/traced', handler: async () => (await wait(1), { span: activeSpan() }) },
    { method: 'GET', path: '/traces', handler: () => traced },
    { method: 'GET', path: '/given', handler: () => given },
    {
      method: 'GET',
      path: '/who',
      input: { inject: { request: HttpRequest } },
      handler: ({ inject: { request } }) => ({ ip: request.ip, protocol: request.protocol }),
    },
    { method: 'GET', path: '/secret', guards: [SignedIn], handler: (_input, { identity }) => identity },
    { method: 'GET', path: '/token', guards: [WithToken], handler: (_input, { identity }) => identity },
    {
      method: 'GET',
      path: '/token/scoped',
      guards: [WithToken, scopes('cars:write')],
      handler: (_input, { identity }) => identity,
    },
    {
      method: 'POST',
      path: '/hook',
      guards: [verifyWebhook({ secrets: WEBHOOK_SECRET })],
      input: { body: z.object({ type: z.string() }) },
      handler: ({ body }) => body.type,
    },
    {
      method: 'POST',
      path: '/once',
      interceptors: [idempotency()],
      input: { body: z.object({ car: z.string() }) },
      handler: async ({ body }) => (await wait(150), { id: ++ordered, ...body }),
    },
    {
      method: 'POST',
      path: '/later',
      handler: (_input, { waitUntil }) => (waitUntil(workLater()), after.done),
    },
    {
      method: 'PUT',
      path: '/later',
      handler: () => {
        after.isAllowed = true
      },
    },
    { method: 'GET', path: '/later', handler: () => after.done },
    {
      method: 'POST',
      path: '/work',
      handler: (_input, { waitUntil }) => waitUntil(wait(200).then(() => void worked++)),
    },
    {
      method: 'GET',
      path: '/limited',
      middleware: [rateLimit({ limit: 2, window: 60 })],
      handler: () => 'within',
    },
    {
      method: 'POST',
      path: '/visits',
      input: { inject: { session: visits } },
      handler: ({ inject: { session } }) => ++session.data.count,
    },
  ],
})

const inputs = defineController({
  prefix: '/in',
  routes: [
    {
      method: 'GET',
      path: '/query',
      input: { query: z.object({ tags: z.array(z.string()), page: z.number().min(1) }) },
      handler: ({ query }) => query,
    },
    {
      method: 'GET',
      path: '/cookies',
      input: { cookies: { theme: z.enum(['light', 'dark']) } },
      handler: ({ cookies }) => cookies,
    },
    {
      method: 'POST',
      path: '/json',
      input: { body: z.object({ name: z.string(), year: z.number() }) },
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/form',
      input: { form: { name: z.string(), age: z.number() } },
      handler: ({ form }) => form,
    },
    {
      method: 'POST',
      path: '/upload',
      bodyLimit: 5_000_000,
      input: { form: { title: z.string() }, files: { photos: z.array(z.file()) } },
      handler: async ({ form, files }) => ({
        ...form,
        photos: await Promise.all(
          files.photos.map(async (photo) => ({
            name: photo.name,
            size: (await photo.arrayBuffer()).byteLength,
          })),
        ),
      }),
    },
  ],
})

const first = defineController({
  name: 'first',
  prefix: '/report',
  version: '1',
  routes: [{ method: 'GET', handler: () => 'first' }],
})
const second = defineController({
  name: 'second',
  prefix: '/report',
  version: '2',
  routes: [{ method: 'GET', handler: () => 'second' }],
})

/** An API behind, in the place of handlers. */
const behind = defineUpstream({ name: 'Behind', url: () => BEHIND, timeouts: { headers: 5_000 } })
const Part = model('Part', { id: z.int(), label: z.string() })
const parts = defineController({
  prefix: '/parts',
  routes: [
    { method: 'GET', path: '/{id:int}', response: Part, forward: behind },
    { method: 'POST', path: '/size', forward: behind },
    { method: 'GET', path: '/reset', forward: behind },
  ],
})
const labels = defineVersionChange({
  version: '2',
  title: 'Names of parts are labels',
  change: [reshape({ of: Part, fields: { label: { was: 'name' } } })],
})
const history = defineVersions({ versions: ['2', '1'], models: { Part }, changes: [labels] })

export const AppModule = defineModule({ controllers: [basics, inputs, first, second, parts] })

export const OPTIONS = {
  bodyLimit: BODY_LIMIT,
  versioning: {
    scheme: VersioningSchemes.HEADER,
    headerParameter: 'x-api-version',
    defaultVersion: '1',
    history,
    versions: { '1': { deprecated: '2026-01-01' } },
  },
  middleware: [
    requestId(),
    cors({ origin: 'https://app.example.com' }),
    securityHeaders(),
    compression(),
    etag(),
  ],
  session: { secret: 'for tests alone: not a secret at all', schema: Visits, cookie: { secure: false } },
  docs: {},
  health: { live: '/livez', ready: '/readyz' },
} as const satisfies AppOptions<HeaderOptions>

/** What an application of this module needs to close. */
interface Closable {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/** Closes an application while it answers, and returns what became of the answer and of a request behind it. */
export async function closing(app: Closable): Promise<object> {
  const answer = app.fetch(new Request('http://localhost/slow'))
  await wait(100)
  await app.fetch(new Request('http://localhost/work', { method: 'POST' }))
  const before = worked
  const [response] = await Promise.all([answer.then((each) => each.text()), app.close()])
  const work = [before, worked]
  const refused = await app
    .fetch(new Request('http://localhost/hello'))
    .catch((error: unknown) => String(error))
  return { response, work, after: refused }
}
