// Sends webhooks to this process, and ends with 1 if one arrives that must not, or does not that has to.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'

import { createWebhooks, createWebhookSecret } from 'octavo/webhooks'

let received = 0
const server = createServer((_request, response) => {
  received += 1
  response.writeHead(204).end()
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address()

/** Sends to a name that resolves to this machine. */
async function send(options) {
  const url = `http://hooks.example.com:${port}/`
  const subscription = { id: 's1', url, secrets: createWebhookSecret() }
  const webhooks = createWebhooks({
    subscriptions: { of: () => [], find: () => subscription, disable: () => undefined },
    outbox: { add: () => undefined },
    lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    ...options,
  })
  const delivery = { id: 'msg_1', event: 'car', subscription: 's1', body: '{}', attempt: 1 }
  const { outcome, problem } = await webhooks.deliver(delivery)
  await webhooks.close()
  return [outcome, problem, received]
}

assert.deepEqual(await send({ allowHttp: true }), ['failed', 'target', 0])
assert.deepEqual(await send({ allowPrivate: true }), ['delivered', undefined, 1])
server.closeAllConnections()
server.close()
