import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'
import type { VersionFormat, VersionSpec } from 'octavo'

import { ambiguous, ask, invalid, ok, serve, unsupported } from './support.ts'
import type { Row } from './support.ts'

const { QUERY } = VersioningSchemes

/** The versions of the list that a specification answers for. */
async function covered(
  spec: VersionSpec,
  versions: readonly string[],
  format: VersionFormat = 'string',
): Promise<readonly string[]> {
  const app = serve([['GET', '/x', spec, 'x']], QUERY, { versions, format })
  const statuses = await Promise.all(
    versions.map(async (version) => (await ask(app, `/x?version=${encodeURIComponent(version)}`)).status),
  )
  return versions.filter((_, index) => statuses[index] === 200)
}

describe('a range covers the known versions between its bounds', () => {
  const numbers = ['1', '2', '3', '10']
  const dotted = ['1.0', '1.2', '1.5', '1.10', '2.0']
  const dates = ['2025-06-01', '2026-01-01', '2026-02-01']
  const names = ['galway', 'florence', 'eugene', 'dublin']
  const cases: readonly (readonly [
    title: string,
    spec: VersionSpec,
    versions: readonly string[],
    format: VersionFormat,
    expected: readonly string[],
  ])[] = [
    ['>= is at least', '>=2', numbers, 'string', ['2', '3', '10']],
    ['> is more than', '>2', numbers, 'string', ['3', '10']],
    ['<= is at most', '<=2', numbers, 'string', ['1', '2']],
    ['< is less than', '<2', numbers, 'string', ['1']],
    ['= is equal', '=2', numbers, 'string', ['2']],
    ['several comparators all hold', '>=2 <10', numbers, 'string', ['2', '3']],
    ['space after a comparator does not matter', '>= 2  <  10', numbers, 'string', ['2', '3']],
    ['space around a range does not matter', '  >=3 ', numbers, 'string', ['3', '10']],
    ['a range may stand in a list', ['1', '>=3'], numbers, 'string', ['1', '3', '10']],
    ['several ranges may stand in a list', ['<2', '>3'], numbers, 'string', ['1', '10']],
    ['a bound that is no version', '>=2.5', numbers, 'string', ['3', '10']],
    ['a bound above all', '<99', numbers, 'string', numbers],
    ['by value, not by text: 10 is after 9', '>=9', ['9', '10'], 'string', ['9', '10']],
    ['by value, whatever the order of the list', '>=2', ['2', '10', '1', '3'], 'string', ['2', '10', '3']],
    ['by value, though the list is newest first', '>=2', numbers.toReversed(), 'string', ['10', '3', '2']],
    ['dotted numbers', '>=1.5', dotted, 'string', ['1.5', '1.10', '2.0']],
    ['dates', '>=2026-01-01', dates, 'string', ['2026-01-01', '2026-02-01']],
    ['names: the list is newest first', '>=eugene', names, 'string', ['galway', 'florence', 'eugene']],
    ['names: older', '<eugene', names, 'string', ['dublin']],
    ['integer', '>=2', numbers, 'integer', ['2', '3', '10']],
    ['semver', '>=1.2 <2', dotted, 'semver', ['1.2', '1.5', '1.10']],
    ['semver: bounds with other spellings', '>=1.2.0 <=2', dotted, 'semver', ['1.2', '1.5', '1.10', '2.0']],
    ['date', '<2026-01-15', dates, 'date', ['2025-06-01', '2026-01-01']],
    ['a status comes before none', '<2.0', ['1.0', '2.0-beta', '2.0'], 'semver', ['1.0', '2.0-beta']],
    [
      'statuses have an order',
      '>2.0-rc.2',
      ['2.0-beta', '2.0-rc.2', '2.0-rc.10', '2.0'],
      'semver',
      ['2.0-rc.10', '2.0'],
    ],
    ['a status of digits comes before none', '>=2.0', ['2.0-1', '2.0', '2.1'], 'semver', ['2.0', '2.1']],
    ['a status of an integer', '<2', ['1', '2-preview', '2'], 'integer', ['1', '2-preview']],
    [
      'a status of a date',
      '<2026-01-01',
      ['2025-06-01', '2026-01-01-preview', '2026-01-01'],
      'date',
      ['2025-06-01', '2026-01-01-preview'],
    ],
  ]
  for (const [title, spec, versions, format, expected] of cases) {
    it(`${title}: ${String(spec)} of ${versions.join()}`, async () => {
      assert.deepEqual(await covered(spec, versions, format), expected)
    })
  }

  it('ranges are ordered by what they cover, not by their text', async () => {
    const app = serve(
      [
        ['GET', '/x', '>=0', 'all'],
        ['GET', '/x', '>=1.5 <99', 'two'],
      ],
      QUERY,
      { versions: ['2', '1'] },
    )
    assert.deepEqual(
      [await ask(app, '/x?version=1'), await ask(app, '/x?version=2')],
      [ok('all@1'), ok('two@2')],
    )
  })

  it('versions that are listed are known, though no route names them', async () => {
    const app = serve([['GET', '/x', '>=2', 'x']], QUERY, { versions: ['3', '2', '1'] })
    assert.deepEqual(await ask(app, '/x?version=1'), unsupported(404, '1', ['2', '3']))
  })
})

describe('a format decides which versions are well formed, and equal', () => {
  const cases: readonly (readonly [
    title: string,
    format: VersionFormat,
    declared: readonly string[],
    asked: string,
    expected: ReturnType<typeof ok>,
  ])[] = [
    ['string: equality of text', 'string', ['1', '1.0', '01'], '1.0', ok('x@1.0')],
    ['string: no other equality', 'string', ['1'], '1.0', unsupported(404, '1.0', ['1'])],
    ['string: case counts', 'string', ['b'], 'B', unsupported(404, 'B', ['b'])],
    ['string: nothing is malformed', 'string', ['1'], '?/#', unsupported(404, '?/#', ['1'])],
    ['integer: zeros in front', 'integer', ['1'], '001', ok('x@1')],
    ['integer: dots', 'integer', ['1'], '1.0', invalid(400, '1.0', ['1'])],
    ['integer: signs', 'integer', ['1'], '-1', invalid(400, '-1', ['1'])],
    ['integer: exponents', 'integer', ['1'], '1e0', invalid(400, '1e0', ['1'])],
    ['integer: other digits', 'integer', ['1'], '\u0661', invalid(400, '\u0661', ['1'])],
    ['integer: a status', 'integer', ['1', '1-beta'], '1-beta', ok('x@1-beta')],
    ['integer: 15 digits', 'integer', ['1'], '9'.repeat(15), unsupported(404, '9'.repeat(15), ['1'])],
    [
      'integer: too many digits to be exact',
      'integer',
      ['1'],
      '9'.repeat(16),
      invalid(400, '9'.repeat(16), ['1']),
    ],
    ['semver: missing parts are 0', 'semver', ['1'], '1.0.0', ok('x@1')],
    ['semver: the other way round', 'semver', ['1.0.0'], '1', ok('x@1.0.0')],
    ['semver: four parts', 'semver', ['1'], '1.0.0.0', invalid(400, '1.0.0.0', ['1'])],
    ['semver: an empty part', 'semver', ['1'], '1..0', invalid(400, '1..0', ['1'])],
    ['semver: a v', 'semver', ['1'], 'v1', invalid(400, 'v1', ['1'])],
    ['semver: a range', 'semver', ['1'], '>=1', invalid(400, '>=1', ['1'])],
    ['semver: a wildcard', 'semver', ['1'], '1.x', invalid(400, '1.x', ['1'])],
    ['semver: a status', 'semver', ['2.0-beta'], '2.0.0-beta', ok('x@2.0-beta')],
    ['semver: no status', 'semver', ['2.0-beta'], '2.0', unsupported(404, '2.0', ['2.0-beta'])],
    ['date', 'date', ['2026-01-01'], '2026-01-01', ok('x@2026-01-01')],
    ['date: unknown', 'date', ['2026-01-01'], '2026-01-02', unsupported(404, '2026-01-02', ['2026-01-01'])],
    [
      'date: not in the calendar',
      'date',
      ['2026-01-01'],
      '2026-02-30',
      invalid(400, '2026-02-30', ['2026-01-01']),
    ],
    [
      'date: a leap day',
      'date',
      ['2026-01-01'],
      '2024-02-29',
      unsupported(404, '2024-02-29', ['2026-01-01']),
    ],
    ['date: no leap day', 'date', ['2026-01-01'], '2023-02-29', invalid(400, '2023-02-29', ['2026-01-01'])],
    ['date: month 13', 'date', ['2026-01-01'], '2026-13-01', invalid(400, '2026-13-01', ['2026-01-01'])],
    ['date: without zeros', 'date', ['2026-01-01'], '2026-1-1', invalid(400, '2026-1-1', ['2026-01-01'])],
    ['date: a month', 'date', ['2026-01'], '2026-01', ok('x@2026-01')],
    [
      'date: a month is no day',
      'date',
      ['2026-01'],
      '2026-01-01',
      unsupported(404, '2026-01-01', ['2026-01']),
    ],
    ['date: a status of a month', 'date', ['2026-01-rc'], '2026-01-rc', ok('x@2026-01-rc')],
    ['date: month 13 without a day', 'date', ['2026-01'], '2026-13', invalid(400, '2026-13', ['2026-01'])],
    ['date: half a day', 'date', ['2026-01'], '2026-01-3', invalid(400, '2026-01-3', ['2026-01'])],
    ['date: a status', 'date', ['2026-01-01-preview'], '2026-01-01-preview', ok('x@2026-01-01-preview')],
    [
      '64 characters are read',
      'semver',
      ['1'],
      `1-${'a'.repeat(62)}`,
      unsupported(404, `1-${'a'.repeat(62)}`, ['1']),
    ],
    [
      '65 characters are malformed',
      'semver',
      ['1'],
      `1-${'a'.repeat(63)}`,
      invalid(400, `1-${'a'.repeat(62)}`, ['1']),
    ],
    [
      '65 characters of a string are unknown',
      'string',
      ['1'],
      'a'.repeat(65),
      unsupported(404, 'a'.repeat(64), ['1']),
    ],
    [
      '5,000 digits and dots are malformed',
      'semver',
      ['1'],
      '1.'.repeat(2500),
      invalid(400, '1.'.repeat(32), ['1']),
    ],
    ['__proto__', 'integer', ['1'], '__proto__', invalid(400, '__proto__', ['1'])],
  ]
  for (const [title, format, declared, asked, expected] of cases) {
    it(`${title}: ${asked.slice(0, 40)}`, async () => {
      const rows = declared.map((version): Row => ['GET', '/x', version, 'x'])
      const app = serve(rows, QUERY, { format })
      assert.deepEqual(await ask(app, `/x?version=${encodeURIComponent(asked)}`), expected)
    })
  }
})

describe('the supported versions of an error', () => {
  const cases: readonly (readonly [title: string, listed: readonly string[], expected: readonly string[]])[] =
    [
      ['oldest to newest, by value', [], ['1', '2', '10']],
      ['by value, whatever the list says', ['10', '1', '2'], ['1', '2', '10']],
      ['listed versions that are not served here do not count', ['10', '9', '2', '1'], ['1', '2', '10']],
    ]
  for (const [title, versions, expected] of cases) {
    it(title, async () => {
      const rows = ['10', '2', '1'].map((version): Row => ['GET', '/x', version, 'x'])
      assert.deepEqual(
        await ask(serve(rows, QUERY, { versions }), '/x?version=99'),
        unsupported(404, '99', expected),
      )
    })
  }
  it('names: the list is newest first, undeclared order goes last', async () => {
    const rows = ['dublin', 'eugene', 'galway', 'extra'].map((version): Row => ['GET', '/x', version, 'x'])
    const app = serve(rows, QUERY, { versions: ['galway', 'eugene', 'dublin'] })
    assert.deepEqual(
      await ask(app, '/x?version=9'),
      unsupported(404, '9', ['dublin', 'eugene', 'galway', 'extra']),
    )
  })
  it('every pattern that the path reaches counts, with the default of unversioned handlers', async () => {
    const app = serve(
      [
        ['GET', '/cars/{id}', '1', 'car'],
        ['POST', '/cars/new', '2', 'new'],
        ['PUT', '/cars/new', undefined, 'put'],
      ],
      QUERY,
      { versions: ['4', '3', '2', '1'], defaultVersion: '4' },
    )
    assert.deepEqual(await ask(app, '/cars/new?version=3'), unsupported(404, '3', ['1', '2', '4']))
  })
  it('an ambiguous request gets the list too', async () => {
    const app = serve([['GET', '/x', ['1', '2'], 'x']], QUERY)
    assert.deepEqual(
      await ask(app, '/x?version=1&version=2'),
      ambiguous({ in: 'query', name: 'version' }, ['1', '2'], ['1', '2']),
    )
  })
})

describe('many versions of one path', () => {
  it('100 versions of one path', async () => {
    const rows = Array.from({ length: 100 }, (_, index): Row => [
      'GET',
      '/cars/{id}',
      String(index),
      `n${index}`,
    ])
    const byQuery = serve(rows, QUERY)
    const byUrl = serve(rows, VersioningSchemes.URL)
    await Promise.all([byQuery.ready(), byUrl.ready()])
    assert.deepEqual(
      [
        await ask(byQuery, '/cars/7?version=0'),
        await ask(byQuery, '/cars/7?version=99'),
        await ask(byUrl, '/v50/cars/7'),
        (await ask(byUrl, '/v100/cars/7')).status,
      ],
      [ok('n0@0'), ok('n99@99'), ok('n50@50'), 404],
    )
  })
})
