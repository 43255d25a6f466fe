/** What a change says of a model as a whole: a refinement, an earlier name, and that no request carries it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { expectTypeOf } from 'expect-type'
import { createApp, defineController, defineModule, DefinitionError, VersioningSchemes } from 'octavo'
import type { App } from 'octavo'
import { absent, before, defineVersionChange, defineVersions, derive, model, reshape } from 'octavo/changes'
import { createClient } from 'octavo/client'
import { checkHistory } from 'octavo/testing'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

/** The functions without their types, for those whom no compiler warned. */
const untyped = { change: defineVersionChange, reshape, versions: defineVersions } as unknown as {
  readonly change: (options: object) => ReturnType<typeof defineVersionChange>
  readonly reshape: (options: object) => ReturnType<typeof reshape>
  readonly versions: (options: object) => object
}

const Booking = model('Booking', { id: z.string(), start: z.int(), nights: z.int(), note: z.string() })
const NewBooking = derive(Booking, (booking) => booking.omit({ id: true }))
const BookingPatch = derive(NewBooking, (booking) => booking.partial())
const Note = derive(Booking, (booking) => booking.pick({ note: true }))

const nights = defineVersionChange({
  version: '3',
  title: 'Bookings have nights',
  change: [
    reshape({
      of: Booking,
      reads: ['start'],
      fields: { nights: { was: absent }, end: { was: z.int() } },
      refine: (old) => {
        expectTypeOf(old).toEqualTypeOf<{ start: number; end: number }>()
        return old.start < old.end || 'a stay begins before it ends'
      },
      up: ({ start, end }) => ({ nights: end - start }),
      down: ({ start, nights: count }) => ({ end: start + count }),
    }),
  ],
})
const plain = defineVersionChange({
  version: '2',
  title: 'Notes are not the same as ids',
  change: [
    reshape({ of: before(nights, Booking), fields: { end: { was: 'until' } } }),
    reshape({ of: Booking, reads: ['note'], refine: ({ note }) => note !== '' }),
  ],
})
const stays = defineVersions({ versions: ['3', '2', '1'], models: { Booking }, changes: [plain, nights] })

interface Served {
  readonly app: App
  readonly seen: unknown[]
}

function openStays(): Served {
  const seen: unknown[] = []
  const see = (body: unknown): string => {
    seen.push(body)
    return 'ok'
  }
  const BookingController = defineController({
    prefix: '/booking',
    routes: [
      { method: 'POST', input: { body: NewBooking }, status: 200, handler: ({ body }) => see(body) },
      { method: 'PATCH', input: { body: BookingPatch }, handler: ({ body }) => see(body) },
      {
        method: 'PUT',
        input: { body: z.object({ all: z.array(NewBooking) }) },
        handler: ({ body }) => see(body),
      },
      { method: 'PUT', path: '/note', input: { body: Note }, handler: ({ body }) => see(body) },
    ],
  })
  const app = createApp(defineModule({ controllers: [BookingController] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history: stays },
  })
  return { app, seen }
}

describe('a refinement of a whole object of an older version', () => {
  it('refuses what clients send, and up runs for the others', async () => {
    const { app, seen } = openStays()
    const send = (version: string, json: object) =>
      app.inject({ method: 'POST', url: `/v${version}/booking`, json })
    const refused = await send('2', { start: 5, end: 5, note: 'a' })
    assert.equal(refused.statusCode, 422)
    assert.deepEqual((refused.json() as { errors: unknown }).errors, [
      { in: 'body', path: [], code: 'custom', message: 'a stay begins before it ends' },
    ])
    assert.equal((await send('2', { start: 5, end: 7, note: '' })).statusCode, 200)
    assert.equal((await send('3', { start: 5, nights: -1, note: 'a' })).statusCode, 200)
    assert.deepEqual(seen, [
      { start: 5, nights: 2, note: '' },
      { start: 5, nights: -1, note: 'a' },
    ])
  })

  it('runs in still older versions, with the names of its own', async () => {
    const { app } = openStays()
    const send = async (json: object) => {
      const response = await app.inject({ method: 'POST', url: '/v1/booking', json })
      return response.statusCode === 200
        ? 200
        : (response.json() as { errors: { message: string }[] }).errors[0]?.message
    }
    assert.equal(await send({ start: 5, until: 4, note: 'a' }), 'a stay begins before it ends')
    assert.equal(await send({ start: 5, until: 6, note: '' }), 'Invalid input')
    assert.equal(await send({ start: 5, until: 6, note: 'a' }), 200)
  })

  it('names where an object in a list is', async () => {
    const { app } = openStays()
    const all = [
      { start: 1, end: 2, note: 'a' },
      { start: 2, end: 1, note: 'b' },
    ]
    const response = await app.inject({ method: 'PUT', url: '/v2/booking', json: { all } })
    assert.deepEqual((response.json() as { errors: { path: unknown }[] }).errors[0]?.path, ['all', 1])
  })

  it('runs in parts that have all fields that it gets', async () => {
    const { app } = openStays()
    const patch = async (json: object) =>
      (await app.inject({ method: 'PATCH', url: '/v2/booking', json })).statusCode
    assert.equal(await patch({ note: '' }), 200)
    assert.equal(await patch({ start: 2, end: 1 }), 422)
    assert.equal(await patch({ start: 1, end: 2 }), 200)
    const note = async (version: string) =>
      (await app.inject({ method: 'PUT', url: `/v${version}/booking/note`, json: { note: '' } })).statusCode
    assert.equal(await note('1'), 422)
    assert.equal(await note('2'), 200)
  })

  it('has no effect if no request carries the model', async () => {
    const change = defineVersionChange({
      version: '2',
      title: 'In vain',
      change: [
        reshape({ of: Booking, fields: { note: { was: 'text' } }, refine: ({ text }) => text !== '' }),
      ],
    })
    const history = defineVersions({ versions: ['2', '1'], models: { Booking }, changes: [change] })
    const BookingController = defineController({
      prefix: '/booking',
      routes: [
        { method: 'GET', response: Booking, handler: () => ({ id: '1', start: 1, nights: 1, note: '' }) },
      ],
    })
    const problems = await problemsOf(() =>
      createApp(defineModule({ controllers: [BookingController] }), {
        versioning: { scheme: VersioningSchemes.URL, history },
      }).ready(),
    )
    assert.deepEqual(problems, ['refine has no effect: no request carries Booking'])
  })

  it('that throws or returns a promise is a failure of the change', async () => {
    for (const refine of [() => Promise.resolve(true), () => assert.fail('no')]) {
      const part = untyped.reshape({ of: Booking, reads: ['note'], refine })
      const change = defineVersionChange({ version: '2', title: 'Fails', change: [part] })
      const history = defineVersions({ versions: ['2', '1'], models: { Booking }, changes: [change] })
      const BookingController = defineController({
        prefix: '/booking',
        routes: [{ method: 'POST', input: { body: NewBooking }, handler: () => 'ok' }],
      })
      const app = createApp(defineModule({ controllers: [BookingController] }), {
        logger: false,
        versioning: { scheme: VersioningSchemes.URL, history },
      })
      const json = { start: 1, nights: 1, note: 'a' }
      const response = await app.inject({ method: 'POST', url: '/v1/booking', json })
      assert.equal(response.statusCode, 500)
      assert.equal((response.json() as { code: string }).code, 'migration_failed')
    }
  })
})

async function problemsOf(open: () => unknown): Promise<readonly string[]> {
  try {
    await open()
    return []
  } catch (error) {
    if (error instanceof DefinitionError) return error.errors.map(({ message }) => message)
    throw error
  }
}

const Client = model('Client', { id: z.string(), name: z.string() })
const ClientPatch = derive(Client, (client) => client.partial())
const Page = z.object({ items: z.array(Client) }).meta({ id: 'ClientPage' })
const clients = defineVersionChange({
  version: '3',
  title: 'Customers are called clients',
  change: [reshape({ of: Client, named: { was: 'Customer' } })],
})
const customers = defineVersionChange({
  version: '2',
  title: 'Users are called customers',
  change: [reshape({ of: Client, named: { was: 'User' }, fields: { name: { was: 'fullName' } } })],
})

describe('an earlier name of a model', () => {
  const history = defineVersions({
    versions: ['3', '2', '1'],
    models: { Client },
    changes: [clients, customers],
  })
  const ClientController = defineController({
    name: 'ClientController',
    routes: [
      { method: 'GET', name: 'list', response: Page, handler: () => ({ items: [{ id: '1', name: 'Ann' }] }) },
      { method: 'PATCH', path: '/{id}', name: 'change', input: { body: ClientPatch }, handler: () => 'ok' },
    ],
  })
  const app = createApp(defineModule({ controllers: [ClientController] }), {
    logger: false,
    versioning: { scheme: VersioningSchemes.URL, history },
  })

  it('is that of its schema in older documents', async () => {
    await app.ready()
    for (const [version, name] of [
      ['3', 'Client'],
      ['2', 'Customer'],
      ['1', 'User'],
    ] as const) {
      const { components } = app.openapi({ version })
      assert.ok(components?.schemas?.[name], `version ${version}`)
      const all = Object.keys(components.schemas)
      assert.deepEqual(
        all.filter((each) => ['Client', 'Customer', 'User'].includes(each)),
        [name],
      )
    }
    const page = app.openapi({ version: '2' }).components?.schemas?.['ClientPage']
    assert.match(JSON.stringify(page), /#\/components\/schemas\/Customer"/)
  })

  it('alters no answer, and clients need not know it', async () => {
    const client = createClient<typeof app>({ fetch: app.fetch })
    const second = await client.at('2').client.list()
    expectTypeOf(second.data.items).toEqualTypeOf<{ id: string; name: string }[]>()
    assert.deepEqual(second.data, { items: [{ id: '1', name: 'Ann' }] })
    const first = await client.at('1').client.list()
    expectTypeOf(first.data.items).toEqualTypeOf<{ id: string; fullName: string }[]>()
    assert.deepEqual(first.data, { items: [{ id: '1', fullName: 'Ann' }] })
  })

  it('is another one than that which it had, and that no other model had', async () => {
    const Other = model('Other', { id: z.string() })
    const change = (name: string, of: typeof Client | typeof Other, version = '2') =>
      defineVersionChange({
        version,
        title: `${name} in ${version}`,
        change: [untyped.reshape({ of, named: { was: name } })],
      })
    const open = (...changes: readonly object[]) =>
      problemsOf(() => untyped.versions({ versions: ['3', '2', '1'], models: { Client, Other }, changes }))
    assert.deepEqual(await open(change('Client', Client)), ['Client was called Client too'])
    assert.deepEqual(await open(change('Other', Client)), [
      'Client was called Other, which is the name of another model',
    ])
    assert.deepEqual(await open(change('Other', Client), change('Another', Other, '3')), [])
    assert.deepEqual(await open(change('Old', Client, '3'), change('Old', Client, '2')), [
      'Client was called Old too',
    ])
  })
})

const Report = model('Report', { id: z.string(), total: z.int(), size: z.enum(['s', 'm', 'l']) })

describe('a model that only responses carry', () => {
  const totals = defineVersionChange({
    version: '2',
    title: 'Reports have totals',
    change: [
      reshape({
        of: Report,
        responseOnly: true,
        fields: {
          total: { was: absent },
          sum: { was: z.string() },
          size: { was: z.enum(['small', 'large']), down: (size) => (size === 'l' ? 'large' : 'small') },
        },
        down: ({ total }) => ({ sum: `${total} EUR` }),
      }),
    ],
  })
  const history = defineVersions({ versions: ['2', '1'], models: { Report }, changes: [totals] })

  it('needs no up, and no lossy', async () => {
    const ReportController = defineController({
      prefix: '/report',
      routes: [
        { method: 'GET', response: Report, handler: () => ({ id: '1', total: 7, size: 'm' as const }) },
      ],
    })
    const app = createApp(defineModule({ controllers: [ReportController] }), {
      logger: false,
      versioning: { scheme: VersioningSchemes.URL, history },
    })
    assert.deepEqual((await app.inject('/v1/report')).json(), { id: '1', sum: '7 EUR', size: 'small' })
    assert.deepEqual(checkHistory(history), [])
  })

  it('is checked on the way to older versions', () => {
    const wrong = defineVersionChange({
      version: '2',
      title: 'Wrong',
      change: [
        reshape({
          of: Report,
          responseOnly: true,
          fields: { total: { was: z.string().max(2), down: (total) => `${total}` } },
        }),
      ],
    })
    const found = checkHistory(defineVersions({ versions: ['2', '1'], models: { Report }, changes: [wrong] }))
    assert.deepEqual(
      found.map(({ code, fields }) => [code, fields]),
      [['unfit', ['total']]],
    )
  })

  it('is demanded by types only if responseOnly is missing', () => {
    // @ts-expect-error up is missing
    reshape({ of: Report, fields: { total: { was: absent } } })
    // @ts-expect-error up of the field is missing
    reshape({ of: Report, fields: { total: { was: z.string(), down: String } } })
    // @ts-expect-error down is missing
    reshape({ of: Report, responseOnly: true, fields: { total: { was: z.string() } } })
    reshape({ of: Report, responseOnly: true, fields: { total: { was: z.string(), down: String } } })
  })
})

describe('functions of a whole object', () => {
  const Person = model('MergedPerson', { id: z.string(), name: z.string(), color: z.string().optional() })
  const merged = defineVersionChange({
    version: '2',
    title: 'Names have one part, and colors one name',
    change: [
      reshape({
        of: Person,
        fields: { name: { was: z.string() }, surname: { was: z.string() } },
        up: ({ name, surname }) => ({ name: `${name} ${surname}` }),
        down: ({ name }) => {
          const [first = '', surname = ''] = name.split(' ')
          return { name: first, surname }
        },
      }),
      reshape({
        of: Person,
        fields: { color: { was: z.string().optional() }, colour: { was: z.string().optional() } },
        up: ({ color, colour }) => {
          const one = color ?? colour
          return one === undefined ? {} : { color: one }
        },
        down: ({ color }) => (color === undefined ? {} : { colour: color }),
      }),
    ],
  })
  const Patch = derive(Person, (person) => person.partial())
  const history = defineVersions({ versions: ['2', '1'], models: { Person }, changes: [merged] })
  const opened = (): { readonly app: App; readonly seen: unknown[] } => {
    const seen: unknown[] = []
    const keep = ({ body }: { body: unknown }): never => {
      seen.push(body)
      return body as never
    }
    const routes = [
      { method: 'POST', path: '/', status: 200, input: { body: Person }, response: Person, handler: keep },
      { method: 'PATCH', path: '/', name: 'patch', input: { body: Patch }, response: Patch, handler: keep },
    ] as const
    const app = serve(defineController({ prefix: '/person', routes }), {
      versioning: { scheme: VersioningSchemes.URL, history },
    })
    return { app, seen }
  }

  it('make fields that stay', async () => {
    const { app, seen } = opened()
    const json = { id: '7', name: 'Ann', surname: 'Lee', colour: 'red' }
    const answer = await app.inject({ method: 'POST', url: '/v1/person', json })
    assert.deepEqual(seen, [{ id: '7', name: 'Ann Lee', color: 'red' }])
    assert.deepEqual(answer.json(), { ...json, color: 'red' })
  })

  it('make them in partial bodies together', async () => {
    const { app, seen } = opened()
    const json = { name: 'Ann', surname: 'Lee' }
    const answer = await app.inject({ method: 'PATCH', url: '/v1/person', json })
    assert.deepEqual(answer.json(), json)
    assert.deepEqual(seen, [{ name: 'Ann Lee' }])
    const half = await app.inject({ method: 'PATCH', url: '/v1/person', json: { surname: 'Lee' } })
    assert.equal(half.statusCode, 422)
    assert.match(half.body, /Send all of surname, name or none of them/)
    const none = await app.inject({ method: 'PATCH', url: '/v1/person', json: { id: '8' } })
    assert.deepEqual(none.json(), { id: '8' })
  })

  it('make them in partial bodies of those that are there, if older objects could leave the others out', async () => {
    const { app, seen } = opened()
    for (const json of [{ color: 'red' }, { colour: 'blue' }, { color: 'red', colour: 'blue' }])
      assert.equal((await app.inject({ method: 'PATCH', url: '/v1/person', json })).statusCode, 200)
    assert.deepEqual(seen, [{ color: 'red' }, { color: 'blue' }, { color: 'red' }])
  })

  describe('beside a field that differs and may stand alone in a part', () => {
    const Member = model('PartialMember', { id: z.string(), name: z.string(), age: z.int().min(0) })
    const MemberPatch = derive(Member, (member) => member.partial())
    const fields = { name: { was: z.string() }, surname: { was: z.string() } }
    const functions = {
      up: ({ name, surname }: { readonly name: string; readonly surname: string }) => ({
        name: `${name} ${surname}`,
      }),
      down: ({ name }: { readonly name: string }) => {
        const [first = '', surname = ''] = name.split(' ')
        return { name: first, surname }
      },
    }
    const age = { was: z.int().min(0).describe('In years') }
    const started = async (change: readonly unknown[]): Promise<App> => {
      const made = untyped.change({ version: '2', title: 'Names have one part', change })
      const own = defineVersions({ versions: ['2', '1'], models: { Member }, changes: [made as never] })
      const app = serve(
        [
          {
            method: 'PATCH',
            path: '/member',
            name: 'patch',
            input: { body: MemberPatch },
            response: MemberPatch,
            handler: ({ body }) => body,
          },
        ],
        { versioning: { scheme: VersioningSchemes.URL, history: own } },
      )
      await app.ready()
      return app
    }
    const patch = async (app: App, json: object): Promise<unknown> =>
      (await app.inject({ method: 'PATCH', url: '/v1/member', json })).json()

    it('are a mistake, because nothing says whether they make it', async () => {
      await assert.rejects(
        started([untyped.reshape({ of: Member, fields: { ...fields, age }, ...functions })]),
        ({ message }: Error) => {
          assert.match(message, /PartialMember\.age may be sent without the others of its reshape/)
          assert.match(
            message,
            /Describe age in a reshape of its own, or add an example in which they change it/,
          )
          assert.doesNotMatch(message, /PartialMember\.name may/)
          return true
        },
      )
    })

    it('leave it alone in a reshape of its own', async () => {
      const app = await started([
        untyped.reshape({ of: Member, fields, ...functions }),
        untyped.reshape({ of: Member, fields: { age } }),
      ])
      assert.deepEqual(await patch(app, { age: 7 }), { age: 7 })
      assert.deepEqual(await patch(app, { name: 'Ann', surname: 'Lee' }), { name: 'Ann', surname: 'Lee' })
    })

    it('make it if an example shows so, and need all', async () => {
      const examples = [{ old: { name: 'Ann', surname: 'Lee', age: 1 }, now: { name: 'Ann Lee', age: 12 } }]
      const app = await started([
        untyped.reshape({
          of: Member,
          fields: { ...fields, age },
          examples,
          up: (old: { name: string; surname: string; age: number }) => ({
            ...functions.up(old),
            age: old.age * 12,
          }),
          down: (now: { name: string; age: number }) => ({ ...functions.down(now), age: now.age / 12 }),
        }),
      ])
      assert.match(JSON.stringify(await patch(app, { age: 7 })), /Send all of surname, name, age or none/)
      const all = { name: 'Ann', surname: 'Lee', age: 7 }
      assert.deepEqual(await patch(app, all), all)
    })
  })

  it('may return what they got, and nothing else that they do not make', () => {
    const Stray = model('StrayNote', { id: z.string(), text: z.string() })
    const migrated = (down: (now: object) => object): unknown => {
      const change = untyped.change({
        version: '2',
        title: 'Notes had labels',
        change: [
          untyped.reshape({ of: Stray, fields: { label: { was: z.string() } }, reads: ['text'], down }),
        ],
      })
      const own = defineVersions({ versions: ['2', '1'], models: { Stray }, changes: [change as never] })
      return own.migrate(Stray, { id: '7', text: 'a' }, { to: '1' })
    }
    assert.deepEqual(
      migrated((now) => ({ ...now, label: 'x' })),
      { id: '7', text: 'a', label: 'x' },
    )
    for (const stray of [{ lable: 'x' }, { text: 'b' }, { id: '8' }])
      assert.throws(
        () => migrated((now) => ({ ...now, label: 'x', ...stray })),
        ({ cause }: Error) => {
          const [name] = Object.keys(stray)
          assert.match(
            String(cause),
            new RegExp(`down beside fields returned ${name}, which it does not make`),
          )
          return true
        },
      )
  })
})
