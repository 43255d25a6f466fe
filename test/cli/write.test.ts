import assert from 'node:assert/strict'
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'

import { defineErrorFormat, defineProblem } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import {
  applyEdits,
  compareSources,
  formatCode,
  layOut,
  prepareSource,
  toAdditions,
  toDrafts,
  toPlainJson,
  withReformatTexts,
  toSpecifier,
  toConversion,
  toZodText,
  writeFiles,
} from '../inside/tools.ts'
import type { Additions, ChangeDraft, DescribedField } from '../inside/tools.ts'
import { findHarm } from './never-harm.ts'

const NAMES = {
  components: {
    Address: z.toJSONSchema(z.object({ city: z.string() })),
    Page: z.toJSONSchema(z.object({ size: z.int() }), { io: 'input' }),
    Tree: { type: 'object', properties: { next: { $ref: '#/components/schemas/Tree' } } },
  },
  modelOf: (component: string) => (component === 'Address' ? 'Address' : undefined),
}

describe('schemas as zod writes them', () => {
  const schemas: readonly (readonly [text: string, schema: z.ZodType])[] = [
    ['z.string()', z.string()],
    ['z.string().min(1).max(5)', z.string().min(1).max(5)],
    ['z.string().regex(/^\\d+$/)', z.string().regex(/^\d+$/)],
    ['z.email()', z.email()],
    ['z.iso.date()', z.iso.date()],
    ['z.int()', z.int()],
    ['z.int().min(0).max(9)', z.int().min(0).max(9)],
    ['z.number().gt(0)', z.number().positive()],
    ['z.boolean()', z.boolean()],
    ['z.null()', z.null()],
    ["z.enum(['a', 'it\\'s'])", z.enum(['a', "it's"])],
    ["z.literal('a')", z.literal('a')],
    ['z.literal([1, 2])', z.literal([1, 2])],
    ['z.string().nullable()', z.string().nullable()],
    ["z.enum(['a']).nullable()", z.enum(['a']).nullable()],
    ["z.string().default('x')", z.string().default('x')],
    ['z.array(z.string()).min(1)', z.array(z.string()).min(1)],
    ['z.tuple([z.string(), z.int()])', z.tuple([z.string(), z.int()])],
    [
      "z.object({ a: z.string(), 'b-c': z.int().optional() })",
      z.object({ a: z.string(), 'b-c': z.int().optional() }),
    ],
    ['z.record(z.string(), z.boolean())', z.record(z.string(), z.boolean())],
    ['z.union([z.string(), z.boolean()])', z.union([z.string(), z.boolean()])],
    ['z.unknown()', z.unknown()],
  ]
  for (const [text, schema] of schemas)
    it(text, () => {
      const json: unknown = z.toJSONSchema(schema, { io: 'input' })
      assert.equal(toZodText(json, NAMES), text)
    })

  it('names models, and writes other named schemas out', () => {
    const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
    assert.equal(toZodText({ type: 'array', items: ref('Address') }, NAMES), 'z.array(Address)')
    assert.equal(toZodText(ref('Page'), NAMES), 'z.object({ size: z.int() })')
    assert.equal(toZodText(ref('Tree'), NAMES), 'z.object({ next: z.unknown().optional() })')
    assert.equal(toZodText({ anyOf: [ref('Address'), { type: 'null' }] }, NAMES), 'Address.nullable()')
  })
})

describe('conversions', () => {
  const described = (schema: z.ZodType): DescribedField => ({
    schema: z.toJSONSchema(schema, { io: 'input' }),
    isOptional: schema._zod.optout === 'optional',
  })
  const same = (schema: unknown): unknown => schema
  const turn = (
    from: z.ZodType,
    to: z.ZodType,
    side: 'up' | 'down' = 'up',
    isForwarding = false,
  ): string | undefined =>
    toConversion(described(from), described(to), 'old', {
      side,
      isStrict: true,
      isOpen: isForwarding,
      isNoted: false,
      isForwarding,
      zodOf: (schema) => toZodText(schema, NAMES),
      types: new Map(),
      resolve: { from: same, to: same },
    })
  const digits = z.string().regex(/^\d+$/)
  const cases: readonly (readonly [
    title: string,
    from: z.ZodType,
    to: z.ZodType,
    code: string | undefined,
  ])[] = [
    ['the same', z.string(), z.string(), undefined],
    ['a number as a text', z.int(), z.string(), 'String(old)'],
    ['a number as an id of letters', z.int(), z.uuid(), "fillIn('string')"],
    ['a text of digits as a number', digits, z.int(), 'Number(old)'],
    [
      'a text as an object',
      z.string(),
      z.object({ sku: z.string(), at: z.object({ x: z.int(), y: z.int() }) }),
      "({ sku: old, at: fillIn('{ x: number; y: number }') })",
    ],
    ['any text as a number', z.string(), z.int(), "fillIn('number')"],
    ['a greatest number', z.int(), z.int().max(9), "old <= 9 ? old : fillIn('number')"],
    ['a bound that was tighter', z.int().max(5), z.int().max(9), undefined],
    ['a whole number', z.number(), z.int(), "Number.isInteger(old) ? old : fillIn('number')"],
    [
      'two bounds',
      z.string(),
      z.string().min(1).max(9),
      "old.length >= 1 && [...old].length <= 9 ? old : fillIn('string')",
    ],
    ['a pattern', z.string(), z.string().regex(/^a+$/), "/^a+$/.test(old) ? old : fillIn('string')"],
    ['a format', z.string(), z.email(), "fits(z.email(), old) ? old : fillIn('string')"],
    [
      'a text of a few',
      z.string(),
      z.enum(['a', 'b']),
      `fits(z.enum(['a', 'b']), old) ? old : fillIn("'a' | 'b'")`,
    ],
    [
      'numbers of a few',
      z.int(),
      z.union([z.literal(1), z.literal(2)]),
      "fits(z.union([z.literal(1), z.literal(2)]), old) ? old : fillIn('1 | 2')",
    ],
    ['the only number', z.int(), z.union([z.literal(1)]), 'fits(z.literal(1), old) ? old : 1'],
    [
      'numbers of fewer',
      z.union([z.literal(1), z.literal(2), z.literal(3)]),
      z.union([z.literal(1), z.literal(2)]),
      "old === 3 ? fillIn('1 | 2') : old",
    ],
    [
      'the length of a list',
      z.array(z.string()),
      z.array(z.string()).max(3),
      "old.length <= 3 ? old : fillIn('string[]')",
    ],
    [
      'a bound of an optional value',
      z.int().optional(),
      z.int().max(9).optional(),
      "old === undefined ? undefined : old <= 9 ? old : fillIn('number')",
    ],
    ['an optional value', z.int().optional(), z.int(), "old ?? fillIn('number')"],
    ['an optional value that has a default', z.string().optional(), z.string().default('x'), undefined],
    ['a value that could be null', z.string().nullable(), z.string(), "old ?? fillIn('string')"],
    [
      'a value that could be left out or null',
      z.string().nullable().optional(),
      z.string(),
      "old ?? fillIn('string')",
    ],
    [
      'an optional number as an optional text',
      z.int().optional(),
      z.string().optional(),
      'old === undefined ? undefined : String(old)',
    ],
    ['more values', z.enum(['a']), z.enum(['a', 'b']), undefined],
    ['fewer values', z.enum(['a', 'b', 'c']), z.enum(['a', 'b']), `old === 'c' ? fillIn("'a' | 'b'") : old`],
    ['one value that is left', z.enum(['a', 'b']), z.enum(['a']), "old === 'b' ? 'a' : old"],
    ['a value as a list', z.string(), z.array(z.string()), '[old]'],
    [
      'a list as a value',
      z.array(z.string()),
      z.string(),
      "old.length > 1 ? fillIn('string') : old[0] ?? fillIn('string')",
    ],
    ['the items of a list', z.array(z.int()), z.array(z.string()), 'old.map((each) => String(each))'],
    [
      'a member that may be left out instead of another one',
      z.object({ id: z.int(), nick: z.string().optional() }),
      z.object({ id: z.int(), name: z.string().optional() }),
      undefined,
    ],
    [
      'one more member that may be left out',
      z.object({ id: z.int() }),
      z.object({ id: z.int(), name: z.string().optional() }),
      undefined,
    ],
    [
      'an object',
      z.object({ a: z.string() }),
      z.object({ b: z.string() }),
      "fits(z.object({ b: z.string() }), old) ? old : fillIn('{ b: string }')",
    ],
    [
      'a value in one of two',
      z.string(),
      z.object({ a: z.string(), b: z.string() }),
      "fillIn('{ a: string; b: string }')",
    ],
    ['a value that was wrapped', z.object({ a: z.string(), b: z.int() }), z.string(), 'old.a'],
    [
      'a value that may lack',
      z.object({ a: z.string().optional() }),
      z.string(),
      "old.a ?? fillIn('string')",
    ],
    [
      'a list as a page',
      z.array(z.string()),
      z.object({ items: z.array(z.string()), total: z.int(), next: z.string().optional() }),
      "({ items: old, total: fillIn('number') })",
    ],
    ['a page as a list', z.object({ 'the-items': z.array(z.int()) }), z.array(z.int()), "old['the-items']"],
    [
      'objects with fields that are the same',
      z.object({ a: z.string(), b: z.int(), c: z.int() }),
      z.object({ a: z.string(), b: z.string(), d: z.boolean() }),
      "({ ...old, b: String(old.b), d: fillIn('boolean') })",
    ],
    ['an object of less', z.object({ a: z.string(), b: z.int() }), z.object({ a: z.string() }), undefined],
    [
      'an object that takes no other',
      z.object({ a: z.string(), b: z.int() }),
      z.strictObject({ a: z.string() }),
      "fits(z.strictObject({ a: z.string() }), old) ? old : fillIn('{ a: string }')",
    ],
  ]
  for (const [title, from, to, code] of cases) it(title, () => assert.equal(turn(from, to), code))

  it('down, null stands for a value that the API behind no longer sends', () => {
    const down = (from: z.ZodType, to: z.ZodType): string | undefined => turn(from, to, 'down', true)
    assert.equal(down(z.string().optional(), z.string()), 'asIs(old ?? null)')
    assert.equal(down(z.string().nullish(), z.string()), 'asIs(old ?? null)')
    assert.equal(down(z.string().optional(), z.literal('a')), "old === undefined ? 'a' : asIs(old)")
    assert.equal(
      down(z.object({ a: z.int() }), z.object({ a: z.int(), b: z.string(), c: z.array(z.int()) })),
      '({ ...old, b: asIs(null), c: [] })',
    )
    assert.equal(turn(z.string().optional(), z.string(), 'down'), "old ?? fillIn('string')")
  })
  it('up, null is left out if the value may be missing, and may not be null', () => {
    assert.equal(turn(z.string().nullish(), z.string().optional()), 'old ?? undefined')
  })
  it('down, a value that was left out is no default of the older version', () => {
    assert.equal(turn(z.string().optional(), z.string(), 'down'), "old ?? fillIn('string')")
  })
})

describe('conversions behind references', () => {
  const text = { type: 'string' }
  const object = (properties: object, required = Object.keys(properties)) => ({
    type: 'object',
    properties,
    required,
  })
  const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
  /** Models are marked as the writer does. */
  const follow =
    (components: Readonly<Record<string, object>>, models: readonly string[]) =>
    (schema: unknown): unknown => {
      const name = String(Object(schema).$ref ?? '').slice('#/components/schemas/'.length)
      if (name === '') return schema
      return models.includes(name) ? { ...components[name], $id: name } : components[name]
    }
  const turn = (
    was: unknown,
    now: unknown,
    older: Readonly<Record<string, object>>,
    newer: Readonly<Record<string, object>>,
    models: readonly string[] = [],
  ): string | undefined =>
    toConversion({ schema: now, isOptional: false }, { schema: was, isOptional: false }, 'now', {
      side: 'down',
      isStrict: true,
      isOpen: true,
      isNoted: true,
      isForwarding: true,
      zodOf: (schema) => toZodText(schema, NAMES),
      types: new Map(),
      resolve: { from: follow(newer, models), to: follow(older, models) },
    })
  const list = { type: 'array', items: ref('State') }

  it('one name may stand for two schemas', () => {
    const states = (values: readonly string[]) => ({ State: { type: 'string', enum: values } })
    const converted = turn(list, list, states(['a', 'b']), states(['a', 'b', 'c']))
    assert.equal(converted, 'now.map((each) => asIs(each))')
    assert.equal(turn(list, list, states(['a', 'b']), states(['a', 'b'])), undefined)
    const tree = { Tree: object({ next: ref('Tree') }, []) }
    assert.equal(turn(ref('Tree'), ref('Tree'), tree, tree), undefined)
  })

  it('a model stays, and another one in its place is converted by its members', () => {
    const older = { Box: object({ id: text, size: text }), Page: object({ id: text }) }
    const newer = { Box: object({ id: text }), Page: object({ id: text, size: text }) }
    const models = ['Box', 'Page']
    assert.equal(turn(ref('Box'), ref('Box'), older, newer, models), undefined)
    assert.equal(turn(ref('Box'), ref('Page'), older, older, models), '({ ...now, size: asIs(null) })')
    const own = { A: object({ id: text, next: ref('A') }, ['id']), B: object({ id: text, next: ref('B') }) }
    assert.equal(
      turn(ref('B'), ref('A'), own, own, ['A', 'B']),
      "({ ...now, next: now.next === undefined ? asIs(null) : fits(z.unknown(), now.next) ? now.next : fillIn('B') })",
    )
  })

  it('a model that came out of an envelope is put back into it', () => {
    const components = { Usage: object({ units: text }), Envelope: object({ usage: ref('Usage') }) }
    const models = ['Usage', 'Envelope']
    assert.equal(turn(ref('Envelope'), ref('Usage'), components, components, models), '({ usage: now })')
    assert.equal(turn(ref('Usage'), ref('Envelope'), components, components, models), 'now.usage')
  })

  it('a default that is only documented makes no member required', () => {
    const noted = { type: 'integer', default: 5 }
    const names = { ...NAMES, isNoted: true }
    assert.equal(
      toZodText(object({ limit: noted }, []), names),
      'z.object({ limit: z.int().meta({ default: 5 }).optional() })',
    )
    const was = object({ id: text, limit: noted })
    assert.equal(turn(was, object({ id: text }), {}, {}), '({ ...now, limit: 5 })')
  })
})

describe('additions to the file of a history', () => {
  const wanted: Additions = {
    line: 5,
    changes: ['second'],
    models: [],
    imports: [['./changes/second.ts', ['second']]],
    code: [],
  }
  const source = `import { defineVersions } from 'octavo/changes'
import { User } from './models.ts'

// newest first
export const history = defineVersions({
  versions: ['2', '1'],
  models: { User },
  changes: [first],
})
`
  const added = (text: string, some: Partial<Additions> = {}): string => {
    const edits = toAdditions(text, { ...wanted, ...some })
    return typeof edits === 'string' ? edits : applyEdits(text, edits)
  }

  it('list the change and import it', () => {
    assert.equal(
      added(source),
      source
        .replace('[first]', '[second, first]')
        .replace("'./models.ts'\n", "'./models.ts'\nimport { second } from './changes/second.ts'\n"),
    )
  })

  it('keep quotes, semicolons and lines', () => {
    const text = `import { User } from "./models.js";\n\n\n\nexport const history = defineVersions({\n  versions: VERSIONS,\n  models: { User },\n  changes: [\n    first,\n  ],\n});\n`
    assert.equal(
      added(text),
      text
        .replace('"./models.js";\n', '"./models.js";\nimport { second } from "./changes/second.ts";\n')
        .replace('    first,', '    second,\n    first,'),
    )
  })

  it('list models, and do not import twice', () => {
    const text = added(source, { models: ['Address'], imports: [['./models.ts', ['User']]] })
    assert.equal(
      text,
      source.replace('{ User },', '{ Address, User },').replace('[first]', '[second, first]'),
    )
  })

  it('put a definition in front of the history, and of the comment above it', () => {
    const text = added(source, { imports: [], code: ['const second = 2'] })
    assert.ok(text.includes("models.ts'\n\nconst second = 2\n\n// newest first\nexport const history"), text)
  })

  it('fill an empty list', () => {
    assert.ok(added(source.replace('[first]', '[]')).includes('changes: [second],'))
  })

  it('say what cannot be found', () => {
    assert.equal(added(source, { line: 4 }), 'the call of defineVersions was not found')
    assert.equal(
      added(source.replace('[first]', 'list()')),
      'changes of defineVersions is not a literal in this file',
    )
  })

  it('import as the file does', () => {
    const to = (text: string): string => toSpecifier('/a/src/history.ts', '/a/src/changes/b.ts', text)
    assert.equal(to(''), './changes/b.ts')
    assert.equal(to("import { a } from './a.js'"), './changes/b.js')
    assert.equal(to("import { a } from './a'"), './changes/b')
    assert.equal(toSpecifier('/a/src/changes/b.ts', '/a/src/models.ts', ''), '../models.ts')
  })
})

describe('the names of changes', () => {
  const long = 'AVeryLongNameOfAnObjectThatSomeGeneratorOfDocumentsHasPutTogetherFromPaths'
  const names = ['id', 'created_at', `${long}Field`, 'isItTheOneThatWasMeantByTheOnesBefore', 'x']
  const text: DescribedField = { schema: { type: 'string' }, isOptional: true }
  const number: DescribedField = { schema: { type: 'integer' }, isOptional: false }
  const fields = (count: number) => ({
    removed: names.slice(0, count).map((name) => ({ kind: 'removed', name, was: text }) as const),
    added: names.slice(0, count).map((name) => ({ kind: 'added', name, now: number }) as const),
  })
  const models: readonly ChangeDraft[] = ['User', long].flatMap((model) =>
    [1, 2, 5].flatMap((count): readonly ChangeDraft[] => [
      { kind: 'model', model, fields: fields(count).removed },
      { kind: 'model', model, fields: fields(count).added },
      { kind: 'model', model, fields: [...fields(count).removed, ...fields(count).added] },
      {
        kind: 'model',
        model,
        fields: [{ kind: 'renamed', name: names[count - 1] ?? '', was: `${long}Was` }],
      },
      {
        kind: 'model',
        model,
        fields: [
          { kind: 'retyped', name: names[count - 1] ?? '', was: text, now: number, sides: ['response'] },
        ],
      },
    ]),
  )
  const routesOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      route: `users.read${index}`,
      now: { method: 'GET', path: `/organizations/{organization}/${long}/{id:int}/members/${index}` },
      before: { path: `/${index}`, parameters: {} },
    }))
  const routes: readonly ChangeDraft[] = [1, 2, 9].flatMap((count): readonly ChangeDraft[] => {
    const route = { kind: 'route', routes: routesOf(count), parameters: [], headers: [] } as const
    return [
      { ...route, path: `/${long}` },
      { ...route, gained: ['organization', long] },
      { ...route, status: { was: 200, now: 201 } },
      { ...route, success: { was: 200, now: 201 } },
      { ...route, problems: [{ code: long, was: 'sold' }] },
      ...fields(2).added.map((field): ChangeDraft => ({
        ...route,
        parameters: [{ source: 'query', field }],
      })),
      ...fields(2).removed.map((field): ChangeDraft => ({ ...route, headers: [field] })),
    ]
  })

  it('are short: titles of at most 72 characters, and file names of at most 80', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'octavo-names-'))
    try {
      const at = 'history.ts:3'
      const history =
        "import { defineVersions } from 'octavo/changes'\n\nexport const history = defineVersions({ versions: ['1'], models: {}, changes: [] })\n"
      writeFileSync(join(cwd, 'history.ts'), history)
      writeFileSync(join(cwd, 'models.ts'), 'export {}\n')
      const defined = ['User', long].map((name) => {
        const place = { at: 'models.ts:1', exported: name, isListed: true }
        return { name, ...place, touched: [], fields: [] }
      })
      const definitions = {
        history: { versions: ['1'], at, changes: [] },
        models: defined,
        parts: [],
        objects: [],
        routes: [],
        unfinished: [],
        isNoted: false,
        isForwarding: false,
      }
      const sources = { base: {}, revision: {}, definitions, cwd, isOpen: true }
      const layout = await layOut([...models, ...routes, ...models], sources)
      assert.ok(typeof layout === 'object')
      assert.equal(layout.kept.length, 0)
      const { changes } = layout
      assert.equal(changes.length, models.length * 2 + routes.length)
      const ofChanges = changes.map(({ text: { title }, path }) => ({ title, file: basename(path) }))
      assert.deepEqual(
        ofChanges.filter(({ title, file }) => title.length > 72 || file.length > 80),
        [],
      )
      assert.equal(new Set(ofChanges.map(({ file }) => file)).size, changes.length)
    } finally {
      rmSync(cwd, { recursive: true })
    }
  })
})

describe('an error format that changed', () => {
  const shown = async (schema: z.ZodType | undefined, contentType = 'application/json') => {
    const routes = [
      {
        method: 'GET',
        path: '/car',
        name: 'get',
        response: z.string(),
        problems: [defineProblem({ code: 'sold', status: 409, title: 'The car is sold' })],
        handler: () => 'a car',
      },
    ] as const
    const errorFormat = schema && defineErrorFormat({ contentType, schema, format: () => ({}) })
    const app = serve(routes, { docs: { info: { title: 'Cars' } }, ...(errorFormat && { errorFormat }) })
    await app.ready()
    return toPlainJson(app.openapi({ version: 'all' }))
  }
  const definitions = {
    history: undefined,
    models: [],
    parts: [],
    objects: [],
    routes: [],
    unfinished: [],
    isNoted: false,
    isForwarding: false,
  }
  const adviceFor = async (
    was: ReturnType<typeof shown>,
    now: ReturnType<typeof shown>,
  ): Promise<readonly string[]> => {
    const [base, revision] = [await was, await now]
    const compared = compareSources(prepareSource(base), prepareSource(revision)).findings
    const findings = compared.map((each) => ({ ...each, version: '1' }))
    const known = { ...definitions, routes: [{ name: 'get', operationId: 'get', path: '/car', bodies: [] }] }
    const { unwritten } = toDrafts(findings, ({ level }) => level === 'warning', { base, revision, known })
    const sources = { base, revision, definitions, cwd: '', isOpen: true }
    return [...new Set(withReformatTexts(unwritten, sources).map(({ why }) => why))]
  }
  const Below = z.object({ error: z.object({ code: z.string() }) })
  const Flat = z.object({ code: z.string(), status: z.int() })

  it('is named with the text of its change', async () => {
    const begin = 'describe the body of all errors in a change: reformatErrors({ '
    assert.deepEqual(await adviceFor(shown(Flat), shown(Flat)), [])
    assert.deepEqual(await adviceFor(shown(Below), shown(Flat)), [
      `${begin}now: errorFormat.schema, was: z.object({ error: z.object({ code: z.string() }) }), down: (now) => ({ error: now }) })`,
    ])
    assert.deepEqual(await adviceFor(shown(Flat), shown(undefined)), [
      `${begin}was: z.object({ code: z.string(), status: z.int() }), down: (now) => now })`,
    ])
    assert.deepEqual(await adviceFor(shown(Flat, 'application/vnd.old+json'), shown(Flat)), [
      `${begin}now: errorFormat.schema, was: z.object({ code: z.string(), status: z.int() }).meta({ contentMediaType: 'application/vnd.old+json' }), down: (now) => now })`,
    ])
    const [fromProblems = ''] = await adviceFor(shown(undefined), shown(Flat))
    assert.ok(fromProblems.startsWith(`${begin}now: errorFormat.schema, was: z.`), fromProblems)
    assert.match(fromProblems, /\.meta\(\{ contentMediaType: 'application\/problem\+json' \}\), down: /)
  })
})

describe('the files of a command', () => {
  it('are all replaced and removed, or stay as they are if one cannot be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-'))
    const at = (name: string): string => join(folder, name)
    writeFileSync(at('old'), 'old')
    writeFileSync(at('gone'), 'gone')
    mkdirSync(at('taken'))
    const files = [
      { path: at('old'), text: 'new' },
      { path: at('gone'), text: undefined },
      { path: at('a/made'), text: 'made' },
    ]
    const isThere = (): unknown => [readFileSync(at('old'), 'utf8'), readdirSync(folder)]
    await assert.rejects(writeFiles([...files, { path: at('taken'), text: 'x' }]), /taken cannot be read/)
    assert.deepEqual(isThere(), ['old', ['gone', 'old', 'taken']])
    // the second needs a folder where the first is put
    const both = ['b', 'b/c'].map((name) => ({ path: at(name), text: 'x' }))
    await assert.rejects(writeFiles([...files, ...both]), /b cannot be written/)
    assert.deepEqual(isThere(), ['old', ['a', 'b', 'gone', 'old', 'taken']])
    assert.deepEqual([readdirSync(at('a')), readdirSync(at('b'))], [[], []])
    assert.equal((await writeFiles(files)).size, 3)
    assert.deepEqual(isThere(), ['new', ['a', 'b', 'old', 'taken']])
    assert.equal((await writeFiles(files)).size, 0)
    rmSync(folder, { recursive: true })
  })

  it('keep their modes, and a link stays a link', { skip: process.platform === 'win32' }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-'))
    const at = (name: string): string => join(folder, name)
    mkdirSync(at('a'))
    writeFileSync(at('a/file'), 'old')
    chmodSync(at('a/file'), 0o750)
    symlinkSync('a/file', at('link'))
    await writeFiles([{ path: at('link'), text: 'new' }])
    assert.deepEqual(
      [lstatSync(at('link')).isSymbolicLink(), readFileSync(at('a/file'), 'utf8')],
      [true, 'new'],
    )
    assert.equal(statSync(at('a/file')).mode & 0o777, 0o750)
    assert.deepEqual(readdirSync(at('a')), ['file'])
    rmSync(folder, { recursive: true })
  })
})

describe('the formatter of a project', { skip: process.platform === 'win32' }, () => {
  /** A project with a formatter that writes tabs, and refuses `bad`. */
  function createProject(manifest: object): string {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-'))
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    const code = `#!/usr/bin/env node
const text = require('node:fs').readFileSync(0, 'utf8')
if (text.includes('bad')) { console.error('bad code\\nmore'); process.exit(2) }
process.stdout.write(text.replaceAll('  ', '\\t') + '// ' + process.argv.at(-1) + '\\n')`
    writeFileSync(join(folder, 'node_modules/.bin/prettier'), code, { mode: 0o755 })
    return folder
  }
  const uses = { devDependencies: { prettier: '3' } }
  const textsOf = async (manifest: object, files: Readonly<Record<string, string>>): Promise<unknown> => {
    const folder = createProject(manifest)
    const code = Object.entries(files).map(([name, text]) => ({ path: join(folder, name), text }))
    const formatted = await formatCode(code, folder)
    rmSync(folder, { recursive: true })
    return formatted.map(({ text }) => text)
  }

  it('formats code, and nothing else', async () => {
    assert.deepEqual(await textsOf(uses, { 'src/a.ts': '  a\n', 'b.json': '  {}' }), [
      '\ta\n// --stdin-filepath=src/a.ts\n',
      '  {}',
    ])
  })

  it('is not used if it is no dependency, or missing', async () => {
    assert.deepEqual(await textsOf({}, { 'a.ts': '  a' }), ['  a'])
    assert.deepEqual(await textsOf({ devDependencies: { oxfmt: '1' } }, { 'a.ts': '  a' }), ['  a'])
  })

  it('leaves a file alone that was not formatted before', async () => {
    const folder = createProject(uses)
    const path = join(folder, 'a.ts')
    const formatted = await formatCode([{ path, before: '  a', text: '  b' }], folder)
    rmSync(folder, { recursive: true })
    assert.equal(formatted[0]?.text, '  b')
  })

  it('is told in one line if it fails, and all code is written as it is', async (t) => {
    const said = t.mock.method(process.stderr, 'write', () => true)
    assert.deepEqual(await textsOf(uses, { 'a.ts': '  a', 'b.ts': '  bad' }), ['  a', '  bad'])
    assert.deepEqual(
      said.mock.calls.map((call) => call.arguments),
      [['prettier failed, so the code is not formatted: bad code\n']],
    )
  })
})

describe('written changes', () => {
  for (const seed of [3, 9, 17, 25, 31, 44])
    it(`harm nothing that worked without them, with seed ${seed}`, async () => {
      assert.deepEqual((await findHarm(seed)).harm, [])
    })
})
