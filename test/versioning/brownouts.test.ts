import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, InjectResponse, VersionPolicy } from 'octavo'

import { serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, URL } = VersioningSchemes

const ROWS: readonly Row[] = [
  ['GET', '/cars', '1', 'old'],
  ['GET', '/cars', '2', 'new'],
  ['GET', '/ping', VERSION_NEUTRAL, 'ping'],
]

const FIRST = { from: '2026-06-01T10:00:00Z', to: '2026-06-01T11:00:00Z' } as const
const SECOND = { from: '2026-06-08T10:00:00Z', to: '2026-06-08T12:00:00Z' } as const
const ENDING: VersionPolicy = { sunset: '2026-07-01', brownouts: [SECOND, FIRST] }
const TOLD = {
  first: '2026-06-01T10:00:00.000Z/2026-06-01T11:00:00.000Z',
  second: '2026-06-08T10:00:00.000Z/2026-06-08T12:00:00.000Z',
}

/** An application whose version 1 has a policy, and a clock that tests move. */
function serveAt(policy: VersionPolicy): { readonly app: App; readonly at: (moment: string) => void } {
  let now = 0
  return {
    app: serve(ROWS, URL, { versions: { '1': policy }, clock: () => now }),
    at: (moment) => void (now = Date.parse(moment)),
  }
}

const told = ({ statusCode, headers }: InjectResponse): readonly unknown[] => [
  statusCode,
  headers['retry-after'],
  headers['api-brownout'],
  headers['cache-control'],
]

const codeOf = (response: InjectResponse): unknown => Reflect.get(Object(response.json()), 'code')

describe('brownouts that meet', () => {
  it('are one, so that a client tries again after the last of them', async () => {
    const { app, at } = serveAt({
      brownouts: [
        { from: '2026-06-01T10:30:00Z', to: '2026-06-01T12:00:00Z' },
        FIRST,
        { from: '2026-06-01T11:00:00Z', to: '2026-06-01T11:30:00Z' },
        { from: '2026-06-01T12:00:00Z', to: '2026-06-01T13:00:00Z' },
        SECOND,
      ],
    })
    at(FIRST.from)
    const whole = '2026-06-01T10:00:00.000Z/2026-06-01T13:00:00.000Z'
    assert.deepEqual(told(await app.inject('/v1/cars')), [410, '10800', whole, 'no-store'])
    at('2026-06-01T13:00:00Z')
    assert.deepEqual(told(await app.inject('/v1/cars')), [200, undefined, TOLD.second, undefined])
  })
})

describe('a version with brownouts', () => {
  const cases: readonly (readonly [title: string, at: string, expected: readonly unknown[]])[] = [
    ['announces the first one', '2026-01-01T00:00:00Z', [200, undefined, TOLD.first, undefined]],
    ['answers until it begins', '2026-06-01T09:59:59.999Z', [200, undefined, TOLD.first, undefined]],
    ['is 410 from its first moment', FIRST.from, [410, '3600', TOLD.first, 'no-store']],
    ['counts whole seconds until its end', '2026-06-01T10:59:58.001Z', [410, '2', TOLD.first, 'no-store']],
    ['is 410 to its last moment', '2026-06-01T10:59:59.999Z', [410, '1', TOLD.first, 'no-store']],
    ['answers from its end on, and announces the next', FIRST.to, [200, undefined, TOLD.second, undefined]],
    ['is 410 in the next one', '2026-06-08T11:00:00Z', [410, '3600', TOLD.second, 'no-store']],
    ['announces none after the last one', SECOND.to, [200, undefined, undefined, undefined]],
  ]
  for (const [title, moment, expected] of cases) {
    it(title, async () => {
      const { app, at } = serveAt(ENDING)
      at(moment)
      assert.deepEqual(told(await app.inject('/v1/cars')), expected)
      assert.deepEqual(told(await app.inject('/v2/cars')), [200, undefined, undefined, undefined])
      assert.deepEqual(told(await app.inject('/v1/ping')), [200, undefined, undefined, undefined])
    })
  }

  it('says in the problem document when it answers again', async () => {
    const { app, at } = serveAt(ENDING)
    at('2026-06-01T10:30:00Z')
    const response = await app.inject('/v1/cars')
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:version-brownout',
      title: 'API version in a brownout',
      status: 410,
      detail: 'This version is not served for a while, because it ends soon',
      code: 'version_brownout',
      requested: '1',
      supported: ['1', '2'],
      sunset: '2026-07-01T00:00:00.000Z',
      until: '2026-06-01T11:00:00.000Z',
    })
  })

  it('links to its successor', async () => {
    const cars = defineController({
      prefix: '/cars',
      version: ['1', '2'],
      routes: [{ method: 'GET', name: 'list', handler: () => [] }],
    })
    const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
    app.enableVersioning(URL, { versions: { '1': ENDING }, clock: () => Date.parse('2026-06-01T10:30:00Z') })
    const { headers } = await app.inject('/v1/cars')
    assert.equal(headers['link'], '</v2/cars>; rel="successor-version", </v2/cars>; rel="latest-version"')
  })

  it('has the status of the scheme for retired versions', async () => {
    const app = serve(ROWS, HEADER, {
      headerParameter: 'x-version',
      statusCodes: { retired: 404 },
      versions: { '1': ENDING },
      clock: () => Date.parse('2026-06-01T10:30:00Z'),
    })
    const { statusCode } = await app.inject({ url: '/cars', headers: { 'x-version': '1' } })
    assert.equal(statusCode, 404)
  })

  it('is retired after its sunset, whatever its brownouts', async () => {
    const { app, at } = serveAt({
      sunset: '2026-06-01T10:30:00Z',
      retired: 'gone',
      brownouts: [FIRST, SECOND],
    })
    at('2026-06-01T10:15:00Z')
    assert.equal(codeOf(await app.inject('/v1/cars')), 'version_brownout')
    at('2026-06-01T10:45:00Z')
    const response = await app.inject('/v1/cars')
    assert.deepEqual([codeOf(response), response.headers['api-brownout']], ['retired_version', undefined])
  })

  it('lists those that are not over in app.versions()', () => {
    const { app, at } = serveAt(ENDING)
    const brownouts = (): unknown => app.versions()[0]?.brownouts
    at('2026-06-01T10:30:00Z')
    assert.deepEqual(brownouts(), [
      { from: '2026-06-01T10:00:00.000Z', to: '2026-06-01T11:00:00.000Z' },
      { from: '2026-06-08T10:00:00.000Z', to: '2026-06-08T12:00:00.000Z' },
    ])
    at('2026-06-09')
    assert.equal(brownouts(), undefined)
  })
})

describe('brownouts of a route', () => {
  it('replace those of its version, and an empty list removes them', async () => {
    const handler = (): string => 'here'
    const cars = defineController({
      prefix: '/cars',
      version: '1',
      routes: [
        { method: 'GET', path: '/own', policy: { brownouts: [SECOND] }, handler },
        { method: 'GET', path: '/none', policy: { brownouts: [] }, handler },
        { method: 'GET', path: '/same', handler },
      ],
    })
    const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
    app.enableVersioning(URL, {
      versions: { '1': ENDING },
      clock: () => Date.parse('2026-06-01T10:30:00Z'),
    })
    const toldOf = async (path: string): Promise<readonly unknown[]> => told(await app.inject(path))
    assert.deepEqual(await toldOf('/v1/cars/own'), [200, undefined, TOLD.second, undefined])
    assert.deepEqual(await toldOf('/v1/cars/none'), [200, undefined, undefined, undefined])
    assert.deepEqual(await toldOf('/v1/cars/same'), [410, '1800', TOLD.first, 'no-store'])
  })

  it('need no versions', async () => {
    const route = { method: 'GET', policy: { brownouts: [FIRST] }, handler: () => 'here' } as const
    const app = createApp(
      defineModule({ controllers: [defineController({ prefix: '/cars', routes: [route] })] }),
      {
        logger: false,
      },
    )
    const { statusCode, headers } = await app.inject('/cars')
    assert.deepEqual([statusCode, headers['api-brownout']], [200, undefined])
  })
})

describe('documents of a version with brownouts', () => {
  it('have the times, the 410 and the header', async () => {
    const { app, at } = serveAt(ENDING)
    at('2026-05-01')
    await app.ready()
    const operation = app.openapi({ version: '1' }).paths['/v1/cars']?.['get']
    assert.deepEqual(operation?.['x-brownouts'], [TOLD.first, TOLD.second])
    assert.deepEqual(operation?.responses['410'], { $ref: '#/components/responses/VersionBrownout' })
    const success = operation?.responses['2XX']
    assert.deepEqual(success && 'headers' in success && Object.keys(success.headers ?? {}), [
      'Sunset',
      'Api-Brownout',
    ])
  })
})
