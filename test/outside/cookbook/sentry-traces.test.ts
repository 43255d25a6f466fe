import assert from 'node:assert/strict'
import { get } from 'node:http'
import { describe, it } from 'node:test'

import { startSentry } from './support.ts'

/** Asks without `fetch`, for whose requests Sentry has spans of its own in this process. */
function ask(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, (response) => response.resume().on('end', () => resolve(response.statusCode))).on(
      'error',
      reject,
    )
  })
}

describe('the recipe of Sentry with traces', async () => {
  const { dsn, items } = await startSentry()
  process.env['SENTRY_DSN'] = dsn
  const { app, url } = await import('./.recipes/sentry-2.ts')

  it('has one span for each request, and errors with their route, version and trace', async () => {
    assert.equal(await ask(`${url}/v1/cars/7`), 200)
    assert.equal(await ask(`${url}/v1/cars/0`), 500)
    // it flushes
    await app.close()
    const spans = items
      .filter(({ type }) => type === 'span')
      .flatMap(({ body }) => body.items)
      .filter(({ attributes }) => attributes['sentry.kind']?.value === 'server')
    assert.deepEqual(
      spans.map(({ name, attributes }) => [
        name,
        attributes['http.route'].value,
        attributes['api.version'].value,
        attributes['http.response.status_code'].value,
      ]),
      [
        ['GET /cars/{id}', '/cars/{id}', '1', 200],
        ['GET /cars/{id}', '/cars/{id}', '1', 500],
      ],
    )
    const events = items.filter(({ type }) => type === 'event')
    assert.equal(events.length, 1)
    const { exception, transaction, tags, contexts } = Object(events[0]?.body)
    assert.equal(exception.values[0].value, 'The garage is on fire')
    assert.equal(transaction, 'GET /cars/{id:int}')
    assert.deepEqual([tags.route, tags.version], ['cars.getOne', '1'])
    assert.deepEqual([contexts.trace.trace_id, contexts.trace.span_id], [spans[1].trace_id, spans[1].span_id])
  })
})
