import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { applyEdits, toDiff, toEdits } from '../inside/tools.ts'
import type { Wanted } from '../inside/tools.ts'

function released(source: string, wanted: Partial<Wanted>, version = '4'): string {
  return applyEdits(
    source,
    toEdits('a.ts', source, { changes: [], histories: [], routes: [], ...wanted }, version),
  )
}

const CHANGES: readonly (readonly [title: string, before: string, after: string])[] = [
  [
    'one line',
    `const a = change({ version: 'next', title: 'A' })`,
    `const a = change({ version: '4', title: 'A' })`,
  ],
  ['double quotes', `change({ title: "A", version: "next" })`, `change({ title: "A", version: "4" })`],
  ['a template', 'change({ version: `next` })', 'change({ version: `4` })'],
  ['as const', `change({ version: 'next' as const })`, `change({ version: '4' as const })`],
  ['a quoted key', `change({ 'version': 'next' })`, `change({ 'version': '4' })`],
  ['no comma behind it', `change({ title: 'A', version: 'next' })`, `change({ title: 'A', version: '4' })`],
  [
    'type arguments',
    `change<'next', Map<A, B>>({ version: 'next' })`,
    `change<'next', Map<A, B>>({ version: '4' })`,
  ],
  [
    'comments and texts with the same words',
    `change({ /* version: 'next' */ description: "version: 'next'", // don't\n  version: 'next' })`,
    `change({ /* version: 'next' */ description: "version: 'next'", // don't\n  version: '4' })`,
  ],
  [
    'a deeper property of the same name',
    `change({ reads: [{ version: 'next' }], up: (a) => ({ version: 'next' }), version: 'next' })`,
    `change({ reads: [{ version: 'next' }], up: (a) => ({ version: 'next' }), version: '4' })`,
  ],
  [
    'regular expressions and templates with brackets and quotes',
    "change({ up: (a) => a.split(/['\"`({/]/g), down: () => `}${[`{`, '}'].join(`)`)}{`, half: 1 / 2, version: 'next' })",
    "change({ up: (a) => a.split(/['\"`({/]/g), down: () => `}${[`{`, '}'].join(`)`)}{`, half: 1 / 2, version: '4' })",
  ],
  [
    'a shebang',
    `#!/usr/bin/env node 'it({'\nchange({ version: 'next' })`,
    `#!/usr/bin/env node 'it({'\nchange({ version: '4' })`,
  ],
]

const HISTORIES: readonly (readonly [title: string, before: string, after: string])[] = [
  ['one line', `define({ versions: ['3', '2'] })`, `define({ versions: ['4', '3', '2'] })`],
  [
    'several lines, with their indentation and quotes',
    `define({\n  versions: [\n    // newest first\n    "3", // of May\n    "2",\n  ],\n})`,
    `define({\n  versions: [\n    // newest first\n    "4",\n    "3", // of May\n    "2",\n  ],\n})`,
  ],
  ['Windows', `define({ versions: [\r\n\t'3',\r\n] })`, `define({ versions: [\r\n\t'4',\r\n\t'3',\r\n] })`],
  [
    'a constant of the file',
    `export const VERSIONS: readonly string[] = ['3', '2'] as const\ndefine({ versions: VERSIONS })`,
    `export const VERSIONS: readonly string[] = ['4', '3', '2'] as const\ndefine({ versions: VERSIONS })`,
  ],
  [
    'a shorthand',
    `const versions = ['3', '2'] as const\ndefine({ models: {}, versions })`,
    `const versions = ['4', '3', '2'] as const\ndefine({ models: {}, versions })`,
  ],
  [
    'the version that was on trial',
    `define({\n  versions: ['3'],\n  next: '4',\n  changes,\n})`,
    `define({\n  versions: ['4', '3'],\n  changes,\n})`,
  ],
  ['the same in one line', `define({ next: '4', versions: ['3'] })`, `define({ versions: ['4', '3'] })`],
]

const ROUTES: readonly (readonly [title: string, before: string, after: string])[] = [
  ['a route', `defineRoute({ version: 'next' })`, `defineRoute({ version: '4' })`],
  ['a list of versions', `defineModule({ version: ['next', '9'] })`, `defineModule({ version: ['4', '9'] })`],
  [
    'routes of a controller, without what their handlers do',
    `defineController({ routes: [{ path: '/a', version: "next", handler: () => ({ version: 'next' }) }, b, { version: 'next' }] })`,
    `defineController({ routes: [{ path: '/a', version: "4", handler: () => ({ version: 'next' }) }, b, { version: '4' }] })`,
  ],
]

describe('the edits of octavo release', () => {
  for (const [title, before, after] of ROUTES)
    it(`routes: ${title}`, () => assert.equal(released(before, { routes: [1] }), after))

  for (const [title, before, after] of CHANGES)
    it(`changes: ${title}`, () => {
      const line = before.slice(0, before.indexOf('change')).split('\n').length
      assert.equal(released(before, { changes: [line] }), after)
    })

  for (const [title, before, after] of HISTORIES)
    it(`histories: ${title}`, () => {
      const line = before.slice(0, before.lastIndexOf('define(')).split('\n').length
      assert.equal(released(before, { histories: [line] }), after)
    })

  it('leave changes on other lines alone', () => {
    const source = `a({ version: 'next' })\nb({ version: 'next' })\n`
    assert.equal(released(source, { changes: [2] }), `a({ version: 'next' })\nb({ version: '4' })\n`)
  })

  it('refuse what is no literal', () => {
    assert.throws(() => released(`defineRoute({ version: NEXT })`, { routes: [1] }), {
      message: 'no version found in the route at a.ts:1',
    })
    assert.throws(() => released(`change({ version: NEXT })`, { changes: [1] }), {
      message: 'no version found in the change at a.ts:1',
    })
    assert.throws(() => released(`define({ versions: list() })`, { histories: [1] }), {
      message: 'no list of versions found at a.ts:1',
    })
    assert.throws(
      () => released(`import { VERSIONS } from './b.ts'\ndefine({ versions: VERSIONS })`, { histories: [2] }),
      {
        message: 'no list of versions found at a.ts:2',
      },
    )
  })

  it('are shown as lines of a diff', () => {
    const source = `change({ version: 'next' })\ndefine({\n  versions: [\n    '3',\n  ],\n  next: '4',\n})\n`
    const edits = toEdits('a.ts', source, { changes: [1], histories: [2], routes: [] }, '4')
    assert.deepEqual(toDiff(source, edits), [
      "  1 - change({ version: 'next' })",
      "  1 + change({ version: '4' })",
      "  4 +     '4',",
      "  6 -   next: '4',",
    ])
  })
})
