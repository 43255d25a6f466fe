import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { bundle, createFolder, octavo, ROOT } from '../support/octavo.ts'

const page = readFileSync(join(ROOT, 'docs/guide/releasing.md'), 'utf8')

/** The snippet of the page, as the app of the project. */
const SNIPPET = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
const FINDING = /```\n(breaking[\s\S]*?)```/.exec(page)?.[1] ?? ''
const END = /^const \{ body \}[\s\S]*/m
const CHANGE = /^const lastNames[\s\S]*?^\}\)\n/m

/** The project after the change was written, after the edit that breaks, and before. */
const changed = SNIPPET.replace(END, '').replace('const app', 'export const app')
const edited = changed.replace(CHANGE, '').replace('[lastNames]', '[]')
const before1 = edited.replaceAll('lastName:', 'surname:')

const folder = createFolder()
const cwd = join(folder.path, 'project')
let main = ''
before(async () => {
  main = await bundle(folder.path)
  mkdirSync(join(cwd, 'node_modules'), { recursive: true })
  symlinkSync(ROOT, join(cwd, 'node_modules/octavo'), 'dir')
  folder.write('project/package.json', '{ "type": "module" }')
  folder.write('project/.gitignore', 'node_modules\n')
  git('init', '--quiet')
})
after(() => folder.remove())

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], { cwd, encoding: 'utf8' })

function commit(app?: string): void {
  if (app !== undefined) folder.write('project/app.ts', app)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'state')
}

async function run(line: string, code = 0): Promise<string> {
  const done = await octavo(line.split(' '), { cwd, node: ['--conditions', 'octavo-source', main] })
  assert.equal(done.code, code, `octavo ${line}: ${done.stdout}${done.stderr}`)
  return done.stdout + done.stderr
}

describe('the day of docs/guide/releasing.md', () => {
  it('goes from the snapshot over a failing check to the release and its changelog', async () => {
    commit(before1)
    await run('snapshot')
    commit()
    await run('check --strict --format github')

    commit(edited)
    assert.ok((await run('check --strict', 1)).includes(FINDING), `not as on the page:\n${FINDING}`)

    commit(changed)
    await run('check --strict')

    for (const line of ['release 2 --dry-run', 'release 2 --snapshot'])
      assert.ok(page.includes(`npx octavo ${line} `), line)
    assert.match(
      await run('release 2 --snapshot'),
      /## 2[\s\S]*### Surnames are last names[\s\S]*Wrote api\/2\.json/,
    )
    commit()
    await run('check --strict')

    await run('changelog --out API-CHANGES.md')
    assert.match(
      readFileSync(join(cwd, 'API-CHANGES.md'), 'utf8'),
      /### Surnames are last names\n\n`User\.surname` is called `lastName`\.\n\nModels: `User`\n\nOperations: `GET \/v2\/users`/,
    )
  })
})
