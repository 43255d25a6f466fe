import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import * as octavo from 'octavo'

import { findTestFiles, selectFiles, speedOf } from '../../scripts/test/files.ts'
import { planEntries } from '../../scripts/test/plan.ts'
import { OWN, processOf } from '../../scripts/test/processes.ts'
import { SECONDS } from '../../scripts/test/weights.ts'
import * as source from '../../src/index.ts'

const ROOT = join(import.meta.dirname, '../..')
const files = findTestFiles(ROOT)

describe('the test files', () => {
  it('are all found', () => {
    const all = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .map((path) => `test/${path.replaceAll('\\', '/')}`)
      .filter(
        (path) =>
          /\.test\.[cm]?[jt]sx?$/.test(path) &&
          !/\/(?:\.tmp|node_modules)\/|^test\/(?:outside|runtimes\/packages)\//.test(path),
      )
    assert.deepEqual(files, all.toSorted())
    assert.ok(files.length > 150, `only ${files.length}`)
  })

  it('are each in exactly one process of exactly one run', () => {
    const runs = (['fast', 'slow'] as const).map((speed) => planEntries(selectFiles(files, speed, [])))
    assert.deepEqual(
      runs.flatMap((entries) => entries.flatMap((entry) => entry.files)).toSorted(),
      files.toSorted(),
    )
    for (const entries of runs) {
      assert.equal(new Set(entries.map(({ name }) => name)).size, entries.length)
      assert.ok(entries.every((entry) => entry.files.length > 0))
    }
  })

  it('share processes unless they are slow or listed', () => {
    for (const { name, files: together } of planEntries(files)) {
      const own = name.startsWith('shared-') ? undefined : name
      assert.deepEqual([...new Set(together.map(processOf))], [own])
    }
    assert.equal(processOf('test/router/new.slow.test.ts'), 'test/router/new.slow.test')
    assert.equal(processOf('test/router/new.test.ts'), undefined)
    assert.equal(processOf('test/node/slow.test.ts'), 'test/node/slow.test')
  })

  it('are slow by name', () => {
    assert.equal(speedOf('test/fault/leak.slow.test.ts'), 'slow')
    assert.equal(speedOf('test/fault/slow.test.ts'), 'fast')
  })

  it('that are listed exist', () => {
    const listed = [...Object.keys(OWN), ...Object.keys(SECONDS)]
    assert.deepEqual(
      listed.filter((path) => !files.some((file) => file === path || file.startsWith(path))),
      [],
    )
  })

  it('get one instance of a module, imported by the name of the package or by path', () => {
    assert.equal(octavo.createApp, source.createApp)
  })
})

describe('filters', () => {
  const some = ['test/app/a.test.ts', 'test/app/b.slow.test.ts', 'test/apple/c.test.ts']

  const cases: readonly (readonly [string, 'fast' | 'slow', readonly string[], readonly string[]])[] = [
    ['nothing selects every file of the speed', 'fast', [], ['test/app/a.test.ts', 'test/apple/c.test.ts']],
    ['a file', 'fast', ['./test/app/a.test.ts'], ['test/app/a.test.ts']],
    ['a slow file in the fast run', 'fast', ['test/app/b.slow.test.ts'], ['test/app/b.slow.test.ts']],
    ['a folder', 'fast', ['test/app/'], ['test/app/a.test.ts']],
    ['a folder in the slow run', 'slow', ['test/app'], ['test/app/b.slow.test.ts']],
    ['a file once', 'fast', ['test/app', 'test/app/a.test.ts'], ['test/app/a.test.ts']],
  ]
  for (const [title, speed, filters, selected] of cases) {
    it(`select ${title}`, () => assert.deepEqual(selectFiles(some, speed, filters), selected))
  }

  it('that select nothing are errors', () => {
    assert.throws(() => selectFiles(some, 'fast', ['test/ap']), /No fast test file matches "test\/ap"/)
  })
})

describe('a file that looks like a test and is none', () => {
  for (const name of ['cars.spec.ts', 'cars.test.mts', 'cars.test.js']) {
    it(`stops the run: ${name}`, () => {
      const root = mkdtempSync(join(tmpdir(), 'octavo-plan-'))
      try {
        mkdirSync(join(root, 'test'))
        writeFileSync(join(root, 'test', name), '')
        assert.throws(
          () => findTestFiles(root),
          new Error(`test/${name} would never run: name it *.test.ts.`),
        )
      } finally {
        rmSync(root, { recursive: true })
      }
    })
  }
})
