import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import {
  createApp,
  defineController,
  defineModule,
  defineRouter,
  DefinitionError,
  VersioningSchemes,
} from 'octavo'
import type { DefinitionProblem } from 'octavo'

import { mistakes } from './boot-support.ts'
import { serve } from './support.ts'
import { placeless } from '../support/places.ts'

const MOMENT =
  "an ISO 8601 date ('2026-12-31'), a date and time with its zone ('2026-12-31T23:59:59Z') or a Date"
const EXPECTED = {
  deprecated: `true, false or ${MOMENT}`,
  sunset: `false or ${MOMENT}`,
  links:
    '{ deprecation, sunset }, each a URL or { href, type, title } in printable ASCII, URLs without spaces, < and >',
  retired: "'serve', 'gone' or 'forward'",
  brownouts: `a list of { from, to }, each ${MOMENT}, \`from\` before \`to\``,
} as const
const POLICY = 'an object with deprecated, sunset, links, retired, brownouts'

const wrong = (where: string, field: string, expected: string, value: unknown): DefinitionProblem => ({
  code: 'invalid_field',
  where,
  message: `${field} is ${found(value)}`,
  fix: `give ${expected}`,
})
/** How messages show the values of these tests. */
function found(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`
  if (typeof value !== 'object' || value === null) return String(value)
  if (value instanceof Date) return 'an instance of Date'
  return Array.isArray(value)
    ? `a list of ${value.length}`
    : `an object with ${Object.keys(value).join(', ')}`
}
const unknown = (where: string, field: string, name: string, fix: string): DefinitionProblem => ({
  code: 'unknown_field',
  where,
  message: `${field} has no field "${name}"`,
  fix,
})

/** The mistakes of an application with these policies, which the types refuse. */
function mistakesOf(given: {
  readonly route?: unknown
  readonly controller?: unknown
  readonly router?: unknown
  readonly module?: unknown
}): readonly DefinitionProblem[] {
  const policy = (level: keyof typeof given): object => (level in given ? { policy: given[level] } : {})
  const routes = [{ method: 'GET', name: 'r', handler: () => 1, ...policy('route') }] as const
  const options = { prefix: '/x', routes }
  const module = {
    name: 'AppModule',
    controllers: [defineController({ name: 'Cars', ...options, ...policy('controller') } as never)],
    routers: [defineRouter({ name: 'Vans', prefix: '/y', ...policy('router') } as never)],
    ...policy('module'),
  }
  try {
    createApp(defineModule(module as never), { logger: false })
    return []
  } catch (error) {
    if (error instanceof DefinitionError) return placeless(error.errors)
    throw error
  }
}

describe('the fields of a policy', () => {
  const where = 'cars.r: GET /x'
  const bad: readonly (readonly [title: string, field: keyof typeof EXPECTED, value: unknown])[] = [
    ['a day that does not exist', 'sunset', '2026-02-30'],
    ['a month that does not exist', 'sunset', '2026-13-01'],
    ['the 29th of February of a short year', 'deprecated', '2025-02-29'],
    ['a day that does not exist, with a time', 'sunset', '2026-02-30T10:00:00Z'],
    ['a time without zone', 'sunset', '2026-12-31T23:59:59'],
    ['an hour that does not exist', 'sunset', '2026-12-31T25:00:00Z'],
    ['a date as people write it', 'deprecated', 'Dec 31, 2026'],
    ['a year', 'deprecated', '2026'],
    ['an HTTP date', 'sunset', 'Thu, 31 Dec 2026 23:59:59 GMT'],
    ['an empty text', 'sunset', ''],
    ['seconds', 'deprecated', 1_688_169_599],
    ['a Date that is none', 'sunset', new Date('x')],
    ['null', 'deprecated', null],
    ['true for a sunset', 'sunset', true],
    ['a word for what happens', 'retired', 'stop'],
    ['true for what happens', 'retired', true],
    ['links that are a text', 'links', '/docs'],
    ['links in a list', 'links', ['/docs']],
    ['a link for something else', 'links', { successor: '/v2' }],
    ['a link that ends its brackets', 'links', { sunset: '/a>; rel="next' }],
    ['a link that opens brackets', 'links', { sunset: '/<a' }],
    ['a link with a space', 'links', { deprecation: '/a b' }],
    ['a link with a line end', 'links', { deprecation: '/a\r\nset-cookie:x=1' }],
    ['a link outside ASCII', 'links', { deprecation: '/\u00e4' }],
    ['an empty link', 'links', { deprecation: '' }],
    ['a link that is null', 'links', { deprecation: null }],
    ['a link without href', 'links', { deprecation: { title: 'x' } }],
    ['a link with a field that does not exist', 'links', { deprecation: { href: '/a', rel: 'next' } }],
    ['a type that is none', 'links', { sunset: { href: '/a', type: 'html' } }],
    ['a type that ends its quotes', 'links', { sunset: { href: '/a', type: 'a/b"; x="' } }],
    ['a title with a line end', 'links', { sunset: { href: '/a', title: 'a\nb' } }],
    ['a title outside ASCII', 'links', { sunset: { href: '/a', title: 'B\u00fccher' } }],
    ['a title that is no text', 'links', { sunset: { href: '/a', title: 1 } }],
    ['one brownout without a list', 'brownouts', { from: '2026-06-01', to: '2026-06-02' }],
    ['a brownout without end', 'brownouts', [{ from: '2026-06-01' }]],
    ['a brownout that ends before it begins', 'brownouts', [{ from: '2026-06-02', to: '2026-06-01' }]],
    ['a brownout of no time', 'brownouts', [{ from: '2026-06-01', to: '2026-06-01' }]],
    [
      'a brownout with a field that does not exist',
      'brownouts',
      [{ from: '2026-06-01', to: '2026-06-02', x: 1 }],
    ],
    ['a brownout that is a day', 'brownouts', ['2026-06-01']],
  ]
  for (const [title, field, value] of bad) {
    it(`${field}: ${title}`, () => {
      assert.deepEqual(mistakesOf({ route: { [field]: value } }), [
        wrong(where, `policy.${field}`, EXPECTED[field], value),
      ])
    })
  }

  const good: readonly object[] = [
    {},
    { deprecated: true },
    { deprecated: false, sunset: false },
    { deprecated: undefined, sunset: undefined, links: undefined, retired: undefined, versions: undefined },
    { deprecated: '2024-02-29', sunset: '2026-12-31T23:59:59Z', retired: 'gone' },
    { deprecated: '2026-01-01T10:00+02:00', sunset: new Date('2026-12-31'), retired: 'serve' },
    { deprecated: '2026-01-01T10:00:00.123-05:30' },
    { links: { deprecation: 'https://example.com/a?b=c#d', sunset: undefined } },
    { links: { sunset: { href: '../docs', type: 'text/markdown', title: 'say "when" \\o/' } } },
    { versions: { '1': { deprecated: true }, '2': {} } },
  ]
  for (const [index, policy] of good.entries()) {
    it(`a policy that is right (${index})`, () => assert.deepEqual(mistakesOf({ route: policy }), []))
  }

  it('every wrong field is reported, beside those that do not exist', () => {
    assert.deepEqual(mistakesOf({ route: { sunsett: '2026-01-01', deprecated: 'soon', retired: 'gone!' } }), [
      unknown(where, 'policy', 'sunsett', 'did you mean "sunset"?'),
      wrong(where, 'policy.deprecated', EXPECTED.deprecated, 'soon'),
      wrong(where, 'policy.retired', EXPECTED.retired, 'gone!'),
    ])
  })
  it('names that every object has do not exist either', () => {
    assert.deepEqual(mistakesOf({ route: { constructor: true } }), [
      unknown(
        where,
        'policy',
        'constructor',
        'use one of deprecated, sunset, links, retired, brownouts, versions',
      ),
    ])
  })
  it('the policies of versions hold none of their own', () => {
    assert.deepEqual(
      mistakesOf({ route: { versions: { '1': { versions: {} }, '2': { sunset: 'x' }, '3': null } } }),
      [
        unknown(
          where,
          'policy.versions["1"]',
          'versions',
          'use one of deprecated, sunset, links, retired, brownouts',
        ),
        wrong(where, 'policy.versions["2"].sunset', EXPECTED.sunset, 'x'),
        wrong(where, 'policy.versions["3"]', POLICY, null),
      ],
    )
  })
  it('a list is no record of versions', () => {
    assert.deepEqual(mistakesOf({ route: { versions: ['1'] } }), [
      wrong(where, 'policy.versions', 'a policy for each version', ['1']),
    ])
  })
})

describe('a policy: where it stands', () => {
  const places: readonly (readonly [level: 'route' | 'controller' | 'router' | 'module', where: string])[] = [
    ['route', 'cars.r: GET /x'],
    ['controller', 'controller Cars'],
    ['router', 'router Vans'],
    ['module', 'AppModule'],
  ]
  for (const [level, where] of places) {
    it(`of a ${level}`, () => {
      assert.deepEqual(mistakesOf({ [level]: { sunset: '2026-02-30' } }), [
        wrong(where, 'policy.sunset', EXPECTED.sunset, '2026-02-30'),
      ])
    })
    for (const value of [null, 'gone', ['1'], true, new Date(0)]) {
      it(`of a ${level}: not ${String(value)}`, () => {
        assert.deepEqual(mistakesOf({ [level]: value }), [
          wrong(where, 'policy', `${POLICY}, versions`, value),
        ])
      })
    }
  }

  const enabled = (versions: unknown): Promise<readonly DefinitionProblem[]> =>
    mistakes(
      serve([['GET', '/x', '1', 'x']], VersioningSchemes.QUERY, { versions: versions as readonly string[] }),
    )
  const options = 'enableVersioning'
  it('in the list of enableVersioning', async () => {
    assert.deepEqual(await enabled([{ version: '1', sunset: '2026-02-30', gone: true }]), [
      wrong(options, 'versions["1"].sunset', EXPECTED.sunset, '2026-02-30'),
      unknown(options, 'versions["1"]', 'gone', 'use one of deprecated, sunset, links, retired, brownouts'),
    ])
  })
  it('in the record of enableVersioning', async () => {
    assert.deepEqual(await enabled({ '1': { links: { sunset: '>' } }, '2': 'gone', '3': { versions: {} } }), [
      wrong(options, 'versions["1"].links', EXPECTED.links, { sunset: '>' }),
      wrong(options, 'versions["2"]', POLICY, 'gone'),
      unknown(
        options,
        'versions["3"]',
        'versions',
        'use one of deprecated, sunset, links, retired, brownouts',
      ),
    ])
  })
  it('versions and values in messages are cut', async () => {
    assert.deepEqual(await enabled({ ['1'.repeat(99)]: 1 }), [
      wrong(options, `versions["${'1'.repeat(64)}"]`, POLICY, 1),
    ])
    assert.deepEqual(await enabled({ '1': { sunset: 'x'.repeat(99) } }), [
      wrong(options, 'versions["1"].sunset', EXPECTED.sunset, 'x'.repeat(64)),
    ])
  })
})
