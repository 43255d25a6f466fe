import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { build, transform } from 'esbuild'

import { buildClient } from './build-client.ts'

describe('the published client', () => {
  const { code, inputs } = buildClient()

  it('is one file that imports nothing, of the client alone', () => {
    assert.doesNotMatch(code, /^import\b|\bfrom\s*["']|\bimport\(\s*["']|\brequire\(|["']node:|\bBuffer\b/m)
    assert.ok(inputs.length > 5, inputs.join())
    assert.deepEqual(
      inputs.filter(
        (path) =>
          !/^src\/(?:client\/[\w-]+|base\/(?:edit-distance|lines|signals|values)|http\/(?:headers|http))\.ts$/.test(
            path,
          ),
      ),
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

  it('has helpers for TanStack Query in a file of their own, which imports nothing', () => {
    const helpers = buildClient('tanstack/index.js')
    assert.doesNotMatch(helpers.code, /^import\b|\bfrom\s*["']|\bimport\(\s*["']|\brequire\(/m)
    assert.deepEqual(helpers.inputs.toSorted(), [
      'src/base/values.ts',
      'src/client/called-route.ts',
      'src/client/tanstack/index.ts',
    ])
  })

  it('is small', async () => {
    const { code: small } = await transform(code, { minify: true, target: 'es2022' })
    assert.ok(small.length < 26_000, `${small.length} characters`)
  })
})
