import { createApp, defineController, defineModule, defineRouter, VERSION_NEUTRAL } from 'octavo'

declare const wide: string

const app = createApp(
  defineModule({
    controllers: [
      defineController({
        name: 'CarController',
        routes: [
          { method: 'GET', path: '/{id:int}', name: 'one', version: '1', handler: () => 1 },
          { method: 'GET', path: '/{slug}', name: 'one', version: '2', handler: () => 1 },
          { method: 'GET', name: 'old', version: '1', handler: () => 1 },
          { method: 'GET', path: '/r/{year:int}', name: 'range', version: '>=2', handler: () => 1 },
          { method: 'GET', path: '/ping', name: 'ping', version: VERSION_NEUTRAL, handler: () => 1 },
          { method: 'GET', path: '/plain', name: 'plain', handler: () => 1 },
        ],
      }),
      defineController({
        name: 'WheelController',
        version: ['1', '2026-01-01'],
        routes: [{ method: 'GET', path: '/{size:int}', name: 'find', handler: () => 1 }],
      }),
    ],
    routers: [
      defineRouter({
        name: 'admin',
        version: '2',
        routers: [
          defineRouter({
            name: 'users',
            routes: [{ method: 'GET', path: '/{id:uuid}', name: 'show', handler: () => 1 }],
          }),
        ],
      }),
    ],
  }),
)

export function parametersAreThoseOfTheVersion(): readonly string[] {
  return [
    app.urlFor('car.one', { id: 7 }, { version: '1' }),
    app.urlFor('car.one', { slug: 'a' }, { version: '2' }),
    // @ts-expect-error version 2 has a slug
    app.urlFor('car.one', { id: 7 }, { version: '2' }),
    // @ts-expect-error version 1 has a number
    app.urlFor('car.one', { id: '7' }, { version: '1' }),
    app.urlFor('wheel.find', { size: 1 }, { version: '2026-01-01' }),
    app.urlFor('admin.users.show', { id: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' }, { version: '2' }),
  ]
}

export function versionsAreThoseOfTheRoute(): readonly string[] {
  return [
    // @ts-expect-error Type '"3"' is not assignable to type '"1" | "2"'
    app.urlFor('car.one', { id: 7 }, { version: '3' }),
    // @ts-expect-error the route is in version 1 alone
    app.urlFor('car.old', {}, { version: '2' }),
    // @ts-expect-error 2 is not a version of the controller
    app.urlFor('wheel.find', { size: 1 }, { version: '2' }),
    // @ts-expect-error the version of the router above
    app.urlFor('admin.users.show', { id: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' }, { version: '1' }),
  ]
}

export function unknownVersionsMayBeAny(): readonly string[] {
  return [
    app.urlFor('car.one', { id: 7 }, { version: wide }),
    app.urlFor('car.one', { slug: 'a' }, { version: wide }),
    app.urlFor('car.range', { year: 2026 }, { version: '2' }),
    app.urlFor('car.ping', {}, { version: '1' }),
    app.urlFor('car.plain', {}, { version: '2', query: { q: 1 } }),
  ]
}

export function aVersionIsNotNeeded(): readonly string[] {
  return [
    app.urlFor('car.one', { id: 7 }),
    app.urlFor('car.one', { slug: 'a' }),
    app.urlFor('car.old'),
    app.urlFor('car.old', {}, { query: { q: 1 } }),
    app.urlFor('car.old', {}, { version: undefined }),
  ]
}

export function optionsComeThird(): readonly string[] {
  return [
    // @ts-expect-error Type '"1"' is not assignable to type '"options come third: urlFor(name, {}, { version })"'
    app.urlFor('car.old', { version: '1' }),
    // @ts-expect-error the same for the query
    app.urlFor('car.plain', { query: { q: 1 } }),
    // @ts-expect-error the route has no parameters
    app.urlFor('car.plain', { id: 7 }),
  ]
}
