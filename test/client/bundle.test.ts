import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'

import { build } from 'esbuild'
import type { createClient as Create } from 'octavo/client'

import { buildClient } from './build-client.ts'

describe('the published client', () => {
  const { code, inputs } = buildClient()

  it('is one file that imports nothing, of the client alone', () => {
    assert.doesNotMatch(code, /^import\b|\bfrom\s*["']|\bimport\(\s*["']|\brequire\(|["']node:|\bBuffer\b/m)
    assert.ok(inputs.length > 5, inputs.join())
    assert.deepEqual(
      inputs.filter((path) => !/^src\/(?:client\/[\w-]+|http|values|edit-distance)\.ts$/.test(path)),
      [],
    )
  })

  for (const minify of [false, true]) {
    it(`gives bundlers nothing to follow${minify ? ', small names and all' : ''}`, async () => {
      const { metafile, warnings } = await build({
        stdin: { contents: `${code}\nconsole.log(createClient)`, resolveDir: import.meta.dirname },
        bundle: true,
        format: 'esm',
        platform: 'browser',
        metafile: true,
        minify,
        write: false,
        logLevel: 'silent',
      })
      assert.deepEqual(
        Object.values(metafile.outputs).flatMap(({ imports }) => imports),
        [],
      )
      assert.deepEqual(warnings, [])
    })
  }

  it('says what retries need where undici is not installed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-client-'))
    try {
      const file = join(folder, 'index.mjs')
      writeFileSync(file, code)
      const { createClient } = (await import(pathToFileURL(file).href)) as {
        readonly createClient: typeof Create
      }
      const routes = { version: null, routes: { ping: { method: 'GET', path: '/ping' } } }
      const client = createClient({ baseUrl: 'http://localhost', retry: 1, routes })
      const ping = Reflect.get(Object(client), 'ping') as () => Promise<unknown>
      await assert.rejects(ping(), {
        name: 'TypeError',
        message: 'createClient: retry needs the package undici, which is not installed: npm install undici@7',
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('is small', () => {
    assert.ok(code.length < 30_000, `${code.length} characters`)
  })
})
