import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { build } from 'esbuild'
import type { BuildFailure } from 'esbuild'

const ROOT = join(import.meta.dirname, '..', '..')

/** The source files of the entry points. */
const entries = Object.values(
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).exports as object,
).flatMap((entry: string | { readonly 'octavo-source'?: string }) =>
  typeof entry === 'object' && entry['octavo-source'] !== undefined ? [entry['octavo-source']] : [],
)

/** Imports bundled code in a process of its own and lists what it calls of the platform meanwhile. */
async function callsWhileLoading(source: object): Promise<readonly string[]> {
  const outdir = mkdtempSync(join(tmpdir(), 'octavo-load-'))
  try {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      ...source,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      conditions: ['octavo-source'],
      // packages of CommonJS find Node's modules by it
      banner: {
        js: "import { createRequire as $r } from 'node:module'; const require = $r(import.meta.url);",
      },
      outdir,
      outExtension: { '.js': '.mjs' },
      metafile: true,
      logLevel: 'silent',
    })
    // also what is loaded later: on some platforms a request of another client may be under way
    const files = Object.keys(metafile.outputs).map((path) => join(ROOT, path))
    const output = execFileSync(
      process.execPath,
      [join(ROOT, 'test/runtimes/watch-load.mjs'), outdir, ...files],
      { encoding: 'utf8' },
    )
    return JSON.parse(output) as readonly string[]
  } finally {
    rmSync(outdir, { recursive: true })
  }
}

describe('loading modules', () => {
  it('touches no randomness, timers, files or network, which Workers refuse before a request', async () => {
    assert.ok(entries.length > 5)
    assert.deepEqual(await callsWhileLoading({ entryPoints: entries }), [])
  })

  const offences = [
    ['crypto.randomBytes', "import { randomBytes } from 'node:crypto'; export const key = randomBytes(8)"],
    ['crypto.getRandomValues', 'export const key = crypto.getRandomValues(new Uint8Array(8))'],
    ['Math.random', 'export const seed = Math.random()'],
    ['setInterval', 'setInterval(() => {}, 1000).unref()'],
    ['fs.readFileSync', "import { readFileSync } from 'node:fs'; readFileSync('package.json')"],
    ['fs.promises.stat', "import { stat } from 'node:fs/promises'; await stat('package.json')"],
    ['net.connect', "import { connect } from 'node:net'; connect({ port: 1 }).on('error', () => {})"],
  ] as const
  for (const [name, contents] of offences) {
    it(`is noticed when it calls ${name}`, async () => {
      const calls = await callsWhileLoading({ stdin: { contents, resolveDir: ROOT } })
      assert.deepEqual(calls, [name])
    })
  }
})

/** Why code cannot be a CommonJS module. */
async function whyNotCommonJs(source: object): Promise<readonly string[]> {
  const building = build({
    absWorkingDir: ROOT,
    ...source,
    bundle: true,
    write: false,
    outdir: 'dist',
    format: 'cjs',
    platform: 'node',
    conditions: ['octavo-source'],
    logLevel: 'silent',
  })
  return building.then(
    () => [],
    (error: BuildFailure) => error.errors.map(({ text }) => text),
  )
}

describe('require', () => {
  it('finds no module that awaits while it loads, which require() refuses', async () => {
    assert.deepEqual(await whyNotCommonJs({ entryPoints: entries }), [])
  })

  it('is refused by one that awaits', async () => {
    const [why = ''] = await whyNotCommonJs({ stdin: { contents: 'export const key = await 1' } })
    assert.match(why, /Top-level await/)
  })
})
