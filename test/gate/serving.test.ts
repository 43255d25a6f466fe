import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'
import { internalsOf, readServing } from '../inside/server.ts'
import { serve } from '../support/serve.ts'

const answer = (): object => ({ id: '7' })
const route = (version: string | readonly string[], handler = (): object => ({})) => ({
  method: 'GET' as const,
  path: '/{id:int}' as const,
  version,
  handler,
})

function read(app: object): { readonly schemes: readonly string[]; readonly routes: object } {
  const { schemes, routes } = readServing(internalsOf(app, 'test'))
  return { schemes, routes: Object.fromEntries(routes) }
}

const HEADER = { logger: false, versioning: { scheme: VersioningSchemes.HEADER } } as const
const withRoutes = (...routes: readonly ReturnType<typeof route>[]) =>
  defineModule({ controllers: [defineController({ prefix: '/cars', name: 'car', routes })] })

describe('serving: how requests reach versions', () => {
  it('groups versions by the handler that serves them', () => {
    assert.deepEqual(read(createApp(withRoutes(route(['1', '2']), route('3')), HEADER)).routes, {
      'GET /cars/{id:int}': [['1', '2'], ['3']],
    })
    assert.deepEqual(read(createApp(withRoutes(route('1', answer), route('2', answer)), HEADER)).routes, {
      'GET /cars/{id:int}': [['1', '2']],
    })
  })

  it('has none without versions', () => {
    const routes = [{ method: 'GET' as const, path: '/a' as const, handler: answer }]
    assert.deepEqual(read(serve(defineController({ prefix: '/cars', name: 'car', routes }))), {
      schemes: [],
      routes: {},
    })
  })

  it('has the states that changes give a route in one group', () => {
    const Car = model('Car', { id: z.string() })
    const change = defineVersionChange({
      version: '2',
      title: 'Ids are text',
      change: [reshape({ of: Car, fields: { id: { was: z.number(), up: String, down: Number } } })],
    })
    const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })
    const routes = [
      { method: 'GET' as const, path: '/a' as const, response: Car, handler: () => ({ id: '7' }) },
    ]
    const app = serve(defineController({ prefix: '/cars', name: 'car', routes }), {
      ...HEADER,
      versioning: { ...HEADER.versioning, history },
    })
    assert.deepEqual(read(app).routes, { 'GET /cars/a': [['1', '2']] })
  })

  it('names the places of requests as clients see them', () => {
    const schemes = [
      [VersioningSchemes.URL, { versionParameter: 'version' }],
      [VersioningSchemes.QUERY, { versionParameter: 'v' }],
    ] as const
    const app = createApp(withRoutes(route('1')), { logger: false, versioning: { schemes } })
    assert.deepEqual(read(app).schemes, ['path', 'query v'])
  })
})
