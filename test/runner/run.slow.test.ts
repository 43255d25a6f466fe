import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const PARENT = join(import.meta.dirname, '.tmp')

mkdirSync(PARENT, { recursive: true })
const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

interface Outcome {
  readonly code: number | null
  readonly text: string
  /** The folder of the tests. */
  readonly folder: string
}

/** Runs tests of a project that consists of these files. */
function run(files: Readonly<Record<string, string>>, ...args: readonly string[]): Outcome {
  const folder = mkdtempSync(join(PARENT, 'run-'))
  folders.push(folder)
  for (const [name, text] of Object.entries({ 'package.json': '{ "exports": {} }', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const main = join(ROOT, 'scripts/test/main.ts')
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', main, `--root=${folder}`, ...args],
    {
      cwd: ROOT,
      encoding: 'utf8',
      // a run in a test runs nothing otherwise
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_V8_COVERAGE: undefined },
    },
  )
  return { code: status, text: `${stdout}\n${stderr}`, folder }
}

const PASSES = `import { it } from 'node:test'\nit('passes', () => {})\n`

const FAILS = `import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

interface Car {
  readonly doors: number
}

describe('a car', () => {
  it('has five doors', () => {
    const car: Car = { doors: 4 }
    assert.equal(car.doors, 5)
  })
})
`

describe('a run of tests', () => {
  it('passes, counts all tests, and leaves no output', () => {
    const { code, text, folder } = run({
      'test/a.test.ts': PASSES,
      'test/b.test.ts': PASSES,
      'test/c.slow.test.ts': PASSES,
    })
    assert.equal(code, 0, text)
    assert.match(text, /^(?:#|ℹ) tests 2$/m)
    assert.match(text, /^(?:#|ℹ) pass 2$/m)
    assert.deepEqual(readdirSync(join(folder, '.test')), [])
  })

  it('selects slow files and single files', () => {
    const files = { 'test/a.test.ts': FAILS, 'test/b.slow.test.ts': PASSES }
    assert.equal(run(files, '--slow').code, 0)
    assert.equal(run(files, 'test/b.slow.test.ts').code, 0)
    assert.equal(run(files, 'test/nowhere.test.ts').code, 1)
  })

  it('fails with the line in the TypeScript source, and names files that cannot be loaded, are empty, end their process or keep it open', () => {
    const { code, text, folder } = run({
      'test/passes.test.ts': PASSES,
      'test/fails.test.ts': FAILS,
      'test/throws.test.ts': `${PASSES}\nthrow new Error('not today')\n`,
      'test/empty.test.ts': 'export {}\n',
      // these have processes of their own
      'test/docs-page/life.test.ts': PASSES.replace('{})', 'process.exit(0))'),
      'test/docs-page/page.test.ts': `${PASSES}setInterval(() => {}, 1000)\n`,
      'test/node/slow.test.ts': PASSES.replace('{})', `process.kill(process.pid, 'SIGKILL'))`),
    })
    assert.equal(code, 1)
    const file = join(folder, 'test/fails.test.ts')
    assert.ok(text.includes(`location: '${file}:9:3'`) || text.includes('test/fails.test.ts:9:3'), text)
    assert.ok(text.includes(`(${file}:11:12)`), text)
    assert.match(text, /Subtest: test\/fails\.test\.ts|✖ test\/fails\.test\.ts/)
    assert.ok(text.includes(`${join(folder, 'test/throws.test.ts')}:4:7`), text)
    assert.match(text, /^Failed: test\/fails\.test\.ts: has five doors: /m)
    assert.match(text, /No test ran in test\/empty\.test\.ts\./)
    assert.match(
      text,
      /The process "test\/docs-page\/life\.test" did not finish: test\/docs-page\/life\.test\.ts/,
    )
    assert.match(text, /The process "test\/node\/slow\.test" did not finish: test\/node\/slow\.test\.ts/)
    assert.match(text, /Something keeps the process open after the tests of test\/docs-page\/page\.test\.ts/)
    assert.doesNotMatch(text, /(?:No test ran in|did not finish:).*passes/)
  })

  it('fails before anything runs when a file is no TypeScript', () => {
    const { code, text } = run({ 'test/a.test.ts': PASSES, 'test/b.test.ts': 'const = 1\n' })
    assert.equal(code, 1)
    assert.match(text, /test\/b\.test\.ts:1:6/)
  })
})
