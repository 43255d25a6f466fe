import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { defineController } from 'octavo'

import { isAlive, named, start, workersOf } from './process/child.ts'
import { startLoad, until } from './process/load.ts'
import { createTestApp, open, readUntil } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'octavo-workers-'))
after(() => rmSync(folder, { recursive: true }))

describe('listen with workers', { skip: process.platform === 'win32', concurrency: 2 }, () => {
  it('gives one URL to all, and goes on when workers are killed under load', async () => {
    const program = await start({ listen: { workers: 2 } })
    const url = await program.url()
    const load = startLoad(url, 8)
    await until(() => load.answers.size === 2, 'both workers answer')
    const [killed = 0, other = 0] = workersOf(program)
    const answered = load.answers.get(other) ?? 0
    process.kill(killed, 'SIGKILL')
    await program.line((line) => named('A worker died')(line) && line.pid === killed)
    await until(() => workersOf(program).length === 3, 'there is another worker')
    const successor = workersOf(program)[2] ?? 0
    await until(() => (load.answers.get(other) ?? 0) > answered + 20, 'the other worker goes on')
    await load.stop()
    // what was cut was on connections of the killed one, new ones among them
    for (const { error, pid } of load.failures) assert.equal(pid ?? killed, killed, error)
    assert.equal(load.failures.length <= 8, true, `${load.failures.length} failures`)
    const later = startLoad(url, 8)
    await until(() => later.answers.has(successor), 'the new worker answers')
    await later.stop()
    assert.deepEqual(later.failures, [])
    const urls = new Set(program.lines.flatMap((line) => line.url ?? []))
    assert.deepEqual([...urls], [url])
    assert.equal(program.lines.filter(named('Listening')).length, 1)
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [0, null])
  })

  it('closes a connection that a worker had not taken when it was killed', async () => {
    const program = await start({ listen: { workers: 1 } })
    const url = await program.url()
    const [pid = 0] = workersOf(program)
    process.kill(pid, 'SIGSTOP')
    const socket = await open(url)
    const ended = new Promise((resolve) =>
      socket
        .on('error', () => undefined)
        .resume()
        .once('close', resolve),
    )
    socket.write('GET / HTTP/1.1\r\nHost: a.test\r\n\r\n')
    process.kill(pid, 'SIGKILL')
    await ended
    await until(() => workersOf(program).length === 2, 'there is another worker')
    assert.equal((await fetch(url)).status, 200)
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [0, null])
  })

  it('leaves upgraded connections to the worker that took them, and tells them when the application closes', async () => {
    const program = await start({ listen: { workers: 2 } })
    const url = await program.url()
    const head =
      'GET /echo HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\nfirst '
    const sockets = await Promise.all(Array.from({ length: 8 }, () => open(url)))
    const takenBy = sockets.map(async (socket) => {
      socket.write(head)
      const text = await readUntil(socket, /first $/)
      assert.match(text, /^HTTP\/1\.1 101 Switching Protocols\r\n/)
      socket.write('second')
      assert.equal(await readUntil(socket, /second$/), 'second')
      return Number(/\r\n\r\n(\d+):first $/.exec(text)?.[1])
    })
    const pids = new Set(await Promise.all(takenBy))
    assert.deepEqual(pids, new Set(workersOf(program)))
    const ended = sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)))
    program.child.kill('SIGTERM')
    await Promise.all(ended)
    assert.deepEqual(await program.exited, [0, null])
  })

  it('shares a Unix socket, and takes one that a killed process left', async () => {
    const path = join(folder, 'left.sock')
    const first = await start({ listen: { workers: 1, path } })
    assert.equal(await first.url(), `unix:${path}`)
    first.child.kill('SIGKILL')
    await until(() => !workersOf(first).some(isAlive), 'the worker is gone')
    const second = await start({ listen: { workers: 2, path } })
    assert.equal(await second.url(), `unix:${path}`)
    second.child.kill('SIGTERM')
    assert.deepEqual(await second.exited, [0, null])
  })

  it('workers finish and end when the process that keeps them is gone', async () => {
    const program = await start({ listen: { workers: 2 } })
    const url = await program.url()
    const pids = workersOf(program)
    const answer = fetch(`${url}/wait?ms=300`)
    await program.line(named('entered'))
    program.child.kill('SIGKILL')
    assert.equal((await answer).status, 200)
    await until(() => !pids.some(isAlive), 'the workers are gone')
  })

  it('rejects when the first worker cannot start: one error, and the exit code 1', async () => {
    const file = join(folder, 'broken')
    writeFileSync(file, 'broken')
    const taken = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 1 }] }),
    )
    const { port } = new URL(await taken.listen({ port: 0, host: '127.0.0.1' }))
    const program = await start({ listen: { workers: 2, port: Number(port) } })
    assert.deepEqual(await program.exited, [1, null])
    assert.equal(program.errors().match(/EADDRINUSE\); stop the program there/g)?.length, 1)
    assert.match(program.errors(), /Worker 1 ended with code 1 before it listened/)
    await taken.close()
  })

  it('gives up when workers die again and again while they start', async () => {
    const file = join(folder, 'later-broken')
    writeFileSync(file, 'good')
    const program = await start({ listen: { workers: 1 }, file })
    await program.url()
    writeFileSync(file, 'broken')
    const [pid = 0] = workersOf(program)
    process.kill(pid, 'SIGKILL')
    assert.deepEqual(await program.exited, [1, null])
    assert.equal(program.lines.filter(named('A worker could not start')).length, 5)
    assert.equal(program.lines.at(-1)?.msg, 'No worker can start: giving up')
  })

  it('warns once that each worker has its own memory', async () => {
    const session = { secret: 'a secret for tests, of 32 characters' }
    const program = await start({ listen: { workers: 2 }, session })
    await program.url()
    program.child.kill('SIGTERM')
    await program.exited
    const warnings = program.lines.filter(({ level }) => level === 'warn')
    assert.deepEqual(
      warnings.map(({ msg, by }) => [msg, by]),
      [['Each worker keeps its own sessions in memory: give createApp a store', program.child.pid]],
    )
  })

  it('refuses a number of workers that is none', async () => {
    const app = createTestApp(
      defineController({ prefix: '/', routes: [{ method: 'GET', handler: () => 1 }] }),
    )
    for (const workers of [0, -1, 1.5, Number.NaN])
      await assert.rejects(app.listen({ port: 0, workers }), {
        message: "listen: workers is not 'auto' or a number of processes",
      })
    await app.close()
  })
})
