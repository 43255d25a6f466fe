import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import type { App } from 'octavo'

import { app, url } from './cars.cts'

const ROOT = join(import.meta.dirname, '../../../../../..')
const require = createRequire(import.meta.url)
const { exports: entries } = require('octavo/package.json') as { readonly exports: object }

describe('CommonJS', () => {
  for (const entry of Object.keys(entries)) {
    const name = entry.replace('.', 'octavo')
    if (name.endsWith('.json')) continue
    it(`requires ${name}, which is the module that import loads`, async () => {
      const required: object = require(name)
      assert.ok(Object.keys(required).length > 0)
      assert.equal(required, await import(name))
    })
  }

  it('runs the program of the guide', async () => {
    const guide = readFileSync(join(ROOT, 'docs/guide/runtimes.md'), 'utf8')
    const [, program = ''] = /^## ES modules and CommonJS\n[\s\S]*?^```js\n([\s\S]*?)^```$/m.exec(guide) ?? []
    const file = join(import.meta.dirname, 'guide.cjs')
    writeFileSync(file, program.replace('app.listen({ port: 3000 })', 'module.exports = app'))
    const response = await (require(file) as App).inject('/car/7')
    assert.deepEqual([response.statusCode, response.json()], [200, { id: 7 }])
  })

  it('runs TypeScript of the module nodenext', async () => {
    const response = await app.inject(url)
    assert.deepEqual([response.statusCode, response.json()], [200, { id: 7 }])
  })

  it('runs TypeScript of the module node16 that imports later', async () => {
    const { createCars } = require('./node16.cjs') as { readonly createCars: () => Promise<App> }
    const cars = await createCars()
    const response = await cars.inject('/cars')
    assert.deepEqual(response.json(), ['Ford'])
  })
})
