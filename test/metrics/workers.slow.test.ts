import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { z } from 'zod'
import { programArguments } from '../support/program.ts'

const Urls = z.object({ url: z.string(), own: z.string() })

/** A connection of its own for each request, so that the workers take turns. */
async function get(url: string): Promise<string> {
  const response = await fetch(url, { headers: { connection: 'close' } })
  const body = await response.text()
  assert.equal(response.status, 200, body)
  return body
}

/** Asks so often, until at least two workers have answered. Returns the processes and the number of requests. */
async function ask(url: string, least: number) {
  const pids = new Set<number>()
  let count = 0
  for (; count < least || pids.size < 2; count++) pids.add(Number(await get(`${url}/car`)))
  return { pids, count }
}

function countOf(text: string): number {
  const found = /^http_requests_total\{method="GET",route="\/car",.*\} (\d+)$/gm
  return [...text.matchAll(found)].reduce((sum, [, value]) => sum + Number(value), 0)
}

describe('metrics under workers', { skip: process.platform === 'win32' }, () => {
  it('add up, also when workers are replaced or killed', async () => {
    const child = spawn(process.execPath, programArguments('test/metrics/workers/app.ts'), {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [line]: unknown[] = await once(createInterface({ input: child.stdout }), 'line')
      const { url, own } = Urls.parse(JSON.parse(String(line)))
      const first = await ask(url, 20)
      // each worker answers for all, and so does the process that keeps them
      for (const address of [url, url, own])
        assert.equal(countOf(await get(`${address}/metrics`)), first.count)
      assert.match(await get(`${own}/metrics`), /^process_resident_memory_bytes \d/m)

      child.kill('SIGHUP')
      const pids = new Set(first.pids)
      let count = first.count
      const isReplaced = () => pids.size === 4
      for (let tries = 0; tries < 6_000 && !isReplaced(); tries++, count++) {
        pids.add(Number(await get(`${url}/car`)))
        await delay(10)
      }
      assert.ok(isReplaced())
      // the counts of the last one that leaves arrive before it has gone
      for (const pid of first.pids) while (isAlive(pid)) await delay(10)
      assert.equal(countOf(await get(`${url}/metrics`)), count)
      assert.equal(countOf(await get(`${own}/metrics`)), count)

      const killed = [...pids].at(-1) ?? 0
      process.kill(killed, 'SIGKILL')
      while (isAlive(killed)) await delay(10)
      // those of one that is killed are known since the last time that someone read them
      assert.equal(countOf(await get(`${own}/metrics`)), count)
    } finally {
      child.kill('SIGTERM')
      const [code]: unknown[] = await once(child, 'exit')
      assert.equal(code, 0)
    }
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
