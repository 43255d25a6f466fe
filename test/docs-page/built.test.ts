import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import type * as Octavo from 'octavo'

const ROOT = join(import.meta.dirname, '../..')
const STYLES = join(ROOT, 'src/server/docs/page')

describe('the page, built', () => {
  // within the project, so that packages are found
  const parent = join(import.meta.dirname, '.tmp')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'built-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has its style sheets without files beside the code', async () => {
    execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts', folder], { cwd: ROOT })
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.css')),
      [],
    )
    const url = pathToFileURL(join(folder, 'index.js')).href
    const { createApp, defineModule } = (await import(url)) as typeof Octavo
    const app = createApp(defineModule({}), { logger: false, docs: {} })
    for (const name of ['page.css', 'swagger.css']) {
      const response = await app.inject(`/docs/assets/${name}`)
      assert.equal(response.headers['content-type'], 'text/css; charset=utf-8')
      assert.equal(response.body, readFileSync(join(STYLES, name), 'utf8'))
    }
  })
})
