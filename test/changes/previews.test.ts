import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App, Middleware, VersioningOptions } from 'octavo'
import {
  absent,
  before,
  defineVersionChange,
  defineVersions,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { z } from 'zod'

const User = model('User', { id: z.string(), firstName: z.string(), lastName: z.string() })

const splitNames = defineVersionChange({
  preview: 'split-names',
  until: '2026-12-31',
  title: 'Names have two parts',
  sideEffects: true,
  change: [
    reshape({
      of: User,
      fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
      up: ({ name }) => ({ firstName: name.split(' ')[0] ?? '', lastName: name.split(' ')[1] ?? '' }),
      down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
    }),
    operation({ route: 'user.get', path: { was: '/people/{id}' } }),
  ],
})
const keys = defineVersionChange({
  preview: 'keys',
  until: '2027-01-01T12:00:00Z',
  title: 'Ids are called keys',
  change: [reshape({ of: User, fields: { id: { was: 'key' } } })],
})
const gone = defineVersionChange({
  preview: 'gone',
  until: '2025-01-01',
  title: 'Over',
  change: [operation({ route: 'user.told', status: { was: 202 } })],
})
const later = defineVersionChange({
  version: 'next',
  title: 'Created users are 201',
  change: [operation({ route: 'user.create', status: { was: 200 } })],
})
const fullNames = defineVersionChange({
  version: '2',
  title: 'Full names are called names',
  change: [reshape({ of: before(splitNames, User), fields: { name: { was: 'fullName' } } })],
})
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { User },
  changes: [splitNames, keys, gone, later, fullNames],
})

const ann = { id: '7', firstName: 'Ann', lastName: 'Lee' }
const UserController = defineController({
  prefix: '/user',
  routes: [
    { method: 'GET', path: '/{id}', name: 'get', response: User, handler: () => ann },
    {
      method: 'POST',
      name: 'create',
      status: 201,
      input: { body: User },
      response: { 201: User },
      handler: ({ body }) => body,
    },
    {
      method: 'GET',
      path: '/told/{id}',
      name: 'told',
      handler: (_, context) => ({
        url: context.urlFor('user.get', { id: '7' }),
        isSince: context.since(splitNames),
        previews: context.previews,
      }),
    },
  ],
})

const clock = (): number => Date.parse('2026-11-22')

type Given = Pick<VersioningOptions, 'previews' | 'history'>

/** Clients are told by a middleware, which lets some of them ask. */
const allowSome: Given = {
  previews: ({ state }, request) =>
    state['client'] === 'partner' || request.header('x-key') === 'k'
      ? ['split-names', 'keys', 'gone', 'next', 'never']
      : [],
}

const findClient: Middleware = (context, next) => {
  context.state['client'] = context.request.header('x-client')
  return next()
}

function open(scheme: object, given: Given = allowSome): App {
  return createApp(defineModule({ controllers: [UserController] }), {
    logger: false,
    docs: {},
    middleware: [findClient],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- options of several schemes
    versioning: { ...(scheme as { scheme: typeof VersioningSchemes.URL }), clock, history, ...given },
  })
}

const url = (given?: Given): App => open({ scheme: VersioningSchemes.URL }, given)
/** Nothing that a request does to it stays, so most tests share it. */
const shared = url()
const partner = { 'x-client': 'partner' }
const asking = (names: string): Record<string, string> => ({ ...partner, 'x-api-preview': names })

describe('a preview', () => {
  it('is before every version', async () => {
    for (const version of ['3', '2']) {
      assert.deepEqual((await shared.inject(`/v${version}/people/7`)).json(), { key: '7', name: 'Ann Lee' })
      assert.equal((await shared.inject(`/v${version}/user/7`)).statusCode, 404)
    }
    assert.deepEqual((await shared.inject('/v1/people/7')).json(), { key: '7', fullName: 'Ann Lee' })
  })

  it('is seen by those who ask for it', async () => {
    const headers = asking('split-names')
    const answer = await shared.inject({ url: '/v3/user/7', headers })
    assert.deepEqual(answer.json(), { firstName: 'Ann', lastName: 'Lee', key: '7' })
    assert.equal(answer.headers['x-api-preview'], 'split-names')
    assert.equal((await shared.inject({ url: '/v3/people/7', headers })).statusCode, 404)
    const created = await shared.inject({
      method: 'POST',
      url: '/v2/user',
      headers,
      json: { key: '8', firstName: 'Bo', lastName: 'Day' },
    })
    assert.deepEqual(
      [created.statusCode, created.json()],
      [200, { key: '8', firstName: 'Bo', lastName: 'Day' }],
    )
    const refused = await shared.inject({
      method: 'POST',
      url: '/v2/user',
      headers,
      json: { key: '8', name: 'Bo' },
    })
    assert.equal(refused.statusCode, 422)
  })

  it('is seen beside others', async () => {
    const answer = await shared.inject({ url: '/v2/user/7', headers: asking('keys, split-names, keys') })
    assert.deepEqual(answer.json(), ann)
    assert.equal(answer.headers['x-api-preview'], 'keys, split-names')
  })

  it('is known to handlers and to links', async () => {
    assert.deepEqual(
      (await shared.inject({ url: '/v3/user/told/7', headers: asking('split-names') })).json(),
      {
        url: '/v3/user/7',
        isSince: true,
        previews: ['split-names'],
      },
    )
    assert.deepEqual((await shared.inject('/v3/user/told/7')).json(), {
      url: '/v3/people/7',
      isSince: false,
      previews: [],
    })
  })

  it('named next has the changes that are not released', async () => {
    const create = async (headers: Record<string, string>): Promise<number> => {
      const json = { key: '8', name: 'Bo Day' }
      return (await shared.inject({ method: 'POST', url: '/v3/user', headers, json })).statusCode
    }
    assert.equal(await create({}), 200)
    assert.equal(await create(asking('next')), 201)
  })

  it('is a header that caches know of', async () => {
    assert.equal((await shared.inject('/v3/people/7')).headers['vary'], 'x-api-preview')
    const refused = await shared.inject({ url: '/v3/people/7', headers: asking('other') })
    assert.equal(refused.headers['vary'], 'x-api-preview')
  })
})

describe('a preview that cannot be asked for', () => {
  const told = async (app: App, path: string, headers: Record<string, string>): Promise<unknown> => {
    const answer = await app.inject({ url: path, headers })
    const { code, requested, allowed } = Object(answer.json())
    return [answer.statusCode, code, requested, allowed]
  }
  const all = ['split-names', 'keys', 'next']

  for (const [title, path, headers, requested, allowed] of [
    ['is unknown', '/v3/user/7', asking('nothing'), 'nothing', all],
    ['has ended', '/v3/user/7', asking('gone'), 'gone', all],
    ['is listed but not there', '/v3/user/7', asking('never'), 'never', all],
    ['is for others', '/v3/user/7', { 'x-api-preview': 'keys' }, 'keys', []],
    ['is one of several', '/v3/user/7', asking('keys, gone, x'), 'gone, x', all],
    [
      'is written against a state that the version lacks',
      '/v1/user/7',
      asking('split-names'),
      'split-names',
      ['keys', 'next'],
    ],
  ] as const)
    it(`${title} → 400`, async () => {
      assert.deepEqual(await told(shared, path, headers), [400, 'unknown_preview', requested, allowed])
    })

  it('is not allowed without the option', async () => {
    assert.deepEqual(await told(url({}), '/v3/user/7', asking('keys')), [400, 'unknown_preview', 'keys', []])
  })

  it('is refused after the last one was released', async () => {
    const app = createApp(defineModule({ controllers: [UserController] }), {
      logger: false,
      versioning: { scheme: VersioningSchemes.URL, versions: ['1'], previews: () => ['keys'] },
    })
    assert.deepEqual(await told(app, '/user/7', asking('keys')), [400, 'unknown_preview', 'keys', []])
  })

  it('is decided by a function that may take time or fail', async () => {
    const slow = url({ previews: async () => Promise.resolve(['keys']) })
    assert.equal((await slow.inject({ url: '/v3/people/7', headers: asking('keys') })).statusCode, 200)
    const failing = url({ previews: () => Promise.reject(new Error('no')) })
    assert.equal((await failing.inject({ url: '/v3/people/7', headers: asking('keys') })).statusCode, 500)
    assert.equal((await failing.inject('/v3/people/7')).statusCode, 200)
  })
})

describe('the places of a preview', () => {
  const names = async (app: App, given: Parameters<App['inject']>[0]): Promise<unknown> => {
    const answer = await app.inject(given)
    return answer.statusCode === 200 ? Object.keys(Object(answer.json())).length : Object(answer.json()).code
  }

  it('are a header of its own and a parameter of the header of the version', async () => {
    const app = open({ scheme: VersioningSchemes.HEADER, headerParameter: 'X-API-Version' })
    const get = async (value: string, headers: Record<string, string> = {}): Promise<unknown> =>
      names(app, { url: '/user/7', headers: { ...partner, 'x-api-version': value, ...headers } })
    assert.equal(await get('3; preview=split-names'), 3)
    assert.equal(await get('version=3; preview="split-names, keys"'), 3)
    assert.equal(await get('3;preview=keys;Preview=split-names'), 3)
    assert.equal(await get('3', { 'x-api-preview': 'split-names' }), 3)
    assert.equal(await get('3; preview=keys', { 'x-api-preview': 'split-names' }), 3)
    assert.equal(await get('3; preview=other'), 'unknown_preview')
    assert.equal(await get('9; preview=split-names'), 'unsupported_version')
  })

  it('are parameters of media types', async () => {
    const app = open({
      scheme: VersioningSchemes.HEADER,
      mediaType: 'application/vnd.shop.v{version}+json',
    })
    const get = async (accept: string): Promise<unknown> =>
      names(app, { url: '/user/7', headers: { ...partner, accept } })
    assert.equal(await get('application/json; version=3; preview=split-names'), 3)
    assert.equal(await get('application/vnd.shop.v3+json; preview="split-names keys"'), 3)
    assert.equal(await get('application/json; version=3; preview=split-names, text/html; preview=x; q=0'), 3)
    assert.equal(await get('application/json; version=3; preview=x'), 'unknown_preview')
  })

  it('are a header of its own beside versions in the query and in the host', async () => {
    const headers = asking('split-names')
    const query = open({ scheme: VersioningSchemes.QUERY })
    assert.equal(await names(query, { url: '/user/7?version=3', headers }), 3)
    const host = open({ scheme: VersioningSchemes.HOST })
    assert.equal(await names(host, { url: '/user/7', host: 'v3.example.com', headers }), 3)
  })
})

describe('documents of a preview', () => {
  it('are made on request, and marked', async () => {
    const app = shared
    await app.ready()
    assert.deepEqual(Object.keys(app.openapi({ version: '3' }).paths), [
      '/v3/people/{id}',
      '/v3/user',
      '/v3/user/told/{id}',
    ])
    const document = app.openapi({ version: '3', previews: ['split-names'] })
    assert.deepEqual(Object.keys(document.paths), ['/v3/user/{id}', '/v3/user', '/v3/user/told/{id}'])
    assert.equal(document.info['x-beta'], true)
    assert.deepEqual(document.info['x-previews'], ['split-names'])
    assert.match(
      document.info.description ?? '',
      /Names have two parts\*\* \(`split-names`, until 2026-12-31\)/,
    )
    assert.equal(document.paths['/v3/user/{id}']?.['get']?.['x-beta'], true)
    assert.equal(document.paths['/v3/user/told/{id}']?.['get']?.['x-beta'], undefined)
    assert.equal(app.openapi({ version: '3', previews: ['split-names'] }), document)
    assert.equal(app.openapi({ version: '3' }).info['x-beta'], undefined)
    assert.throws(() => app.openapi({ version: '3', previews: ['other'] }), /no preview "other"/)
    assert.throws(() => app.openapi({ version: '1', previews: ['split-names'] }), /no version "1"/)
  })

  it('are served to those who may ask', async () => {
    const get = async (path: string, headers?: Record<string, string>): Promise<Record<string, unknown>> =>
      Object((await shared.inject({ url: path, headers: headers ?? {} })).json())
    const paths = Object((await get('/docs/openapi/3.json', asking('split-names')))['paths'])
    assert.ok('/v3/user/{id}' in paths)
    assert.ok('/v3/people/{id}' in Object((await get('/docs/openapi/3.json'))['paths']))
    const refused = await get('/docs/openapi/3.json', { 'x-api-preview': 'split-names' })
    assert.equal(refused['code'], 'unknown_preview')
    assert.equal((await get('/docs/openapi/1.json', asking('split-names')))['code'], 'document_not_found')
    assert.ok(
      !('/v1/people/{id}' in Object((await get('/docs/openapi.json', asking('split-names')))['paths'])),
    )
  })
})

describe('the definition of a preview', () => {
  const messageOf = (change: object): string => {
    try {
      // @ts-expect-error JavaScript users may give anything
      defineVersions({ versions: ['2', '1'], models: {}, changes: [defineVersionChange(change)] })
      return 'none'
    } catch (error) {
      return String(error)
    }
  }
  const rest = { title: 'Trial', change: [] }

  for (const [given, message] of [
    [{ preview: 'a', until: '2026-12-31', version: '2' }, /a preview has no version/],
    [{ preview: 'a' }, /until is missing/],
    [{ preview: 'a', until: 'soon' }, /until/],
    [{ preview: 'next', until: '2026-12-31' }, /preview/],
    [{ preview: 'a b', until: '2026-12-31' }, /preview/],
    [{ until: '2026-12-31', version: '2' }, /until/],
  ] as const)
    it(`is checked: ${JSON.stringify(given)}`, () => {
      assert.match(messageOf({ ...rest, ...given }), /invalid_change/)
      assert.match(messageOf({ ...rest, ...given }), message)
    })

  it('is typed', () => {
    // @ts-expect-error a preview has an end
    defineVersionChange({ preview: 'a', title: 'Trial', change: [] })
    // @ts-expect-error a preview has no version
    defineVersionChange({ preview: 'a', until: '2026-12-31', version: '2', title: 'Trial', change: [] })
  })

  it('is not part of a version that is tried out', async () => {
    const trial = defineVersions({
      versions: ['3', '2', '1'],
      models: { User },
      changes: [splitNames, keys, gone, later, fullNames],
      next: '4',
    })
    assert.deepEqual(trial.migrate(User, ann, { to: '3' }), { key: '7', name: 'Ann Lee' })
    assert.equal(trial.isSince(splitNames, '3'), false)
    assert.equal(trial.isSince(later, '3'), false)
  })
})

describe('sets of previews', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const changes = names.map((preview, index) =>
    defineVersionChange({
      preview,
      until: '2027-01-01',
      title: preview,
      change: [operation({ route: 'user.told', status: { was: 202 + index } })],
    }),
  )
  const own = defineVersions({ versions: ['1'], models: { User }, changes })
  const openAll = (): App => url({ previews: () => names, history: own })

  it('have three of them at the most', async () => {
    const app = openAll()
    const ask = (asked: readonly string[]) =>
      app.inject({ url: '/v1/user/7', headers: { 'x-api-preview': asked.join(', ') } })
    assert.equal((await ask(['a', 'b', 'c'])).headers['x-api-preview'], 'a, b, c')
    const refused = await ask(['a', 'b', 'c', 'd'])
    assert.equal(refused.statusCode, 400)
    const { code, detail, allowed } = Object(refused.json())
    assert.equal(code, 'unknown_preview')
    assert.equal(detail, 'The request asks for more than 3 previews')
    assert.deepEqual(allowed, names)
    // the same one counts once
    assert.equal((await ask(['a', 'b', 'a', 'b', 'a'])).headers['x-api-preview'], 'a, b')
  })

  it('are kept while they are among the last 16 that were asked for, single previews always', async () => {
    const app = openAll()
    await app.ready()
    const documentOf = (...previews: readonly string[]) => app.openapi({ version: '1', previews })
    const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other] as const))
    const [alone, first, second] = [documentOf('a'), documentOf('a', 'b'), documentOf('a', 'c')]
    for (const pair of pairs.slice(2, 16)) documentOf(...pair)
    assert.equal(documentOf('b', 'a'), first)
    documentOf('f', 'g')
    assert.equal(documentOf('a', 'b'), first)
    assert.notEqual(documentOf('a', 'c'), second)
    assert.equal(documentOf('a'), alone)
  })
})

describe('a preview that has ended', () => {
  it('is warned of at the start, with its place', async () => {
    const warned: unknown[] = []
    const ignore = (): void => undefined
    const app = createApp(defineModule({ controllers: [UserController] }), {
      logger: { debug: ignore, info: ignore, error: ignore, warn: (details) => void warned.push(details) },
      versioning: { scheme: VersioningSchemes.URL, history, clock: () => Date.parse('2026-12-31') },
    })
    await app.ready()
    const ended = warned.filter((each) => Object(each).code === 'preview_ended')
    assert.deepEqual(
      ended.map((each) => [Object(each).where.replace(/ \(.*/, ''), Object(each).message]),
      [
        ['preview "split-names"', 'it ended on 2026-12-31, so requests for it are refused'],
        ['preview "gone"', 'it ended on 2025-01-01, so requests for it are refused'],
      ],
    )
    assert.match(Object(ended[1]).at, /^test\/changes\/previews\.test\.ts:40$/)
  })
})
