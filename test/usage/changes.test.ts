import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, sse, VersioningSchemes } from 'octavo'
import type { AppOptions, InjectOptions } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  fieldNames,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'
import { createCounts } from '../support/usage.ts'

const Address = model('Address', { town: z.string().optional(), street: z.string().optional() })
const User = model('User', {
  id: z.string().regex(/^\d+$/),
  firstName: z.string(),
  lastName: z.string(),
  status: z.enum(['active', 'paused']),
  address: Address.optional(),
  note: z.string().optional(),
})
const CreateUser = derive(User, (user) => user.omit({ id: true }))

const change = (id: string, version: '2' | '3', parts: readonly unknown[]) =>
  defineVersionChange({ version, id, title: id, change: parts as never })

const splitName = change('split-name', '2', [
  reshape({
    of: User,
    fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
    up: ({ name }) => ({ firstName: name.split(' ')[0] ?? '', lastName: name.split(' ')[1] ?? '' }),
    down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
  }),
])
const textIds = change('text-ids', '3', [
  reshape({ of: User, fields: { id: { was: z.int(), up: (id) => `${id}`, down: (id) => Number(id) } } }),
])
const paused = change('paused', '3', [
  reshape({ of: User, fields: { status: { was: z.enum(['active']), down: () => 'active' as const } } }),
])
const notes = change('notes', '3', [reshape({ of: User, fields: { note: { was: absent } } })])
const towns = change('towns', '2', [reshape({ of: Address, fields: { town: { was: 'city' } } })])
const created = change('created', '3', [operation({ route: 'user.create', status: { was: 200 } })])
const moved = change('moved', '2', [operation({ route: 'user.list', path: { was: '/people' } })])
const filters = change('filters', '3', [
  operation({
    route: 'user.list',
    query: { limit: { was: 'max' }, sort: { was: absent } },
    headers: { 'x-mode': { was: z.string().optional(), up: (mode) => mode?.toString().toLowerCase() } },
    response: { headers: { 'x-total': { was: 'x-count' } } },
  }),
])

let paging = ''
const users = defineController({
  prefix: '/user',
  name: 'user',
  routes: [
    {
      method: 'POST',
      name: 'create',
      input: { body: CreateUser },
      response: { 201: User },
      handler: ({ body }) => ({ ...body, id: '7' }),
    },
    {
      method: 'GET',
      name: 'list',
      input: {
        query: { limit: z.string().optional(), sort: fieldNames(User).optional() },
        headers: { 'x-mode': z.string().optional() },
      },
      response: z.array(User),
      handler: ({ query }, { response }) => {
        paging = query.limit ?? ''
        if (paging !== '') response.headers.set('x-total', paging)
        return []
      },
    },
    { method: 'GET', path: '/feed', name: 'feed', events: { user: User }, handler: () => sse(feed()) },
    { method: 'GET', path: '/none', name: 'none', handler: () => 'none' },
  ],
})

async function* feed() {
  yield { event: 'user' as const, data: ann }
  await new Promise((resolve) => setImmediate(resolve))
  yield { event: 'user' as const, data: { ...ann, address: { town: 'Ulm' } } }
}

const ann = { id: '7', firstName: 'Ann', lastName: 'Lee', status: 'active' as const }
const history = defineVersions({
  versions: ['3', '2', '1'],
  models: { User, Address },
  changes: [textIds, paused, notes, created, filters, splitName, towns, moved],
})

function create(options: AppOptions) {
  return serve(users, { versioning: { scheme: VersioningSchemes.URL, history }, ...options })
}

/** The changes that altered one request. */
async function changesOf(asked: string | InjectOptions): Promise<readonly string[]> {
  const { usage, read } = createCounts()
  const app = create({ usage })
  const response = await app.inject(asked)
  assert.equal(response.statusCode < 300, true, response.body)
  await app.close()
  const found = await read()
  assert.deepEqual(
    found.map(({ count }) => count),
    [1],
  )
  const changes = found[0]?.changes ?? []
  for (const { count } of changes) assert.equal(count, 1)
  return changes.map(({ id }) => id).toSorted()
}

const post = (version: string, json: object): InjectOptions => ({
  method: 'POST',
  url: `/v${version}/user`,
  json,
})

describe('the changes of usage', () => {
  const full = { firstName: 'Ann', lastName: 'Lee', status: 'active' }
  const cases: readonly (readonly [
    title: string,
    asked: string | InjectOptions,
    changes: readonly string[],
  ])[] = [
    ['none for the newest version', post('3', full), []],
    ['none for a route that no change reaches', '/v1/user/none', []],
    // the id of the result, and the status of the response
    ['the values that differ', post('2', full), ['created', 'text-ids']],
    [
      'fields that were made and dropped',
      post('1', { name: 'Ann Lee', status: 'active' }),
      ['created', 'split-name', 'text-ids'],
    ],
    [
      'a member that was called differently, if it is sent',
      post('1', { name: 'Ann Lee', status: 'active', address: { city: 'Ulm' } }),
      ['created', 'split-name', 'text-ids', 'towns'],
    ],
    [
      'no member that stays',
      post('1', { name: 'Ann Lee', status: 'active', address: { street: 'Main' } }),
      ['created', 'split-name', 'text-ids'],
    ],
    ['no parameter that is not sent', '/v2/user', []],
    ['a parameter that was called differently, with its response header', '/v2/user?max=3', ['filters']],
    ['a parameter whose value differs', { url: '/v2/user', headers: { 'x-mode': 'Fast' } }, ['filters']],
    ['no parameter whose value stays', { url: '/v2/user', headers: { 'x-mode': 'fast' } }, []],
    ['an address that was another', '/v1/people', ['moved']],
    ['what is sent in a stream, also later', '/v1/user/feed', ['split-name', 'text-ids', 'towns']],
  ]
  for (const [title, asked, changes] of cases)
    it(`are ${title}`, async () => assert.deepEqual(await changesOf(asked), changes))

  it('are those of results that differ', async () => {
    const { usage, read } = createCounts()
    const one = defineController({
      name: 'one',
      prefix: '/one',
      routes: [
        {
          method: 'GET',
          input: { query: { note: z.string().optional(), status: z.enum(['active', 'paused']) } },
          response: User,
          handler: ({ query }) => ({ ...ann, ...query }),
        },
      ],
    })
    const app = serve([one, users], {
      versioning: { scheme: VersioningSchemes.URL, history },
      client: (request) => request.header('x-client'),
      usage,
    })
    const ask = (client: string, query: string) =>
      app.inject({ url: `/v2/one?${query}`, headers: { 'x-client': client } })
    await ask('a', 'status=active')
    await ask('a', 'status=paused')
    await ask('b', 'status=active&note=x')
    await app.close()
    const short = (await read()).map(({ client, count, changes = [] }) => [
      client,
      count,
      changes.map((each) => `${each.id} ${each.count}`).toSorted(),
    ])
    assert.deepEqual(short, [
      ['a', 2, ['paused 1', 'text-ids 2']],
      ['b', 1, ['notes 1', 'text-ids 1']],
    ])
  })
})
