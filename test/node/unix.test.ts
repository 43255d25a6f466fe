import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'

import { defineController, HttpRequest } from 'octavo'

import { TEST_TLS } from '../support/tls.ts'
import { createTestApp, ENGINE } from './support.ts'

const controller = defineController({
  prefix: '/',
  routes: [
    {
      method: 'GET',
      input: { inject: { request: HttpRequest } },
      handler: ({
        inject: {
          request: { ip, protocol, host },
        },
      }) => ({ ip, protocol, host }),
    },
  ],
})
const folder = mkdtempSync(join(tmpdir(), 'octavo-'))
after(() => rmSync(folder, { recursive: true }))

async function ask(path: string): Promise<string> {
  const sent = request({ socketPath: path, path: '/', headers: { host: 'a.test' }, agent: false }).end()
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

describe('Unix sockets', { skip: process.platform === 'win32' }, () => {
  it('serve requests, and their file is gone after closing', async () => {
    const path = join(folder, 'a.sock')
    const app = createTestApp(controller)
    assert.equal(await app.listen({ path, ...ENGINE }), `unix:${path}`)
    assert.equal(await ask(path), '{"ip":"","protocol":"http","host":"a.test"}')
    await app.close()
    assert.equal(existsSync(path), false)
  })

  it('that a process left behind are replaced', async (test) => {
    const path = join(folder, 'stale.sock')
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
    await promisify(execFile)(process.execPath, ['-e', script]).catch(() => undefined)
    assert.equal(existsSync(path), true)
    const app = createTestApp(controller)
    test.after(() => app.close())
    await app.listen({ path, ...ENGINE })
    assert.match(await ask(path), /a\.test/)
  })

  it('that somebody answers at are left alone', async (test) => {
    const path = join(folder, 'live.sock')
    const app = createTestApp(controller)
    test.after(() => app.close())
    await app.listen({ path, ...ENGINE })
    const other = createTestApp(controller)
    await assert.rejects(other.listen({ path, ...ENGINE }), {
      code: 'EADDRINUSE',
      message: `listen: ${path} is in use (EADDRINUSE); stop the program there, or choose another port (0 takes a free one)`,
    })
    await other.close()
    assert.match(await ask(path), /a\.test/)
  })

  const cases = [
    ['a file that is no socket', 'file', 'EEXIST', /is a file that is no socket \(EEXIST\); remove it/],
    ['a folder that does not exist', 'no/a.sock', undefined, /^listen: .*; .*folder/],
  ] as const
  for (const [title, name, code, message] of cases) {
    it(`${title}: an error that says so`, async () => {
      writeFileSync(join(folder, 'file'), 'kept')
      const app = createTestApp(controller)
      await assert.rejects(app.listen({ path: join(folder, name) }), {
        message,
        ...(code === undefined ? {} : { code }),
      })
      await app.close()
      assert.equal(existsSync(join(folder, 'file')), true)
    })
  }

  it('a path that is too long is refused', async () => {
    const app = createTestApp(controller)
    await assert.rejects(app.listen({ path: join(folder, 'a'.repeat(200)) }), {
      name: 'TypeError',
      message: /^listen: path is longer than the \d+ bytes that a Unix socket may have$/,
    })
    await app.close()
  })

  it('can speak TLS', async () => {
    const path = join(folder, 'tls.sock')
    const app = createTestApp(controller)
    assert.equal(await app.listen({ path, tls: TEST_TLS, ...ENGINE }), `unix:${path}`)
    await app.close()
    assert.equal(existsSync(path), false)
  })
})
