import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, DefinitionError, VersioningSchemes } from 'octavo'
import type { DefinitionProblem } from 'octavo'
import {
  absent,
  before,
  defineVersionChange,
  defineVersions,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { z } from 'zod'

import { controller, moduleOf } from '../support/untyped.ts'

const User = model('ProblemUser', {
  id: z.string(),
  first: z.string(),
  age: z.number().optional(),
})

const loose = (make: unknown): ((options?: unknown) => never) => make as never
const changeOf = (options?: unknown): never => loose(defineVersionChange)(options)
const shaped = (options: object): unknown => loose(reshape)({ of: User, ...options })
const operated = (options: object): unknown => loose(operation)({ route: 'user.get', ...options })

/** The mistakes that are found in changes until the application is ready. */
async function problemsOf(
  changes: readonly unknown[],
  options: { readonly isSent?: boolean } = {},
): Promise<readonly DefinitionProblem[]> {
  try {
    const history: unknown = loose(defineVersions)({ versions: ['3', '2', '1'], models: { User }, changes })
    const route = {
      method: 'GET',
      path: '/{id}',
      name: 'get',
      input: { query: { sort: z.string().optional() }, headers: { 'X-Trace': z.string().optional() } },
      response: User,
      handler: () => ({ id: '7', first: 'Ann' }),
    }
    const create = { method: 'POST', name: 'create', input: { body: User }, handler: () => 'ok' }
    const routes = options.isSent === false ? [route] : [route, create]
    const app = createApp(moduleOf({ controllers: [controller({ prefix: '/user', routes })] }), {
      logger: false,
      versioning: { scheme: VersioningSchemes.URL, history: history as never },
    })
    await app.ready()
    return []
  } catch (error) {
    if (error instanceof DefinitionError) return error.errors
    throw error
  }
}

const one = (part: unknown) => changeOf({ version: '2', title: 'One', change: [part] })
const field = (given: unknown, more: object = {}) => one(shaped({ fields: { id: given }, ...more }))
const fine = { id: { was: z.string().min(1) } }

const TABLE: readonly (readonly [name: string, change: unknown, message: string, fix: string])[] = [
  [
    'no down for a field that existed only then',
    one(shaped({ fields: { name: { was: z.string() } } })),
    'down is missing: ProblemUser.name existed only then',
    'write down: (now) => ({ name: … }) beside fields',
  ],
  [
    'no up for a required field that did not exist',
    one(shaped({ fields: { first: { was: absent } } })),
    'up is missing: ProblemUser.first did not exist then',
    'write up: (old) => ({ first: … }) beside fields',
  ],
  [
    'an up for a field that only had another name',
    field({ was: 'key', up: String }),
    'ProblemUser.id.up has no effect: the field only had another name',
    'remove it',
  ],
  [
    'an up of a field that did not exist',
    one(shaped({ fields: { age: { was: absent, up: () => 7 } } })),
    'ProblemUser.age.up has no effect: the field did not exist then',
    'write up beside fields, it makes all fields that did not exist',
  ],
  [
    'a down of a field that existed only then',
    one(shaped({ fields: { name: { was: z.string(), down: () => '' } }, down: () => ({ name: '' }) })),
    'ProblemUser.name.down has no effect: the field existed only then',
    'write down beside fields, it makes all fields that existed only then',
  ],
  [
    'a down that makes nothing',
    field({ was: z.number(), up: String, down: Number }, { down: () => ({}) }),
    'down has no effect: no field of ProblemUser existed only then',
    'write down beside was of the field that it converts',
  ],
  [
    'an up that is no function',
    field({ was: z.number(), up: 'String' }),
    'fields.id.up is a string of 6 characters',
    'give a function',
  ],
  [
    'a down that is no function',
    field({ was: z.number(), down: {} }),
    'fields.id.down is an empty object',
    'give a function',
  ],
  [
    'narrowed that is no boolean',
    field({ was: z.string(), narrowed: 1 }),
    'fields.id.narrowed is 1',
    'give true or false',
  ],
  [
    'accepted values of a function',
    field({ was: z.number(), up: String, accepted: true }),
    'fields.id.accepted has no effect: up makes the value',
    'remove one of the two',
  ],
  [
    'values that are accepted and refused',
    field({ was: z.string(), accepted: true, narrowed: true }),
    'fields.id is accepted and narrowed',
    'keep accepted, or narrowed for a 422',
  ],
  [
    'accepted values without a schema',
    field({ was: 'number', accepted: true }),
    'fields.id.accepted has no effect: was is no schema',
    'remove it',
  ],
  [
    'an accepted value that may be absent, and is required',
    field({ was: z.string().max(3).optional(), accepted: true }),
    'ProblemUser.id is accepted and could be left out, and ProblemUser requires it',
    'write up beside was',
  ],
  [
    'an accepted parameter of another name',
    one(operated({ query: { sort: { was: 'order', accepted: true } } })),
    'operation.query.sort.accepted has no effect: was is no schema',
    'remove it',
  ],
  [
    'a kept field that the model has',
    field({ was: z.string().max(3), narrowed: true, kept: true }),
    'ProblemUser.id.kept has no effect: ProblemUser has the field',
    'remove it',
  ],
  [
    'an unknown key of a field',
    field({ was: z.string(), Down: String }),
    'there is no option "fields.id.Down"',
    'did you mean "down"?',
  ],
  [
    'an up of the whole that is no function',
    one(shaped({ fields: fine, up: 7 })),
    'reshape.up is 7',
    'give a function',
  ],
  [
    'an unknown key',
    one(shaped({ fields: fine, read: ['id'] })),
    'there is no option "reshape.read"',
    'did you mean "reads"?',
  ],
  [
    'reads that is no list',
    one(shaped({ fields: fine, reads: 'age' })),
    'reshape.reads is "age"',
    'give a list of names',
  ],
  [
    'reads of something else',
    one(shaped({ fields: fine, reads: [7] })),
    'reshape.reads[0] is 7',
    'give a list of names',
  ],
  [
    'applies that is no list',
    one(shaped({ fields: fine, applies: User })),
    'reshape.applies is a zod schema',
    'give a list of schemas',
  ],
  [
    'not of something else',
    one(shaped({ fields: fine, not: ['User'] })),
    'reshape.not[0] is a string of 4 characters',
    'give a list of schemas',
  ],
  [
    'lossy that is no list',
    one(shaped({ fields: fine, lossy: true })),
    'reshape.lossy is true',
    'give a list of names',
  ],
  [
    'examples of one value',
    one(shaped({ fields: fine, examples: [{ old: {} }] })),
    'reshape.examples[0] is an object with old',
    'give a list of { old, now }',
  ],
  ['no fields', one(shaped({})), 'it says nothing of ProblemUser', 'write fields: { name: { was: … } }'],
  [
    'fields that are no record',
    one(shaped({ fields: undefined })),
    'fields is undefined',
    'write fields: { name: { was: … } }',
  ],
  [
    'an earlier name without was',
    one(shaped({ named: 'Person' })),
    'reshape.named is a string of 6 characters',
    'write named: { was: … }',
  ],
  [
    'an earlier name that no model can have',
    one(shaped({ named: { was: 'old name' } })),
    'reshape.named.was is "old name"',
    "give a name such as 'User'",
  ],
  [
    'a refinement that is no function',
    one(shaped({ refine: true })),
    'reshape.refine is true',
    'give a function',
  ],
  [
    'responseOnly where a request carries the model',
    one(shaped({ responseOnly: true, fields: fine })),
    'ProblemUser is responseOnly, and a request carries it',
    'remove responseOnly, and write up',
  ],
  [
    'a field that is no object',
    field('old'),
    'ProblemUser.id is a string of 3 characters',
    "write { was: schema }, { was: absent } or { was: 'oldName' }",
  ],
  [
    'no model',
    one(loose(reshape)({ fields: fine })),
    'of is undefined',
    'give a model, or before(change, Model)',
  ],
  [
    'a part of a model',
    one(loose(reshape)({ of: User.partial(), fields: fine })),
    'of is a part of ProblemUser',
    'reshape the model ProblemUser: the change reaches its parts',
  ],
  [
    'a change that before names and nothing lists',
    one(
      loose(reshape)({
        of: before(changeOf({ version: '3', title: 'Other', change: [] }), User),
        fields: fine,
      }),
    ),
    'before names a change that is not among the newer ones of ProblemUser',
    'list the change that before names, with a newer version; it has to reshape ProblemUser, or a model in it',
  ],
  [
    'an unknown key of an operation',
    one(operated({ pth: { was: '/a' } })),
    'there is no option "operation.pth"',
    'did you mean "path"?',
  ],
  [
    'an operation without route',
    one(loose(operation)({})),
    'operation.route is missing',
    "give the name of a route, such as 'user.list'",
  ],
  [
    'a path that is no object',
    one(operated({ path: '/a' })),
    'operation.path is a string of 2 characters',
    'give an object',
  ],
  [
    'a path without slash',
    one(operated({ path: { was: 'a' } })),
    'operation.path.was is a string of 1 character',
    'give a path that begins with a slash',
  ],
  [
    'a path without was',
    one(operated({ path: { is: '/a' } })),
    'operation.path is an object with is',
    'write path: { was: … }',
  ],
  [
    'an unknown method',
    one(operated({ method: { was: 'FETCH' } })),
    'operation.method.was is a string of 5 characters',
    'give one of GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS, TRACE',
  ],
  [
    'a status that is none',
    one(operated({ status: { was: 7 } })),
    'operation.status.was is 7',
    'give a status between 200 and 599',
  ],
  [
    'a status in a response that is none',
    one(operated({ response: { status: { 404: { was: '400' } } } })),
    'operation.response.status.404.was is "400"',
    'give a status between 200 and 599',
  ],
  [
    'a status without was',
    one(operated({ response: { status: { 404: 400 } } })),
    'operation.response.status.404 is 400',
    'write response.status.404: { was: … }',
  ],
  [
    'an unknown key of a response',
    one(operated({ response: { statuses: {} } })),
    'there is no option "operation.response.statuses"',
    'did you mean "status"?',
  ],
  [
    'a parameter that is no object',
    one(operated({ query: { sort: 'order' } })),
    'operation.query.sort is a string of 5 characters',
    "write { was: schema }, { was: absent } or { was: 'oldName' }",
  ],
  [
    'a parameter with another was',
    one(operated({ query: { sort: { was: 7 } } })),
    'operation.query.sort.was is 7',
    "write { was: schema }, { was: absent } or { was: 'oldName' }",
  ],
  [
    'an up of a parameter that is no function',
    one(operated({ headers: { 'x-trace': { was: 'x', up: 'x' } } })),
    'operation.headers.x-trace.up is a string of 1 character',
    'give a function',
  ],
  [
    'a change that is no list',
    changeOf({ version: '2', title: 'One', change: shaped({ fields: fine }) }),
    'change is a reshape without a name',
    'give a list',
  ],
  [
    'no change',
    changeOf({ version: '2', title: 'One' }),
    'change is missing',
    'give a list of reshapes and operations',
  ],
  [
    'sideEffects that is no boolean',
    changeOf({ version: '2', title: 'One', change: [], sideEffects: 'yes' }),
    'sideEffects is "yes"',
    'give true or false',
  ],
  [
    'an unknown key of a change',
    changeOf({ version: '2', title: 'One', changes: [], change: [] }),
    'there is no option "changes"',
    'did you mean "change"?',
  ],
]

describe('mistakes in changes that types would find', () => {
  for (const [name, change, message, fix] of TABLE) {
    it(name, async () => {
      const problems = await problemsOf([change])
      const found = problems.find((problem) => problem.message === message)
      assert.ok(found, JSON.stringify(problems, undefined, 2))
      assert.equal(found.fix, fix)
      assert.equal(found.code, 'invalid_change')
      assert.match(found.where, /^change "one" \(.*problems\.test\.ts:\d+\)$/)
    })
  }

  it('says so of a change without title', async () => {
    const [problem] = await problemsOf([changeOf({ version: '2', change: [] })])
    assert.equal(problem?.code, 'invalid_change')
    assert.match(problem.where, /^defineVersionChange \(.*problems\.test\.ts:\d+\)$/)
    assert.equal(problem.message, 'title is missing')
  })

  it('reports all mistakes of all changes at once', async () => {
    const messages = (await problemsOf([changeOf(), field({ was: z.number(), up: 1, down: 2 })])).map(
      ({ message }) => message,
    )
    assert.deepEqual(messages, [
      'version is missing in a change',
      'title is missing',
      'change is missing',
      'fields.id.up is 1',
      'fields.id.down is 2',
    ])
  })

  it('refuses parts that reshape and operation did not make', async () => {
    const [problem] = await problemsOf([one({ of: User, fields: fine })])
    assert.equal(problem?.message, 'the change "one" holds an object with of, fields')
  })

  it('accepts what types accept', async () => {
    const change = one(
      shaped({
        fields: {
          age: { was: absent },
          id: { was: z.string().min(1), narrowed: true },
          first: { was: 'name' },
        },
        reads: [],
        applies: [],
        not: [],
        lossy: ['id'],
        examples: [{ old: { name: 'Ann' }, now: { first: 'Ann' } }],
      }),
    )
    assert.deepEqual(await problemsOf([change]), [])
  })

  it('asks for no up if an earlier schema of the field may be left out', async () => {
    const turned = changeOf({
      version: '3',
      title: 'Names are required',
      change: [shaped({ fields: { first: { was: z.string().optional(), up: () => 'Ann' } } })],
    })
    const added = one(loose(reshape)({ of: before(turned, User), fields: { first: { was: absent } } }))
    assert.deepEqual(await problemsOf([turned, added]), [])
  })
})
