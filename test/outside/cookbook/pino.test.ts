import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'

describe('the recipe of pino', () => {
  it('logs lines with the id of the request, and without secrets', async () => {
    const service = spawn(process.execPath, [join(import.meta.dirname, '.recipes/pino.js')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, RELEASE: '1.2.3', TRUST_REQUEST_ID: 'true' },
    })
    const lines: ReturnType<typeof Object>[] = []
    const reader = createInterface({ input: service.stdout })
    reader.on('line', (line) => lines.push(JSON.parse(line)))
    const find = async (message: string) => {
      for (;;) {
        const found = lines.find(({ msg }) => msg === message)
        if (found !== undefined) return found
        await once(reader, 'line')
      }
    }
    const { url } = await find('Listening')
    assert.equal((await find('The garage is open')).count, 1)

    const response = await fetch(`${url}/cars/7/sale`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'abc-1' },
      body: '{"buyer":{"name":"Ann","token":"s3cret"}}',
    })
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('x-request-id'), 'abc-1')
    const { time, ...sold } = await find('Sold')
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.deepEqual(sold, {
      level: 'info',
      service: 'cars',
      release: '1.2.3',
      requestId: 'abc-1',
      carId: 7,
      buyer: { name: 'Ann', token: '[…]' },
      msg: 'Sold',
    })
    const { requestId, route, status } = await find('Request')
    assert.deepEqual([requestId, route, status], ['abc-1', 'cars.sell', 204])

    service.kill('SIGTERM')
    const [code] = await once(service, 'exit')
    assert.equal(code, 0)
  })
})
