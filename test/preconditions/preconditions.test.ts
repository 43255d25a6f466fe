import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import { createApp, defineController, defineGuard, defineModule, DefinitionError, notFound } from 'octavo'
import { VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { preconditions } from 'octavo/preconditions'
import type { PreconditionOptions } from 'octavo/preconditions'
import { z } from 'zod'

const Car = model('Car', { id: z.int(), name: z.string(), version: z.int() })
interface CarState {
  readonly id: number
  readonly name: string
  readonly version: number
}
interface CarInput {
  readonly params: { readonly id: number }
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** A car 7 in version 1 whose store takes a turn of the event loop for each step. */
function serve(
  options: Partial<PreconditionOptions<CarState, CarInput>> = {},
  refused?: ReturnType<typeof defineGuard>,
) {
  const cars = new Map<number, CarState>([[7, { id: 7, name: 'Ford', version: 1 }]])
  const loaded: number[] = []
  const unchanged = preconditions<CarState, CarInput>({
    etag: ({ version }) => version,
    current: async ({ params }) => {
      loaded.push(params.id)
      await turn()
      return cars.get(params.id)
    },
    ...options,
  })
  const car = defineController({
    name: 'car',
    prefix: '/car/{id:int}',
    interceptors: [unchanged],
    guards: refused === undefined ? [] : [refused],
    routes: [
      {
        method: 'GET',
        name: 'getOne',
        response: Car,
        handler: ({ params }) => {
          const found = cars.get(params.id)
          if (found === undefined) throw notFound()
          return found
        },
      },
      {
        method: ['PUT', 'PATCH'],
        name: 'change',
        input: { body: z.object({ name: z.string() }) },
        response: Car,
        handler: async ({ params, body }, context) => {
          const known = unchanged.checked(context)
          await turn()
          // the compare and the set in one step, as a database has it
          const now = cars.get(params.id)
          if (known !== undefined && now?.version !== known.version) throw unchanged.failed()
          const changed = { id: params.id, name: body.name, version: (now?.version ?? 0) + 1 }
          cars.set(params.id, changed)
          return changed
        },
      },
      { method: 'DELETE', name: 'remove', handler: ({ params }) => void cars.delete(params.id) },
    ],
  })
  const change = defineVersionChange({
    version: '2',
    title: 'Cars have names',
    description: '`Car.title` is called `name`.',
    change: [reshape({ of: Car, fields: { name: { was: 'title' } } })],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [change] })
  const app = createApp(defineModule({ controllers: [car] }), {
    logger: false,
    docs: {},
    versioning: {
      scheme: VersioningSchemes.HEADER,
      format: 'integer',
      headerParameter: 'x-version',
      history,
      defaultVersion: '2',
    },
  })
  return { app, cars, loaded }
}

const send = (app: App, method: string, headers: Readonly<Record<string, string>> = {}, url = '/car/7') =>
  app.inject({
    method,
    url,
    headers,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: { name: 'Fiat' } }),
  })

const codeOf = async (response: ReturnType<typeof send>): Promise<unknown> => {
  const { statusCode, body } = await response
  return statusCode < 400 ? statusCode : `${statusCode} ${JSON.parse(body).code}`
}

describe('a change', () => {
  const FAILED = '412 precondition_failed'
  const MALFORMED = '400 malformed_request'
  const DATE = new Date(Date.UTC(2026, 0, 5))
  const [earlier, same, later] = [-1000, 0, 1000].map((ms) => new Date(DATE.getTime() + ms).toUTCString())
  const cases: readonly (readonly [headers: Record<string, string>, existing: unknown, missing: unknown])[] =
    [
      [{}, 200, 200],
      [{ 'if-match': 'TAG' }, 200, FAILED],
      [{ 'if-match': '"other"' }, FAILED, FAILED],
      [{ 'if-match': '"bogus"' }, FAILED, FAILED],
      [{ 'if-match': '"a", TAG , "b"' }, 200, FAILED],
      [{ 'if-match': ', TAG,' }, 200, FAILED],
      [{ 'if-match': 'W/TAG' }, FAILED, FAILED],
      [{ 'if-match': '*' }, 200, FAILED],
      [{ 'if-match': '"bogus' }, MALFORMED, MALFORMED],
      [{ 'if-match': 'bogus' }, MALFORMED, MALFORMED],
      [{ 'if-match': 'TAG, bogus' }, MALFORMED, MALFORMED],
      [{ 'if-match': '*, TAG' }, MALFORMED, MALFORMED],
      [{ 'if-match': '' }, MALFORMED, MALFORMED],
      [{ 'if-none-match': '*' }, FAILED, 200],
      [{ 'if-none-match': 'TAG' }, FAILED, 200],
      [{ 'if-none-match': 'W/TAG' }, FAILED, 200],
      [{ 'if-none-match': '"other"' }, 200, 200],
      [{ 'if-none-match': 'bogus' }, MALFORMED, MALFORMED],
      [{ 'if-unmodified-since': earlier ?? '' }, FAILED, FAILED],
      [{ 'if-unmodified-since': same ?? '' }, 200, FAILED],
      [{ 'if-unmodified-since': later ?? '' }, 200, FAILED],
      [{ 'if-unmodified-since': 'yesterday' }, MALFORMED, MALFORMED],
      [{ 'if-match': 'TAG', 'if-unmodified-since': earlier ?? '' }, 200, FAILED],
      [{ 'if-match': 'TAG', 'if-none-match': 'TAG' }, FAILED, FAILED],
    ]
  const { app: shared, cars: state } = serve({ lastModified: () => DATE })
  const reset = (): void => {
    state.clear()
    state.set(7, { id: 7, name: 'Ford', version: 1 })
  }
  let tag = ''
  before(async () => {
    tag = String((await send(shared, 'GET')).headers['etag'])
  })
  for (const method of ['PUT', 'DELETE'])
    for (const [headers, existing, missing] of cases)
      it(`by ${method} with ${JSON.stringify(headers)} → ${String(existing)}, ${String(missing)} where nothing is`, async () => {
        for (const [url, expected] of [
          ['/car/7', existing],
          ['/car/8', missing],
        ] as const) {
          reset()
          const sent = Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, value.replaceAll('TAG', tag)]),
          )
          const code = await codeOf(send(shared, method, sent, url))
          assert.equal(code === 204 ? 200 : code, expected, url)
          if (code !== 200 && code !== 204)
            assert.deepEqual([...state.values()], [{ id: 7, name: 'Ford', version: 1 }])
        }
      })

  it('without a condition is a 428 if one is required, and loads no state', async () => {
    const { app, loaded } = serve({ required: true })
    assert.equal(await codeOf(send(app, 'PUT')), '428 precondition_required')
    assert.equal(await codeOf(send(app, 'PUT', { 'if-unmodified-since': new Date().toUTCString() })), FAILED)
    assert.deepEqual(loaded, [7])
  })

  it('is refused by guards and schemas first', async () => {
    const { app, loaded } = serve({}, defineGuard({ name: 'None', canActivate: () => false }))
    assert.equal(await codeOf(send(app, 'PUT', { 'if-match': '"other"' })), '403 forbidden')
    const open = serve()
    const response = open.app.inject({
      method: 'PUT',
      url: '/car/7',
      headers: { 'if-match': '"other"' },
      body: {},
    })
    assert.equal(await codeOf(response), '422 validation_failed')
    assert.deepEqual([...loaded, ...open.loaded], [])
  })

  it('responds with the tag of the new state, which a change can name', async () => {
    const { app } = serve()
    const first = await send(app, 'PATCH', { 'if-match': '*' })
    assert.notEqual(first.headers['etag'], (await send(serve().app, 'GET')).headers['etag'])
    assert.equal(first.headers['etag'], (await send(app, 'GET')).headers['etag'])
    for (const code of [200, FAILED])
      assert.equal(await codeOf(send(app, 'PATCH', { 'if-match': String(first.headers['etag']) })), code)
  })
})

describe('a tag', () => {
  it('of a version counts in that version alone', async () => {
    for (const version of ['1', '2']) {
      const { app } = serve()
      const own = String((await send(app, 'GET', { 'x-version': version })).headers['etag'])
      const other = version === '1' ? '2' : '1'
      const body = { [version === '1' ? 'title' : 'name']: 'Fiat', name: 'Fiat' }
      const put = (tag: string, asked: string) =>
        app.inject({ method: 'PUT', url: '/car/7', headers: { 'if-match': tag, 'x-version': asked }, body })
      assert.equal(await codeOf(put(own, other)), '412 precondition_failed')
      assert.equal(await codeOf(put(own, version)), 200)
      assert.equal(await codeOf(put(own, version)), '412 precondition_failed')
    }
  })

  it('that a client knows already is a 304 of GET', async () => {
    const { app } = serve({ lastModified: () => new Date(0) })
    for (const version of ['1', '2']) {
      const { headers } = await send(app, 'GET', { 'x-version': version })
      assert.equal(headers['last-modified'], 'Thu, 01 Jan 1970 00:00:00 GMT')
      const known = { 'x-version': version, 'if-none-match': `"a", W/${String(headers['etag'])}` }
      const response = await send(app, 'GET', known)
      assert.deepEqual(
        [response.statusCode, response.body, response.headers['etag']],
        [304, '', headers['etag']],
      )
      assert.equal((await send(app, 'GET', { ...known, 'if-none-match': '"a"' })).statusCode, 200)
    }
  })

  it('has what a version is made of, whatever its characters', async () => {
    const { app } = serve({ etag: ({ version }) => `a "b", 100% é ${version}` })
    const tag = String((await send(app, 'GET')).headers['etag'])
    assert.match(tag, /^"[!#-~]+"$/)
    assert.equal(await codeOf(send(app, 'PUT', { 'if-match': tag })), 200)
  })
})

describe('edits at the same time lose none', () => {
  it('in 100 tries of 10 clients', async () => {
    const { app, cars } = serve({ required: true })
    let tries = 0
    let successes = 0
    const client = async (): Promise<void> => {
      while (tries < 100) {
        tries++
        const tag = String((await send(app, 'GET')).headers['etag'])
        const code = await codeOf(send(app, 'PUT', { 'if-match': tag }))
        assert.ok(code === 200 || code === '412 precondition_failed', String(code))
        if (code === 200) successes++
      }
    }
    await Promise.all(Array.from({ length: 10 }, client))
    assert.ok(successes > 5 && successes < tries, `${successes} of ${tries}`)
    assert.equal(cars.get(7)?.version, 1 + successes)
  })
})

describe('documents of routes with preconditions', () => {
  it('have the headers and the problems', async () => {
    const { app } = serve({ required: true })
    const { paths } = Object((await app.inject('/docs/openapi.json')).json())
    const { get, put } = paths['/car/{id}']
    const headersOf = ({ parameters }: { parameters: { in: string; name: string; required?: boolean }[] }) =>
      parameters
        .filter((one) => one.in === 'header' && one.name.startsWith('If-'))
        .map(({ name, required }) => [name, required ?? false])
    assert.deepEqual([headersOf(get), headersOf(put)], [[['If-None-Match', false]], [['If-Match', true]]])
    assert.ok('ETag' in get.responses['200'].headers && 'ETag' in put.responses['200'].headers)
    assert.ok('412' in put.responses && '428' in put.responses && !('412' in get.responses))
    assert.match(JSON.stringify(put.responses['400']), /A condition of the request is malformed/)
    assert.deepEqual(get.responses['304'], {
      description: 'The client has the state already',
      headers: get.responses['200'].headers,
    })
    assert.ok(!('304' in put.responses))
  })
})

describe('preconditions', () => {
  it('reports options that are missing or wrong', () => {
    const messagesOf = (options: object): readonly string[] => {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JavaScript users may pass
        preconditions(options as never)
      } catch (error) {
        assert.ok(error instanceof DefinitionError)
        return error.errors.map(({ message }) => message)
      }
      return []
    }
    assert.deepEqual(messagesOf({}), ['etag is missing', 'current is missing'])
    assert.deepEqual(messagesOf({ etag: 1, current: () => 1, required: 1 }), ['etag is 1', 'required is 1'])
  })
})
