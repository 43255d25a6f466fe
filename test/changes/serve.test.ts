import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, notFound, VersioningSchemes } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { checkHistory } from 'octavo/testing'
import { z } from 'zod'

const Address = model('Address', { street: z.string(), city: z.string() })
const User = model('User', {
  id: z.string(),
  firstName: z.string().min(1),
  lastName: z.string(),
  createdAt: z.string(),
  status: z.enum(['active', 'paused', 'closed']),
  addresses: z.array(Address),
})
const CreateUser = derive(User, (user) => user.omit({ id: true, createdAt: true }))
const UserPatch = derive(CreateUser, (user) => user.partial())
const Page = z.object({ items: z.array(User), next: z.string().nullable() })

const splitName = defineVersionChange({
  version: '2026-06-01',
  title: 'Names have two parts',
  change: [
    reshape({
      of: User,
      fields: {
        name: { was: z.string() },
        firstName: { was: absent },
        lastName: { was: absent },
        createdAt: { was: 'creationDate' },
        status: {
          was: z.enum(['active', 'closed']),
          down: (now) => (now === 'paused' ? 'active' : now),
        },
      },
      up: (old) => {
        const [firstName = '', ...rest] = old.name.split(' ')
        return { firstName, lastName: rest.join(' ') }
      },
      down: (now) => ({ name: `${now.firstName} ${now.lastName}`.trim() }),
    }),
    operation({ route: 'user.get', response: { status: { 404: { was: 400 } } } }),
    operation({ route: 'user.list', path: { was: '/people' } }),
  ],
})

const stringIds = defineVersionChange({
  version: '2026-01-01',
  title: 'Ids are text',
  change: [
    reshape({
      of: User,
      fields: { id: { was: z.number(), up: (old) => String(old), down: (now) => Number(now) } },
    }),
    reshape({ of: Address, fields: { city: { was: 'town' } } }),
  ],
})

const history = defineVersions({
  versions: ['2026-06-01', '2026-01-01', '2025-06-01'],
  models: { User, Address },
  changes: [stringIds, splitName],
})

const ann = {
  id: '7',
  firstName: 'Ann',
  lastName: 'Lee',
  createdAt: 'x',
  status: 'paused' as const,
  addresses: [{ street: 's', city: 'c' }],
}

const seen: unknown[] = []
const UserController = defineController({
  prefix: '/user',
  routes: [
    { method: 'GET', path: '/', name: 'list', response: Page, handler: () => ({ items: [ann], next: null }) },
    {
      method: 'GET',
      path: '/{id}',
      name: 'get',
      response: { 200: User },
      handler: ({ params }) => {
        if (params.id !== '7') throw notFound('No such user')
        return { ...ann, password: 'secret' }
      },
    },
    {
      method: 'POST',
      path: '/',
      name: 'create',
      input: { body: CreateUser },
      response: User,
      handler: ({ body }) => {
        seen.push(body)
        return { ...body, id: '8', createdAt: 'y' }
      },
    },
    {
      method: 'PATCH',
      path: '/{id}',
      name: 'patch',
      input: { body: UserPatch },
      handler: ({ body }) => body,
    },
    { method: 'GET', path: '/ping', name: 'ping', handler: () => 'pong' },
  ],
})

const app = createApp(defineModule({ controllers: [UserController] }), {
  versioning: { scheme: VersioningSchemes.HEADER, headerParameter: 'x-api-version', format: 'date', history },
})

async function call(method: string, url: string, version: string, body?: unknown) {
  const { statusCode, body: text } = await app.inject({
    method,
    url,
    headers: { 'x-api-version': version },
    ...(body === undefined ? {} : { body }),
  })
  return { status: statusCode, body: text === '' ? undefined : JSON.parse(text) }
}

describe('versions as changes', () => {
  it('sends what each version had', async () => {
    const one = async (version: string) => (await call('GET', '/user/7', version)).body
    assert.deepEqual(await one('2026-06-01'), ann)
    assert.deepEqual(await one('2026-01-01'), {
      id: '7',
      creationDate: 'x',
      status: 'active',
      addresses: [{ street: 's', city: 'c' }],
      name: 'Ann Lee',
    })
    assert.deepEqual(await one('2025-06-01'), {
      id: 7,
      creationDate: 'x',
      status: 'active',
      addresses: [{ street: 's', town: 'c' }],
      name: 'Ann Lee',
    })
  })

  it('takes what each version took, and complains in its names', async () => {
    const made = await call('POST', '/user', '2025-06-01', {
      name: 'Bob Ray Lee',
      status: 'closed',
      addresses: [{ street: 's', town: 't' }],
    })
    assert.deepEqual(made.body, {
      id: 8,
      creationDate: 'y',
      status: 'closed',
      addresses: [{ street: 's', town: 't' }],
      name: 'Bob Ray Lee',
    })
    assert.deepEqual(seen.pop(), {
      firstName: 'Bob',
      lastName: 'Ray Lee',
      status: 'closed',
      addresses: [{ street: 's', city: 't' }],
    })
    const refused = await call('POST', '/user', '2025-06-01', { status: 'paused', addresses: [{ town: 1 }] })
    assert.equal(refused.status, 422)
    assert.deepEqual(
      refused.body.errors.map((issue: { path: unknown }) => issue.path),
      [['name'], ['status'], ['addresses', 0, 'street'], ['addresses', 0, 'town']],
    )
  })

  it('turns partial bodies field by field', async () => {
    assert.deepEqual((await call('PATCH', '/user/7', '2025-06-01', { status: 'closed' })).body, {
      status: 'closed',
    })
    assert.deepEqual((await call('PATCH', '/user/7', '2025-06-01', { name: 'A B' })).body, {
      firstName: 'A',
      lastName: 'B',
    })
    assert.deepEqual((await call('PATCH', '/user/7', '2025-06-01', {})).body, {})
  })

  it('moves addresses and statuses', async () => {
    assert.equal((await call('GET', '/people', '2026-01-01')).status, 200)
    assert.equal((await call('GET', '/people', '2026-06-01')).status, 406)
    assert.equal((await call('GET', '/user', '2026-06-01')).body.items[0].firstName, 'Ann')
    assert.equal((await call('GET', '/user/1', '2026-06-01')).status, 404)
    const old = await call('GET', '/user/1', '2026-01-01')
    assert.equal(old.status, 400)
    assert.equal(old.body.status, 400)
    assert.equal(app.urlFor('user.list'), '/user/')
  })

  it('says that a change failed, and which', async () => {
    const failed = await call('POST', '/user', '2026-01-01', { name: '', status: 'active', addresses: [] })
    assert.equal(failed.status, 500)
    assert.equal(failed.body.code, 'migration_failed')
  })
})

describe('a field that older versions demand, and that may be left out now', () => {
  const Note = model('Note', { text: z.string().optional(), size: z.int().min(1).max(999_999).optional() })
  const optionalText = defineVersionChange({
    version: '2',
    title: 'Texts may be left out',
    change: [
      reshape({
        of: Note,
        fields: {
          text: { was: z.string(), down: (now) => now ?? 'none' },
          size: {
            was: z
              .string()
              .regex(/^[1-9]\d{0,5}$/)
              .optional(),
            up: (old) => (old === undefined ? undefined : Number(old)),
            // not called for what is left out, which the older version takes
            down: (now) => `${now}`,
          },
        },
        lossy: ['text', 'size'],
      }),
    ],
  })
  const versions = defineVersions({ versions: ['2', '1'], models: { Note }, changes: [optionalText] })
  const NoteController = defineController({
    prefix: '/note',
    routes: [
      { method: 'GET', response: Note, handler: () => ({}) },
      {
        method: 'PATCH',
        path: '/part',
        response: derive(Note, (note) => note.partial()),
        handler: () => ({}),
      },
    ],
  })
  const notes = createApp(defineModule({ controllers: [NoteController] }), {
    versioning: { scheme: VersioningSchemes.URL, history: versions },
    logger: false,
  })

  it('is made by down', async () => {
    assert.deepEqual((await notes.inject('/v1/note')).json(), { text: 'none' })
    assert.deepEqual((await notes.inject('/v2/note')).json(), {})
    assert.deepEqual((await notes.inject({ method: 'PATCH', url: '/v1/note/part' })).json(), {})
    assert.deepEqual(versions.migrate(Note, {}, { to: '1' }), { text: 'none' })
    assert.deepEqual(checkHistory(versions), [])
  })
})

describe('a field that existed only in older versions', () => {
  it('stands in the place of those that replaced it', async () => {
    const Person = model('Person', {
      id: z.string(),
      first: z.string(),
      last: z.string(),
      age: z.int(),
    })
    const change = defineVersionChange({
      version: '2',
      title: 'Two names',
      change: [
        reshape({
          of: Person,
          fields: { first: { was: absent }, last: { was: absent }, name: { was: z.string() } },
          up: ({ name }) => ({ first: name, last: '' }),
          down: ({ first, last }) => ({ name: `${first} ${last}` }),
        }),
      ],
    })
    const controller = defineController({
      prefix: '/person',
      routes: [
        {
          method: 'GET',
          response: Person,
          handler: () => ({ id: '7', first: 'Ann', last: 'Lee', age: 8 }),
        },
      ],
    })
    const persons = createApp(defineModule({ controllers: [controller] }), {
      logger: false,
      versioning: {
        scheme: VersioningSchemes.URL,
        history: defineVersions({ versions: ['2', '1'], models: { Person }, changes: [change] }),
      },
    })
    const answer = await persons.inject('/v1/person')
    assert.equal(answer.body, '{"id":"7","name":"Ann Lee","age":8}')
  })
})
