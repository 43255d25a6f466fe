import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { programArguments } from '../support/program.ts'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0

describe('a quota of four workers', { skip: hasRedis ? false : 'redis-server is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-quota-'))
  const path = join(folder, 'redis.sock')
  const children: ChildProcess[] = []
  let url = ''

  before(async () => {
    const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', folder]
    children.push(spawn('redis-server', options, { stdio: 'ignore' }))
    for (let tries = 0; ; tries++) {
      if (spawnSync('redis-cli', ['-s', path, 'ping']).stdout.toString().startsWith('PONG')) break
      assert.ok(tries < 1_200, 'redis-server does not answer')
      await sleep(50)
    }
    const program = spawn(process.execPath, programArguments('test/quota/app.ts'), {
      env: { ...process.env, REDIS: path },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(program)
    for await (const line of createInterface({ input: program.stdout })) {
      url = String(Object(JSON.parse(line)).url)
      break
    }
  })
  after(async () => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill(child === children[0] ? 'SIGKILL' : 'SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true })
  })

  /** The status and the body of a request on a connection of its own, so that each worker gets some. */
  const send = (client: string) =>
    new Promise<readonly [status: number | undefined, body: string]>((resolve, reject) => {
      const headers = { authorization: `Bearer ${client}` }
      get(`${url}/car`, { agent: false, headers }, (response) => {
        text(response).then((body) => resolve([response.statusCode, body]), reject)
      }).on('error', reject)
    })

  it('is exact for each client, by its plan', async () => {
    const workers = new Set<string>()
    for (let tries = 0; workers.size < 4 && tries < 2_000; tries++) workers.add((await send('open-1'))[1])
    assert.equal(workers.size, 4)
    const clients = ['free-1', 'free-2', 'team-1', 'none-1']
    const answers = await Promise.all(
      clients.map((client) => Promise.all(Array.from({ length: 60 }, () => send(client)))),
    )
    const counts = (status: number): readonly number[] =>
      answers.map((all) => all.filter(([found]) => found === status).length)
    assert.deepEqual(counts(200), [10, 10, 40, 0])
    assert.deepEqual(counts(429), [50, 50, 20, 60])
  })
})
