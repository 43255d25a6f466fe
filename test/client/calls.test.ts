import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import { createDispatcher } from 'octavo/undici'
import { createClient } from 'octavo/client'
import type { Client, ClientOptions } from 'octavo/client'
import { Agent, fetch as undiciFetch } from 'undici'

import { createCarsApp } from './cars.ts'

type Cars = ReturnType<typeof createCarsApp>

const DOCS = { path: '/docs', ui: false } as const

/** The ways a client reaches an application. Host versioning needs names that a resolver knows: no socket there. */
const ADAPTERS: Readonly<Record<string, (app: Cars) => Promise<ClientOptions>>> = {
  'app.fetch': (app) => Promise.resolve({ fetch: app.fetch }),
  'createDispatcher(app)': (app) => Promise.resolve({ dispatcher: createDispatcher(app) }),
  'a socket': async (app) => ({ baseUrl: await app.listen({ port: 0, host: '127.0.0.1' }) }),
  'a socket and an Agent of undici': async (app) => ({
    baseUrl: await app.listen({ port: 0, host: '127.0.0.1' }),
    dispatcher: new Agent(),
  }),
  'the fetch of undici': async (app) => ({
    baseUrl: await app.listen({ port: 0, host: '127.0.0.1' }),
    fetch: undiciFetch,
  }),
}

const SCHEMES: Readonly<Record<string, (app: Cars) => void>> = {
  URL: (app) => app.enableVersioning(VersioningSchemes.URL, { defaultVersion: '1' }),
  Accept: (app) => app.enableVersioning(VersioningSchemes.HEADER, { defaultVersion: '1' }),
  'a vendor type': (app) =>
    app.enableVersioning(VersioningSchemes.HEADER, {
      mediaType: 'application/vnd.car.v{version}+json',
      echo: 'contentType',
      defaultVersion: '1',
    }),
  'a header': (app) =>
    app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-version', defaultVersion: '1' }),
  QUERY: (app) => app.enableVersioning(VersioningSchemes.QUERY, { defaultVersion: '1' }),
  'URL and a header': (app) =>
    app.enableVersioning(
      [[VersioningSchemes.URL], [VersioningSchemes.HEADER, { headerParameter: 'x-version' }]],
      { defaultVersion: '1' },
    ),
}

/** `neutral` is the version in which a neutral route answers the client. */
async function checkCalls(client: Client<Cars>, version: string, neutral = version): Promise<void> {
  const found = await client.car.getOne({ params: { car_id: 7 } })
  assert.equal(found.status, 200)
  assert.deepEqual(found.status === 200 && found.data, {
    id: 7,
    version,
    made: '1970-01-01T00:00:00.000Z',
    parts: [{ name: 'wheel', changed: '1970-01-01T00:00:01.000Z' }],
  })
  const missing = await client.car.getOne({ params: { car_id: '0' } })
  assert.deepEqual([missing.status, missing.ok, missing.data], [404, false, { detail: 'No such car' }])
  const list = await client.car.list({ query: { limit: 3, tags: ['a', 'b c'] } })
  assert.deepEqual(list.data, { limit: 3, tags: ['a', 'b c'] })
  const searched = await client.car.search({ body: { names: ['Ford', 'Citroën'] } })
  assert.deepEqual(searched.data, { names: ['Ford', 'Citroën'], limit: 10 })
  const created = await client.car.create({ body: { name: 'Ford', year: 1990 } })
  assert.deepEqual([created.status, created.data], [201, { name: 'Ford', year: 1990 }])
  assert.deepEqual((await client.car.status()).data, { version: neutral })
  assert.equal((await client['user-profile'].get()).data, 'profile')
  assert.equal((await client.ping()).data, 'pong')
}

describe('a client calls routes by their names', () => {
  for (const [at, [adapter, open]] of Object.entries(ADAPTERS).entries()) {
    // an adapter knows nothing of schemes: each is called with one, and one with all
    for (const [scheme, enable] of Object.entries(SCHEMES).filter((_, index) => at * index === 0)) {
      it(`over ${adapter}, with versions in ${scheme}`, async () => {
        const app = createCarsApp({ docs: DOCS })
        enable(app)
        const options = await open(app)
        try {
          // in paths, a neutral route has one address, which names no version
          const neutral = scheme.startsWith('URL') ? '1' : '2'
          await checkCalls(createClient({ ...options, version: '2' }), '2', neutral)
          await checkCalls(createClient(options), '1')
        } finally {
          await app.close()
        }
      })
    }
  }

  it('in a host of its own where hosts name versions', async () => {
    const app = createCarsApp({ docs: DOCS })
    app.enableVersioning(VersioningSchemes.HOST, { defaultVersion: '1', ignoreLabels: ['api'] })
    const baseUrl = 'https://api.example.com'
    await checkCalls(createClient({ baseUrl, fetch: app.fetch, version: '2' }), '2')
    await checkCalls(createClient({ baseUrl, dispatcher: createDispatcher(app) }), '1')
    const hosts: string[] = []
    const fetch = (url: string, init: RequestInit): Promise<Response> => {
      hosts.push(new URL(url).host)
      return app.fetch(new Request(url, init))
    }
    await checkCalls(createClient({ baseUrl: `${baseUrl}:8443`, fetch, version: '2' }), '2')
    assert.deepEqual([...new Set(hosts)], ['api.example.com:8443', 'v2.example.com:8443'])
  })

  it('below the path of the base URL and the prefix of the application', async () => {
    const app = createCarsApp({ docs: DOCS, prefix: '/api' })
    app.enableVersioning(VersioningSchemes.URL, { defaultVersion: null })
    const urls: string[] = []
    const fetch = (url: string, init: RequestInit): Promise<Response> => {
      urls.push(url)
      return app.fetch(new Request(url.replace('/gateway', ''), init))
    }
    const client = createClient<Cars, '2'>({
      baseUrl: 'http://localhost/gateway/',
      version: '2',
      docs: '/api/docs',
      fetch,
    })
    await client.car.getOne({ params: { car_id: 7 } })
    assert.deepEqual(urls, [
      'http://localhost/gateway/api/docs/client.json?version=2',
      'http://localhost/gateway/api/v2/car/7',
    ])
  })

  it('of nested routers, with the parameters of every prefix', async () => {
    const client = createClient<Cars>({ fetch: createCarsApp().fetch })
    const user_id = '00000000-0000-4000-8000-000000000000'
    assert.deepEqual((await client.admin.users.list({ params: { user_id } })).data, { user_id })
  })

  it('by one of several methods', async () => {
    const client = createClient<Cars>({ fetch: createCarsApp().fetch })
    const params = { text: 'x', from: 'a', to: 'b', rest: '' }
    const methodOf = async (method?: 'GET' | 'DELETE' | 'HEAD'): Promise<unknown> => {
      const { data } = await client.echo.path({ params, method })
      return data === undefined ? 'none' : (data as { method: string }).method
    }
    assert.deepEqual(
      [await methodOf(), await methodOf('DELETE'), await methodOf('HEAD')],
      ['GET', 'DELETE', 'none'],
    )
    await assert.rejects(
      client.echo.path({ params, method: 'PUT' as 'GET' }),
      /^TypeError: echo\.path: the method is one of GET, DELETE, HEAD$/,
    )
  })

  it('also where a function chooses the version of a request that names none', async () => {
    const app = createCarsApp()
    app.enableVersioning(VersioningSchemes.HEADER, {
      headerParameter: 'x-version',
      defaultVersion: () => '1',
    })
    await checkCalls(createClient({ fetch: app.fetch }), '1')
  })
})

describe('the URL of a route', () => {
  const input = { params: { car_id: 7 } }
  const cases: readonly (readonly [scheme: string, url: string])[] = [
    ['URL', 'http://localhost/v2/car/7'],
    ['Accept', 'http://localhost/car/7'],
    ['a header', 'http://localhost/car/7'],
    ['QUERY', 'http://localhost/car/7?version=2'],
    ['URL and a header', 'http://localhost/v2/car/7'],
  ]
  for (const [scheme, url] of cases) {
    it(`has the version where the scheme writes it, in ${scheme}`, async () => {
      const app = createCarsApp()
      SCHEMES[scheme]?.(app)
      const client = createClient<Cars, '2'>({ fetch: app.fetch, version: '2' })
      assert.equal(await client.url('car.getOne', input), url)
      const called: string[] = []
      const calling = createClient<Cars, '2'>({
        fetch: app.fetch,
        version: '2',
        onRequest: ({ url: sent }) => void called.push(sent.href),
      })
      await calling.car.getOne(input)
      assert.deepEqual(called, [url])
    })
  }

  it('has the version in its host', async () => {
    const app = createCarsApp()
    app.enableVersioning(VersioningSchemes.HOST, { ignoreLabels: ['api'] })
    const client = createClient<Cars, '2'>({
      baseUrl: 'https://api.example.com:8443',
      fetch: app.fetch,
      version: '2',
    })
    assert.equal(await client.url('car.getOne', input), 'https://v2.example.com:8443/car/7')
  })

  it('has the path of the base URL, the query and escaped parameters', async () => {
    const app = createCarsApp({ prefix: '/api' })
    const client = createClient<Cars>({ baseUrl: 'http://a.test/base/', fetch: app.fetch })
    assert.equal(
      await client.url('echo.path', { params: { text: 'a/b', from: 'ä', to: '1', rest: 'x/y z' } }),
      'http://a.test/base/api/echo/at/a%2Fb/%C3%A4-1/x/y%20z',
    )
    assert.equal(
      await client.url('echo.query', { query: { list: ['a b', 'c&d'], day: new Date(0) } }),
      'http://a.test/base/api/echo/query?list=a+b&list=c%26d&day=1970-01-01T00%3A00%3A00.000Z',
    )
    assert.equal(await client.url('ping'), 'http://a.test/base/api/ping')
    assert.equal(
      await client.url('admin.users.list', { params: { user_id: 'u' } }),
      'http://a.test/base/api/admin/users/u',
    )
  })

  it('rejects for names and values that cannot be sent', async () => {
    const client = createClient<Cars>({ fetch: createCarsApp().fetch })
    const url = Reflect.get(client, 'url') as (name: string, input?: object) => Promise<string>
    await assert.rejects(url('car.lost'), { name: 'TypeError', message: /^There is no route "car\.lost"/ })
    await assert.rejects(url('car.getOne'), { message: 'car.getOne: the path parameter car_id is missing' })
    await assert.rejects(url('car.create', { body: {} }), {
      message: 'car.create: a URL does not take body; it takes params, query',
    })
  })
})

describe('a client at a version', () => {
  const open = (): ReturnType<typeof createCarsApp> => {
    const app = createCarsApp({ docs: DOCS })
    app.enableVersioning(VersioningSchemes.URL, { defaultVersion: '1' })
    return app
  }

  it('calls the routes of that version', async () => {
    const client = createClient<Cars>({ fetch: open().fetch })
    const first = await client.at('1').car.getOne({ params: { car_id: 7 } })
    const second = await client.at('2').car.getOne({ params: { car_id: 7 } })
    assert.deepEqual([first.ok && first.data.version, second.ok && second.data.version], ['1', '2'])
    await assert.rejects(
      Reflect.get(client.at('2').car, 'onlyOne')(),
      /There is no route "car.onlyOne" in version 2/,
    )
  })

  it('is the same client each time, and reads the routes once', async () => {
    const app = open()
    const urls: string[] = []
    const fetch = (url: string, init: RequestInit): Promise<Response> => {
      urls.push(new URL(url).pathname)
      return app.fetch(new Request(url, init))
    }
    const client = createClient<Cars, '2'>({ baseUrl: 'http://localhost', version: '2', fetch })
    assert.equal(client.at('2'), client)
    assert.equal(client.at('1'), client.at('1'))
    await client.at('1').car.list()
    await client.at('1').car.list()
    assert.deepEqual(urls, ['/docs/client.json', '/v1/car', '/v1/car'])
  })

  it('refuses what is no version, and routes that are those of another', () => {
    const client = createClient<Cars>({ fetch: open().fetch })
    assert.throws(() => client.at(2 as never), {
      name: 'TypeError',
      message: "createClient: version is not a version, such as '2'",
    })
    const saved = createClient<Cars, '1'>({
      baseUrl: 'http://localhost',
      version: '1',
      routes: { version: '1', routes: {} },
    })
    assert.throws(() => saved.at('2'), {
      name: 'TypeError',
      message: 'createClient: the option routes is of one version; leave it out for clients of several',
    })
  })
})

describe('an unknown name', () => {
  const app = createCarsApp()
  app.enableVersioning(VersioningSchemes.URL, { defaultVersion: null })
  const client = createClient<Cars, '2'>({ fetch: app.fetch, version: '2' })
  const call = (path: string): Promise<unknown> => {
    let at: unknown = client
    for (const name of path.split('/')) at = Reflect.get(Object(at), name)
    return (at as () => Promise<unknown>)()
  }

  for (const [path, expected] of [
    ['car/getOn', /"car\.getOn" in version 2; near it are "car\.getOne"/],
    ['car/onlyOne', /"car\.onlyOne" in version 2/],
    ['__proto__', /"__proto__"/],
    ['car/constructor', /"car\.constructor"/],
    ['car/getOne/apply', /"car\.getOne\.apply"/],
  ] as const) {
    it(`rejects with a TypeError that names those near it: ${path}`, async () => {
      await assert.rejects(call(path), { name: 'TypeError', message: expected })
    })
  }

  it('in no version lists what answers without one', async () => {
    const bare = createClient<Cars>({ fetch: app.fetch })
    await assert.rejects(bare.car.list(), { name: 'TypeError', message: /no route "car\.list"; near it are/ })
  })
})

describe('a client is an object like others', () => {
  const client = createClient<Cars>({ fetch: createCarsApp().fetch })

  it('that can be awaited, and so can its members', async () => {
    for (const each of [client, client.car, client.car.getOne])
      assert.equal(await Promise.resolve<unknown>(each), each)
  })

  it('that can be looked at', () => {
    assert.match(inspect(client), /^(?:Proxy\()?\{\}\)?$/)
    assert.match(inspect(client.car.getOne), /\[Function: car\.getOne\]/)
    assert.equal(JSON.stringify({ client, get: client.car.getOne }), '{"client":{}}')
    assert.equal(`${typeof client} ${typeof client.car.getOne}`, 'object function')
    const texts = [client, client.car.getOne].map((each: unknown) => typeof String(each))
    assert.deepEqual(texts, ['string', 'string'])
  })

  it('whose calls are functions that can be passed on', async () => {
    const { ping } = client
    assert.equal((await ping()).data, 'pong')
    assert.equal(client.car.getOne, client.car.getOne)
  })
})
