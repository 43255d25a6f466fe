import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineGuard,
  defineModule,
  defineProvider,
  defineRoute,
  DefinitionError,
} from 'octavo'
import type { Module } from 'octavo'

import { serve } from '../support/serve.ts'

const Cars = defineProvider({ name: 'Cars', create: () => ({ of: (org: number) => `cars of ${org}` }) })
const Others = defineProvider({ name: 'Others', create: () => ({ of: () => 'others' }) })
const SignedIn = defineGuard({ name: 'SignedIn', canActivate: () => true })
const prefix = '/orgs/{org_id:int}'

const list = defineRoute(
  { prefix, inject: { cars: Cars }, guards: [SignedIn] },
  {
    method: 'GET',
    path: '/cars',
    name: 'list',
    handler: ({ params, inject }) => inject.cars.of(params.org_id),
  },
)

/** What is wrong with a module, without the places. */
function problemsOf(module: Module<unknown, unknown>): readonly string[] {
  try {
    createApp(module, { logger: false })
  } catch (error) {
    assert.ok(error instanceof DefinitionError)
    return error.errors.map(({ code, message, fix }) => `${code}: ${message}; ${fix}`)
  }
  return []
}

describe('a route of defineRoute', () => {
  it('answers in its controller, below the prefix of a module, as an inline route does', async () => {
    const orgs = defineController({ name: 'orgs', prefix, inject: { cars: Cars }, routes: [list] })
    const module = defineModule({
      prefix: '/api',
      guards: [SignedIn],
      providers: [Cars],
      controllers: [orgs],
    })
    const app = createApp(module, { logger: false })
    assert.equal((await app.inject('/api/orgs/7/cars')).json(), 'cars of 7')
    assert.equal(app.urlFor('orgs.list', { org_id: 7 }), '/api/orgs/7/cars')
  })

  it('needs the prefix, the tokens and the guards that it was defined for', () => {
    const controller = defineController({
      prefix: '/orgs',
      inject: { cars: Others },
      // @ts-expect-error what the type checker finds as well
      routes: [list],
    })
    assert.deepEqual(problemsOf(defineModule({ providers: [Others], controllers: [controller] })), [
      `misplaced_route: the route is defined for the prefix "${prefix}", and here it is "/orgs"; give defineRoute the prefix of the controller`,
      'misplaced_route: the route is defined for a controller that injects this cars; list cars with the same token under inject of the controller',
      'misplaced_route: the route is defined for the guard SignedIn, which no level above lists; list SignedIn under guards of the controller',
    ])
  })

  it('may stand in any controller if it needs nothing', async () => {
    const ping = defineRoute({}, { method: 'GET', path: '/ping', handler: () => 'pong' })
    const controllers = ['/a', '/b'].map((path) => defineController({ prefix: path, routes: [ping] }))
    const app = serve(controllers)
    assert.equal((await app.inject('/b/ping')).json(), 'pong')
  })
})
