import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { z } from 'zod'

import { createFixture, SECRET } from './support.ts'
import { createApp, DefinitionError, defineModule, type AppOptions } from 'octavo'
import { createMemoryStore } from 'octavo/stores'

const SHORT = 'tell-nobody'

/** Options, and a part of each message that they bring. */
const CASES: readonly (readonly [string, unknown, readonly RegExp[]])[] = [
  ['nothing', undefined, []],
  ['a secret', { secret: SECRET }, []],
  ['several secrets', { secret: [SECRET, `${SECRET}!`] }, []],
  [
    'everything',
    {
      secret: SECRET,
      schema: z.object({ name: z.string().optional() }),
      store: createMemoryStore(),
      cookie: { name: 'id', secure: true, httpOnly: true, sameSite: 'strict', path: '/a', maxAge: 60 },
      idleTimeout: 1000,
      absoluteTimeout: 2000,
      storeTimeout: 100,
      conflicts: 'overwrite',
    },
    [],
  ],
  ['a secret instead of options', SHORT, [/^session is a string of \d+ characters/]],
  ['no secret', {}, [/^session\.secret is missing/]],
  ['a secret of undefined', { secret: undefined }, [/^session\.secret is missing/]],
  ['a short secret', { secret: SHORT }, [/^session\.secret is a string of \d+ characters/]],
  [
    'a short one among secrets',
    { secret: [SECRET, SHORT] },
    [/^session\.secret\[1\] is a string of \d+ characters/],
  ],
  ['no secret in the list', { secret: [] }, [/^session\.secret is an empty list/]],
  ['an unknown option', { secret: SECRET, stor: {} }, [/no option "session\.stor"/]],
  [
    'a store without delete',
    { secret: SECRET, store: { get() {}, set() {} } },
    [/^session\.store is an object with get, set/],
  ],
  ['no time', { secret: SECRET, idleTimeout: 0, absoluteTimeout: -1 }, [/idleTimeout/, /absoluteTimeout/]],
  ['a time that no timer takes', { secret: SECRET, storeTimeout: 2 ** 31 }, [/storeTimeout/]],
  ['no schema', { secret: SECRET, schema: {} }, [/^session\.schema is an empty object/]],
  [
    'a schema that refuses a new session',
    { secret: SECRET, schema: z.object({ name: z.string() }) },
    [/^session\.schema does not accept a new session: name: invalid_type$/],
  ],
  [
    'a schema that refuses what it gives',
    { secret: SECRET, schema: z.object({ at: z.date().default(() => new Date()) }) },
    [/^session\.schema does not accept its own output as JSON: at: invalid_type$/],
  ],
  [
    'a schema with asynchronous checks, which are not awaited',
    { secret: SECRET, schema: z.object({}).refine(() => Promise.reject(new Error('no'))) },
    [],
  ],
  ['a list as schema', { secret: SECRET, schema: z.array(z.string()).prefault([]) }, [/new session/]],
  [
    'an unknown attribute',
    { secret: SECRET, cookie: { expires: new Date() } },
    [/"session\.cookie\.expires"/],
  ],
  ['sameSite of another kind', { secret: SECRET, cookie: { sameSite: true } }, [/sameSite is true/]],
  ['a name with blanks', { secret: SECRET, cookie: { name: 'my id' } }, [/characters/]],
  ['a path with a semicolon', { secret: SECRET, cookie: { path: '/;x' } }, [/characters/]],
  [
    '__Host- with a domain',
    { secret: SECRET, cookie: { name: '__Host-a', domain: 'a.example' } },
    [/__Host-/],
  ],
  [
    '__Host- below a path',
    { secret: SECRET, cookie: { name: '__host-a', path: '/a' } },
    [/__host- needs path/],
  ],
  [
    '__Secure- over http',
    { secret: SECRET, cookie: { name: '__Secure-a', secure: false } },
    [/__Secure- needs secure/],
  ],
  ['sameSite none over http', { secret: SECRET, cookie: { sameSite: 'none', secure: false } }, [/'none'/]],
]

function problemsOf(options: unknown): DefinitionError['errors'] {
  try {
    // what the compiler would refuse is part of the cases
    createApp(defineModule({}), { logger: false, session: options as NonNullable<AppOptions['session']> })
    return []
  } catch (error) {
    assert.ok(error instanceof DefinitionError)
    return error.errors
  }
}

describe('the session options', () => {
  for (const [title, options, expected] of CASES) {
    it(`${expected.length === 0 ? 'accept' : 'refuse'} ${title}`, () => {
      const found = problemsOf(options)
      assert.equal(found.length, expected.length, JSON.stringify(found))
      for (const [index, { message }] of found.entries()) assert.match(message, expected[index] ?? /never/)
      const text = JSON.stringify(found)
      assert.ok(!text.includes(SHORT) && !text.includes(SECRET), 'no secret is shown')
    })
  }
})

describe('the cookie', () => {
  const lines: readonly (readonly [object, RegExp])[] = [
    [{}, /^__Host-sid=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/],
    [{ secure: false }, /^sid=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/],
    [{ path: '/app' }, /^sid=[^;]+; Path=\/app; HttpOnly; Secure; SameSite=Lax$/],
    [{ domain: 'a.example' }, /^sid=[^;]+; Domain=a\.example; Path=\/; HttpOnly; Secure; SameSite=Lax$/],
    [
      { name: 'id', httpOnly: false, sameSite: 'strict', maxAge: 60 },
      /^id=[^;]+; Max-Age=60; Path=\/; Secure; SameSite=Strict$/,
    ],
  ]
  for (const [cookie, expected] of lines) {
    it(`is made as ${JSON.stringify(cookie)} says`, async () => {
      const { client } = createFixture({ cookie })
      const [line = ''] = await client.visit(({ data }) => Object.assign(data, { a: 1 }))
      assert.match(line, expected)
    })
  }
})
