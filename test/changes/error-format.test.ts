import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineErrorFormat,
  defineErrorHandler,
  defineModule,
  defineProblem,
  DefinitionError,
  reply,
  VersioningSchemes,
  type ErrorFormat,
} from 'octavo'
import {
  defineVersionChange,
  defineVersions,
  model,
  operation,
  reformatErrors,
  reshape,
} from 'octavo/changes'
import { checkHistory } from 'octavo/testing'
import { createClient, ProblemError, type ErrorBody } from 'octavo/client'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

import { explain, findHistoryInternals } from '../inside/parts.ts'
import { internalsOf } from '../inside/server.ts'
import { contractTypes, readChangelogSources, toChangelog } from '../inside/tools.ts'

class Declined extends Error {}

const Sold = defineProblem({ code: 'sold', status: 409, title: 'The car is sold' })
const controller = defineController({
  name: 'CarController',
  errorHandlers: [
    defineErrorHandler({
      match: Declined,
      handle: () =>
        reply(402, { error: { code: 'declined', message: 'No money', at: new Date(1000), secret: 1 } }),
    }),
  ],
  routes: [
    {
      method: 'GET',
      path: '/{how}',
      name: 'get',
      input: { query: { limit: z.coerce.number().optional() } },
      response: z.string(),
      problems: [Sold],
      handler: ({ params: { how } }) => {
        if (how === 'sold') throw Sold('Ann has it')
        if (how === 'declined') throw new Declined()
        if (how === 'unknown') throw new Error('unknown')
        return 'a car'
      },
    },
  ],
})

const Failure = model('Failure', { code: z.string(), message: z.string(), at: z.date() })
const Body = z.object({ error: Failure })
const errorFormat = defineErrorFormat({
  contentType: 'application/vnd.cars.error+json',
  schema: Body,
  format: ({ code, detail, title }) => ({ error: { code, message: detail ?? title, at: new Date(0) } }),
})

const renamed = defineVersionChange({
  version: '3',
  title: 'Failures have a message and a moment',
  change: [
    reshape({
      of: Failure,
      responseOnly: true,
      fields: {
        message: { was: 'text' },
        at: { was: z.number(), down: (at) => at.getTime() },
      },
    }),
  ],
})
const Flat = z
  .object({ failure: Failure, status: z.int() })
  .meta({ contentMediaType: 'application/vnd.cars.old+json' })
const nested = defineVersionChange({
  version: '2',
  title: 'Failures are below error',
  change: [
    reformatErrors({ now: Body, was: Flat, down: ({ error }, { status }) => ({ failure: error, status }) }),
  ],
})
const history = defineVersions({ versions: ['3', '2', '1'], models: { Failure }, changes: [renamed, nested] })
const module = defineModule({ name: 'CarsModule', controllers: [controller] })
const app = createApp(module, {
  logger: false,
  errorFormat,
  docs: { info: { title: 'Cars' } },
  versioning: { scheme: VersioningSchemes.URL, history },
})

async function get(url: string): Promise<readonly unknown[]> {
  const { statusCode, headers, body } = await app.inject(url)
  return [statusCode, headers['content-type'], JSON.parse(body)]
}

describe('an error format of an older version', () => {
  const types = {
    3: 'application/vnd.cars.error+json',
    2: 'application/vnd.cars.error+json',
    1: 'application/vnd.cars.old+json',
  }

  it('has the fields and the body that it had, whoever answers', async () => {
    const cases = [
      ['sold', 409, 'sold', 'Ann has it', 0],
      ['declined', 402, 'declined', 'No money', 1000],
      ['unknown', 500, 'internal_error', 'The request could not be answered; the log has the reason', 0],
      ['a?limit=b', 422, 'validation_failed', 'One value is not as the API describes', 0],
      ['a/b/c', 404, 'route_not_found', 'Nothing is served at this path', 0],
    ] as const
    for (const [path, status, code, message, at] of cases) {
      const newest = { error: { code, message, at: new Date(at).toISOString() } }
      assert.deepEqual(await get(`/v3/car/${path}`), [status, types[3], newest])
      const second = { error: { code, text: message, at } }
      assert.deepEqual(await get(`/v2/car/${path}`), [status, types[2], second], path)
      const first = { failure: { code, text: message, at }, status }
      assert.deepEqual(await get(`/v1/car/${path}`), [status, types[1], first], path)
    }
    const [status, type] = await get('/v9/car/a')
    assert.deepEqual([status, type], [404, types[3]])
  })

  it('stands in documents of each version, and in the one of all', async () => {
    await app.ready()
    const contentOf = (version: string, path: string) => {
      const document = app.openapi({ version })
      const { default: other } = document.paths[path]?.['get']?.responses ?? {}
      const name = String(Object(other).$ref).replace('#/components/responses/', '')
      return [
        Object(other).content ?? document.components.responses?.[name]?.content,
        document.components.schemas,
      ]
    }
    const [third] = contentOf('3', '/v3/car/{how}')
    assert.deepEqual(Object.keys(Object(third)), [types[3]])
    const [second, schemas] = contentOf('2', '/v2/car/{how}')
    assert.deepEqual(Object.keys(Object(second)), [types[2]])
    assert.deepEqual(Object.keys(Object(schemas).Failure.properties), ['code', 'text', 'at'])
    const [first, oldest] = contentOf('1', '/v1/car/{how}')
    assert.deepEqual(Object.keys(Object(first)), [types[1]])
    const [schema] = Object.values(Object(first)).map((media) => Object(media).schema)
    const shown = schema.$ref === undefined ? schema : Object(oldest)[schema.$ref.split('/').at(-1)]
    assert.deepEqual(Object.keys(shown.properties), ['failure', 'status'])
    const { paths } = app.openapi({ version: 'all' })
    const typesIn = (path: string): unknown =>
      Object.keys(Object(paths[path]?.['get']?.responses['default']).content)
    assert.deepEqual(typesIn('/v1/car/{how}'), [types[1]])
    assert.deepEqual(typesIn('/v3/car/{how}'), [types[3]])
  })

  it('is known to clients of the version', async () => {
    const client = createClient<typeof app>({ fetch: app.fetch })
    const thrown = async (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error)
    const first = await thrown(client.at('1').car.get({ params: { how: 'sold' } }))
    assert.ok(ProblemError.isFrom<typeof app, '1'>(first), String(first))
    expectTypeOf(first.data).toEqualTypeOf<{
      failure: { code: string; text: string; at: number }
      status: number
    }>()
    assert.deepEqual(first.data, { failure: { code: 'sold', text: 'Ann has it', at: 0 }, status: 409 })
    const second = await thrown(client.at('2').car.get({ params: { how: 'sold' } }))
    assert.ok(ProblemError.isFrom<typeof app, '2'>(second))
    expectTypeOf(second.data).toEqualTypeOf<{ error: { code: string; text: string; at: number } }>()
    const third = await thrown(client.at('3').car.get({ params: { how: 'sold' } }))
    assert.ok(ProblemError.isFrom<typeof app, '3'>(third))
    expectTypeOf(third.data.error.message).toEqualTypeOf<string>()
    assert.equal(third.data.error.message, 'Ann has it')
  })
})

describe('the files of `octavo client`', () => {
  it('have the body of errors of their version', async () => {
    await app.ready()
    const errorsIn = (version: string): string => {
      const contract = internalsOf(app, 'test').contract(version)
      assert.ok(contract !== undefined)
      const text = contractTypes(contract)
      const [, name = ''] = /^ {4}readonly errors: (\w+)$/m.exec(text) ?? []
      return new RegExp(`^export type ${name} = (\\{.*?^\\})`, 'ms').exec(text)?.[1] ?? text
    }
    assert.equal(errorsIn('1'), '{\n  failure: Failure\n  status: number\n}')
    assert.equal(errorsIn('2'), '{\n  error: Failure\n}')
    assert.equal(errorsIn('3'), '{\n  error: Failure\n}')
    interface Api {
      readonly $written: {
        readonly version: '1'
        readonly inputs: object
        readonly calls: object
        readonly errors: { failure: { code: string } }
      }
    }
    expectTypeOf<ErrorBody<Api>>().toEqualTypeOf<{ failure: { code: string } }>()
  })
})

describe('a format that has the code anywhere', () => {
  const Other = defineProblem({
    code: 'taken',
    status: 409,
    title: 'It is taken',
    members: z.object({ by: z.string() }),
  })
  const codes = defineVersionChange({
    version: '2',
    title: 'Sold cars have a code of their own',
    change: [
      operation({
        route: 'car.get',
        errors: { sold: { was: Other, status: 410, down: (problem) => ({ ...problem, by: 'Ann' }) } },
      }),
    ],
  })
  const open = (format: ErrorFormat | undefined, before: readonly ReturnType<typeof defineVersionChange>[]) =>
    createApp(module, {
      logger: false,
      ...(format && { errorFormat: format }),
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({
          versions: ['3', '2', '1'],
          models: {},
          changes: [...before, codes] as (typeof codes)[],
        }),
      },
    })
  const ask = async (asked: ReturnType<typeof open>, url: string): Promise<readonly unknown[]> => {
    const { statusCode, headers, body } = await asked.inject(url)
    return [statusCode, headers['content-type'], body]
  }

  it('writes the code, status and members that errors had', async () => {
    const below = open(
      defineErrorFormat({
        schema: z.object({
          error: z.object({ code: z.string(), status: z.int(), by: z.string().optional() }),
        }),
        format: ({ code, status, members: { by } }) => ({
          error: { code, status, ...(typeof by === 'string' && { by }) },
        }),
      }),
      [],
    )
    const type = 'application/json'
    assert.deepEqual(await ask(below, '/v2/car/sold'), [409, type, '{"error":{"code":"sold","status":409}}'])
    assert.deepEqual(await ask(below, '/v1/car/sold'), [
      410,
      type,
      '{"error":{"code":"taken","status":410,"by":"Ann"}}',
    ])
    assert.equal((await ask(below, '/v1/car/unknown'))[0], 500)
    const plain = open(
      defineErrorFormat({
        contentType: 'text/plain',
        schema: z.string(),
        format: ({ code, detail }) => `${code}: ${detail}`,
      }),
      [],
    )
    assert.deepEqual(await ask(plain, '/v1/car/sold'), [410, 'text/plain', 'taken: Ann has it'])
  })

  it('writes them in a format that was another one later', async () => {
    const problems = defineVersionChange({
      version: '3',
      title: 'Errors are problem documents',
      change: [
        reformatErrors({
          was: z.object({ error: z.object({ code: z.string(), status: z.int() }) }),
          down: ({ code }, { status }) => ({ error: { code, status } }),
        }),
      ],
    })
    const later = open(undefined, [problems])
    const type = 'application/json'
    assert.deepEqual(await ask(later, '/v2/car/sold'), [409, type, '{"error":{"code":"sold","status":409}}'])
    assert.deepEqual(await ask(later, '/v1/car/sold'), [410, type, '{"error":{"code":"taken","status":410}}'])
  })
})

describe('a history with an error format', () => {
  it('is checked, its model included', () => {
    assert.deepEqual(checkHistory(history), [])
  })

  it('has the functions of errors called', () => {
    const Old = defineProblem({
      code: 'taken',
      status: 409,
      title: 'It is taken',
      members: z.object({ who: z.string() }),
    })
    const Now = defineProblem({
      code: 'sold',
      status: 409,
      title: 'It is sold',
      members: z.object({ by: z.string() }),
    })
    const findings = (made: unknown, text: unknown): readonly (readonly unknown[])[] =>
      checkHistory(
        defineVersions({
          versions: ['2', '1'],
          models: {},
          changes: [
            defineVersionChange({
              version: '2',
              title: 'Errors',
              change: [
                operation({
                  route: 'a',
                  errors: { sold: { now: Now, was: Old, down: () => made as never } },
                }),
                reformatErrors({
                  was: z.object({ text: z.string() }),
                  down: () => ({ text: text as string }),
                }),
              ],
            }),
          ],
        }),
      ).map(({ code, model: named, fields, message }) => [code, named, ...fields, message])
    assert.deepEqual(findings({ who: 'Ann' }, 'a'), [])
    assert.deepEqual(findings({}, 7), [
      ['unfit', 'a', 'errors.sold', 'down makes errors.sold {}, which its schema refuses'],
      [
        'unfit',
        'errors',
        'reformatErrors',
        'down makes reformatErrors { text: 7 }, which its schema refuses',
      ],
    ])
  })

  it('is in the changelog and explained', async () => {
    await app.ready()
    const { versions } = await toChangelog('Cars', readChangelogSources(app))
    const told = versions.map(({ changes, findings }) => [
      ...changes.map((change) => [change.id, change.operations.length, change.findings.length > 0]),
      ...findings,
    ])
    assert.deepEqual(told, [
      [['failures-have-a-message-and-a-moment', 1, true]],
      [['failures-are-below-error', 1, true]],
      [],
    ])
    const internals = findHistoryInternals(history)
    assert.ok(internals)
    assert.deepEqual(
      explain(internals, [], Body).changes.map(({ reaches }) => reaches),
      [
        [{ route: '', positions: ['errors.error', 'errors.failure'] }],
        [{ route: '', positions: ['errors'] }],
      ],
    )
  })
})

describe('an application that has problem documents since', () => {
  const toProblems = defineVersionChange({
    version: '2',
    title: 'Errors are problem documents',
    change: [
      reformatErrors({
        was: z.object({ message: z.string(), code: z.string() }),
        down: ({ code, detail = '', title }) => ({ code, message: detail || title }),
      }),
    ],
  })
  const own = createApp(module, {
    logger: false,
    docs: {},
    versioning: {
      scheme: VersioningSchemes.URL,
      history: defineVersions({ versions: ['2', '1'], models: {}, changes: [toProblems] }),
    },
  })

  it('sends the older body, which its clients get as an error', async () => {
    const client = createClient<typeof own>({ fetch: own.fetch })
    const sold = await client.at('2').car.get({ params: { how: 'sold' } })
    assert.ok(!sold.ok)
    assert.equal(sold.data.code, 'sold')
    const error: unknown = await client
      .at('1')
      .car.get({ params: { how: 'sold' } })
      .then(
        ({ data }) => expectTypeOf(data).toEqualTypeOf<string>(),
        (reason: unknown) => reason,
      )
    assert.ok(ProblemError.isFrom<typeof own, '1'>(error))
    expectTypeOf(error.data).toEqualTypeOf<{ message: string; code: string }>()
    assert.deepEqual(error.data, { code: 'sold', message: 'Ann has it' })
    assert.equal(error.headers.get('content-type'), 'application/json')
    const missed = await own.inject('/v1/nowhere')
    assert.deepEqual(
      [missed.statusCode, missed.json()],
      [404, { code: 'route_not_found', message: 'Nothing is served at this path' }],
    )
  })
})

describe('a wrong change of the error format', () => {
  const open = async (
    change: readonly unknown[],
    format: unknown = errorFormat,
  ): Promise<readonly string[]> => {
    try {
      const changes = [defineVersionChange({ version: '2', title: 'Errors', change: change as never })]
      await createApp(module, {
        logger: false,
        ...(format === null ? {} : { errorFormat: format as typeof errorFormat }),
        versioning: {
          scheme: VersioningSchemes.URL,
          history: defineVersions({ versions: ['2', '1'], models: { Failure }, changes }),
        },
      }).ready()
      return []
    } catch (error) {
      assert.ok(error instanceof DefinitionError, String(error))
      return error.errors.map(({ message }) => message)
    }
  }
  const was = z.object({ message: z.string() })
  const down = (): object => ({ message: 'a' })

  it('is a definition error', async () => {
    const wrongNow = 'reformatErrors.now is not the schema of the error format'
    assert.deepEqual(await open([reformatErrors({ now: was, was, down: () => ({ message: '' }) })]), [
      wrongNow,
    ])
    assert.deepEqual(await open([{ kind: 'reformat', was, down }]), [wrongNow])
    assert.deepEqual(await open([{ kind: 'reformat', now: Body, was, down }], null), [
      'reformatErrors.now is given, and the application has no error format',
    ])
    assert.deepEqual(await open([{ kind: 'reformat', now: Body }]), [
      'reformatErrors.was is missing',
      'reformatErrors.down is missing',
    ])
    const loading = reshape({
      of: Failure,
      responseOnly: true,
      load: () => 1,
      fields: { at: { was: z.number(), down: (_at, { loaded }) => loaded } },
    })
    assert.deepEqual(await open([loading]), [
      'it loads data for a model in the error format, and errors are converted at once',
    ])
    const listed = defineErrorFormat({
      schema: z.object({ code: z.enum(['sold', 'unknown']) }),
      format: ({ code }) => ({ code: code === 'sold' ? ('sold' as const) : ('unknown' as const) }),
    })
    assert.deepEqual(
      await open([operation({ route: 'car.get', errors: { sold: { was: 'taken' } } })], listed),
      ['operation.errors.sold was taken, which the schema of the error format does not list beside sold'],
    )
  })
})
