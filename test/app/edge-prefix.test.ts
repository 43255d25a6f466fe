import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEdgeApp, defineController, defineModule } from 'octavo/edge'
import { DefinitionError } from 'octavo'

const cars = defineController({ prefix: '/car', routes: [{ method: 'GET', handler: () => 'cars' }] })
const health = defineController({ prefix: '/health', routes: [{ method: 'GET', handler: () => 'up' }] })
const CarsModule = defineModule({ controllers: [cars, health] })

describe('the prefix of an edge application', () => {
  it('may be an object', async () => {
    const app = createEdgeApp(CarsModule, { logger: false, prefix: { path: '/api', exclude: ['/health'] } })
    for (const [path, status] of [
      ['/api/car', 200],
      ['/car', 404],
      ['/health', 200],
      ['/api/health', 404],
    ] as const)
      assert.equal((await app.fetch(new Request(`http://localhost${path}`))).status, status, path)
  })

  for (const [label, prefix] of Object.entries({
    'a list of anything': { path: '/api', exclude: [null, 7, { path: 7 }] },
    'no list': { path: '/api', exclude: 7 },
    'no path': { path: 7 },
    nothing: {},
  }))
    it(`is refused with an error that names it: ${label}`, async () => {
      await assert.rejects(
        // as code without types may write it
        async () => createEdgeApp(CarsModule, { logger: false, prefix: prefix as never }).ready(),
        (error) => error instanceof DefinitionError && error.message.includes('prefix'),
      )
    })
})
