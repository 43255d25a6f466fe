import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createUsagePlaces as createPlaces, createUsageTable as createTable } from '../inside/server.ts'

describe('the memory of usage', () => {
  it('is at most 1.6 MB for 10,000 pairs', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const fill = () => {
      const places = createPlaces()
      const table = createTable(Date.now(), 60_000, places)
      for (let index = 0; index < 10_000; index++) {
        const route = places.named(String(index % 4), `car.route${index % 20}`)
        // a text of its own, as each request has one
        table.add(route, Buffer.from(`client-${Math.trunc(index / 20)}`).toString(), {
          count: 1,
          last: Date.now(),
        })
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
    assert.equal(each < 1_600_000, true, `${each} bytes`)
  })
})
