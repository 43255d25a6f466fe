import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it, mock } from 'node:test'

import { createApp, defineModule, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { createClient } from 'octavo/client'
import { expectTypeOf } from 'expect-type'

import { createHeaderApp, createUrlApp } from '../../../examples/history/app.ts'
import { Users } from '../../../examples/history/users.ts'
import { thirdController } from './newest.ts'
import { firstController, secondController } from './older.ts'

// createdAt is the time
mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-06-01T12:00:00Z') })
after(() => mock.timers.reset())

const ByHand = defineModule({
  name: 'ByHand',
  providers: [Users],
  controllers: [thirdController, secondController, firstController],
})
const LOGGER = { logger: false } as const

/** The example and the same API by hand under each scheme, with the requests of a version. */
const SCHEMES = {
  header: {
    example: (): App => createHeaderApp(LOGGER),
    byHand: (): App =>
      createApp(ByHand, {
        ...LOGGER,
        versioning: {
          scheme: VersioningSchemes.HEADER,
          headerParameter: 'x-api-version',
          defaultVersion: '1',
        },
      }),
    ask: (version: string, url: string) => ({ url, headers: { 'x-api-version': version } }),
  },
  url: {
    example: (): App => createUrlApp(LOGGER),
    byHand: (): App => createApp(ByHand, { ...LOGGER, versioning: { scheme: VersioningSchemes.URL } }),
    ask: (version: string, url: string) => ({ url: `/v${version}${url}`, headers: {} }),
  },
} as const

type Call = readonly [version: string, method: string, url: string, body?: unknown]

const ROME = { street: 'Main Street 1', town: 'Rome' }
const PARIS = { street: 'Rue Un', city: 'Paris' }
const versions = ['1', '2', '3'] as const

/** Each version is asked for the same things after every third change and the last. */
const reads: readonly Call[] = versions.flatMap((version) => [
  [version, 'GET', '/people'],
  [version, 'GET', '/users'],
  [version, 'GET', '/people?limit=1&offset=1'],
  [version, 'GET', '/users?limit=1'],
  [version, 'GET', '/people?limit=0'],
  [version, 'GET', '/people?status=paused'],
  [version, 'GET', '/people?status=closed'],
  [version, 'GET', '/users?status=paused'],
  [version, 'GET', '/users/1'],
  [version, 'GET', '/users/0'],
  [version, 'GET', '/users/user_1'],
  [version, 'GET', '/users/user_99'],
  [version, 'GET', '/users/99'],
  [version, 'GET', '/users/feed'],
  [version, 'OPTIONS', '/people'],
  [version, 'DELETE', '/users/1'],
])

const writes: readonly Call[] = [
  ['1', 'POST', '/users', { name: 'Ann Lee', addresses: [ROME] }],
  ['2', 'POST', '/users', { name: 'Bob Ray Lee', addresses: [PARIS, PARIS] }],
  ['3', 'POST', '/users', { firstName: 'Cat', lastName: '', addresses: [] }],
  ...versions.flatMap((version): readonly Call[] => [
    [version, 'POST', '/users', {}],
    [version, 'POST', '/users', { name: ' ', addresses: [{ town: 1 }, { city: '' }] }],
    [version, 'POST', '/users', { name: 'Dan', firstName: 'Dan', lastName: 'Poe', addresses: [ROME] }],
    [version, 'POST', '/users', { name: ' Eve  Poe ', firstName: 'Eve', lastName: 'Poe', addresses: [] }],
    [version, 'POST', '/users', []],
  ]),
  ['3', 'PATCH', '/users/user_1', { status: 'paused' }],
  ['1', 'PATCH', '/users/1', { status: 'paused' }],
  ['1', 'PATCH', '/users/1', { name: 'Ann Poe' }],
  ['1', 'PATCH', '/users/1', {}],
  ['1', 'PATCH', '/users/2', { status: 'closed', addresses: [ROME] }],
  ['2', 'PATCH', '/users/user_2', { status: 'active', name: 'Bob', addresses: [PARIS] }],
  ['3', 'PATCH', '/users/user_2', { lastName: 'Foe' }],
  ['2', 'PATCH', '/users/user_2', { name: '', addresses: 1 }],
  ['2', 'PATCH', '/users/user_99', { name: 'No' }],
  ['1', 'POST', '/users/3/addresses', ROME],
  ['2', 'POST', '/users/user_3/addresses', PARIS],
  ['3', 'POST', '/users/user_3/addresses', PARIS],
  ...versions.map((version): Call => [version, 'POST', '/users/3/addresses', { street: '', town: '' }]),
  ['1', 'POST', '/users/3/close'],
  ['2', 'POST', '/users/user_1/close'],
  ['3', 'POST', '/users/user_1/close'],
]

for (const [scheme, { example, byHand, ask }] of Object.entries(SCHEMES)) {
  describe(`users in three releases under ${scheme}`, () => {
    const apps = [example(), byHand()] as const
    const answers = ([version, method, url, body]: Call) =>
      Promise.all(
        apps.map(async (app) => {
          const request = { method, ...ask(version, url), ...(body === undefined ? {} : { json: body }) }
          const { statusCode, headers, bytes } = await app.inject(request)
          return { statusCode, headers, body: Buffer.from(bytes).toString() }
        }),
      )
    let compared = 0
    const seen = new Set<number>()
    const compare = async (call: Call): Promise<void> => {
      const [own, other] = await answers(call)
      assert.deepEqual(own, other, `${call.slice(0, 3).join(' ')} ${JSON.stringify(call[3])}`)
      compared++
      seen.add(own?.statusCode ?? 0)
    }

    it('are answered as by code that is written by hand, byte by byte', async () => {
      let rounds = 0
      for (const [at, write] of writes.entries()) {
        await compare(write)
        // a scheme chooses a version, and its changes do the same then: one is enough for each step
        if (write !== writes.at(-1) && (scheme === 'url' || at % 3 > 0)) continue
        rounds++
        for (const read of reads) await compare(read)
      }
      assert.equal(compared, writes.length + rounds * reads.length)
      const missed = scheme === 'url' ? 404 : 406
      assert.deepEqual(seen, new Set([200, 201, 204, 404, missed, 405, 422]))
    })
  })
}

describe('the example of changes', () => {
  it('shows a user of the third release in the first', async () => {
    const app = createHeaderApp(LOGGER)
    const json = { firstName: 'Ann', lastName: 'Lee', addresses: [PARIS] }
    await app.inject({ method: 'POST', url: '/users', version: '3', json })
    assert.deepEqual((await app.inject({ url: '/people', version: '1' })).json(), [
      {
        id: 1,
        name: 'Ann Lee',
        status: 'active',
        addresses: [{ street: 'Rue Un', town: 'Paris' }],
        createdAt: '2026-06-01T12:00:00.000Z',
        changes: 1,
      },
    ])
  })

  it('has clients of each release', async () => {
    const app = createUrlApp(LOGGER)
    const client = createClient<typeof app>({ baseUrl: 'http://localhost', fetch: app.fetch })
    const made = await client.at('1').user.create({ body: { name: 'Ann Lee', addresses: [ROME] } })
    expectTypeOf(made.data.id).toEqualTypeOf<number>()
    expectTypeOf(made.data.addresses).toEqualTypeOf<{ street: string; town: string }[]>()
    assert.equal(made.data.id, 1)
    const list = await client.at('1').user.list()
    expectTypeOf(list.data).toExtend<readonly { readonly changes: number }[]>()
    assert.deepEqual(list.data, [made.data])
    const second = await client.at('2').user.find({ params: { id: 'user_1' } })
    assert.ok(second.ok)
    expectTypeOf(second.data).toHaveProperty('name')
    assert.deepEqual(second.data.addresses, [{ street: ROME.street, city: 'Rome' }])
    const third = await client.at('3').user.find({ params: { id: 'user_1' } })
    assert.ok(third.ok)
    assert.deepEqual([third.data.firstName, third.data.lastName], ['Ann', 'Lee'])
    const missing = await client.at('1').user.find({ params: { id: 7 } })
    assert.ok(!missing.ok)
    expectTypeOf(missing.data.code).toEqualTypeOf<'user_not_found'>()
    assert.deepEqual([missing.status, missing.data.code], [404, 'user_not_found'])
    for await (const { event, data } of client.at('1').user.feed({ reconnect: 0 })) {
      expectTypeOf(data.addresses).toEqualTypeOf<{ street: string; town: string }[]>()
      assert.deepEqual([event, data], ['user', made.data])
    }
  })
})

const ROOT = join(import.meta.dirname, '../../..')

/** Lines of code: no blank lines, comments and imports. */
function linesOf(...files: readonly string[]): number {
  const text = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
  const code = text.replaceAll(/^import [\s\S]*?'$/gm, '').replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, '')
  return code.split('\n').filter((line) => line.trim() !== '').length
}

describe('the lines of the example', () => {
  const models = 'examples/history/models.ts'
  const own = linesOf(models, 'examples/history/controller.ts', 'examples/history/changes.ts')
  const newest = linesOf(models, 'test/examples/history/newest.ts')
  const byHand = newest + linesOf('test/examples/history/older.ts')

  it('are those that the guide tells, and older releases cost at most two thirds', () => {
    assert.ok((own - newest) / (byHand - newest) <= 2 / 3)
    const guide = readFileSync(join(ROOT, 'docs/guide/changes.md'), 'utf8')
    for (const [what, changes, hand] of [
      ['older releases', own - newest, byHand - newest],
      ['the whole API', own, byHand],
    ] as const)
      assert.match(guide, new RegExp(`^\\| ${what} +\\| ${changes} +\\| ${hand} +\\|$`, 'm'))
  })
})
