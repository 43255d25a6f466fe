import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule } from 'octavo'
import { mcp } from 'octavo/mcp'
import { compareDocuments } from 'octavo/testing'

const list = (tool: object) => ({
  tools: [{ name: 'find', description: 'Finds a car', inputSchema: { type: 'object' }, ...tool }],
})

function findings(base: object, revision: object): readonly string[] {
  return compareDocuments(base, revision).findings.map(({ level, rule, at }) => `${level} ${rule} ${at}`)
}

const input = (schema: object, more: object = {}) =>
  list({ inputSchema: { type: 'object', properties: { car: schema }, required: ['car'], ...more } })

describe('lists of tools of other servers', () => {
  const cases: readonly (readonly [string, object, object, readonly string[]])[] = [
    ['equal', list({}), list({}), []],
    [
      'another description',
      list({}),
      list({ description: 'Finds any car' }),
      ['warning tool-description-changed '],
    ],
    ['a tool that is gone', list({}), { tools: [] }, ['breaking tool-removed ']],
    ['a new tool', { tools: [] }, list({}), ['info endpoint-added ']],
    [
      'another type of an argument',
      input({ type: 'string' }),
      input({ type: 'integer' }),
      ['breaking request-property-type-changed car'],
    ],
    [
      'another type below a definition',
      input(
        { $ref: '#/$defs/Car' },
        { $defs: { Car: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } } },
      ),
      input(
        { $ref: '#/$defs/Car' },
        { $defs: { Car: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } } },
      ),
      ['breaking request-property-type-changed id'],
    ],
    [
      'a result without a member',
      list({ outputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } }),
      { jsonrpc: '2.0', id: 1, result: list({ outputSchema: { type: 'object', properties: {} } }) },
      ['breaking response-required-property-removed id'],
    ],
    [
      'a schema that holds itself',
      list({ inputSchema: { type: 'object', properties: { next: { $ref: '#' }, id: { type: 'integer' } } } }),
      list({ inputSchema: { type: 'object', properties: { next: { $ref: '#' }, id: { type: 'integer' } } } }),
      [],
    ],
  ]
  for (const [title, base, revision, expected] of cases)
    it(`are compared: ${title}`, () => assert.deepEqual(findings(base, revision), expected))
})

describe('documents of an application with tools', () => {
  const documentOf = async (summary: string, tags: readonly string[]) => {
    const cars = defineController({
      prefix: '/cars',
      name: 'car',
      routes: [{ method: 'GET', name: 'list', summary, tags, handler: () => 1 }],
    })
    const app = createApp(
      defineModule({ controllers: [cars], routers: [mcp({ name: 'x', tags: ['assistant'] })] }),
      { logger: false },
    )
    await app.ready()
    return app.openapi()
  }
  it('name them, so that the gate knows them', async () => {
    const [base, other, without] = await Promise.all([
      documentOf('List cars', ['assistant']),
      documentOf('All cars', ['assistant']),
      documentOf('List cars', ['other']),
    ])
    assert.equal(base.paths['/cars']?.['get']?.['x-tool'], 'car_list')
    assert.deepEqual(findings(base, other), ['warning tool-description-changed '])
    assert.deepEqual(findings(base, without), ['breaking tool-removed '])
  })
})
