import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { createApp, defineController, defineModule, file } from 'octavo'
import type { Logger } from 'octavo'
import { cors, staticFiles } from 'octavo/middleware'

import { createTestApp, LOOPBACK, open, readAll, readUntil } from './support.ts'

const controller = defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 'home' }] })
const GET = 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'

describe('connections of a server', () => {
  it('are as many as maxConnections says; further ones are closed', async (test) => {
    const app = createTestApp(controller)
    test.after(() => app.close())
    const url = await app.listen({ ...LOOPBACK, maxConnections: 2 })
    const sockets = [await open(url), await open(url)]
    for (const socket of sockets) {
      socket.write(GET)
      await readUntil(socket, /"home"$/)
    }
    const third = await open(url)
    third.on('error', () => undefined)
    assert.equal(await readAll(third).catch(() => ''), '')
    for (const socket of sockets) socket.destroy()
  })

  it('refuse other values', async () => {
    const app = createTestApp(controller)
    await assert.rejects(app.listen({ ...LOOPBACK, maxConnections: 0 }), /maxConnections/)
  })
})

describe('links in folders of files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-links-'))
  after(() => rmSync(folder, { recursive: true }))
  const root = join(folder, 'public')
  mkdirSync(join(root, 'real'), { recursive: true })
  mkdirSync(join(folder, 'outside'))
  writeFileSync(join(folder, 'outside', 'secret.txt'), 'secret')
  writeFileSync(join(folder, 'public-secret.txt'), 'secret')
  writeFileSync(join(root, 'real', 'a.txt'), 'inside')
  symlinkSync(join(folder, 'outside', 'secret.txt'), join(root, 'file.txt'))
  symlinkSync(join(folder, 'public-secret.txt'), join(root, 'alike.txt'))
  symlinkSync(join(folder, 'outside'), join(root, 'folder'))
  symlinkSync(join(root, 'real'), join(root, 'within'))
  symlinkSync(root, join(folder, 'current'))

  const OUT = ['/file.txt', '/alike.txt', '/folder/secret.txt']
  const serve = (options: { readonly root: string; readonly followLinks?: boolean }) =>
    createApp(
      defineModule({
        controllers: [
          defineController({
            prefix: '/',
            routes: [
              {
                method: 'GET',
                path: '/route/{rest:path}',
                handler: ({ params }) => file(params.rest, options),
              },
            ],
          }),
        ],
      }),
      { logger: false, middleware: [staticFiles(options)] },
    )

  it('do not lead out of the root', async () => {
    for (const top of [root, join(folder, 'current')]) {
      const app = serve({ root: top })
      for (const path of OUT) {
        assert.equal((await app.inject(path)).statusCode, 404, path)
        assert.equal((await app.inject(`/route${path}`)).statusCode, 404, path)
      }
      for (const path of ['/real/a.txt', '/within/a.txt']) {
        assert.equal((await app.inject(path)).body, 'inside', path)
        assert.equal((await app.inject(`/route${path}`)).body, 'inside', path)
      }
    }
  })

  it('do where followLinks says so', async () => {
    const app = serve({ root, followLinks: true })
    for (const path of OUT) {
      assert.equal((await app.inject(path)).body, 'secret', path)
      assert.equal((await app.inject(`/route${path}`)).body, 'secret', path)
    }
  })
})

describe('cors for every origin with credentials', () => {
  it('warns once', async () => {
    const warnings: (string | undefined)[] = []
    const ignore = (): void => undefined
    const logger: Logger = {
      debug: ignore,
      info: ignore,
      error: ignore,
      warn: (_, message) => void warnings.push(message),
    }
    const app = createTestApp(controller, { logger, middleware: [cors({ origin: true, credentials: true })] })
    await app.inject('/')
    await app.inject('/')
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /origin: true/)
    const quiet = createTestApp(controller, { logger, middleware: [cors({ origin: true })] })
    await quiet.inject('/')
    assert.equal(warnings.length, 1)
  })
})
