import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { after, describe, it } from 'node:test'

import { build } from 'esbuild'

/** Tests of most that Octavo asks of zod: what is read, written, documented and converted. */
const FILES = [
  'test/app/pollution.test.ts',
  'test/changes/parse.test.ts',
  'test/changes/parts.test.ts',
  'test/changes/serve.test.ts',
  'test/changes/documents.test.ts',
  'test/upstream/forward.test.ts',
]

const OLDEST = 'zod-4-0'

describe('the oldest zod that Octavo works with', async () => {
  const folder = await mkdtemp(join('.test', 'zod-'))
  after(() => rm(folder, { recursive: true }))

  it('passes the same tests', async () => {
    const manifest: unknown = JSON.parse(await readFile(`node_modules/${OLDEST}/package.json`, 'utf8'))
    assert.equal(Object(manifest).version, '4.0.0')
    await build({
      entryPoints: FILES,
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      entryNames: '[name]',
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['octavo-source'],
      alias: { zod: OLDEST },
      external: ['undici', 'esbuild'],
      banner: {
        js: "import { createRequire as require_ } from 'node:module';const require = require_(import.meta.url);",
      },
      logLevel: 'error',
    })
    const files = FILES.map((file) => join(folder, basename(file).replace(/\.ts$/, '.mjs')))
    // in the context of a test, Node runs no others and reports success
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const given = ['--test', '--test-reporter=tap', ...files]
    const { status, stdout } = spawnSync(process.execPath, given, { encoding: 'utf8', env })
    assert.equal(status, 0, stdout.slice(-5_000))
    assert.ok(Number(/^# pass (\d+)$/m.exec(stdout)?.[1]) > 50, stdout.slice(-500))
  })
})
