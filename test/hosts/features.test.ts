import assert from 'node:assert/strict'
import { request as sendRequest, type IncomingMessage, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { openExpressFeatures } from './features-express.ts'
import { openFastifyFeatures } from './features-fastify.ts'
import { openHonoFeatures } from './features-hono.ts'
import {
  asApplication,
  createFeatureVersions,
  digest,
  ORIGIN,
  PART,
  type Notes,
  type OpenFeatures,
  type Place,
} from './features.ts'

const FRAMEWORKS: Readonly<Record<string, OpenFeatures>> = {
  'Express 4': openExpressFeatures('express-4'),
  'Express 5': openExpressFeatures('express'),
  'Fastify 5': openFastifyFeatures,
  'Hono 4': openHonoFeatures,
}

/** A request of a client of a version, by its path. */
type Ask = (path: string, version: string, init?: RequestInit) => Promise<Response>

interface Tested {
  readonly ask: Ask
  readonly notes: Notes
  readonly url: string
  readonly framework: string
}

/** The member of an item that has its name in a version. */
const nameOf = (version: string): string => (version === '1' ? 'title' : 'name')

const toVersion = (version: string, id: string, name = 'Ann'): object => ({ id, [nameOf(version)]: name })

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const BYTES = Uint8Array.from({ length: 3000 }, (_, at) => at % 256)

/** The features of the frameworks, in both versions. */
const FEATURES: Readonly<Record<string, (tested: Tested, version: string) => Promise<void>>> = {
  sessions: async ({ ask }, version) => {
    const first = await ask('/session', version)
    assert.deepEqual(await first.json(), toVersion(version, '1'))
    const [cookie = ''] = first.headers.getSetCookie()
    const second = await ask('/session', version, { headers: { cookie: cookie.split(';')[0] ?? '' } })
    assert.deepEqual(await second.json(), toVersion(version, '2'))
  },
  uploads: async ({ ask }, version) => {
    const body = new FormData()
    body.append(nameOf(version), 'Bee')
    body.append('file', new File([BYTES], 'ä.bin', { type: 'application/x-own' }))
    const response = await ask('/uploads', version, { method: 'POST', body })
    const { id, ...rest } = Object(await response.json())
    assert.match(id, new RegExp(`application/x-own ${digest(BYTES)}$`))
    assert.deepEqual(rest, { [nameOf(version)]: 'Bee' })
  },
  'bodies that no version declares': async ({ ask }, version) => {
    const headers = { 'content-type': 'application/octet-stream' }
    const response = await ask('/binary', version, { method: 'POST', body: BYTES, headers })
    assert.deepEqual(await response.json(), toVersion(version, digest(BYTES)))
  },
  'validation of the application behind that of the version': async ({ ask, notes }, version) => {
    const created = await ask('/items', version, post({ [nameOf(version)]: 'Bee' }))
    assert.deepEqual([created.status, await created.json()], [201, toVersion(version, '9', 'Bee')])
    const tooLong = await ask('/items', version, post({ [nameOf(version)]: 'Beetle' }))
    assert.deepEqual([tooLong.status, await tooLong.json()], [422, { tooLong: 'name' }])
    assert.equal(
      notes.handled.every((line) => line === 'POST /items'),
      true,
    )
  },
  compression: async ({ ask }, version) => {
    for (const coding of ['gzip', 'br', 'identity', 'zstd, gzip']) {
      const response = await ask('/big', version, { headers: { 'accept-encoding': coding } })
      const list = Object(await response.json())
      assert.deepEqual([list.length, list[7]], [500, toVersion(version, '7', 'Ann 7')], coding)
    }
  },
  CORS: async ({ ask, notes }, version) => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' }
    const preflight = await ask('/items', version, { method: 'OPTIONS', headers })
    assert.equal(preflight.status, 204)
    assert.deepEqual(notes.handled, [])
    for (const response of [preflight, await ask('/items/7', version, { headers: { origin: ORIGIN } })]) {
      assert.equal(response.headers.get('access-control-allow-origin'), ORIGIN)
      assert.equal(response.headers.get('access-control-allow-credentials'), 'true')
    }
  },
  'AsyncLocalStorage and request ids of requests at once': async ({ ask }, version) => {
    const ids = Array.from({ length: 20 }, (_, at) => `r${at}`)
    const asked = ids.map(async (id) =>
      (await ask('/context', version, { headers: { 'x-request-id': id } })).json(),
    )
    assert.deepEqual(
      await Promise.all(asked),
      ids.map((id) => toVersion(version, id)),
    )
  },
  'logs of the status that is sent, once': async ({ ask, notes }, version) => {
    await (await ask('/items/7', version)).text()
    await (await ask('/items', version, post({ [nameOf(version)]: 'Beetle' }))).text()
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.deepEqual(notes.log, ['GET /items/7 200', 'POST /items 422'])
  },
  'rate limits': async ({ ask, notes }, version) => {
    const headers = { 'x-client': `client ${version} ${Math.random()}` }
    const statuses = []
    for (const remaining of ['1', '0', '0']) {
      const response = await ask('/limited', version, { headers })
      statuses.push(response.status, await response.json())
      assert.equal(response.headers.get('x-ratelimit-remaining'), remaining)
    }
    const item = toVersion(version, '1')
    assert.deepEqual(statuses, [200, item, 200, item, 429, { over: true }])
    assert.equal(notes.handled.length, 2)
  },
  'addresses behind a proxy': async ({ ask }, version) => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' }
    const response = await ask('/ip', version, { headers })
    assert.deepEqual(await response.json(), toVersion(version, '203.0.113.9 https 127.0.0.1'))
  },
  'files and parts of them': async ({ ask }, version) => {
    const whole = await ask('/file', version)
    const text = await whole.text()
    const part = await ask('/file', version, { headers: { range: 'bytes=0-10' } })
    assert.deepEqual([part.status, await part.text()], [206, text.slice(0, 11)])
    assert.equal(part.headers.get('content-range'), `bytes 0-10/${text.length}`)
    assert.equal(whole.headers.get('accept-ranges'), 'bytes')
  },
  'no parts of what is converted': async ({ ask }, version) => {
    const headers = { range: 'bytes=0-3', 'if-range': '"t"' }
    const response = await ask('/part', version, { headers })
    if (version === '2') assert.deepEqual([response.status, await response.text()], [206, PART.text])
    else assert.deepEqual([response.status, await response.json()], [200, toVersion(version, '7')])
    assert.equal(response.headers.get('content-range'), version === '2' ? PART.range : null)
  },
  'events and lines as they come': async ({ ask, notes }, version) => {
    for (const path of ['/ticks', '/lines']) {
      const response = await ask(path, version)
      const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while (!text.includes('}')) text += (await reader.read()).value ?? ''
      assert.match(text, new RegExp(JSON.stringify(toVersion(version, '1'))))
      notes.go()
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value
      assert.match(text, new RegExp(JSON.stringify(toVersion(version, '2'))))
    }
  },
  'HEAD, and methods that no version describes': async ({ ask, notes }, version) => {
    const head = await ask('/items/7', version, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    notes.handled.length = 0
    const removed = await ask('/items/7', version, { method: 'DELETE' })
    assert.deepEqual([removed.status, await removed.json()], [200, { removed: '7' }])
    assert.deepEqual(notes.handled, ['DELETE /items/7'])
  },
  'a guard of the version': async ({ ask, notes }, version) => {
    const response = await ask('/items/7', version, { headers: { 'x-denied': 'yes' } })
    assert.equal(response.status, 403)
    await response.text()
    assert.deepEqual(notes.handled, [])
  },
  'a handshake of WebSockets': async ({ url }, version) => {
    const headers = { connection: 'upgrade', upgrade: 'websocket', 'x-api-version': version }
    const answer = await new Promise<IncomingMessage>((resolve) => {
      sendRequest(`${url}/socket`, { headers })
        .on('upgrade', (response, socket) => {
          socket.destroy()
          resolve(response)
        })
        .end()
    })
    assert.equal(answer.statusCode, 101)
  },
}

async function open(
  openApp: OpenFeatures,
  notes: Notes,
  { place = 'outside', options = {} }: { place?: Place; options?: object } = {},
) {
  const versions = createFeatureVersions(options)
  const server: Server = await openApp(versions, notes, place)
  server.on('upgrade', (_, socket) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
  })
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  const ask: Ask = (path, version, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('x-api-version', version)
    return fetch(url + path, { signal: AbortSignal.timeout(3000), ...init, headers, redirect: 'manual' })
  }
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await versions.close()
  }
  return { ask, url, close }
}

for (const [framework, openApp] of Object.entries(FRAMEWORKS))
  describe(`inside ${framework}, its features`, () => {
    const notes: Notes = { log: [], handled: [], go: () => undefined }
    let opened: Awaited<ReturnType<typeof open>>
    before(async () => {
      opened = await open(openApp, notes)
    })
    after(() => opened.close())

    for (const [feature, test] of Object.entries(FEATURES))
      it(`work in both versions: ${feature}`, async () => {
        for (const version of ['2', '1']) {
          notes.log.length = 0
          notes.handled.length = 0
          await test({ ...opened, notes, framework }, version)
        }
      })

    it('work in both versions: compression and CORS behind it, and errors in the format of the application', async () => {
      const behind = await open(openApp, notes, { place: 'behind', options: asApplication })
      for (const version of ['2', '1']) {
        const list = Object(await (await behind.ask('/big', version)).json())
        assert.deepEqual([list.length, list[7]], [500, toVersion(version, '7', 'Ann 7')])
        const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' }
        const preflight = await behind.ask('/items', version, { method: 'OPTIONS', headers })
        assert.equal(preflight.headers.get('access-control-allow-origin'), ORIGIN)
      }
      const invalid = await behind.ask('/items', '1', post({ name: 'Bee' }))
      assert.deepEqual([invalid.status, await invalid.json()], [400, { invalid: ['title'] }])
      await behind.close()
    })

    it('work in both versions: addresses that moved', async () => {
      const owner = await opened.ask('/people/7', '1')
      assert.deepEqual(await owner.json(), toVersion('1', '7'))
      for (const [path, version, location] of [
        ['/owners', '2', '/owners/9'],
        ['/people', '1', '/people/9'],
      ] as const) {
        const response = await opened.ask(path, version, post({ [nameOf(version)]: 'Bee' }))
        assert.deepEqual([response.status, await response.json()], [201, toVersion(version, '9', 'Bee')])
        assert.equal(response.headers.get('location'), location)
      }
    })
  })
