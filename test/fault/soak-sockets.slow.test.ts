import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'

describe('a soak over sockets, half of whose clients reset them', () => {
  for (const engine of ['direct', 'node'])
    it(`finds every answer right and nothing left: ${engine}`, async () => {
      const args = ['scripts/soak.ts', '--engine', engine, '--minutes', '0.05', '--marks', '1']
      const { code, output } = await run(['--import', 'tsx', '--conditions', 'octavo-source', ...args])
      assert.equal(code, 0, output)
      assert.match(output, new RegExp(`The engine ${engine}, seed \\d+: [1-9]\\d* answers`))
      assert.doesNotMatch(output, /Found:/)
    })
})

async function run(args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: join(import.meta.dirname, '../..') }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr }),
    )
  })
}
