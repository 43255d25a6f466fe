import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'

import { BODY_LIMIT, TOKEN, WEBHOOK_SECRET } from './app.ts'

/** Sends a request to the server that is checked. */
export type Call = (path: string, init?: RequestInit & { readonly duplex?: 'half' }) => Promise<Response>

/** Something that has to work on every runtime. */
export interface Check {
  readonly area: string
  readonly title: string
  readonly run: (call: Call) => Promise<void>
  /** Runtimes that lack it, each with the reason. */
  readonly lackedBy?: Readonly<Record<string, string>>
}

/** A token of 'ann' with the scope `cars:read`, valid until 2100. */
const JWT =
  'eyJhbGciOiJFUzI1NiIsImtpZCI6Im1haW4ifQ.eyJzY29wZSI6ImNhcnM6cmVhZCIsInN1YiI6ImFubiIsImlzcyI6Imh0dHBzOi8vYXV0aC5leGFtcGxlLmNvbSIsImF1ZCI6Imh0dHBzOi8vYXBpLmV4YW1wbGUuY29tIiwiZXhwIjo0MTAyNDQ0ODAwfQ.apwWxBckgt3YZOouNKWajpsVKW8aHg2Zp1sdXWz7GnFc1kgAov28WiPhabVMuVD9qDMsUtuN1GDBrTKxC7SFCg'

const JSON_HEADERS = { 'content-type': 'application/json' }

const post = (body: unknown, headers = JSON_HEADERS): RequestInit => ({
  method: 'POST',
  headers,
  body: JSON.stringify(body),
})

/** Asserts the status and the JSON body of an answer, and returns the answer. */
async function answers(response: Promise<Response>, status: number, body: unknown): Promise<Response> {
  const settled = await response
  const text = await settled.text()
  assert.equal(settled.status, status, text)
  assert.deepEqual(text === '' ? undefined : JSON.parse(text), body)
  return settled
}

/** Asserts that an answer is a problem document with a code. */
async function fails(response: Promise<Response>, status: number, code: string): Promise<Response> {
  const settled = await response
  assert.equal(settled.headers.get('content-type'), 'application/problem+json')
  const problem: unknown = await settled.json()
  assert.deepEqual([settled.status, Reflect.get(Object(problem), 'code')], [status, code])
  return settled
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  for (let at = 0; at < 100; at++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
  assert.fail('it did not become so within 3 seconds')
}

const routing: readonly Omit<Check, 'area'>[] = [
  {
    title: 'a static path',
    run: async (call) => void (await answers(call('/hello'), 200, { hello: 'world' })),
  },
  {
    title: 'a parameter with a type',
    run: async (call) => void (await answers(call('/car/7'), 200, { id: 7 })),
  },
  {
    title: 'a rest parameter, decoded',
    run: async (call) => void (await answers(call('/files/a/b%20c'), 200, { path: 'a/b c' })),
  },
  {
    title: 'HEAD, without a body',
    run: async (call) => {
      const response = await call('/hello', { method: 'HEAD' })
      assert.deepEqual([response.status, await response.text()], [200, ''])
    },
  },
  {
    title: 'OPTIONS, with the methods',
    run: async (call) => {
      const response = await call('/car/7', { method: 'OPTIONS' })
      assert.match(response.headers.get('allow') ?? '', /DELETE.*GET|GET.*DELETE/)
    },
  },
  {
    title: 'a status and headers of its own',
    run: async (call) => {
      const response = await answers(call('/created'), 201, { id: 1 })
      assert.equal(response.headers.get('location'), '/car/1')
    },
  },
  {
    title: '204 for nothing',
    run: async (call) => void (await answers(call('/car/7', { method: 'DELETE' }), 204, undefined)),
  },
  {
    title: 'redirects',
    run: async (call) => {
      const response = await call('/moved', { redirect: 'manual' })
      assert.deepEqual([response.status, response.headers.get('location')], [308, '/hello'])
      await response.text()
    },
  },
  {
    title: 'HTML',
    run: async (call) => {
      const response = await call('/page')
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(await response.text(), '<p>Hello</p>')
    },
  },
]

const versions: readonly Omit<Check, 'area'>[] = [
  {
    title: 'the default version, with its deprecation',
    run: async (call) => {
      const response = await answers(call('/report'), 200, 'first')
      assert.equal(response.headers.get('deprecation'), '@1767225600')
    },
  },
  {
    title: 'the version that a header names',
    run: async (call) =>
      void (await answers(call('/report', { headers: { 'x-api-version': '2' } }), 200, 'second')),
  },
  {
    title: 'a version that does not exist',
    run: async (call) =>
      void (await fails(call('/report', { headers: { 'x-api-version': '9' } }), 406, 'unsupported_version')),
  },
]

const inputs: readonly Omit<Check, 'area'>[] = [
  {
    title: 'a query, read by its schema',
    run: async (call) =>
      void (await answers(call('/in/query?tags=a&tags=b&page=2'), 200, { tags: ['a', 'b'], page: 2 })),
  },
  {
    title: 'every problem of an input at once',
    run: async (call) => {
      const response = await call('/in/query?page=0')
      assert.equal(response.status, 422)
      assert.equal(Reflect.get(Object(await response.json()), 'errors')?.length, 2)
    },
  },
  {
    title: 'cookies',
    run: async (call) =>
      void (await answers(call('/in/cookies', { headers: { cookie: 'theme=dark' } }), 200, {
        theme: 'dark',
      })),
  },
  {
    title: 'a JSON body',
    run: async (call) => {
      const car = { name: 'Ford “T”', year: 1908 }
      await answers(call('/in/json', post(car)), 200, car)
    },
  },
  {
    title: 'malformed JSON',
    run: async (call) =>
      void (await fails(
        call('/in/json', { method: 'POST', headers: JSON_HEADERS, body: '{"name":' }),
        400,
        'malformed_json',
      )),
  },
  {
    title: 'a byte-order mark, which is dropped, and bytes that are no UTF-8',
    run: async (call) => {
      const car = Buffer.from('{"name":"Ford","year":1908}')
      const headers = JSON_HEADERS
      const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), car])
      await answers(call('/in/json', { method: 'POST', headers, body: marked }), 200, {
        name: 'Ford',
        year: 1908,
      })
      // a byte alone, and a character whose last byte is missing
      for (const bytes of [[0xff], [0xf0, 0x9f, 0x98]]) {
        const body = Buffer.concat([car.subarray(0, 10), Buffer.from(bytes), car.subarray(10)])
        await fails(call('/in/json', { method: 'POST', headers, body }), 400, 'malformed_body')
      }
    },
  },
  {
    title: 'a type that the route does not take',
    run: async (call) =>
      void (await fails(
        call('/in/json', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a,b' }),
        415,
        'unsupported_media_type',
      )),
  },
  {
    title: 'a form',
    run: async (call) =>
      void (await answers(
        call('/in/form', { method: 'POST', body: new URLSearchParams({ name: 'Ann', age: '31' }) }),
        200,
        { name: 'Ann', age: 31 },
      )),
  },
]

/** A form with files of these sizes. */
function toForm(sizes: readonly number[]): FormData {
  const form = new FormData()
  form.set('title', 'Holidays')
  for (const [at, size] of sizes.entries())
    form.append('photos', new File([new Uint8Array(size)], `${at}.png`))
  return form
}

const uploads: readonly Omit<Check, 'area'>[] = [
  {
    title: 'files in memory',
    run: async (call) =>
      void (await answers(call('/in/upload', { method: 'POST', body: toForm([10, 20]) }), 200, {
        title: 'Holidays',
        photos: [
          { name: '0.png', size: 10 },
          { name: '1.png', size: 20 },
        ],
      })),
  },
  {
    title: 'files beyond the memory for them',
    run: async (call) =>
      void (await answers(call('/in/upload', { method: 'POST', body: toForm([2_000_000]) }), 200, {
        title: 'Holidays',
        photos: [{ name: '0.png', size: 2_000_000 }],
      })),
  },
]

/** Sends a webhook with the signature of a body. */
function sendSigned(call: Call, body: string, signed = body): Promise<Response> {
  const time = String(Math.floor(Date.now() / 1000))
  const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`msg_1.${time}.${signed}`).digest('base64')
  const headers = {
    ...JSON_HEADERS,
    'webhook-id': 'msg_1',
    'webhook-timestamp': time,
    'webhook-signature': `v1,${signature}`,
  }
  return call('/hook', { method: 'POST', headers, body })
}

const guards: readonly Omit<Check, 'area'>[] = [
  {
    title: 'refuse requests without a token',
    run: async (call) => {
      const response = await fails(call('/secret'), 401, 'unauthenticated')
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/)
    },
  },
  {
    title: 'let the right token pass, compared in constant time',
    run: async (call) => {
      const headers = { authorization: `Bearer ${TOKEN}` }
      await answers(call('/secret', { headers }), 200, { name: 'Ann' })
    },
  },
  {
    title: 'verify JSON Web Tokens, and the scopes of them',
    run: async (call) => {
      const send = (path: string, token: string): Promise<Response> =>
        call(path, { headers: { authorization: `Bearer ${token}` } })
      // the first requests load jose together, later ones find the token in memory
      for (const _ of [1, 2]) await Promise.all([1, 2].map(() => answers(send('/token', JWT), 200, 'ann')))
      await fails(send('/token', `${JWT.slice(0, -8)}AAAAAAAA`), 401, 'invalid_credentials')
      const lacking = await fails(send('/token/scoped', JWT), 403, 'insufficient_scope')
      assert.match(lacking.headers.get('www-authenticate') ?? '', /scope="cars:write"/)
    },
  },
  {
    title: 'verify the signatures of webhooks, over the raw body',
    run: async (call) => {
      const body = '{ "type": "car.sold", "é": 1 }'
      await answers(sendSigned(call, body), 200, 'car.sold')
      const forged = await fails(sendSigned(call, body, '{"type":"car.sold"}'), 401, 'invalid_signature')
      assert.equal(forged.headers.get('www-authenticate'), 'Webhook header="webhook-signature"')
      await fails(call('/hook', post({ type: 'car.sold' })), 401, 'invalid_signature')
    },
  },
]

const sessions: readonly Omit<Check, 'area'>[] = [
  {
    title: 'last from one request to the next',
    run: async (call) => {
      const begun = await answers(call('/visits', { method: 'POST' }), 200, 1)
      const [cookie = ''] = (begun.headers.getSetCookie()[0] ?? '').split(';')
      await answers(call('/visits', { method: 'POST', headers: { cookie } }), 200, 2)
    },
  },
  {
    title: 'begin anew for a cookie that is not signed',
    run: async (call) => {
      const begun = await answers(call('/visits', { method: 'POST' }), 200, 1)
      const [cookie = ''] = (begun.headers.getSetCookie()[0] ?? '').split(';')
      const forged = cookie.slice(0, -3) + (cookie.endsWith('AAA') ? 'BBB' : 'AAA')
      await answers(call('/visits', { method: 'POST', headers: { cookie: forged } }), 200, 1)
    },
  },
]

const streams: readonly Omit<Check, 'area'>[] = [
  {
    title: 'a stream as a whole',
    run: async (call) => {
      const text = await (await call('/lines', { headers: { 'accept-encoding': 'identity' } })).text()
      assert.deepEqual([text.length, text.trimEnd().split('\n').length], [100_290, 100])
    },
  },
  {
    title: 'events one by one',
    run: async (call) => {
      const response = await call('/events')
      assert.equal(response.headers.get('content-type'), 'text/event-stream')
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes('data: 2\n\n')) text += (await reader?.read())?.value ?? ''
      await reader?.cancel()
      assert.match(text, /data: 0\n\ndata: 1\n\ndata: 2\n\n/)
    },
  },
  {
    title: 'the signal of a request whose client leaves',
    lackedBy: { Workers: 'Miniflare does not tell a worker that its client has left' },
    run: async (call) => {
      const before = Number(await (await call('/given')).json())
      const abort = new AbortController()
      const response = await call('/events', { signal: abort.signal })
      await response.body?.getReader().read()
      abort.abort()
      await eventually(async () => Number(await (await call('/given')).json()) > before)
    },
  },
  {
    title: 'a range of a file in memory',
    run: async (call) => {
      const response = await call('/bytes', { headers: { range: 'bytes=2-4' } })
      assert.deepEqual(
        [response.status, response.headers.get('content-range'), await response.text()],
        [206, 'bytes 2-4/10', '234'],
      )
    },
  },
]

const limits: readonly Omit<Check, 'area'>[] = [
  {
    title: 'a body that is too long by what it says',
    run: async (call) =>
      void (await fails(
        call('/in/json', post({ name: 'x'.repeat(BODY_LIMIT), year: 1 })),
        413,
        'body_too_large',
      )),
  },
  {
    title: 'a streamed body that becomes too long',
    run: async (call) => {
      // with much more to send, a client may meet the end of the connection before it reads the answer
      const body = new Blob(['x'.repeat(BODY_LIMIT + 1)]).stream()
      await fails(
        call('/in/json', { method: 'POST', headers: JSON_HEADERS, body, duplex: 'half' }),
        413,
        'body_too_large',
      )
    },
  },
  {
    title: 'a path that is too long',
    run: async (call) => void (await fails(call(`/${'x'.repeat(9_000)}`), 414, 'url_too_long')),
  },
  {
    title: 'a route that takes too long',
    run: async (call) => void (await fails(call('/late'), 503, 'handler_timeout')),
  },
  {
    title: 'rateLimit, by the address of the client',
    run: async (call) => {
      const statuses = []
      for (let at = 0; at < 3; at++) {
        const response = await call('/limited')
        await response.text()
        statuses.push(response.status)
      }
      assert.deepEqual(statuses, [200, 200, 429])
    },
  },
]

const middleware: readonly Omit<Check, 'area'>[] = [
  {
    title: 'compression, be it by the platform',
    run: async (call) => {
      const response = await call('/large', { headers: { 'accept-encoding': 'gzip' } })
      assert.equal(Reflect.get(Object(await response.json()), 'text')?.length, 300_000)
    },
  },
  {
    title: 'entity tags',
    run: async (call) => {
      const first = await call('/hello', { headers: { 'accept-encoding': 'identity' } })
      await first.text()
      const tag = first.headers.get('etag') ?? ''
      const second = await call('/hello', {
        headers: { 'if-none-match': tag, 'accept-encoding': 'identity' },
      })
      assert.deepEqual([tag === '', second.status, await second.text()], [false, 304, ''])
    },
  },
  {
    title: 'CORS',
    run: async (call) => {
      const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' }
      const response = await call('/in/json', { method: 'OPTIONS', headers })
      assert.equal(response.headers.get('access-control-allow-origin'), 'https://app.example.com')
    },
  },
  {
    title: 'security headers, and no HSTS over plain HTTP',
    run: async (call) => {
      const { headers, body } = await call('/hello')
      await body?.cancel()
      assert.deepEqual(
        [headers.get('x-content-type-options'), headers.get('strict-transport-security')],
        ['nosniff', null],
      )
    },
  },
  {
    title: 'the id of a request',
    run: async (call) => {
      const response = await call('/hello')
      await response.text()
      assert.match(response.headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/)
    },
  },
]

const writes: readonly Omit<Check, 'area'>[] = [
  {
    title: 'idempotency keys, kept in memory',
    run: async (call) => {
      const key = (name: string) => ({ ...JSON_HEADERS, 'idempotency-key': `"order-of-a-client-${name}"` })
      const [first, busy] = await Promise.all([
        call('/once', post({ car: 'A4' }, key('1'))),
        call('/once', post({ car: 'A4' }, key('1'))),
      ])
      const order: unknown = await (first.status === 200 ? first : busy).json()
      await fails(Promise.resolve(first.status === 200 ? busy : first), 409, 'idempotency_key_in_use')
      const again = await answers(call('/once', post({ car: 'A4' }, key('1'))), 200, order)
      assert.equal(again.headers.get('idempotency-replayed'), 'true')
      await fails(call('/once', post({ car: 'B5' }, key('1'))), 422, 'idempotency_key_reused')
      const { id } = Object(await (await call('/once', post({ car: 'A4' }, key('2')))).json())
      assert.equal(id, Number(Reflect.get(Object(order), 'id')) + 1)
    },
  },
]

const problems: readonly Omit<Check, 'area'>[] = [
  {
    title: 'an unknown path',
    run: async (call) => void (await fails(call('/nowhere'), 404, 'route_not_found')),
  },
  {
    title: 'a method that is not allowed',
    run: async (call) => {
      const response = await fails(call('/hello', { method: 'PUT' }), 405, 'method_not_allowed')
      assert.match(response.headers.get('allow') ?? '', /GET/)
    },
  },
  {
    title: 'an error that a handler throws',
    run: async (call) => {
      const response = await call('/refuses')
      assert.equal(response.status, 400)
      assert.equal(Reflect.get(Object(await response.json()), 'detail'), 'Not today')
    },
  },
  {
    title: 'an unexpected error, which tells nothing',
    run: async (call) => {
      const response = await call('/fails')
      const text = await response.text()
      assert.deepEqual([response.status, text.includes('secret')], [500, false])
    },
  },
]

const documents: readonly Omit<Check, 'area'>[] = [
  {
    title: 'OpenAPI as JSON',
    run: async (call) => {
      const document: unknown = await (await call('/docs/openapi/2.json')).json()
      assert.equal(Reflect.get(Object(document), 'openapi'), '3.1.1')
    },
  },
  {
    title: 'OpenAPI as YAML',
    run: async (call) =>
      assert.match(await (await call('/docs/openapi.yaml')).text(), /^openapi: "?3\.1\.1"?\n/),
  },
  {
    title: 'the page of the documents',
    run: async (call) => {
      const response = await call('/docs')
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(await response.text(), /openapi\.json/)
    },
  },
]

const NEWEST = { 'x-api-version': '2' }

const forwarding: readonly Omit<Check, 'area'>[] = [
  {
    title: 'a response of an API behind, as it is',
    run: async (call) => {
      const response = await call('/parts/7', { headers: NEWEST })
      assert.deepEqual([response.status, await response.text()], [200, '{"id": 7, "label": "Bolt"}'])
      assert.equal(response.headers.get('location'), '/parts/7')
    },
  },
  {
    title: 'a response of an API behind, in an older version',
    run: async (call) => void (await answers(call('/parts/7'), 200, { id: 7, name: 'Bolt' })),
  },
  {
    title: 'a body for an API behind, as it arrives',
    run: async (call) => {
      let left = 50
      const body = new ReadableStream({
        pull(controller) {
          if (left-- > 0) controller.enqueue(new Uint8Array(10_000))
          else controller.close()
        },
      })
      const sent = { method: 'POST', headers: NEWEST, body, duplex: 'half' } as const
      await answers(call('/parts/size', sent), 200, { size: 500_000, via: '1.1 octavo' })
    },
  },
  {
    title: 'a problem if an API behind breaks off',
    run: async (call) =>
      void (await fails(call('/parts/reset', { headers: NEWEST }), 502, 'upstream_unreachable')),
  },
]

const operation: readonly Omit<Check, 'area'>[] = [
  {
    title: 'health checks',
    run: async (call) => void (await answers(call('/readyz'), 200, { status: 'ok', checks: {} })),
  },
  {
    title: 'the address of the client, and the protocol',
    run: async (call) => {
      const { ip, protocol } = Object(await (await call('/who')).json())
      assert.match(String(ip), /^(?:::1|(?:::ffff:)?127\.0\.0\.1)$/)
      assert.equal(protocol, 'http')
    },
  },
  {
    title: 'work after an answer, by context.waitUntil',
    run: async (call) => {
      // the work waits for the second request
      await answers(call('/later', { method: 'POST' }), 200, 0)
      await answers(call('/later', { method: 'PUT' }), 204, undefined)
      await eventually(async () => (await (await call('/later')).text()) === '1')
    },
  },
  {
    title: 'closing, which finishes an answer and the work after another one, and refuses what comes later',
    run: async (call) =>
      void (await answers(call('/closing', { method: 'POST' }), 200, {
        response: '"slow"',
        work: [0, 1],
        after: 'Error: The application is closed',
      })),
  },
]

const CLIENT = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

const telemetry: readonly Omit<Check, 'area'>[] = [
  {
    title: 'a span of OpenTelemetry in the trace of the client, with route and status',
    run: async (call) => {
      const headers = { traceparent: `00-${CLIENT.trace}-${CLIENT.span}-01` }
      const { span } = Object(await (await call('/traced', { headers })).json())
      const spans: unknown = await (await call('/traces')).json()
      const found = Array.isArray(spans) ? spans.find(({ spanId }) => spanId === span) : undefined
      assert.deepEqual([found?.traceId, found?.parent], [CLIENT.trace, CLIENT.span])
      assert.equal(found.attributes['http.route'], '/traced')
      assert.equal(found.attributes['http.response.status_code'], 200)
    },
  },
  {
    title: 'the span of each request for itself, after await',
    run: async (call) => {
      const found = await Promise.all(
        Array.from({ length: 10 }, async () => Object(await (await call('/traced')).json())),
      )
      const ids = new Set(found.map(({ span }) => String(span)))
      assert.equal(ids.size, 10)
      for (const id of ids) assert.match(id, /^[\da-f]{16}$/)
    },
  },
]

/** Everything that is checked, by area. */
export const CHECKS: readonly Check[] = Object.entries({
  routing,
  versions,
  inputs,
  uploads,
  guards,
  sessions,
  'streams and files': streams,
  limits,
  middleware,
  'safe writes': writes,
  'problem documents': problems,
  documents,
  forwarding,
  operation,
  telemetry,
}).flatMap(([area, checks]) => checks.map((check) => ({ area, ...check })))
