import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { startSentry } from './support.ts'

describe('the recipe of Sentry', async () => {
  const { dsn, items } = await startSentry()
  process.env['SENTRY_DSN'] = dsn
  process.env['RELEASE'] = '1.2.3'
  const { app, url } = await import('./.recipes/sentry.ts')

  it('reports unexpected errors with route and version, and no others', async () => {
    assert.equal((await fetch(`${url}/v1/cars/7`)).status, 404)
    const response = await fetch(`${url}/v1/cars/0`, { headers: { cookie: 'session=s1' } })
    const { requestId } = Object(await response.json())
    // it flushes
    await app.close()
    const events = items.filter(({ type }) => type === 'event')
    assert.equal(events.length, 1)
    const { exception, transaction, tags, release, user, request } = Object(events[0]?.body)
    assert.equal(exception.values[0].value, 'The garage is on fire')
    assert.equal(transaction, 'GET /cars/{id:int}')
    assert.deepEqual(tags, { route: 'cars.getOne', version: '1', requestId })
    assert.equal(release, '1.2.3')
    assert.deepEqual([user, request.cookies, request.data], [undefined, undefined, undefined])
  })
})
