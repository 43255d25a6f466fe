import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { defineController } from 'octavo'

import { createTestApp, exchange, LOOPBACK } from '../node/support.ts'

const REQUEST = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`
const CONNECT = 'CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n'

const app = createTestApp(
  defineController({
    prefix: '/',
    routes: [
      {
        method: 'GET',
        path: '/slow',
        handler: async function* slow() {
          for (let row = 0; row < 5; row++) {
            yield 'row'
            await delay(5)
          }
        },
      },
      {
        method: 'GET',
        path: '/big',
        handler: async function* big() {
          for (let row = 0; row < 100; row++) yield Buffer.alloc(65_536, 'x')
        },
      },
      { method: 'GET', path: '/quick', handler: () => 'quick' },
    ],
  }),
)

after(() => app.close())

let url = ''
before(async () => {
  url = await app.listen(LOOPBACK)
})

describe('CONNECT behind answers that are under way', () => {
  for (const [title, earlier] of [
    ['a stream', REQUEST('/slow')],
    ['more than the socket takes at once', REQUEST('/big')],
    ['several', REQUEST('/slow') + REQUEST('/quick') + REQUEST('/slow')],
  ] as const) {
    it(`is refused after them: ${title}`, async () => {
      const text = await exchange(url, earlier + CONNECT)
      const heads = text.match(/HTTP\/1\.1 \d+/g) ?? []
      assert.deepEqual(heads, [...(earlier.match(/GET/g) ?? []).map(() => 'HTTP/1.1 200'), 'HTTP/1.1 400'])
      assert.match(text, /(?:\r\n0\r\n\r\n|"quick")HTTP\/1\.1 400 /)
    })
  }
})
