import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineParamType,
  DefinitionError,
  FileStream,
  FileStreams,
} from 'octavo'
import type { DefinitionWarning, OpenApiDocument, DefinitionProblem, SchemaFields as Fields } from 'octavo'
import { z } from 'zod'

import { placeless } from '../support/places.ts'
import { serve } from '../support/serve.ts'

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

type Operation = OpenApiDocument['paths'][string][string]

/** The document of routes `car.r0: POST /car/0`, `car.r1: POST /car/1`, … */
async function documentOf(
  parts: readonly object[],
  schemas: Fields = {},
  warn = (_warning: DefinitionWarning) => {},
): Promise<OpenApiDocument> {
  const routes = parts.map((part, index) => ({
    method: 'POST',
    path: `/${index}`,
    name: `r${index}`,
    handler: () => 'done',
    ...part,
  }))
  // their types are forgotten
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const controller = defineController({ name: 'car', routes: routes as never })
  const app = createApp(defineModule({ name: 'CarsModule', schemas, controllers: [controller] }), {
    logger: { ...SILENT, warn: (warning) => warn(warning as never) },
  })
  await app.ready()
  return app.openapi()
}

/** The operation of one route. */
async function operationOf(part: object): Promise<Operation> {
  const [item = {}] = Object.values((await documentOf([part])).paths)
  const [operation] = Object.values(item)
  assert.ok(operation !== undefined, 'the route has no operation')
  return operation
}

/** The components that come from schemas. */
async function componentsOf(
  parts: readonly object[],
  schemas?: Fields,
): Promise<OpenApiDocument['components']['schemas']> {
  const {
    ProblemDetails: _,
    ValidationProblemDetails: _all,
    ...own
  } = (await documentOf(parts, schemas)).components.schemas ?? {}
  return own
}

function memberOf(schema: unknown): unknown {
  return Reflect.get(Object(Reflect.get(Object(schema), 'properties')), 'it')
}

function contentOf(
  { responses }: Operation,
  status = 200,
): NonNullable<Operation['requestBody']>['content'] | undefined {
  const response = responses[status]
  return response !== undefined && 'content' in response ? response.content : undefined
}

/** What is wrong with routes, as `where: message [code]`, warnings first. */
async function problemsOf(parts: readonly object[], schemas?: Fields): Promise<readonly string[]> {
  const told: string[] = []
  const tell = ({ where, message, code }: DefinitionWarning | DefinitionProblem): void => {
    told.push(`${where}: ${message} [${code}]`)
  }
  try {
    await documentOf(parts, schemas, tell)
  } catch (error) {
    assert.ok(error instanceof DefinitionError, String(error))
    placeless(error.errors).forEach(tell)
  }
  return told
}

class Money {
  readonly cents = 1
}

const object = (properties: object, ...required: readonly string[]): object => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
})
const text = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const date = { type: 'string', format: 'date-time' }
const binary = { type: 'string', format: 'binary' }

/** What a schema takes, and what it gives where that looks different. */
const KINDS: Readonly<Record<string, readonly [schema: z.ZodType, input: unknown, output?: unknown]>> = {
  'a string': [z.string(), text],
  'a string with limits': [z.string().min(1).max(5), { type: 'string', minLength: 1, maxLength: 5 }],
  'a string with a pattern': [z.string().regex(/^a+$/), { type: 'string', pattern: '^a+$' }],
  'a pattern of any case': [
    z.string().regex(/^a[b-d_7]\.[^x]+$/i),
    { type: 'string', pattern: String.raw`^[aA][b-dB-D_7]\.[^xX]+$` },
  ],
  'a pattern of any case that no pattern without flags can write': [
    z.string().regex(/^[A-z]$/i),
    { type: 'string' },
  ],
  'a pattern whose dot is any character': [
    z.string().regex(/^a.[.]b$/s),
    { type: 'string', pattern: String.raw`^a[\s\S][.]b$` },
  ],
  'a pattern without control characters': [
    z.string().regex(/^\P{Cc}+[\p{Cc}x]$/u),
    { type: 'string', pattern: String.raw`^[^\x00-\x1f\x7f-\x9f]+[\x00-\x1f\x7f-\x9fx]$` },
  ],
  'a pattern of letters': [z.string().regex(/^\p{L}$/u), { type: 'string', pattern: String.raw`^\p{L}$` }],
  'several patterns': [
    z.string().regex(/x/i).regex(/^y/m),
    { type: 'string', allOf: [{ pattern: '[xX]' }, {}] },
  ],
  'a URL': [z.url(), { type: 'string', format: 'uri' }],
  'a template literal': [
    z.templateLiteral(['a-', z.int()]),
    { type: 'string', pattern: String.raw`^a--?\d+$` },
  ],
  'a number': [z.number(), number],
  'a number with limits': [z.number().min(1).lt(9), { type: 'number', minimum: 1, exclusiveMaximum: 9 }],
  'an integer': [z.int(), integer],
  'an integer from 1': [z.int().min(1), { type: 'integer', minimum: 1 }],
  'a big integer': [z.bigint().min(5n), { type: 'integer', minimum: 5 }],
  'a big integer of 64 bits': [z.int64(), { type: 'integer', format: 'int64' }],
  'a boolean': [z.boolean(), { type: 'boolean' }],
  null: [z.null(), { type: 'null' }],
  'a date': [z.date(), date],
  'an ISO date': [z.iso.date().meta({ pattern: undefined }), { type: 'string', format: 'date' }],
  'an enumeration': [z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  'a literal': [z.literal('a'), { type: 'string', const: 'a' }],
  'literals of several types': [z.literal(['a', 1, null]), { enum: ['a', 1, null] }],
  'a literal big integer': [z.literal(5n), { type: 'number', const: 5 }],
  'an array': [z.array(z.string()), { type: 'array', items: text }],
  'a tuple': [
    z.tuple([z.string(), z.int()]),
    { type: 'array', prefixItems: [text, integer], items: false, minItems: 2, maxItems: 2 },
  ],
  'an object': [z.object({ a: z.string(), b: z.int().optional() }), object({ a: text, b: integer }, 'a')],
  'a strict object': [
    z.strictObject({ a: z.string() }),
    { ...object({ a: text }, 'a'), additionalProperties: false },
  ],
  'a loose object': [
    z.looseObject({ a: z.string() }),
    { ...object({ a: text }, 'a'), additionalProperties: {} },
  ],
  'a record': [z.record(z.string(), z.int()), { type: 'object', additionalProperties: integer }],
  'a record of listed names': [
    z.record(z.enum(['a', 'b']), z.int()),
    {
      type: 'object',
      propertyNames: { type: 'string', enum: ['a', 'b'] },
      additionalProperties: integer,
      required: ['a', 'b'],
    },
  ],
  'a union': [z.union([z.string(), z.array(z.int())]), { anyOf: [text, { type: 'array', items: integer }] }],
  'a union with undefined': [z.union([z.string(), z.undefined()]), text],
  'an exclusive union': [
    z.xor([z.string().min(2), z.int()]),
    { oneOf: [{ type: 'string', minLength: 2 }, integer] },
  ],
  'a discriminated union': [
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    {
      type: 'object',
      oneOf: [
        object({ k: { type: 'string', const: 'a' } }, 'k'),
        object({ k: { type: 'string', const: 'b' } }, 'k'),
      ],
    },
  ],
  'an intersection': [
    z.object({ a: z.string() }).and(z.object({ b: z.int() })),
    object({ a: text, b: integer }, 'a', 'b'),
  ],
  'a nullable': [z.string().nullable(), { type: ['string', 'null'] }],
  'a default': [z.string().default('x'), { type: 'string', default: 'x' }],
  'a default that changes': [z.date().default(() => new Date()), date],
  'a default that is the time as text': [z.string().default(() => new Date().toISOString()), text],
  'a default that is the day': [z.string().default(() => new Date().toISOString().slice(0, 10)), text],
  'a default that is the weekday': [z.int().default(() => new Date().getDay()), integer],
  'a default that is the time as a number': [z.int().default(() => Date.now()), integer],
  'a default that is the start of the program': [z.date().default(new Date()), date],
  'a default with the time in it': [
    z.object({ at: z.array(z.date()) }).default(() => ({ at: [new Date()] })),
    { type: 'object', properties: { at: { type: 'array', items: date } }, required: ['at'] },
  ],
  'a prefault that changes': [z.string().prefault(() => String(new Date())), text],
  'a caught value that changes': [z.date().catch(() => new Date()), date],
  'a nullable default that changes': [
    z
      .date()
      .default(() => new Date())
      .nullable(),
    { anyOf: [date, { type: 'null' }] },
  ],
  'a default that throws at another time': [z.string().default(() => Date()), text],
  'a moment': [z.date().default(new Date(0)), { ...date, default: '1970-01-01T00:00:00.000Z' }],
  'a default of its own each time': [z.string().default(() => String(Math.random())), text],
  'a default big integer': [z.bigint().default(5n), integer],
  'a prefault': [z.string().prefault('x'), { type: 'string', default: 'x' }, text],
  'a caught value': [z.string().catch('x'), { type: 'string', default: 'x' }],
  'a readonly value': [z.array(z.string()).readonly(), { type: 'array', items: text }],
  'a lazy value': [z.lazy(() => z.string()), text],
  'a branded value': [z.string().brand('Name'), text],
  'a refined value': [z.string().refine((value) => value !== ''), text],
  anything: [z.any(), {}],
  'an unknown value': [z.unknown(), {}],
  nothing: [z.never(), { not: {} }],
  'a coerced number': [z.coerce.number(), number],
  'a coerced date': [z.coerce.date(), date],
  'a boolean in words': [z.stringbool(), text, { type: 'boolean' }],
  'a codec': [z.codec(z.string(), z.int(), { decode: Number, encode: String }), text, integer],
  'a preprocessed value': [z.preprocess((value) => value, z.int()), integer],
  'a pipe': [z.string().transform(Number).pipe(z.int()), text, integer],
  'a transform that says what it gives': [
    z.string().meta({ title: 'In' }).transform(Number).meta({ type: 'integer' }),
    { type: 'integer', title: 'In' },
    integer,
  ],
  'a description': [z.string().describe('A name'), { type: 'string', description: 'A name' }],
  'examples and marks': [
    z.string().meta({ title: 'T', examples: ['a'], deprecated: true }),
    { type: 'string', title: 'T', examples: ['a'], deprecated: true },
  ],
  'a class that says what it looks like': [
    z.instanceof(Money).meta({ type: 'object', properties: { cents: { type: 'integer' } } }),
    { type: 'object', properties: { cents: { type: 'integer' } } },
  ],
  'a map with an override': [
    z.map(z.string(), z.string()).meta({ override: { type: 'object' } }),
    { type: 'object' },
  ],
  'a symbol in a wrapper that says what it looks like': [
    z.symbol().optional().meta({ type: 'string' }),
    { type: 'string' },
  ],
}

describe('a schema of zod in a document', () => {
  let document: OpenApiDocument
  before(async () => {
    const members = Object.values(KINDS).map(([schema]) => z.object({ it: schema }))
    document = await documentOf(members.map((member) => ({ input: { body: member }, response: member })))
  })
  for (const [index, [title, [, input, output = input]]] of Object.entries(KINDS).entries()) {
    it(`shows ${title}`, () => {
      const operation = document.paths[`/car/${index}`]?.['post'] ?? assert.fail('the route has no operation')
      const schemas = [operation.requestBody?.content, contentOf(operation)]
      assert.deepEqual(
        schemas.map((content) => memberOf(content?.['application/json']?.schema)),
        [input, output],
      )
    })
  }

  it('requires what may not be absent, on each side', async () => {
    const schema = z.object({
      a: z.string(),
      b: z.string().optional(),
      c: z.string().default('x'),
      d: z.int().catch(1),
      e: z.any(),
      f: z.string().catch('x').nonoptional(),
      g: z.lazy(() => z.string().catch('x')),
    })
    assert.equal(schema.safeParse({ a: '', e: 1 }).success, false)
    assert.equal(schema.safeParse({ a: '', e: 1, f: '' }).success, true)
    const { requestBody, responses } = await operationOf({ input: { body: schema }, response: schema })
    const required = (shown: unknown): unknown => Reflect.get(Object(shown), 'required')
    assert.deepEqual(required(requestBody?.content['application/json']?.schema), ['a', 'e', 'f'])
    const [ok] = Object.values(responses)
    assert.deepEqual(
      required(ok !== undefined && 'content' in ok ? ok.content?.['application/json']?.schema : undefined),
      ['a', 'c', 'd', 'e', 'f', 'g'],
    )
  })
})

/** What is shown of a route's input, as `[in, name, required, schema]`. */
async function parametersOf(part: object): Promise<readonly unknown[]> {
  const { parameters = [] } = await operationOf(part)
  return parameters.map(({ name, in: place, required = false, schema, ...rest }) => [
    `${place} ${name}${required ? '' : '?'}`,
    schema,
    ...(Object.keys(rest).length > 0 ? [rest] : []),
  ])
}

const exploded = { style: 'form', explode: true }
const month = defineParamType({ name: 'documented_month', pattern: /\d{4}-\d{2}/ })
const word = defineParamType({ name: 'documented_word', pattern: /[a-z]+/i })

const PARAMETERS: Readonly<Record<string, readonly [part: object, expected: readonly unknown[]]>> = {
  'numbers, dates and lists of a query as what they are': [
    {
      input: {
        query: {
          page: z.int().min(1).default(1),
          on: z.boolean(),
          since: z.date().optional(),
          big: z.bigint().optional(),
          sort: z.enum(['a', 'b']).optional(),
          ids: z.array(z.int()).optional(),
          tags: z.set(z.string()).min(1).optional(),
          one: z.union([z.string(), z.array(z.string())]),
        },
      },
    },
    [
      ['query page?', { type: 'integer', minimum: 1, default: 1 }],
      ['query on', { type: 'boolean' }],
      ['query since?', date],
      ['query big?', integer],
      ['query sort?', { type: 'string', enum: ['a', 'b'] }],
      ['query ids?', { type: 'array', items: integer }, exploded],
      ['query tags?', { type: 'array', items: text, uniqueItems: true, minItems: 1 }, exploded],
      ['query one', { anyOf: [text, { type: 'array', items: text }] }, exploded],
    ],
  ],
  'what is made from text as what goes in': [
    {
      input: {
        query: {
          a: z.coerce.number(),
          b: z.stringbool(),
          c: z.preprocess(Number, z.int()),
          d: z.string().transform(Number),
        },
      },
    },
    [
      ['query a', number],
      ['query b', text],
      ['query c', integer],
      ['query d', text],
    ],
  ],
  'no null, which no text means': [
    { input: { query: { a: z.string().nullable(), b: z.union([z.string().min(1), z.null()]) } } },
    [
      ['query a', text],
      ['query b', { type: 'string', minLength: 1 }],
    ],
  ],
  'names alone as texts': [
    { input: { query: ['q'], cookies: ['sid'] } },
    [
      ['query q', text],
      ['cookie sid', text],
    ],
  ],
  'headers by their names, and of a list one line': [
    {
      input: {
        headers: { userAgent: z.string(), x_rate: z.int().optional(), xTag: z.array(z.string().min(1)) },
      },
    },
    [
      ['header user-agent', text],
      ['header x-rate?', integer],
      ['header x-tag', { type: 'string', minLength: 1 }],
    ],
  ],
  'of a header that is one value or a list, one value': [
    { input: { headers: { a: z.union([z.string(), z.array(z.string())]) } } },
    [['header a', text]],
  ],
  'description and deprecation at the parameter': [
    {
      input: {
        query: {
          a: z.string().meta({ description: 'An a', deprecated: true }),
          b: z.string().meta({ id: 'B', description: 'A b' }),
        },
      },
    },
    [
      ['query a', text, { description: 'An a', deprecated: true }],
      ['query b', { $ref: '#/components/schemas/B' }, { description: 'A b' }],
    ],
  ],
  'the fields of objects in wrappers': [
    {
      input: {
        query: z
          .lazy(() => z.object({ a: z.string() }).refine(() => true))
          .readonly()
          .default({ a: 'x' }),
        headers: z.object({ b: z.int() }).optional(),
        cookies: z.object({ c: z.string() }).transform((value) => value),
      },
    },
    [
      ['query a', text],
      ['header b', integer],
      ['cookie c', text],
    ],
  ],
  'the fields of a named object': [
    { input: { query: z.object({ a: z.string() }).meta({ id: 'Search' }) } },
    [['query a', text]],
  ],
  'the fields of both sides of an intersection': [
    {
      input: {
        query: z
          .object({ a: z.string() })
          .meta({ id: 'Left' })
          .and(z.object({ a: z.string().min(2), b: z.int() })),
      },
    },
    [
      ['query a', { allOf: [text, { type: 'string', minLength: 2 }] }],
      ['query b', integer],
    ],
  ],
  'the fields of alternatives, required where all have them': [
    {
      input: {
        query: z.union([z.object({ k: z.literal('a'), a: z.string() }), z.strictObject({ k: z.int() })]),
      },
    },
    [
      ['query k', { anyOf: [{ type: 'string', const: 'a' }, integer] }],
      ['query a?', text],
    ],
  ],
  'a record as free fields': [
    { input: { query: z.record(z.string(), z.int()) } },
    [['query query?', { type: 'object', additionalProperties: integer }, exploded]],
  ],
  'a record of listed names as those': [
    { input: { query: z.record(z.enum(['a', 'b']), z.int()) } },
    [
      ['query a', integer],
      ['query b', integer],
    ],
  ],
  'fields beyond those declared under a name that is free': [
    { input: { query: z.looseObject({ query: z.string() }) } },
    [
      ['query query', text],
      ['query query_?', { type: 'object', additionalProperties: {} }, exploded],
    ],
  ],
  'the parameters of a pattern that nobody declares': [
    { path: `/{a}/{b:int}/{c:float}/{d:uuid}/{e:${month.name}}/{f:${word.name}}/{g:path}` },
    [
      ['path a', { type: 'string', minLength: 1 }],
      ['path b', { type: 'integer', minimum: 0 }],
      ['path c', { type: 'number', minimum: 0 }],
      ['path d', { type: 'string', format: 'uuid' }],
      ['path e', { type: 'string', pattern: String.raw`^(?:\d{4}-\d{2})$` }],
      ['path f', { type: 'string', minLength: 1 }],
      ['path g', text],
    ],
  ],
  'declared parameters as far as the pattern lets them through': [
    {
      path: '/{a:int}/{b:int}/{c:uuid}/{d}/{e}',
      input: {
        params: {
          a: z.number().max(9).describe('The number'),
          b: z.string(),
          c: z.string(),
          d: z.enum(['x', 'y']).optional(),
        },
      },
    },
    [
      ['path a', { type: 'integer', minimum: 0, maximum: 9 }, { description: 'The number' }],
      ['path b', { type: 'string', pattern: '^[0-9]+$' }],
      ['path c', { type: 'string', format: 'uuid' }],
      ['path d', { type: 'string', enum: ['x', 'y'] }],
      ['path e', { type: 'string', minLength: 1 }],
    ],
  ],
}

describe('the parameters in a document', () => {
  for (const [title, [part, expected]] of Object.entries(PARAMETERS)) {
    it(`are ${title}`, async () => assert.deepEqual(await parametersOf(part), expected))
  }
})

const JSON_TEXT = { 'application/json': { schema: text } }
const FORM = 'application/x-www-form-urlencoded'

const BODIES: Readonly<Record<string, readonly [input: object, expected: unknown]>> = {
  'an object as JSON': [
    { body: z.object({ a: z.string() }).describe('A car') },
    {
      description: 'A car',
      required: true,
      content: { 'application/json': { schema: { ...object({ a: text }, 'a'), description: 'A car' } } },
    },
  ],
  'what may be absent as not required': [
    { body: z.object({}).optional() },
    { content: { 'application/json': { schema: object({}) } } },
  ],
  'anything as not required': [{ body: z.any() }, { content: { 'application/json': { schema: {} } } }],
  'what is preprocessed by what comes behind': [
    { body: z.preprocess((value) => value, z.object({})) },
    { required: true, content: { 'application/json': { schema: object({}) } } },
  ],
  'a string as text and as JSON': [
    { body: z.string() },
    { required: true, content: { 'text/plain': { schema: text }, ...JSON_TEXT } },
  ],
  'a union with strings as JSON and its strings as text': [
    { body: z.union([z.string().max(5), z.array(z.int())]) },
    {
      required: true,
      content: {
        'application/json': {
          schema: {
            anyOf: [
              { type: 'string', maxLength: 5 },
              { type: 'array', items: integer },
            ],
          },
        },
        'text/plain': { schema: { type: 'string', maxLength: 5 } },
      },
    },
  ],
  'bytes as bytes': [
    { body: z.instanceof(Uint8Array) },
    { required: true, content: { 'application/octet-stream': { schema: binary } } },
  ],
  'the media type that the schema names': [
    { body: z.string().meta({ contentMediaType: 'text/csv' }) },
    { required: true, content: { 'text/csv': { schema: text } } },
  ],
  'a form in both encodings': [
    { form: { a: z.string(), n: z.int().optional(), tags: z.set(z.string()).optional() } },
    {
      required: true,
      content: Object.fromEntries(
        [FORM, 'multipart/form-data'].map((type) => [
          type,
          {
            schema: object(
              { a: text, n: integer, tags: { type: 'array', items: text, uniqueItems: true } },
              'a',
            ),
          },
        ]),
      ),
    },
  ],
  'a form of optional fields as not required': [
    { form: { a: z.string().optional() } },
    {
      content: {
        [FORM]: { schema: object({ a: text }) },
        'multipart/form-data': { schema: object({ a: text }) },
      },
    },
  ],
  'files with fields in one object, with the types they have': [
    {
      form: { a: z.string() },
      files: {
        image: z.file().mime(['image/png', 'image/gif']),
        more: z.array(z.file().mime('text/plain')).optional(),
        any: z.any(),
        video: z.instanceof(FileStream),
      },
    },
    {
      required: true,
      content: {
        'multipart/form-data': {
          schema: object(
            { a: text, image: binary, more: { type: 'array', items: binary }, any: binary, video: binary },
            'a',
            'image',
            'any',
            'video',
          ),
          encoding: { image: { contentType: 'image/png, image/gif' }, more: { contentType: 'text/plain' } },
        },
      },
    },
  ],
  'a form that is more than fields beside the files': [
    { form: z.union([z.object({ a: z.string() }), z.object({ b: z.int() })]), files: { f: z.file() } },
    {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            allOf: [
              { anyOf: [object({ a: text }, 'a'), object({ b: integer }, 'b')] },
              object({ f: binary }, 'f'),
            ],
          },
        },
      },
    },
  ],
  'files that may be missing in a body that may not': [
    { files: { one: z.file().optional() } },
    { required: true, content: { 'multipart/form-data': { schema: object({ one: binary }) } } },
  ],
  'streams of files as a list': [
    { files: { all: z.instanceof(FileStreams) } },
    {
      required: true,
      content: {
        'multipart/form-data': { schema: object({ all: { type: 'array', items: binary } }, 'all') },
      },
    },
  ],
  'named fields and files in one object': [
    {
      form: z.object({ a: z.string() }).meta({ id: 'Form' }),
      files: z.object({ f: z.file() }).meta({ id: 'Upload' }),
    },
    {
      required: true,
      content: { 'multipart/form-data': { schema: object({ a: text, f: binary }, 'a', 'f') } },
    },
  ],
}

describe('the request body in a document', () => {
  for (const [title, [input, expected]] of Object.entries(BODIES)) {
    it(`is ${title}`, async () => assert.deepEqual((await operationOf({ input })).requestBody, expected))
  }
})

const PROBLEM = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } },
}

const RESPONSES: Readonly<Record<string, readonly [schema: z.ZodType, status: number, content: unknown]>> = {
  'an object as JSON': [
    z.object({ a: z.string() }),
    200,
    { 'application/json': { schema: object({ a: text }, 'a') } },
  ],
  'a string as JSON, beside the problem of an error that a handler throws': [
    z.string(),
    404,
    { ...JSON_TEXT, ...PROBLEM },
  ],
  'nothing with 204': [z.string(), 204, undefined],
  'nothing for undefined': [z.undefined(), 200, undefined],
  'nothing for void': [z.void(), 202, undefined],
  'a file as bytes': [z.file(), 200, { 'application/octet-stream': { schema: binary } }],
  'bytes as bytes': [z.instanceof(Uint8Array), 200, { 'application/octet-stream': { schema: binary } }],
  'a blob as bytes': [z.instanceof(Blob), 200, { 'application/octet-stream': { schema: binary } }],
  'a file or something else as either': [
    z.union([z.file(), z.object({ a: z.string() })]),
    200,
    {
      'application/octet-stream': { schema: binary },
      'application/json': { schema: object({ a: text }, 'a') },
    },
  ],
  'a file of the types it has': [
    z.file().mime(['image/png', 'image/gif']),
    200,
    { 'image/png': { schema: binary }, 'image/gif': { schema: binary } },
  ],
  'the media type that the schema names': [
    z.array(z.string()).meta({ contentMediaType: 'text/event-stream' }),
    200,
    { 'text/event-stream': { schema: { type: 'array', items: text } } },
  ],
  'another value of the media type that the schema names': [
    z.custom(() => true).meta({ contentMediaType: 'text/csv' }),
    200,
    { 'text/csv': { schema: {} } },
  ],
}

describe('a response in a document', () => {
  for (const [title, [schema, status, content]] of Object.entries(RESPONSES)) {
    it(`is ${title}`, async () => {
      assert.deepEqual(contentOf(await operationOf({ response: { [status]: schema } }), status), content)
    })
  }

  it('is described by its schema', async () => {
    const { responses } = await operationOf({ response: z.string().describe('The name') })
    assert.equal(Reflect.get(Object(responses['200']), 'description'), 'The name')
  })
})

const Plain = z.object({ a: z.string() }).meta({ id: 'Plain' })
const Car = z.object({ a: z.string().default('x') }).meta({ id: 'Car' })
const Owner = z.object({ car: Car })
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })

interface Tree {
  readonly children: readonly Tree[]
}
const toTree = (): z.ZodType<Tree> => {
  const tree: z.ZodType<Tree> = z.object({ children: z.array(z.lazy(() => tree)) })
  return tree
}

const COMPONENTS: Readonly<
  Record<string, readonly [parts: readonly object[], expected: object, schemas?: Fields]>
> = {
  'one component for both directions where they look the same': [
    [{ input: { body: Plain }, response: z.array(Plain) }],
    { Plain: object({ a: text }, 'a') },
  ],
  'the input under the name': [
    [{ input: { body: Car } }],
    { Car: object({ a: { type: 'string', default: 'x' } }) },
  ],
  'the output under a name of its own, also when it is alone': [
    [{ response: Car }],
    { CarOutput: object({ a: { type: 'string', default: 'x' } }, 'a') },
  ],
  'the output under the name it has': [
    [{ response: z.object({ a: z.string().default('x') }).meta({ id: 'Mine', outputId: 'MineShown' }) }],
    { MineShown: object({ a: { type: 'string', default: 'x' } }, 'a') },
  ],
  'what refers to a component with two forms in two forms': [
    [{ input: { body: Owner }, response: Owner }],
    {
      Car: object({ a: { type: 'string', default: 'x' } }),
      CarOutput: object({ a: { type: 'string', default: 'x' } }, 'a'),
      Owner: object({ car: ref('Car') }, 'car'),
      OwnerOutput: object({ car: ref('CarOutput') }, 'car'),
    },
    { Owner },
  ],
  'the name of meta rather than that of the module': [
    [{ response: Plain }],
    { Plain: object({ a: text }, 'a') },
    { Other: Plain },
  ],
  'nothing that no route uses': [[{}], {}, { Owner }],
  'a wrapped schema by its name': [
    [{ input: { body: z.array(Plain.describe('One').optional()) } }],
    { Plain: object({ a: text }, 'a') },
  ],
  'a reference with what is said of it, and nothing else': [
    [
      {
        response: z
          .object({ it: Plain.describe('Mine').readonly(), at: Plain.meta({ id: 'Other', outputId: 'O' }) })
          .meta({ id: 'All' }),
      },
    ],
    {
      All: object({ it: { ...ref('Plain'), description: 'Mine' }, at: ref('Other') }, 'it', 'at'),
      Other: ref('Plain'),
      Plain: object({ a: text }, 'a'),
    },
  ],
  'a recursive schema under a name made of its place': [
    [{ response: toTree() }, { input: { body: z.object({ tree: toTree() }) } }],
    {
      CarR0Response200: object({ children: { type: 'array', items: ref('CarR0Response200') } }, 'children'),
      CarR1BodyTree: object({ children: { type: 'array', items: ref('CarR1BodyTree') } }, 'children'),
    },
  ],
  'a name like those that zod makes': [
    [{ response: z.object({}).meta({ id: 'schema1' }) }],
    { schema1: object({}) },
  ],
  'the options of a discriminated union, which its mapping names': [
    [
      {
        response: z
          .discriminatedUnion('k', [
            z.object({ k: z.literal('a'), x: z.string().default('') }).meta({ id: 'A' }),
            z.object({ k: z.literal('b') }).meta({ id: 'B' }),
          ])
          .meta({ id: 'Either' }),
      },
    ],
    {
      AOutput: object({ k: { type: 'string', const: 'a' }, x: { type: 'string', default: '' } }, 'k', 'x'),
      B: object({ k: { type: 'string', const: 'b' } }, 'k'),
      EitherOutput: {
        type: 'object',
        oneOf: [ref('AOutput'), ref('B')],
        discriminator: {
          propertyName: 'k',
          mapping: { a: '#/components/schemas/AOutput', b: '#/components/schemas/B' },
        },
      },
    },
  ],
}

describe('the components of a document', () => {
  for (const [title, [parts, expected, schemas]] of Object.entries(COMPONENTS)) {
    it(`are ${title}`, async () => {
      const shown = await componentsOf(parts, schemas)
      assert.deepEqual(shown, expected)
      assert.deepEqual(Object.keys(shown ?? {}), Object.keys(shown ?? {}).toSorted())
    })
  }

  it('keep both forms apart where schemas refer to each other', async () => {
    const left: z.ZodType = z.lazy(() => z.object({ right, own: Car }))
    const right: z.ZodType = z.lazy(() => z.object({ left: left.optional() }))
    const parts = [{ input: { body: left }, response: right }]
    const shown = JSON.stringify((await documentOf(parts, { Left: left, Right: right })).components.schemas)
    assert.match(
      shown,
      /"Right":\{"type":"object","properties":\{"left":\{"\$ref":"#\/components\/schemas\/Left"/,
    )
    assert.match(
      shown,
      /"RightOutput":\{"type":"object","properties":\{"left":\{"\$ref":"#\/components\/schemas\/LeftOutput"/,
    )
  })

  it('are the same when a route is added', async () => {
    const first = [{ response: Car }, { input: { body: toTree() } }]
    const alone = await componentsOf(first)
    const after = await componentsOf([...first, { input: { body: Car }, response: toTree() }])
    for (const [name, schema] of Object.entries(alone ?? {})) assert.deepEqual(after?.[name], schema)
  })

  it('leave the schemas as they were', async () => {
    const twice = z.string().meta({ id: 'Twice', title: 'One' })
    await problemsOf([{ response: twice }, { response: z.int().meta({ id: 'Twice' }) }])
    assert.deepEqual(twice.meta(), { id: 'Twice', title: 'One' })
  })
})

const CANNOT = 'a document cannot show'

describe('schemas that a document cannot show', () => {
  it('is told of all routes at once, with its places', async () => {
    const bad = z.object({
      items: z.array(z.object({ price: z.string().transform(Number), map: z.map(z.string(), z.int()) })),
      set: z.set(z.string()),
      money: z.instanceof(Money),
      custom: z.custom(() => true).optional(),
      described: z.custom(() => true).describe('not enough'),
      file: z.file(),
      nan: z.nan(),
      symbol: z.record(z.string(), z.symbol()),
      call: z.tuple([z.function()]),
      later: z.promise(z.string()),
      none: z.literal(undefined),
    })
    assert.deepEqual(
      await problemsOf([
        { response: bad },
        { input: { body: z.object({ set: z.set(z.symbol()), fine: z.string().transform(Number) }) } },
        { input: { query: { own: z.custom(() => true), fine: z.set(z.string()) } } },
        { response: { 200: z.string(), 404: z.symbol() } },
      ]),
      [
        `car.r0: POST /car/0: response 200, at items[].price: ${CANNOT} the result of a transform [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at items[].map: ${CANNOT} z.map() [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at set: ${CANNOT} z.set() [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at money: ${CANNOT} z.instanceof(Money) [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at custom: ${CANNOT} z.custom() [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at described: ${CANNOT} z.custom() [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at file: ${CANNOT} a file or bytes in JSON [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at nan: ${CANNOT} z.nan() [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at symbol.*: ${CANNOT} z.symbol() [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at call[0]: ${CANNOT} z.function() [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at later: ${CANNOT} z.promise() [undocumented_schema]`,
        `car.r0: POST /car/0: response 200, at none: ${CANNOT} z.literal(undefined) [undocumented_schema]`,
        `car.r1: POST /car/1: input.body.set: ${CANNOT} z.set() [undocumented_schema]`,
        `car.r1: POST /car/1: input.body.set[]: ${CANNOT} z.symbol() [undocumented_schema]`,
        `car.r2: POST /car/2: input.query.own: ${CANNOT} z.custom() [undocumented_schema]`,
        `car.r3: POST /car/3: response 404: ${CANNOT} z.symbol() [undocumented_schema]`,
      ],
    )
  })

  it('is a note in its place, and nothing else changes', async () => {
    const money = z
      .object({ money: z.instanceof(Money).describe('A sum'), id: z.string() })
      .meta({ id: 'Money' })
    const fine = [{ response: z.object({ items: z.array(z.string()) }) }]
    const bad = [
      ...fine,
      {
        response: z.object({
          set: z.set(z.string()),
          all: z.array(z.symbol()),
          nullable: z.custom().nullable(),
        }),
      },
      {
        response: { 200: money, 404: z.symbol() },
        input: { query: { own: z.custom(() => true), n: z.int() } },
      },
    ]
    const { paths, components } = await documentOf(bad)
    assert.deepEqual(paths['/car/0'], (await documentOf(fine)).paths['/car/0'])
    const [first, second] = ['/car/1', '/car/2'].map((path) => paths[path]?.['post'])
    assert.ok(first !== undefined && second !== undefined)
    const note = (kind: string) => ({ description: `Documents cannot show ${kind}.` })
    assert.deepEqual(contentOf(first)?.['application/json']?.schema, {
      type: 'object',
      properties: {
        set: note('z.set()'),
        all: { type: 'array', items: note('z.symbol()') },
        nullable: { anyOf: [note('z.custom()'), { type: 'null' }] },
      },
      required: ['set', 'all', 'nullable'],
    })
    assert.deepEqual(components.schemas?.['MoneyOutput'], {
      type: 'object',
      properties: {
        money: { description: 'A sum\n\nDocuments cannot show z.instanceof(Money).' },
        id: { type: 'string' },
      },
      required: ['money', 'id'],
    })
    assert.deepEqual(contentOf(second, 404), {
      'application/json': { schema: note('z.symbol()') },
      ...PROBLEM,
    })
    assert.deepEqual(second.parameters?.[0], {
      name: 'own',
      in: 'query',
      ...note('z.custom()'),
      required: true,
      schema: {},
    })
  })

  it('is a warning at ready() if documents are served, and once', async () => {
    const controller = defineController({
      prefix: '/car',
      routes: [{ method: 'GET', response: z.set(z.string()), handler: () => new Set<string>() }],
    })
    const warnings: unknown[] = []
    const app = serve(controller, {
      docs: {},
      logger: { ...SILENT, warn: (warning) => void warnings.push((warning as DefinitionWarning).code) },
    })
    await app.ready()
    assert.deepEqual(warnings, ['undocumented_schema'])
    const { statusCode } = await app.inject('/docs/openapi.json')
    assert.equal(statusCode, 200)
    assert.deepEqual(warnings, ['undocumented_schema'])
  })

  it('is told of every route that uses a component with it', async () => {
    const money = z.object({ money: z.instanceof(Money) }).meta({ id: 'Money' })
    const where = (index: number, place: string): string =>
      `car.r${index}: POST /car/${index}: ${place}: ${CANNOT} z.instanceof(Money) [undocumented_schema]`
    assert.deepEqual(await problemsOf([{ response: money }, { input: { body: z.array(money) } }]), [
      where(0, 'response 200, at money'),
      where(1, 'input.body[].money'),
    ])
  })

  it('is a schema that throws, never ends or says what is no JSON, beside all others', async () => {
    const endless = (): z.ZodType => z.lazy(() => z.object({ more: endless() }))
    const throwing = z.lazy((): z.ZodType => {
      throw new Error('no schema')
    })
    for (const [schema, reason] of [
      [endless(), 'Maximum call stack size exceeded'],
      [throwing, 'no schema'],
      [z.string().meta({ limit: 5n }), 'Error converting schema to JSON.'],
    ] as const) {
      assert.deepEqual(await problemsOf([{ response: schema }, { response: z.symbol() }]), [
        `car.r0: POST /car/0: response 200: ${CANNOT} a schema that zod does not convert (${reason}) [undocumented_schema]`,
        `car.r1: POST /car/1: response 200: ${CANNOT} z.symbol() [undocumented_schema]`,
      ])
    }
  })

  it('are two schemas of one name, in any directions and beside all others', async () => {
    const parts = [
      { response: z.object({ it: z.string().meta({ id: 'It' }) }) },
      { input: { body: z.int().meta({ id: 'It' }) } },
      { response: z.symbol() },
    ]
    assert.deepEqual(await problemsOf(parts), [
      `car.r2: POST /car/2: response 200: ${CANNOT} z.symbol() [undocumented_schema]`,
      'car.r1: POST /car/1: a schema is named "It", as another one in car.r0: POST /car/0 is [duplicate_schema]',
    ])
    assert.deepEqual(await problemsOf([{ response: Plain }, { response: Owner }], { Plain: Owner }), [
      'car.r1: POST /car/1: a schema is named "Plain", as another one in car.r0: POST /car/0 is [duplicate_schema]',
    ])
  })

  it('is no base of another schema with the name of one that is used', async () => {
    const named = (schema: z.ZodType): z.ZodType => schema.meta({ id: 'It' })
    const base = named(z.object({ a: z.string() }))
    const strict = base.refine(() => true)
    const other = named(z.object({ b: z.string() }))
    for (const parts of [
      [strict, other],
      [other, strict],
    ])
      assert.deepEqual(await problemsOf(parts.map((response) => ({ response }))), [])
    assert.equal((await problemsOf([strict, other, base].map((response) => ({ response })))).length, 1)
  })

  it('is an output whose name another schema has', async () => {
    assert.deepEqual(
      await problemsOf([{ response: Car }, { response: z.object({}).meta({ id: 'CarOutput' }) }]),
      [
        'car.r0: POST /car/0: the output of the schema "Car" is named "CarOutput", as another schema in car.r1: POST /car/1 is [duplicate_schema]',
      ],
    )
  })

  it('is a name that no component can have', async () => {
    for (const id of ['a b/c', '__proto__'])
      assert.deepEqual(await problemsOf([{ response: z.string().meta({ id }) }]), [
        `car.r0: POST /car/0: "${id}" cannot be the name of a schema in a document [invalid_name]`,
      ])
  })
})
