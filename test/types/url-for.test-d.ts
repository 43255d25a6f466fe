import { createApp, defineController, defineModule, defineRouter, VERSION_NEUTRAL } from 'octavo'

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

export function parametersAreThoseOfOneOfItsVersions(): readonly string[] {
  return [
    app.urlFor('car.one', { id: 7 }),
    app.urlFor('car.one', { slug: 'a' }),
    app.urlFor('car.old'),
    app.urlFor('car.old', {}, { query: { q: 1 } }),
    app.urlFor('car.range', { year: 2026 }),
    app.urlFor('car.ping'),
    app.urlFor('wheel.find', { size: 1 }),
    app.urlFor('admin.users.show', { id: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' }),
    // @ts-expect-error neither version has a number as text
    app.urlFor('car.one', { id: '7' }),
  ]
}

export function optionsComeThird(): readonly string[] {
  return [
    // @ts-expect-error Type '{ q: number }' is not assignable to type '"options come third: urlFor(name, {}, { query })"'
    app.urlFor('car.plain', { query: { q: 1 } }),
    // @ts-expect-error the route has no parameters
    app.urlFor('car.plain', { id: 7 }),
    // @ts-expect-error links have the version of the request, or the default one
    app.urlFor('car.one', { id: 7 }, { version: '1' }),
  ]
}
