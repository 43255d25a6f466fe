import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
`

const ASK = `
const responses = [await app.inject('/cars'), await app.inject('/cars')]
console.log(JSON.stringify(responses.map(({ statusCode }) => statusCode)))
`

/** What an app prints from one file that holds all packages, run in another directory. */
async function output(contents: string, banner: string): Promise<unknown> {
  const outfile = join(folder, 'main.mjs')
  await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['octavo-source'],
    define: { PAGE_CSS: '""' },
    banner: { js: banner },
    logLevel: 'error',
  })
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: tmpdir() })
  return JSON.parse(stdout)
}

describe('rateLimit in a bundle', () => {
  it('counts without a package', async () => {
    assert.deepEqual(await output(APP + ASK, ''), [200, 429])
  })
})

describe('the settings in a bundle', () => {
  it('are those of the module that config imports, in any directory', async () => {
    mkdirSync(join(folder, 'src'))
    const module = join(folder, 'src', 'config.ts')
    writeFileSync(module, "export const port = '3000'\nexport default {}\n")
    const app = `
      import { Config, createApp, defineModule } from 'octavo'
      import { z } from 'zod'

      const app = createApp(defineModule({}), {
        logger: false,
        config: () => import(${JSON.stringify(module)}),
        configSchema: z.object({ port: z.coerce.number() }),
      })
      await app.ready()
      console.log(JSON.stringify(await app.resolve(Config)))
    `
    assert.deepEqual(await output(app, REQUIRE), { port: 3000 })
  })
})
