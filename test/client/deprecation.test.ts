import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import type { App, VersionPolicy } from 'octavo'
import { createClient } from 'octavo/client'
import type { DeprecationNotice } from 'octavo/client'

const cars = defineController({
  name: 'CarController',
  prefix: '/cars',
  version: ['1', '2'],
  routes: [
    { method: 'GET', name: 'list', handler: () => ['Fiesta'] },
    { method: 'GET', path: '/{id}', name: 'getOne', handler: ({ params }) => params.id },
  ],
})

function serve(policy: VersionPolicy, now = '2026-02-01'): App {
  const app = createApp(defineModule({ controllers: [cars] }), { logger: false })
  app.enableVersioning(VersioningSchemes.URL, {
    versions: { '1': policy },
    successorLinks: true,
    clock: () => Date.parse(now),
  })
  return app
}

/** A client of version 1 whose application has a host of its own, because notices are given once per process. */
function clientOf(
  { fetch }: App,
  host: string,
): { readonly client: ReturnType<typeof of>; readonly notices: readonly DeprecationNotice[] } {
  const notices: DeprecationNotice[] = []
  return { client: of(fetch, host, (notice) => notices.push(notice)), notices }
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is inferred from the controller
function of(fetch: App['fetch'], host: string, onDeprecated: (notice: DeprecationNotice) => unknown) {
  const app = createApp(defineModule({ controllers: [cars] }))
  return createClient<typeof app, '1'>({ baseUrl: `http://${host}`, version: '1', fetch, onDeprecated })
}

describe('onDeprecated of a client', () => {
  it('has what the response announces', async () => {
    const app = serve({
      deprecated: '2026-01-01',
      sunset: '2026-12-31T23:59:59Z',
      links: { deprecation: '/moving', sunset: '/end' },
      brownouts: [{ from: '2026-06-01T10:00Z', to: '2026-06-01T11:00Z' }],
    })
    const { client, notices } = clientOf(app, 'whole.example')
    const { data } = await client.car.getOne({ params: { id: '7' } })
    assert.equal(data, '7')
    assert.deepEqual(notices, [
      {
        route: 'car.getOne',
        version: '1',
        deprecated: new Date('2026-01-01'),
        sunset: new Date('2026-12-31T23:59:59Z'),
        brownout: { from: new Date('2026-06-01T10:00Z'), to: new Date('2026-06-01T11:00Z') },
        successor: 'http://whole.example/v2/cars/7',
        page: 'http://whole.example/moving',
      },
    ])
  })

  it('is called once for each route and version, also by other clients', async () => {
    const app = serve({ deprecated: '2026-01-01' })
    const first = clientOf(app, 'once.example')
    await first.client.car.list()
    await first.client.car.list()
    await first.client.car.getOne({ params: { id: '7' } })
    const second = clientOf(app, 'once.example')
    await second.client.car.list()
    assert.deepEqual(
      [first, second].map(({ notices }) => notices.map(({ route }) => route)),
      [['car.list', 'car.getOne'], []],
    )
  })

  it('is called for a sunset alone, and of links has those that there are', async () => {
    const { client, notices } = clientOf(serve({ sunset: '2026-12-31' }), 'sunset.example')
    await client.car.list()
    const [{ deprecated, sunset, brownout, page } = {}] = notices
    assert.deepEqual(
      [deprecated, sunset, brownout, page],
      [undefined, new Date('2026-12-31'), undefined, undefined],
    )
  })

  it('is called by a 410 too', async () => {
    const app = serve({ sunset: '2026-01-01', retired: 'gone' })
    const { client, notices } = clientOf(app, 'gone.example')
    await assert.rejects(client.car.list(), { status: 410 })
    assert.deepEqual(
      notices.map(({ sunset }) => sunset),
      [new Date('2026-01-01')],
    )
  })

  it('is not called while a version is active', async () => {
    const { client, notices } = clientOf(serve({}), 'active.example')
    await client.car.list()
    assert.deepEqual(notices, [])
  })

  it('rejects the call with what it throws', async () => {
    const { fetch } = serve({ deprecated: '2026-01-01' })
    const client = of(fetch, 'throws.example', () => {
      throw new Error('no deprecated routes in tests')
    })
    await assert.rejects(client.car.list(), { message: 'no deprecated routes in tests' })
    const later = of(fetch, 'rejects.example', async () => Promise.reject(new Error('later')))
    await assert.rejects(later.car.list(), { message: 'later' })
  })
})
