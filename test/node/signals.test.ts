import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'

import { named, start } from './process/child.ts'
import type { ProgramOptions } from './process/app.ts'
import type { Program } from './process/child.ts'
import { startLoad, until } from './process/load.ts'
import { exchange, open, parse, readAll } from './support.ts'

const REQUEST = 'GET /slow HTTP/1.1\r\nHost: a.test\r\n\r\n'

/** Starts the program and a request that it does not end before it is told to. */
async function startSlow(options: ProgramOptions = {}) {
  const program = await start({ timeouts: { grace: 60_000 }, ...options })
  const url = await program.url()
  const socket = await open(url)
  socket.on('error', () => undefined)
  socket.write(REQUEST)
  await program.line(named('entered'))
  // a connection without request tells when the server has begun to close
  const silent = await open(url)
  const closing = once(silent.resume(), 'close')
  return { program, url, socket, closing }
}

/** The levels and texts of what is not told by the test's own program. */
function told({ lines }: Program): readonly string[] {
  return lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ msg }) => msg)
}

describe('signals', { skip: process.platform === 'win32', concurrency: 2 }, () => {
  it('SIGTERM lets requests in flight finish, then ends the process', async () => {
    const { program, socket, closing } = await startSlow()
    program.child.kill('SIGTERM')
    await closing
    program.child.stdin?.write('go')
    const { headers, body } = parse(await readAll(socket))
    assert.deepEqual([body, headers['connection']], ['"slow"', 'close'])
    assert.deepEqual(await program.exited, [0, null])
    assert.deepEqual(told(program), [])
  })

  it('the second ends the process at once', async () => {
    const { program, closing } = await startSlow()
    program.child.kill('SIGTERM')
    await closing
    program.child.kill('SIGINT')
    assert.deepEqual(await program.exited, [1, null])
    assert.equal(program.lines.some(named('onStop')), false)
  })

  it('breaks off what takes longer than the grace time, names ten, and says so by the exit code', async () => {
    const { program, url, socket } = await startSlow({ timeouts: { grace: 50 } })
    for (let index = 0; index < 11; index++) {
      const other = await open(url)
      other.on('error', () => undefined).write(REQUEST)
    }
    await until(() => program.lines.filter(named('entered')).length === 12, 'requests are under way')
    program.child.kill('SIGTERM')
    assert.equal(await readAll(socket).catch(() => ''), '')
    assert.deepEqual(await program.exited, [1, null])
    assert.deepEqual(told(program), ['Requests were broken off: the grace time was over'])
    const { grace, count, requests } = await program.line(
      named('Requests were broken off: the grace time was over'),
    )
    const { requestId, ...request } = Object(requests)[0]
    assert.equal(typeof requestId, 'string')
    assert.deepEqual(
      [grace, count, Object(requests).length, request],
      [50, 12, 10, { method: 'GET', path: '/slow', version: null, route: 'getSlow' }],
    )
    assert.equal(program.lines.some(named('onStop')), true)
  })

  it('SIGINT under load lets every request finish that has begun', async () => {
    const program = await start({})
    const load = startLoad(`${await program.url()}/wait?ms=100`, 8)
    await until(() => program.lines.filter(named('entered')).length >= 16, 'requests are under way')
    program.child.kill('SIGINT')
    assert.deepEqual(await program.exited, [0, null])
    await load.stop()
    const answers = [...load.answers.values()].reduce((sum, each) => sum + each, 0)
    assert.equal(answers, program.lines.filter(named('entered')).length)
  })

  it('draining: not ready, and everything still answered, before anything closes', async () => {
    const program = await start({ timeouts: { drain: 1500 } })
    const url = await program.url()
    assert.equal((await fetch(`${url}/readyz`)).status, 200)
    program.child.kill('SIGTERM')
    let ready = await fetch(`${url}/readyz`)
    while (ready.status === 200) ready = await fetch(`${url}/readyz`)
    assert.deepEqual([ready.status, await ready.json()], [503, { status: 'unavailable', checks: {} }])
    assert.equal((await fetch(`${url}/livez`)).status, 200)
    assert.equal((await fetch(url)).status, 200)
    // or a client would lose the next request on the connection
    assert.match(
      await exchange(url, 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n'),
      /^HTTP\/1\.1 200 .*connection: close\r\n/is,
    )
    assert.deepEqual(await program.exited, [0, null])
    await assert.rejects(fetch(url), TypeError)
  })

  for (const [title, options, messages] of [
    // a listener that only returns, and an input that stays open, do not keep the process
    [
      'an onStop that fails',
      { onStop: 'fails', onSignal: 'returns' },
      ['The application did not stop cleanly'],
    ],
    [
      'an onStop that hangs',
      { onStop: 'hangs', timeouts: { grace: 0 } },
      ['The application did not stop in time: a hook or a provider hangs'],
    ],
  ] as const) {
    it(`${title} is logged, and makes the exit code 1`, async () => {
      const program = await start(options)
      await program.url()
      program.child.kill('SIGTERM')
      assert.deepEqual(await program.exited, [1, null])
      assert.deepEqual(told(program), messages)
    })
  }

  it('end all applications of a process', async () => {
    const program = await start({ twice: true })
    await program.url()
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [0, null])
    assert.equal(program.lines.filter(named('onStop')).length, 2)
  })

  it('other listeners end what is theirs before the process ends', async () => {
    const program = await start({ onSignal: 'works' })
    await program.url()
    program.child.kill('SIGTERM')
    await program.line(named('onStop'))
    // or it keeps the process
    program.child.stdin?.end()
    assert.deepEqual(await program.exited, [0, null])
    assert.equal(program.lines.at(-1)?.msg, 'sent')
  })

  it('while the application starts: it stops what has started, and ends the process with 0', async () => {
    const program = await start({ startTakes: 300 })
    await program.line(named('starting'))
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [0, null])
    assert.equal(program.lines.some(named('onStop')), true)
    assert.equal(program.lines.some(named('url')), false)
    assert.equal(program.errors(), '')
  })
})
