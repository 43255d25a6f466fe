import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule } from 'octavo'
import { createClient, ProblemError } from 'octavo/client'
import { compression } from 'octavo/middleware'
import { preconditions } from 'octavo/preconditions'
import { z } from 'zod'

const Car = z.object({ id: z.int(), name: z.string(), version: z.int() })

/** A client of a car with a name that is long enough to be compressed. */
function connect() {
  let car = { id: 7, name: 'Ford '.repeat(1000), version: 1 }
  const unchanged = preconditions({ etag: ({ version }: typeof car) => version, current: () => car })
  const controller = defineController({
    name: 'car',
    interceptors: [unchanged],
    routes: [
      { method: 'GET', name: 'getOne', response: Car, handler: () => car },
      { method: 'GET', path: '/plain', name: 'plain', handler: () => 'no tag' },
      {
        method: 'PUT',
        name: 'change',
        input: { body: z.object({ name: z.string() }) },
        response: Car,
        handler: ({ body }) => (car = { ...car, ...body, version: car.version + 1 }),
      },
    ],
  })
  const app = createApp(defineModule({ controllers: [controller] }), {
    logger: false,
    docs: {},
    middleware: [compression()],
  })
  const sent: (string | null)[] = []
  const client = createClient<typeof app>({
    fetch: app.fetch,
    headers: { 'accept-encoding': 'gzip' },
    onRequest: ({ headers, method }) => void (method === 'PUT' && sent.push(headers.get('if-match'))),
  })
  return { client, sent, app }
}

const BODY = { name: 'Fiat' }
const isFailed = (error: unknown): boolean =>
  error instanceof ProblemError && error.status === 412 && error.code === 'precondition_failed'

describe('a client sends the tag of a state', () => {
  it('that it takes from a result, so that one of two changes of the same state is refused', async () => {
    const { client, sent } = connect()
    const car = await client.car.change({ body: BODY })
    const changed = await client.car.change({ body: BODY, ifMatch: car })
    assert.equal(changed.data.version, 3)
    await assert.rejects(client.car.change({ body: BODY, ifMatch: car }), isFailed)
    assert.equal((await client.car.change({ body: BODY, ifMatch: changed })).data.version, 4)
    assert.deepEqual(sent, [null, '"2"', '"2"', '"3"'])
  })

  it('that compression made weak', async () => {
    const { client, sent } = connect()
    const response = await client.car.getOne({ as: 'response' })
    assert.equal(response.headers.get('etag'), 'W/"1"')
    assert.equal((await client.car.change({ body: BODY, ifMatch: response })).data.version, 2)
    assert.deepEqual(sent, ['"1"'])
  })

  it('that is a text, as it is', async () => {
    const { client, sent } = connect()
    assert.equal((await client.car.change({ body: BODY, ifMatch: '*' })).status, 200)
    await assert.rejects(client.car.change({ body: BODY, ifMatch: '"1", "7"' }), isFailed)
    await assert.rejects(client.car.change({ body: BODY, ifMatch: 'W/"2"' }), isFailed)
    assert.deepEqual(sent, ['*', '"1", "7"', 'W/"2"'])
  })

  it('or nothing: a result without a tag is an error, because the change would have no condition', async () => {
    const { client, sent } = connect()
    const plain = await client.car.plain()
    // @ts-expect-error a header that may be missing
    const missing: string = plain.headers.get('etag')
    for (const ifMatch of [plain, missing, ''])
      await assert.rejects(client.car.change({ body: BODY, ifMatch }), {
        name: 'TypeError',
        message: 'car.change: ifMatch has no entity tag',
      })
    assert.deepEqual(sent, [])
    assert.equal((await client.car.change({ body: BODY, ifMatch: undefined })).data.version, 2)
  })
})
