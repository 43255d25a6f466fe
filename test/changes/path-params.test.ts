import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { createClient } from 'octavo/client'
import { z } from 'zod'

const Car = model('PathCar', { id: z.string(), wheel: z.number(), shop: z.string(), colour: z.string() })
const CarPath = derive(Car, (car) => car.pick({ id: true, wheel: true }))
const change = defineVersionChange({
  version: '2',
  title: 'Cars have text ids',
  change: [
    reshape({
      of: Car,
      fields: { wheel: { was: 'tyre' }, colour: { was: absent } },
      up: () => ({ colour: '' }),
    }),
    operation({ route: 'car.moved', path: { was: '/wheel/{wheel}/car/{id}' } }),
  ],
})
const older = defineVersionChange({
  version: '1.1',
  title: 'Ids are text',
  change: [
    reshape({
      of: Car,
      fields: { id: { was: z.number(), up: (id) => `car-${id}`, down: (id) => Number(id) } },
    }),
  ],
})
const history = defineVersions({ versions: ['2', '1.1', '1'], models: { Car }, changes: [change, older] })

const CarController = defineController({
  prefix: '/car',
  routes: [
    {
      method: 'GET',
      path: '/{shop}/{id}/wheel/{wheel}',
      name: 'get',
      input: { params: CarPath },
      handler: ({ params }) => params,
    },
    {
      method: 'GET',
      path: '/{id}/{wheel}',
      name: 'moved',
      input: { params: CarPath },
      handler: ({ params }) => params,
    },
  ],
})
const app = createApp(defineModule({ controllers: [CarController] }), {
  versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'v', history },
  docs: {},
  logger: false,
})
const get = async (version: string, url: string) => app.inject({ url, headers: { v: version } })

describe('path parameters of a model whose field had another name', () => {
  it('are read in every version', async () => {
    const params = { shop: 'a', id: '7', wheel: 4 }
    assert.deepEqual((await get('2', '/car/a/7/wheel/4')).json(), params)
    assert.deepEqual((await get('1.1', '/car/a/7/wheel/4')).json(), params)
    assert.deepEqual((await get('1', '/car/a/7/wheel/4')).json(), { ...params, id: 'car-7' })
    assert.equal((await get('1', '/car/a/x/wheel/4')).statusCode, 422)
  })

  it('are read from a moved path', async () => {
    assert.deepEqual((await get('1', '/wheel/4/car/7')).json(), { id: 'car-7', wheel: 4 })
  })

  it('have the earlier names in documents', async () => {
    await app.ready()
    const { paths } = app.openapi({ version: '1' })
    assert.deepEqual(Object.keys(paths), ['/car/{shop}/{id}/wheel/{tyre}', '/wheel/{tyre}/car/{id}'])
    const { parameters } = Object(paths['/car/{shop}/{id}/wheel/{tyre}']?.['get'])
    assert.deepEqual(
      parameters
        .filter((each: { in: string }) => each.in === 'path')
        .map(({ name, schema }: { name: string; schema: { type: string } }) => [name, schema.type]),
      [
        ['shop', 'string'],
        ['id', 'number'],
        ['tyre', 'number'],
      ],
    )
    assert.ok(app.openapi({ version: '2' }).paths?.['/car/{shop}/{id}/wheel/{wheel}'])
  })

  it('have the earlier names in clients', async () => {
    const client = createClient<typeof app>({ baseUrl: 'http://cars.test', fetch: app.fetch })
    const first = client.at('1')
    const params = { shop: 'a', id: 7, tyre: 4 }
    assert.equal(await first.url('car.get', { params }), 'http://cars.test/car/a/7/wheel/4')
    assert.deepEqual((await first.car.get({ params })).data, { shop: 'a', id: 'car-7', wheel: 4 })
    // @ts-expect-error the earlier name is missing
    await assert.rejects(first.car.get({ params: { shop: 'a', id: 7, wheel: 4 } }), /no path parameter wheel/)
    const newest = { shop: 'a', id: '7', wheel: 4 }
    assert.deepEqual((await client.at('2').car.get({ params: newest })).data, newest)
  })
})
