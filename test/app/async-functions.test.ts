import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App, AppOptions, InjectResponse, Logger, RouteOptions } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { compression, csrf, loadShedding, requestId } from 'octavo/middleware'
import { preconditions } from 'octavo/preconditions'

/** A function in the place of one whose value is used, for JavaScript knows no types. */
type Given = () => never

type Case = readonly [
  name: string,
  create: (given: Given, logger: Logger) => App,
  request: Parameters<App['inject']>[0],
  /** Whether the answer is the safe one. */
  isSafe: (response: InjectResponse) => unknown,
]

const LONG = 'a'.repeat(5000)

function serve(logger: Logger, options: AppOptions, route: object = {}): App {
  const handler = (_input: unknown, context: object): unknown => Reflect.get(context, 'client') ?? LONG
  // routes of functions that types refuse
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const routes = [
    { method: ['GET', 'POST'], handler, ...route } as unknown as RouteOptions & { handler: () => unknown },
  ]
  const controller = defineController({ name: 'Car', prefix: '/car', routes } as never)
  return createApp(defineModule({ controllers: [controller] }), { ...options, logger })
}

const CASES: readonly Case[] = [
  ['client', (client, logger) => serve(logger, { client }), '/car', ({ json }) => json() === LONG],
  [
    'csrf.skip',
    (skip, logger) => serve(logger, { middleware: [csrf({ skip })] }),
    { method: 'POST', url: '/car', headers: { 'sec-fetch-site': 'cross-site' } },
    ({ statusCode }) => statusCode === 403,
  ],
  [
    'compression.filter',
    (filter, logger) => serve(logger, { middleware: [compression({ filter, encodings: ['gzip'] })] }),
    { url: '/car', headers: { 'accept-encoding': 'gzip' } },
    ({ headers }) => headers['content-encoding'] === undefined,
  ],
  [
    'requestId.trust',
    (trust, logger) => serve(logger, { middleware: [requestId({ trust })] }),
    { url: '/car', headers: { 'x-request-id': 'forged' } },
    ({ headers, statusCode }) => statusCode === 200 && headers['x-request-id'] !== 'forged',
  ],
  [
    'requestId.generate',
    (generate, logger) => serve(logger, { middleware: [requestId({ generate })] }),
    '/car',
    ({ headers, statusCode }) => statusCode === 200 && /^[\w-]{36}$/.test(String(headers['x-request-id'])),
  ],
  [
    'loadShedding.measure',
    (measure, logger) => serve(logger, { middleware: [loadShedding({ measure })] }),
    '/car',
    ({ statusCode }) => statusCode === 200,
  ],
  [
    'idempotency.client',
    (client, logger) => serve(logger, {}, { method: 'POST', interceptors: [idempotency({ client })] }),
    { method: 'POST', url: '/car', headers: { 'idempotency-key': 'abcdefghijklmnop' } },
    ({ statusCode }) => statusCode === 500,
  ],
  [
    'preconditions.etag',
    (etag, logger) =>
      serve(
        logger,
        {},
        { method: 'GET', handler: () => ({}), interceptors: [preconditions({ etag, current: () => ({}) })] },
      ),
    '/car',
    ({ headers, statusCode }) => statusCode === 200 && headers['etag'] === undefined,
  ],
  [
    'preconditions.lastModified',
    (lastModified, logger) =>
      serve(
        logger,
        {},
        {
          method: 'GET',
          handler: () => ({}),
          interceptors: [preconditions({ etag: () => 1, lastModified, current: () => ({}) })],
        },
      ),
    '/car',
    ({ headers, statusCode }) => statusCode === 200 && headers['last-modified'] === undefined,
  ],
  [
    'docs.ui',
    (ui, logger) => serve(logger, { docs: { ui } }),
    '/docs',
    ({ statusCode }) => statusCode === 500,
  ],
  [
    'versioning.clock',
    (clock, logger) =>
      serve(
        logger,
        {
          versioning: {
            scheme: VersioningSchemes.QUERY,
            defaultVersion: '1',
            versions: { '1': { sunset: '2020-01-01', retired: 'gone' } },
            clock,
          },
        },
        { version: '1' },
      ),
    '/car',
    ({ statusCode }) => statusCode === 500,
  ],
]

const PROMISES: Readonly<Record<string, Given>> = {
  resolves: (async () => true) as unknown as Given,
  rejects: (async () => Promise.reject(new Error('secret'))) as unknown as Given,
}

describe('a function that is not awaited', () => {
  for (const [name, create, request, isSafe] of CASES)
    for (const [title, given] of Object.entries(PROMISES))
      it(`${name} ${title} later: the answer is safe, and the log has an error`, async () => {
        const codes: unknown[] = []
        const ignore = (): void => undefined
        const error = (details: object): void => void codes.push(Reflect.get(Object(details), 'err')?.code)
        const app = create(given, { debug: ignore, info: ignore, warn: ignore, error })
        const response = await app.inject(request)
        assert.ok(isSafe(response), `${response.statusCode} ${JSON.stringify(response.headers)}`)
        assert.ok(codes.includes('async_function'), codes.join())
        // an unhandled rejection would be here by now, and fail the test
        await wait(5)
        await app.close()
      })

  it('works as before', async () => {
    const filter = compression({ filter: () => true, encodings: ['gzip'] })
    const app = serve(
      { debug() {}, info() {}, warn() {}, error() {} },
      { middleware: [filter], client: () => LONG },
    )
    const { bytes } = await app.inject({ url: '/car', headers: { 'accept-encoding': 'gzip' } })
    assert.equal(JSON.parse(gunzipSync(bytes).toString()), LONG)
    await app.close()
  })
})
