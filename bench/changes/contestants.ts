/** The applications and values that the cost of changes is measured with. */
import { z } from 'zod'

import { isPromise } from '../../src/base/values.ts'
import { absent, defineVersionChange, defineVersions, model, reshape } from '../../src/changes/index.ts'
import type { RawRequest } from '../../src/http/http.ts'
import { defineController, defineModule, VersioningSchemes } from '../../src/index.ts'
import { Application } from '../../src/server/app/application.ts'

/** Sends the same request so many times. */
export type Send = (times: number) => Promise<void>

const VERSIONS = ['6', '5', '4', '3', '2', '1'] as const
const FIELDS = ['a', 'b', 'c', 'd', 'e'] as const

const fields = Object.fromEntries(FIELDS.map((name) => [name, z.number()]))
const Small = model('Small', { id: z.string(), ...fields })

/** Types don't know names that are made. */
function wasText(name: string): never {
  return { [name]: { was: z.string(), up: Number, down: String } } as never
}

const small = FIELDS.map((name, index) =>
  defineVersionChange({
    version: VERSIONS[index] ?? '2',
    title: `${name} was text`,
    change: [
      reshape({
        of: Small,
        fields: wasText(name),
      }),
    ],
  }),
)
const history = defineVersions({ versions: VERSIONS, models: { Small }, changes: small as never })

/** How many changes lie between the newest version and the one that is asked for; without a history for `undefined`. */
export const SMALL: Readonly<Record<string, number | undefined>> = {
  'without a history': undefined,
  'the newest version': 0,
  'one change': 1,
  'two changes': 2,
  'five changes': 5,
}

/** Prepares the request with a small body. @throws `Error` if it is not answered with the same body. */
export async function openSmall(steps: number | undefined): Promise<Send> {
  const route = {
    method: 'POST',
    path: '/small',
    status: 200,
    input: { body: Small },
    response: Small,
    handler: ({ body }: { readonly body: unknown }) => body as never,
    ...(steps === undefined ? { version: VERSIONS } : {}),
  } as const
  const module = defineModule({
    controllers: [defineController({ prefix: '', routes: [route as never] })],
  })
  const core = new Application(module, { logger: false })
  const options: object = { headerParameter: 'v', ...(steps === undefined ? {} : { history }) }
  core.enableVersioning(VersioningSchemes.HEADER, options)
  const older = FIELDS.slice(0, steps ?? 0) as readonly string[]
  const body: Record<string, unknown> = { id: 'x' }
  for (const [index, name] of FIELDS.entries()) body[name] = older.includes(name) ? String(index) : index
  const { dispatch } = await core.open()
  const raw = toRaw(VERSIONS[steps ?? 0] ?? '', JSON.stringify(body))
  const answer = await dispatch(raw).response
  if (answer.status !== 200 || answer.body !== JSON.stringify(body))
    throw new Error(`${steps}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return async (times) => {
    for (let left = times; left > 0; left--) {
      const { response } = dispatch(raw)
      if (isPromise(response)) await response
    }
  }
}

function toRaw(version: string, text: string): RawRequest {
  const bytes = Buffer.from(text)
  const headers: Readonly<Record<string, string>> = {
    host: 'localhost',
    v: version,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
  }
  return {
    method: 'POST',
    target: '/small',
    headers,
    lines: (name) => (headers[name] === undefined ? [] : [headers[name]]),
    remoteAddress: '127.0.0.1',
    protocol: 'http',
    body: {
      length: bytes.length,
      read: () => Promise.resolve(bytes),
      chunks: async function* chunks() {
        yield bytes
      },
    },
    signal: new AbortController().signal,
    isArriving: false,
    abort: () => undefined,
  }
}

const Address = model('Address', { street: z.string(), city: z.string() })
const User = model('User', {
  id: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  createdAt: z.string(),
  status: z.enum(['active', 'paused', 'closed']),
  addresses: z.array(Address),
})
const Users = z.array(User)

const users = defineVersions({
  versions: VERSIONS,
  models: { User, Address },
  messages: [Users],
  changes: [
    defineVersionChange({
      version: '6',
      title: 'Names have two parts',
      change: [
        reshape({
          of: User,
          fields: { name: { was: z.string() }, firstName: { was: absent }, lastName: { was: absent } },
          up: ({ name }) => {
            const [firstName = '', lastName = ''] = name.split(' ')
            return { firstName, lastName }
          },
          down: ({ firstName, lastName }) => ({ name: `${firstName} ${lastName}` }),
        }),
      ],
    }),
    defineVersionChange({
      version: '5',
      title: 'Ids are text',
      change: [reshape({ of: User, fields: { id: { was: z.number(), up: String, down: Number } } })],
    }),
    defineVersionChange({
      version: '4',
      title: 'Users can be paused',
      change: [
        reshape({
          of: User,
          fields: {
            status: {
              was: z.enum(['active', 'closed']),
              down: (now) => (now === 'paused' ? 'active' : now),
            },
          },
        }),
      ],
    }),
    defineVersionChange({
      version: '3',
      title: 'Cities were towns',
      change: [reshape({ of: Address, fields: { city: { was: 'town' } } })],
    }),
    defineVersionChange({
      version: '2',
      title: 'Users are created',
      change: [reshape({ of: User, fields: { createdAt: { was: 'creationDate' } } })],
    }),
  ],
})

const newest = Array.from({ length: 100 }, (_, index) => ({
  id: String(index),
  firstName: `First${index}`,
  lastName: `Last${index}`,
  createdAt: '2026-01-01T00:00:00Z',
  status: index % 3 === 0 ? ('paused' as const) : ('active' as const),
  addresses: [
    { street: `${index} High Street`, city: 'Leeds' },
    { street: `${index} Low Street`, city: 'York' },
  ],
}))
const oldest = users.migrate(Users, newest, { to: '1' })

/** What is done with 100 users. */
export const LISTS: Readonly<Record<string, () => number>> = {
  'JSON.stringify': () => JSON.stringify(newest).length,
  'to the oldest version': () => Object(users.migrate(Users, newest, { to: '1' })).length,
  'from the oldest version': () => Object(users.migrate(Users, oldest, { from: '1' })).length,
}
