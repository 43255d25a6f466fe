import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import createClient from 'openapi-fetch'

import { createCarApp } from '../../../examples/car/app.ts'
import { createJwtApp } from '../../../examples/jwt/app.ts'
import { createRatesApp } from '../../../examples/versions/apps.ts'
import type { paths as Cars1 } from '../.out/types/car-url-1.ts'
import type { paths as Cars2 } from '../.out/types/car-url-2.ts'
import type { paths as Jwt } from '../.out/types/jwt-all.ts'
import type { paths as Rates1 } from '../.out/types/rates-header-1.ts'
import type { paths as Rates3 } from '../.out/types/rates-header-3.ts'

const QUIET = { logger: false } as const
const LOOPBACK = { port: 0, host: '127.0.0.1' } as const

/** Fails to compile where a generated type is not what the document says. */
function typed<T>(value: T): T {
  return value
}

describe('the car example, by what openapi-typescript makes of its documents', () => {
  const app = createCarApp('url', QUIET)
  let baseUrl = ''
  before(async () => {
    baseUrl = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  it('calls version 1', async () => {
    const client = createClient<Cars1>({ baseUrl })
    const { data, response } = await client.GET('/v1/garage/{car_id}', { params: { path: { car_id: 7 } } })
    assert.equal(response.status, 200)
    // nothing is declared, and so nothing is known
    assert.deepEqual(typed<unknown>(data), { id: 7, car: 'Ford Fiesta' })
    // @ts-expect-error -- version 1 has no such path
    await client.GET('/v2/garage/{car_id}', { params: { path: { car_id: 7 } } })
  })

  it('calls version 2', async () => {
    const client = createClient<Cars2>({ baseUrl })
    const { data } = await client.GET('/v2/garage/{car_id}', { params: { path: { car_id: 7 } } })
    assert.ok(data, 'there is a car')
    assert.equal(typed<string>(data.id), '7')
    assert.equal(typed<number>(data.year), 2026)
  })

  it('sends queries, and bodies whose mistakes come back', async () => {
    const client = createClient<Cars2>({ baseUrl })
    const { data: list } = await client.GET('/car', { params: { query: { limit: 5 } } })
    assert.equal(typed<string | undefined>(list), 'This action returns all cars at limit=5, offset=1')
    const car = { name: 'Ford', year: 2026, model: 'Fiesta' }
    const { data } = await client.POST('/car', { body: car })
    assert.equal(typed<string | undefined>(data?.message), 'This action adds a new car')
    const { error, response } = await client.PUT('/car/{car_id}', {
      params: { path: { car_id: '7' } },
      body: { ...car, year: 0 },
    })
    assert.equal(response.status, 422)
    assert.equal(typed<string | undefined>(error?.code), 'validation_failed')
    // @ts-expect-error -- a year is a number
    await client.POST('/car', { body: { ...car, year: '2026' } })
  })
})

describe('the rates, whose versions a header names', () => {
  const app = createRatesApp('header', QUIET)
  let baseUrl = ''
  before(async () => {
    baseUrl = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  it('calls version 1', async () => {
    const client = createClient<Rates1>({ baseUrl })
    const { data } = await client.GET('/rates')
    assert.equal(typed<number | undefined>(data?.['JPY']), 163.2)
  })

  it('calls version 3', async () => {
    const client = createClient<Rates3>({ baseUrl })
    const params = { header: { 'x-api-version': 'version=3' as const }, query: { base: 'USD' as const } }
    const { data } = await client.GET('/rates', { params })
    assert.equal(typed<'EUR' | 'GBP' | 'JPY' | 'USD' | undefined>(data?.base), 'USD')
    assert.equal(typed<string | undefined>(data?.quotes[0]?.rate), '0.9259')
    // @ts-expect-error -- the document is of version 3
    await client.GET('/rates', { params: { ...params, header: { 'x-api-version': 'version=2' } } })
  })
})

describe('the JWT example', () => {
  const app = createJwtApp(QUIET)
  let baseUrl = ''
  before(async () => {
    baseUrl = await app.listen(LOOPBACK)
  })
  after(() => app.close())

  it('calls operations that demand credentials', async () => {
    const client = createClient<Jwt>({ baseUrl })
    const { error, response } = await client.GET('/car')
    assert.equal(response.status, 401)
    assert.equal(typed<string | undefined>(error?.code), 'unauthenticated')
    const login = `Basic ${Buffer.from('ann:ann-secret').toString('base64')}`
    const { data } = await client.POST('/login', { headers: { authorization: login } })
    const { token } = data as { readonly token: string }
    const headers = { authorization: `Bearer ${token}` }
    const sold = await client.DELETE('/car/{car_id}', { params: { path: { car_id: 7 } }, headers })
    assert.equal(sold.response.status, 200)
  })
})
