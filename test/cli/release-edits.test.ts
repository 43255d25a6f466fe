import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applyEdits, toReleaseSteps } from '../inside/tools.ts'
import type { ReleasedPlace } from '../inside/tools.ts'

type Kind = ReleasedPlace['kind']

/** The text of a source whose places are released as version 4, or the lines to write by hand. */
function released(source: string, kind: Kind, lines: readonly number[], trial?: string): string {
  const places = lines.map((line) => ({ kind, line }))
  const steps = toReleaseSteps(source, places, { version: '4', trial })
  const byHand = steps.filter(({ edit }) => edit === undefined)
  if (byHand.length > 0) return byHand.map(({ line, code }) => `${line}: ${code}`).join('\n')
  return applyEdits(
    source,
    steps.flatMap(({ edit }) => edit ?? []),
  )
}

const CHANGES: readonly (readonly [title: string, before: string, after: string])[] = [
  [
    'one line',
    `const a = change({ version: 'next', title: 'A' })`,
    `const a = change({ version: '4', title: 'A' })`,
  ],
  ['double quotes', `change({ title: "A", version: "next" })`, `change({ title: "A", version: "4" })`],
  ['as const', `change({ version: 'next' as const })`, `change({ version: '4' as const })`],
  [
    'several lines, between others',
    `a({\n  version: 'next',\n})\n\nexport const b = change({\n  title: 'B',\n\n  version: 'next',\n})\nc({ version: 'next' })`,
    `a({\n  version: 'next',\n})\n\nexport const b = change({\n  title: 'B',\n\n  version: '4',\n})\nc({ version: 'next' })`,
  ],
  [
    'an indented definition',
    `const all = [\n  change({\n    version: 'next',\n  }),\n  other({ version: 'next' }),\n]`,
    `const all = [\n  change({\n    version: '4',\n  }),\n  other({ version: 'next' }),\n]`,
  ],
]

const HISTORIES: readonly (readonly [title: string, before: string, after: string, trial?: string])[] = [
  ['one line', `define({ versions: ['3', '2'] })`, `define({ versions: ['4', '3', '2'] })`],
  [
    'several lines, with their indentation and quotes',
    `define({\n  versions: [\n    // newest first\n    "3", // of May\n    "2",\n  ],\n})`,
    `define({\n  versions: [\n    // newest first\n    "4",\n    "3", // of May\n    "2",\n  ],\n})`,
  ],
  ['Windows', `define({ versions: [\r\n\t'3',\r\n] })`, `define({ versions: [\r\n\t'4',\r\n\t'3',\r\n] })`],
  [
    'the version that was on trial',
    `define({\n  versions: ['3'],\n  next: '4',\n  changes,\n})`,
    `define({\n  versions: ['4', '3'],\n  changes,\n})`,
    '4',
  ],
]

const ROUTES: readonly (readonly [
  title: string,
  before: string,
  after: string,
  lines?: readonly number[],
])[] = [
  ['a route', `defineRoute({ version: 'next' })`, `defineRoute({ version: '4' })`],
  ['a list of versions', `defineModule({ version: ['next', '9'] })`, `defineModule({ version: ['4', '9'] })`],
  [
    'two routes of a controller',
    `defineController({\n  routes: [\n    { path: '/a', version: "next" }, b,\n    { version: 'next' }] })`,
    `defineController({\n  routes: [\n    { path: '/a', version: "4" }, b,\n    { version: '4' }] })`,
    [1, 1],
  ],
  [
    'a controller with two routes',
    `defineController({\n  version: 'next',\n  routes: [{ path: '/a' }, { path: '/b' }] })`,
    `defineController({\n  version: '4',\n  routes: [{ path: '/a' }, { path: '/b' }] })`,
    [1, 1],
  ],
]

/** Code that doesn't tell surely what to edit. */
const BY_HAND: readonly (readonly [
  title: string,
  source: string,
  kind: Kind,
  byHand: string,
  trial?: string,
])[] = [
  ['a constant', `change({ version: NEXT })`, 'change', `1: version: '4'`],
  ['a template', 'change({ version: `next` })', 'change', `1: version: '4'`],
  [
    'the same words twice',
    `\nchange({\n  version: 'next', // no longer version: 'next' soon\n})`,
    'change',
    `2: version: '4'`,
  ],
  [
    'a handler with the same words',
    `defineRoute({ version: 'next', handler: () => ({ version: 'next' }) })`,
    'route',
    `1: version: '4'`,
  ],
  ['a list elsewhere', `define({ versions: VERSIONS })`, 'history', `1: versions: ['4', …]`],
  [
    'a name of the trial',
    `define({\n  versions: ['3'],\n  next: NEXT,\n})`,
    'history',
    `1: remove next: '4'`,
    '4',
  ],
]

describe('the edits of octavo release', () => {
  for (const [title, before, after, lines = [1]] of ROUTES)
    it(`of routes: ${title}`, () => assert.equal(released(before, 'route', lines), after))

  for (const [title, before, after] of CHANGES)
    it(`of changes: ${title}`, () => {
      const line = before.slice(0, before.indexOf('change(')).split('\n').length
      assert.equal(released(before, 'change', [line]), after)
    })

  for (const [title, before, after, trial] of HISTORIES)
    it(`of histories: ${title}`, () => assert.equal(released(before, 'history', [1], trial), after))

  for (const [title, source, kind, byHand, trial] of BY_HAND)
    it(`are written by hand: ${title}`, () => {
      const line = source.startsWith('\n') ? 2 : 1
      assert.equal(released(source, kind, [line], trial), byHand)
    })

  it('name the lines of their literals', () => {
    const source = `define({\n  versions: [\n    '3',\n  ],\n  next: '4',\n})\nchange({\n  version: 'next',\n})\n`
    const places = [
      { kind: 'history', line: 1 },
      { kind: 'change', line: 7 },
    ] as const
    assert.deepEqual(
      toReleaseSteps(source, places, { version: '4', trial: '4' }).map(({ line, code }) => `${line} ${code}`),
      [`2 versions: ['4', …]`, `5 remove next: '4'`, `8 version: '4'`],
    )
  })
})
