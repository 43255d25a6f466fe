import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'

import type { App } from 'octavo'

import { frontOf, garageAt, startServer } from './garage.ts'

const CAR = JSON.stringify({ id: 7, label: 'Bee' })

describe('an upstream on platforms without undici', () => {
  let app: App
  let close: () => void
  let received = 0

  before(async () => {
    const behind = await startServer((request, response) => {
      if (request.url === '/cars/7')
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(gzipSync(CAR))
      else if (request.url === '/moved')
        response.writeHead(302, { location: '/cars/7', 'set-cookie': ['a=1', 'b=2; Path=/'] }).end()
      else if (request.url === '/silent') response.flushHeaders = () => undefined
      else
        request
          .on('data', (chunk: Buffer) => {
            received += chunk.length
          })
          .on('end', () => response.end('taken'))
    })
    close = behind.close
    const garage = garageAt(behind.url, { timeouts: { headers: 2_000 } })
    app = frontOf(garage)
    // as Octavo recognises Bun, while the upstream is created
    Object.assign(globalThis, { Bun: {} })
    try {
      await app.ready()
    } finally {
      Reflect.deleteProperty(globalThis, 'Bun')
    }
  })

  after(async () => {
    await app.close()
    close()
  })

  it('has its compressed responses sent without the coding that fetch has undone', async () => {
    for (const [path, expected] of [
      ['/v2/cars/7', { id: 7, label: 'Bee' }],
      ['/v1/cars/7', { id: 7, name: 'Bee' }],
    ] as const) {
      const response = await app.inject({ url: path, headers: { 'accept-encoding': 'gzip' } })
      assert.equal(response.headers['content-encoding'], undefined)
      assert.deepEqual(response.json(), expected)
    }
  })

  it('has redirects passed with an address of the version, and cookies line by line', async () => {
    const response = await app.inject('/v1/moved')
    assert.deepEqual([response.statusCode, response.headers['location']], [302, '/v1/cars/7'])
    assert.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2; Path=/'])
  })

  it('gets long bodies as they arrive', async () => {
    const response = await app.inject({ method: 'PUT', url: '/v1/long', body: Buffer.alloc(300_000) })
    assert.deepEqual([response.statusCode, response.body, received], [200, 'taken', 300_000])
  })

  it('is a 504 if it is silent, and a 502 if it is gone', async () => {
    assert.match((await app.inject('/v1/silent')).body, /"code":"upstream_timeout"/)
    close()
    assert.match((await app.inject('/v1/cars/7')).body, /"code":"upstream_unreachable"/)
  })
})
