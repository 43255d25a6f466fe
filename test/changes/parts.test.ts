import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, DefinitionError, VersioningSchemes } from 'octavo'
import type { App, ExecutionContext } from 'octavo'
import {
  absent,
  before,
  defineVersionChange,
  defineVersions,
  derive,
  fieldNames,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { defineUpstream } from 'octavo/upstream'
import { createWebhooks, defineWebhook } from 'octavo/webhooks'
import { expectTypeOf } from 'expect-type'
import { z } from 'zod'

import { controller, moduleOf } from '../support/untyped.ts'

interface Given {
  readonly models: Readonly<Record<string, unknown>>
  readonly change: readonly unknown[]
  /** A change of version 3. */
  readonly newer?: unknown
  readonly body: unknown
  readonly response?: unknown
  readonly answers?: (body: unknown) => unknown
}

type Untyped = (...given: readonly unknown[]) => never

const loose = (make: unknown): ((options: unknown) => never) => make as never

/** An application with one route and two versions, and what its handler got. */
function open({ models, change, newer, body, response = body, answers = (given) => given }: Given): {
  readonly app: App
  readonly seen: unknown[]
} {
  const seen: unknown[] = []
  const own = loose(defineVersionChange)({ version: '2', title: 'One', change })
  const [versions, changes] =
    newer === undefined
      ? [['2', '1'], [own]]
      : [
          ['3', '2', '1'],
          [newer, own],
        ]
  const history: unknown = loose(defineVersions)({ versions, models, changes })
  const route = {
    method: 'POST',
    path: '/',
    name: 'send',
    input: { body },
    response: { 200: response },
    status: 200,
    handler: (input: { readonly body: unknown }) => {
      seen.push(input.body)
      return answers(input.body)
    },
  }
  const app = createApp(
    moduleOf({ controllers: [controller({ name: 'x', prefix: '/x', routes: [route] })] }),
    {
      logger: false,
      versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'v', history: history as never },
    },
  )
  return { app, seen }
}

async function send(app: App, version: string, json: unknown) {
  const answer = await app.inject({ method: 'POST', url: '/x', headers: { v: version }, json })
  return { status: answer.statusCode, body: answer.json() as Record<string, unknown> }
}

const nameWas = (Model: object) =>
  loose(reshape)({
    of: Model,
    fields: { name: { was: z.string() }, first: { was: absent }, last: { was: absent } },
    up: (old: { name: string }) => ({ first: old.name.split(' ')[0], last: old.name.split(' ')[1] ?? '' }),
    down: (now: { first: string; last: string }) => ({ name: `${now.first} ${now.last}` }),
  })

describe('partial results', () => {
  const User = model('PartialUser', { first: z.string(), last: z.string(), age: z.number() })
  const Patch = derive(User, (user) => user.partial())

  it('get nothing that is made of fields which are not there', async () => {
    const { app } = open({ models: { User }, change: [nameWas(User)], body: Patch })
    assert.deepEqual((await send(app, '1', { age: 3 })).body, { age: 3 })
    assert.deepEqual((await send(app, '1', { name: 'Ann Lee' })).body, { name: 'Ann Lee' })
  })

  it('refuse half of what up reads', async () => {
    const change = loose(reshape)({
      of: User,
      fields: { full: { was: z.string() }, first: { was: absent } },
      reads: ['last'],
      up: (old: { full: string; last: string }) => ({ first: old.full.replace(old.last, '') }),
      down: (now: { first: string; last: string }) => ({ full: now.first + now.last }),
    })
    const { app } = open({ models: { User }, change: [change], body: Patch })
    const refused = await send(app, '1', { full: 'AnnLee' })
    assert.equal(refused.status, 422)
    assert.deepEqual((refused.body['errors'] as { path: unknown }[])[0]?.path, ['last'])
    assert.deepEqual((await send(app, '1', { last: 'Lee' })).body, { last: 'Lee' })
  })
})

describe('fields that existed only in older versions', () => {
  const Note = model('RestNote', { id: z.string(), text: z.string(), by: z.string() })
  const Rest = derive(Note, (note) => note.omit({ id: true }))
  const change = [
    loose(reshape)({
      of: Note,
      fields: { color: { was: z.string().max(3) } },
      down: () => ({ color: 'red' }),
    }),
  ]
  const rows: readonly (readonly [title: string, body: z.ZodObject, has: 'required' | 'optional' | 'not'])[] =
    [
      ['omit', Rest, 'required'],
      ['omit without derive', Note.omit({ id: true }), 'required'],
      ['omit of a part', Rest.omit({ by: true }), 'required'],
      ['partial of a part', Rest.partial(), 'optional'],
      ['extend of a part', Rest.extend({ page: z.int().default(1) }), 'required'],
      ['meta of a part', Rest.strict().meta({ title: 'Draft' }), 'required'],
      ['pick', Note.pick({ text: true, by: true }), 'not'],
      ['pick of a part', Rest.pick({ text: true }).extend({ by: z.string() }), 'not'],
      ['an object with fields of the model', z.object({ text: Note.shape.text, by: z.string() }), 'not'],
    ]
  for (const [title, body, has] of rows) {
    it(`are in ${title}: ${has}`, async () => {
      const { app, seen } = open({
        models: { Note },
        change: [...change],
        body,
        response: Note,
        answers: () => ({ id: '1', text: 'a', by: 'b' }),
      })
      const draft = { text: 'a', by: 'b' }
      const full = { ...draft, color: 'red' }
      const statuses = await Promise.all(
        [draft, full, { ...draft, color: 'green' }].map(async (json) => (await send(app, '1', json)).status),
      )
      assert.deepEqual(statuses, has === 'not' ? [200, 200, 200] : [has === 'required' ? 422 : 200, 200, 422])
      for (const each of seen) assert.equal(Object.hasOwn(Object(each), 'color'), false)
    })
  }

  it('are not in a part that not names', async () => {
    const not = [
      loose(reshape)({
        of: Note,
        fields: { color: { was: z.string() } },
        down: () => ({ color: '' }),
        not: [Rest],
      }),
    ]
    const { app } = open({
      models: { Note },
      change: not,
      body: Rest,
      response: Note,
      answers: () => ({ id: '1', text: 'a', by: 'b' }),
    })
    const answer = await send(app, '1', { text: 'a', by: 'b' })
    assert.deepEqual(answer, { status: 200, body: { id: '1', text: 'a', by: 'b', color: '' } })
  })
})

const unbox = ({ v }: { v: unknown }): unknown => v
const box = (v: unknown): object => ({ v })
const noSize = (): object => ({ size: null })
const wrap = (w: unknown): object => ({ w })
const wrapTrees = (trees: unknown): object => ({ trees })

describe('rules for new clients alone', () => {
  const Place = model('RulePlace', {
    zip: z.string().trim().max(5),
    tags: z.array(z.string()).max(1).default(['none']),
  })
  const change = [
    loose(reshape)({
      of: Place,
      fields: {
        zip: { was: z.string().max(9), accepted: true },
        tags: { was: z.array(z.string()).optional(), accepted: true },
      },
    }),
  ]
  const Patch = derive(Place, (place) => place.partial())

  it('are not met by what an older schema took', async () => {
    const { app, seen } = open({ models: { Place }, change: [...change], body: Place })
    const long = { zip: ' 1234567', tags: ['a', 'b'] }
    assert.deepEqual(await send(app, '1', long), { status: 200, body: long })
    assert.equal((await send(app, '2', long)).status, 422)
    assert.equal((await send(app, '1', { zip: '1234567890' })).status, 422)
    await send(app, '1', { zip: '1' })
    assert.deepEqual(seen, [long, { zip: '1', tags: ['none'] }])
    // stored beside all others, so that every version sends it
    const stored = open({
      models: { Place },
      change: [...change],
      body: Place,
      response: z.array(Place),
      answers: () => [long],
    })
    for (const version of ['2', '1'])
      assert.deepEqual(await send(stored.app, version, { zip: '1' }), { status: 200, body: [long] })
  })

  it('are not met by bodies that were others as a whole, nor by models that hold themselves', async () => {
    const Tree = model('RuleTree', {
      name: z.string().max(3),
      get parts(): z.ZodType {
        return z.array(Tree)
      },
    })
    const changes = [
      loose(reshape)({ of: Tree, fields: { name: { was: z.string(), accepted: true } } }),
      loose(operation)({
        route: 'x.send',
        body: { now: Tree, was: z.object({ tree: Tree }), up: ({ tree }: { tree: unknown }) => tree },
        response: {
          body: { 200: { now: z.array(Tree), was: z.object({ trees: z.array(Tree) }), down: wrapTrees } },
        },
      }),
    ]
    const tree = { name: 'long', parts: [{ name: 'longer', parts: [] }] }
    const answers = (): unknown => [tree]
    const { app, seen } = open({
      models: { Tree },
      change: changes,
      body: Tree,
      response: z.array(Tree),
      answers,
    })
    assert.deepEqual(await send(app, '1', { tree }), { status: 200, body: { trees: [tree] } })
    assert.deepEqual(seen, [tree])
    assert.equal((await send(app, '2', tree)).status, 422)
    const short = { name: 'one', parts: [] }
    assert.deepEqual(await send(app, '2', short), { status: 200, body: [tree] })
  })

  it('are shown by documents where they apply', async () => {
    const Zip = model('RuleZip', { zip: z.string().max(5) })
    const wider = [loose(reshape)({ of: Zip, fields: { zip: { was: z.string().max(9), accepted: true } } })]
    const { app } = open({ models: { Zip }, change: wider, body: Zip })
    await app.ready()
    const [newest, older] = ['2', '1'].map((version) => {
      const { schemas } = Object(app.openapi({ version })).components
      return Object.entries(schemas).flatMap(([name, shown]) => {
        const { properties, $ref } = Object(shown)
        assert.equal($ref, undefined)
        return properties?.zip === undefined ? [] : [[name, properties.zip.maxLength]]
      })
    })
    assert.deepEqual(newest, [
      ['RuleZip', 5],
      ['RuleZipResult', 9],
    ])
    // as before the newer change
    assert.deepEqual(older, [['RuleZip', 9]])
  })

  it('are not met below fields that functions make, nor by alternatives of a union', async () => {
    const Inner = model('RuleInner', { name: z.string().max(3), tag: z.string() })
    const Outer = model('RuleOuter', { inner: z.union([Inner, z.string()]) })
    const changes = [
      loose(reshape)({
        of: Inner,
        fields: { name: { was: z.string(), accepted: true }, tag: { was: 'label' } },
      }),
      loose(reshape)({
        of: Outer,
        fields: { inner: { was: z.object({ v: z.union([Inner, z.string()]) }), up: unbox, down: box } },
      }),
    ]
    const { app, seen } = open({ models: { Inner, Outer }, change: changes, body: Outer })
    const older = { inner: { v: { name: 'long', label: 'a' } } }
    assert.deepEqual(await send(app, '1', older), { status: 200, body: older })
    assert.deepEqual(seen, [{ inner: { name: 'long', tag: 'a' } }])
  })

  it('are not met below functions of older changes, whose fields have other names', async () => {
    const Inner = model('RuleOldInner', { name: z.string().max(3) })
    const Outer = model('RuleOldOuter', { inner: Inner, others: z.array(z.union([Inner, z.string()])) })
    const newer = loose(defineVersionChange)({
      version: '3',
      title: 'Names',
      change: [
        loose(reshape)({ of: Inner, fields: { name: { was: 'title' } } }),
        loose(reshape)({
          of: Outer,
          fields: { inner: { was: z.object({ w: Inner }), up: ({ w }: { w: unknown }) => w, down: wrap } },
        }),
      ],
    })
    const changes = [
      loose(reshape)({
        of: (before as Untyped)(newer, Inner),
        fields: { title: { was: z.string(), accepted: true } },
      }),
      loose(reshape)({
        of: (before as Untyped)(newer, Outer),
        fields: {
          inner: {
            was: z.object({ v: z.object({ w: Inner }) }),
            up: ({ v }: { v: unknown }) => v,
            down: box,
          },
        },
      }),
      loose(operation)({
        route: 'x.send',
        body: { now: Outer, was: z.object({ tree: Outer }), up: ({ tree }: { tree: unknown }) => tree },
      }),
    ]
    const given = { models: { Inner, Outer }, change: changes, newer, body: Outer }
    const { app, seen } = open(given)
    const long = { title: 'long' }
    const older = { inner: { v: { w: long } }, others: [long, 'a'] }
    assert.deepEqual(await send(app, '1', { tree: older }), { status: 200, body: older })
    assert.deepEqual(seen, [{ inner: { name: 'long' }, others: [{ name: 'long' }, 'a'] }])
  })

  it('are not met by what up of an older input returns, whose fields have other names', async () => {
    const Inner = model('RuleInputInner', { name: z.string().max(3), note: z.string() })
    const newer = loose(defineVersionChange)({
      version: '3',
      title: 'Names',
      change: [loose(reshape)({ of: Inner, fields: { name: { was: 'title' } } })],
    })
    const of = (before as Untyped)(newer, Inner)
    const changes = [
      loose(reshape)({
        of,
        fields: {
          title: { was: z.string(), accepted: true },
          note: { was: z.string().default('none') },
        },
      }),
      loose(operation)({
        route: 'x.send',
        input: {
          was: { body: z.object({ tree: z.array(Inner) }) },
          up: ({ body }: { body: { tree: unknown } }) => ({ body: body.tree }),
        },
      }),
    ]
    const { app, seen } = open({ models: { Inner }, change: changes, newer, body: z.array(Inner) })
    const older = [{ title: 'long', note: 'none' }]
    assert.deepEqual(await send(app, '1', { tree: [{ title: 'long' }] }), { status: 200, body: older })
    assert.deepEqual(seen, [[{ name: 'long', note: 'none' }]])
    assert.equal((await send(app, '2', older)).status, 422)
    // a default makes what is sent another schema than what is answered
    await app.ready()
    const { schemas } = Object(app.openapi({ version: '1' })).components
    assert.deepEqual(
      Object.keys(schemas).filter((name) => name.startsWith('RuleInput')),
      ['RuleInputInner', 'RuleInputInnerOutput'],
    )
  })

  it('are not met in webhooks, which know fields that requests alone keep', async () => {
    const Event = model('RuleEvent', { zip: z.string().max(3) })
    const fields = {
      zip: { was: z.string(), accepted: true },
      old: { was: z.string().optional(), kept: true },
    }
    const made = loose(defineVersionChange)({
      version: '2',
      title: 'Short',
      change: [loose(reshape)({ of: Event, fields })],
    })
    const history = loose(defineVersions)({
      versions: ['2', '1'],
      models: { Event },
      changes: [made],
      messages: [Event],
    })
    const hook = defineWebhook({ name: 'event.made', schema: Event })
    const none = (): undefined => undefined
    const of = () => ['2', '1'].map((version) => ({ id: version, version, url: '', secrets: [''] }))
    const webhooks = createWebhooks({
      history,
      subscriptions: { of, find: none, disable: none },
      outbox: { add: none },
    })
    const { deliveries } = await webhooks.prepare(hook, { zip: 'long' })
    assert.deepEqual(
      deliveries.map(({ body }) => JSON.parse(body).data),
      [{ zip: 'long' }, { zip: 'long' }],
    )
  })

  it('leave the wrappers that parts put around a field', async () => {
    const Sized = model('RuleSize', { size: z.int().max(9) })
    const Nullable = derive(Sized, (sized) => sized.extend({ size: sized.shape.size.nullable() }))
    const wider = [loose(reshape)({ of: Sized, fields: { size: { was: z.int(), accepted: true } } })]
    const { app } = open({
      models: { Sized },
      change: wider,
      body: Sized,
      response: Nullable,
      answers: noSize,
    })
    for (const version of ['2', '1'])
      assert.deepEqual(await send(app, version, { size: 1 }), { status: 200, body: { size: null } })
  })

  it('are not met in parts, lists and stored values', async () => {
    const body = z.object({ places: z.array(Patch) })
    const { app, seen } = open({ models: { Place }, change: [...change], body })
    const places = [{ zip: '123456' }, { tags: ['a', 'b'] }, {}]
    assert.equal((await send(app, '1', { places })).status, 200)
    assert.deepEqual(seen, [{ places }])
    const changes = [loose(defineVersionChange)({ version: '2', title: 'One', change })]
    const history = loose(defineVersions)({ versions: ['2', '1'], models: { Place }, changes })
    const { migrate } = history as { migrate: (...given: unknown[]) => unknown }
    assert.deepEqual(migrate(Place, { zip: '123456', tags: [] }, { from: '1' }), { zip: '123456', tags: [] })
  })
})

describe('values that only older requests carry', () => {
  const Invite = model('KeptInvite', { email: z.string() })
  const kept = defineVersionChange({
    version: '2',
    title: 'Invites have no permission',
    change: [
      reshape({
        of: Invite,
        fields: { permission: { was: z.enum(['read', 'write']).optional(), kept: true } },
      }),
    ],
  })
  const opened = (body: z.ZodType) => {
    const seen: unknown[] = []
    const renamed = loose(defineVersionChange)({
      version: '1.1',
      title: 'Roles are permissions',
      change: [loose(reshape)({ of: before(kept, Invite), fields: { permission: { was: 'role' } } })],
    })
    const history: unknown = loose(defineVersions)({
      versions: ['2', '1.1', '1'],
      models: { Invite },
      changes: [kept, renamed],
    })
    const route = {
      method: 'POST',
      name: 'send',
      input: { body },
      handler: async (_: unknown, context: ExecutionContext) => {
        await Promise.resolve()
        // a value that is converted is no input of the request
        context.migrate(Invite, { email: '', permission: 'write' }, { from: '1.1' })
        const found = context.kept(kept)
        expectTypeOf(found?.permission).toEqualTypeOf<'read' | 'write' | undefined>()
        seen.push(found)
        return ''
      },
    }
    const app = createApp(
      moduleOf({ controllers: [controller({ name: 'x', prefix: '/x', routes: [route] })] }),
      {
        logger: false,
        versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'v', history: history as never },
      },
    )
    return { app, seen }
  }

  it('reach the handler of that request alone', async () => {
    const { app, seen } = opened(Invite)
    const email = 'ann@example.com'
    const post = async (v: string, json: object) =>
      (await app.inject({ method: 'POST', url: '/x', headers: { v }, json })).statusCode
    const statuses = await Promise.all([
      post('1', { email, role: 'read' }),
      post('1.1', { email, permission: 'write' }),
      post('1.1', { email }),
      post('2', { email, permission: 'write' }),
      post('1', { email, role: 'own' }),
    ])
    assert.deepEqual(statuses, [200, 200, 200, 200, 422])
    assert.deepEqual(seen, [{ permission: 'read' }, { permission: 'write' }, {}, undefined])
  })

  it('are those of the body if parameters carry the model, too', async () => {
    const Ask = model('KeptAsk', { text: z.string() })
    const asked = defineVersionChange({
      version: '2',
      title: 'Questions have no language',
      change: [
        reshape({ of: Ask, fields: { language: { was: z.string().optional(), kept: true } } }),
        loose(operation)({
          route: 'x.ask',
          body: { now: Ask, was: z.object({ ask: Ask }), up: ({ ask }: { ask: unknown }) => ask },
        }),
      ],
    })
    const handler = (_: unknown, context: ExecutionContext): unknown => context.kept(asked)
    const route = { method: 'POST', name: 'ask', input: { query: Ask, body: Ask }, handler }
    const history: unknown = defineVersions({ versions: ['2', '1'], models: { Ask }, changes: [asked] })
    const app = createApp(
      moduleOf({ controllers: [controller({ name: 'x', prefix: '/x', routes: [route] })] }),
      {
        logger: false,
        versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'v', history: history as never },
      },
    )
    const url = '/x?text=a&language=en'
    const ask = async (json: object): Promise<unknown> =>
      (await app.inject({ method: 'POST', url, headers: { v: '1' }, json: { ask: json } })).json()
    assert.deepEqual(await ask({ text: 'b', language: 'de' }), { language: 'de' })
    assert.deepEqual(await ask({ text: 'b' }), { language: 'en' })
  })

  it('have names that no other reshape of the change keeps', () => {
    const language = { language: { was: z.string().optional(), kept: true } }
    const [Ask, Answer] = [
      model('NamedAsk', { text: z.string() }),
      model('NamedAnswer', { text: z.string() }),
    ]
    const asked = loose(defineVersionChange)({
      version: '2',
      title: 'Texts have no language',
      change: [
        loose(reshape)({ of: Ask, fields: language }),
        loose(reshape)({ of: Answer, fields: language }),
      ],
    })
    assert.throws(
      () => defineVersions({ versions: ['2', '1'], models: { Ask, Answer }, changes: [asked] }),
      /two reshapes keep language, and context\.kept has one of them\. Describe one of them in a change of its own/,
    )
  })

  it('are refused if an API behind alone gets the requests', async () => {
    const Kept = model('KeptBehind', { name: z.string() })
    const part = loose(reshape)({ of: Kept, fields: { old: { was: z.string().optional(), kept: true } } })
    const change = loose(defineVersionChange)({ version: '2', title: 'One', change: [part] })
    const history = loose(defineVersions)({ versions: ['2', '1'], models: { Kept }, changes: [change] })
    const forward = defineUpstream({ name: 'behind', url: 'http://127.0.0.1:1' })
    const route = { method: 'POST', name: 'send', input: { body: Kept }, forward }
    const versioning = { scheme: VersioningSchemes.HEADER, headerParameter: 'v', history } as const
    const controllers = [controller({ name: 'x', prefix: '/x', routes: [route] })]
    const app = createApp(moduleOf({ controllers }), { logger: false, versioning })
    await assert.rejects(app.ready(), /old\.kept has no effect: no handler gets KeptBehind from a request/)
  })

  it('are refused where a request has several of them', async () => {
    for (const body of [z.array(Invite), z.object({ invite: Invite })])
      await assert.rejects(
        async () => opened(body).app.ready(),
        /permission is kept, and .* has it below input\.body/,
      )
  })

  it('are refused in a model that holds itself, and not if only names of its fields are there', async () => {
    const Tree = model('KeptTree', {
      text: z.string(),
      get parts(): z.ZodType {
        return z.array(Tree).optional()
      },
    })
    const Leaf = model('KeptLeaf', { text: z.string() })
    const openWith = (of: object, input: object): App => {
      const change = loose(defineVersionChange)({
        version: '2',
        title: 'No language',
        change: [
          loose(reshape)({
            of,
            fields: { text: { was: 'words' }, language: { was: z.string().optional(), kept: true } },
          }),
        ],
      })
      const history: unknown = loose(defineVersions)({
        versions: ['2', '1'],
        models: { Tree, Leaf },
        changes: [change],
      })
      const route = { method: 'POST', name: 'add', input, handler: () => 'ok' }
      return createApp(
        moduleOf({ controllers: [controller({ name: 'tree', prefix: '/tree', routes: [route] })] }),
        {
          logger: false,
          versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'v', history: history as never },
        },
      )
    }
    await assert.rejects(
      async () => openWith(Tree, { body: Tree }).ready(),
      /language is kept, and .* input\.body/,
    )
    await openWith(Leaf, { body: Leaf, query: z.object({ sort: fieldNames(Leaf).optional() }) }).ready()
  })
})

describe('wrappers of an object around a field of a model', () => {
  const Item = model('WrappedItem', { id: z.string(), size: z.string() })
  const Sizes = derive(Item, (item) =>
    item.extend({ id: item.shape.id.nullable(), size: item.shape.size.optional() }),
  )
  const Completed = derive(Item, (item) => item.extend({ size: item.shape.size.default('7') }))
  const change = loose(reshape)({
    of: Item,
    fields: {
      id: { was: z.number(), up: String, down: Number },
      size: { was: z.number(), up: String, down: Number },
    },
  })

  it('is nothing that functions of changes are called with', async () => {
    const { app, seen } = open({ models: { Item }, change: [change], body: Sizes })
    assert.deepEqual((await send(app, '1', { id: null })).body, { id: null })
    assert.deepEqual((await send(app, '1', { id: 4, size: 5 })).body, { id: 4, size: 5 })
    assert.deepEqual(seen, [{ id: null }, { id: '4', size: '5' }])
  })

  it('completes what was left out with the newest default', async () => {
    const { app, seen } = open({ models: { Item }, change: [change], body: Completed })
    assert.deepEqual((await send(app, '1', { id: 4 })).body, { id: 4, size: 7 })
    assert.deepEqual(seen, [{ id: '4', size: '7' }])
  })
})

describe('defaults of earlier schemas', () => {
  it('complete older results', async () => {
    const Note = model('DefaultNote', { id: z.string(), note: z.string().optional() })
    const change = loose(reshape)({ of: Note, fields: { note: { was: z.string().default('none') } } })
    const { app } = open({ models: { Note }, change: [change], body: Note, answers: () => ({ id: 'a' }) })
    assert.deepEqual((await send(app, '1', { id: 'a' })).body, { id: 'a', note: 'none' })
    assert.deepEqual((await send(app, '2', { id: 'a' })).body, { id: 'a' })
  })

  it('are made anew for each value if a function makes them', () => {
    let made = 0
    const Note = model('NumberedNote', { id: z.number().default(() => ++made) })
    assert.deepEqual([made, Note.parse({}), Note.parse({})], [0, { id: 1 }, { id: 2 }])
  })
})

describe('unions', () => {
  it('are chosen by a discriminator that only some of their objects called differently', async () => {
    const Cat = model('UnionCat', { kind: z.literal('cat'), lives: z.number() })
    const Dog = model('UnionDog', { kind: z.literal('dog'), name: z.string() })
    const change = [
      loose(reshape)({ of: Cat, fields: { kind: { was: 'type' } } }),
      loose(reshape)({ of: Dog, fields: { name: { was: 'title' } } }),
    ]
    const body = z.object({ pet: z.discriminatedUnion('kind', [Cat, Dog]) })
    const { app, seen } = open({ models: { Cat, Dog }, change, body })
    for (const pet of [
      { type: 'cat', lives: 9 },
      { kind: 'dog', title: 'Rex' },
    ])
      assert.deepEqual((await send(app, '1', { pet })).body, { pet })
    assert.deepEqual(seen, [{ pet: { kind: 'cat', lives: 9 } }, { pet: { kind: 'dog', name: 'Rex' } }])
  })
})

describe('lazy schemas', () => {
  it('are read as JSON in every version, though they were looked into before', async () => {
    const Log = model('LazyLog', { title: z.string(), days: z.lazy(() => z.array(z.date())) })
    const change = loose(reshape)({ of: Log, fields: { title: { was: 'name' } } })
    const { app, seen } = open({ models: { Log }, change: [change], body: Log })
    const days = ['2026-01-01T00:00:00.000Z']
    assert.deepEqual((await send(app, '2', { title: 'a', days })).body, { title: 'a', days })
    assert.deepEqual((await send(app, '1', { name: 'a', days })).body, { name: 'a', days })
    assert.deepEqual(
      seen,
      ['a', 'a'].map((title) => ({ title, days: days.map((day) => new Date(day)) })),
    )
  })
})

describe('documents of earlier versions', () => {
  it('have one schema for what is sent and what is answered', async () => {
    const User = model('DocumentUser', { first: z.string(), last: z.string() })
    const { app } = open({ models: { User }, change: [nameWas(User)], body: User })
    await app.ready()
    const { components } = app.openapi({ version: '1' })
    assert.deepEqual(
      Object.keys(components?.schemas ?? {}).filter((name) => name.startsWith('Document')),
      ['DocumentUser'],
    )
    assert.deepEqual(Object.keys(Object(components?.schemas?.['DocumentUser']).properties), ['name'])
  })
})

describe('parts that a change cannot reach as a whole', () => {
  const User = model('PartOfUser', { id: z.string(), first: z.string(), last: z.string() })

  async function messageOf(given: Given): Promise<string> {
    try {
      const { app } = open(given)
      await app.ready()
      return 'none'
    } catch (error) {
      return error instanceof DefinitionError ? error.message : String(error)
    }
  }

  it('are reported if they lack what its functions read', async () => {
    const change = loose(reshape)({
      of: User,
      fields: { last: { was: absent } },
      reads: ['id'],
      up: (old: { id: string }) => ({ last: old.id }),
    })
    const body = User.omit({ id: true })
    assert.match(
      await messageOf({ models: { User }, change: [change], body }),
      /change "one".*a part of PartOfUser lacks id, which the change reads\. Give the part all of them, or list it in not/s,
    )
  })
})

describe('a part that a newer rename leaves out', () => {
  it('keeps the name, and functions of older changes get the one that they are typed against', () => {
    const User = model('User', { id: z.string(), nick: z.string() })
    const Part = derive(User, (user) => user.extend({ more: z.string() }))
    const renamed = defineVersionChange({
      version: '3',
      title: 'Nicks were handles',
      change: [reshape({ of: User, fields: { nick: { was: 'handle' } }, not: [Part] })],
    })
    const label = defineVersionChange({
      version: '2',
      title: 'Users had labels',
      change: [
        reshape({
          of: before(renamed, User),
          fields: { label: { was: z.string() } },
          reads: ['handle'],
          down: ({ handle }) => ({ label: `the ${handle}` }),
        }),
      ],
    })
    const history = defineVersions({
      versions: ['3', '2', '1'],
      models: { User },
      changes: [renamed, label],
      messages: [Part],
    })
    const user = { id: '7', nick: 'ann' }
    assert.deepEqual(history.migrate(User, user, { to: '1' }), { id: '7', handle: 'ann', label: 'the ann' })
    assert.deepEqual(history.migrate(Part, { ...user, more: 'x' }, { to: '1' }), {
      id: '7',
      nick: 'ann',
      more: 'x',
      label: 'the ann',
    })
  })
})
