import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'

import { defineController, VersioningSchemes } from 'octavo'
import type { App, AppOptions, InjectOptions } from 'octavo'
import { defineVersionChange, defineVersions, model, operation, reshape } from 'octavo/changes'
import { z } from 'zod'

import { createRandom, type Random } from '../fault/fuzz/random.ts'
import { serve } from '../support/serve.ts'
import { garageAt, startServer } from './garage.ts'

const Car = model('Car', { id: z.int(), label: z.string(), serial: z.number().optional() })
const SIZE = z.int().max(100).optional()
const SORT = z.string().max(4).optional()

const renamed = defineVersionChange({
  version: '2',
  title: 'Labels',
  change: [
    reshape({ of: Car, fields: { label: { was: 'name' } } }),
    operation({
      route: 'cars.list',
      query: { size: { was: 'limit' } },
      headers: { 'x-size': { was: 'x-limit' } },
      cookies: { size: { was: 'limit' } },
    }),
  ],
})
const history = defineVersions({ versions: ['2', '1'], models: { Car }, changes: [renamed] })

const CAR = '{"id":1,"label":"a"}'

interface Seen {
  readonly pairs: readonly string[]
  readonly cookies: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const NAMES = [
  'size',
  'limit',
  'sort',
  'page',
  'SIZE',
  'size[]',
  'size[0]',
  's%69ze',
  '+size',
  'Sort',
] as const
const VALUES = ['5', '99999', '007', 'a+b', 'a%20b', '%ff', '', 'long-text'] as const

function createSent(random: Random): Pick<Seen, 'pairs' | 'cookies'> & { headers: Record<string, string> } {
  const named = (names: readonly [string, ...string[]]): string[] =>
    Array.from({ length: random.below(4) }, () => `${random.pick(names)}=${random.pick(VALUES)}`)
  const headers: Record<string, string> = {}
  for (const name of ['x-size', 'x-limit', 'x_size', 'x-sort', 'X_Sort', 'x-other'])
    if (random.chance(0.3)) headers[name] = random.pick(['5', '99999', 'ab', 'long-text'])
  return { pairs: named(NAMES), cookies: named(['size', 'limit', 'sort', 'theme']), headers }
}

/** Fails if the API behind got a value of a name that a version declares, and that is none of its schema. */
function assertParsed({ pairs, cookies, headers }: Seen, version: string, sent: readonly string[]): void {
  const label = JSON.stringify({ version, sent, pairs, cookies, headers })
  const size = z.coerce.number().int().max(100)
  for (const pair of [...pairs, ...cookies]) {
    const [escaped = '', text = ''] = pair.split('=')
    const name = decodeURIComponent(escaped)
    const isOf = (known: string): boolean => name.toLowerCase().includes(known)
    if (isOf('size')) assert.ok(name === 'size' && size.safeParse(text).success, label)
    else {
      assert.ok(sent.includes(pair), label)
      if (isOf('sort')) assert.ok(name === 'sort' && !text.includes('long'), label)
      // a name of older versions alone means nothing behind
      if (version === '1') assert.ok(!isOf('limit'), label)
    }
  }
  for (const [name, value] of Object.entries(headers)) {
    if (/^x[-_]size$/i.test(name)) assert.deepEqual([name, value], ['x-size', '5'], label)
    if (/^x[-_]sort$/i.test(name)) assert.ok(name === 'x-sort' && value !== 'long-text', label)
  }
}

describe('the API behind', () => {
  let seen: Seen
  let answer: { body: string; headers?: Record<string, string> } = { body: CAR }
  let close: () => void
  let address = ''
  const apps: App[] = []

  async function reply(request: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { headers } = request
    const [, query = ''] = (request.url ?? '').split('?')
    seen = {
      pairs: query.split('&').filter((pair) => pair !== ''),
      cookies: (headers.cookie ?? '').split('; ').filter((pair) => pair !== ''),
      headers,
      body: Buffer.concat(chunks).toString(),
    }
  }

  before(async () => {
    const behind = await startServer((request, response) => {
      void reply(request).then(() =>
        response.writeHead(200, { 'content-type': 'application/json', ...answer.headers }).end(answer.body),
      )
    })
    close = behind.close
    address = behind.url
  })
  after(async () => {
    for (const app of apps) await app.close()
    close()
  })

  function open(validate: boolean, options: Partial<AppOptions> = {}): App {
    const garage = garageAt(address, { validate })
    const input = {
      query: { size: SIZE, sort: SORT },
      headers: { 'x-size': SIZE, 'x-sort': SORT },
      cookies: { size: SIZE, sort: SORT },
    }
    const controller = defineController({
      prefix: '/cars',
      name: 'cars',
      routes: [
        { method: 'GET', name: 'list', input, response: { 200: Car }, forward: garage },
        { method: 'POST', name: 'create', input: { body: Car }, response: { 200: Car }, forward: garage },
      ],
    })
    const app = serve(controller, { versioning: { scheme: VersioningSchemes.URL, history }, ...options })
    apps.push(app)
    return app
  }

  it('gets no value of a declared name that was not parsed, however it is spelt', async () => {
    const random = createRandom(45)
    const strict = open(true)
    const lenient = open(false)
    for (let count = 0; count < 400; count++) {
      const version = random.pick(['1', '2'])
      const app = random.pick([strict, lenient])
      const { pairs, cookies, headers } = createSent(random)
      const { statusCode } = await app.inject({
        url: `/v${version}/cars?${pairs.join('&')}`,
        headers: { ...headers, ...(cookies.length > 0 && { cookie: cookies.join('; ') }) },
      })
      if (statusCode !== 200) assert.equal(statusCode, 422)
      // what is neither parsed nor altered passes as it came
      else if (app === lenient && version === '2')
        assert.deepEqual([seen.pairs, seen.cookies], [pairs, cookies])
      else assertParsed(seen, version, [...pairs, ...cookies])
    }
  })

  it('gets no other spelling of a declared name that servers of other languages read as it', async () => {
    const garage = garageAt(address, { validate: true })
    const controller = defineController({
      prefix: '/cars',
      name: 'cars',
      routes: [
        {
          method: 'GET',
          name: 'list',
          input: {
            query: { size: SIZE, 'filter[max]': SIZE, 'ids[]': z.array(z.int()).optional(), page_no: SIZE },
            cookies: { session: z.string().max(4).optional() },
          },
          forward: garage,
        },
      ],
    })
    const change = defineVersionChange({
      version: '2',
      title: 'Filters',
      change: [operation({ route: 'cars.list', query: { 'filter[max]': { was: 'max' } } })],
    })
    const app = serve(controller, {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: {}, changes: [change] }),
      },
    })
    apps.push(app)
    const get = async (url: string, cookie = ''): Promise<Seen> => {
      const { statusCode } = await app.inject({ url, headers: { cookie } })
      assert.equal(statusCode, 200, url)
      return seen
    }
    const names =
      'Size,size%00,size%00a,FILTER[max],filter[max][],filter%5Bmax%5D%5B0%5D,ids,ids[0],page.no,page+no,page[no'
    for (const version of ['1', '2'])
      for (const name of names.split(','))
        assert.deepEqual((await get(`/v${version}/cars?a=1&${name}=999`)).pairs, ['a=1'], name)
    // neither as the one that the older version has under another name, nor in its place
    assert.deepEqual((await get('/v1/cars?filter[max]=999')).pairs, [])
    assert.deepEqual((await get('/v1/cars?max=3&filter[max]=999')).pairs, ['filter%5Bmax%5D=3'])
    // servers that take `;` for `&`
    assert.deepEqual((await get('/v2/cars?a=1;size=999&b=1;c')).pairs, ['a=1%3Bsize=999', 'b=1;c'])
    assert.deepEqual((await get('/v2/cars?filter[min]=1&pages=2')).pairs, ['filter[min]=1', 'pages=2'])
    // PHP decodes the names of cookies
    for (const cookie of ['session=a; s%65ssion=long-text', 's%65ssion=long-text; session=a'])
      assert.deepEqual((await get('/v2/cars', cookie)).cookies, ['session=a'], cookie)
  })

  it('gets the bytes of what no change alters', async () => {
    const app = open(false)
    await app.inject({
      url: '/v1/cars?limit=7&q=%ff%FE&sort=a+b&q=1',
      headers: { cookie: 'theme=a+b/=="; sort=x%20y; limit=7' },
    })
    assert.deepEqual(seen.pairs, ['q=%ff%FE', 'sort=a+b', 'q=1', 'size=7'])
    assert.deepEqual(seen.cookies, ['theme=a+b/=="', 'sort=x%20y', 'size=7'])
  })

  it('gets forwarding headers of trusted proxies alone, and no other spelling of them', async () => {
    const claims = {
      'x-forwarded-prefix': '/evil',
      'x-forwarded-port': '1',
      'x-forwarded-ssl': 'on',
      'x-real-ip': '10.0.0.1',
      'true-client-ip': '10.0.0.1',
    }
    const never = {
      x_forwarded_for: '10.0.0.1',
      x_real_ip: '10.0.0.1',
      content_length: '7',
      'x-http-method-override': 'DELETE',
      'x-original-url': '/admin',
    }
    const headers = { ...claims, ...never, api_key: 'k' }
    const received = async (options: Partial<AppOptions>, remoteAddress: string): Promise<string[]> => {
      const request: InjectOptions = { url: '/v2/cars', headers, remoteAddress }
      await open(false, options).inject(request)
      return Object.keys(headers).filter((name) => seen.headers[name] !== undefined)
    }
    const all = [...Object.keys(claims), 'api_key']
    assert.deepEqual(await received({}, '9.9.9.9'), ['api_key'])
    assert.deepEqual(await received({ trustProxy: true }, '9.9.9.9'), all)
    assert.deepEqual(await received({ trustProxy: '10.0.0.0/8' }, '10.1.1.1'), all)
    assert.deepEqual(await received({ trustProxy: '10.0.0.0/8' }, '9.9.9.9'), ['api_key'])
  })

  it('has its numbers passed on exactly, or the response and request are refused', async () => {
    const app = open(false)
    const outcomes: unknown[] = []
    for (const serial of ['9007199254740991', '9007199254740993', '9007199254740992', '1e400', '0.1']) {
      const text = `"${'1'.repeat(20)}"`
      answer = { body: `{"id":1,"label":${text},"serial":${serial}}` }
      const got = await app.inject('/v1/cars')
      const body = `{"id":1,"name":${text},"serial":${serial}}`
      const post = {
        method: 'POST',
        url: '/v1/cars',
        headers: { 'content-type': 'application/json' },
        body,
      } as const
      const sent = await app.inject(post)
      outcomes.push([got.statusCode, got.statusCode === 200 && got.body === body, sent.statusCode])
    }
    answer = { body: CAR }
    assert.deepEqual(outcomes, [
      [200, true, 200],
      [502, false, 422],
      [200, true, 200],
      [502, false, 422],
      [200, true, 200],
    ])
  })

  it('and clients get no digest of a body that was converted', async () => {
    const app = open(false)
    const digests = {
      digest: 'a',
      'repr-digest': 'b',
      'content-md5': 'c',
      signature: 'd',
      'content-digest': 'e',
    }
    const countOf = (headers: object): number => Object.keys(digests).filter((name) => name in headers).length
    answer = { body: CAR, headers: digests }
    const counts: number[] = []
    for (const body of [
      { id: 1, name: 'a' },
      { id: 1, label: 'a' },
    ]) {
      const url = `/v${'name' in body ? 1 : 2}/cars`
      const response = await app.inject({ method: 'POST', url, body, headers: digests })
      counts.push(countOf(seen.headers), countOf(response.headers))
    }
    answer = { body: CAR }
    assert.deepEqual(counts, [0, 0, 5, 5])
  })
})
