import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import { VERSION_NEUTRAL, VersioningSchemes } from 'octavo'
import type { App, InjectOptions, Method, VersionSpec } from 'octavo'

import { interpret } from './interpreter.ts'
import type { Asked, Expected, World } from './interpreter.ts'
import { ask, serve } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

const METHODS: readonly Method[] = ['GET', 'POST', 'HEAD', 'PUT']
const PATHS = ['/a', '/b', '/a/b'] as const
const VERSIONS = ['1', '2', '3']

const spec: fc.Arbitrary<VersionSpec | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.subarray(VERSIONS, { minLength: 1 }) },
  { weight: 1, arbitrary: fc.constant(VERSION_NEUTRAL) },
  { weight: 1, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...VERSIONS).map((version): VersionSpec => [VERSION_NEUTRAL, version]),
  },
)

const ENTRIES: readonly (string | typeof VERSION_NEUTRAL)[] = [...VERSIONS, VERSION_NEUTRAL]

/** Route sets in which no two routes answer the same request: a later one loses what earlier ones have. */
const routes: fc.Arbitrary<readonly Row[]> = fc
  .array(fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom(...PATHS), spec), {
    minLength: 1,
    maxLength: 8,
  })
  .map((drawn) => {
    const taken = new Set<string>()
    return drawn.flatMap(([method, path, version], index): Row[] => {
      const isFree = (entry: unknown): boolean => !taken.has(`${method} ${path} ${String(entry)}`)
      const entries: readonly unknown[] = [version].flat()
      const free = ENTRIES.filter((entry) => entries.includes(entry) && isFree(entry))
      if (version === undefined ? !isFree(undefined) : free.length === 0) return []
      for (const entry of entries) taken.add(`${method} ${path} ${String(entry)}`)
      return [[method, path, version === undefined ? undefined : free, `w${index}`]]
    })
  })

/** Every request worth asking. */
const REQUESTS: readonly Asked[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'].flatMap((method) =>
  [...PATHS, '/none'].flatMap((path) =>
    [null, ...VERSIONS, '9'].map((version) => ({ method, path, version })),
  ),
)

type Options = { readonly defaultVersion: string | null; readonly versions: readonly string[] }

const SCHEMES: readonly {
  readonly name: string
  readonly inPath: boolean
  readonly statuses: World['statuses']
  readonly create: (rows: readonly Row[], options: Options) => App
  readonly write: (asked: Asked) => InjectOptions
}[] = [
  {
    name: 'HEADER',
    inPath: false,
    statuses: [406, 400],
    create: (rows, options) => serve(rows, HEADER, options),
    write: ({ method, path, version }) => ({
      method,
      url: path,
      headers: version === null ? {} : { accept: `a/b; version=${version}` },
    }),
  },
  {
    name: 'QUERY',
    inPath: false,
    statuses: [404, 400],
    create: (rows, options) => serve(rows, QUERY, options),
    write: ({ method, path, version }) => ({
      method,
      url: version === null ? path : `${path}?version=${version}`,
    }),
  },
  {
    name: 'URL',
    inPath: true,
    statuses: [404, 404],
    create: (rows, options) => serve(rows, URL, options),
    write: ({ method, path, version }) => ({ method, url: version === null ? path : `/v${version}${path}` }),
  },
]

/** What an application answers, in the words of the interpreter; HEAD has no body to compare. */
async function answerOf(
  app: App,
  rows: readonly Row[],
  asked: Asked,
  request: InjectOptions,
): Promise<Expected> {
  const { statusCode, headers, body, route, version } = await app.inject(request)
  const row = route === null ? undefined : rows[Number(route.name.replace('api.r', ''))]
  const code =
    statusCode < 400 || asked.method === 'HEAD' ? undefined : String(Reflect.get(JSON.parse(body), 'code'))
  return {
    status: statusCode,
    answer: row === undefined ? undefined : `${row[3]}@${version}`,
    code,
    allow: headers['allow'] === undefined ? undefined : String(headers['allow']),
  }
}

describe('2.3 and 2.4: resolution equals a naive interpreter', () => {
  for (const { name, inPath, statuses, create, write } of SCHEMES) {
    it(`2.3 every request, whatever the order of declaration (${name})`, async () => {
      const property = fc.asyncProperty(
        routes,
        fc.constantFrom(null, ...VERSIONS),
        fc.nat(),
        async (rows, defaultVersion, turn) => {
          const options = { defaultVersion, versions: VERSIONS.toReversed() }
          const world: World = { rows, known: VERSIONS, defaultVersion, inPath, statuses }
          const turned = [
            ...rows.slice(turn % (rows.length + 1)),
            ...rows.slice(0, turn % (rows.length + 1)),
          ].toReversed()
          const app = create(rows, options)
          const other = create(turned, options)
          for (const asked of REQUESTS) {
            const expected = interpret(world, asked)
            const seen = asked.method === 'HEAD' ? { ...expected, code: undefined } : expected
            assert.deepEqual(await answerOf(app, rows, asked, write(asked)), seen, JSON.stringify(asked))
            assert.deepEqual(await answerOf(other, turned, asked, write(asked)), seen, JSON.stringify(asked))
          }
        },
      )
      await fc.assert(property, { seed: 20261121, numRuns: 100 })
    })
  }
})

describe('2.3: what the property cannot reach', () => {
  it('2.3 the order of step 7: nowhere, ambiguous, malformed, method, version', async () => {
    const rows: readonly Row[] = [
      ['GET', '/a', '1', 'a'],
      ['POST', '/b', '2', 'b'],
    ]
    const app = serve(rows, QUERY, { format: 'integer' })
    const asked = [
      '/none?version=1&version=2',
      '/none?version=x',
      '/none',
      '/a?version=x&version=1',
      '/a?version=x',
      '/a',
      '/b',
      '/b?version=2',
      '/b?version=1',
      '/b?version=3',
    ]
    const answers = await Promise.all(
      asked.map(async (url) => {
        const { status, body } = await ask(app, url)
        return `${status} ${String(Reflect.get(Object(body), 'code'))}`
      }),
    )
    assert.deepEqual(answers, [
      '404 route_not_found',
      '404 route_not_found',
      '404 route_not_found',
      '400 ambiguous_version',
      '400 invalid_version',
      '400 unspecified_version',
      '405 method_not_allowed',
      '405 method_not_allowed',
      '404 unsupported_version',
      '404 unsupported_version',
    ])
  })
  it('2.3 a malformed path is 400 before any version', async () => {
    const rows: readonly Row[] = [['GET', '/a', '1', 'a']]
    const answers = await Promise.all([
      serve(rows, URL).inject('/v9/%zz'),
      serve(rows, URL).inject('/v%3/a'),
      serve(rows, QUERY).inject('/%ff?version=9'),
    ])
    assert.deepEqual(
      answers.map(({ statusCode, body }) => [statusCode, body.includes('malformed_path')]),
      answers.map(() => [400, true]),
    )
  })
})
