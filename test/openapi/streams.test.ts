import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, sse, VersioningSchemes } from 'octavo'
import { defineVersionChange, defineVersions, model, reshape } from 'octavo/changes'
import { z } from 'zod'

const Car = z.object({ id: z.number() }).meta({ id: 'Car' })
const CAR = { $ref: '#/components/schemas/Car' }
const FIELDS = { id: { type: 'string' }, retry: { type: 'integer', minimum: 0 } }

const controller = defineController({
  prefix: '/cars',
  routes: [
    { method: 'GET', name: 'list', items: Car, handler: () => [] },
    { method: 'GET', path: '/one', name: 'one', events: Car, handler: () => sse([]) },
    {
      method: 'GET',
      path: '/several',
      name: 'several',
      events: { car: Car, gone: z.string(), at: z.date().optional(), ping: z.undefined() },
      response: { 404: z.object({ detail: z.string() }) },
      handler: () => sse([]),
    },
  ],
})

async function responsesIn(openapi: '3.1' | '3.2') {
  const app = createApp(defineModule({ controllers: [controller] }), { docs: { openapi }, logger: false })
  await app.ready()
  const { paths, components } = app.openapi()
  assert.deepEqual(Object.keys(components.schemas ?? {}).includes('Car'), true)
  return ['', '/one', '/several'].map((path) => {
    const responses = paths[`/cars${path}`]?.['get']?.responses
    return { statuses: Object.keys(responses ?? {}), response: responses?.['200'] }
  })
}

describe('the document of a stream', () => {
  it('has the schema of an event or item in OpenAPI 3.1', async () => {
    const [list, one, several] = await responsesIn('3.1')
    assert.deepEqual(list, {
      statuses: ['200', '500', 'default'],
      response: {
        description: 'One line of JSON for each item. The schema is that of an item.',
        content: { 'application/x-ndjson': { schema: CAR } },
      },
    })
    const description = 'Server-sent events. The schema is that of an event.'
    const event = {
      type: 'object',
      properties: { event: { type: 'string', const: 'message' }, data: CAR, ...FIELDS },
      required: ['data'],
    }
    assert.deepEqual(one?.response, { description, content: { 'text/event-stream': { schema: event } } })
    const named = (name: string, data: object | undefined, required: readonly string[]) => ({
      type: 'object',
      properties: { event: { type: 'string', const: name }, ...(data && { data }), ...FIELDS },
      required,
    })
    assert.deepEqual(several, {
      statuses: ['200', '404', '500', 'default'],
      response: {
        description,
        content: {
          'text/event-stream': {
            schema: {
              oneOf: [
                named('car', CAR, ['event', 'data']),
                named('gone', { type: 'string' }, ['event', 'data']),
                named('at', { type: 'string', format: 'date-time' }, ['event']),
                named('ping', undefined, ['event']),
              ],
            },
          },
        },
      },
    })
  })

  it('has itemSchema in OpenAPI 3.2, where data is text that may hold JSON', async () => {
    const [list, , several] = await responsesIn('3.2')
    assert.deepEqual(list?.response, {
      description: 'One line of JSON for each item.',
      content: { 'application/x-ndjson': { itemSchema: CAR } },
    })
    const { content } = Object(several?.response)
    const { oneOf } = content['text/event-stream'].itemSchema
    assert.deepEqual(
      oneOf.map((event: { readonly properties: object }) => Object(event.properties).data),
      [
        { type: 'string', contentMediaType: 'application/json', contentSchema: CAR },
        { type: 'string' },
        {
          type: 'string',
          contentMediaType: 'application/json',
          contentSchema: { type: 'string', format: 'date-time' },
        },
        undefined,
      ],
    )
  })

  it('has the shapes of each version, and those of all versions together', async () => {
    const Lorry = model('Lorry', { year: z.number() })
    const change = defineVersionChange({
      version: '2',
      title: 'Years have a name',
      change: [reshape({ of: Lorry, fields: { year: { was: 'built' } } })],
    })
    const history = defineVersions({ versions: ['2', '1'], models: { Lorry }, changes: [change] })
    for (const [openapi, member] of [
      ['3.1', 'schema'],
      ['3.2', 'itemSchema'],
    ] as const) {
      const routes = [{ method: 'GET', name: 'list', items: Lorry, handler: () => [] }] as const
      const app = createApp(
        defineModule({ controllers: [defineController({ prefix: '/lorries', routes })] }),
        {
          versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-api-version', history },
          docs: { openapi },
          logger: false,
        },
      )
      const fieldsOf = async (version?: string) => {
        await app.ready()
        const { paths, components } = app.openapi(version === undefined ? {} : { version })
        const { content } = Object(paths['/lorries']?.['get']?.responses['200'])
        const schema = content['application/x-ndjson'][member]
        const all = schema.anyOf ?? [schema]
        return all.map(({ $ref }: { $ref: string }) =>
          Object.keys(
            Object(components.schemas?.[$ref.slice('#/components/schemas/'.length)]?.['properties']),
          ),
        )
      }
      assert.deepEqual(await fieldsOf('2'), [['year']])
      assert.deepEqual(await fieldsOf('1'), [['built']])
      assert.deepEqual(await fieldsOf(), [['built'], ['year']])
    }
  })
})
