import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { HttpRequest } from 'octavo'
import type { AppOptions } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

function create(options: AppOptions = {}) {
  return serve(
    [
      {
        method: 'GET',
        path: '/query',
        input: { query: z.looseObject({}) },
        handler: ({ query }) => Object.keys(query).length,
      },
      { method: 'GET', path: '/unread', handler: () => 'unread' },
      {
        method: 'POST',
        path: '/form',
        input: { form: z.looseObject({}) },
        handler: ({ form }) => Object.keys(form).length,
      },
      { method: 'POST', path: '/json', input: { body: z.unknown() }, handler: ({ body }) => typeof body },
      {
        method: 'POST',
        path: '/request',
        input: { inject: { request: HttpRequest } },
        handler: async ({ inject: { request } }) => typeof (await request.json()),
      },
      {
        method: 'GET',
        path: '/cookies',
        input: { cookies: z.looseObject({}) },
        handler: ({ cookies }) => Object.keys(cookies).length,
      },
      {
        method: 'POST',
        path: '/shape',
        input: { body: z.looseObject({ list: z.array(z.number()).optional(), text: z.string().optional() }) },
        handler: ({ body }) => Object.keys(body).length,
      },
    ],
    options,
  )
}

type Test = ReturnType<typeof create>

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const sendQuery = (app: Test, text: string) => app.inject(`/query?${text}`)
const sendForm = (app: Test, body: string) =>
  app.inject({ method: 'POST', url: '/form', headers: FORM, body })

/** The body of a success, else status and code. */
async function answerOf(pending: ReturnType<Test['inject']>): Promise<unknown> {
  const response = await pending
  return response.statusCode === 200
    ? response.json()
    : `${response.statusCode} ${String(Object(response.json()).code)}`
}

const names = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}=1`).join('&')

describe('the number of parameters', () => {
  for (const [source, send] of [
    ['a query', sendQuery],
    ['a form', sendForm],
  ] as const) {
    const five = create({ limits: { parameters: 5, url: 65_536 } })
    const cases = [
      ['as many as are allowed', names(5), 5],
      ['one more', names(6), '400 too_many_parameters'],
      ['one name again and again', 'a=1&a=1&a=1&a=1&a=1&a=1', '400 too_many_parameters'],
      ['names without values', 'a&b&c&d&e&f', '400 too_many_parameters'],
      ['separators alone', '&&&&&&', '400 too_many_parameters'],
      ['a long value', `a=${'x'.repeat(1000)}`, 1],
      ['escaped separators', `a=${'%26'.repeat(100)}`, 1],
      ['nothing', '', 0],
    ] as const
    for (const [title, text, expected] of cases)
      it(`of ${source}: ${title}`, async () => assert.equal(await answerOf(send(five, text)), expected))

    it(`of ${source} is 1000 by default`, async () => {
      const usual = create({ limits: { url: 65_536 } })
      assert.equal(await answerOf(send(usual, names(1000))), 1000)
      assert.equal(await answerOf(send(usual, names(1001))), '400 too_many_parameters')
    })

    it(`of ${source} can be 0`, async () => {
      const none = create({ limits: { parameters: 0 } })
      assert.equal(await answerOf(send(none, '')), 0)
      assert.equal(await answerOf(send(none, 'a')), '400 too_many_parameters')
    })
  }

  it('does not matter to a route that reads none', async () => {
    const none = create({ limits: { parameters: 0 } })
    assert.equal(await answerOf(none.inject('/unread?a&b')), 'unread')
  })

  it('is told without what was sent', async () => {
    const response = await sendQuery(create({ limits: { parameters: 1 } }), 'secret=1&word=2')
    assert.deepEqual(response.json(), {
      type: 'urn:octavo:problem:too-many-parameters',
      title: 'Too many parameters',
      status: 400,
      detail: 'There are more than 1 parameters',
      code: 'too_many_parameters',
    })
  })
})

describe('the depth of JSON', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  const mixed = (levels: number): string => '{"a":['.repeat(levels / 2) + ']}'.repeat(levels / 2)
  const app = create()
  const cases = [
    ['as deep as is allowed', nested(500), 'object'],
    ['one deeper', nested(501), '400 malformed_json'],
    ['deeper in objects and arrays', mixed(502), '400 malformed_json'],
    ['brackets in strings', `"${'['.repeat(1000)}"`, 'string'],
    ['escaped quotes before brackets', JSON.stringify(`"${'['.repeat(1000)}`), 'string'],
    ['many beside each other', `[${Array.from({ length: 1000 }, () => '[[]]').join(',')}]`, 'object'],
    ['never closed', '['.repeat(100_000), '400 malformed_json'],
  ] as const
  for (const path of ['/json', '/request']) {
    for (const [title, body, expected] of cases) {
      it(`${title}, read by ${path}`, async () =>
        assert.equal(await answerOf(app.inject({ method: 'POST', url: path, body })), expected))
    }
  }
})

/** Milliseconds of CPU time, the least of several tries. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let round = 0; round < 3; round++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

describe('the cost of a request', () => {
  const roomy = create({ bodyLimit: 8_388_608, limits: { parameters: 1_000_000, headers: 1_048_576 } })
  const post = (url: string, body: string) => () => roomy.inject({ method: 'POST', url, body })
  const shapes: Readonly<Record<string, (size: number) => () => Promise<unknown>>> = {
    'an object of many names': (size) =>
      post('/shape', `{${Array.from({ length: size / 16 }, (_, at) => `"name${at}":1`).join(',')}}`),
    'a long list': (size) => post('/shape', `{"list":[${'1,'.repeat(size / 2)}1]}`),
    'a list of the wrong type': (size) => post('/shape', `{"list":[${'"",'.repeat(size / 16)}""]}`),
    'a number of many digits': (size) => post('/json', '9'.repeat(size / 16)),
    'a long text': (size) => post('/shape', `{"text":"${'\\u0041'.repeat(size / 6)}"}`),
    'objects as deep as is allowed': (size) =>
      post(
        '/shape',
        `{"a":[${Array.from({ length: size / 998 }, () => '['.repeat(498) + ']'.repeat(498)).join(',')}]}`,
      ),
    'a form of many names': (size) => () => {
      const body = Array.from({ length: size / 16 }, (_, at) => `name${at}=1`).join('&')
      return roomy.inject({ method: 'POST', url: '/form', headers: FORM, body })
    },
    'a form of one name': (size) => () =>
      roomy.inject({ method: 'POST', url: '/form', headers: FORM, body: 'a=1&'.repeat(size / 4) }),
    'a form of escapes': (size) => () =>
      roomy.inject({ method: 'POST', url: '/form', headers: FORM, body: `a=${'%zz%41'.repeat(size / 6)}` }),
    'many cookies': (size) => () => {
      const cookie = Array.from({ length: size / 64 }, (_, at) => `c${at}=1`).join('; ')
      return roomy.inject({ url: '/cookies', headers: { cookie } })
    },
  }
  const SMALL = 32_768
  for (const [title, shape] of Object.entries(shapes)) {
    it(`does not rise faster than the size of ${title}`, async () => {
      const [small, large] = [await costOf(shape(SMALL)), await costOf(shape(8 * SMALL))]
      // eight times the size; a square would be sixty-four times the cost
      assert.ok(large < 40 * Math.max(small, 2), `${small} ms, then ${large} ms`)
    })
  }
})
