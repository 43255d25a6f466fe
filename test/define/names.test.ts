import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  VERSION_NEUTRAL,
  VersioningSchemes,
} from 'octavo'
import type { AppOptions, RouteEntry } from 'octavo'
import { createClient } from 'octavo/client'
import { z } from 'zod'

import { controller, moduleOf, router } from '../support/untyped.ts'

const get = { method: 'GET', handler: () => null }
const routesOf = (options: object): readonly RouteEntry[] =>
  createApp(moduleOf(options), { logger: false }).routes()
const summaryOf = (options: object): readonly string[] =>
  routesOf(options).map(({ name, methods, path }) => `${name}: ${methods.join(',')} ${path}`)

describe('the name and prefix of a controller', () => {
  const cases = [
    ['come from a name', { name: 'CarController' }, 'car', '/car'],
    ['come from a name without the word Controller', { name: 'Car' }, 'car', '/car'],
    ['are in kebab case', { name: 'UserProfileController' }, 'user-profile', '/user-profile'],
    ['keep abbreviations together', { name: 'HTTPController' }, 'http', '/http'],
    ['part an abbreviation from a word', { name: 'HTTPServerController' }, 'http-server', '/http-server'],
    ['keep Controller in the middle', { name: 'CarControllerV2' }, 'car-controller-v2', '/car-controller-v2'],
    ['part a digit from a capital', { name: 'Car2Go' }, 'car2-go', '/car2-go'],
    ['leave kebab case alone', { name: 'user-profile' }, 'user-profile', '/user-profile'],
    ['leave snake case alone', { name: 'user_profile' }, 'user_profile', '/user_profile'],
    [
      'drop a Controller in kebab case only as a whole word',
      { name: 'carcontroller' },
      'carcontroller',
      '/carcontroller',
    ],
    ['come from a prefix', { prefix: '/car' }, 'car', '/car'],
    ['come from a prefix of several segments', { prefix: '/admin/cars' }, 'admin-cars', '/admin/cars'],
    [
      'leave parameters of a prefix out',
      { prefix: '/orgs/{org_id:int}/cars' },
      'orgs-cars',
      '/orgs/{org_id:int}/cars',
    ],
    ['are apart when both are given', { name: 'CarController', prefix: '/vehicles' }, 'car', '/vehicles'],
    ['ignore a slash at the end of a prefix', { prefix: '/car/' }, 'car', '/car'],
    ['can be nothing for the prefix /', { prefix: '/' }, '', '/'],
    ['can be nothing for an empty prefix', { prefix: '' }, '', '/'],
    ['can be a name without prefix', { name: 'CarController', prefix: '' }, 'car', '/'],
    ['can be nothing for a prefix of parameters', { prefix: '/{org}' }, '', '/{org}'],
  ] as const
  for (const [title, options, name, path] of cases) {
    it(title, () => {
      const [route] = routesOf({ controllers: [controller({ ...options, routes: [get] })] })
      assert.deepEqual(
        { controller: route?.controller, name: route?.name, path: route?.path },
        { controller: name, name: name === '' ? 'get' : `${name}.get`, path },
      )
    })
  }
})

describe('the name of a route', () => {
  function getOne() {
    return null
  }
  const listAll = () => null
  const cases = [
    ['is the one given', { name: 'show' }, 'show'],
    ['is the name of its handler', { handler: getOne }, 'getOne'],
    ['is the name of its arrow function', { handler: listAll }, 'listAll'],
    ['is the one given before the name of its handler', { name: 'show', handler: getOne }, 'show'],
    ['is the method at /', {}, 'get'],
    ['is the first of several methods', { method: ['PUT', 'PATCH'] }, 'put'],
    ['is method and path', { path: '/welcome/' }, 'getWelcome'],
    ['has parameters after By', { path: '/{car_id}' }, 'getByCarId'],
    ['has the rest of a path after By', { path: '/files/{rest:path}' }, 'getFilesByRest'],
    ['has every segment', { path: '/a/{b}/c-d/{e:int}' }, 'getAByBCDByE'],
    ['has the text of mixed segments', { path: '/{name}.json' }, 'getByNameJson'],
    ['ignores a slash at the end', { path: '/welcome' }, 'getWelcome'],
    ['is made of several words of a segment', { path: '/sign_up', method: 'POST' }, 'postSignUp'],
  ] as const
  for (const [title, options, name] of cases) {
    it(title, () =>
      assert.deepEqual(
        routesOf({ controllers: [controller({ name: 'Car', routes: [{ ...get, ...options }] })] }).map(
          (route) => route.name,
        ),
        [`car.${name}`],
      ),
    )
  }
})

describe('paths', () => {
  const cases = [
    ['are the prefix without a path', {}, {}, {}, '/car'],
    ['are the prefix and the path', {}, {}, { path: '/a' }, '/car/a'],
    ['keep a slash at the end', {}, {}, { path: '/a/' }, '/car/a/'],
    ['never double a slash', { prefix: '/api/' }, { prefix: '/car/' }, { path: '/' }, '/api/car/'],
    ['are / below nothing', { prefix: '/' }, { prefix: '/' }, { path: '/' }, '/'],
    ['begin with the prefix of the module', { prefix: '/api' }, {}, { path: '/a' }, '/api/car/a'],
    [
      'take parameters from everywhere',
      { prefix: '/{a}' },
      { prefix: '/{b}' },
      { path: '/{c}' },
      '/{a}/{b}/{c}',
    ],
  ] as const
  for (const [title, module, group, route, path] of cases) {
    it(title, () =>
      assert.deepEqual(
        routesOf({
          ...module,
          controllers: [controller({ name: 'Car', ...group, routes: [{ ...get, ...route }] })],
        }).map((entry) => entry.path),
        [path],
      ),
    )
  }

  it('begin with the prefix of the application', () =>
    assert.deepEqual(
      createApp(moduleOf({ prefix: '/b', controllers: [controller({ prefix: '/c', routes: [get] })] }), {
        prefix: '/a/',
        logger: false,
      })
        .routes()
        .map(({ path }) => path),
      ['/a/b/c'],
    ))
})

describe('nested routers', () => {
  const audit = router({ name: 'Audit', routes: [{ ...get, path: '/{id:int}', name: 'one' }] })
  const users = router({ prefix: '/users', version: '2', tags: ['people'], routes: [get], routers: [audit] })
  const admin = router({ prefix: '/admin', version: '1', meta: { a: 1, b: 1 }, routers: [users, audit] })

  it('join names by dots, and prefixes', () =>
    assert.deepEqual(summaryOf({ routers: [admin] }), [
      'admin.users.get: GET /admin/users',
      'admin.users.audit.one: GET /admin/users/audit/{id:int}',
      'admin.audit.one: GET /admin/audit/{id:int}',
    ]))

  it('inherit version, tags and meta, and replace the version', () =>
    assert.deepEqual(
      routesOf({ routers: [admin] }).map(({ versions, tags, meta }) => ({ versions, tags, meta })),
      [
        { versions: ['2'], tags: ['people'], meta: { a: 1, b: 1 } },
        { versions: ['2'], tags: ['people'], meta: { a: 1, b: 1 } },
        { versions: ['1'], tags: ['admin.audit'], meta: { a: 1, b: 1 } },
      ],
    ))

  it('can stand without a prefix of their own', () =>
    assert.deepEqual(summaryOf({ routers: [router({ prefix: '', routers: [audit] })] }), [
      'audit.one: GET /audit/{id:int}',
    ]))

  it('answer', async () => {
    const inner = defineRouter({
      prefix: '/posts',
      routes: [
        {
          method: 'GET',
          path: '/{post_id:int}',
          handler: ({ params }, { route }) => ({
            params,
            name: route?.name,
            path: route?.path,
            controller: route?.controller,
          }),
        },
      ],
    })
    const outer = defineRouter({ prefix: '/users/{user}', routers: [inner] })
    const app = createApp(defineModule({ routers: [outer] }), { logger: false })
    const response = await app.inject('/users/ann/posts/7')
    assert.deepEqual(response.json(), {
      params: { user: 'ann', post_id: 7 },
      name: 'users.posts.getByPostId',
      path: '/users/{user}/posts/{post_id:int}',
      controller: 'users.posts',
    })
  })
})

describe('options that routes inherit', () => {
  const entries = (module: object, group: object, route: object) =>
    routesOf({
      ...module,
      controllers: [controller({ name: 'Car', ...group, routes: [{ ...get, ...route }] })],
    }).map(({ versions, tags, deprecated, meta }) => ({ versions, tags, deprecated, meta }))
  const plain = { versions: [], tags: ['car'], deprecated: false, meta: {} }
  const cases = [
    ['is the name as tag by default', {}, {}, {}, plain],
    ['is the version of the module', { version: '1' }, {}, {}, { ...plain, versions: ['1'] }],
    [
      'is the version of the controller first',
      { version: '1' },
      { version: ['2', '3'] },
      {},
      { ...plain, versions: ['2', '3'] },
    ],
    [
      'is no version where the route has one',
      { version: '1' },
      { version: '2' },
      { version: '3' },
      { ...plain, versions: ['3'] },
    ],
    [
      'is no version where the route is neutral',
      { version: '1' },
      {},
      { version: VERSION_NEUTRAL },
      { ...plain, versions: ['neutral'] },
    ],
    [
      'is the version above where it is undefined',
      { version: '1' },
      { version: undefined },
      { version: undefined },
      { ...plain, versions: ['1'] },
    ],
    ['is the tags of the controller', { tags: ['m'] }, { tags: ['c'] }, {}, { ...plain, tags: ['c'] }],
    ['is the tags of the module', { tags: ['m'] }, {}, {}, { ...plain, tags: ['m'] }],
    [
      'is no tag where the route has an empty list',
      { tags: ['m'] },
      {},
      { tags: [] },
      { ...plain, tags: [] },
    ],
    ['is deprecation', {}, { deprecated: true }, {}, { ...plain, deprecated: true }],
    ['is no deprecation where the route says so', {}, { deprecated: true }, { deprecated: false }, plain],
    [
      'is meta, key by key',
      {},
      { meta: { a: 1, b: 1 } },
      { meta: { b: 2 } },
      { ...plain, meta: { a: 1, b: 2 } },
    ],
  ] as const
  for (const [title, module, group, route, expected] of cases) {
    it(title, () => assert.deepEqual(entries(module, group, route), [expected]))
  }
})

describe('modules', () => {
  const car = moduleOf({ name: 'CarModule', controllers: [controller({ name: 'Car', routes: [get] })] })

  it('come after what they import', () =>
    assert.deepEqual(
      summaryOf({ imports: [car], controllers: [controller({ name: 'Home', routes: [get] })] }),
      ['car.get: GET /car', 'home.get: GET /home'],
    ))

  it('are one module when imported twice', () => {
    const left = moduleOf({ imports: [car] })
    const right = moduleOf({ imports: [car, left] })
    assert.deepEqual(summaryOf({ imports: [left, right, car] }), ['car.get: GET /car'])
  })

  it('may import each other', () => {
    const imports: unknown[] = []
    const left = moduleOf({ imports, controllers: [controller({ name: 'Left', routes: [get] })] })
    imports.push(moduleOf({ imports: [left], controllers: [controller({ name: 'Right', routes: [get] })] }))
    assert.deepEqual(summaryOf({ imports: [left] }), ['right.get: GET /right', 'left.get: GET /left'])
  })

  it('keep prefix and version to themselves', () =>
    assert.deepEqual(
      routesOf({
        imports: [car],
        prefix: '/api',
        version: '1',
        controllers: [controller({ name: 'Home', routes: [get] })],
      }).map(({ path, versions }) => ({ path, versions })),
      [
        { path: '/car', versions: [] },
        { path: '/api/home', versions: ['1'] },
      ],
    ))

  it('may hold nothing', () => assert.deepEqual(summaryOf({}), []))
})

describe('a definition', () => {
  it('may have undefined in any field that is not required', () => {
    const route = {
      ...get,
      path: undefined,
      name: undefined,
      version: undefined,
      input: undefined,
      response: undefined,
      status: undefined,
      meta: undefined,
    }
    assert.deepEqual(
      summaryOf({
        name: undefined,
        prefix: undefined,
        imports: undefined,
        controllers: [controller({ name: 'Car', prefix: undefined, inject: undefined, routes: [route] })],
      }),
      ['car.get: GET /car'],
    )
  })

  it('may take response as a schema, by status or in pairs', () => {
    const responses = [z.string(), { 200: z.string(), 404: z.object({}) }, [[200, z.string()]]]
    assert.deepEqual(
      summaryOf({
        controllers: [
          controller({
            name: 'Car',
            routes: responses.map((response, index) => ({ ...get, path: `/${index}`, response })),
          }),
        ],
      }),
      ['car.get0: GET /car/0', 'car.get1: GET /car/1', 'car.get2: GET /car/2'],
    )
  })

  it('may name a parameter like what every object inherits', async () => {
    const app = createApp(
      defineModule({
        controllers: [
          defineController({
            prefix: '/',
            routes: [
              {
                method: 'GET',
                path: '/{constructor}/{toString}',
                handler: ({ params }) => ({ own: Object.keys(params), first: params.constructor }),
              },
            ],
          }),
        ],
      }),
      { logger: false },
    )
    assert.deepEqual((await app.inject('/a/b')).json(), { own: ['constructor', 'toString'], first: 'a' })
  })
})

const createCars = (options: AppOptions = {}) =>
  createApp(
    defineModule({
      controllers: [
        defineController({
          name: 'CarController',
          prefix: '/car',
          routes: [{ method: 'GET', name: 'list', handler: () => 'cars' }],
        }),
      ],
    }),
    { logger: false, docs: { ui: false }, ...options },
  )

describe('a route without a path has the path of its prefix', () => {
  for (const trailingSlash of ['ignore', 'strict', 'redirect'] as const) {
    it(`everywhere, with trailingSlash: '${trailingSlash}'`, async () => {
      const app = createCars({ trailingSlash })
      await app.ready()
      assert.equal(app.urlFor('car.list', {}), '/car')
      assert.deepEqual(app.routes().map(({ path }) => path)[0], '/car')
      assert.match(app.printRoutes(), /── car\n[│ ]+GET car\.list/)
      assert.deepEqual(Object.keys(app.openapi().paths), ['/car'])
      const seen: string[] = []
      const client = createClient<typeof app>({
        baseUrl: 'http://localhost',
        fetch: (url, init) => {
          seen.push(new URL(url).pathname)
          return app.fetch(new Request(url, init))
        },
      })
      await client.car.list({})
      assert.deepEqual(seen.at(-1), '/car')
      assert.equal((await app.inject('/car')).statusCode, 200)
      const { statusCode, headers } = await app.inject('/car/')
      assert.deepEqual(
        [statusCode, headers['location']],
        { ignore: [200, undefined], strict: [404, undefined], redirect: [308, '/car'] }[trailingSlash],
      )
    })
  }

  it('below the prefix of the application and a version', async () => {
    const app = createCars({ prefix: '/api', trailingSlash: 'strict' })
    app.enableVersioning(VersioningSchemes.URL, { versions: ['1'] })
    assert.equal(app.urlFor('car.list', {}), '/api/car')
    assert.equal((await app.inject('/api/car')).statusCode, 200)
  })
})
