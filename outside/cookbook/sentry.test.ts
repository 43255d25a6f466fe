import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'

import { startServer } from './support.ts'

describe('the recipe of Sentry', async () => {
  /** The items of envelopes, which are lines of JSON: the head, then a head and a body for each item. */
  const events: ReturnType<typeof Object>[] = []
  const sentry = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
      const [, head = '{}', body = '{}'] = String(text).split('\n')
      if (JSON.parse(head).type === 'event') events.push(JSON.parse(body))
      response.end('{}')
    })
  })
  const address = await startServer(sentry)
  process.env['SENTRY_DSN'] = `${address.replace('://', '://key@')}/1`
  process.env['RELEASE'] = '1.2.3'
  const { app, url } = await import('./.recipes/sentry.ts')

  it('reports unexpected errors with route and version, and no others', async () => {
    assert.equal((await fetch(`${url}/v1/cars/7`)).status, 404)
    const response = await fetch(`${url}/v1/cars/0`, { headers: { cookie: 'session=s1' } })
    const { requestId } = Object(await response.json())
    // it flushes
    await app.close()
    assert.equal(events.length, 1)
    const [{ exception, transaction, tags, release, user, request }] = events
    assert.equal(exception.values[0].value, 'The garage is on fire')
    assert.equal(transaction, 'GET /cars/{id:int}')
    assert.deepEqual(tags, { route: 'cars.getOne', version: '1', requestId })
    assert.equal(release, '1.2.3')
    assert.deepEqual([user, request.cookies, request.data], [undefined, undefined, undefined])
  })
})
