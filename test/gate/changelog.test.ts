import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, defineProblem, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { defineVersionChange, defineVersions, derive, model, operation, reshape } from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { documentOf, integer, object, string } from './support.ts'
import { readChangelogSources, toChangelog, toDay, changelogMarkdown } from '../inside/tools.ts'
import type { Changelog, ChangelogVersion } from '../inside/tools.ts'

const [one, two, three] = [
  object({ id: string }),
  object({ id: integer }),
  object({ id: integer, 'name?': string }),
].map((response) => Object(documentOf({ response })) as object)
const source = (version: string, document: object | undefined, more: object = {}) => ({
  version,
  document: document ?? {},
  changes: [],
  ...more,
})
const read = async (app: App): Promise<Changelog> => {
  await app.ready()
  const changelog: Changelog = JSON.parse(
    JSON.stringify(await toChangelog('Cars', readChangelogSources(app))),
  )
  return changelog
}
const entry = (more: Partial<ChangelogVersion> = {}): ChangelogVersion => ({
  version: '2',
  before: '1',
  level: 'none',
  changes: [],
  findings: [],
  ...more,
})
const toChange = (title: string, description = title) => ({
  id: 'id',
  title,
  description,
  models: [],
  operations: [],
  examples: [],
  findings: [],
})
const markdownOf = (title: string, description?: string): string =>
  changelogMarkdown({ title: 'Cars', versions: [entry({ changes: [toChange(title, description)] })] })

describe('a changelog', () => {
  it('has the newest version first, and what is different from the one before', async () => {
    const made = await toChangelog('Cars', [source('1', one), source('2', two), source('3', three)])
    assert.deepEqual(
      made.versions.map(({ version, before, level, findings }) => [
        version,
        before,
        level,
        ...findings.map(({ rule }) => rule),
      ]),
      [
        ['3', '2', 'info', 'response-optional-property-added'],
        ['2', '1', 'breaking', 'response-body-type-changed'].with(3, 'response-property-type-changed'),
        ['1', undefined, 'none'],
      ],
    )
  })

  it('is the same again, whatever the clock says', async (t) => {
    const old = structuredClone(one)
    Object.assign(Reflect.get(Reflect.get(Reflect.get(Object(old), 'paths'), '/cars'), 'post'), {
      deprecated: true,
      'x-sunset': '2026-06-01',
    })
    const make = async (): Promise<string> => {
      const empty = { ...Object(one), paths: {} }
      const made = await toChangelog('Cars', [
        source('1', old),
        source('2026-05-01', empty),
        source('2026-07-01', empty),
      ])
      return JSON.stringify(made) + changelogMarkdown(made)
    }
    const first = await make()
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2030-01-01') })
    assert.equal(await make(), first)
    assert.match(first, /api-path-removed-before-sunset/)
  })

  it('knows days of versions that are days or months, and takes the others from the snapshots', async () => {
    assert.deepEqual(['2026-06-01', '2026-06', '2026-13-01', '2026-02-30', '2', 'x2026-06-01'].map(toDay), [
      '2026-06-01',
      '2026-06-01',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    const days = new Map([['2', '2026-03-04']])
    const made = await toChangelog('Cars', [source('1', one), source('2', two), source('2026-06', two)], days)
    assert.deepEqual(
      made.versions.map(({ day }) => day),
      ['2026-06-01', '2026-03-04', undefined],
    )
    assert.match(
      changelogMarkdown(made),
      /^## 2026-06 \(2026-06-01\)$[\s\S]*^## 2 \(2026-03-04\)$[\s\S]*^## 1$/m,
    )
  })

  it('says when a version ends, and does not call that a difference', async () => {
    const first = defineController({
      prefix: '/cars',
      version: ['1', '2'],
      routes: [{ method: 'GET', response: z.string(), handler: () => 'a' }],
    })
    const app = serve(first, {
      docs: {},
      versioning: {
        scheme: VersioningSchemes.HEADER,
        versions: { 1: { deprecated: '2026-01-01', sunset: '2026-12-31' } },
      },
    })
    const made = await read(app)
    assert.deepEqual(made.versions, [
      { version: '2', before: '1', level: 'none', changes: [], findings: [] },
      {
        version: '1',
        deprecated: '2026-01-01',
        sunset: '2026-12-31',
        level: 'none',
        changes: [],
        findings: [],
      },
    ])
    assert.match(
      changelogMarkdown(made),
      /Clients notice no difference from version 1\.\n\n## 1\n\nDeprecation on 2026-01-01, sunset on 2026-12-31\.\n/,
    )
  })

  it('calls a version that is retired no difference, and knows how an operation of it ended', async () => {
    const handler = (): string => 'a'
    const response = z.string()
    const cars = defineController({
      prefix: '/cars',
      version: ['1', '2'],
      routes: [
        { method: 'GET', path: '/{id:int}', response, handler },
        { method: 'GET', path: '/plain', version: '1', response, handler },
        {
          // in both versions, with the sunset that the older one has as a whole
          method: 'GET',
          path: '/ending',
          policy: { deprecated: '2025-01-01', sunset: '2026-01-01' },
          response,
          handler,
        },
        {
          method: 'GET',
          path: '/search',
          version: '1',
          deprecated: true,
          policy: { deprecated: '2025-01-01', sunset: '2025-06-01' },
          response,
          handler,
        },
      ],
    })
    const app = serve(cars, {
      docs: {},
      versioning: {
        scheme: VersioningSchemes.URL,
        clock: () => Date.parse('2026-02-01'),
        versions: { 1: { deprecated: '2025-01-01', sunset: '2026-01-01', retired: 'gone' } },
      },
    })
    const { versions } = await read(app)
    assert.deepEqual(
      versions[0]?.findings.map((each) => [each.operation, each.rule]),
      [
        ['GET /v1/cars/plain', 'api-path-removed-without-deprecation'],
        // whether that was before its sunset depends on a day that is not known
        ['GET /v1/cars/search', 'api-path-removed-with-deprecation'],
      ],
    )
  })

  it('has no difference in the header that names the version, if the API has a version of its own', async () => {
    const user = defineController({
      prefix: '/user',
      routes: [{ method: 'GET', version: ['1', '2'], handler: () => 'a' }],
    })
    const app = createApp(defineModule({ controllers: [user] }), {
      docs: { info: { title: 'Users', version: '1.0.0' } },
      versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-version' },
    })
    const { versions } = await read(app)
    assert.deepEqual(versions[0]?.findings, [])
  })

  it('has the changes of versions with the models and operations that they reach, but not internal ones', async () => {
    const Car = model('Car', { id: z.string(), colour: z.string() })
    const change = (version: string, title: string, more: object, parts: readonly object[]) =>
      defineVersionChange({ version: version as '2', title, change: parts as never, ...more })
    const history = defineVersions({
      versions: ['2', '1'],
      models: { Car },
      changes: [
        change('2', 'Ids are text', {}, [
          reshape({ of: Car, fields: { id: { was: z.number(), up: String, down: Number } } }),
          operation({ route: 'car.add', status: { was: 200 } }),
        ]),
        change('2', 'Colours have a name', { internal: true }, [
          reshape({ of: Car, fields: { colour: { was: 'paint' } } }),
        ]),
        change('next', 'Not released', {}, []),
      ],
    })
    const Id = derive(Car, (car) => car.pick({ id: true }))
    const cars = defineController({
      name: 'CarController',
      prefix: '/cars',
      routes: [
        { method: 'GET', name: 'list', response: z.array(Car), handler: () => [] },
        {
          method: 'POST',
          name: 'add',
          input: { body: Id },
          response: { 201: Id },
          handler: ({ body }) => body,
        },
        { method: ['GET', 'PUT'], path: '/first', name: 'first', response: Id, handler: () => ({ id: '1' }) },
        { method: 'GET', path: '/count', name: 'count', handler: () => 1 },
        {
          method: 'GET',
          path: '/hidden',
          name: 'hidden',
          includeInSchema: false,
          response: Id,
          handler: () => ({ id: '1' }),
        },
      ],
    })
    const app = serve(cars, { docs: {}, versioning: { scheme: VersioningSchemes.URL, history } })
    const { versions } = await read(app)
    const [found] = versions[0]?.changes ?? []
    assert.deepEqual(
      { ...found, findings: found?.findings.map(({ rule }) => rule) },
      {
        id: 'ids-are-text',
        title: 'Ids are text',
        description: 'Ids are text',
        models: ['Car'],
        operations: ['GET /v2/cars', 'GET /v2/cars/first', 'POST /v2/cars', 'PUT /v2/cars/first'],
        examples: [{ schema: 'Car', before: { id: 1.5 }, after: { id: '1.5' } }],
        findings: [
          'request-property-type-changed',
          'status-of-default-changed',
          'response-property-type-changed',
          'response-property-type-changed',
          'response-property-type-changed',
          'response-property-type-changed',
        ],
      },
    )
    assert.equal(versions[0]?.changes.length, 1)
    // the change that explains it is internal
    assert.deepEqual(
      versions[0]?.findings.map(({ at }) => at),
      ['colour', 'paint'],
    )
    const { description = '' } = app.openapi({ version: '2' }).info
    assert.match(description, /Ids are text/)
    assert.doesNotMatch(description, /Colours/)
  })
})

describe('the differences of a change', () => {
  const Car = model('Car', { id: z.string(), brand: z.string(), seats: z.int().min(2) })
  const history = defineVersions({
    versions: ['2', '1'],
    models: { Car },
    changes: [
      defineVersionChange({
        version: '2',
        title: 'Makes are brands',
        change: [reshape({ of: Car, fields: { brand: { was: 'make' } } })],
      }),
      defineVersionChange({
        version: '2',
        title: 'Cars have two seats',
        change: [
          reshape({
            of: Car,
            fields: { seats: { was: z.int(), up: (old) => old, narrowed: true } },
            responseOnly: true,
          }),
        ],
      }),
    ],
  })
  const cars = defineController({
    name: 'CarController',
    routes: [
      { method: 'GET', name: 'one', response: Car, handler: () => ({ id: '1', brand: 'Ford', seats: 4 }) },
      { method: 'GET', path: '/old', name: 'old', version: '1', handler: () => 1 },
    ],
  })
  const app = serve(cars, { docs: {}, versioning: { scheme: VersioningSchemes.URL, history } })

  it('are grouped under it by the names that it describes, and others stand apart', async () => {
    const { versions } = await read(app)
    const toPlaces = (findings: readonly { readonly at: string; readonly rule: string }[]) =>
      findings.map(({ at, rule }) => `${at} ${rule}`)
    assert.deepEqual(
      versions[0]?.changes.map(({ id, findings, examples }) => [id, toPlaces(findings), examples]),
      [
        [
          'makes-are-brands',
          ['brand response-required-property-added', 'make response-required-property-removed'],
          [{ schema: 'Car', before: { make: 'string' }, after: { brand: 'string' } }],
        ],
        ['cars-have-two-seats', ['seats response-property-min-set'], []],
      ],
    )
    assert.deepEqual(toPlaces(versions[0]?.findings ?? []), [' api-path-removed-without-deprecation'])
    assert.equal(versions[0]?.level, 'breaking')
  })

  it('are grouped under operations that describe bodies, inputs, addresses and errors as a whole', async () => {
    const Page = z.object({ items: z.array(z.string()), next: z.string().nullable() })
    const Sold = defineProblem({ code: 'car_sold', status: 409, title: 'Sold' })
    const moved = defineVersionChange({
      version: '2',
      title: 'Moved',
      change: [
        operation({ route: 'car.list', paged: { now: Page, was: z.array(z.string()), atMost: 9 } }),
        operation({
          route: 'car.create',
          path: { was: '/garage' },
          input: {
            was: { headers: z.object({}), body: z.object({ car: z.string(), trace: z.string() }) },
            up: ({ body }) => ({ headers: { 'x-trace': body.trace }, body: { name: body.car } }),
          },
        }),
      ],
    })
    const named = defineVersionChange({
      version: '2',
      title: 'Named',
      change: [
        operation({ route: ['car.create', 'car.list'], errors: { car_sold: { was: 'sold', status: 410 } } }),
      ],
    })
    const routes = [
      {
        method: 'GET',
        name: 'list',
        problems: [Sold],
        input: { query: { cursor: z.string().optional() } },
        response: { 200: Page },
        handler: () => ({ items: [], next: null }),
      },
      {
        method: 'POST',
        name: 'create',
        problems: [Sold],
        input: { headers: { 'x-trace': z.string() }, body: z.object({ name: z.string() }) },
        handler: () => 1,
      },
    ] as const
    const described = serve(defineController({ name: 'car', prefix: '/cars', routes }), {
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: {}, changes: [moved, named] }),
      },
    })
    const { versions } = await read(described)
    const rulesOf = (findings: readonly { readonly rule: string }[]) => findings.map(({ rule }) => rule)
    assert.deepEqual(rulesOf(versions[0]?.findings ?? []), [])
    assert.deepEqual(
      versions[0]?.changes.map(({ id, findings }) => [id, [...new Set(rulesOf(findings))].toSorted()]),
      [
        [
          'moved',
          [
            'new-required-request-parameter',
            'new-required-request-property',
            'request-property-removed',
            'response-body-wrapped',
            'route-moved',
          ],
        ],
        ['named', ['response-problem-added', 'response-problem-removed']],
      ],
    )
  })

  it('have JSON before and after', async () => {
    assert.match(
      changelogMarkdown(await read(app)),
      /`Car` before and after:\n\n```diff\n- \{ "make": "string" \}\n\+ \{ "brand": "string" \}\n```\n\n\*\*Breaking\*\*/,
    )
  })
})

describe('differences that no client of the provider meets', () => {
  it('are not in a changelog: Octavo has other errors of its own', async () => {
    const response = z.string()
    const handler = (): string => 'a'
    const input = { query: { page: z.int() } }
    const cars = defineController({
      prefix: '/cars',
      routes: [
        { method: 'GET', version: '1', name: 'list', input, response, handler },
        { method: 'GET', version: '2', name: 'list', response, handler },
      ],
    })
    const app = serve(cars, { versioning: { scheme: VersioningSchemes.HEADER } })
    const { versions } = await read(app)
    assert.deepEqual(
      versions[0]?.findings.map(({ at }) => at),
      ['parameters/query/page'],
    )
  })
})

describe('the change of a difference', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const change = (id: string, names: readonly string[]) => ({
    id,
    title: id,
    description: id,
    models: [id],
    operationIds: ['car.create'],
    names,
    places: [],
  })
  const causesOf = async (documents: readonly unknown[], changes: readonly object[]) => {
    const [before, after] = documents
    const made = await toChangelog('Cars', [
      source('1', Object(before)),
      source('2', Object(after), { changes }),
    ])
    const [newest] = made.versions
    return [
      ...(newest?.changes ?? []).map(({ id, findings }) => [
        id,
        ...findings.map(({ schema, at }) => `${schema}/${at}`),
      ]),
      newest?.findings.length,
    ]
  }

  it('is one of its model before others that have its name, and of a member that leads to it', async () => {
    const documents = [string, integer].map((size) => {
      const Wheel = object({ size })
      const Van = object({ size })
      const Car = object({ wheel: ref('Wheel'), van: ref('Van') })
      return documentOf({ response: ref('Car') }, { Car, Van, Wheel })
    })
    assert.deepEqual(await causesOf(documents, [change('Car', ['size', 'wheel']), change('Van', ['size'])]), [
      ['Car', 'Wheel/size'],
      ['Van', 'Van/size'],
      0,
    ])
    assert.deepEqual(await causesOf(documents, [change('Car', ['wheel'])]), [['Car', 'Wheel/size'], 1])
  })
})

describe('an example of a changelog', () => {
  it('is one value that the change converts', async () => {
    const Car = model('Car', { price: z.number(), seats: z.int() })
    const cents = { was: z.int(), up: (old: number) => old / 100, down: (now: number) => now * 100 }
    const history = defineVersions({
      versions: ['2', '1'],
      models: { Car },
      changes: [
        defineVersionChange({
          version: '2',
          title: 'Prices are no cents',
          change: [reshape({ of: Car, fields: { price: cents } })],
        }),
      ],
    })
    const cars = defineController({
      prefix: '/cars',
      routes: [{ method: 'GET', response: Car, handler: () => ({ price: 1, seats: 1 }) }],
    })
    const { versions } = await read(serve(cars, { versioning: { scheme: VersioningSchemes.URL, history } }))
    assert.deepEqual(versions[0]?.changes[0]?.examples, [
      { schema: 'Car', before: { price: 150 }, after: { price: 1.5 } },
    ])
  })

  it('has the outer members of long values in Markdown', () => {
    const wheel = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`a${index}`, { b: [index] }]))
    const examples = [{ schema: 'Car', before: { wheel }, after: { wheel: { ...wheel, a0: null } } }]
    const text = changelogMarkdown({
      title: 'Cars',
      versions: [entry({ changes: [{ ...toChange('T'), examples }] })],
    })
    assert.match(text, /\n-     "a1": …,\n/)
    assert.match(text, /\n-     … and 4 more\n-   \}\n- \}\n/)
  })

  it('is empty where an object contains itself', async () => {
    const [before, after] = [
      object({ 'Car?': { $ref: '#/components/schemas/Car' } }),
      object({ id: string }),
    ].map((Car) => Object(documentOf({ response: { $ref: '#/components/schemas/Car' } }, { Car })))
    const change = { id: 'id', title: 'T', description: 'T', models: ['Car'], operationIds: [] }
    const { versions } = await toChangelog('Cars', [
      source('1', before),
      source('2', after, { changes: [{ ...change, names: ['Car', 'id'], places: [] }] }),
    ])
    assert.deepEqual(versions[0]?.changes[0]?.examples, [
      { schema: 'Car', before: { Car: {} }, after: { id: 'string' } },
    ])
  })

  it('has the members of an object beside its alternatives', async () => {
    const car = (size: object): object => ({
      ...object({ 'size?': size, 'weight?': integer }),
      anyOf: [{ required: ['size'] }, { required: ['weight'] }],
    })
    const [before, after] = [car(string), car(integer)].map((Car) =>
      Object(documentOf({ response: { $ref: '#/components/schemas/Car' } }, { Car })),
    )
    const change = { id: 'id', title: 'T', description: 'T', models: ['Car'], operationIds: [] }
    const { versions } = await toChangelog('Cars', [
      source('1', before),
      source('2', after, { changes: [{ ...change, names: ['size'], places: [] }] }),
    ])
    assert.deepEqual(versions[0]?.changes[0]?.examples, [
      { schema: 'Car', before: { size: 'string' }, after: { size: 1 } },
    ])
  })
})

describe('a changelog in Markdown', () => {
  const cases = [
    ['# one', '### \\# one'],
    ['a\n# b', '### a \\# b'],
    ['1. one', '### 1\\. one'],
    ['- one', '### \\- one'],
    [
      '<b>bold</b> & *x* _y_ [z](javascript:1)',
      '### \\<b\\>bold\\</b\\> \\& \\*x\\* \\_y\\_ \\[z\\](javascript:1)',
    ],
    ['`a_b` and `', '### `a_b` and \\`'],
    ['see [x](https://a.test/b)', '### see [x](https://a.test/b)'],
  ] as const
  for (const [title, line] of cases)
    it(`writes the title ${JSON.stringify(title)} so that it is one`, () => {
      assert.equal(markdownOf(title).split('\n')[4], line)
    })

  it('keeps paragraphs and lists of descriptions', () => {
    const text = 'One\nline.\n\n- `a`\n- b\n  goes on\n\n# no heading\n\n\n* c'
    assert.equal(
      markdownOf('T', text).split('### T\n\n')[1],
      'One line.\n\n- `a`\n- b goes on\n\n\\# no heading\n\n- c\n',
    )
  })

  it('lists a difference once for all operations or schemas that share it', () => {
    const finding = (name: string) => ({
      rule: 'r',
      level: 'breaking' as const,
      operation: name,
      at: 'requestBody/a`b',
      message: 'it is *new*',
      base: { pointer: '' },
      revision: { pointer: '' },
      places: [],
    })
    const ofSchema = (schema: string) => ({
      ...finding(''),
      schema,
      at: 'last',
      places: [{ operation: 'GET /c', at: '' }],
    })
    const made = changelogMarkdown({
      title: 'Cars',
      versions: [
        entry({ findings: [finding('GET /a'), finding('GET /b'), ofSchema('Cars'), ofSchema('Vans')] }),
      ],
    })
    assert.match(made, /\n- `Cars`, `Vans` `last`: it is \\\*new\\\* \(`r`\), in `GET \/c`\n/)
    assert.match(
      made,
      /\*\*Breaking\*\*\n\n- `GET \/a`, `GET \/b` ``requestBody\/a`b``: it is \\\*new\\\* \(`r`\)\n/,
    )
  })
})
