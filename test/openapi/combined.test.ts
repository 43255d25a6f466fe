import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, VersioningSchemes } from 'octavo'
import type { App, OpenApiDocument } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const OldEngine = z.object({ power: z.number() }).meta({ id: 'Engine' })
const OldCar = z.object({ name: z.string(), engine: OldEngine }).meta({ id: 'Car' })
const Engine = z.object({ power: z.object({ value: z.number(), unit: z.string() }) }).meta({ id: 'Engine' })
const Car = z.object({ name: z.string(), engine: Engine }).meta({ id: 'Car' })
const Owner = z.object({ name: z.string() }).meta({ id: 'Owner' })

const engine = { power: { value: 1, unit: 'kW' } }

const cars = defineController({
  name: 'car',
  routes: [
    {
      method: 'POST',
      name: 'add',
      version: ['1', '2'],
      input: { body: OldCar, query: { dry: z.boolean().optional() } },
      response: OldCar,
      handler: ({ body }) => body,
    },
    {
      method: 'POST',
      name: 'add',
      version: '3',
      summary: 'Adds a car',
      input: { body: Car, headers: { 'x-trace': z.string() } },
      response: { 200: Car, 409: Owner },
      handler: () => ({ name: 'Ford', engine }),
    },
    { method: 'GET', path: '/owner', name: 'owner', response: Owner, handler: () => ({ name: 'Ann' }) },
  ],
})

async function appWith(scheme: 'URL' | 'HEADER' | 'ACCEPT'): Promise<App> {
  const app = serve(cars)
  if (scheme === 'URL') app.enableVersioning(VersioningSchemes.URL)
  else if (scheme === 'HEADER') app.enableVersioning(VersioningSchemes.HEADER, { headerParameter: 'x-v' })
  else app.enableVersioning(VersioningSchemes.HEADER)
  await app.ready()
  return app
}

function post(document: OpenApiDocument, path = '/car'): OpenApiDocument['paths'][string][string] {
  const found = document.paths[path]?.['post']
  assert.ok(found !== undefined, `there is no post at ${path}`)
  return found
}

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })

describe('schemas of one name that differ between versions', () => {
  it('have that name in the document of each version', async () => {
    const app = await appWith('URL')
    for (const [version, power] of [
      ['1', { type: 'number' }],
      [
        '3',
        {
          type: 'object',
          properties: { value: { type: 'number' }, unit: { type: 'string' } },
          required: ['value', 'unit'],
        },
      ],
    ] as const) {
      const { schemas = {} } = app.openapi({ version }).components
      assert.deepEqual(Object.keys(schemas), [
        'Car',
        'Engine',
        'Owner',
        'ProblemDetails',
        'ValidationProblemDetails',
      ])
      assert.deepEqual(schemas['Engine'], { type: 'object', properties: { power }, required: ['power'] })
    }
  })

  it('have the oldest version that has them in their names in the combined document, with all that differs below them', async () => {
    const document = (await appWith('URL')).openapi()
    const { schemas = {} } = document.components
    assert.deepEqual(Object.keys(schemas), [
      'Car.v1',
      'Car.v3',
      'Engine.v1',
      'Engine.v3',
      'Owner',
      'ProblemDetails',
      'ValidationProblemDetails',
    ])
    assert.deepEqual(schemas['Car.v3'], {
      type: 'object',
      properties: { name: { type: 'string' }, engine: ref('Engine.v3') },
      required: ['name', 'engine'],
    })
    for (const [path, name] of [
      ['/v1/car', 'Car.v1'],
      ['/v2/car', 'Car.v1'],
      ['/v3/car', 'Car.v3'],
    ] as const)
      assert.deepEqual(
        post(document, path).requestBody?.content,
        { 'application/json': { schema: ref(name) } },
        path,
      )
  })

  it('have other names where two versions are written alike, or a schema has the name already', async () => {
    const taken = z.object({ taken: z.string() }).meta({ id: 'Car.v1_a' })
    const named = ['1+a', '1*a', '1~a'].map((version, index) =>
      defineController({
        name: `c${index}`,
        version,
        routes: [
          {
            method: 'POST',
            input: { body: z.object({ [`f${index}`]: z.string() }).meta({ id: 'Car' }) },
            response: taken,
            handler: () => ({ taken: '' }),
          },
        ],
      }),
    )
    const app = serve(named)
    app.enableVersioning(VersioningSchemes.URL)
    await app.ready()
    const document = app.openapi()
    const { schemas = {} } = document.components
    const fields = Object.keys(document.paths).map((path) => {
      const text = JSON.stringify(post(document, path).requestBody)
      const [, name = ''] = /schemas\/([^"]+)"/.exec(text) ?? []
      return [name, Object.keys(Object(schemas[name]?.['properties']))]
    })
    assert.deepEqual(fields, [
      ['Car.v1_a.2', ['f0']],
      ['Car.v1_a.3', ['f1']],
      ['Car.v1_a.4', ['f2']],
    ])
    assert.deepEqual(Object.keys(Object(schemas['Car.v1_a']?.['properties'])), ['taken'])
  })
})

describe('operations of several versions at one path', () => {
  it('take and give what any of the versions takes and gives', async () => {
    const found = post((await appWith('HEADER')).openapi())
    assert.equal(found.operationId, 'car.add')
    assert.equal(found.summary, 'Adds a car')
    assert.deepEqual(found.requestBody, {
      required: true,
      content: { 'application/json': { schema: { anyOf: [ref('Car.v1'), ref('Car.v3')] } } },
    })
    assert.deepEqual(found.responses['200'], {
      description: 'OK',
      content: { 'application/json': { schema: { anyOf: [ref('Car.v1'), ref('Car.v3')] } } },
    })
    // declared by one version; the others may answer it with a problem document
    assert.deepEqual(found.responses['409'], {
      description: 'Conflict',
      content: {
        'application/problem+json': { schema: ref('ProblemDetails') },
        'application/json': { schema: ref('Owner') },
      },
    })
  })

  it('leave open what one version leaves open', async () => {
    const one = defineController({
      name: 'OneController',
      routes: [
        { method: 'GET', name: 'get', version: '1', handler: () => 'anything' },
        { method: 'GET', name: 'get', version: '2', response: z.number(), handler: () => 1 },
      ],
    })
    const app = serve(one)
    app.enableVersioning(VersioningSchemes.QUERY)
    await app.ready()
    assert.deepEqual(app.openapi().paths['/one']?.['get']?.responses['200'], {
      description: 'OK',
      content: { '*/*': {}, 'application/json': {} },
    })
  })

  it('say of parameters in which versions they are', async () => {
    const found = post((await appWith('HEADER')).openapi())
    assert.deepEqual(found.parameters, [
      {
        name: 'x-v',
        in: 'header',
        description: 'The API version',
        required: true,
        schema: { type: 'string', enum: ['version=1', 'version=2', 'version=3'] },
      },
      {
        name: 'dry',
        in: 'query',
        description: 'Only in version 1, 2',
        required: false,
        schema: { type: 'boolean' },
      },
      {
        name: 'x-trace',
        in: 'header',
        description: 'Only in version 3',
        required: false,
        schema: { type: 'string' },
      },
    ])
  })

  it('have a content type for each version that Accept names', async () => {
    const found = post((await appWith('ACCEPT')).openapi())
    const response = found.responses['200']
    assert.ok(response !== undefined && 'content' in response, 'there is no response')
    assert.deepEqual(response.content, {
      'application/json; version=1': { schema: ref('Car.v1') },
      'application/json; version=2': { schema: ref('Car.v1') },
      'application/json; version=3': { schema: ref('Car.v3') },
    })
  })

  it('are the same as in a version when versions do not differ', async () => {
    const app = await appWith('HEADER')
    assert.deepEqual(app.openapi().paths['/car/owner'], app.openapi({ version: '1' }).paths['/car/owner'])
  })
})
