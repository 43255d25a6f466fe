import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { build } from 'esbuild'
import type { Metafile, Plugin } from 'esbuild'
import * as octavo from 'octavo'
import * as edge from 'octavo/edge'
import { PHRASES } from '../inside/parts.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** What a worker can never use. */
const SERVERS = ['node:cluster', 'node:http', 'node:http2', 'node:https', 'node:net', 'node:tls', 'node:tty']

/** Leaves out what is loaded later. */
const LATER: Plugin = {
  name: 'later',
  setup: (builder) => {
    builder.onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/** What bundles of a module have, without what is loaded later. */
async function bundleOf(contents: string): Promise<Metafile['outputs'][string]> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    plugins: [LATER],
    write: false,
    metafile: true,
  })
  const [output] = Object.values(metafile.outputs)
  assert.ok(output)
  return output
}

async function bundle(): Promise<Metafile['outputs']> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/edge.ts'],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'out',
    write: false,
    metafile: true,
  })
  return metafile.outputs
}

/** The modules of Node that outputs import, in order. */
function modulesOf(outputs: Metafile['outputs'], isWanted: (path: string, kind: string) => boolean) {
  const all = Object.entries(outputs).flatMap(([path, { imports }]) =>
    imports.filter(({ external, kind }) => external === true && isWanted(path, kind)),
  )
  return [...new Set(all.map(({ path }) => path).filter((path) => path.startsWith('node:')))].toSorted(
    (a, b) => a.localeCompare(b),
  )
}

describe('octavo/edge', () => {
  const bundled = bundle()

  it('imports nothing of Node statically', async () => {
    const outputs = await bundled
    const start =
      Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'src/edge.ts')?.[0] ?? ''
    const loaded = new Set<string>()
    const load = (path: string): void => {
      if (loaded.has(path)) return
      loaded.add(path)
      for (const each of outputs[path]?.imports ?? [])
        if (each.kind === 'import-statement' && each.external !== true) load(each.path)
    }
    load(start)
    assert.deepEqual(
      modulesOf(outputs, (path, kind) => loaded.has(path) && kind === 'import-statement'),
      [],
    )
  })

  it('refuses at once what is no scheme, and the rest when it is ready', async () => {
    const app = edge.createEdgeApp(edge.defineModule({}), { logger: false })
    // @ts-expect-error it is no scheme
    assert.throws(() => app.enableVersioning({}), /a scheme is one of VersioningSchemes/)
    assert.throws(() => app.enableVersioning([]), /a scheme is one of VersioningSchemes/)
    app.enableVersioning(edge.VersioningSchemes.URL, { versions: ['1'], defaultVersion: '2' })
    assert.throws(() => app.versions(), edge.DefinitionError)
    await assert.rejects(app.ready(), /edge\.test\.ts:\d+/)
    await app.close()
  })

  it('loads nothing of a server later', async () => {
    const found = modulesOf(await bundled, () => true)
    assert.ok(found.includes('node:fs'), found.join(' '))
    assert.deepEqual(
      found.filter((name) => SERVERS.includes(name)),
      [],
    )
  })

  it('exports what octavo exports but for connections, with createEdgeApp instead of createApp', () => {
    const named = Object.keys(octavo)
      .filter((name) => name !== 'upgrade')
      .map((name) => (name === 'createApp' ? 'createEdgeApp' : name))
    assert.deepEqual(Object.keys(edge), named.toSorted())
    const different = Object.keys(edge).filter(
      (name) => Reflect.get(edge, name) !== Reflect.get(octavo, name),
    )
    assert.deepEqual(different, ['createEdgeApp'])
  })

  it('makes applications without listen and handler, which answer', async () => {
    const routes = [{ method: 'GET', handler: () => 'Hello' }] as const
    const module = edge.defineModule({ controllers: [edge.defineController({ prefix: '/', routes })] })
    const app = edge.createEdgeApp(module, { logger: false })
    const node = octavo.createApp(module, { logger: false })
    const missing = Object.keys(node).filter((name) => !(name in app))
    assert.deepEqual(missing.toSorted(), ['handler', 'listen'])
    // @ts-expect-error it has no server
    assert.equal(app.listen, undefined)
    assert.equal(await (await app.fetch(new Request('http://localhost/'))).json(), 'Hello')
    assert.equal((await app.inject('/')).statusCode, 200)
    await app.close()
  })
})

describe('octavo/middleware', () => {
  it('has nothing of Node in bundles of what needs nothing of it', async () => {
    const names = 'compression, cors, csrf, requestId, securityHeaders'
    const { imports } = await bundleOf(`export { ${names} } from './src/extensions/middleware/index.ts'`)
    const found = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path)
    assert.deepEqual(found, [])
  })
})

describe('the reason phrases', () => {
  it('are those of node:http', () => assert.deepEqual(PHRASES, STATUS_CODES))
})
