import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, DefinitionError, reply, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import type { History, OperationOptions, VersionChange } from 'octavo/changes'
import { checkHistory } from 'octavo/testing'
import { createWebhooks } from 'octavo/webhooks'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { everyDefinition, tryDefinition } from './fuzz/definitions.ts'

const User = model('DefinedUser', { id: z.string(), name: z.string() })

const UserController = defineController({
  prefix: '/user',
  routes: [
    {
      method: 'GET',
      path: '/{id}',
      name: 'get',
      input: {
        query: { sort: z.string().optional() },
        headers: { 'x-trace': z.string().optional() },
        cookies: { theme: z.string().optional() },
      },
      response: User,
      handler: () => reply(200, { id: '7', name: 'Ann' }, { headers: { 'x-total': '7' } }),
    },
  ],
})

/** The definitions without their types, for those whom no compiler warns. */
const untyped = {
  change: defineVersionChange as unknown as (options: unknown) => never,
  versions: defineVersions as unknown as (
    options: unknown,
  ) => History<readonly string[], object, readonly VersionChange[]>,
  reshape: reshape as unknown as (options: unknown) => never,
  derive: derive as unknown as (of: unknown, make: () => unknown) => unknown,
  check: checkHistory as unknown as (history: object, options: unknown) => unknown,
}

function problemsOf(work: () => unknown): DefinitionError['errors'] {
  try {
    work()
  } catch (error) {
    if (error instanceof DefinitionError) return error.errors
    throw error
  }
  return []
}

function messagesOf(work: () => unknown): readonly string[] {
  return problemsOf(work).map(({ message, fix }) => `${message}; ${fix}`)
}

async function bootProblems(change: readonly unknown[]): Promise<DefinitionError['errors']> {
  const history = untyped.versions({ versions: ['3', '2', '1'], models: { User }, changes: change })
  const app = serve(UserController, { versioning: { scheme: VersioningSchemes.URL, history } })
  try {
    await app.ready()
  } catch (error) {
    if (error instanceof DefinitionError) return error.errors
    throw error
  }
  return []
}

function changed(title: string, ...given: readonly Omit<OperationOptions, 'route' | 'body'>[]): object {
  const parts = given.map((each) => operation({ route: 'user.get', ...each }))
  return defineVersionChange({ version: '3', title, change: parts })
}

describe('the order of versions', () => {
  const WRONG: readonly (readonly [versions: readonly string[], right: string])[] = [
    [['1', '2', '3'], "['3', '2', '1']"],
    [['9', '10'], "['10', '9']"],
    [['1.9', '1.10'], "['1.10', '1.9']"],
    [['2026-01-01', '2026-06-01'], "['2026-06-01', '2026-01-01']"],
    [['2-beta', '2', '1'], "['2', '2-beta', '1']"],
  ]
  for (const [versions, right] of WRONG)
    it(`is newest first, unlike ${versions.join(', ')}`, () => {
      const [problem] = problemsOf(() => defineVersions({ versions, models: {}, changes: [] }))
      assert.equal(problem?.code, 'invalid_history')
      assert.match(problem.at ?? problem.where, /definitions\.test|defineVersions/)
      assert.equal(
        `${problem.message}; ${problem.fix}`,
        `versions is not in order; list them newest first: versions: ${right}`,
      )
    })

  it('is that of the list for names', () => {
    const { versions } = defineVersions({ versions: ['summer', 'spring', '1'], models: {}, changes: [] })
    assert.deepEqual(versions, ['summer', 'spring', '1'])
  })

  it('has the next version in front', () => {
    assert.deepEqual(
      messagesOf(() => defineVersions({ versions: ['3', '2'], models: {}, changes: [], next: '1' })),
      ['next is "1", which is not newer than "3"; give a newer version'],
    )
    const { versions } = defineVersions({ versions: ['3', '2'], models: {}, changes: [], next: '4' })
    assert.deepEqual(versions, ['4', '3', '2'])
  })
})

describe('the version of a route beside a history', () => {
  const renamed = defineVersionChange({
    version: '2',
    title: 'The title is the name',
    change: [reshape({ of: User, fields: { name: { was: 'title' } } })],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [renamed] })
  const routes = (version: string | readonly string[], options: object = {}): App =>
    serve(
      [
        {
          method: 'GET',
          path: '/user',
          name: 'user',
          version,
          response: User,
          handler: () => ({ id: '7', name: 'Ann' }),
        },
        {
          method: 'GET',
          path: '/new',
          name: 'new',
          response: User,
          handler: () => ({ id: '8', name: 'Bo' }),
        },
      ],
      { versioning: { scheme: VersioningSchemes.QUERY, history, ...options } },
    )
  const answers = async (app: App, versions: readonly string[]): Promise<readonly unknown[]> =>
    Promise.all(
      versions.map(async (version) => {
        const response = await app.inject(`/user?version=${version}`)
        const body = response.json()
        return response.statusCode === 200 ? body : Reflect.get(Object(body), 'code')
      }),
    )
  const [newest, older] = [
    { id: '7', name: 'Ann' },
    { id: '7', title: 'Ann' },
  ]

  for (const version of ['3', '2.0', ['2', '3'], ['>=1', '3'], '2026-01-01'])
    it(`is one of the history, unlike ${String(version)}`, async () => {
      const app = routes(version)
      await assert.rejects(async () => app.ready(), {
        name: 'DefinitionError',
        message: new RegExp(
          `the version "${[version].flat().at(-1)}" is not in the history: it has 2, 1. List it, or correct it`,
        ),
      })
    })

  it('is an older one in its shape', async () => {
    assert.deepEqual(await answers(routes('1'), ['2', '1']), ['unsupported_version', older])
    assert.deepEqual(await answers(routes('<2'), ['2', '1']), ['unsupported_version', older])
    const semver = { format: 'semver' }
    assert.deepEqual(await answers(routes(['2.0', '1.0'], semver), ['2', '1']), [newest, older])
  })

  it('is one of versions with the newest models', async () => {
    const listed = { versions: ['0'] }
    assert.deepEqual(await answers(routes('0', listed), ['2', '0']), ['unsupported_version', newest])
    assert.deepEqual(await answers(routes(['1', '0'], listed), ['2', '1', '0']), [
      'unsupported_version',
      older,
      newest,
    ])
  })

  it('is none of another deployment', async () => {
    const app = routes(['2', '1'], { versions: [{ version: '1', elsewhere: true }] })
    await assert.rejects(async () => app.ready(), { message: /version_elsewhere/ })
  })
})

describe('operations of one version', () => {
  const SAME: readonly (readonly [
    one: Omit<OperationOptions, 'route'>,
    other: Omit<OperationOptions, 'route'>,
    thing: string,
  ])[] = [
    [{ path: { was: '/a/{id}' } }, { path: { was: '/b/{id}' } }, 'the path'],
    [{ method: { was: 'PUT' } }, { method: { was: 'POST' } }, 'the method'],
    [{ status: { was: 201 } }, { status: { was: 202 } }, 'the status'],
    [{ status: { was: 201 } }, { response: { status: { 200: { was: 202 } } } }, 'the status 200'],
    [
      { response: { status: { 404: { was: 400 } } } },
      { response: { status: { 404: { was: 410 } } } },
      'the status 404',
    ],
    [{ query: { sort: { was: 'a' } } }, { query: { sort: { was: 'b' } } }, 'query.sort'],
    [{ query: { sort: { was: absent } } }, { query: { sort: { was: 'b' } } }, 'query.sort'],
    [
      { headers: { 'x-trace': { was: 'x-a' } } },
      { headers: { 'X-Trace': { was: 'x-b' } } },
      'headers.X-Trace',
    ],
    [{ cookies: { theme: { was: 'a' } } }, { cookies: { theme: { was: 'b' } } }, 'cookies.theme'],
    [
      { response: { headers: { 'x-total': { was: 'x-a' } } } },
      { response: { headers: { 'X-Total': { was: 'x-b' } } } },
      'response.headers.X-Total',
    ],
  ]
  for (const [one, other, thing] of SAME)
    it(`cannot both say what ${thing} was: ${JSON.stringify(other)}`, async () => {
      const apart = await bootProblems([changed('One', one), changed('Other', other)])
      assert.deepEqual(
        apart.map(({ code, message }) => [code, message]),
        [
          [
            'field_touched_twice',
            `${thing} of user.get is touched by the change "one" of the same version too`,
          ],
        ],
      )
      assert.match(apart[0]?.where ?? '', /change "other" \(.*definitions\.test\.ts:\d+\)/)
      const together = await bootProblems([changed('Both', one, other)])
      assert.deepEqual(
        together.map(({ message }) => message),
        [`${thing} of user.get is touched by another operation of the same version too`],
      )
    })

  it('can say what the name and what the schema of a parameter was, and different things', async () => {
    assert.deepEqual(
      await bootProblems([
        changed('Name', { query: { sort: { was: 'order' } }, path: { was: '/a/{id}' } }),
        changed('Schema', { query: { sort: { was: z.string(), up: (old) => old } }, method: { was: 'PUT' } }),
      ]),
      [],
    )
  })

  it('can be for a controller first and for one of its routes then', async () => {
    const all = operation({ route: 'user.*', path: { now: '/user', was: '/people' } })
    const one = operation({ route: 'user.get', path: { was: '/person/{id}' } })
    const listed = (...change: readonly (typeof all)[]): object =>
      defineVersionChange({ version: '3', title: 'Paths', change })
    assert.deepEqual(await bootProblems([listed(all, one)]), [])
    assert.equal((await bootProblems([listed(one, all)]))[0]?.code, 'field_touched_twice')
  })
})

describe('names of older versions', () => {
  for (const was of ['', '__proto__'])
    it(`cannot be ${JSON.stringify(was)} in fields`, async () => {
      const change = defineVersionChange({
        version: '3',
        title: 'Names',
        change: [reshape({ of: User, fields: { name: { was } } })],
      })
      const [problem] = await bootProblems([change])
      assert.equal(problem?.code, 'invalid_change')
      assert.match(problem.message, /^DefinedUser\.name was called .*, which no field can be$/)
      assert.match(problem.where, /change "names" \(.*definitions\.test\.ts:\d+\)/)
    })

  it('cannot be __proto__ for a field that existed only then', async () => {
    const fields = Object.fromEntries([['__proto__', { was: z.string() }]])
    const part = untyped.reshape({ of: User, fields, down: () => ({}) })
    const [problem] = await bootProblems([
      defineVersionChange({ version: '3', title: 'Old', change: [part] }),
    ])
    assert.match(problem?.message ?? '', /which no field can be/)
  })

  const was = (place: string, name: string, kind: string): string =>
    `${place} was called ${name}, which no ${kind} can be`
  for (const [given, message] of [
    [{ query: { sort: { was: '' } } }, was('operation.query.sort', 'an empty string', 'parameter')],
    [{ query: { sort: { was: '__proto__' } } }, was('operation.query.sort', '"__proto__"', 'parameter')],
    [
      { headers: { 'x-trace': { was: '__proto__' } } },
      was('operation.headers.x-trace', '"__proto__"', 'header'),
    ],
    [
      { headers: { 'x-trace': { was: 'bad name' } } },
      was('operation.headers.x-trace', '"bad name"', 'header'),
    ],
    [{ cookies: { theme: { was: '__proto__' } } }, was('operation.cookies.theme', '"__proto__"', 'cookie')],
    [{ cookies: { theme: { was: 'a=b' } } }, was('operation.cookies.theme', '"a=b"', 'cookie')],
    [
      { response: { headers: { 'x-total': { was: 'bad name' } } } },
      was('operation.response.headers.x-total', '"bad name"', 'header'),
    ],
    [
      { response: { headers: { 'bad name': { was: z.string(), down: () => 'a' } } } },
      was('operation.response.headers.bad name', '"bad name"', 'header'),
    ],
  ] as const satisfies readonly (readonly [Omit<OperationOptions, 'route'>, string])[])
    it(`are those that requests and responses can have: ${message}`, () => {
      const changes: readonly unknown[] = [changed('Names', given)]
      const problems = problemsOf(() => untyped.versions({ versions: ['3', '2'], models: {}, changes }))
      assert.deepEqual(
        problems.map((each) => [each.code, each.message, each.fix]),
        [['invalid_change', message, 'give the name that it had']],
      )
      assert.match(problems[0]?.at ?? '', /definitions\.test\.ts:\d+/)
    })

  it('can have spaces in a query', () => {
    const changes: readonly unknown[] = [changed('Names', { query: { sort: { was: 'sort by' } } })]
    assert.deepEqual(
      problemsOf(() => untyped.versions({ versions: ['3', '2'], models: {}, changes })),
      [],
    )
  })
})

describe('fields of another kind', () => {
  const numbers = (more: object): object => {
    const part = untyped.reshape({ of: User, fields: { id: { was: z.number(), ...more } } })
    return defineVersionChange({ version: '3', title: 'Ids', change: [part] })
  }

  it('need down, and up if a request carries them', async () => {
    const found = await bootProblems([numbers({ up: String })])
    assert.deepEqual(
      found.map(({ code, message }) => [code, message]),
      [['invalid_change', 'DefinedUser.id lacks down: it was a number and is a string']],
    )
    assert.deepEqual(await bootProblems([numbers({ up: String, down: Number })]), [])
  })
})

describe('calls without what they need', () => {
  const history = defineVersions({ versions: ['2', '1'], models: { User }, changes: [] })
  const migrate = history.migrate.bind(history) as (...given: readonly unknown[]) => unknown

  it('derive wants a schema', () => {
    assert.deepEqual(
      problemsOf(() => untyped.derive(User, () => undefined)).map(({ code, where, message }) => [
        code,
        where,
        message,
      ]),
      [['invalid_model', 'derive(DefinedUser)', 'the function returned undefined']],
    )
  })

  it('migrate wants a schema and versions', () => {
    assert.throws(() => migrate(User, { id: '7', name: 'Ann' }), {
      name: 'TypeError',
      message: 'migrate: the versions are undefined; pass { from } or { to }',
    })
    assert.throws(() => migrate(null, {}, { to: '1' }), {
      name: 'TypeError',
      message: 'migrate: the schema is null; pass a model or another schema',
    })
  })

  it('defineVersions wants options', () => {
    assert.deepEqual(
      messagesOf(() => untyped.versions(null)),
      ['the options are null; write defineVersions({ versions, models, changes })'],
    )
  })

  it('defineVersionChange wants a version and a title', () => {
    const listed = (change: unknown): readonly string[] =>
      messagesOf(() => untyped.versions({ versions: ['2', '1'], models: {}, changes: [change] }))
    assert.deepEqual(listed(untyped.change({ title: 'A', change: [] })), [
      'version is missing in the change "a"; give one of 2, next',
    ])
    assert.deepEqual(listed(untyped.change({ version: '2', change: [] })), [
      'title is missing; give a few words for changelogs',
    ])
  })

  it('checkHistory wants options that exist', () => {
    assert.deepEqual(
      messagesOf(() => untyped.check(history, { run: 3 })),
      ['there is no option "run"; did you mean "runs"?'],
    )
    assert.deepEqual(messagesOf(() => untyped.check(history, { runs: 'many' })).length, 1)
    assert.deepEqual(checkHistory(history, { runs: 3, seed: 2 }), [])
  })

  it('checkHistory marks code in what it says', () => {
    const change = defineVersionChange({
      version: '2',
      title: 'Names',
      change: [reshape({ of: User, fields: { name: { was: z.string().max(3), down: () => 'Anna' } } })],
    })
    const wrong = defineVersions({ versions: ['2', '1'], models: { User }, changes: [change] })
    const fixes = checkHistory(wrong, { runs: 5 }).map(({ fix }) => fix)
    assert.ok(fixes.includes('Return values from `down` that `was` accepts.'), fixes.join('\n'))
  })
})

describe('a definition that starts is right', () => {
  const Note = model('StartedNote', { text: z.string(), size: z.number() })
  const Promised = z.object({ note: z.promise(z.string()) })
  const Kind = model('StartedKind', { kind: z.literal('note'), size: z.int() })
  const Box = z.object({ kind: z.literal('box'), weight: z.int() })
  const renamed = reshape({ of: Note, fields: { text: { was: 'content' } } })
  const served = (part: object, given: { readonly body: z.ZodType; readonly models?: object }): App => {
    const routes = [
      { method: 'POST', path: '/', name: 'echo', input: { body: given.body }, handler: echo },
    ] as const
    const controller = defineController({ prefix: '/notes', name: 'note', routes })
    const changes = [untyped.change({ version: '2', title: 'Notes', change: [part] })]
    const history = untyped.versions({ versions: ['2', '1'], models: { Note, ...given.models }, changes })
    return serve(controller, { versioning: { scheme: VersioningSchemes.URL, history } })
  }
  const REFUSED = [{ in: 'body', path: [], code: 'custom', message: 'Invalid input' }]
  const sent = async (app: App, body: object): Promise<unknown> =>
    (await app.inject({ method: 'POST', url: '/v1/notes', body })).json()

  for (const [words, body] of [
    ['z.preprocess', z.preprocess((given) => given, Note)],
    ['the end of a pipe', z.looseObject({}).pipe(Note)],
    ['z.preprocess in a field', z.object({ note: z.preprocess((given) => given, Note) })],
  ] as const)
    it(`so a request cannot hold a model at ${words}, which would refuse every older value`, async () => {
      await assert.rejects(served(renamed, { body }).ready(), (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.deepEqual(
          error.errors.map(({ code, message }) => [code, message]),
          [
            [
              'unconvertible_schema',
              'input.body holds a model inside z.preprocess or at the end of a pipe, and a change reaches it',
            ],
          ],
        )
        return true
      })
    })

  const Numbered = z.object({ note: Note, count: z.string().transform(Number) })
  for (const [words, part, body, message] of [
    [
      'a whole body with a transform of the newest one',
      operation({
        route: 'note.echo',
        body: { now: Numbered, was: z.object({ data: Numbered }), up: dataOf },
      }),
      Numbered,
      'operation.body: older values have passed a transform of the newest schema, which would run twice',
    ],
    [
      'an input with a transform of the newest one',
      operation({ route: 'note.echo', input: { was: { body: z.object({ data: Numbered }) }, up: dataOf } }),
      Numbered,
      'operation.input.was.body: older values have passed a transform of the newest schema, which would run twice',
    ],
    [
      'a whole body before one with a promise',
      operation({ route: 'note.echo', body: { now: Promised, was: z.object({ data: Note }), up: dataOf } }),
      Promised,
      'operation.body: the newest schema holds z.promise(), whose check takes time',
    ],
    [
      'a check of a model that takes time',
      renamed,
      z.array(Note).refine(async () => true),
      'input.body holds a model inside a refinement that takes time, and a change reaches it',
    ],
    [
      'a transform with a prefault',
      renamed,
      Note.transform(({ text }) => text).prefault({ text: 'a', size: 1 }),
      'input.body holds a model inside a prefault of a transform, and a change reaches it',
    ],
    [
      'a transform in a union without a discriminator',
      renamed,
      z.union([z.object({ other: z.int() }), Numbered]),
      'input.body holds a model inside a union without a discriminator and with a transform, and a change reaches it',
    ],
    [
      'a union whose options differ only today',
      untyped.reshape({ of: Kind, fields: { kind: { was: 'type' } } }),
      z.union([Kind.partial(), Box]),
      'input.body holds a union whose options take values of each other in version 1',
    ],
    [
      'a union whose options differ only today below a field',
      untyped.reshape({ of: Kind, fields: { kind: { was: 'type' } } }),
      z.union([z.object({ list: z.array(Kind.partial()) }), z.object({ list: z.array(Box) })]),
      'input.body holds a union whose options take values of each other in version 1',
    ],
    [
      'a record that takes older values of another option',
      untyped.reshape({ of: Note, fields: { size: { was: z.string(), up: Number, down: String } } }),
      z.union([z.record(z.string(), z.string()), Note]),
      'input.body holds a union whose options take values of each other in version 1',
    ],
    [
      'a part that never has what up of a field reads',
      untyped.reshape({
        of: Note,
        fields: {
          size: { was: absent },
          text: {
            was: z.string(),
            up: (old: string, { reads }: { reads: object }) => old + Object(reads).size,
          },
        },
        reads: ['size'],
        up: () => ({ size: 7 }),
      }),
      Note.partial(),
      'up of StartedNote.text reads size, which did not exist then, so a partial part never has it',
    ],
    [
      'functions of fields that read each other',
      untyped.reshape({
        of: Note,
        fields: {
          size: { was: z.string(), up: (old: string, _extra: object) => Number(old), down: String },
          text: { was: z.string(), up: (old: string, _extra: object) => old.trim() },
        },
        reads: ['size'],
      }),
      Note,
      'StartedNote.size is read by up of another field, and its own up reads fields too',
    ],
    [
      'an exclusive union whose options differ only today',
      untyped.reshape({ of: Kind, fields: { kind: { was: 'type' } } }),
      z.xor([Box, Kind.partial()]),
      'input.body holds a union whose options take values of each other in version 1',
    ],
  ] as const)
    it(`so a request cannot have ${words}`, async () => {
      await assert.rejects(served(part, { body, models: { Kind } }).ready(), (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.deepEqual(
          error.errors.map((problem) => problem.message),
          [message],
        )
        return true
      })
    })

  it('so a response cannot have a union whose options differ only today', async () => {
    const response = z.union([Note, z.object({ text: z.string(), more: z.string() })])
    const handler = () => ({ text: 'a', more: 'b' })
    const routes = [{ method: 'GET', path: '/', name: 'get', response, handler }] as const
    const part = untyped.reshape({ of: Note, fields: { size: { was: absent } } })
    const changes = [untyped.change({ version: '2', title: 'Notes', change: [part] })]
    const history = untyped.versions({ versions: ['2', '1'], models: { Note }, changes })
    const app = serve(defineController({ prefix: '/notes', name: 'note', routes }), {
      versioning: { scheme: VersioningSchemes.URL, history },
    })
    await assert.rejects(app.ready(), /response 200 holds a union whose options take values of each other/)
  })

  it('so earlier fields and parameters cannot hold a model at z.preprocess', async () => {
    const was = z.preprocess((value) => value, z.object({ note: Note }))
    const Outer = model('StartedOuter', { name: z.string() })
    const parts = [
      untyped.reshape({ of: Outer, fields: { name: { was, up: () => 'a', down: () => ({}) } } }),
      operation({ route: 'note.echo', query: { q: { was, up: () => 'a' } } }),
    ]
    const input = { body: Outer, query: { q: z.string() } }
    const routes = [{ method: 'POST', path: '/', name: 'echo', input, handler: echo }] as const
    const changes = [untyped.change({ version: '2', title: 'Notes', change: [renamed, ...parts] })]
    const history = untyped.versions({ versions: ['2', '1'], models: { Note, Outer }, changes })
    const controller = defineController({ prefix: '/notes', name: 'note', routes })
    const app = serve(controller, { versioning: { scheme: VersioningSchemes.URL, history } })
    const message = 'holds a model inside z.preprocess or at the end of a pipe, and a change reaches it'
    await assert.rejects(app.ready(), (error) => {
      assert.ok(error instanceof DefinitionError)
      const messages = error.errors.map((problem) => problem.message)
      assert.deepEqual(messages, [`input.body ${message}`, `query.q.was ${message}`])
      return true
    })
  })

  it('so a field and its older schema share no transform', async () => {
    const Counted = model('StartedCounted', { count: z.string().transform((text) => `${text}!`) })
    const was = Counted.shape.count.optional()
    const part = untyped.reshape({
      of: Counted,
      fields: { count: { was, up: (old: unknown) => old ?? '1' } },
    })
    await assert.rejects(
      served(part, { body: Counted, models: { Counted } }).ready(),
      /which would run twice/,
    )
  })

  it('so a parameter and its older schema share no transform', async () => {
    const q = z.string().transform((text) => `${text}!`)
    const was = q.optional()
    const part = operation({ route: 'note.find', query: { q: { was, up: (old) => old ?? '1' } } })
    const routes = [
      { method: 'GET', path: '/', name: 'find', input: { query: { q } }, handler: () => 'ok' },
    ] as const
    const changes = [untyped.change({ version: '2', title: 'Notes', change: [part] })]
    const history = untyped.versions({ versions: ['2', '1'], models: {}, changes })
    const controller = defineController({ prefix: '/notes', name: 'note', routes })
    const app = serve(controller, { versioning: { scheme: VersioningSchemes.URL, history } })
    await assert.rejects(app.ready(), /operation\.query\.q: .* would run twice/)
  })

  it('so a part of a model lacks what replaced a field only if the change says what it had', async () => {
    const Draft = Note.omit({ size: true })
    const sized = (given: object): unknown =>
      untyped.reshape({
        of: Note,
        fields: { length: { was: z.string() }, size: { was: absent } },
        up: () => ({ size: 1 }),
        down: () => ({ length: '1' }),
        ...given,
      })
    const body = z.object({ draft: Draft, note: Note })
    await assert.rejects(
      served(sized({}) as object, { body }).ready(),
      /a part of StartedNote lacks size, which replaced length/,
    )
    const note = { text: 'a', length: '1' }
    const newest = { draft: { text: 'a' }, note: { text: 'a', size: 1 } }
    const applied = served(sized({ applies: [Draft] }) as object, { body })
    assert.deepEqual(await sent(applied, { draft: note, note }), newest)
    assert.deepEqual(Object(await sent(applied, { draft: { text: 'a' }, note })).status, 422)
    const not = served(sized({ not: [Draft] }) as object, { body })
    assert.deepEqual(await sent(not, { draft: { text: 'a' }, note }), newest)
  })

  it('so a message is converted, or refused at the start and by migrate', async () => {
    const Both = z.intersection(Note, z.object({ own: z.int() }))
    const change = untyped.change({ version: '2', title: 'Notes', change: [renamed] })
    const given = { versions: ['2', '1'], models: { Note }, changes: [change] }
    const history = untyped.versions({ ...given, messages: [Both] })
    const app = serve([{ method: 'GET', handler: () => 'ok' }], {
      versioning: { scheme: VersioningSchemes.URL, history },
    })
    const message = 'holds a model inside an intersection, and a change reaches it'
    await assert.rejects(app.ready(), new RegExp(`messages\\[0\\] ${message}`))
    const subscriptions = { of: () => [], find: () => undefined, disable: () => undefined }
    assert.throws(() => createWebhooks({ subscriptions, history }), new RegExp(`messages\\[0\\] ${message}`))
    const other = untyped.versions({ ...given, messages: [Note] })
    assert.throws(
      () => other.migrate(Both, { text: 'a', size: 1, own: 1 }, { to: '1' as never }),
      new RegExp(`the schema ${message}`),
    )
  })

  it('so a model can be at the beginning of a pipe', async () => {
    const body = Note.transform(({ text }) => ({ text }))
    assert.deepEqual(await sent(served(renamed, { body }), { content: 'a', size: 1 }), { text: 'a' })
  })

  for (const [words, body, old, now] of [
    ['a list', z.array(Note), [{ content: 'a', size: 1 }], [{ text: 'a', size: 1 }]],
    ['a record', z.record(z.string(), Note), { k: { content: 'a', size: 1 } }, { k: { text: 'a', size: 1 } }],
    ['a tuple', z.tuple([z.int(), Note]), [1, { content: 'a', size: 1 }], [1, { text: 'a', size: 1 }]],
    ['nullable', Note.nullable(), { content: 'a', size: 1 }, { text: 'a', size: 1 }],
    ['optional', Note.optional(), { content: 'a', size: 1 }, { text: 'a', size: 1 }],
    ['readonly', Note.readonly(), { content: 'a', size: 1 }, { text: 'a', size: 1 }],
    ['lazy', z.lazy(() => Note), { content: 'a', size: 1 }, { text: 'a', size: 1 }],
    ['a union', z.union([z.string(), Note]), { content: 'a', size: 1 }, { text: 'a', size: 1 }],
  ] as const)
    it(`so functions of ${words} get values of today`, async () => {
      const seen: unknown[] = []
      const keep = (value: unknown): unknown => (seen.push(value), value)
      const isRight = (value: unknown): boolean =>
        seen.push(value) > 0 && !JSON.stringify(value).includes('bad')
      const checked = (body as z.ZodType).overwrite(keep).refine(isRight)
      const app = served(renamed, { body: checked })
      assert.deepEqual(await sent(app, old), now)
      assert.deepEqual(seen, [now, now])
      const bad: object = JSON.parse(JSON.stringify(old).replace('"a"', '"bad"'))
      assert.deepEqual(Object(await sent(app, bad)).errors, REFUSED)
      const transformed = served(renamed, { body: checked.transform((made) => ({ made })) })
      assert.deepEqual(await sent(transformed, old), { made: now })
      assert.deepEqual(Object(await sent(transformed, bad)).errors, REFUSED)
    })

  it('so functions of fields read the newest value of another one, whatever their order', async () => {
    const size = { was: z.string(), up: Number, down: String }
    const told = (text: string, { reads }: { readonly reads: object }): string =>
      `${text} ${typeof Object(reads).size}`
    const text = { was: z.string(), up: told, down: told }
    for (const fields of [
      { size, text },
      { text, size },
    ]) {
      const part = untyped.reshape({ of: Note, fields, reads: ['size'] })
      const app = served(part, { body: Note })
      assert.deepEqual(await sent(app, { text: 'a', size: '1' }), { text: 'a number', size: 1 })
      const change = untyped.change({ version: '2', title: 'Notes', change: [part] })
      const history = untyped.versions({ versions: ['2', '1'], models: { Note }, changes: [change] })
      const older = history.migrate(Note, { text: 'a', size: 1 }, { to: '1' as never })
      assert.deepEqual(older, { text: 'a number', size: '1' })
    }
  })

  for (const [words, body] of [
    ['a model', Note],
    ['a partial', Note.partial()],
  ] as const)
    it(`so a change can read a field that it adds to ${words}`, async () => {
      const part = untyped.reshape({
        of: Note,
        fields: { size: { was: absent }, text: { was: z.string(), up: (old: string) => old.trim() } },
        reads: ['size'],
        up: () => ({ size: 7 }),
      })
      const expected = body === Note ? { text: 'a', size: 7 } : { text: 'a' }
      assert.deepEqual(await sent(served(part, { body }), { text: ' a' }), expected)
    })

  it('so a part that gives a field another schema has the older name of the field', async () => {
    const body = derive(Note, (note) => note.omit({ size: true }).extend({ text: z.string().max(3) }))
    const app = served(renamed, { body })
    assert.deepEqual(await sent(app, { content: 'abc' }), { text: 'abc' })
    const refused = await app.inject({ method: 'POST', url: '/v1/notes', body: { content: 'abcd' } })
    assert.equal(refused.statusCode, 422)
    assert.match(refused.body, /"path":\["content"\]/)
  })

  it('so down gets a copy of what the handler returned', async () => {
    const Tagged = model('StartedTagged', {
      tags: z.array(z.string()),
      more: z.object({ tags: z.array(z.string()) }),
    })
    const change = defineVersionChange({
      version: '2',
      title: 'Tags are in order',
      change: [
        untyped.reshape({
          of: Tagged,
          fields: {
            tags: { was: z.array(z.string()), down: sorted },
            first: { was: z.string() },
            more: {
              was: z.object({ tags: z.array(z.string()) }),
              down: (more: Tags) => ({ tags: sorted(more.tags) }),
            },
          },
          down: () => ({ first: 'a' }),
        }),
      ],
    })
    const history = defineVersions({ versions: ['2', '1'], models: { Tagged }, changes: [change] })
    const stored = { tags: ['b', 'a'], more: { tags: ['d', 'c'] } }
    const routes = [{ method: 'GET', path: '/', response: Tagged, handler: () => stored }] as const
    const app = serve(routes, { versioning: { scheme: VersioningSchemes.URL, history } })
    assert.deepEqual((await app.inject('/v1')).json(), {
      first: 'a',
      tags: ['a', 'b'],
      more: { tags: ['c', 'd'] },
    })
    assert.deepEqual(stored, { tags: ['b', 'a'], more: { tags: ['d', 'c'] } })
  })

  it('so down of a whole body gets a copy of what no schema makes anew, dates included', async () => {
    const Any = z.object({ tags: z.any(), at: z.date() })
    const down = (now: unknown): { data: unknown } => {
      const { tags, at } = Object(now)
      at.setTime(0)
      return { data: [sorted(tags), at] }
    }
    const body = { 200: { now: Any, was: z.object({ data: z.any() }), down } }
    const part = operation({ route: 'any.get', response: { body } })
    const stored = { tags: ['b', 'a'], at: new Date(1) }
    const routes = [{ method: 'GET', path: '/', name: 'get', response: Any, handler: () => stored }] as const
    const changes = [untyped.change({ version: '2', title: 'Any', change: [part] })]
    const history = untyped.versions({ versions: ['2', '1'], models: {}, changes })
    const controller = defineController({ prefix: '/', name: 'any', routes })
    const app = serve(controller, { versioning: { scheme: VersioningSchemes.URL, history } })
    assert.deepEqual((await app.inject('/v1')).json(), { data: [['a', 'b'], '1970-01-01T00:00:00.000Z'] })
    assert.deepEqual(stored, { tags: ['b', 'a'], at: new Date(1) })
  })

  it('so the earlier path of a route has parameters of the same types', async () => {
    const [problem, ...others] = await bootProblems([changed('Paths', { path: { was: '/person/{id:int}' } })])
    assert.deepEqual(others, [])
    assert.deepEqual(
      [problem?.code, problem?.message, problem?.fix],
      [
        'invalid_change',
        'the earlier path "/person/{id:int}" cannot be used: its {id} is of another type than today',
        'write {id}, or convert it by input',
      ],
    )
  })

  it('so a model can have only fields that existed before', async () => {
    const Empty = model('StartedEmpty', {})
    const got: unknown[] = []
    const part = untyped.reshape({
      of: Empty,
      fields: { old: { was: z.string() } },
      up: (old: unknown) => got.push(old),
      down: () => ({ old: 'made' }),
    })
    const app = served(part, { body: z.object({ inner: Empty }), models: { Empty } })
    assert.deepEqual(await sent(app, { inner: { old: 'a' } }), { inner: {} })
    assert.deepEqual(got, [{ old: 'a' }])
    const refused = await app.inject({ method: 'POST', url: '/v1/notes', body: { inner: {} } })
    assert.equal(refused.statusCode, 422)
  })
})

interface Tags {
  readonly tags: string[]
}

function sorted(tags: string[]): string[] {
  // oxlint-disable-next-line unicorn/no-array-sort -- it changes what it gets
  return tags.sort()
}

function dataOf(old: unknown): never {
  const { data } = Object(old)
  return data as never
}

function echo({ body }: { readonly body: unknown }): unknown {
  return body
}

describe('a generated definition', () => {
  const POSITIONS = ['body field', 'query', 'response', 'webhook']
  const SENT = ['response', 'webhook']

  // `npm run check -- fuzz:history --definitions` tries all positions, and wrappers around wrappers
  it('is refused at the start, or right in every version', async () => {
    const findings: unknown[] = []
    const refused: Record<string, readonly string[]> = {}
    let started = 0
    for (const definition of everyDefinition().filter(({ hasOperations }) => hasOperations)) {
      const report = await tryDefinition(definition, false, POSITIONS)
      findings.push(...report.findings)
      started += report.started.length
      if (report.refused.length > 0) refused[definition.wrappers[0] ?? definition.part] = report.refused
    }
    assert.deepEqual(findings, [])
    assert.deepEqual(refused, {
      catch: ['body field', 'query'],
      promise: POSITIONS,
      preprocess: POSITIONS,
      transform: ['body field'],
      'object with a transform': ['body field'],
      pipe: SENT,
      'pipe into any': SENT,
      'pipe from any': POSITIONS,
      codec: ['body field'],
      map: ['body field', 'response', 'webhook'],
      set: ['body field', 'response', 'webhook'],
      intersection: ['body field', 'response', 'webhook'],
      omit: POSITIONS,
    })
    assert.ok(started > 150, String(started))
  })
})
