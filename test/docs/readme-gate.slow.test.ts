import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { bundle, createFolder, octavo, ROOT } from '../support/octavo.ts'
import type { Outcome } from '../support/octavo.ts'

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')
const CHANGE = 'changes: [textIds]'

/** The first fence of a section in a language. */
function fenceOf(section: string, language: string): string {
  const [, below = ''] = README.split(`\n## ${section}\n`)
  const [own = ''] = below.split('\n## ')
  return new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(own)?.[1] ?? ''
}

describe('the compatibility gate of README.md', () => {
  const folder = createFolder()
  const cwd = join(folder.path, 'project')
  let main = ''
  const run = (...args: readonly string[]): Promise<Outcome> =>
    octavo(args, { cwd, node: ['--conditions', 'octavo-source', main] })
  const app = fenceOf('Versions as changes', 'ts').split('\nconst newest')[0] ?? ''

  before(async () => {
    main = await bundle(folder.path)
    mkdirSync(join(cwd, 'node_modules'), { recursive: true })
    for (const name of ['zod', 'tsx'])
      symlinkSync(join(ROOT, 'node_modules', name), join(cwd, 'node_modules', name), 'dir')
    symlinkSync(ROOT, join(cwd, 'node_modules/octavo'), 'dir')
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(cwd, 'app.ts'), app)
  })
  after(() => folder.remove())

  it('is green while the change is there, and prints the finding without it', async () => {
    assert.ok(app.includes(CHANGE))
    assert.equal((await run('snapshot')).code, 0)
    assert.equal((await run('check')).code, 0)
    writeFileSync(join(cwd, 'app.ts'), app.replace(CHANGE, 'changes: []'))
    const { code, stdout } = await run('check')
    assert.deepEqual([code, stdout], [1, fenceOf('The compatibility gate', 'text')])
  })
})
