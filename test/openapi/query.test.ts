import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, DefinitionError, VersioningSchemes } from 'octavo'
import type { AppOptions, OpenApiDocument } from 'octavo'
import { z } from 'zod'

import { assertOpenApi } from '../support/openapi.ts'

const Search = z.object({ make: z.string() }).meta({ id: 'Search' })
const Car = z.object({ id: z.number() }).meta({ id: 'Car' })

const cars = defineController({
  name: 'cars',
  routes: [
    { method: 'GET', name: 'list', response: z.array(Car), handler: () => [] },
    { method: 'QUERY', name: 'search', input: { body: Search }, response: z.array(Car), handler: () => [] },
    {
      method: ['POST', 'QUERY'],
      path: '/both',
      name: 'both',
      input: { form: { make: z.string() } },
      handler: () => 'both',
    },
    {
      method: 'QUERY',
      path: '/sql',
      name: 'sql',
      version: ['1', '2'],
      input: { body: z.string().meta({ contentMediaType: 'application/sql' }) },
      handler: () => 'rows',
    },
  ],
})

async function documentOf(options: AppOptions): Promise<OpenApiDocument> {
  const app = createApp(defineModule({ controllers: [cars] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
    ...options,
  })
  await app.ready()
  return app.openapi()
}

async function check(document: OpenApiDocument, version: string): Promise<void> {
  assert.equal(await assertOpenApi(document), version)
}

/** The members of each path item. */
function outline({ paths }: OpenApiDocument): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, Object.keys(item)]))
}

describe('QUERY in documents', () => {
  it('is an extension of the path in OpenAPI 3.1, which has no place for it', async () => {
    const document = await documentOf({})
    assert.equal(document.openapi, '3.1.1')
    assert.deepEqual(outline(document), {
      '/cars': ['get', 'x-query'],
      '/cars/both': ['x-query', 'post'],
      '/cars/sql': ['x-query'],
    })
    await check(document, '3.1')
  })

  it('is an operation in OpenAPI 3.2', async () => {
    const document = await documentOf({ docs: { openapi: '3.2' } })
    assert.equal(document.openapi, '3.2.0')
    assert.deepEqual(outline(document), {
      '/cars': ['get', 'query'],
      '/cars/both': ['query', 'post'],
      '/cars/sql': ['query'],
    })
    await check(document, '3.2')
  })

  it('is the same operation in both, with its body, answers and components', async () => {
    const old = await documentOf({ docs: { openapi: '3.1' } })
    const now = await documentOf({ docs: { openapi: '3.2' } })
    for (const path of Object.keys(old.paths)) {
      const { 'x-query': extension, ...others } = old.paths[path] ?? {}
      assert.deepEqual({ ...others, query: extension }, now.paths[path])
    }
    const search = now.paths['/cars']?.['query']
    assert.deepEqual(
      [search?.operationId, search?.requestBody],
      [
        'cars.search',
        {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Search' } } },
        },
      ],
    )
    assert.deepEqual(Object.keys(search?.responses ?? {}), [
      '200',
      '400',
      '413',
      '415',
      '422',
      '500',
      'default',
    ])
    assert.deepEqual(Object.keys(now.paths['/cars/sql']?.['query']?.requestBody?.content ?? {}), [
      'application/sql',
    ])
    assert.equal(now.paths['/cars/both']?.['query']?.operationId, 'cars.both.query')
    assert.deepEqual(old.components, now.components)
    assert.ok('Search' in (old.components.schemas ?? {}))
  })

  for (const openapi of ['3.0', '3.1.1', 3.1, null]) {
    it(`are in version 3.1 or 3.2, not ${JSON.stringify(openapi)}`, () => {
      assert.throws(
        () => createApp(defineModule({ controllers: [cars] }), { docs: { openapi: openapi as never } }),
        (error) =>
          error instanceof DefinitionError &&
          error.message.includes(`docs.openapi is ${JSON.stringify(openapi)}. Give '3.1' or '3.2'`),
      )
    })
  }
})
