import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import type { UsageEntry } from 'octavo'

import { named, start } from '../node/process/child.ts'
import { startLoad, until } from '../node/process/load.ts'
import type { Load } from '../node/process/load.ts'
import { createCounts, createFileStore } from '../support/usage.ts'

const root = mkdtempSync(join(tmpdir(), 'octavo-usage-'))
after(() => rmSync(root, { recursive: true }))

/** A folder whose files several processes count in, and what they counted. */
function createShared(interval: number) {
  const folder = mkdtempSync(join(root, 'counts-'))
  const { read } = createCounts({ store: createFileStore(folder) })
  return { usage: { folder, interval }, read }
}

/** The sums of counts by version, route and client, and those of their changes. */
function sumsOf(entries: readonly UsageEntry[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  const add = (name: string, count: number): void => void (sums[name] = (sums[name] ?? 0) + count)
  for (const { version, route, client, count, changes = [] } of entries) {
    const name = [version, route, client].join(' ')
    add(name, count)
    for (const change of changes) add(`${name} ${change.id}`, change.count)
  }
  return sums
}

describe('usage of workers', { skip: process.platform === 'win32' }, () => {
  it('is exact over four workers for each version, client and change, and SIGTERM loses nothing', async () => {
    const { usage, read } = createShared(400)
    // the interval is long, so that nearly everything is counted by the last flush
    const program = await start({ listen: { workers: 4 }, usage, hasHistory: true })
    const url = await program.url()
    const altered = startLoad(`${url}/v1/answer?client=acme&town=Ulm`, 4)
    const plain = startLoad(`${url}/v1/answer?client=acme`, 4)
    const other = startLoad(`${url}/v1/answer?client=shop&town=Ulm`, 4)
    const newest = startLoad(`${url}/v2/answer?client=acme&town=Ulm`, 4)
    const loads = [altered, plain, other, newest]
    await until(
      () => loads.every(({ answers }) => sumOf(answers) > 200) && processesOf(loads) === 4,
      'all workers answer',
    )
    await Promise.all(loads.map((load) => load.stop()))
    assert.deepEqual(
      loads.flatMap(({ failures }) => failures),
      [],
    )
    program.child.kill('SIGTERM')
    assert.deepEqual(await program.exited, [0, null])
    assert.deepEqual(sumsOf(await read()), {
      '1 answer.get acme': sumOf(altered.answers) + sumOf(plain.answers),
      '1 answer.get acme towns': sumOf(altered.answers),
      '1 answer.get shop': sumOf(other.answers),
      '1 answer.get shop towns': sumOf(other.answers),
      '2 answer.get acme': sumOf(newest.answers),
    })
  })

  it('has requests that were under way at SIGTERM', async () => {
    const { usage, read } = createShared(2 ** 30)
    const program = await start({ usage })
    const slow = fetch(`${await program.url()}/slow`)
    await program.line(named('entered'))
    program.child.kill('SIGTERM')
    program.child.stdin?.write('go')
    assert.equal((await slow).status, 200)
    assert.deepEqual(await program.exited, [0, null])
    assert.deepEqual(
      (await read()).map(({ count }) => count),
      [1],
    )
  })
})

function processesOf(loads: readonly Load[]): number {
  return new Set(loads.flatMap(({ answers }) => [...answers.keys()])).size
}

function sumOf(answers: ReadonlyMap<number, number>): number {
  return [...answers.values()].reduce((sum, count) => sum + count, 0)
}
