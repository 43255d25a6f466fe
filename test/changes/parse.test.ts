import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineController, DefinitionError, ValidationError, VersioningSchemes } from 'octavo'
import {
  absent,
  defineVersionChange,
  defineVersions,
  derive,
  model,
  operation,
  reshape,
} from 'octavo/changes'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Owner = model('Owner', { firstName: z.string(), lastName: z.string() })
const Car = model('Car', {
  id: z.string(),
  year: z.number().int().min(1900),
  built: z.date().optional(),
  plate: z.string().max(8).default('none'),
  colour: z.enum(['red', 'blue']),
  owner: Owner,
  drivers: z.array(Owner).default([]),
})
const CarPatch = derive(Car, (car) => car.omit({ id: true }).partial())
const Batch = z.object({ cars: z.array(Car).min(1) })
const names = defineVersionChange({
  version: '3',
  title: 'Names have two parts',
  change: [
    reshape({
      of: Owner,
      fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
      up: ({ name }) => {
        const [firstName = '', lastName = ''] = name.split(' ')
        return { firstName, lastName }
      },
      down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
    }),
  ],
})
const years = defineVersionChange({
  version: '2',
  title: 'Years are numbers, and colours have a name',
  change: [
    reshape({
      of: Car,
      fields: {
        year: { was: z.string().regex(/^(19|20)\d\d$/), up: Number, down: String },
        plate: { was: z.string(), narrowed: true },
        colour: { was: 'paint' },
      },
    }),
    operation({
      route: 'car.add',
      body: { now: Batch, was: z.array(Car), up: (cars) => ({ cars }), narrowed: true },
    }),
  ],
})
const history = defineVersions({ versions: ['3', '2', '1'], models: { Owner, Car }, changes: [names, years] })

const owner = { firstName: 'Ann', lastName: 'Lee' }
const newest = { id: '7', plate: 'M 1', year: 1999, colour: 'red' as const, owner, drivers: [owner] }
const older = {
  id: '7',
  plate: 'M 1',
  year: '1999',
  paint: 'red',
  owner: { name: 'Ann Lee' },
  drivers: [{ name: 'Ann Lee' }],
}

describe('history.schema', () => {
  it('returns the schema of an older version, of models, parts and schemas around them', () => {
    const one = history.schema(Car, { version: '1' })
    assert.deepEqual(one.parse(older), older)
    assert.deepEqual(
      one.safeParse(newest).error?.issues.map(({ path }) => path),
      [['year'], ['paint'], ['owner', 'name'], ['drivers', 0, 'name']],
    )
    assert.deepEqual(history.schema(CarPatch, { version: '1' }).parse({ paint: 'red' }), {
      paint: 'red',
      drivers: [],
    })
    assert.deepEqual(history.schema(Batch, { version: '2' }).safeParse({ cars: [older] }).success, false)
    assert.deepEqual(history.schema(z.string(), { version: '1' }).parse('a'), 'a')
  })

  it('returns the schema of a whole body, and the newest one itself', () => {
    assert.deepEqual(history.schema(Batch, { version: '1', route: 'car.add' }).parse([older]), [older])
    assert.equal(history.schema(Batch, { version: '3' }), Batch)
  })
})

const JSON_TYPE = { 'content-type': 'application/json' }

function isRefused(error: unknown, expected: object): boolean {
  assert.ok(error instanceof ValidationError, String(error))
  assert.deepEqual(JSON.parse(JSON.stringify(error.errors)), expected)
  return true
}

describe('history.parse', () => {
  it('returns a value of the newest models', () => {
    assert.deepEqual(history.parse(Car, older, { from: '1' }), newest)
    assert.deepEqual(history.parse(Car, newest, {}), newest)
    assert.deepEqual(history.parse(CarPatch, { year: '1950' }, { from: '1' }), { year: 1950, drivers: [] })
    assert.deepEqual(history.parse(Batch, [older], { from: '1', route: 'car.add' }), { cars: [newest] })
    const built = '2020-01-01T00:00:00.000Z'
    assert.deepEqual(history.parse(Car, { ...older, built }, { from: '1' }).built, new Date(built))
  })

  const app = serve(
    defineController({
      name: 'CarController',
      prefix: '/cars',
      routes: [
        { method: 'PUT', name: 'put', input: { body: Car }, handler: ({ body }) => body },
        { method: 'PATCH', name: 'patch', input: { body: CarPatch }, handler: ({ body }) => body },
        { method: 'POST', name: 'add', input: { body: Batch }, handler: ({ body }) => body },
      ],
    }),
    { versioning: { scheme: VersioningSchemes.QUERY, history } },
  )
  const wrong = [
    undefined,
    null,
    7,
    'x',
    [],
    {},
    '1066',
    'x'.repeat(9),
    ['x'.repeat(300)],
    { ['k'.repeat(300)]: 1 },
  ]

  it('throws the error that a client of the version gets, and no other', async () => {
    const altered = wrong.flatMap((value) =>
      [...Object.keys(older), 'colour', 'built', 'plate'].map((key) => ({ key, value })),
    )
    const bodies = [
      ['PUT', Car, {}, altered.map(({ key, value }) => ({ ...older, [key]: value }))],
      ['PATCH', CarPatch, {}, altered.map(({ key, value }) => ({ [key]: value }))],
      ['POST', Batch, { route: 'car.add' }, altered.map(({ key, value }) => [{ ...older, [key]: value }])],
    ] as const
    for (const [method, schema, route, values] of bodies)
      for (const from of history.versions)
        await Promise.all(
          [...wrong.slice(1), ...values].map(async (value) => {
            const body = JSON.stringify(value)
            const sent = { method, url: `/cars?version=${from}`, headers: JSON_TYPE, body }
            const { errors } = JSON.parse((await app.inject(sent)).body)
            const call = (): unknown => history.parse(schema, value, { from, ...route })
            if (errors === undefined) assert.doesNotThrow(call, body)
            else assert.throws(call, (error) => isRefused(error, errors))
          }),
        )
  })

  it('asks for inject if changes load data, or a check takes time', async () => {
    const Slow = model('Slow', { id: z.string().refine(async (id) => id !== 'x') })
    const slow = defineVersions({ versions: ['1'], models: { Slow }, changes: [] })
    assert.throws(() => slow.parse(Slow, { id: 'x' }, {}), /pass `inject`/)
    assert.deepEqual(await slow.parse(Slow, { id: 'a' }, { inject: {} }), { id: 'a' })
    await assert.rejects(slow.parse(Slow, { id: 'x' }, { inject: {} }), ValidationError)
  })
})

describe('values outside of requests', () => {
  const Note = model('Note', { text: z.string(), lang: z.string() })
  const languages = defineVersionChange({
    version: '2',
    title: 'Notes have a language',
    change: [
      reshape({
        of: Note,
        fields: {
          text: {
            was: z.string(),
            up: (text) => text,
            down: (text, { state }) => `${text} (${String(state?.['reader'])})`,
          },
          lang: { was: absent },
        },
        up: (_, { state }) => ({ lang: String(state?.['lang']) }),
      }),
    ],
  })
  const notes = defineVersions({ versions: ['2', '1'], models: { Note }, changes: [languages] })
  const state = { lang: 'de', reader: 'Ann' }

  it('pass the state that changes read', async () => {
    const note = { text: 'a', lang: 'de' }
    assert.deepEqual(notes.parse(Note, { text: 'a' }, { from: '1', state }), note)
    assert.deepEqual(notes.migrate(Note, { text: 'a' }, { from: '1', state }), note)
    assert.deepEqual(notes.migrate(Note, note, { to: '1', state }), { text: 'a (Ann)' })
    assert.deepEqual(await notes.migrate(Note, note, { to: '1', state, inject: {} }), { text: 'a (Ann)' })
  })

  it('refuse versions, schemas and options that do not exist', () => {
    const unlisted = { version: '9' as '1', from: '9' as '1' }
    for (const call of [
      () => history.schema(Car, { version: unlisted.version }),
      () => history.parse(Car, older, { from: unlisted.from }),
      () => history.migrate(Car, newest, { to: unlisted.version }),
      () => history.isSince(years, unlisted.version),
    ])
      assert.throws(call, (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.deepEqual(
          error.errors.map(({ code, message, fix }) => [code, message, fix]),
          [['version_not_listed', 'there is no version "9"', 'write one of 3, 2, 1']],
        )
        return true
      })
    assert.throws(() => history.parse({} as never, older, {}), /parse: the schema is/)
    assert.throws(
      () => history.schema(Car, undefined as never),
      /schema: the versions are undefined; pass \{ version \}/,
    )
    assert.throws(() => history.parse(Car, older, { to: '1' } as never), /there is no option "to"/)
  })

  it('refuse a history of which a change would be left out', () => {
    const rename = (version: '2' | '3', was: string) =>
      defineVersionChange({
        version,
        title: `${was} was renamed`,
        change: [reshape({ of: Owner, fields: { lastName: { was } } })],
      })
    const changes = [rename('3', 'surname'), rename('2', 'family')]
    const twice = defineVersions({ versions: ['3', '2', '1'], models: { Owner }, changes })
    for (const call of [
      () => twice.schema(Owner, { version: '1' }),
      () => twice.parse(Owner, {}, { from: '1' }),
      () => twice.migrate(Owner, {} as never, { from: '1' }),
    ])
      assert.throws(call, (error) => {
        assert.ok(error instanceof DefinitionError)
        assert.deepEqual(
          error.errors.map(({ code }) => code),
          ['field_touched_twice'],
        )
        return true
      })
  })
})
