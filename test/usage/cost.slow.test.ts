import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { createPlaces } from '../../src/server/usage/places.ts'
import { createTable } from '../../src/server/usage/table.ts'
import { createUsage } from '../../src/server/usage/usage.ts'

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
const ROUTES = Array.from({ length: 50 }, (_, index) => ({
  name: `car.route${index}`,
  method: 'GET',
  path: `/car/${index}`,
  controller: 'car',
  meta: {},
}))
const EXCHANGES = Array.from({ length: 10_000 }, (_, index) => ({
  context: {
    route: ROUTES[index % ROUTES.length],
    version: String(index % 4),
    client: `client-${index % 200}`,
  },
  response: { status: 200 },
}))

describe('the cost of usage', () => {
  it('is at most 0.3 µs a request, as a difference of interleaved runs', () => {
    const usage = createUsage({ interval: 2 ** 30, store: () => undefined }, silent)
    let place = 0
    const plain = (): never => EXCHANGES[(place = (place + 7_919) % EXCHANGES.length)] as never
    const counted = usage.wrap(plain)
    const time = (dispatch: (raw: never) => unknown): number => {
      const started = process.hrtime.bigint()
      for (let index = 0; index < 200_000; index++) dispatch(undefined as never)
      return Number(process.hrtime.bigint() - started) / 200_000
    }
    const differences: number[] = []
    for (let round = 0; round < 25; round++) differences.push(-time(plain) + time(counted))
    const [middle = Infinity] = differences.toSorted((a, b) => a - b).slice(12)
    console.log(`${Math.round(middle)} ns a request`)
    assert.equal(middle < 300, true, `${middle} ns`)
  })

  it('is at most 1 MB for 10,000 pairs', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const fill = () => {
      const places = createPlaces()
      const table = createTable(Date.now(), 60_000, places)
      for (let index = 0; index < 10_000; index++) {
        const route = places.named(String(index % 4), `car.route${index % 20}`)
        // a text of its own, as each request has one
        table.add(route, Buffer.from(`client-${Math.trunc(index / 20)}`).toString(), 1, Date.now())
      }
      return table
    }
    fill()
    collect()
    const before = process.memoryUsage().heapUsed
    const kept = [fill(), fill(), fill(), fill()]
    collect()
    const each = (process.memoryUsage().heapUsed - before) / kept.length
    console.log(`${Math.round(each / 1024)} KiB, ${kept.map((table) => table.entries().length).join()} pairs`)
    assert.equal(each < 1_000_000, true, `${each} bytes`)
  })
})
