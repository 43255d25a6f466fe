import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'

import { WebSocket } from 'ws'

import { app, url } from './.recipes/websockets.ts'

const ORIGIN = 'http://localhost:3000'

/** Opens a connection, and reads its messages. */
async function connect(room: number, ticket = 't1') {
  const client = new WebSocket(`${url.replace('http', 'ws')}/rooms/${room}/socket?ticket=${ticket}`)
  await once(client, 'open')
  const next = async (): Promise<unknown> => {
    const [data] = await once(client, 'message')
    return JSON.parse(String(data))
  }
  return { client, next }
}

/** The status of a handshake that is refused. */
async function refusalOf(path: string, origin = ORIGIN): Promise<unknown> {
  const client = new WebSocket(url.replace('http', 'ws') + path, { origin })
  const [, response] = await once(client, 'unexpected-response')
  client.on('error', () => undefined).terminate()
  return response.statusCode
}

const send = async (room: number, message: object): Promise<unknown> => {
  const response = await fetch(`${url}/rooms/${room}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  })
  return response.json()
}

describe('the recipe for WebSockets', () => {
  after(() => app.close())

  it('sends what one says to the room, and to no other', async () => {
    const [ann, bob, other] = await Promise.all([connect(7), connect(7), connect(8)])
    const elsewhere: unknown[] = []
    other.client.on('message', (data) => elsewhere.push(data))
    const both = Promise.all([ann.next(), bob.next()])
    ann.client.send('{"text":"Hi"}')
    assert.deepEqual(await both, [
      { from: 'Ann', text: 'Hi' },
      { from: 'Ann', text: 'Hi' },
    ])
    const again = Promise.all([ann.next(), bob.next()])
    assert.deepEqual(await send(7, { text: 'Hello' }), { sentTo: 2 })
    assert.deepEqual(await again, [{ text: 'Hello' }, { text: 'Hello' }])
    assert.deepEqual(elsewhere, [])
    for (const { client } of [ann, bob, other]) {
      client.close()
      await once(client, 'close')
    }
  })

  it('forgets who has left', async () => {
    const { client } = await connect(9)
    assert.deepEqual(await send(9, { text: 'Hello' }), { sentTo: 1 })
    client.close()
    await once(client, 'close')
    assert.deepEqual(await send(9, { text: 'Hello' }), { sentTo: 0 })
  })

  it('answers messages that the schema refuses', async () => {
    const { client, next } = await connect(7)
    for (const text of ['{"text":""}', 'no JSON']) {
      const answer = next()
      client.send(text)
      assert.match(Object(await answer).error, /text|expected/)
    }
    const closed = once(client, 'close')
    client.send('x'.repeat(5000))
    const [code] = await closed
    assert.equal(code, 1009)
  })

  it('refuses handshakes without a ticket, and those of other origins', async () => {
    assert.equal(await refusalOf('/rooms/7/socket'), 401)
    assert.equal(await refusalOf('/rooms/7/socket?ticket=forged'), 401)
    assert.equal(await refusalOf('/rooms/7/socket?ticket=t1', 'https://evil.example'), 403)
  })

  it('tells clients when it closes', async () => {
    const { client } = await connect(7)
    const closed = once(client, 'close')
    await app.close()
    const [code] = await closed
    assert.equal(code, 1001)
  })
})
