import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, VersioningSchemes } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { VERSIONS } from './corpus/versions.ts'
import { assertFilled, documentOf, integer, string } from './support.ts'
import { checkSnapshots, readAllowed, readIndex, readLevels, toIndexText } from '../inside/tools.ts'

const now = new Date('2026-11-22')

describe('the gate, versions', () => {
  for (const { reason, old, now: newer, expected, options } of VERSIONS)
    it(`${reason}: ${expected.join(', ') || 'none'}`, () => {
      const { findings } = checkSnapshots(old, newer, { now, ...options })
      for (const { message } of findings) assertFilled(message)
      const found = findings.map(({ level, rule, version }) => `${level} ${rule} ${version}`)
      assert.deepEqual(found.toSorted(), [...expected].toSorted(), JSON.stringify(findings, undefined, 1))
    })

  it('is one finding for the life of a version, however many operations it has', async () => {
    const cars = defineController({
      prefix: '/cars',
      version: ['1', '2'],
      routes: (['GET', 'POST', 'PUT', 'DELETE'] as const).map((method) => ({
        method,
        response: z.string(),
        handler: () => 'a',
      })),
    })
    const documentOfOne = async (life: object): Promise<object> => {
      const app = serve(cars, { versioning: { scheme: VersioningSchemes.URL, versions: { 1: life } } })
      await app.ready()
      return app.openapi({ version: '1' })
    }
    const [since, ends] = [{ deprecated: '2026-01-01' }, { deprecated: '2026-01-01', sunset: '2027-06-01' }]
    const cases = [
      [{}, since, 'warning deprecated-without-sunset: version 1 is deprecated without a sunset'],
      [{}, ends, 'info endpoint-deprecated: version 1 is deprecated'],
      [ends, {}, 'info deprecated-reactivated: version 1 is no longer deprecated'],
      [ends, since, 'breaking sunset-deleted: the sunset of version 1 was removed'],
      [
        ends,
        { ...ends, sunset: '2027-01-01', retired: 'gone' },
        'breaking sunset-date-moved-earlier: the sunset of version 1 is earlier than before',
      ],
    ] as const
    for (const [was, is, expected] of cases) {
      const [old, today] = await Promise.all([was, is].map(documentOfOne))
      const kept = { version: '1', document: old, sha256: '', at: '2026-01-01' }
      const current = { version: '1', document: today, isDefault: false }
      const { findings, stale } = checkSnapshots([kept], [current], { now })
      assert.deepEqual(
        findings.map(({ level, rule, message }) => `${level} ${rule}: ${message}`),
        [expected],
      )
      assert.deepEqual(stale, ['1'])
    }
  })

  it('names operations that no change explains as the newer version does', () => {
    const at = (version: string, request: object): object => {
      const document = Object(documentOf({ request })) as { readonly paths: object }
      const paths = { [`/v${version}/cars`]: Object.values(document.paths)[0] as unknown }
      return { ...document, info: { title: 'Cars', version }, paths }
    }
    const version = (name: string, request: object) => ({
      version: name,
      document: at(name, request),
      isDefault: false,
    })
    const history = { changes: [], problems: [] }
    const current = [version('1', string), version('2', integer)]
    const { findings } = checkSnapshots([], current, { history })
    assert.deepEqual(
      findings.map(({ rule, operation }) => [rule, operation]),
      [['diff-unexplained', 'POST /v2/cars']],
    )
  })

  it('asks for no change that describes a webhook, whose versions are made by changes', () => {
    const version = (name: string, schema: object) => ({
      version: name,
      document: {
        ...Object(documentOf({})),
        webhooks: {
          moved: { post: { requestBody: { content: { 'application/json': { schema } } }, responses: {} } },
        },
      },
      isDefault: false,
    })
    const object = (...names: readonly string[]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, string])),
      required: names,
    })
    const current = [version('1', object('name')), version('2', object('first', 'last'))]
    const { findings } = checkSnapshots([], current, { history: { changes: [], problems: [] } })
    assert.deepEqual(findings, [])
    const kept = current.map(({ version: name, document }) => ({
      version: name,
      document,
      sha256: '',
      at: '',
    }))
    const [one, two] = current
    assert.ok(one && two)
    const changed = checkSnapshots(kept, [one, { ...two, document: one.document }], {})
    assert.ok(
      changed.findings.some(({ level, operation }) => level === 'breaking' && operation === 'webhook moved'),
      JSON.stringify(changed.findings),
    )
  })

  it('tells words from additions', () => {
    const kept = (version: string) => ({
      version,
      sha256: '',
      at: '',
      document: documentOf({ request: string }),
    })
    const today = (version: string, request: object) => ({
      version,
      document: documentOf({ request }),
      isDefault: false,
    })
    const { stale, reworded, level } = checkSnapshots(
      [kept('1'), kept('2'), kept('3')],
      [
        today('1', { ...string, description: 'A name' }),
        today('2', { type: ['string', 'null'] }),
        today('3', string),
      ],
    )
    assert.deepEqual({ stale, reworded, level }, { stale: ['1', '2'], reworded: ['1'], level: 'info' })
  })
})

const ALLOWED = { rule: 'request-parameter-removed', reason: 'All agreed', until: '2026-12-31' }

describe('a folder of snapshots', () => {
  it('has an index that is read as it was written', () => {
    const index = {
      versions: [{ version: '1', sha256: 'a', at: '2026-01-01', isDefault: true, sunset: '2027-01-01' }],
      serving: {
        schemes: ['header x-version'],
        routes: new Map([
          ['GET /a', [['1', '2'], ['3']]],
          ['GET /b', [['1', '2', '3']]],
          ['POST /a', [['1', '2'], ['3']]],
        ]),
      },
    } as const
    const { versions, serving } = readIndex(toIndexText(index))
    assert.deepEqual(versions, index.versions)
    assert.deepEqual(serving?.schemes, index.serving.schemes)
    assert.deepEqual(Object.fromEntries(serving?.routes ?? []), Object.fromEntries(index.serving.routes))
    assert.deepEqual(readIndex('{"versions":[]}'), { versions: [] })
  })

  const wrong: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['an index without versions', () => readIndex('{}'), /no list "versions"/],
    [
      'an entry of the index without a digest',
      () => readIndex('{"versions":[{"version":"1"}]}'),
      /without version/,
    ],
    ['rules that are a list', () => readLevels('[]'), /rules\.json has to be an object/],
    [
      'a rule that there is not',
      () => readLevels('{"request-parameter-remove":"info"}'),
      /^ReadError: rules\.json: unknown rule request-parameter-remove\. Did you mean request-parameter-removed\?$/,
    ],
    ['a rule that is like none', () => readLevels('{"a":"info"}'), /unknown rule a$/],
    [
      'a level that there is not',
      () => readLevels('{"request-parameter-removed":"error"}'),
      /unknown level "error" of request-parameter-removed\. Use breaking, warning, info, none$/,
    ],
    ['what is allowed as an object', () => readAllowed('{}'), /has to be a list/],
    [
      'what is allowed until no day',
      () => readAllowed('[{"rule":"request-parameter-removed","reason":"b","until":"c"}]'),
      /until has to be a date/,
    ],
    ...(
      [
        ['of a rule that there is not', { rule: 'nope' }, /entry 1: unknown rule nope$/],
        [
          'with a member that there is not',
          { operations: 'GET /' },
          /unknown member operations\. Use fingerprint, rule/,
        ],
        ['of an operation that is no text', { operation: ['GET /'] }, /operation has to be a string/],
        ['of versions that are no list', { versions: '1' }, /versions has to be a list of strings/],
      ] as const
    ).map(
      ([title, member, expected]) =>
        [
          `what is allowed ${title}`,
          () => readAllowed(JSON.stringify([{ ...ALLOWED, ...member }])),
          expected,
        ] as const,
    ),
  ]
  for (const [title, read, expected] of wrong)
    it(`is refused: ${title}`, () => assert.throws(read, (error) => expected.test(String(error))))

  it('may name rules of keywords', () => {
    assert.deepEqual(
      [...readLevels('{"request-body-not-added":"breaking"}')],
      [['request-body-not-added', 'breaking']],
    )
  })
})
