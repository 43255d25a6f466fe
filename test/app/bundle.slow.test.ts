import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'

import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'octavo-bundle-'))
after(() => rmSync(folder, { recursive: true }))

const REQUIRE =
  "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);"

const APP = `
import { createApp, defineController, defineModule } from 'octavo'
import { rateLimit } from 'octavo/middleware'

const cars = defineController({ prefix: '/cars', routes: [{ method: 'GET', handler: () => 'ok' }] })
const app = createApp(defineModule({ controllers: [cars] }), {
  logger: false,
  middleware: [rateLimit({ limit: 1, window: 60 })],
})
const responses = [await app.inject('/cars'), await app.inject('/cars')]
console.log(JSON.stringify(responses.map(({ statusCode }) => statusCode)))
`

/** The statuses of two requests to an app with a limit of one, from one file that holds all packages. */
async function statuses(banner: string): Promise<unknown> {
  const outfile = join(folder, 'main.mjs')
  await build({
    stdin: { contents: APP, resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['octavo-source'],
    define: { PAGE_CSS: '""', SWAGGER_CSS: '""' },
    banner: { js: banner },
    logLevel: 'error',
  })
  const { stdout } = await promisify(execFile)(process.execPath, [outfile])
  return JSON.parse(stdout)
}

describe('rateLimit in a bundle', () => {
  it('counts if the bundle has a require', async () => {
    assert.deepEqual(await statuses(REQUIRE), [200, 429])
  })

  it('answers 500 if its package cannot be loaded, because a limit that counts nothing is none', async () => {
    assert.deepEqual(await statuses(''), [500, 500])
  })
})
