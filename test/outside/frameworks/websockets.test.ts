import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'

import { createClient } from 'graphql-ws'
import { io } from 'socket.io-client'
import { WebSocket } from 'ws'

import * as graphqlWs from './.recipes/graphql-ws.ts'
import * as polling from './.recipes/socket-io-2.ts'
import * as socketIo from './.recipes/socket-io.ts'
import * as ws from './.recipes/websockets.ts'

const toSocketUrl = (url: string, path: string): string => url.replace('http', 'ws') + path

/** The status of a handshake that is refused. */
async function refusalOf(client: WebSocket): Promise<number | undefined> {
  const [, response] = await once(client, 'unexpected-response')
  client.on('error', () => undefined).terminate()
  return response.statusCode
}

describe('the recipe with ws', () => {
  it('greets and answers, with the parameters and the query of the route', async () => {
    const client = new WebSocket(toSocketUrl(ws.url, '/chat/7?nick=Ada'))
    const [greeting] = await once(client, 'message')
    assert.equal(String(greeting), 'Ada is in room 7')
    client.send('hi')
    const [answer] = await once(client, 'message')
    assert.equal(String(answer), 'Ada: hi')
    client.close()
    await once(client, 'close')
  })

  it('refuses what the route refuses', async () => {
    const refusals: readonly (readonly [path: string, status: number])[] = [
      ['/chat/7', 422],
      ['/chat/seven?nick=Ada', 404],
      ['/elsewhere', 404],
    ]
    for (const [path, status] of refusals)
      assert.equal(await refusalOf(new WebSocket(toSocketUrl(ws.url, path))), status, path)
  })

  it('has its clients closed when the application closes', async () => {
    const client = new WebSocket(toSocketUrl(ws.url, '/chat/7?nick=Ada'))
    await once(client, 'message')
    const started = Date.now()
    const [[code]] = await Promise.all([once(client, 'close'), ws.app.close()])
    assert.equal(code, 1001)
    assert.ok(Date.now() - started < 2000, 'the grace time is not used up')
  })
})

describe('the recipe with socket.io', () => {
  it('speaks over WebSockets alone, behind a route', async () => {
    const client = io(socketIo.url, { transports: ['websocket'], reconnection: false })
    assert.equal(await client.emitWithAck('greet', 'Ada'), 'Hello Ada')
    const disconnected = new Promise((resolve) => client.once('disconnect', resolve))
    const started = Date.now()
    await Promise.all([disconnected, socketIo.app.close()])
    assert.ok(Date.now() - started < 2000, 'the grace time is not used up')
  })

  it('shares a server with the application if clients poll', async () => {
    const { listening } = polling
    if (!listening.listening) await once(listening, 'listening')
    const address = listening.address()
    assert.ok(typeof address === 'object' && address !== null)
    const url = `http://127.0.0.1:${address.port}`
    assert.deepEqual(await (await fetch(`${url}/car`)).json(), ['Ford'])
    for (const transports of [['polling'], ['websocket'], ['polling', 'websocket']]) {
      const client = io(url, { transports, reconnection: false, forceNew: true })
      assert.equal(await client.emitWithAck('greet', 'Ada'), 'Hello Ada')
      client.close()
    }
    listening.close()
    listening.closeAllConnections()
    await polling.app.close()
  })
})

describe('the recipe with graphql-ws', () => {
  after(() => graphqlWs.app.close())

  it('answers queries and subscriptions, with what the guard found out', async () => {
    const client = createClient({
      url: toSocketUrl(graphqlWs.url, '/subscriptions?key=secret'),
      webSocketImpl: WebSocket,
      retryAttempts: 0,
    })
    const results: unknown[] = []
    for (const query of ['{ me }', 'subscription { greetings }'])
      for await (const { data } of client.iterate({ query })) results.push({ ...data })
    assert.deepEqual(results, [{ me: 'Ada' }, { greetings: 'Hello' }, { greetings: 'Hi' }])
    await client.dispose()
  })

  it('is behind its guard', async () => {
    const protocol = 'graphql-transport-ws'
    for (const path of ['/subscriptions', '/subscriptions?key=wrong'])
      assert.equal(await refusalOf(new WebSocket(toSocketUrl(graphqlWs.url, path), protocol)), 401, path)
  })
})
