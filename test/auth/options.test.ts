import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { DefinitionError } from 'octavo'
import { anyOf, apiKey, basicAuth, bearerAuth } from 'octavo/auth'
import { placeless } from '../support/places.ts'

const verify = (): true => true
const untyped = { bearerAuth, basicAuth, apiKey, anyOf } as unknown as Readonly<
  Record<string, (...args: readonly unknown[]) => unknown>
>

/** The problems of a call, each as `code: message; fix`. */
function problemsOf(name: string, args: readonly unknown[]): readonly string[] {
  try {
    untyped[name]?.(...args)
    return []
  } catch (error) {
    assert.ok(error instanceof DefinitionError)
    return placeless(error.errors).map(({ code, where, message, fix }) => {
      assert.equal(where, name)
      return `${code}: ${message}; ${fix}`
    })
  }
}

const NAME = 'a name of letters, digits, ".", "-" and "_"'
const TOKEN = 'a name of letters, digits and "-"'
const REALM = 'a string of printable ASCII characters'

describe('wrong options', () => {
  const cases: readonly (readonly [
    name: string,
    args: readonly unknown[],
    ...problems: readonly string[],
  ])[] = [
    ['bearerAuth', [], 'invalid_option: verify is missing; give a function'],
    ['bearerAuth', [null], 'invalid_option: verify is missing; give a function'],
    ['bearerAuth', [verify], 'invalid_option: verify is missing; give a function'],
    ['bearerAuth', [{ verify: undefined }], 'invalid_option: verify is missing; give a function'],
    ['bearerAuth', [{ verify: 'x' }], 'invalid_option: verify is a string of 1 character; give a function'],
    [
      'bearerAuth',
      [{ verify, relam: 'x' }],
      'unknown_option: there is no option "relam"; did you mean "realm"?',
    ],
    [
      'bearerAuth',
      [{ verify, constructor: 1 }],
      'unknown_option: there is no option "constructor"; use one of verify, inject, schemeName, realm, description, scheme, bearerFormat',
    ],
    [
      'bearerAuth',
      [{ verify, schemeName: 'my scheme' }],
      `invalid_option: schemeName is "my scheme"; give ${NAME}`,
    ],
    ['bearerAuth', [{ verify, realm: '' }], `invalid_option: realm is an empty string; give ${REALM}`],
    [
      'bearerAuth',
      [{ verify, realm: 'a\r\nb' }],
      `invalid_option: realm is a string of 4 characters; give ${REALM}`,
    ],
    ['bearerAuth', [{ verify, scheme: 'my scheme' }], `invalid_option: scheme is "my scheme"; give ${TOKEN}`],
    [
      'bearerAuth',
      [{ verify, name: 'session' }],
      'unknown_option: there is no option "name"; did you mean "schemeName"?',
    ],
    [
      'bearerAuth',
      [{ verify, optional: true }],
      'unknown_option: "optional" is no option: the optional form of a guard is optional(guard); use one of verify, inject, schemeName, realm, description, scheme, bearerFormat',
    ],
    [
      'apiKey',
      [{ in: 'header', name: 'x', verify, inject: ['users'] }],
      'invalid_option: inject is a list of 1; give an object of tokens',
    ],
    [
      'basicAuth',
      [{ verify, realm: 'ä' }],
      `invalid_option: realm is a string of 1 character; give ${REALM}`,
    ],
    [
      'basicAuth',
      [{ realm: 7, verfy: verify }],
      'invalid_option: verify is missing; give a function',
      `invalid_option: realm is 7; give ${REALM}`,
      'unknown_option: there is no option "verfy"; did you mean "verify"?',
    ],
    [
      'apiKey',
      [{}],
      "invalid_option: in is missing; give 'header', 'query' or 'cookie'",
      'invalid_option: name is missing; give a string with at least one character',
      'invalid_option: verify is missing; give a function',
    ],
    [
      'apiKey',
      [{ in: 'headers', name: 'x', verify }],
      `invalid_option: in is "headers"; give 'header', 'query' or 'cookie'`,
    ],
    [
      'apiKey',
      [{ in: 'constructor', name: 'x', verify }],
      `invalid_option: in is "constructor"; give 'header', 'query' or 'cookie'`,
    ],
    [
      'apiKey',
      [{ in: 'header', name: '', verify }],
      `invalid_option: name is an empty string; give ${TOKEN}`,
    ],
    ['apiKey', [{ in: 'header', name: 'x key', verify }], `invalid_option: name is "x key"; give ${TOKEN}`],
    ['apiKey', [{ in: 'header', name: 'x:', verify }], `invalid_option: name is "x:"; give ${TOKEN}`],
    [
      'apiKey',
      [{ in: 'cookie', name: 'a=b' }],
      'invalid_option: verify is missing; give a function',
      `invalid_option: name is "a=b"; give ${TOKEN}`,
    ],
    [
      'apiKey',
      [{ in: 'query', name: 'a b', verify }],
      'invalid_option: name is "a b"; give a name of printable ASCII characters without blanks',
    ],
    [
      'anyOf',
      [],
      'invalid_option: there is no guard; give guards made by bearerAuth, basicAuth, apiKey or defineGuard',
    ],
    [
      'anyOf',
      [bearerAuth({ verify }), () => true],
      'invalid_option: argument 2 is a function without a name; give guards made by bearerAuth, basicAuth, apiKey or defineGuard',
    ],
  ]
  for (const [name, args, ...problems] of cases) {
    it(`${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`, () =>
      assert.deepEqual(problemsOf(name, args), problems))
  }
})
