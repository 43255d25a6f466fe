import assert from 'node:assert/strict'

import { fenceOf, fencesOf } from '../support/recipes.ts'
import { bundleWorker, startMiniflare } from './workerd.ts'

interface Settings {
  readonly main: string
  readonly compatibility_date: string
  readonly compatibility_flags: readonly string[]
  readonly kv_namespaces: readonly { readonly binding: string }[]
}

/** Runs the recipe for Workers in workerd, with the settings of its `wrangler.jsonc`. @throws if an answer is another */
export async function checkRecipe(folder: string): Promise<void> {
  // the other one is a response
  const [text = ''] = fencesOf('workers', 'json')
  const settings: Settings = JSON.parse(text)
  assert.equal(settings.main, 'src/worker.ts')
  // both files as one
  const entry = fenceOf('workers', 'ts no-run').replaceAll(/^import .* from '\.\/app\.ts'$/gm, '')
  const contents = `${fenceOf('workers', 'ts')}\n${entry}`
  await bundleWorker({ stdin: { contents, loader: 'ts', resolveDir: import.meta.dirname } }, folder)
  const worker = startMiniflare(folder, 'stdin.mjs', {
    compatibilityDate: settings.compatibility_date,
    compatibilityFlags: settings.compatibility_flags,
    kvNamespaces: settings.kv_namespaces.map(({ binding }) => binding),
  })
  try {
    const { origin } = await worker.ready
    // Cloudflare writes the address of the client
    const headers = { 'content-type': 'application/json', 'cf-connecting-ip': '127.0.0.1' }
    const call = async (path: string, init: RequestInit = {}): Promise<readonly unknown[]> => {
      const response = await fetch(origin + path, { ...init, headers })
      const body: unknown = await response.json()
      return [response.status, body]
    }
    const [missing] = await call('/v1/cars/7')
    assert.equal(missing, 404)
    const [refused] = await call('/v1/cars/7', { method: 'PUT', body: '{"name":""}' })
    assert.equal(refused, 422)
    const put = await call('/v1/cars/7', { method: 'PUT', body: '{"name":"Ford"}' })
    assert.deepEqual(put, [200, { name: 'Ford' }])
    assert.deepEqual(await call('/v1/cars/7'), put)
  } finally {
    await worker.dispose()
  }
}
