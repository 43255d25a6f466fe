import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { isAlive, named, start, workersOf } from './process/child.ts'
import { until } from './process/load.ts'
import { open, readAll } from './support.ts'

describe('signals to workers', { skip: process.platform === 'win32', concurrency: 2 }, () => {
  for (const [title, signal, isGroup] of [
    ['SIGTERM lets requests in flight finish', 'SIGTERM', false],
    ['Ctrl+C, which workers get too, lets requests in flight finish', 'SIGINT', true],
    ['SIGTERM to every process lets requests in flight finish', 'SIGTERM', true],
  ] as const) {
    it(title, async () => {
      const program = await start({ listen: { workers: 2 } })
      const url = await program.url()
      const answer = fetch(`${url}/wait?ms=400`)
      await program.line(named('entered'))
      program.child.kill(signal)
      if (isGroup) for (const pid of workersOf(program)) process.kill(pid, signal)
      const response = await answer
      assert.deepEqual([response.status, response.headers.get('connection')], [200, 'close'])
      assert.deepEqual(await program.exited, [0, null])
      assert.equal(program.lines.filter(named('onStop')).length, 2)
      assert.equal(program.lines.some(named('A worker died')), false)
      assert.equal(program.errors(), '')
    })
  }

  it('a second signal ends all at once', async () => {
    const program = await start({ listen: { workers: 1 }, timeouts: { grace: 60_000 } })
    const url = await program.url()
    const socket = await open(url)
    socket.on('error', () => undefined).write('GET /slow HTTP/1.1\r\nHost: a.test\r\n\r\n')
    await program.line(named('entered'))
    const silent = await open(url)
    program.child.kill('SIGTERM')
    await readAll(silent) // the worker has begun to close
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [1, null])
    const pids = workersOf(program)
    await until(() => !pids.some(isAlive), 'the worker is gone')
    socket.destroy()
  })

  it('kills a worker that does not end, and says so by its exit code', async () => {
    const program = await start({ listen: { workers: 1 }, timeouts: { grace: 0, idle: 50 } })
    await program.url()
    const [pid = 0] = workersOf(program)
    process.kill(pid, 'SIGSTOP')
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [1, null])
    assert.equal(isAlive(pid), false)
  })

  it('a signal while workers start ends them, and the process with 0', async () => {
    const program = await start({ listen: { workers: 2 }, startTakes: 300 })
    await program.line(named('starting'))
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [0, null])
    assert.equal(program.errors(), '')
  })
})
