import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import { build, transform } from 'esbuild'

import {
  compareImported,
  formatStatement,
  readApi,
  toPlainDocument,
  prepareSource,
  toModels,
  writeProject,
  firstSentences,
} from '../inside/tools.ts'
import { createProject } from '../support/octavo.ts'
import { findPackage } from '../support/package.ts'

const folder = createProject()
after(() => folder.remove())

type Json = Readonly<Record<string, unknown>>

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: Json): Json => ({ 'application/json': { schema } })
const answers = (schema: Json, status = 200): Json => ({
  responses: { [status]: { description: 'OK', content: json(schema) } },
})
const takes = (content: Json): Json => ({
  requestBody: { required: true, content },
  responses: { 204: { description: 'Done' } },
})

/** A document with one path for each operation. */
function documentOf(
  operations: Readonly<Record<string, Json>>,
  components: Json = {},
  openapi = '3.1.0',
): Json {
  const paths: Record<string, Json> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const [method = 'get', path = '/'] = name.split(' ')
    paths[path] = { ...paths[path], [method]: operation }
  }
  return { openapi, info: { title: 'Shop API', version: '2.1' }, paths, components }
}

const ofSchemas = (schemas: Json, ...used: readonly string[]): Json =>
  documentOf(
    Object.fromEntries(
      (used.length === 0 ? Object.keys(schemas) : used).flatMap((name) => [
        [`get /things/${name}`, { tags: ['things'], ...answers(ref(name)) }],
        [`put /things/${name}`, { tags: ['things'], ...takes(json(ref(name))) }],
      ]),
    ),
    { schemas },
  )

function readJson(name: string): Json {
  return Object(JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')))
}

interface Imported {
  /** The written files of the folder of the API, by their names. */
  readonly files: Readonly<Record<string, string>>
  /** The name and path of each route that is served. */
  readonly routes: readonly string[]
  /** The reasons of breaking differences, and those without a reason. */
  readonly expected: readonly string[]
  readonly unexpected: readonly string[]
}

/** What the written apps serve, by their folders. One module loads them all, beside the package as it is shipped. */
let served: Readonly<Record<string, { readonly document: unknown; readonly routes: readonly string[] }>> = {}
const names: string[] = []
before(async () => {
  const imports = names.map((name) => `import { app as ${name} } from './${name}/src/app.ts'`)
  const reads = `export const served = {}
for (const [name, app] of Object.entries({ ${names.join(', ')} })) {
  await app.ready()
  const [{ version }] = app.versions()
  served[name] = { document: app.openapi({ version }), routes: app.routes().map(({ name, path }) => name + ' ' + path) }
}`
  folder.write('all.ts', [...imports, reads].join('\n'))
  await findPackage()
  const outfile = join(folder.path, 'all.mjs')
  const entryPoints = [join(folder.path, 'all.ts')]
  await build({ entryPoints, outfile, bundle: true, packages: 'external', format: 'esm', target: 'node20' })
  ;({ served } = await import(pathToFileURL(outfile).href))
})

/** Writes a document as source. What is returned compares what the app serves with the document, in both directions. */
function imported(document: Json): () => Imported {
  const source = prepareSource(document)
  const api = readApi(source)
  const project = writeProject(api, { out: 'src/api' })
  const name = `project${names.length}`
  names.push(name)
  for (const [path, text] of Object.entries(project.files)) folder.write(`${name}/${path}`, text)
  const files = Object.fromEntries(
    Object.entries(project.files).map(([path, text]) => [path.replace('src/api/', ''), text]),
  )
  return () => {
    const { document: shown, routes = [] } = served[name] ?? {}
    const { expected, unexpected } = compareImported(source, shown, api, project.expected)
    return {
      files,
      routes,
      expected: [...expected.keys()],
      unexpected: unexpected.map(({ schema, operation, at, rule }) => `${schema ?? operation} ${at} ${rule}`),
    }
  }
}

const models = ({ files }: Imported): string => files['models.ts'] ?? ''
const controller = ({ files }: Imported, name = 'things'): string => files[`${name}.controller.ts`] ?? ''

describe('an imported document whose schemas lead to the same ones on many ways', () => {
  const SHAPES: Readonly<Record<string, (below: Json) => Json>> = {
    allOf: (below) => ({ allOf: [below, below] }),
    members: (below) => ({ type: 'object', properties: { a: below, b: below } }),
    items: (below) => ({ type: 'array', prefixItems: [below, below], items: below }),
  }
  for (const [title, make] of Object.entries(SHAPES))
    // each way walked by itself, 40 levels would take years
    it(`is written: ${title}`, () => {
      const levels = Array.from({ length: 40 }, (_, at) => `Level${at}`)
      const schemas = levels.map((name, at) => [
        name,
        at === 0 ? { type: 'object' } : make(ref(`Level${at - 1}`)),
      ])
      const document = ofSchemas(Object.fromEntries(schemas), 'Level39')
      const { files } = writeProject(readApi(prepareSource(document)), { out: 'src/api' })
      assert.match(files['src/api/models.ts'] ?? '', /Level39/)
    })
})

describe('an imported document', () => {
  {
    const car = { id: { type: 'integer', format: 'int64' }, name: { type: 'string' }, color: ref('Color') }
    const toResult = imported(
      ofSchemas(
        {
          NewCar: {
            type: 'object',
            properties: { name: car.name, color: car.color },
            required: ['name'],
          },
          Car: { type: 'object', description: 'A car', properties: car, required: ['id', 'name'] },
          Truck: { allOf: [ref('Car'), { type: 'object', properties: { load: { type: 'number' } } }] },
          Color: { type: 'string', enum: ['red', 'blue'] },
          CarOrNone: {
            type: ['object', 'null'],
            properties: { id: car.id, name: car.name },
            required: ['id', 'name'],
          },
        },
        'NewCar',
        'Truck',
        'CarOrNone',
      ),
    )
    it('becomes models, parts of models and schemas, in the order of their use', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      const text = models(result)
      assert.match(text, /export const int64 = z\.int\(\)\.meta\(\{ format: 'int64' \}\)/)
      assert.match(text, /export const Color = z\.enum\(\['red', 'blue'\]\)\.meta\(\{ id: 'Color' \}\)/)
      assert.match(
        text,
        /export const Car = model\('Car', \{\s*id: int64,\s*name: z\.string\(\),\s*color: Color\.optional\(\),\s*\},/,
      )
      assert.match(text, /\{ description: 'A car' \}/)
      assert.match(
        text,
        /NewCar = derive\(Car, \(car\) => car\.omit\(\{ id: true \}\)\.meta\(\{ id: 'NewCar' \}\)\)/,
      )
      assert.match(text, /Truck = model\('Truck', \{ \.\.\.Car\.shape, load: z\.number\(\)\.optional\(\) \}/)
    })
  }

  {
    const properties = {
      at: { type: 'string', format: 'date-time', description: "When it's due" },
      page: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
      rate: { type: 'number', minimum: 0, exclusiveMinimum: true, exclusiveMaximum: 1 },
      tags: { type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 1 },
      code: { type: 'string', pattern: '^a/[b(]\\d+$', minLength: 2 },
      any: {},
      free: { type: 'object' },
      map: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1 },
      closed: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      open: {
        type: 'object',
        properties: { a: { type: 'string' } },
        additionalProperties: { type: 'string' },
      },
      old: { type: 'string', deprecated: true, readOnly: true },
      'x-y': { const: 'z' },
      none: { type: ['string', 'null'] },
      either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      both: { allOf: [{ type: 'string' }, { minLength: 3 }] },
      one: {
        type: 'object',
        properties: { a: {}, b: {} },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      numbers: { enum: [1, 2, null] },
    }
    const toResult = imported(ofSchemas({ Thing: { type: 'object', properties, required: ['at', 'gone'] } }))
    it('keeps everything that JSON Schema says', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      assert.match(
        models(result),
        /page: z\.int\(\)\.min\(1\)\.max\(9\)\.optional\(\)\.meta\(\{ default: 1 \}\)/,
      )
      assert.match(models(result), /at: dateTime\.describe\('When it\\'s due'\)/)
    })
  }

  {
    const schemas = {
      Node: {
        type: 'object',
        properties: {
          name: { type: 'string', nullable: true },
          size: { type: 'integer', minimum: 0, exclusiveMinimum: true },
          next: { nullable: true, allOf: [ref('Node')] },
          kind: { type: 'string', enum: ['a', 'b'], nullable: true },
          // siblings of references say nothing there
          other: { ...ref('Leaf'), type: 'string' },
        },
      },
      Leaf: { type: 'object', properties: { is: { type: 'boolean' } } },
    }
    const toResult = imported({ ...ofSchemas(schemas), openapi: '3.0.3' })
    it('reads the words of OpenAPI 3.0', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      assert.match(models(result), /size: z\.int\(\)\.gt\(0\)\.optional\(\)/)
    })
  }

  {
    const toResult = imported(
      ofSchemas({
        Tree: {
          type: 'object',
          properties: { children: { type: 'array', items: ref('Tree') }, owner: ref('User') },
          required: ['children'],
        },
        Oak: { allOf: [ref('Tree'), { type: 'object', properties: { age: { type: 'integer' } } }] },
        User: {
          type: 'object',
          properties: { trees: { type: 'object', additionalProperties: ref('Tree') } },
        },
        Json: { anyOf: [{ type: 'string' }, { type: 'array', items: ref('Json') }] },
      }),
    )
    it('holds models that contain themselves, directly and through others', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      assert.match(models(result), /get children\(\): z\.ZodType \{\s*return z\.array\(Tree\)/)
      assert.match(models(result), /export const Json: z\.ZodType = z\.lazy\(\(\) =>/)
    })
  }

  {
    const option = (kind: string): Json => ({
      type: 'object',
      properties: { kind: { type: 'string', enum: [kind] } },
      required: ['kind'],
    })
    const oneOf = [ref('Cat'), ref('Dog')]
    const toResult = imported(
      ofSchemas({
        Pet: { oneOf, discriminator: { propertyName: 'kind' } },
        Cat: option('cat'),
        Dog: option('dog'),
      }),
    )
    it('tells alternatives apart by their discriminator', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      assert.match(models(result), /z\.discriminatedUnion\('kind', \[Cat, Dog\]\)/)
    })
  }

  {
    const text = { type: 'string' }
    const item = { type: 'object', properties: { a: text, b: text }, required: ['a'] }
    const toResult = imported({
      ...ofSchemas({
        Item: item,
        Letter: { type: 'string', enum: ['x', 'y'] },
        Short: { type: 'string', maxLength: 9 },
        Thing: {
          type: 'object',
          properties: {
            needed: { ...ref('Item'), required: ['b'] },
            also: { allOf: [ref('Item'), { required: ['b'] }] },
            typed: { type: 'object', allOf: [ref('Item')] },
            more: { allOf: [ref('Item'), { type: ['object', 'null'], properties: { c: text } }] },
            maybe: { allOf: [{ ...item, type: ['object', 'null'] }, { type: ['object', 'null'] }] },
            none: { ...ref('Item'), default: null },
            noneOf: { anyOf: [{ ...ref('Item'), default: null }, { type: 'null' }] },
            kind: { type: 'string', enum: ['x'], allOf: [ref('Letter')] },
            empty: { type: 'string', oneOf: [], enum: [] },
            code: { allOf: [ref('Short'), { minLength: 2, maxLength: 20 }] },
            list: {
              allOf: [
                { type: 'array', items: text },
                { type: 'array', maxItems: 3 },
              ],
            },
          },
        },
      }),
    })
    it('has one schema for what several keywords say', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      const written = models(result)
      assert.doesNotMatch(written, /intersection|never/)
      assert.match(written, /typed: Item\.optional\(\),\s*more: derive\(Item, \(item\) => item\.extend\(/)
      assert.match(written, /noneOf: Item\.nullable\(\)\.optional\(\)/)
      assert.match(written, /kind: z\.enum\(\['x'\]\)\.optional\(\)/)
      assert.match(written, /code: z\.string\(\)\.min\(2\)\.max\(9\)\.optional\(\)/)
    })
  }

  {
    const parameter = (name: string, schema: Json): Json => ({ in: 'path', name, required: true, schema })
    const text = { type: 'string' }
    const read = (name: string, schema: Json = text): Json => ({
      tags: ['things'],
      parameters: [parameter(name, schema)],
      ...answers(text),
    })
    const toResult = imported({
      ...documentOf({
        'get /things/{code}': read('code', { allOf: [text, { minLength: 2 }] }),
        'get /things/{id}/parts': read('id'),
        'get /things/{name}/parts': read('name'),
        'get /things/{id}/sizes': read('id', { type: 'string', format: 'uuid' }),
        'get /things/{name}/sizes': read('name'),
        'put /things/{id}/sizes': { ...read('id'), ...takes(json({ type: 'integer' })) },
        'put /things/{name}/sizes': { ...read('name'), ...takes(json(text)) },
        'get /things/../other': { tags: ['things'], ...answers(text) },
        'get /things/old/list': {
          tags: ['things'],
          deprecated: true,
          'x-sunset': '2099-01-01',
          'x-stability-level': 'beta',
          responses: { 200: { description: 'Done' } },
        },
        'get /things/key/list': { tags: ['things'], security: [{ unknown: [] }], ...answers(text) },
        'get /things/dates/list': {
          tags: ['things'],
          responses: {
            400: {
              description: 'Bad',
              content: {
                'application/json;dates=iso': { schema: { type: 'object', properties: { at: text } } },
              },
            },
          },
        },
      }),
    })
    it('starts whatever the paths are, and names those that have no route', () => {
      const result = toResult()
      assert.deepEqual(result.unexpected, [])
      assert.deepEqual(result.expected.toSorted(), [
        'no response says what a success is, so any does',
        'no route has this path: its requests pass like all that no route matches',
        'paths that differ in the names of their parameters are one in documents',
        'the document does not declare all of its security schemes',
      ])
      assert.deepEqual(
        result.routes.map((route) => route.split(' ')[1]).filter((path) => path?.startsWith('/things')),
        [
          '/things/{code}',
          '/things/{id}/parts',
          '/things/{id:uuid}/sizes',
          '/things/{name}/sizes',
          '/things/old/list',
          '/things/key/list',
          '/things/dates/list',
        ],
      )
    })
  }

  {
    const part = (name: string): Json => ({ type: 'object', properties: { [name]: { type: 'string' } } })
    const toResult = imported(
      ofSchemas({
        Either: { oneOf: [part('a'), part('b')] },
        Pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
        Untyped: { properties: { a: { type: 'string' } } },
      }),
    )
    it('names what zod cannot say, with the reason', () => {
      const result = toResult()
      assert.deepEqual(result.unexpected, [])
      assert.deepEqual(result.expected.toSorted(), [
        'it has properties or items and no type, so it gets one',
        'oneOf is z.union, so a value may fit several of its schemas',
        'prefixItems is a tuple, all of whose items are required',
      ])
    })
  }

  {
    const parameter = (place: string, name: string, schema: Json, more: Json = {}): Json => ({
      in: place,
      name,
      schema,
      ...more,
    })
    const text = { type: 'string' }
    const list = { type: 'array', items: text }
    const toResult = imported(
      documentOf({
        'get /things/{id}/{code}/{thing-id}.json': {
          tags: ['things'],
          parameters: [
            parameter('path', 'id', { type: 'string', format: 'uuid' }, { required: true }),
            parameter('path', 'code', { type: 'integer' }, { required: true }),
            parameter('path', 'thing-id', text, { required: true, description: 'Its name' }),
            parameter('query', 'tag', list),
            parameter('query', 'ids', list, { explode: false }),
            parameter(
              'query',
              'filter',
              { type: 'object', properties: { a: text } },
              { style: 'deepObject' },
            ),
            parameter('query', 'page[size]', { type: 'integer', default: 20 }, { deprecated: true }),
            parameter('header', 'X-Trace', text, { required: true }),
            parameter('header', 'api_key', text),
            parameter('cookie', 'session', text),
          ],
          ...answers(text),
        },
      }),
    )
    it('declares parameters, and documents those that are sent in a style of their own', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      const written = controller(result)
      assert.match(written, /path: '\/\{id:uuid\}\/\{code\}\/\{thing_id\}\.json'/)
      assert.match(written, /'X-Trace': z\.string\(\)/)
      assert.match(written, /name: 'ids', in: 'query', explode: false/)
    })
  }

  {
    const file = { type: 'string', format: 'binary' }
    const flat = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    const deep = { type: 'object', properties: { a: flat }, required: ['a'] }
    const draft = { type: 'object', properties: { name: { type: 'string', default: 'New' } } }
    const form = 'application/x-www-form-urlencoded'
    const toResult = imported(
      documentOf(
        {
          'post /things/json': takes({ ...json(ref('Thing')), 'application/xml': { schema: ref('Thing') } }),
          'patch /things/patch': takes({ 'application/merge-patch+json': { schema: ref('Thing') } }),
          'post /things/form': takes({ [form]: { schema: flat } }),
          'post /things/deep': takes({ [form]: { schema: deep } }),
          'post /things/file': takes({
            'multipart/form-data': { schema: { ...flat, properties: { a: { type: 'string' }, file } } },
          }),
          'post /things/text': takes({ 'text/plain': { schema: { type: 'string' } } }),
          'post /things/any': takes({ '*/*': { schema: ref('Thing') } }),
          'post /things/bytes': takes({ 'image/png': { schema: file } }),
          'post /things/word': takes(json({ type: 'string' })),
          'get /things/many': {
            responses: {
              200: {
                description: 'Some',
                headers: { 'X-Total': { schema: { type: 'integer' }, required: true } },
                content: {
                  ...json({ type: 'array', items: ref('Thing') }),
                  'text/csv': {},
                  'text/event-stream': { schema: { type: 'object', properties: { thing: ref('Thing') } } },
                },
              },
              '3XX': { description: 'Elsewhere' },
              404: { description: 'None' },
              '5XX': { description: 'Broken', content: json(flat) },
              default: { description: 'Else', content: { 'application/problem+json': { schema: flat } } },
            },
          },
          'get /things/picture': {
            responses: { 200: { description: 'x', content: { 'image/png': { schema: file } } } },
          },
          'get /things/page': {
            responses: {
              200: { description: 'x', content: { 'text/html': { schema: { type: 'string' } } } },
            },
          },
          'post /things/draft': {
            ...takes(json(ref('Draft'))),
            responses: {
              200: {
                description: 'x',
                content: {
                  ...json(ref('Draft')),
                  'text/event-stream': { schema: { type: 'array', items: ref('Draft') } },
                },
              },
            },
          },
          'post /things/closed': takes({
            'multipart/form-data': {
              schema: { ...flat, properties: { a: { type: 'string' }, file }, additionalProperties: false },
            },
          }),
          'post /things/later': {
            responses: {
              202: { description: 'x', headers: { 'Retry-After': { schema: { type: 'integer' } } } },
            },
          },
        },
        { schemas: { Thing: flat, Draft: draft } },
      ),
    )
    it('declares bodies and responses of each media type', () => {
      const result = toResult()
      assert.deepEqual(
        [result.expected, result.unexpected],
        [['a form with files takes members that it does not name'], []],
      )
      const written = controller(result)
      assert.match(
        written,
        /form: z\s*\.object\(\{ a: z\.string\(\) \}\)|form: z\.object\(\{ a: z\.string\(\) \}\)/,
      )
      assert.match(written, /files: \{ file: z\.file\(\)\.optional\(\) \}/)
      assert.match(
        written,
        /derive\(Thing, \(schema\) => schema\.meta\(\{ contentMediaType: 'application\/merge-patch\+json' \}\)\)/,
      )
      assert.match(written, /404: z\.undefined\(\)\.describe\('None'\)/)
      // documents show a schema under its name, unless requests and responses have one each
      assert.match(written, /thing: \{ \$ref: '#\/components\/schemas\/Thing' \}/)
      assert.doesNotMatch(written, /schemas\/Draft/)
    })
  }

  {
    const key = { type: 'apiKey', in: 'header', name: 'x-key' }
    const flows = {
      clientCredentials: { tokenUrl: 'https://a.test', scopes: { read: 'Read', write: 'Write' } },
    }
    const one = (security: readonly Json[]): Json => ({ security, ...answers({ type: 'string' }) })
    const toResult = imported({
      ...documentOf(
        {
          'get /things/key': one([{ key: [] }]),
          'get /things/read': one([{ login: ['read'] }]),
          'get /things/write': one([{ login: ['write'] }]),
          'get /things/either': one([{ key: [] }, { login: ['read'] }]),
          'get /things/both': one([{ key: [], login: ['read'] }]),
          'get /things/maybe': one([{ key: [] }, {}]),
          'get /things/open': one([]),
          'get /things/usual': answers({ type: 'string' }),
        },
        { securitySchemes: { key, login: { type: 'oauth2', flows } } },
      ),
      security: [{ key: [] }],
    })
    it('has a guard for each kind of credentials, with its scopes', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      assert.match(result.files['guards.ts'] ?? '', /export const loginReadGuard = defineGuard\(/)
      assert.match(result.files['guards.ts'] ?? '', /scopes: \['read'\]/)
    })
  }

  {
    const toResult = imported(
      documentOf({
        'get /v1/cars': {
          tags: ['Car parts'],
          operationId: 'car-parts/list-all',
          summary: 'All',
          ...answers({}),
        },
        'get /v1/cars/{id}': { tags: ['Car parts'], operationId: 'carPartsGet', ...answers({}) },
        'delete /v1/cars/{id}': { tags: ['Car parts'], deprecated: true, ...answers({}) },
        'get /1-click': answers({}),
        'get /': answers({}),
        'get /slash/': answers({}),
        'get /files#anchor': answers({}),
      }),
    )
    it('has a controller for each tag, or each first word, with names of the operations', () => {
      const result = toResult()
      assert.deepEqual(result.unexpected, [])
      assert.deepEqual(result.expected, [
        'no route has this path: its requests pass like all that no route matches',
      ])
      assert.deepEqual(result.routes.slice(0, 6), [
        'car-parts.listAll /v1/cars',
        'car-parts.get /v1/cars/{id}',
        'car-parts.deleteV1CarsById /v1/cars/{id}',
        'api1-click.get1Click /1-click',
        'root.get /',
        'slash.getSlash /slash/',
      ])
      assert.match(controller(result, 'car-parts'), /tags: \['Car parts'\]/)
    })
  }

  {
    const body = { type: 'object', properties: { data: ref('Car'), next: { type: 'string' } } }
    const sent = { type: 'object', properties: { comment: { type: 'string' }, urgent: { type: 'boolean' } } }
    const words = ['cars', 'vans', 'SIPDomains']
    const operations = words.flatMap((word) =>
      Array.from({ length: 8 }, (_, at): readonly [string, Json] => [
        `get /2010-04-01/api/${word}/{id}/part${at}`,
        { tags: ['Garage'], operationId: `list${word}${at}`, ...answers(body) },
      ]),
    )
    const toResult = imported(
      documentOf(
        {
          ...Object.fromEntries(operations),
          'post /2010-04-01/api/cars': { tags: ['Garage'], ...takes(json(sent)) },
          'post /2010-04-01/api/vans': { tags: ['Garage'], ...takes(json(sent)) },
        },
        { schemas: { Car: { type: 'object', properties: { id: { type: 'string' } } } } },
      ),
    )
    it('has a controller for each word of many paths that have one tag, and equal bodies once', () => {
      const result = toResult()
      assert.deepEqual([result.expected, result.unexpected], [[], []])
      assert.deepEqual(
        Object.keys(result.files).filter((file) => file.endsWith('.controller.ts')),
        ['cars.controller.ts', 'vans.controller.ts', 'sip-domains.controller.ts'],
      )
      assert.match(controller(result, 'sip-domains'), /name: 'listSIPDomains0'/)
      assert.match(controller(result, 'sip-domains'), /response: CarBody,/)
      assert.match(controller(result, 'vans'), /import \{ CarBody, CommentUrgentBody \} from '.\/models.ts'/)
      assert.equal(models(result).split('CarBody = z.object(').length, 2)
      assert.match(result.files['src/app.ts'] ?? '', /guards: \[\]/)
    })
  }

  it('has the first sentences of long descriptions', () => {
    const long = 'x'.repeat(300)
    for (const [text, short] of [
      ['Lists cars.', 'Lists cars.'],
      ['Lists cars,\nas they are. See below.', 'Lists cars,\nas they are. See below.'],
      ['Lists cars, e.g. Beetles. Filters them. Sorts them.', 'Lists cars, e.g. Beetles. Filters them.'],
      ['# Cars\n\nLists cars:\n- old\n- new\n\nMore.', 'Lists cars.'],
      [`One. Y${long}. Three.`, 'One.'],
      [`word ${long}`, 'word …'],
    ] as const)
      assert.equal(firstSentences(text), short)
  })

  it('is kept as a document that gives the same source', () => {
    const document = ofSchemas({
      Car: {
        type: 'object',
        properties: { id: { type: 'integer', nullable: true, example: 7 } },
        'x-own': 1,
      },
    })
    const api = readApi(prepareSource({ ...document, openapi: '3.0.0' }))
    const text = JSON.stringify(toPlainDocument(api))
    const kept = readApi(prepareSource(JSON.parse(text)))
    assert.deepEqual(
      writeProject(kept, { out: 'src/api' }).files,
      writeProject(api, { out: 'src/api' }).files,
    )
    assert.doesNotMatch(text, /x-own|example/)
  })
})

describe('a written statement', () => {
  it('has a member on each line of its longest list if it is long, and leaves texts and expressions alone', () => {
    const long = 'x'.repeat(60)
    assert.equal(
      formatStatement(
        `const a = f('${long}, (', { b: z.string().regex(/[(]\\/,/), c: [1, 2], d: '${long}' })`,
      ),
      `const a = f('${long}, (', {\n  b: z.string().regex(/[(]\\/,/),\n  c: [1, 2],\n  d: '${long}',\n})`,
    )
    assert.equal(formatStatement('f({ a: 1 }, [])'), 'f({ a: 1 }, [])')
    assert.equal(
      formatStatement(`derive(A, (${long}) => ${long}.omit({ a: true }))`),
      `derive(A, (${long}) => ${long}.omit({\n  a: true,\n}))`,
    )
    const test = `/^[(]${long}/.test(old)`
    assert.equal(
      formatStatement(`const a = { up: (old) => (${test} ? f("it's (") : 'short') }`),
      `const a = {\n  up: (old) => (${test} ? f("it's (") : 'short'),\n}`,
    )
  })

  it('is the same code, whatever is in it', async () => {
    let seed = 7
    const pick = (count: number): number => (seed = (seed * 16_807) % 2_147_483_647) % count
    const some = (make: () => string): readonly string[] => Array.from({ length: pick(4) }, make)
    const expression = (depth: number): string => {
      const inner = (): string => expression(depth - 1)
      const forms: readonly (() => string)[] = [
        () => `'${'it, ([{'.slice(pick(7))}'`,
        () => 'a'.repeat(1 + pick(50)),
        () => `[${some(inner).join(', ')}]`,
        () => `{ ${some(() => `b: ${inner()}`).join(', ')} }`,
        () => `f(${some(inner).join(', ')})`,
        () => `{ get b(): z.ZodType { return ${inner()} }, c: ${inner()} }`,
        () => `z.object(${inner()}).meta(${inner()})`,
        () => `(c) => c.extend(${inner()})`,
      ]
      return forms[pick(depth === 0 ? 2 : forms.length)]?.() ?? ''
    }
    const statements = Array.from({ length: 400 }, () => `x = g(${expression(6)})`)
    const codeOf = async (lines: readonly string[]): Promise<string> =>
      (await transform(lines.join('\n'), { loader: 'ts', minifyWhitespace: true })).code
    const formatted = statements.map((statement) => formatStatement(statement))
    assert.equal(await codeOf(formatted), await codeOf(statements))
  })
})

describe('documents that frameworks make', () => {
  const ofFile = (name: string): (() => Imported) => imported(readJson(`generated-${name}.json`))
  const cases = {
    // @nestjs/swagger 11.4
    nestjs: {
      result: ofFile('nestjs'),
      models: [
        "export const CreateCarDto = derive(Car, (car) => car.omit({ id: true }).meta({ id: 'CreateCarDto' }))",
        'export const UpdateCarDto = derive(Car, (car) => car.omit({ id: true }).partial().meta({',
      ],
      body: 'UpdateCarDto',
    },
    // @fastify/swagger 9.9
    fastify: {
      result: ofFile('fastify'),
      models: [
        "export const Problem = model('Problem', { error: z.string() })",
        "export const NewCar = derive(Car, (car) => car.omit({ id: true }).meta({ id: 'NewCar' }))",
        "export const CarPatch = derive(Car, (car) => car.omit({ id: true }).partial().meta({ id: 'CarPatch' }))",
      ],
      body: 'CarPatch',
    },
    // @hono/zod-openapi 1.6
    hono: {
      result: ofFile('hono'),
      models: ["export const NewCar = derive(Car, (car) => car.omit({ id: true }).meta({ id: 'NewCar' }))"],
      body: 'derive(Car, (car) => car.omit({ id: true }).partial())',
    },
  }
  for (const [name, { result, models: expected, body }] of Object.entries(cases))
    it(`name models, and parts that are optional: ${name}`, () => {
      const made = result()
      assert.deepEqual([made.expected, made.unexpected], [[], []])
      for (const text of expected) assert.ok(models(made).includes(text), models(made))
      assert.ok(controller(made, 'cars').includes(`body: ${body}`), controller(made, 'cars'))
    })

  it('have the names of properties where numbers stand for titles', () => {
    const { schemas } = readApi(
      prepareSource(
        ofSchemas({
          'def-0': { type: 'object', properties: { id: { type: 'string' } } },
          'def-1': {
            type: 'object',
            title: 'http://shop.test/garage#',
            properties: { owner: ref('def-0'), cars: { type: 'array', items: ref('def-2') } },
          },
          'def-2': { type: 'object', properties: { id: { type: 'string' } } },
          'def-3': { type: 'object', properties: { id: { type: 'string' } } },
        }),
      ),
    )
    assert.deepEqual(Object.keys(schemas).toSorted(), ['Car', 'Garage', 'Owner', 'def-3'])
  })
})

describe('objects of an app that octavo import turns into models', () => {
  const become = (source: string, ...constants: readonly string[]): readonly [string, readonly string[]] => {
    const made = toModels(`import { z } from 'zod'\n${source}`, constants, new Set())
    return [made.text.slice(made.text.indexOf('\n') + 1), [...made.models]]
  }
  const IMPORT = "import { model } from 'octavo/changes'\n"
  const turned: Readonly<Record<string, readonly [from: string, to: string]>> = {
    'a plain object': ['const Car = z.object({ id: Id })', "const Car = model('Car', { id: Id })"],
    'a constant with a suffix': ['const carSchema = z.object({})', "const carSchema = model('Car', {})"],
    'a shape elsewhere': ['const Car = z.object(fields);', "const Car = model('Car', fields);"],
    'a name by openapi': ["const Car = z.object({}).openapi('Auto')", "const Car = model('Auto', {})"],
    'a name and more': [
      "const Car = z\n  .object({})\n  .openapi('Auto', { description: 'x' })",
      "const Car = model('Auto', {}, { description: 'x' })",
    ],
    'a name by meta': [
      "const Car = z.object({}).meta({ id: 'Auto' })",
      "const Car = model('Auto', {}, { id: 'Auto' })",
    ],
    'a description': [
      "const Car = z.object({}).describe('x')",
      "const Car = model('Car', {}, { description: 'x' })",
    ],
    'a registration': [
      "const Car = z.object({}).register(z.globalRegistry, { id: 'Auto' })",
      "const Car = model('Auto', {}, { id: 'Auto' })",
    ],
    'a registration below': [
      "const Car = z.object({})\nz.globalRegistry.add(Car, { id: 'Auto' })\nconst x = 1",
      "const Car = model('Auto', {}, { id: 'Auto' })\nconst x = 1",
    ],
    'brackets in texts, comments and patterns': [
      'const Car = z.object({ a: z.string().regex(/[)"]/), // it\'s )\n b: z.literal(")"), c: z.literal(`)`) /* ) */ })',
      'const Car = model(\'Car\', { a: z.string().regex(/[)"]/), // it\'s )\n b: z.literal(")"), c: z.literal(`)`) /* ) */ })',
    ],
  }
  for (const [title, [from, to]] of Object.entries(turned))
    it(`turn into one: ${title}`, () => {
      const [name = ''] = /(?<=const )\w+/.exec(from) ?? []
      assert.deepEqual(become(`export ${from}`, name), [`${IMPORT}export ${to}`, [name]])
    })

  for (const from of [
    'const Car = z.object({}).strict()',
    "const Car = z.object({}, 'message')",
    'const Car = z.object()',
    'const Car = z.object({}).register(own, {})',
    'const Car = z.object({}).meta(shown)',
    "const Car = z.object({}).openapi('Car').partial()",
    'const Car = z.object({})\nconst model = 1',
    'const Car = z.array(z.object({}))',
  ])
    it(`stay as they are: ${from}`, () => assert.deepEqual(become(from, 'Car'), [from, []]))

  it('are models already, and have names of their own', () => {
    const source = "const A = model('Car', {})\nconst Car = z.object({})"
    assert.deepEqual(become(source, 'Car'), [
      `${IMPORT}const A = model('Car', {})\nconst Car = model('Car2', {})`,
      ['A', 'Car'],
    ])
  })
})
