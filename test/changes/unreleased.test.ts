import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

const Car = model('Car', { year: z.number(), colour: z.string() })
const released = defineVersionChange({
  version: '2',
  title: 'Years are numbers',
  sideEffects: true,
  change: [reshape({ of: Car, fields: { year: { was: z.string(), up: Number, down: String } } })],
})
const unreleased = defineVersionChange({
  version: 'next',
  title: 'Colours have a name',
  change: [reshape({ of: Car, fields: { colour: { was: 'paint' } } })],
})
const other = defineVersionChange({ version: '2', title: 'Another', sideEffects: true, change: [] })
const options = { versions: ['2', '1'], models: { Car }, changes: [released, unreleased] } as const

function serve(next?: string) {
  const CarController = defineController({
    prefix: '/car',
    routes: [
      { method: 'GET', path: '/', response: Car, handler: () => ({ year: 7, colour: 'red' }) },
      { method: 'GET', path: '/since', handler: (_, context) => context.since(released) },
      { method: 'GET', path: '/other', handler: (_, context) => context.since(other) },
    ],
  })
  return createApp(defineModule({ controllers: [CarController] }), {
    versioning: { scheme: VersioningSchemes.URL, history: defineVersions({ ...options, next }) },
    logger: false,
  })
}

describe('changes that are not released', () => {
  it('are before every version', async () => {
    const app = serve()
    assert.deepEqual((await app.inject('/v2/car')).json(), { year: 7, paint: 'red' })
    assert.deepEqual((await app.inject('/v1/car')).json(), { year: '7', paint: 'red' })
    assert.equal((await app.inject('/vnext/car')).statusCode, 404)
    assert.deepEqual(
      app.versions().map(({ version }) => version),
      ['1', '2'],
    )
  })

  it('are seen in the version that is named for them', async () => {
    const app = serve('3')
    assert.deepEqual((await app.inject('/v3/car')).json(), { year: 7, colour: 'red' })
    assert.deepEqual((await app.inject('/v2/car')).json(), { year: 7, paint: 'red' })
  })

  it('refuse a name that is taken', () => {
    assert.throws(() => defineVersions({ ...options, next: '2' }), /next is "2"/)
  })
})

describe('a route of the version next', () => {
  const serveRoutes = (next?: string) => {
    const CarController = defineController({
      prefix: '/car',
      name: 'car',
      routes: [
        { method: 'GET', response: Car, handler: () => ({ year: 7, colour: 'red' }) },
        { method: 'GET', path: '/new', name: 'new', version: 'next', handler: () => 'new' },
        { method: 'GET', path: '/both', name: 'old', version: '<=2', handler: () => 'old' },
        { method: 'GET', path: '/both', name: 'both', version: 'next', handler: () => 'new' },
      ],
    })
    return createApp(defineModule({ controllers: [CarController] }), {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ ...options, next }),
      },
      logger: false,
    })
  }
  const get = async (app: ReturnType<typeof serveRoutes>, url: string, headers = {}) => {
    const response = await app.inject({ url, headers })
    return response.statusCode === 200 ? response.json() : response.statusCode
  }

  it('answers no version, and is in no document, before it is released', async () => {
    const app = serveRoutes()
    await app.ready()
    for (const version of ['1', '2', 'next']) assert.equal(await get(app, `/v${version}/car/new`), 404)
    assert.equal(await get(app, '/v2/car/both'), 'old')
    assert.deepEqual(
      app.versions().map(({ version }) => version),
      ['1', '2'],
    )
    assert.doesNotMatch(JSON.stringify(app.openapi({ version: '2' })), /car\/new/)
  })

  it('answers the version that is named for unreleased changes', async () => {
    const app = serveRoutes('3')
    assert.equal(await get(app, '/v3/car/new'), 'new')
    assert.equal(await get(app, '/v3/car/both'), 'new')
    assert.equal(await get(app, '/v2/car/both'), 'old')
    assert.equal(await get(app, '/v2/car/new'), 404)
  })
})

describe('context.since', () => {
  it('says whether the version of a request has a change', async () => {
    const app = serve()
    assert.equal((await app.inject('/v2/car/since')).json(), true)
    assert.equal((await app.inject('/v1/car/since')).json(), false)
  })

  it('refuses a change that the history does not have', async () => {
    assert.equal((await serve().inject('/v2/car/other')).statusCode, 500)
  })

  it('takes changes with side effects alone', () => {
    const { history } = { history: defineVersions(options) }
    assert.equal(history.isSince(unreleased, '2'), false)
    defineController({
      prefix: '/car',
      routes: [
        {
          method: 'GET',
          // @ts-expect-error it has no side effects
          handler: (_, context) => context.since(unreleased),
        },
      ],
    })
  })
})
