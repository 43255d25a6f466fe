import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { newSeen, type Listening } from './apps.ts'
import { FRAMEWORKS } from './frameworks.ts'
import { CAR, createVersions } from './garage.ts'

const OLD = { id: '7', title: 'Ann', price: 12.5 }

for (const [name, openApp] of Object.entries(FRAMEWORKS))
  describe(`inside ${name}`, () => {
    const versions = createVersions()
    const seen = newSeen()
    let listening: Listening
    before(async () => {
      listening = await openApp(versions, seen)
    })
    after(async () => {
      await listening.close()
      await versions.close()
    })

    const ask = (path: string, version: string | undefined, init: RequestInit = {}): Promise<Response> => {
      seen.lines.length = 0
      const headers = new Headers(init.headers)
      if (version !== undefined) headers.set('x-api-version', version)
      headers.set('x-request-id', 'r1')
      if (typeof init.body === 'string') headers.set('content-type', 'application/json')
      return fetch(listening.url + path, { redirect: 'manual', ...init, headers })
    }
    const post = (body: object, version: string): Promise<Response> =>
      ask('/cars', version, { method: 'POST', body: JSON.stringify(body) })

    it('leaves the newest version as it is, and tells of versions', async () => {
      for (const version of ['3', undefined]) {
        const response = await ask('/cars/7', version)
        assert.deepEqual(await response.json(), CAR)
        assert.equal(response.headers.get('x-api-version'), '3')
        assert.match(response.headers.get('vary') ?? '', /x-api-version/)
        assert.equal(response.headers.get('x-before'), 'yes')
        assert.deepEqual(seen.lines, ['GET /cars/7 r1'])
      }
    })

    it('converts responses to older versions, with a length that is right', async () => {
      const [two, one] = [await ask('/cars/7', '2'), await ask('/cars/7', '1')]
      assert.equal(two.headers.get('x-api-version'), '2')
      assert.equal(two.headers.get('x-before'), 'yes')
      assert.deepEqual(await two.json(), { id: '7', title: 'Ann', priceCents: 1250 })
      const text = await one.text()
      assert.deepEqual(JSON.parse(text), OLD)
      if (one.headers.has('content-length'))
        assert.equal(one.headers.get('content-length'), String(text.length))
    })

    it('converts requests from older versions, once', async () => {
      const response = await post({ title: 'Zed', price: 0.5 }, '1')
      assert.equal(response.status, 201)
      assert.equal(response.headers.get('location'), '/cars/9')
      assert.deepEqual(await response.json(), { id: '9', title: 'Zed', price: 0.5 })
      assert.deepEqual(seen.lines, ['POST /cars r1'])
    })

    it('refuses a request of an older version in its own names', async () => {
      const response = await post({ name: 'Zed', price: 1 }, '1')
      assert.equal(response.status, 422)
      const { errors } = (await response.json()) as { errors: { path: string[] }[] }
      assert.deepEqual(
        errors.map(({ path }) => path),
        [['title']],
      )
      assert.deepEqual(seen.lines, [])
    })

    it('finds paths that moved and parameters that were renamed', async () => {
      const response = await ask('/autos?max=5&other=x', '2')
      assert.deepEqual(await response.json(), [{ id: '5', title: 'Ann', priceCents: 1250 }])
      assert.equal(seen.lines.length, 1)
      assert.match(seen.lines[0] ?? '', /^GET \/cars\?(?:limit=5&other=x|other=x&limit=5) r1$/)
      // version 3 has no such path, and the contract knows it
      assert.equal((await ask('/autos', '3')).status, 406)
    })

    it('gives the parser of queries of the application another query', async () => {
      assert.equal(Object(await (await ask('/search?text=x', '2')).json()).id, 'x')
      assert.equal(Object(await (await ask('/search?q=x', '3')).json()).id, 'x')
    })

    it('compares the entity tags of an older version with those of the application', async () => {
      for (const version of ['3', '1']) {
        // compression makes a tag weak
        const tag = (await ask('/tagged', version)).headers.get('etag')?.replace('W/', '') ?? ''
        assert.equal(tag, version === '1' ? '"t1;v=1"' : '"t1"')
        for (const [method, condition, value, status] of [
          ['GET', 'if-none-match', tag, 304],
          ['GET', 'if-none-match', '"other"', 200],
          ['PUT', 'if-match', tag, 200],
          ['PUT', 'if-match', '"other"', 412],
        ] as const) {
          const response = await ask('/tagged', version, { method, headers: { [condition]: value } })
          await response.text()
          assert.equal(response.status, status, `${version} ${method} ${value}`)
        }
      }
    })

    it('converts what a handler writes by itself', async () => {
      for (const [version, query] of [
        ['3', ''],
        ['3', '?hijacks'],
        ['1', ''],
        ['1', '?hijacks'],
      ] as const) {
        const response = await ask(`/raw${query}`, version)
        assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2'])
        assert.equal(response.headers.get('x-api-version'), version)
        assert.deepEqual(await response.json(), version === '1' ? OLD : CAR)
      }
    })

    it('converts statuses', async () => {
      const [now, old] = [
        await post({ name: 'taken', priceCents: 1 }, '3'),
        await post({ title: 'taken', priceCents: 1 }, '2'),
      ]
      assert.deepEqual([now.status, await now.json()], [409, { error: 'taken' }])
      assert.deepEqual([old.status, await old.json()], [400, { error: 'taken' }])
    })

    it('converts events and lines as they come', async () => {
      for (const [path, read] of [
        ['/events', (text: string) => [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data)],
        ['/rows', (text: string) => text.trim().split('\n')],
      ] as const) {
        const now = await ask(path, '3')
        assert.deepEqual(
          read(await now.text()).map((each) => JSON.parse(each)),
          [CAR, { ...CAR, id: '8' }],
        )
        const old = await ask(path, '1')
        assert.deepEqual(
          read(await old.text()).map((each) => JSON.parse(each)),
          [OLD, { ...OLD, id: '8' }],
        )
      }
    })

    it('leaves errors, cookies, redirects and unknown paths to the framework', async () => {
      for (const version of ['3', '1']) {
        const failed = await ask('/fails', version)
        assert.deepEqual([failed.status, await failed.json()], [500, { oops: true }])
        assert.deepEqual(
          (await ask('/login', version)).headers.getSetCookie().map((cookie) => cookie.split(';')[0]),
          ['a=1', 'b=2'],
        )
        const redirected = await ask('/other', version)
        assert.deepEqual([redirected.status, redirected.headers.get('location')], [302, '/elsewhere'])
        assert.equal((await ask('/nothing', version)).status, 404)
      }
    })

    it('answers HEAD without a body', async () => {
      const response = await ask('/cars/7', '1', { method: 'HEAD' })
      assert.deepEqual([response.status, await response.text()], [200, ''])
    })

    it('takes the version of the account if the request names none', async () => {
      const account = { headers: { 'x-account': 'account-1' } }
      assert.deepEqual(await (await ask('/cars/7', undefined, account)).json(), OLD)
      assert.deepEqual(await (await ask('/cars/7', '3', account)).json(), CAR)
    })

    it('fails in the way of the framework if the version of an account cannot be had', async () => {
      const first = createVersions()
      const opened = await openApp(first, newSeen())
      for (const account of ['unknown', 'account-77']) {
        const response = await fetch(`${opened.url}/cars/7`, {
          headers: { 'x-account': account },
          signal: AbortSignal.timeout(2000),
        })
        assert.equal(response.status, 500, account)
        await response.text()
      }
      await opened.close()
      await first.close()
    })

    it('ends requests whose client is gone', async () => {
      const gone = createVersions()
      const aborting = new AbortController()
      const started = newSeen()
      const opened = await openApp(gone, started)
      const asked = fetch(`${opened.url}/cars/hangs`, {
        headers: { 'x-api-version': '1' },
        signal: aborting.signal,
      })
      while (!started.lines.includes('hangs')) await new Promise((resolve) => setTimeout(resolve, 5))
      aborting.abort()
      await assert.rejects(asked)
      const from = performance.now()
      await gone.close()
      assert.ok(performance.now() - from < 2000)
      assert.deepEqual(started.aborted, ['hangs'])
      await opened.close()
    })

    it('passes what has no content, in every version', async () => {
      for (const version of ['3', '1']) {
        const response = await ask('/cars/none', version)
        assert.deepEqual([response.status, await response.text()], [204, ''])
      }
    })

    it('takes bodies without a length, and leaves malformed ones to who reads them', async () => {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        duplex: 'half',
      } as const
      const body = new Blob(['{"title":"Zed",', '"price":1}']).stream()
      const response = await ask('/cars', '1', { ...init, body })
      assert.deepEqual(await response.json(), { id: '9', title: 'Zed', price: 1 })
      const malformed = await ask('/cars', '1', { method: 'POST', body: '{"title' })
      assert.equal(malformed.status, /^Express.*in front$/.test(name) ? 500 : 400)
    })

    if (name.startsWith('Express'))
      it('knows whether a response was sent', async () => {
        for (const version of ['3', '1']) {
          const response = await ask('/cars/late', version)
          assert.deepEqual(await response.json(), version === '1' ? OLD : CAR)
          assert.deepEqual(seen.lines.slice(-2), ['true true', 'ERR_HTTP_HEADERS_SENT'])
          assert.equal(response.headers.get('x-late'), null)
          await assert.rejects(async () => (await ask('/cars/broken', version)).text(), version)
        }
      })
  })
