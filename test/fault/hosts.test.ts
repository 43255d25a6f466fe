import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineModule, defineRouter } from 'octavo'

const mounted = defineRouter({ prefix: '/web', name: 'web', mount: ({ url }) => new Response(url) })
const app = createApp(defineModule({ routers: [mounted] }), { logger: false })

describe('a request whose web Request is asked for', () => {
  for (const host of ['a.test:99999', '[::::]', '[1.2.3]', 'a%zz', '999.1.1.1', 'a.test:8080']) {
    const isFine = host === 'a.test:8080'
    it(`is ${isFine ? 'answered' : '400'} when its host is ${host}`, async () => {
      const { statusCode } = await app.inject({ url: '/web/x', host })
      assert.equal(statusCode, isFine ? 200 : 400)
    })
  }
})
