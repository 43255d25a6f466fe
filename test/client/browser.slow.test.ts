import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { defineController, html, reply, sse, text, VersioningSchemes } from 'octavo'
import { z } from 'zod'

import { findChromium, startBrowser } from '../support/browser.ts'
import type { Browser, Tab } from '../support/browser.ts'
import { serve } from '../support/serve.ts'
import { buildClient } from './build-client.ts'

const PAGE = `<!doctype html><title>client</title><script type="module">
  import { createClient, ProblemError } from '/client.js'
  window.octavo = { createClient, ProblemError, client: createClient({ version: '2' }) }
</script>`

const { code } = buildClient()
const pageController = defineController({
  prefix: '/',
  routes: [
    { method: 'GET', path: '/page', handler: () => html(PAGE) },
    {
      method: 'GET',
      path: '/client.js',
      handler: () => text(code, { headers: { 'content-type': 'text/javascript' } }),
    },
    {
      method: 'GET',
      path: '/login',
      handler: () => reply(200, 'in', { cookies: { sid: 'abc' } }),
    },
  ],
})
const carController = defineController({
  name: 'CarController',
  version: '2',
  routes: [
    {
      method: 'GET',
      path: '/{car_id:str}',
      name: 'getOne',
      input: { query: { day: z.date().optional() } },
      handler: ({ params, query }, { version }) => ({ id: params.car_id, version, ...query }),
    },
    {
      method: 'POST',
      name: 'create',
      input: { body: z.object({ name: z.string().min(2) }) },
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      path: '/photo',
      name: 'photo',
      input: { form: ['title'], files: { photo: z.file() } },
      handler: async ({ form, files }) => ({
        ...form,
        name: files.photo.name,
        text: await files.photo.text(),
      }),
    },
    {
      method: 'GET',
      path: '/me',
      name: 'me',
      input: { cookies: { sid: z.string().optional() } },
      handler: ({ cookies }) => cookies,
    },
    {
      method: 'GET',
      path: '/shaky',
      name: 'shaky',
      handler: (_input, { request }) => {
        const attempt = request.header('x-attempt')
        return attempt === '3' ? { attempt } : reply(503)
      },
    },
    {
      method: 'GET',
      path: '/events',
      name: 'events',
      handler: (_input, { request }) => {
        const last = Number(request.header('last-event-id') ?? 0)
        return last === 2 ? reply(204) : sse([{ id: String(last + 1), data: ['ä'] }])
      },
    },
  ],
})

const path = findChromium()

describe('the client in a browser', { skip: path === undefined ? 'no Chromium is installed' : false }, () => {
  const app = serve([pageController, carController], { docs: { ui: false } })
  app.enableVersioning(VersioningSchemes.URL, { defaultVersion: null })
  let browser: Browser | undefined
  let tab: Tab | undefined

  before(async () => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    browser = await startBrowser(path ?? '')
    tab = await browser.tab()
    await tab.open(`${url}/page`)
    await tab.until('window.octavo !== undefined')
  })
  after(async () => {
    await tab?.close()
    await browser?.close()
    await app.close()
  })

  const cases: readonly (readonly [title: string, expression: string, expected: unknown])[] = [
    [
      'calls routes at the origin of the page, as the map beside the documents says',
      `octavo.client.car.getOne({ params: { car_id: 'ä/7' }, query: { day: new Date(0) } }).then((r) => [r.status, r.ok, r.data])`,
      [200, true, { id: 'ä/7', version: '2', day: '1970-01-01T00:00:00.000Z' }],
    ],
    [
      'sends bodies',
      `octavo.client.car.create({ body: { name: 'Ford' } }).then((r) => r.data)`,
      { name: 'Ford' },
    ],
    [
      'sends files',
      `octavo.client.car.photo({ form: { title: 'T' }, files: { photo: new File(['abc'], 'a.txt') } }).then((r) => r.data)`,
      { title: 'T', name: 'a.txt', text: 'abc' },
    ],
    [
      'rejects with a ProblemError',
      `octavo.client.car.create({ body: { name: '' } }).catch((e) => [e instanceof octavo.ProblemError, e.status, e.errors.map((p) => p.path)])`,
      [true, 422, [['name']]],
    ],
    [
      'leaves cookies to the browser',
      `fetch('/login').then(() => octavo.client.car.me()).then((r) => r.data)`,
      { sid: 'abc' },
    ],
    [
      'refuses to send cookies of its own',
      `octavo.client.car.me({ cookies: { sid: 'x' } }).catch((e) => [e.name, /browsers send their own cookies/.test(e.message)])`,
      ['TypeError', true],
    ],
    [
      'has no dispatchers',
      `(() => { try { octavo.createClient({ dispatcher: { dispatch() {} } }) } catch (e) { return e.name + ': ' + e.message } })()`,
      'TypeError: createClient: dispatchers are for Node; leave the option out in browsers',
    ],
    [
      'tries again, with hooks that change headers',
      `octavo.createClient({ version: '2', retry: { limit: 2, minDelay: 1 }, onRequest: ({ headers, attempt }) => headers.set('x-attempt', attempt) }).car.shaky().then((r) => r.data)`,
      { attempt: '3' },
    ],
    [
      'reads events, and comes back with the id of the last one',
      `octavo.client.car.events({ as: 'events', reconnect: { minDelay: 1 } }).then(async (r) => { const ids = []; for await (const { id, data } of r.data.json()) ids.push(id, data); return ids })`,
      ['1', ['ä'], '2', ['ä']],
    ],
    [
      'writes URLs',
      `octavo.client.url('car.getOne', { params: { car_id: 'a/b' } }).then((url) => new URL(url).pathname)`,
      '/v2/car/a%2Fb',
    ],
    [
      'takes a baseUrl that is relative to the page',
      `octavo.createClient({ baseUrl: '/', version: '2' }).car.create({ body: { name: 'Opel' } }).then((r) => r.data)`,
      { name: 'Opel' },
    ],
    [
      'is aborted',
      `octavo.client.car.getOne({ params: { car_id: '7' }, signal: AbortSignal.abort() }).catch((e) => e.name)`,
      'AbortError',
    ],
  ]
  for (const [title, expression, expected] of cases) {
    it(title, async () => {
      assert.deepEqual(await tab?.evaluate(expression), expected)
    })
  }

  it('asks for the routes once', () => {
    const asked = tab?.requests.filter((url) => url.includes('client.json')) ?? []
    // one for each client that called something
    assert.equal(asked.length, 3)
  })
})
