import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { createProject, ROOT } from '../support/octavo.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The first fence of a section in a language. */
function fenceOf(section: string, language: string): string {
  const [, below = ''] = README.split(`\n## ${section}\n`)
  const [own = ''] = below.split('\n## ')
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(own)?.[1] ?? ''
}

describe('the compatibility gate of README.md', () => {
  const app = fenceOf('Versions as changes', 'ts').split('\nconst newest')[0] ?? ''
  const { path, read, write, run, remove } = createProject({ 'app.ts': app })
  after(remove)

  it('is green while the change is there', async () => {
    assert.equal((await run('snapshot')).code, 0)
    const { code, stdout } = await run('check', '--strict')
    assert.deepEqual([code, stdout], [0, 'api → the app: no difference that clients notice\n'])
  })

  it('prints the findings if the change is forgotten, and writes it', async () => {
    const renamed = app
      .replace(/^const brands = [\s\S]*?^\}\)\n/m, '')
      .replace('changes: [brands]', 'changes: []')
      .replace("versions: ['2', '1']", "versions: ['1']")
    rmSync(join(path, 'api'), { recursive: true })
    write('app.ts', renamed.replaceAll('brand', 'make'))
    assert.equal((await run('snapshot')).code, 0)
    write('app.ts', renamed)
    const { code, stdout } = await run('check')
    assert.deepEqual([code, stdout], [1, fenceOf('The compatibility gate', 'text')])
    await run('check', '--write')
    assert.match(read('app.ts'), /brand: \{ was: 'make' \}/)
    assert.equal((await run('check')).code, 0)
  })
})
