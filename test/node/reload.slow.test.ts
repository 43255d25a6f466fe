import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { named, start } from './process/child.ts'
import { startLoad, until } from './process/load.ts'

const folder = mkdtempSync(join(tmpdir(), 'octavo-reload-'))
after(() => rmSync(folder, { recursive: true }))

describe('SIGHUP', { skip: process.platform === 'win32', concurrency: 2 }, () => {
  it('replaces the workers one after the other, loses no request, and brings new code', async () => {
    const file = join(folder, 'code')
    writeFileSync(file, 'old')
    const program = await start({ listen: { workers: 2 }, file, timeouts: { idle: 300 } })
    const url = await program.url()
    const load = startLoad(url, 8)
    await until(() => load.answers.size > 0, 'somebody answers')
    writeFileSync(file, 'new')
    const before = program.lines.length
    program.child.kill('SIGHUP')
    await program.line(named('All workers are new'), before)
    const count = [...load.answers.values()].reduce((sum, each) => sum + each, 0)
    await until(
      () => [...load.answers.values()].reduce((sum, each) => sum + each, 0) > count + 20,
      'the new ones answer',
    )
    await load.stop()
    assert.deepEqual(load.failures, [])
    assert.match(await (await fetch(url)).text(), /"text":"new"/)
    const started = program.lines.filter(named('A worker listens'))
    assert.equal(started.length, 4)
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [0, null])
  })

  it('keeps the old workers when new ones cannot start, and says so', async () => {
    const file = join(folder, 'broken')
    writeFileSync(file, 'good')
    const program = await start({ listen: { workers: 1 }, file })
    const url = await program.url()
    writeFileSync(file, 'broken')
    program.child.kill('SIGHUP')
    await program.line(named('A new worker could not start: the old ones go on'))
    assert.match(program.errors(), /The file is broken/)
    assert.match(await (await fetch(url)).text(), /"text":"good"/)
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [0, null])
  })
})
