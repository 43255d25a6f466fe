import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { HttpRequest } from 'octavo'

import { LOOPBACK, send } from '../node/support.ts'
import { serve } from '../support/serve.ts'

it('a body that is asked for once the request is over was not taken by something else', async () => {
  let tell: (error: unknown) => void = () => undefined
  const told = new Promise<unknown>((resolve) => {
    tell = resolve
  })
  const app = serve([
    {
      method: 'POST',
      timeout: 30,
      input: { inject: { request: HttpRequest } },
      handler: async ({ inject }) => {
        await delay(100)
        tell(await inject.request.bytes().catch((error: unknown) => error))
      },
    },
  ])
  try {
    const { status } = await send(await app.listen(LOOPBACK), { method: 'POST', path: '/', body: 'hello' })
    assert.equal(status, 503)
    assert.doesNotMatch(String(await told), /put app\.handler before/)
  } finally {
    await app.close()
  }
})
