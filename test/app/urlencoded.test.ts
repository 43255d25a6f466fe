import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import * as fc from 'fast-check'
import { defineController } from 'octavo'
import { z } from 'zod'

import { serve } from '../support/serve.ts'

const Any = z.record(z.string(), z.unknown())

const app = serve(
  defineController({
    name: 'echo',
    prefix: '/echo',
    routes: [
      { method: 'GET', handler: (_input, { request }) => Object.entries(request.query) },
      { method: 'POST', input: { form: Any }, handler: ({ form }) => Object.entries(form) },
    ],
  }),
)

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The members that the query and the form of the same text have. */
async function read(text: string): Promise<unknown> {
  const query = await app.inject(`/echo?${text}`)
  const form = await app.inject({ method: 'POST', url: '/echo', headers: FORM, body: text })
  const members = query.json()
  assert.deepEqual(form.json(), members)
  return members
}

describe('urlencoded queries and forms', () => {
  const cases = [
    ['a name and a value', 'a=1', [['a', '1']]],
    [
      'several names',
      'a=1&b=2',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'a repeated name',
      'a=1&b=2&a=3&a=',
      [
        ['a', ['1', '3', '']],
        ['b', '2'],
      ],
    ],
    [
      'a name without a value',
      'a&b',
      [
        ['a', ''],
        ['b', ''],
      ],
    ],
    ['a value without a name', '=1', [['', '1']]],
    ['empty pairs', '&&a=1&', [['a', '1']]],
    ['a value with equals signs', 'a=b=c==', [['a', 'b=c==']]],
    ['plus signs', 'a+b=c+d', [['a b', 'c d']]],
    ['escaped separators', 'a%3Db=%26%2B%25', [['a=b', '&+%']]],
    ['escapes in both cases', 'a=%c3%A4%e2%82%AC%F0%9f%98%80', [['a', 'ä€😀']]],
    [
      'names that all objects have',
      'toString=1&constructor=2',
      [
        ['toString', '1'],
        ['constructor', '2'],
      ],
    ],
    ['an escape that is no number', 'a=%zz', [['a', '%zz']]],
    [
      'an escape that is cut off',
      'a=%4&b=%',
      [
        ['a', '%4'],
        ['b', '%'],
      ],
    ],
    ['a malformed escape beside others', 'a=1+2%20%zz', [['a', '1 2%20%zz']]],
    ['a malformed name with a value', '%zz=%20', [['%zz', ' ']]],
    ['a byte of Latin-1', 'a=%E4', [['a', '%E4']]],
    ['a character that is cut off', 'a=%E2%82', [['a', '%E2%82']]],
    ['a character that another interrupts', 'a=%E2%41%82', [['a', '%E2%41%82']]],
    ['a character that is not escaped to its end', 'a=%E2%82x%AC', [['a', '%E2%82x%AC']]],
    ['a byte that follows none', 'a=%80', [['a', '%80']]],
    [
      'an encoding that is too long',
      'a=%C0%80&b=%E0%80%80',
      [
        ['a', '%C0%80'],
        ['b', '%E0%80%80'],
      ],
    ],
    ['half of a surrogate pair', 'a=%ED%A0%80', [['a', '%ED%A0%80']]],
    ['a code point beyond Unicode', 'a=%F4%90%80%80', [['a', '%F4%90%80%80']]],
  ] as const

  for (const [title, text, members] of cases) {
    it(`reads ${title}`, async () => {
      assert.deepEqual(await read(text), members)
    })
  }

  it('reads `__proto__` of a query as a name like any other', async () => {
    const response = await app.inject('/echo?__proto__=1&__proto__=2')
    assert.deepEqual(response.json(), [['__proto__', ['1', '2']]])
  })

  it('reads what URLSearchParams writes', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 })
    const pairs = fc.uniqueArray(fc.tuple(name, fc.string({ unit: 'grapheme', maxLength: 6 })), {
      selector: ([key]) => key,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(pairs, async (given) => {
        // members with numbers for names come first in every object
        const wanted = given.map(([key, value]): [string, string] => [`x${key}`, value])
        assert.deepEqual(await read(new URLSearchParams(wanted).toString()), wanted)
      }),
      { numRuns: 100 },
    )
  })
})
