import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { defineController, defineErrorFormat, reply, sse, VersioningSchemes } from 'octavo'
import {
  defineVersionChange,
  defineVersions,
  model,
  operation,
  reformatErrors,
  reshape,
} from 'octavo/changes'
import { createTestClient, forEachVersion, goldens } from 'octavo/testing'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const root = mkdtempSync(join(tmpdir(), 'octavo-goldens-'))
after(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const folder = (): string => join(root, String(++count))

const User = model('User', { id: z.string(), name: z.string() })

/** An application of two versions; `turn` is what the change makes of names, `created` the status of version 1. */
function create({ turn = (name: string) => name.toUpperCase(), created = 200, id = '7' } = {}) {
  const shout = defineVersionChange({
    version: '2',
    title: 'Names are quiet',
    change: [
      reshape({ of: User, fields: { name: { was: z.string(), down: turn } } }),
      operation({ route: 'user.add', status: { was: created } }),
    ],
  })
  const users: z.output<typeof User>[] = []
  const controller = defineController({
    prefix: '/user',
    routes: [
      {
        method: 'GET',
        name: 'list',
        response: z.object({ items: z.array(User) }),
        handler: () => ({ items: users }),
      },
      {
        method: 'POST',
        name: 'add',
        input: { body: z.object({ name: z.string() }) },
        response: { 201: User },
        handler: ({ body: { name } }) => {
          const user = { id: `${id}${users.length}`, name }
          users.push(user)
          return user
        },
      },
      {
        method: 'GET',
        path: '/fail',
        name: 'fail',
        handler: () => {
          throw new Error('on purpose')
        },
      },
      {
        method: 'POST',
        path: '/photo',
        name: 'photo',
        input: { body: z.instanceof(Uint8Array) },
        handler: ({ body }) =>
          reply(200, body, { headers: { 'content-type': 'image/png', 'x-count': String(++count) } }),
      },
    ],
  })
  return serve(controller, {
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: { User }, changes: [shout] }),
    },
  })
}

async function record(dir: string): Promise<void> {
  const app = create()
  const golden = goldens(app, { dir, ignore: ['X-Count'] })
  await forEachVersion(app, '1', async (client) => {
    await client.post('/user', { json: { name: 'Ann' }, headers: { 'x-trace': ['a', 'b'] } })
    await client.get('/user?a=1')
  })
  await app.inject({ method: 'POST', url: '/v1/user/photo', body: new Uint8Array([0xff, 0]) })
  await app.inject('/v1/nothing')
  assert.match((await app.inject('/v1/user/fail')).body, /"requestId":/)
  assert.deepEqual(await golden.save(), ['1', '2'])
}

const failure = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    return String(error).replaceAll(/\([^)]*goldens\.test\.ts:\d+\)/g, '(here)')
  }
  return 'none'
}

describe('goldens', () => {
  it('keep requests and answers of each version in a file', async () => {
    const dir = folder()
    await record(dir)
    assert.deepEqual(readdirSync(dir), ['1.json', '2.json'])
    const { version, exchanges } = JSON.parse(readFileSync(join(dir, '1.json'), 'utf8'))
    assert.equal(version, '1')
    assert.deepEqual(
      exchanges.map(({ route }: { route: string }) => route),
      ['user.add', 'user.list', 'user.photo', null, 'user.fail'],
    )
    const [{ request, response }, , photo] = exchanges
    assert.deepEqual(
      [request.method, request.url, request.headers['x-trace'], request.body],
      ['POST', '/v1/user', ['a', 'b'], '{"name":"Ann"}'],
    )
    assert.deepEqual([response.status, response.body], [200, '{"id":"70","name":"ANN"}'])
    assert.deepEqual([photo.request.body, photo.response.body], [{ base64: '/wA=' }, { base64: '/wA=' }])
    assert.equal('x-count' in photo.response.headers, false)
  })

  it('are replayed byte by byte', async () => {
    const dir = folder()
    await record(dir)
    await goldens(create(), { dir, ignore: ['x-count'] }).replay()
  })

  it('name the change that touches a difference', async () => {
    const dir = folder()
    await record(dir)
    const replay = goldens(create({ turn: (name) => `${name}!` }), { dir, ignore: ['x-count'] }).replay()
    assert.equal(
      await failure(replay),
      `Error: 2 recorded answers differ

Version 1, POST /v1/user (user.add)
  /name: "ANN" is now "Ann!"
  Look at names-are-quiet (here)

Version 1, GET /v1/user?a=1 (user.list)
  /items/0/name: "ANN" is now "Ann!"
  Look at names-are-quiet (here)`,
    )
    assert.equal(
      await failure(goldens(create({ created: 202 }), { dir, ignore: ['x-count'] }).replay()),
      `Error: A recorded answer differs

Version 1, POST /v1/user (user.add)
  status: 200 is now 202
  Look at names-are-quiet (here)`,
    )
  })

  it('tell where no change touches a difference', async () => {
    const dir = folder()
    await record(dir)
    assert.match(
      await failure(goldens(create({ id: '8' }), { dir, ignore: ['x-count'] }).replay()),
      /Version 2, POST \/v2\/user \(user\.add\)\n {2}\/id: "71" is now "81"\n {2}No change touches that/,
    )
  })

  it('stay as they are until they are updated', async () => {
    const dir = folder()
    await record(dir)
    const before = readFileSync(join(dir, '1.json'), 'utf8')
    const app = create()
    const again = goldens(app, { dir })
    await createTestClient(app, { version: '1' }).get('/user')
    assert.deepEqual(await again.save(), [])
    assert.equal(readFileSync(join(dir, '1.json'), 'utf8'), before)
    const updating = goldens(app, { dir, update: true })
    await app.inject({ url: '/user', version: '1' })
    assert.deepEqual(await updating.save(), ['1'])
    const { exchanges } = JSON.parse(readFileSync(join(dir, '1.json'), 'utf8'))
    assert.equal(exchanges.length, 1)
  })

  it('keep versions apart whose files a file system could not', async () => {
    const dir = folder()
    const save = async (...versions: string[]): Promise<readonly string[]> => {
      const route = { method: 'GET', version: versions, handler: () => versions.length } as const
      const app = serve(defineController({ prefix: '/a', routes: [route] }), {
        versioning: { scheme: VersioningSchemes.HEADER },
      })
      const golden = goldens(app, { dir })
      for (const version of versions) await app.inject({ url: '/a', version })
      return golden.save()
    }
    assert.deepEqual(await save('A'), ['A'])
    assert.deepEqual(await save('A', 'a', 'a/b', 'a-b'), ['a', 'a/b', 'a-b'])
    assert.deepEqual(readdirSync(dir).toSorted(), ['%61.json', 'A.json', 'a%2Fb.json', 'a-b.json'])
  })

  it('hide credentials, cookies and what they are told, and send again what is prepared', async () => {
    const dir = folder()
    const secret = 'a1b2'
    const build = (token: string) => {
      const login = {
        method: 'POST',
        input: {
          body: z.object({ name: z.string(), password: z.string() }),
          headers: z.object({ 'x-key': z.string() }),
        },
        handler: ({ body, headers }: { body: { password: string }; headers: object }) =>
          body.password === secret && Object.values(headers).includes(secret)
            ? reply(200, { users: [{ token }] }, { cookies: { sid: { value: token, httpOnly: true } } })
            : reply(403, 'no'),
      } as const
      return serve(defineController({ prefix: '/login', version: '1', routes: [login] }), {
        versioning: { scheme: VersioningSchemes.QUERY },
      })
    }
    const mask = ['X-Key', '?key', '/password', '/users/*/token']
    const app = build(secret)
    const recorded = goldens(app, { dir, mask })
    await app.inject({
      method: 'POST',
      url: `/login?version=1&key=${secret}`,
      headers: { authorization: `Bearer ${secret}`, 'x-key': secret },
      cookies: { sid: secret, theme: secret },
      json: { name: 'Ann', password: secret },
    })
    await recorded.save()
    const text = readFileSync(join(dir, '1.json'), 'utf8')
    assert.equal(text.includes(secret), false, text)
    const [{ request, response }] = JSON.parse(text).exchanges
    assert.deepEqual(
      [request.url, request.headers.authorization, request.headers.cookie, request.body],
      ['/login?version=1&key=***', 'Bearer ***', 'sid=***; theme=***', '{"name":"Ann","password":"***"}'],
    )
    assert.deepEqual(
      [response.status, response.headers['set-cookie'], response.body],
      [200, ['sid=***; HttpOnly'], '{"users":[{"token":"***"}]}'],
    )
    // a later run has other tokens, and the secrets of its own
    await goldens(build('c3d4'), {
      dir,
      mask,
      prepare: (kept) => ({
        ...kept,
        headers: { ...kept.headers, 'x-key': secret },
        body: JSON.stringify({ name: 'Ann', password: secret }),
      }),
    }).replay()
    await assert.rejects(goldens(build('c3d4'), { dir, mask }).replay(), /403/)
  })

  it('of errors name the changes of the error format', async () => {
    const dir = folder()
    const Failure = model('Failure', { code: z.string(), at: z.number() })
    const Body = z.object({ error: Failure })
    const createFailing = (turn: (code: string) => string) => {
      const renamed = defineVersionChange({
        version: '3',
        title: 'Failures have a moment',
        change: [
          reshape({
            of: Failure,
            responseOnly: true,
            fields: { at: { was: z.string(), down: String } },
          }),
        ],
      })
      const below = defineVersionChange({
        version: '2',
        title: 'Failures are below error',
        change: [
          reformatErrors({
            now: Body,
            was: z.object({ text: z.string() }).meta({ contentMediaType: 'application/vnd.old+json' }),
            down: ({ error }) => ({ text: turn(error.code) }),
          }),
        ],
      })
      const history = defineVersions({
        versions: ['3', '2', '1'],
        models: { Failure },
        changes: [renamed, below],
      })
      return serve(defineController({ prefix: '/user', routes: [] }), {
        errorFormat: defineErrorFormat({ schema: Body, format: ({ code }) => ({ error: { code, at: 7 } }) }),
        versioning: { scheme: VersioningSchemes.URL, history },
      })
    }
    const app = createFailing((code) => code)
    const golden = goldens(app, { dir })
    await forEachVersion(app, '1', async (client) => void (await client.get('/nowhere')))
    assert.deepEqual(await golden.save(), ['1', '2', '3'])
    const bodies = ['1', '2', '3'].map((version) => {
      const { exchanges } = JSON.parse(readFileSync(join(dir, `${version}.json`), 'utf8'))
      return [exchanges[0].response.headers['content-type'], exchanges[0].response.body]
    })
    assert.deepEqual(bodies, [
      ['application/vnd.old+json', '{"text":"route_not_found"}'],
      ['application/json', '{"error":{"code":"route_not_found","at":"7"}}'],
      ['application/json', '{"error":{"code":"route_not_found","at":7}}'],
    ])
    await golden.replay()
    assert.equal(
      await failure(
        goldens(
          createFailing((code) => code.toUpperCase()),
          { dir },
        ).replay(),
      ),
      `Error: A recorded answer differs

Version 1, GET /v1/nowhere
  /text: "route_not_found" is now "ROUTE_NOT_FOUND"
  Look at failures-are-below-error (here)`,
    )
  })

  it('fail if nothing was recorded', async () => {
    const dir = folder()
    assert.match(
      await failure(goldens(create(), { dir }).replay()),
      /goldens: there is no file in .*; record and save first/,
    )
  })

  describe('of streams', () => {
    const createFeed = ({ mark = '!', most = Infinity } = {}) => {
      const shout = defineVersionChange({
        version: '2',
        title: 'Names are quiet',
        change: [reshape({ of: User, fields: { name: { was: z.string(), down: (name) => name + mark } } })],
      })
      function* users() {
        for (let id = 0; id < most; id++) yield { id: String(id), name: 'Ann' }
      }
      const feed = defineController({
        prefix: '/feed',
        routes: [
          {
            method: 'GET',
            name: 'events',
            events: User,
            handler: () => sse([{ data: { id: '1', name: 'Ann' } }]),
          },
          { method: 'GET', path: '/items', name: 'items', items: User, handler: users },
        ],
      })
      return serve(feed, {
        versioning: {
          scheme: VersioningSchemes.URL,
          history: defineVersions({ versions: ['2', '1'], models: { User }, changes: [shout] }),
        },
      })
    }
    const recordFeed = async (dir: string): Promise<readonly { response: object }[]> => {
      const app = createFeed()
      const golden = goldens(app, { dir })
      const client = createTestClient(app, { version: '1' })
      assert.equal((await client.get('/feed')).body, 'data: {"id":"1","name":"Ann!"}\n\n')
      for (const { stream } of [
        await client.inject({ url: '/feed/items', stream: true }),
        await app.inject({ url: '/v1/feed/items', stream: true }),
      ]) {
        let lines = 0
        for await (const _ of stream) if (++lines === 2) break
        stream.destroy()
      }
      assert.deepEqual(await golden.save(), ['1'])
      return JSON.parse(readFileSync(join(dir, '1.json'), 'utf8')).exchanges
    }

    it('keep what the test read, whole or in part', async () => {
      const dir = folder()
      const [events, ...items] = await recordFeed(dir)
      const line = (id: number): string => `{"id":"${id}","name":"Ann!"}\n`
      assert.equal(Reflect.get(events?.response ?? {}, 'body'), 'data: {"id":"1","name":"Ann!"}\n\n')
      const [first, second] = items.map(({ response }) => response)
      assert.equal(Reflect.get(first ?? {}, 'streamed'), 'part')
      assert.ok(String(Reflect.get(first ?? {}, 'body')).startsWith(line(0) + line(1)))
      assert.deepEqual(first, second)
      await goldens(createFeed(), { dir }).replay()
    })

    it('keep a stream that came to its end as whole, which has to end there', async () => {
      const dir = folder()
      const app = createFeed({ most: 3 })
      const golden = goldens(app, { dir })
      const { stream } = await app.inject({ url: '/v1/feed/items', stream: true })
      let text = ''
      for await (const chunk of stream) text += String(chunk)
      await golden.save()
      const [{ response }] = JSON.parse(readFileSync(join(dir, '1.json'), 'utf8')).exchanges
      assert.deepEqual([response.body, response.streamed], [text, 'whole'])
      await goldens(createFeed({ most: 3 }), { dir }).replay()
      assert.match(await failure(goldens(createFeed(), { dir }).replay()), /\/3: nothing is now /)
      assert.match(
        await failure(goldens(createFeed({ most: 2 }), { dir }).replay()),
        /\/2: .* is now nothing/,
      )
    })

    it('name the change that touches a difference', async () => {
      const dir = folder()
      await recordFeed(dir)
      const failed = await failure(goldens(createFeed({ mark: '?' }), { dir }).replay())
      assert.match(failed, /3 recorded answers differ/)
      for (const name of ['', '/items'])
        assert.ok(
          failed.includes(
            `GET /v1/feed${name} (feed.${name === '' ? 'events' : 'items'})\n  /0/name: "Ann!" is now "Ann?"`,
          ),
          failed,
        )
      assert.match(failed, /Look at names-are-quiet \(here\)/)
    })
  })
})
