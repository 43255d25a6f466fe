import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createClient } from 'octavo/client'
import type { RouteMap, SavedRouteMap } from 'octavo/client'

import { createFolder, findMain, octavo } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'
import { programFile } from '../support/program.ts'

const CARS = programFile('test/cli/fixtures/cars/app.ts')
const WEBHOOKS = programFile('test/cli/fixtures/webhooks/app.ts')
const HOSTS = programFile('test/cli/fixtures/hosts/app.ts')
const folder = createFolder({ 'other.js': 'export const app = {}' })
let main = ''
before(async () => {
  main = await findMain()
})
after(() => folder.remove())

function client(...args: readonly string[]): Promise<Outcome> {
  return octavo(['client', ...args], { cwd: folder.path, node: ['--conditions', 'octavo-source', main] })
}

const read = (name: string): RouteMap => JSON.parse(readFileSync(join(folder.path, name), 'utf8'))

describe('octavo client', () => {
  const payloadsOf = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout } = await client(WEBHOOKS, ...args)
    assert.equal(code, 0)
    return /export interface Webhooks \{.*?\n\}/s.exec(stdout)?.[0] ?? ''
  }

  it('writes the payloads of the webhooks of a version', async () => {
    const expected = [
      'export interface Webhooks {',
      '  /** A car was sold */',
      "  'car.sold': {",
      "    type: 'car.sold'",
      '    timestamp: string',
      '    data: {',
      '      owner: Owner',
      '      sale: Sale',
      '    }',
      '  }',
    ]
    assert.equal(await payloadsOf('--version', '1'), [...expected, '}'].join('\n'))
    assert.equal(
      await payloadsOf('--version', '2'),
      [
        ...expected,
        "  'owner.moved': {",
        "    type: 'owner.moved'",
        '    timestamp: string',
        '    data: Owner',
        '  }',
        '}',
      ].join('\n'),
    )
    const { stdout } = await client(CARS, '--version', '2')
    assert.ok(!stdout.includes('Webhooks'))
  })
})

describe('octavo client --map', { concurrency: 3 }, () => {
  it('writes the routes of a version to standard output', async () => {
    const { code, stdout } = await client(CARS, '--map', '--version', '2')
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(stdout), {
      version: '2',
      routes: {
        'car.list': { method: 'GET', path: '/v2/car' },
        'car.one': { method: 'GET', others: ['DELETE'], path: '/v2/car/{car_id}' },
        'car.status': { method: 'GET', path: '/car/status' },
        'about.about': { method: 'GET', path: '/about' },
      },
    })
  })

  it('writes those of requests without a version', async () => {
    const { stdout } = await client(CARS, '--map')
    const { version, routes } = JSON.parse(stdout) as RouteMap
    assert.deepEqual([version, Object.keys(routes).toSorted()], [null, ['about.about', 'car.status']])
  })

  it('writes a file for each version, which a client takes', async () => {
    const { code, stdout, stderr } = await client(CARS, '--map', '--out', 'each/{version}.json')
    assert.deepEqual({ code, stdout }, { code: 0, stdout: '' })
    assert.match(stderr, /Wrote each\/1\.json\nWrote each\/2\.json\n/)
    assert.equal(read('each/1.json').routes['car.list']?.path, '/v1/car')
    const urls: string[] = []
    const calling = createClient({
      baseUrl: 'https://api.example.com',
      routes: read('each/2.json'),
      fetch: async (url: string) => {
        urls.push(url)
        return Response.json([])
      },
    })
    const list: unknown = Reflect.get(Reflect.get(calling, 'car'), 'list')
    await (list as () => Promise<unknown>)()
    assert.deepEqual(urls, ['https://api.example.com/v2/car'])
  })

  it('is a type that clients take, as an import of JSON has it', () => {
    const saved: { version: string; routes: { 'car.add': { method: string; path: string; body: string } } } =
      {
        version: '2',
        routes: { 'car.add': { method: 'POST', path: '/v2/car', body: 'text' } },
      }
    const routes: SavedRouteMap = saved
    assert.doesNotThrow(() => createClient({ baseUrl: 'http://a.test', routes }))
    assert.doesNotThrow(() => createClient({ baseUrl: 'http://a.test', routes: saved }))
  })

  it('writes hosts that name versions, of the host that clients reach', async () => {
    const { code, stdout } = await client(HOSTS, '--map', '--version', '2', '--host', 'api.example.com:8443')
    assert.equal(code, 0)
    assert.deepEqual(JSON.parse(stdout), {
      version: '2',
      routes: { 'car.list': { method: 'GET', path: '/car', host: 'v2.example.com:8443' } },
    })
    const without = await client(HOSTS, '--map', '--version', '2')
    assert.equal(without.code, 1)
    assert.match(
      without.stderr,
      /the app reads versions from the host\n {2}pass the host that clients use: --host/,
    )
  })

  it('compares a file with the app', async () => {
    const args = [CARS, '--map', '--version', '2', '--out', 'routes.json']
    const missing = await client(...args, '--check')
    assert.equal(missing.code, 1)
    assert.match(missing.stderr, /routes\.json doesn't exist: run/)
    assert.equal(existsSync(join(folder.path, 'routes.json')), false)
    await client(...args)
    assert.equal((await client(...args, '--check')).code, 0)
    folder.write('routes.json', JSON.stringify(read('routes.json')).replace('/v2/car"', '/v2/cars"'))
    const { code, stderr } = await client(...args, '--check')
    assert.equal(code, 1)
    assert.match(stderr, /routes\.json differs from the app: run/)
  })

  it('says what is wrong', async () => {
    const unknown = await client(CARS, '--map', '--version', '9')
    assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
    assert.match(unknown.stderr, /unknown version "9"\n {2}the app has 1, 2\n/)
    const bare = await client(CARS, '--map', '--check')
    assert.deepEqual([bare.code, /--check requires --out/.test(bare.stderr)], [2, true])
  })
})
