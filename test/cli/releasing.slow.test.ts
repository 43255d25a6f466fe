import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { createProject, ROOT } from '../support/octavo.ts'

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

const { write, read, run, git, remove } = createProject({ '.gitignore': 'node_modules\n' })
git('init', '--quiet')
after(remove)

function commit(app?: string): void {
  if (app !== undefined) write('app.ts', app)
  git('add', '--all')
  git('commit', '--quiet', '--message', 'state')
}

async function octavo(line: string, code = 0): Promise<string> {
  const done = await run(...line.split(' '))
  assert.equal(done.code, code, `octavo ${line}: ${done.stdout}${done.stderr}`)
  return done.stdout + done.stderr
}

describe('the day of docs/guide/releasing.md', () => {
  it('goes from the snapshot over a failing check to the release and its changelog', async () => {
    commit(before1)
    await octavo('snapshot')
    commit()
    await octavo('check --strict --format github')

    commit(edited)
    assert.ok((await octavo('check --strict', 1)).includes(FINDING), `not as on the page:\n${FINDING}`)

    commit(changed)
    await octavo('check --strict')

    for (const line of ['release 2 --dry-run', 'release 2 --snapshot'])
      assert.ok(page.includes(`npx octavo ${line} `), line)
    assert.match(
      await octavo('release 2 --snapshot'),
      /\nWrote api\/2\.json\nReleased 2\n\n## 2 \(\d{4}-\d\d-\d\d\)\n\n### Surnames are last names\n/,
    )
    commit()
    await octavo('check --strict')

    await octavo('changelog --out API-CHANGES.md')
    assert.match(
      read('API-CHANGES.md'),
      /### Surnames are last names\n\n`User\.surname` is called `lastName`\.\n\nModels: `User`\n\nOperations: `GET \/v2\/users`/,
    )
  })
})
