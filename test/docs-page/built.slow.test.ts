import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import type * as Octavo from 'octavo'

import { findPackage } from '../support/package.ts'

describe('the page, built', () => {
  it('has its style sheet without files beside the code', async () => {
    const folder = join(await findPackage(), 'dist')
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.css')),
      [],
    )
    const url = pathToFileURL(join(folder, 'index.js')).href
    const { createApp, defineModule } = (await import(url)) as typeof Octavo
    const app = createApp(defineModule({}), { logger: false, docs: {} })
    const response = await app.inject('/docs/assets/page.css')
    assert.equal(response.headers['content-type'], 'text/css; charset=utf-8')
    assert.match(response.body, /\.bar-title\{/)
  })
})
