/** A client of an older version knows the statuses that operations name. */
import { expectTypeOf } from 'expect-type'
import { createApp, defineController, defineModule, defineRouter, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { createClient } from 'octavo/client'
import type { RouteFunction } from 'octavo/client'
import { queryOptions } from 'octavo/client/tanstack'
import { z } from 'zod'

const Car = model('Car', { id: z.string(), colour: z.string() })
const Problem = z.object({ detail: z.string() })

/** The statuses of version 3 came with it, those of version 2 with that. */
const third = defineVersionChange({
  version: '3',
  title: 'Cars are created',
  change: [
    operation({ route: 'car.create', status: { was: 200 } }),
    operation({ route: 'car.start', response: { status: { 202: { was: 201 }, 404: { was: 400 } } } }),
    operation({ route: 'car.remove', response: { status: { 200: { was: 204 } } } }),
    operation({ route: 'car.either', status: { was: 202 } }),
    operation({ route: 'admin.*', response: { status: { 404: { was: 410 } } } }),
    reshape({ of: Car, fields: { colour: { was: 'paint' } } }),
  ],
})
const second = defineVersionChange({
  version: '2',
  title: 'Cars start at once',
  change: [operation({ route: 'car.start', response: { status: { 202: { was: 200 } } } })],
})
const unreleased = defineVersionChange({
  version: 'next',
  title: 'Lists have a status',
  change: [operation({ route: 'car.list', status: { was: 203 } })],
})
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { Car },
  changes: [unreleased, third, second],
})

const car = { id: '7', colour: 'red' }
const CarController = defineController({
  name: 'CarController',
  routes: [
    { method: 'POST', name: 'create', response: { 201: Car, 409: Problem }, handler: () => car },
    { method: 'POST', path: '/go', name: 'start', response: { 202: Car, 404: Problem }, handler: () => car },
    { method: 'DELETE', path: '/x', name: 'remove', response: { 200: Car }, handler: () => car },
    { method: 'PUT', path: '/x', name: 'either', response: { 200: Car, 201: Car }, handler: () => car },
    { method: 'GET', path: '/all', name: 'list', response: { 200: z.array(Car) }, handler: () => [] },
    { method: 'GET', path: '/one', name: 'one', response: Car, handler: () => car },
  ],
})
const users = defineRouter({
  name: 'users',
  routes: [
    {
      method: 'GET',
      name: 'get',
      response: { 200: Car, 404: Problem, default: Problem },
      handler: () => car,
    },
  ],
})
const admin = defineRouter({ name: 'admin', routers: [users] })
const app = createApp(defineModule({ controllers: [CarController], routers: [admin] }), {
  versioning: { scheme: VersioningSchemes.URL, history },
})

interface Paint {
  id: string
  paint: string
}

export async function use(): Promise<void> {
  const client = createClient<typeof app>({ baseUrl: '' })
  const one = client.at('1')
  const two = client.at('2')
  const three = client.at('3')

  const made = await two.car.create()
  expectTypeOf(made.status).toEqualTypeOf<200 | 409>()
  if (made.ok) expectTypeOf(made.data).toEqualTypeOf<Paint>()
  if (made.status === 409) expectTypeOf(made.data).toEqualTypeOf<{ detail: string }>()
  expectTypeOf((await three.car.create()).status).toEqualTypeOf<201 | 409>()

  // what the oldest of the changes says counts
  expectTypeOf((await one.car.start()).status).toEqualTypeOf<200 | 400>()
  expectTypeOf((await two.car.start()).status).toEqualTypeOf<201 | 400>()
  expectTypeOf((await three.car.start()).status).toEqualTypeOf<202 | 404>()

  // a status without content has no body
  const removed = await two.car.remove()
  expectTypeOf(removed.status).toEqualTypeOf<204>()
  expectTypeOf(removed.data).toEqualTypeOf<undefined>()

  // types do not know which of several a plain result has
  expectTypeOf((await two.car.either()).status).toEqualTypeOf<200 | 201 | 202>()
  expectTypeOf((await two.car.one()).status).toEqualTypeOf<number>()

  // all routes of a controller and those below it
  const old = await two.admin.users.get()
  if (old.status === 410) expectTypeOf(old.data).toEqualTypeOf<{ detail: string }>()
  expectTypeOf<Extract<(typeof old)['status'], 200 | 404 | 410>>().toEqualTypeOf<200 | 404 | 410>()
  expectTypeOf((await three.admin.users.get()).status)
    .extract<404>()
    .toEqualTypeOf<404>()

  // nobody sees what is not released
  expectTypeOf((await three.car.list()).status).toEqualTypeOf<203>()

  expectTypeOf(
    await queryOptions(two.car.create).queryFn({ signal: AbortSignal.any([]) }),
  ).toEqualTypeOf<Paint>()
  expectTypeOf<typeof two.car.remove>().toExtend<RouteFunction<object, { readonly status: 204 }>>()
  // @ts-expect-error version 2 has no 201
  if (made.status === 201) throw new Error()
}

// @ts-expect-error a status is a number
operation({ route: 'car.create', response: { status: { 404: { was: '400' } } } })
// @ts-expect-error there is no such field
operation({ route: 'car.create', responses: {} })
