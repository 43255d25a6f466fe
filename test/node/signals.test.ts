import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'

import { open, parse, readAll } from './support.ts'

const REQUEST = 'GET /slow HTTP/1.1\r\nHost: a.test\r\n\r\n'

async function startChild() {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions', 'octavo-source', join(import.meta.dirname, 'signal-app.ts')],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => String((await lines.next()).value)
  const socket = await open(await nextLine())
  socket.on('error', () => undefined)
  socket.write(REQUEST)
  assert.equal(await nextLine(), 'entered')
  // a connection without request tells when the server has begun to close
  const silent = await open(`http://127.0.0.1:${socket.remotePort}`)
  const closing = once(silent.resume(), 'close')
  return { child, exited, socket, closing }
}

describe('signals', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal} lets requests in flight finish, then ends the process`, async () => {
      const { child, exited, socket, closing } = await startChild()
      child.kill(signal)
      await closing
      child.stdin.write('go')
      const { headers, body } = parse(await readAll(socket))
      assert.deepEqual([body, headers['connection']], ['"slow"', 'close'])
      assert.deepEqual(await exited, [0, null])
    })
  }

  it('the second ends the process at once', async () => {
    const { child, exited, closing } = await startChild()
    child.kill('SIGTERM')
    await closing
    child.kill('SIGINT')
    assert.deepEqual(await exited, [1, null])
  })
})
