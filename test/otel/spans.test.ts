import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes } from '@opentelemetry/api'
import {
  ATTR_CLIENT_ADDRESS,
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_REQUEST_METHOD_ORIGINAL,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_NETWORK_PEER_ADDRESS,
  ATTR_NETWORK_PEER_PORT,
  ATTR_NETWORK_PROTOCOL_VERSION,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_PATH,
  ATTR_URL_QUERY,
  ATTR_URL_SCHEME,
  ATTR_USER_AGENT_ORIGINAL,
} from '@opentelemetry/semantic-conventions'
import { defineController, HttpError, VersioningSchemes } from 'octavo'
import type { App, AppOptions } from 'octavo'
import { openTelemetry } from 'octavo/otel'

import { serve } from '../support/serve.ts'
import { ADAPTERS } from './adapters.ts'
import type { Asked } from './adapters.ts'
import { registerSdk, takeSpan } from './support.ts'

registerSdk()

const cars = defineController({
  prefix: '/car',
  routes: [
    { method: 'GET', path: '/{car_id:int}', handler: ({ params }) => params },
    {
      method: 'POST',
      path: '/{car_id:int}/sell',
      handler: async () => {
        await Promise.resolve()
        throw new HttpError(409, 'The car is sold', { code: 'car_sold' })
      },
    },
    {
      method: 'GET',
      path: '/broken',
      handler: () => {
        throw new TypeError('the engine fell out')
      },
    },
    {
      method: 'GET',
      path: '/parts',
      handler: async function* parts() {
        yield 'wheel'
        await Promise.resolve()
        yield 'door'
      },
    },
  ],
})

interface CarsOptions extends AppOptions {
  readonly version?: readonly string[]
}

/** The options of an application in which version 1 is deprecated. */
const VERSIONED = {
  version: ['1', '2'],
  versioning: {
    scheme: VersioningSchemes.URL,
    versionParameter: 'v',
    versions: [{ version: '1', deprecated: '2020-01-01' }, { version: '2' }],
  },
} as const

function createCars({ version, ...options }: CarsOptions = {}): App {
  const controller = version === undefined ? cars : { ...cars, version }
  return serve(controller, { telemetry: openTelemetry({ outgoing: false }), ...options })
}

/** Asks an application, closes it, and returns the span of the request. */
async function spanOf(adapter: string, asked: Partial<Asked>, options: CarsOptions = {}) {
  const app = createCars(options)
  const { ask } = ADAPTERS[adapter] ?? {}
  await ask?.(app, {
    method: 'GET',
    path: '/',
    ...asked,
    headers: { 'user-agent': 'test/1', ...asked.headers },
  })
  const span = await takeSpan()
  await app.close()
  return span
}

/** What the attributes of every span are, by the semantic conventions, but for what each adapter knows. */
function common(name: string, attributes: Attributes): Attributes {
  const { protocol, client } = ADAPTERS[name] ?? {}
  return {
    [ATTR_URL_SCHEME]: 'http',
    [ATTR_USER_AGENT_ORIGINAL]: 'test/1',
    ...(protocol !== undefined && { [ATTR_NETWORK_PROTOCOL_VERSION]: protocol }),
    ...(client !== undefined && { [ATTR_CLIENT_ADDRESS]: client, [ATTR_NETWORK_PEER_ADDRESS]: client }),
    ...attributes,
  }
}

/** Requests, with the name, the status and the attributes that the conventions give their spans. */
const CASES: readonly (readonly [
  title: string,
  asked: Partial<Asked>,
  name: string,
  isError: boolean,
  attributes: Attributes,
])[] = [
  [
    'a route with a query',
    { path: '/car/7?color=red&sig=abc' },
    'GET /car/{car_id}',
    false,
    {
      [ATTR_HTTP_REQUEST_METHOD]: 'GET',
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: 200,
      [ATTR_HTTP_ROUTE]: '/car/{car_id}',
      [ATTR_URL_PATH]: '/car/7',
      [ATTR_URL_QUERY]: 'color=red&sig=REDACTED',
    },
  ],
  [
    'a problem with a code',
    { method: 'POST', path: '/car/7/sell' },
    'POST /car/{car_id}/sell',
    false,
    {
      [ATTR_HTTP_REQUEST_METHOD]: 'POST',
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: 409,
      [ATTR_HTTP_ROUTE]: '/car/{car_id}/sell',
      [ATTR_URL_PATH]: '/car/7/sell',
      'api.problem': 'car_sold',
    },
  ],
  [
    'an unexpected error',
    { path: '/car/broken' },
    'GET /car/broken',
    true,
    {
      [ATTR_HTTP_REQUEST_METHOD]: 'GET',
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: 500,
      [ATTR_HTTP_ROUTE]: '/car/broken',
      [ATTR_URL_PATH]: '/car/broken',
      [ATTR_ERROR_TYPE]: 'internal_error',
    },
  ],
  [
    'an unknown path',
    { path: '/nothing' },
    'GET',
    false,
    {
      [ATTR_HTTP_REQUEST_METHOD]: 'GET',
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: 404,
      [ATTR_URL_PATH]: '/nothing',
      'api.problem': 'route_not_found',
    },
  ],
  [
    'a stream',
    { path: '/car/parts' },
    'GET /car/parts',
    false,
    {
      [ATTR_HTTP_REQUEST_METHOD]: 'GET',
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: 200,
      [ATTR_HTTP_ROUTE]: '/car/parts',
      [ATTR_URL_PATH]: '/car/parts',
    },
  ],
  [
    'a method that the conventions do not know',
    { method: 'PURGE', path: '/car/7' },
    'HTTP',
    false,
    {
      [ATTR_HTTP_REQUEST_METHOD]: '_OTHER',
      [ATTR_HTTP_REQUEST_METHOD_ORIGINAL]: 'PURGE',
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: 405,
      [ATTR_URL_PATH]: '/car/7',
      'api.problem': 'method_not_allowed',
    },
  ],
]

for (const [adapter, { hasPort }] of Object.entries(ADAPTERS)) {
  describe(`spans of requests over ${adapter}`, () => {
    for (const [title, asked, name, isError, attributes] of CASES) {
      it(title, async () => {
        const span = await spanOf(adapter, asked)
        const {
          [ATTR_SERVER_ADDRESS]: host,
          [ATTR_SERVER_PORT]: port,
          [ATTR_NETWORK_PEER_PORT]: peerPort,
          ...rest
        } = span.attributes
        assert.equal(span.name, name)
        assert.equal(span.kind, SpanKind.SERVER)
        assert.deepEqual(rest, common(adapter, attributes))
        assert.equal(typeof host, 'string')
        assert.ok(Number(port) > 0)
        assert.equal(typeof peerPort, hasPort ? 'number' : 'undefined')
        assert.deepEqual(span.status, { code: isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET })
        assert.deepEqual(
          span.events.map((event) => event.attributes?.['exception.message']),
          isError ? ['the engine fell out'] : [],
        )
        assert.equal(span.instrumentationScope.schemaUrl, 'https://opentelemetry.io/schemas/1.45.0')
      })
    }

    for (const [version, status] of [
      ['1', 'deprecated'],
      ['2', 'active'],
    ] as const) {
      it(`a version that is ${status}`, async () => {
        const span = await spanOf(adapter, { path: `/v${version}/car/7` }, VERSIONED)
        const { [ATTR_SERVER_ADDRESS]: _, [ATTR_SERVER_PORT]: __, ...rest } = span.attributes
        delete rest[ATTR_NETWORK_PEER_PORT]
        assert.equal(span.name, 'GET /car/{car_id}')
        assert.deepEqual(
          rest,
          common(adapter, {
            [ATTR_HTTP_REQUEST_METHOD]: 'GET',
            [ATTR_HTTP_RESPONSE_STATUS_CODE]: 200,
            [ATTR_HTTP_ROUTE]: '/car/{car_id}',
            [ATTR_URL_PATH]: `/v${version}/car/7`,
            'api.version': version,
            'api.version.status': status,
          }),
        )
      })
    }
  })
}

describe('a span', () => {
  it('continues the trace of the client', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const span = await spanOf('listen', { path: '/car/7', headers: { traceparent } })
    assert.equal(span.spanContext().traceId, '0af7651916cd43dd8448eb211c80319c')
    assert.equal(span.parentSpanContext?.spanId, 'b7ad6b7169203331')
  })

  it('has the client, the host and the scheme that a trusted proxy tells', async () => {
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'cars.test:8443',
      'x-forwarded-proto': 'https',
    }
    const { attributes } = await spanOf('listen', { path: '/car/7', headers }, { trustProxy: 1 })
    assert.equal(attributes[ATTR_CLIENT_ADDRESS], '203.0.113.9')
    assert.equal(attributes[ATTR_NETWORK_PEER_ADDRESS], '127.0.0.1')
    assert.equal(attributes[ATTR_SERVER_ADDRESS], 'cars.test')
    assert.equal(attributes[ATTR_SERVER_PORT], 8443)
    assert.equal(attributes[ATTR_URL_SCHEME], 'https')
  })

  it('is a child of the span that is active where a request is injected', async () => {
    const app = createCars()
    const outer = trace.getTracer('test').startSpan('outer')
    await context.with(trace.setSpan(context.active(), outer), async () => app.inject('/car/7'))
    const span = await takeSpan()
    outer.end()
    await takeSpan()
    assert.equal(span.parentSpanContext?.spanId, outer.spanContext().spanId)
    await app.close()
  })
})

describe('a value that throws when it is looked at', () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const hostile: Readonly<Record<string, unknown>> = {
    'a revoked proxy': proxy,
    'an error that cannot be read': new Proxy(new HttpError(409, 'Sold'), {
      get: (target, key) => {
        if (key === 'constructor' || key === 'name') return Reflect.get(target, key)
        throw new Error('of the test')
      },
    }),
    'no text': { [Symbol.toPrimitive]: () => ({}) },
  }
  for (const [title, value] of Object.entries(hostile))
    for (const [adapter, { ask }] of Object.entries(ADAPTERS))
      it(`${title} is a failure of the request alone, over ${adapter}`, async () => {
        const thrower = defineController({
          prefix: '/car',
          routes: [
            {
              method: 'GET',
              handler: () => {
                throw value
              },
            },
          ],
        })
        const app = serve(thrower, { telemetry: openTelemetry() })
        await ask(app, { method: 'GET', path: '/car', headers: {} })
        const { status, attributes, events } = await takeSpan()
        assert.equal(status.code, SpanStatusCode.ERROR)
        assert.equal(attributes[ATTR_ERROR_TYPE], 'internal_error')
        assert.equal(events.length, 1)
        await app.close()
      })
})
