import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'

import { build } from 'esbuild'
import type * as Octavo from 'octavo'
import type * as Auth from 'octavo/auth'
import type { z as Zod } from 'zod'

type Built = typeof Octavo & typeof Auth & { readonly z: typeof Zod }

const folders: string[] = []
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

const built = mkdtempSync(join(tmpdir(), 'octavo-late-'))
folders.push(built)

before(async () => {
  await build({
    stdin: {
      contents: `export * from 'octavo'; export { jwtAuth } from 'octavo/auth'; export { z } from 'zod'`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    conditions: ['octavo-source'],
    external: ['jose', 'undici'],
    // packages of CommonJS require modules of Node
    banner: {
      js: `import { createRequire as _create } from 'node:module'; const require = _create(import.meta.url)`,
    },
    outdir: built,
    entryNames: 'octavo',
    logLevel: 'silent',
  })
  writeFileSync(join(built, 'package.json'), '{ "type": "module" }')
})

/** The package with all that it imports, in files of a folder of its own that has no jose. */
async function copyPackage(): Promise<{ readonly folder: string; readonly octavo: Built }> {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-late-'))
  folders.push(folder)
  cpSync(built, folder, { recursive: true })
  // types know the package alone
  return { folder, octavo: (await import(pathToFileURL(join(folder, 'octavo.js')).href)) as Built }
}

function createFilesApp({ createApp, defineController, defineModule, file, stream, z }: Built) {
  const controller = defineController({
    prefix: '/',
    routes: [
      { method: 'GET', path: '/file', handler: () => file(Buffer.from('text'), { filename: 'a.txt' }) },
      { method: 'GET', path: '/stream', handler: () => stream(['a'], { type: 'text/plain' }) },
      { method: 'GET', path: '/json', handler: () => 'json' },
      {
        method: 'GET',
        path: '/call',
        handler: (_: unknown, context: Octavo.ExecutionContext) => context.call('getJson'),
      },
      { method: 'GET', path: '/disk', handler: () => file(createRequire(import.meta.url).resolve('zod')) },
      {
        method: 'POST',
        path: '/form',
        input: { form: z.object({ name: z.string() }) },
        handler: ({ form }) => form,
      },
      {
        method: 'POST',
        path: '/body',
        input: { body: z.object({ a: z.int() }) },
        handler: ({ body }) => body,
      },
    ],
  })
  return createApp(defineModule({ controllers: [controller] }), { logger: false, docs: {} })
}

describe('imports that the first requests of routes need', () => {
  it('is loaded when the application is ready', async () => {
    const { folder, octavo } = await copyPackage()
    const app = createFilesApp(octavo)
    await app.ready()
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const own = createServer(app.handler).listen(0, '127.0.0.1')
    await once(own, 'listening')
    rmSync(folder, { recursive: true })
    const form = new FormData()
    form.set('name', 'one')
    const requests: readonly (readonly [path: string, init?: RequestInit])[] = [
      ['/stream'],
      ['/call'],
      ['/file'],
      ['/disk'],
      ['/form', { method: 'POST', body: form }],
      [
        '/body',
        {
          method: 'POST',
          body: gzipSync('{"a":1}'),
          headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        },
      ],
      ['/docs'],
      ['/docs/openapi.json'],
      ['/docs/openapi.yaml'],
      ['/docs/client.json'],
    ]
    const found: (readonly [string, number])[] = []
    for (const [path, init] of requests) found.push([path, (await fetch(url + path, init)).status])
    const others = await Promise.all([
      app.fetch(new Request('http://localhost/stream')),
      fetch(`http://127.0.0.1:${Object(own.address()).port}/stream`),
    ])
    assert.deepEqual(await Promise.all(others.map(async (each) => each.text())), ['a', 'a'])
    own.closeAllConnections()
    own.close()
    await app.close()
    assert.deepEqual(
      found,
      requests.map(([path]) => [path, 200]),
    )
  })
})

describe('a package that is missing', () => {
  it('fails the start of an application whose routes need it, and of no other', async () => {
    const { octavo } = await copyPackage()
    const { createApp, defineModule, defineController, jwtAuth } = octavo
    const SignedIn = jwtAuth({
      issuer: 'https://auth.example.com',
      audience: 'https://api.example.com',
      algorithms: ['HS256'],
      secret: 'x'.repeat(32),
    })
    const controller = defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 'one' }] })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false, guards: [SignedIn] })
    await assert.rejects(app.ready(), {
      name: 'DefinitionError',
      message: /package jose cannot be loaded.*npm install jose/s,
    })
    await createApp(defineModule({ controllers: [controller] }), { logger: false }).ready()
  })
})
