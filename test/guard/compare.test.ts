import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareFigures, mergeFigures, risenFiles } from '../../bench/guard/compare.ts'
import type { Figures } from '../../bench/guard/compare.ts'

const figures = (changes: Partial<Figures> = {}): Figures => ({
  interpreted: 4000,
  optimised: 2000,
  tokens: 5000,
  files: { 'src/server/dispatch.ts': 3000, 'src/server/pipeline/respond.ts': 2000 },
  ...changes,
})

describe('comparing figures with the baseline', () => {
  const cases: readonly [string, Partial<Figures>, Partial<Figures>, readonly string[], readonly string[]][] =
    [
      ['the same figures are the same', {}, {}, [], []],
      ['a rise by the tolerance passes', {}, { interpreted: 4200 }, [], []],
      ['a rise above the tolerance is worse', {}, { interpreted: 4201 }, ['interpreted'], []],
      ['each figure counts by itself', {}, { interpreted: 3000, tokens: 6000 }, ['tokens'], ['interpreted']],
      ['a fall by the tolerance is not worth a word', {}, { optimised: 1900 }, [], []],
      ['a fall below the tolerance is better', {}, { optimised: 1899 }, [], ['optimised']],
      ['anything is worse than nothing', { optimised: 0 }, { optimised: 1 }, ['optimised'], []],
      [
        'instructions are compared when both have them',
        { instructions: 100 },
        { instructions: 106 },
        ['instructions'],
        [],
      ],
      ['instructions that were not counted are not compared', { instructions: 100 }, {}, [], []],
      ['nor are those without a baseline', {}, { instructions: 100 }, [], []],
    ]

  for (const [title, before, after, worse, better] of cases) {
    it(title, () => {
      const compared = compareFigures({ static: figures(before) }, { static: figures(after) })
      assert.deepEqual(
        {
          worse: compared.worse.map(({ metric }) => metric),
          better: compared.better.map(({ metric }) => metric),
          unmatched: compared.unmatched,
        },
        { worse, better, unmatched: [] },
      )
    })
  }

  it('a change says what rose from what to what', () => {
    const { worse } = compareFigures({ static: figures() }, { static: figures({ tokens: 5500 }) })
    assert.deepEqual(worse, [{ scenario: 'static', metric: 'tokens', before: 5000, after: 5500 }])
  })

  it('scenarios that only one side has are named', () => {
    const { unmatched } = compareFigures({ old: figures() }, { fresh: figures() })
    assert.deepEqual(unmatched, ['old', 'fresh'])
  })
})

describe('measuring again', () => {
  it('the lower figures count, and the scenarios that were not measured again stay', () => {
    const first = { static: figures({ optimised: 2200 }), other: figures() }
    const second = { static: figures({ interpreted: 4100 }) }
    assert.deepEqual(mergeFigures(first, second, Math.min), { static: figures(), other: figures() })
  })
})

describe('the files whose work rose', () => {
  it('have those that are new among them, the most first', () => {
    const after = figures({
      files: {
        'src/server/dispatch.ts': 2000,
        'src/server/pipeline/respond.ts': 2100,
        'src/server/new.ts': 800,
      },
    })
    assert.deepEqual(risenFiles(figures(), after), [
      ['src/server/new.ts', 800],
      ['src/server/pipeline/respond.ts', 100],
    ])
  })
})
