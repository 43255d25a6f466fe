import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { Redis } from 'ioredis'
import { Agent, fetch } from 'undici'
import type { Response } from 'undici'
import { createApp, defineController, defineModule } from 'octavo'
import { idempotency } from 'octavo/idempotency'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0

describe('idempotency in Redis', { skip: hasRedis ? false : 'redis-server is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-idempotency-'))
  const path = join(folder, 'redis.sock')
  const children: ChildProcess[] = []
  let client: Redis
  let url = ''

  before(async () => {
    const options = ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--dir', folder]
    children.push(spawn('redis-server', options, { stdio: 'ignore' }))
    for (let tries = 0; tries < 200; tries++) {
      if (spawnSync('redis-cli', ['-s', path, 'ping']).stdout.toString().startsWith('PONG')) break
      await sleep(50)
    }
    client = new Redis({ path })
    const flags = ['--import', 'tsx', '--conditions', 'octavo-source']
    const file = join(import.meta.dirname, 'workers', 'app.ts')
    const program = spawn(process.execPath, [...flags, file, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(program)
    const [line]: unknown[] = await once(createInterface({ input: program.stdout }), 'line')
    url = String(line)
  })
  after(async () => {
    client.disconnect()
    await agent.destroy()
    const [redis, ...programs] = children
    for (const program of programs) {
      program.kill('SIGTERM')
      await once(program, 'exit')
    }
    redis?.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  /** The connections are shared out among the workers. */
  const agent = new Agent({ connections: 40, connect: { timeout: 120_000 } })
  const post = async (name: string, body: object, key: string): Promise<Response> =>
    fetch(`${url}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
      dispatcher: agent,
    })

  for (const name of ['ioredis', 'redis'])
    it(`runs one of 1,000 equal requests over four workers, with ${name}`, async () => {
      const key = `"${name}-0000000000000001"`
      const statuses = new Map<number, number>()
      const send = async (): Promise<void> => {
        const response = await post(name, { name }, key)
        const text = await response.text()
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        if (response.status === 201) assert.equal(text, '{"run":1,"at":"1970-01-01T00:00:00.000Z"}')
        else assert.equal(JSON.parse(text).code, 'idempotency_key_in_use')
      }
      await Promise.all(Array.from({ length: 1000 }, send))
      assert.equal(await client.get(`runs:${name}`), '1')
      assert.deepEqual(
        [...statuses.keys()].filter((status) => status !== 409),
        [201],
      )
      const last = await post(name, { name }, key)
      assert.deepEqual(
        [last.status, last.headers.get('idempotency-replayed'), last.headers.get('x-run')],
        [201, 'true', '1'],
      )
      assert.equal((await post(name, { name: 'other' }, key)).status, 422)
    })

  it('runs a handler once whose process is killed, and says so before and after the lease', async () => {
    const body = { name: 'killed', dies: true }
    const key = '"killed-0000000000000001"'
    await assert.rejects(post('redis', body, key))
    // the worker that took its place may not be there yet
    const again = async (): Promise<readonly unknown[]> => {
      const response = await post('redis', body, key)
      return [response.status, Object(await response.json()).code, response.headers.get('retry-after')]
    }
    assert.deepEqual(await again(), [409, 'idempotency_key_in_use', '1'])
    for (let tries = 0; tries < 100 && (await again())[1] === 'idempotency_key_in_use'; tries++)
      await sleep(50)
    assert.deepEqual(await again(), [409, 'idempotent_outcome_unknown', '2'])
    assert.equal(await client.get('runs:killed'), '1')
  })

  it('keeps the result of a run whose key Redis lost while it ran, unless another run has the key', async () => {
    let runs = 0
    let lose = async (): Promise<unknown> => client.flushall()
    const controller = defineController({
      prefix: '/',
      interceptors: [idempotency({ store: client })],
      routes: [
        {
          method: 'POST',
          handler: async () => {
            const run = ++runs
            await lose()
            return run
          },
        },
      ],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    const send = async (key: string) =>
      app.inject({ method: 'POST', url: '/', headers: { 'idempotency-key': key } })
    assert.equal((await send('"lost-0000000000000001"')).json(), 1)
    const again = await send('"lost-0000000000000001"')
    assert.deepEqual([again.json(), again.headers['idempotency-replayed']], [1, 'true'])
    const [name = ''] = await client.keys('octavo:idempotency:*')
    assert.ok((await client.pttl(name)) > 80_000_000)
    lose = async () => {
      lose = async () => Promise.resolve()
      await client.flushall()
      assert.equal((await send('"lost-0000000000000002"')).json(), 3)
    }
    assert.equal((await send('"lost-0000000000000002"')).json(), 2)
    assert.equal((await send('"lost-0000000000000002"')).json(), 3)
    assert.equal(runs, 3)
    await app.close()
  })

  it('gives a client that was down its protection back', async () => {
    const own = new Redis({
      path,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 20,
    })
    own.on('error', () => undefined)
    await once(own, 'ready')
    let runs = 0
    const controller = defineController({
      prefix: '/',
      interceptors: [idempotency({ store: own, lifetime: 60 })],
      routes: [{ method: 'POST', handler: () => ++runs }],
    })
    const app = createApp(defineModule({ controllers: [controller] }), { logger: false })
    const send = async (key: string) =>
      app.inject({ method: 'POST', url: '/', headers: { 'idempotency-key': key } })
    assert.equal((await send('"down-0000000000000001"')).json(), 1)
    own.disconnect()
    await once(own, 'end')
    assert.equal((await send('"down-0000000000000001"')).statusCode, 503)
    assert.equal((await send('"down-0000000000000002"')).statusCode, 503)
    await own.connect()
    assert.equal((await send('"down-0000000000000001"')).headers['idempotency-replayed'], 'true')
    assert.equal((await send('"down-0000000000000002"')).json(), 2)
    const [name = ''] = await client.keys('octavo:idempotency:*')
    const time = await client.pttl(name)
    assert.ok(time > 0)
    own.disconnect()
    await app.close()
  })
})
