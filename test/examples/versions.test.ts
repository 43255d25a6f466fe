import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createRatesApp, WAYS } from '../../examples/versions/apps.ts'
import type { Ask, WayName } from '../../examples/versions/apps.ts'
import { createDatedApp } from '../../examples/versions/dated.ts'
import { LOOPBACK, send } from '../node/support.ts'
import { programArguments } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')

const FIRST = { GBP: 0.85, JPY: 163.2, USD: 1.08 }
const SECOND = [
  { currency: 'GBP', rate: 0.85 },
  { currency: 'JPY', rate: 163.2 },
  { currency: 'USD', rate: 1.08 },
]
const THIRD = {
  base: 'EUR',
  quotes: [
    { currency: 'GBP', rate: '0.8500' },
    { currency: 'JPY', rate: '163.2000' },
    { currency: 'USD', rate: '1.0800' },
  ],
}

/** The headers that a response is kept apart by. */
const VARY: Readonly<Record<WayName, string | undefined>> = {
  url: undefined,
  accept: 'accept',
  vendor: 'accept',
  header: 'x-api-version',
  query: undefined,
  host: undefined,
  both: 'x-api-version',
}
/** A problem document, or another object. */
const toRecord = (body: unknown): Readonly<Record<string, unknown>> => ({ ...Object(body) })

const ways = ['url', 'accept', 'vendor', 'header', 'query', 'host', 'both'] as const

describe('the rates under each scheme', () => {
  it('are tried in all of them', () => assert.deepEqual(new Set(ways), new Set(Object.keys(WAYS))))

  for (const way of ways) {
    describe(way, () => {
      const app = createRatesApp(way, { logger: false })
      const { ask, unknown } = WAYS[way]
      const get = async ({ path, headers = {} }: Ask) => {
        const response = await app.inject({ url: path, headers })
        return [response.statusCode, response.json()] as const
      }

      for (const [path, version, body] of [
        ['/rates', '1', FIRST],
        ['/rates', '2', SECOND],
        ['/rates', '3', THIRD],
        ['/rates/currencies', '1', ['EUR', 'GBP', 'JPY', 'USD']],
        ['/rates/currencies', '3', ['EUR', 'GBP', 'JPY', 'USD']],
        ['/rates/USD/JPY', '2', { amount: 151.1111, currency: 'JPY' }],
        ['/rates/USD/JPY', '3', { amount: '151.1111', currency: 'JPY' }],
        ['/rates/status', '2', { open: true, version: '2' }],
      ] as const) {
        it(`${path} in version ${version}`, async () =>
          assert.deepEqual(await get(ask(path, version)), [200, body]))
      }

      it('version 1 is the default', async () =>
        assert.deepEqual(await get({ path: '/rates' }), [200, FIRST]))

      for (const [path, version, supported] of [
        ['/rates', '9', ['1', '2', '3']],
        ['/rates/USD/JPY', '1', ['2', '3']],
      ] as const) {
        it(`${path} has no version ${version}`, async () => {
          const [status, body] = await get(ask(path, version))
          const problem = toRecord(body)
          assert.deepEqual(
            [status, problem['code'], problem['requested'], problem['supported']],
            [unknown, 'unsupported_version', version, supported],
          )
        })
      }

      it('says what caches have to look at, also when nothing was asked for', async () => {
        const answers = await Promise.all([
          app.inject('/rates'),
          app.inject({ url: '/rates', version: '3' }),
          app.inject({ method: 'DELETE', url: '/rates' }),
        ])
        assert.deepEqual(
          answers.map(({ statusCode, headers }) => [statusCode, headers['vary']]),
          [200, 200, 405].map((status) => [status, VARY[way]]),
        )
      })
    })
  }

  it('version 3 takes another base, in the query that carries the version too', async () => {
    const response = await createRatesApp('query', { logger: false }).inject('/rates?base=USD&api-version=3')
    assert.deepEqual(toRecord(response.json())['quotes'], [
      { currency: 'EUR', rate: '0.9259' },
      { currency: 'GBP', rate: '0.7870' },
      { currency: 'JPY', rate: '151.1111' },
    ])
  })

  it('the vendor media type is that of the answer, and the version 3 in it', async () => {
    const response = await createRatesApp('vendor', { logger: false }).inject({ url: '/rates', version: '3' })
    assert.equal(response.headers['content-type'], 'application/vnd.rates.v3+json')
  })

  it('the path and the header may not contradict each other', async () => {
    const app = createRatesApp('both', { logger: false })
    const headers = { 'x-api-version': '3' }
    const agreed = await app.inject({ url: '/v3/rates', headers })
    assert.deepEqual(agreed.json(), THIRD)
    const torn = await app.inject({ url: '/v2/rates', headers })
    assert.deepEqual(
      [torn.statusCode, toRecord(torn.json())['code'], toRecord(torn.json())['sources']],
      [
        400,
        'ambiguous_version',
        [
          { in: 'path', name: 'v', value: '2' },
          { in: 'header', name: 'x-api-version', value: '3' },
        ],
      ],
    )
  })
})

describe('the documents of the rates', () => {
  const app = createRatesApp('header', { logger: false })
  before(() => app.ready())

  for (const [version, type] of [
    ['2', 'number'],
    ['3', 'string'],
  ] as const)
    it(`have the amount of a conversion as version ${version} sends it`, () => {
      const response = app.openapi({ version }).paths['/rates/{from}/{to}']?.['get']?.responses['200']
      const properties = {
        amount: { type },
        currency: { enum: ['EUR', 'GBP', 'JPY', 'USD'], type: 'string' },
      }
      const schema = { properties, required: ['amount', 'currency'], type: 'object' }
      assert.deepEqual(toRecord(response)['content'], { 'application/json': { schema } })
    })
})

describe('versions that are days', () => {
  const at = (day: string, version?: string) =>
    createDatedApp({ logger: false, clock: () => Date.parse(day) }).inject({
      url: '/rates',
      headers: { 'x-api-version': version },
    })

  it('what was current on the day answers, and says which that was', async () => {
    const { statusCode, headers, json } = await at('2026-11-21', '2026-02-14')
    assert.deepEqual([statusCode, json()], [200, SECOND])
    const { deprecation, sunset, link, vary } = headers
    assert.deepEqual(
      { deprecation, sunset, link, vary, version: headers['x-api-version'] },
      {
        deprecation: '@1772323200',
        sunset: 'Mon, 01 Mar 2027 00:00:00 GMT',
        link: '<https://rates.example/changes/2026-03-01>; rel="deprecation"; type="text/html"',
        vary: 'x-api-version',
        version: '2025-06-01',
      },
    )
  })

  it('the current one has nothing to tell', async () => {
    const { headers, json } = await at('2026-11-21', '2026-03-01')
    assert.deepEqual(json(), THIRD)
    assert.deepEqual(
      [headers['deprecation'], headers['sunset'], headers['link']],
      [undefined, undefined, undefined],
    )
  })

  it('the first is answered until its sunset, and is gone from then on', async () => {
    assert.deepEqual((await at('2026-05-31', '2025-01-01')).json(), FIRST)
    const { statusCode, json } = await at('2026-06-01', '2025-01-01')
    const { code, sunset, supported, deprecated } = toRecord(json())
    assert.deepEqual(
      { statusCode, code, sunset, supported, deprecated },
      {
        statusCode: 410,
        code: 'retired_version',
        sunset: '2026-06-01T00:00:00.000Z',
        supported: ['2026-03-01'],
        deprecated: ['2025-06-01'],
      },
    )
  })

  for (const [version, status, code] of [
    ['2024-12-31', 406, 'unsupported_version'],
    ['2026-02-30', 400, 'invalid_version'],
    [undefined, 400, 'unspecified_version'],
  ] as const) {
    it(`${version ?? 'no version'} is a ${status}`, async () => {
      const { statusCode, json } = await at('2026-11-21', version)
      assert.deepEqual([statusCode, toRecord(json())['code']], [status, code])
    })
  }

  it('/versions lists what there is, and needs no version itself', async () => {
    const app = createDatedApp({ logger: false, clock: () => Date.parse('2026-11-21') })
    const response = await app.inject('/versions')
    const list = Object.values(toRecord(response.json())).map(toRecord)
    const names = (routes: unknown): unknown =>
      Object.values(toRecord(routes)).map((each) => toRecord(each)['name'])
    assert.deepEqual(
      list.map(({ version, status, sunset, routes }) => [version, status, sunset, names(routes)]),
      [
        ['2025-01-01', 'retired', '2026-06-01T00:00:00.000Z', ['rates.currencies', 'rates.list']],
        [
          '2025-06-01',
          'deprecated',
          '2027-03-01T00:00:00.000Z',
          ['rates.currencies', 'rates.list', 'rates.convert'],
        ],
        ['2026-03-01', 'active', undefined, ['rates.currencies', 'rates.list', 'rates.convert']],
      ],
    )
  })

  it('counts the use of what is old', async () => {
    const app = createDatedApp({ logger: false, clock: () => Date.parse('2026-11-21') })
    for (const version of ['2025-06-01', '2025-12-24', '2026-03-01', '2025-01-01']) {
      await app.inject({ url: '/rates', version })
    }
    assert.deepEqual((await app.inject('/usage')).json(), {
      '2025-06-01 rates.list (deprecated)': 2,
      '2025-01-01 rates.list (retired)': 1,
    })
  })
})

describe('npm run versions', () => {
  const child = spawn(process.execPath, programArguments('examples/versions/main.ts'), {
    cwd: ROOT,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let text = ''
  before(async () => {
    child.stdout.setEncoding('utf8')
    for await (const chunk of child.stdout) {
      text += chunk
      if (text.includes('Ctrl+C')) break
    }
  })
  after(() => child.kill('SIGKILL'))

  it('prints commands that answer with the status before them', async () => {
    const commands = [...text.matchAll(/^ {2}(\d{3}) {2}curl -i (.*)'(http:\/\/[^'/]+)([^']*)'$/gm)]
    assert.equal(commands.length, text.split('curl').length - 1)
    assert.ok(commands.length >= 35)
    for (const [line, status, flags = '', url = '', path = ''] of commands) {
      const given = [...flags.matchAll(/-H '([^:]+): ([^']*)' /g)]
      const headers = Object.fromEntries(given.map(([, name = '', value = '']) => [name, value]))
      assert.equal((await send(url, { path, headers })).status, Number(status), line)
    }
  })

  it('answers 404 where no application is', async () => {
    const [, url = ''] = /listen on (\S+),/.exec(text) ?? []
    assert.equal((await fetch(`${url}/nothing`)).status, 404)
  })

  it('stops on SIGTERM', async () => {
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
  })
})

describe('the rates over a socket', () => {
  for (const way of ['host', 'accept'] as const) {
    it(way, async () => {
      const app = createRatesApp(way, { logger: false })
      const url = await app.listen(LOOPBACK)
      const { status, headers, bytes } = await send(url, WAYS[way].ask('/rates', '2'))
      await app.close()
      assert.deepEqual([status, headers['vary'], JSON.parse(bytes.toString())], [200, VARY[way], SECOND])
    })
  }
})
