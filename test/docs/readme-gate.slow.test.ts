import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { createProject, ROOT } from '../support/octavo.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const CHANGE = 'changes: [textIds]'

/** The first fence of a section in a language. */
function fenceOf(section: string, language: string): string {
  const [, below = ''] = README.split(`\n## ${section}\n`)
  const [own = ''] = below.split('\n## ')
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(own)?.[1] ?? ''
}

describe('the compatibility gate of README.md', () => {
  const app = fenceOf('Versions as changes', 'ts').split('\nconst newest')[0] ?? ''
  const { write, run, remove } = createProject({ 'app.ts': app })
  after(remove)

  it('is green while the change is there, and prints the finding without it', async () => {
    assert.ok(app.includes(CHANGE))
    assert.equal((await run('snapshot')).code, 0)
    assert.equal((await run('check')).code, 0)
    write('app.ts', app.replace(CHANGE, 'changes: []'))
    const { code, stdout } = await run('check')
    assert.deepEqual([code, stdout], [1, fenceOf('The compatibility gate', 'text')])
  })
})
