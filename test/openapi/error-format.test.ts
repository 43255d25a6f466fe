import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineErrorFormat,
  defineErrorHandler,
  defineModule,
  DefinitionError,
  VersioningSchemes,
} from 'octavo'
import type { AppOptions, OpenApiDocument } from 'octavo'
import { bearerAuth } from 'octavo/auth'
import { z } from 'zod'
import { placeless } from '../support/places.ts'
import { serve } from '../support/serve.ts'

const Failure = z.object({ code: z.string(), detail: z.string().optional() })
const format = (): z.input<typeof Failure> => ({ code: 'a' })
const errorFormat = defineErrorFormat({ schema: Failure, format })
const handler = (): string => 'done'

const cars = defineController({
  name: 'CarController',
  routes: [
    {
      method: 'GET',
      name: 'list',
      version: ['1', '2'],
      guards: [bearerAuth({ verify: () => true })],
      input: { query: { name: z.string() } },
      handler,
    },
  ],
})

async function documentOf(
  options: AppOptions,
  schemas: Record<string, z.ZodType> = {},
): Promise<OpenApiDocument> {
  const app = createApp(defineModule({ name: 'Cars', schemas, controllers: [cars] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
    ...options,
  })
  await app.ready()
  return app.openapi()
}

const SCHEMA = {
  type: 'object',
  properties: { code: { type: 'string' }, detail: { type: 'string' } },
  required: ['code'],
}

describe('the document of an application with an error format', () => {
  it('shows its type and schema for every error, and no problem document', async () => {
    const document = await documentOf({ errorFormat })
    const statuses = Object.keys(document.paths['/car']?.['get']?.responses ?? {})
    assert.deepEqual(statuses, ['400', '401', '403', '406', '422', '500', '2XX', 'default'])
    const { schemas = {}, responses = {} } = document.components
    assert.deepEqual(schemas, { Error: SCHEMA })
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
    for (const [name, response] of Object.entries(responses))
      assert.deepEqual(response.content, content, name)
    assert.deepEqual(responses['Problem'], { description: 'What went wrong', content })
    assert.equal(responses['CredentialsRefused']?.description, 'Credentials are missing or not accepted')
    assert.equal(JSON.stringify(document).includes('problem+json'), false)
  })

  it('names the schema as its id or the module does', async () => {
    const named = defineErrorFormat({ schema: Failure.meta({ id: 'Failure' }), format })
    const byId = await documentOf({ errorFormat: named })
    assert.deepEqual(Object.keys(byId.components.schemas ?? {}), ['Failure'])
    const byModule = await documentOf({ errorFormat }, { Fault: Failure })
    assert.deepEqual(Object.keys(byModule.components.schemas ?? {}), ['Fault'])
  })

  it('shows the output of the schema, and a text', async () => {
    const when = defineErrorFormat({
      contentType: 'text/plain; charset=utf-8',
      schema: z.number().transform(String).pipe(z.string()).meta({ description: 'What is wrong' }),
      format: ({ status }) => status,
    })
    const { components } = await documentOf({ errorFormat: when })
    assert.deepEqual(components.responses?.['Problem']?.content, {
      'text/plain; charset=utf-8': { schema: { $ref: '#/components/schemas/ErrorOutput' } },
    })
    assert.deepEqual(components.schemas?.['ErrorOutput'], { type: 'string', description: 'What is wrong' })
  })

  it('shows both where a route declares the same type', async () => {
    const lost = defineController({
      name: 'Lost',
      routes: [
        { method: 'GET', response: { 200: z.string(), '4XX': z.object({ id: z.number() }) }, handler },
      ],
    })
    const app = serve(lost, { errorFormat })
    await app.ready()
    const response = Object(app.openapi().paths['/lost']?.['get']?.responses['4XX'])
    assert.deepEqual(response.content['application/json'].schema, {
      anyOf: [
        {
          type: 'object',
          properties: { id: { type: 'number' } },
          required: ['id'],
        },
        { $ref: '#/components/schemas/Error' },
      ],
    })
  })

  it('shows the format where error handlers may answer, because what they return has to fit it', async () => {
    const errorHandlers = [defineErrorHandler({ match: 404, handle: () => ({ code: 'mine' }) })]
    assert.deepEqual(await documentOf({ errorFormat, errorHandlers }), await documentOf({ errorFormat }))
  })

  it('is a note where it cannot be shown, and a definition error where its name is taken', async () => {
    const hidden = defineErrorFormat({ schema: z.symbol(), format: () => Symbol('a') })
    const problem = async (options: AppOptions, schemas = {}): Promise<unknown> => {
      const error: unknown = await documentOf(options, schemas).catch((reason: unknown) => reason)
      assert.ok(error instanceof DefinitionError, String(error))
      const [first] = placeless(error.errors)
      return [first?.code, first?.where]
    }
    const { components } = await documentOf({ errorFormat: hidden })
    assert.deepEqual(components.schemas, {
      ErrorOutput: { description: 'Documents cannot show z.symbol().' },
    })
    const other = z.string().meta({ id: 'Error' })
    const withOther = defineErrorFormat({ schema: z.object({ other }), format: () => ({ other: 'a' }) })
    assert.deepEqual(await problem({ errorFormat: withOther }), ['duplicate_schema', 'errorFormat'])
  })
})
