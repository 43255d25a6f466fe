import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createDispatcher } from 'octavo/undici'

import { createCarApp, SCHEMES } from '../../examples/car/app.ts'
import type { SchemeName } from '../../examples/car/app.ts'
import { createCarClient, tellCars } from '../../examples/car/client.ts'

const LINES = (garage: string): readonly string[] => [
  'This action adds a new car',
  'This action returns all cars at limit=5, offset=1',
  'This action returns a 7 car',
  garage,
  '422 year: Too small: expected number to be >0',
]

const names = Object.keys(SCHEMES) as SchemeName[]

describe('the client of the car example', () => {
  for (const scheme of names) {
    it(`gets what each version answers under the scheme ${scheme}`, async () => {
      const app = createCarApp(scheme, { logger: false })
      const first = createCarClient({ fetch: app.fetch, version: '1' })
      assert.deepEqual(await tellCars(first), LINES('{"id":7,"car":"Ford Fiesta"}'))
      const second = createCarClient({ dispatcher: createDispatcher(app), version: '2' })
      assert.deepEqual(await tellCars(second), LINES('{"name":"Ford","year":2026,"model":"Fiesta","id":"7"}'))
    })
  }
})
