import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { createStationApp } from '../../examples/downloads/app.ts'
import { createStation } from '../../examples/downloads/station.ts'
import { LOOPBACK, open, readUntil } from '../node/support.ts'

const station = createStation(() => new Date('2026-03-01T12:00:00Z'))
const app = createStationApp(station, { logger: false })
let url = ''
before(async () => {
  station.measure(15.5)
  station.measure(16)
  url = await app.listen(LOOPBACK)
})
after(() => app.close())

describe('the example of downloads', () => {
  it('serves its page', async () => {
    const { statusCode, headers, body } = await app.inject('/')
    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/html; charset=utf-8'])
    assert.match(body, /new EventSource\('\/measurements\/events'\)/)
  })

  it('sends what was measured, and what is measured from now on', async () => {
    const socket = await open(url)
    socket.write('GET /measurements/events HTTP/1.1\r\nHost: a.test\r\nLast-Event-ID: 1\r\n\r\n')
    const first = await readUntil(socket, /id: 2\n[^]*\n\n/)
    assert.doesNotMatch(first, /id: 1\n/)
    const second = readUntil(socket, /\n\n/)
    station.measure(16.5)
    assert.match(
      await second,
      /event: measurement\nid: 3\ndata: \{"id":3,"time":"2026-03-01T12:00:00.000Z","temperature":16.5\}\n\n/,
    )
    socket.destroy()
  })

  it('exports line by line', async () => {
    const { headers, body } = await app.inject('/measurements/export.csv')
    assert.equal(headers['content-disposition'], 'attachment; filename="measurements.csv"')
    assert.equal(
      body.split('\n').slice(0, 2).join('|'),
      'id,time,temperature|1,2026-03-01T12:00:00.000Z,15.5',
    )
  })

  it('answers with what is in memory, once', async () => {
    const { headers, json } = await app.inject('/measurements/latest.json')
    assert.equal(Reflect.get(Object(json()), 'time'), '2026-03-01T12:00:00.000Z')
    const again = { 'if-none-match': String(headers['etag']) }
    const same = await app.inject({ url: '/measurements/latest.json', headers: again })
    assert.equal(same.statusCode, 304)
  })

  for (const [name, status] of [
    ['app.ts', 200],
    ['public', 404],
    ['..%2Fcar%2Fapp.ts', 404],
    ['missing.ts', 404],
  ] as const) {
    it(`answers ${name} with ${status}`, async () => {
      assert.equal((await app.inject(`/measurements/source/${name}`)).statusCode, status)
    })
  }
})
