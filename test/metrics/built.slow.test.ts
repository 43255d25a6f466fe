import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { z } from 'zod'

import { createFolder } from '../support/octavo.ts'
import { installPackage } from '../support/package.ts'

const Line = z.union([
  z.object({ url: z.string(), own: z.string() }),
  z.object({ pid: z.int(), errorType: z.string().optional() }),
])

/** A folder with a program that imports the package by its name. */
async function createProgram(): Promise<string> {
  const { path, write, remove } = createFolder()
  after(() => remove())
  await installPackage(path)
  write('app.ts', readFileSync(join(import.meta.dirname, 'built', 'app.ts'), 'utf8'))
  return path
}

describe('the built entry points', { skip: process.platform === 'win32' }, () => {
  it('share the state of their modules, so that last counts arrive and errors are known', async () => {
    const folder = await createProgram()
    const child = spawn(process.execPath, ['--import', 'tsx', 'app.ts'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const errorTypes = new Set<string | undefined>()
    const pids = new Set<number>()
    try {
      const { url, own } = await new Promise<{ url: string; own: string }>((resolve, reject) => {
        child.once('exit', (code) => reject(new Error(`It ended with ${code}`)))
        createInterface({ input: child.stdout }).on('line', (text) => {
          const line = Line.parse(JSON.parse(text))
          if ('url' in line) return resolve(line)
          errorTypes.add(line.errorType)
          pids.add(line.pid)
        })
      })
      const sold = async (): Promise<void> => {
        const response = await fetch(`${url}/car`, { headers: { connection: 'close' } })
        assert.equal(response.status, 409)
        await response.text()
      }
      let count = 0
      for (; count < 10 || pids.size < 2; count++) await sold()
      // a worker that is replaced sends what nobody has read yet, by a hook that octavo calls and octavo/metrics sets
      child.kill('SIGHUP')
      for (const pid of pids) while (isAlive(pid)) await delay(20)
      const text = await (await fetch(`${own}/metrics`)).text()
      const [, counted] = /^http_requests_total\{.*route="\/car",status="409".*\} (\d+)$/m.exec(text) ?? []
      assert.equal(Number(counted), count)
      // an error of octavo is one for octavo/otel too
      assert.deepEqual([...errorTypes], ['car_sold'])
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
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
