import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'

import { mistakes, warnings } from './boot-support.ts'
import { ask, ok, serve } from './support.ts'
import type { Row } from './support.ts'

const { QUERY } = VersioningSchemes

const x = (version: Row[2], path: Row[1] = '/x', method: Row[0] = 'GET'): Row => [method, path, version, 'x']
const label = (index: number): string => `api.r${index}: GET /x`
const versions = ['4', '3', '2', '1']
const splits = (inside: string, above: string): string =>
  `${inside} inside this range, and the range answers ${above} above`
const ending = (end: string, left: string, spec: string): string =>
  `end the range with <${end}, or leave the ${left} out if it is to go on: [${spec}]`

describe('a range that goes on above a version of another route is a mistake', () => {
  const cases: readonly (readonly [
    title: string,
    rows: readonly Row[],
    ...expected: readonly (readonly [where: string, message: string, fix: string])[],
  ])[] = [
    [
      'a version inside a range',
      [x('>=1'), x('2')],
      [
        label(0),
        splits(`${label(1)} answers version 2`, 'versions 3, 4'),
        ending('2', 'version', "'>=1 <2', '>2'"),
      ],
    ],
    [
      'whatever the order of declaration',
      [x('2'), x('>=1')],
      [
        label(1),
        splits(`${label(0)} answers version 2`, 'versions 3, 4'),
        ending('2', 'version', "'>=1 <2', '>2'"),
      ],
    ],
    [
      'two versions of one route inside a range that has an end',
      [x('<=4 >=1'), x(['2', '3'])],
      [
        label(0),
        splits(`${label(1)} answers versions 2, 3`, 'version 4'),
        ending('2', 'versions', "'>=1 <2', '>3'"),
      ],
    ],
    [
      'a range that ends below the newest version',
      [x('<=3'), x('2')],
      [
        label(0),
        splits(`${label(1)} answers version 2`, 'version 3'),
        ending('2', 'version', "'>=1 <2', '>2 <=3'"),
      ],
    ],
    [
      'two routes inside a range',
      [x('>=1'), x('2'), x('3')],
      [
        label(0),
        splits(`${label(1)}, ${label(2)} answer versions 2, 3`, 'version 4'),
        ending('2', 'versions', "'>=1 <2', '>3'"),
      ],
    ],
    ['not at the top of the range', [x('>=1'), x('4')]],
    ['not at the bottom of the range, where no older version has it', [x('>=1'), x('1')]],
    ['not outside the range', [x('>=2'), x('1')]],
    ['not where the range ends below', [x('<3'), x('3'), x('4')]],
    ['not when another range answers above', [x('>=1'), x('2'), x('>=3')]],
    ['not for another range, which says itself where it ends', [x('>=1'), x('>=2 <3')]],
    ['not for another path', [x('>=1'), x('2', '/y'), x('>=3', '/y')]],
    ['not for another method', [x('>=1'), x('2', '/x', 'POST'), x('>=3', '/x', 'POST')]],
    ['not when the range leaves the version out', [x(['>=1 <2', '>2']), x('2')]],
    ['not when the versions are listed', [x(['1', '3', '4']), x('2')]],
  ]
  for (const [title, rows, ...expected] of cases) {
    it(title, async () => {
      const found = await mistakes(serve(rows, QUERY, { versions }))
      assert.deepEqual(
        found,
        expected.map(([where, message, fix]) => ({ code: 'range_split', where, message, fix })),
      )
    })
  }

  it('is reported once for a route of several methods', async () => {
    const app = serve([x('>=1'), x('>=1', '/x', 'POST'), x('2'), x('2', '/x', 'POST')], QUERY, { versions })
    assert.deepEqual(
      (await mistakes(app)).map(({ where }) => where),
      [label(0), 'api.r1: POST /x'],
    )
  })

  it('as the fix says, the range goes on in two parts', async () => {
    const rows: readonly Row[] = [
      ['GET', '/x', ['>=1 <2', '>2'], 'range'],
      ['GET', '/x', '2', 'two'],
    ]
    const app = serve(rows, QUERY, { versions })
    assert.deepEqual(
      await Promise.all(versions.map((version) => ask(app, `/x?version=${version}`))),
      ['range@4', 'range@3', 'two@2', 'range@1'].map(ok),
    )
    assert.deepEqual(await warnings(rows, QUERY, { versions }), [])
  })
})
