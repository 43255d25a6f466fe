import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { createCarApp } from '../../examples/car/app.ts'
import type { SchemeName } from '../../examples/car/app.ts'
import { app as hello } from '../../examples/hello/main.ts'
import { LOOPBACK, send } from '../node/support.ts'
import type { WireRequest } from '../node/support.ts'
import { programArguments } from '../support/program.ts'

const ROOT = join(import.meta.dirname, '../..')
const FORD = { name: 'Ford', year: 2026, model: 'Fiesta' }
const JSON_HEADERS = (body: string): Record<string, string> => ({
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(body)),
})

async function fetchJson(url: string, request: WireRequest): Promise<readonly [number, unknown]> {
  const { status, bytes } = await send(url, request)
  return [status, JSON.parse(bytes.toString())]
}

describe('the endpoints of the car example', () => {
  const app = createCarApp('url', { logger: false })
  let url = ''
  before(async () => {
    url = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  const cases = [
    ['POST', '/car/', FORD, { ...FORD, message: 'This action adds a new car' }],
    ['GET', '/car/', undefined, 'This action returns all cars at limit=10, offset=1'],
    ['GET', '/car/?limit=5&offset=20', undefined, 'This action returns all cars at limit=5, offset=20'],
    ['GET', '/car/welcome', undefined, { detail: 'Welcome to Cars' }],
    ['GET', '/car/7', undefined, 'This action returns a 7 car'],
    ['PUT', '/car/7', FORD, { ...FORD, message: 'This action updates #7 car resource' }],
    ['DELETE', '/car/7', undefined, 'This action removes #7 car'],
  ] as const
  for (const [method, path, json, expected] of cases) {
    it(`${method} ${path}`, async () => {
      const body = json === undefined ? undefined : JSON.stringify(json)
      const request =
        body === undefined ? { method, path } : { method, path, headers: JSON_HEADERS(body), body }
      assert.deepEqual(await fetchJson(url, request), [200, expected])
    })
  }

  it('PUT with a year of 0 says what is wrong', async () => {
    const body = JSON.stringify({ ...FORD, year: 0 })
    const [status, problem] = await fetchJson(url, {
      method: 'PUT',
      path: '/car/7',
      headers: JSON_HEADERS(body),
      body,
    })
    assert.equal(status, 422)
    assert.deepEqual(
      (problem as { readonly errors: readonly { readonly path: unknown }[] }).errors.map(({ path }) => path),
      [['year']],
    )
  })
})

describe('the versions of the car example', () => {
  /** How a client of each scheme asks for a version of a path, and what an unknown version is answered with. */
  const ask: Readonly<Record<SchemeName, (path: string, version: string) => WireRequest>> = {
    url: (path, version) => ({ path: `/v${version}${path}` }),
    accept: (path, version) => ({ path, headers: { accept: `application/json; version=${version}` } }),
    header: (path, version) => ({ path, headers: { 'x-custom-header': `version_header=${version};` } }),
    query: (path, version) => ({ path: `${path}?version=${version}` }),
    host: (path, version) => ({ path, headers: { host: `v${version}.example.com` } }),
  }
  const cases = [
    ['/garage', '1', 200, { version: '1', cars: ['Fiesta', 'Mustang'] }],
    ['/garage', '2', 200, { version: '2', cars: ['Fiesta', 'Mustang'] }],
    ['/garage/7', '1', 200, { id: 7, car: 'Ford Fiesta' }],
    ['/garage/7', '2', 200, { id: '7', ...FORD }],
    ['/garage/7', '3', 200, { id: '7', ...FORD }],
    ['/garage/status', '1', 200, { open: true, version: '1' }],
  ] as const
  const unknown: Readonly<Record<SchemeName, number>> = {
    url: 404,
    accept: 406,
    header: 406,
    query: 404,
    host: 404,
  }

  for (const scheme of ['url', 'accept', 'header', 'query', 'host'] as const) {
    describe(scheme, () => {
      const app = createCarApp(scheme, { logger: false })
      let url = ''
      before(async () => {
        url = await app.listen(LOOPBACK)
      })
      after(() => app.close())

      for (const [path, version, status, body] of cases) {
        it(`${path} in version ${version}`, async () => {
          assert.deepEqual(await fetchJson(url, ask[scheme](path, version)), [status, body])
        })
      }

      it('no version 9', async () => {
        const [status, problem] = await fetchJson(url, ask[scheme]('/garage/7', '9'))
        assert.equal(status, unknown[scheme])
        const { code, supported } = problem as Readonly<Record<string, unknown>>
        // under URL, /v9 is a path like any other that nothing is served at, unless it is read as a version
        assert.equal(scheme === 'url' || code === 'unsupported_version', true)
        if (code === 'unsupported_version') assert.deepEqual(supported, ['1', '2', '3'])
      })

      it('/garage/status without version', async () => {
        assert.deepEqual(await fetchJson(url, { path: '/garage/status' }), [
          200,
          { open: true, version: null },
        ])
      })
    })
  }
})

describe('the hello example', () => {
  let url = ''
  before(async () => {
    url = await hello.listen(LOOPBACK)
  })
  after(() => hello.close())

  for (const [path, message] of [
    ['/', 'Hello, world'],
    ['/Ann%20Lee', 'Hello, Ann Lee'],
  ] as const) {
    it(path, async () => assert.deepEqual(await fetchJson(url, { path }), [200, { message }]))
  }
})

describe('npm start', () => {
  it('prints URLs that work, and stops on SIGTERM', async () => {
    const child = spawn(process.execPath, programArguments('examples/car/main.ts'), {
      cwd: ROOT,
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    child.stdout.setEncoding('utf8')
    let text = ''
    for await (const chunk of child.stdout) {
      text += chunk
      if (text.includes('Ctrl+C')) break
    }
    const urls = [...text.matchAll(/^ {2}curl '?(http:\/\/\S+?)'?(?:\s|$)/gm)].map(([, found = '']) => found)
    assert.equal(urls.length, 7)
    const statuses = await Promise.all(urls.map(async (found) => (await fetch(found)).status))
    child.kill('SIGTERM')
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 404])
    assert.deepEqual(await exited, [0, null])
  })
})
