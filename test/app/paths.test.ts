import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { createApp, defineController, defineGuard, defineModule, defineRouter } from 'octavo'
import type { App, WebHandler } from 'octavo'

import { createRandom, type Random } from '../fault/fuzz/random.ts'
import { ENGINES, send } from '../node/support.ts'
import { garageAt, startServer } from '../upstream/garage.ts'

const PIECES = (
  '.. . %2e %2E%2e .%2e %252e%252e %25252e. %25%32%65. %2%65 ..; ..;a=b .;.. %2e%2e%3b %3B.. x;y a.b ... ..%2f %2f.. %2f %5c ..%5c.. ' +
  '..\\ \\ x\\..\\..\\ \\\\admin %25 %20 %09. .%09. %0d%0a caf%C3%A9 admin ADMIN %61dmin users public cars 7 7.json evil.test'
).split(' ')

/** A path of a router, and behind it what clients send who look for another. */
function createPath(random: Random): string {
  const root = random.pick(['/public', '/web', '/slash/a', '/up', '', '/%70ublic', '/admin'])
  const rest = Array.from(
    { length: 1 + random.below(4) },
    () => random.pick(['/', '/', '/', '//', '\\']) + (PIECES[random.below(PIECES.length)] ?? ''),
  )
  const path = root + rest.join('') + random.pick(['', '/'])
  return path.startsWith('/') ? path : `/${path}`
}

/** The segments as routes are matched by them. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').map((segment) => decodeURIComponent(segment))
}

/** Reads a path as generously as any software does: decodes as often as it can, with parameters behind `;` cut off. */
function resolve(path: string): string {
  let text = path
  for (let last = ''; last !== text;) {
    last = text
    text = text
      .replaceAll(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replaceAll(/[\t\r\n]/g, '')
  }
  const plain = text
    .replaceAll('\\', '/')
    .split('/')
    .map((segment) => segment.replace(/^(\.{1,2});.*$/, '$1'))
  return new URL(plain.join('/').replace(/^\/+/, '/').replaceAll(/[?#]/g, '_'), 'http://own.test').pathname
}

/** Fails if code behind a route, or a client that is redirected, gets another path than was matched. Returns what has happened. */
function check({ path, status, body, to }: Way): readonly unknown[] {
  const label = JSON.stringify({ path, status, body, to })
  assert.ok([200, 308, 400, 403, 404].includes(status), label)
  if (status === 308) {
    const url = new URL(String(to), 'http://own.test')
    assert.equal(url.host, 'own.test', label)
    const trim = (text: string): readonly string[] => segmentsOf(text.replace(/\/$/, ''))
    assert.deepEqual(trim(url.pathname), trim(path), label)
  }
  if (status !== 200 || !body.startsWith('{')) return [status]
  const { at, path: seen }: Seen = JSON.parse(body)
  const matched = segmentsOf(path)
  assert.deepEqual(segmentsOf(seen), matched, label)
  assert.equal(matched[1], at, label)
  if (at !== 'web') assert.match(resolve(seen), new RegExp(`^/${at}(?:[/;]|$)`), label)
  return [status, at]
}

/** A response of one way in, and the path that it was asked for. */
interface Way {
  readonly path: string
  readonly status: number
  readonly body: string
  readonly to: unknown
}

/** What code behind a route has seen. */
interface Seen {
  readonly at: 'public' | 'web' | 'up'
  readonly path: string
}

const noEntry = defineGuard({ name: 'NoEntry', canActivate: () => false })
const see: WebHandler = (request) => Response.json({ at: 'public', path: new URL(request.url).pathname })

function createFront(url: string): App {
  const behind = garageAt(url)
  const web = defineController({
    prefix: '/web',
    routes: [
      {
        method: 'GET',
        path: '/{rest:path}',
        handler: (_, { request }) => ({ at: 'web', path: new URL(request.web.url).pathname }),
      },
    ],
  })
  const slash = defineController({
    prefix: '/slash',
    routes: [
      { method: 'GET', path: '/{a}/{b}', name: 'two', handler: () => 'matched' },
      { method: 'GET', path: '/{a}/{b}/{c}/', name: 'three', handler: () => 'matched' },
    ],
  })
  const admin = defineRouter({ prefix: '/admin', guards: [noEntry], mount: see })
  return createApp(
    defineModule({
      controllers: [web, slash],
      routers: [
        admin,
        defineRouter({ prefix: '/public', mount: see }),
        defineRouter({ name: 'up', prefix: '/up', mount: behind }),
      ],
    }),
    { logger: false, trailingSlash: 'redirect' },
  )
}

describe('the path that was matched', () => {
  let app: App
  let close: () => void
  const agents = new Agent({ keepAlive: true, maxSockets: 1 })
  const urls: string[] = []
  const apps: App[] = []

  before(async () => {
    const behind = await startServer(({ url }, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ at: 'up', path: url }))
    })
    close = behind.close
    app = createFront(behind.url)
    apps.push(app)
    for (const options of Object.values(ENGINES)) {
      const served = createFront(behind.url)
      apps.push(served)
      urls.push(await served.listen({ port: 0, host: '127.0.0.1', ...options }))
    }
  })

  after(async () => {
    agents.destroy()
    await Promise.all(apps.map((each) => each.close()))
    close()
  })

  /** The status, the body and the address of each way in, with the path that it was asked for. */
  async function ask(path: string): Promise<readonly Way[]> {
    const given = new URL(`http://own.test${path}`).pathname
    const fetched = await app.fetch(new Request(`http://own.test${given}`))
    const injected = await app.inject({ url: path, host: 'own.test' })
    const ways: Way[] = [
      {
        path: given,
        status: fetched.status,
        body: await fetched.text(),
        to: fetched.headers.get('location'),
      },
      { path, status: injected.statusCode, body: injected.body, to: injected.headers['location'] },
    ]
    for (const url of urls) {
      const { status, bytes, headers } = await send(url, { path, agent: agents })
      ways.push({
        path,
        status,
        body: bytes.toString(),
        to: headers['location'],
      })
    }
    return ways
  }

  it('has no dot segments where code of others answers, in no spelling', async () => {
    for (const dots of [
      '%2e%2e/',
      '../',
      '..\\',
      'x\\..\\..\\',
      '%252e%252e/',
      '%25%32%65./',
      '..;/',
      'x;../',
      '..%00/',
      '..%20/',
      '..;a=b/',
      './/',
    ])
      for (const at of ['public', 'up'])
        for (const way of (await ask(`/${at}/${dots}admin/users`)).slice(dots.startsWith('..;') ? 0 : 1)) {
          const { code }: { readonly code?: string } = JSON.parse(way.body)
          assert.deepEqual([way.status, code], [400, 'malformed_path'], way.path)
        }
  })

  it('is the one that web handlers, requests of the platform, APIs behind and clients that are redirected see', async () => {
    const random = createRandom(45)
    const outcomes = new Set<unknown>()
    for (let count = 0; count < 200; count++) {
      for (const way of await ask(createPath(random))) {
        for (const outcome of check(way)) outcomes.add(outcome)
      }
    }
    assert.deepEqual([...outcomes].map(String).toSorted(), [
      '200',
      '308',
      '400',
      '403',
      '404',
      'public',
      'up',
      'web',
    ])
  })
})
