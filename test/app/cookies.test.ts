import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { parseCookie, stringifySetCookie } from 'cookie'
import * as fc from 'fast-check'
import { parseCookies, writeSetCookie } from '../inside/parts.ts'

/** What a function returns, or the message of the error that it throws. */
function outcome(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

/** Characters that end something, and others. */
const TEXT = fc.string({ unit: fc.constantFrom(...'aZ0;=, \t"%é.-%41'.split('')), maxLength: 12 })

const ATTRIBUTES = fc.record(
  {
    maxAge: fc.constantFrom(0, 60, -1, 1.5, Number.NaN, null),
    domain: fc.oneof(
      fc.constantFrom('', 'example.com', '.Example.com', 'a..b', '-a.com', 'a'.repeat(64)),
      TEXT,
    ),
    path: fc.oneof(fc.constantFrom('', '/', '/a b'), TEXT),
    expires: fc.constantFrom(new Date(0), new Date(Number.NaN), 'tomorrow', null),
    httpOnly: fc.constantFrom(true, false, 1),
    secure: fc.boolean(),
    partitioned: fc.boolean(),
    priority: fc.constantFrom('low', 'Medium', 'HIGH', 'first', '', 7),
    sameSite: fc.constantFrom(true, false, 'strict', 'Lax', 'NONE', 'some', '', 7),
  },
  { requiredKeys: [] },
)

describe('cookies', () => {
  it('are written as the package cookie writes them', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant('sid'), TEXT), TEXT, ATTRIBUTES, (name, value, attributes) => {
        const written = outcome(() => writeSetCookie(name, value, attributes))
        // what it takes for valid is checked there too
        const expected = outcome(() =>
          Reflect.apply(stringifySetCookie, undefined, [name, value, attributes]),
        )
        const { secure, partitioned, sameSite } = attributes
        const isRefused = secure !== true && (partitioned === true || /^none$/i.test(String(sameSite)))
        if (isRefused && String(expected).startsWith(`${name}=`))
          assert.match(String(written), /needs secure: true$/)
        else assert.deepEqual(written, expected)
      }),
      { numRuns: 100 },
    )
  })

  it('are refused if browsers would refuse them', () => {
    const cases = [
      ['__Host-a', { secure: true, path: '/' }, undefined],
      ['__Host-a', { path: '/' }, 'a name that begins with __Host- needs secure: true'],
      ['__host-a', { secure: true }, "a name that begins with __host- needs path: '/' and no domain"],
      [
        '__Host-a',
        { secure: true, path: '/', domain: 'a.test' },
        "a name that begins with __Host- needs path: '/' and no domain",
      ],
      ['__Secure-a', {}, 'a name that begins with __Secure- needs secure: true'],
      ['__Secure-a', { secure: true, domain: 'a.test' }, undefined],
      ['a', { sameSite: 'none' }, "sameSite: 'none' needs secure: true"],
      ['a', { partitioned: true }, 'partitioned needs secure: true'],
      ['a', { partitioned: true, sameSite: 'none', secure: true }, undefined],
    ] as const
    for (const [name, attributes, problem] of cases) {
      const written = outcome(() => writeSetCookie(name, 'x', attributes))
      if (problem === undefined) assert.match(String(written), /^\w+(?:-a)?=x/)
      else assert.equal(written, `cookie ${name}: ${problem}`)
    }
  })

  it('are read as the package cookie reads them', () => {
    const header = fc.oneof(
      TEXT,
      fc.array(fc.tuple(TEXT, TEXT).map((pair) => pair.join('='))).map((pairs) => pairs.join('; ')),
    )
    fc.assert(
      fc.property(header, (text) => {
        // it ignores a header of one character
        fc.pre(text !== '=')
        assert.deepEqual({ ...parseCookies(text) }, { ...parseCookie(text) })
      }),
      { numRuns: 100 },
    )
  })

  it('have no names that objects have', () => {
    const cookies = parseCookies('a=1; __proto__=2; constructor=3; a=4')
    assert.equal(Object.getPrototypeOf(cookies), null)
    assert.deepEqual(Object.entries(cookies), [
      ['a', '1'],
      ['__proto__', '2'],
      ['constructor', '3'],
    ])
    assert.deepEqual(Object.keys(parseCookies(undefined)), [])
  })
})
