import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { createClient } from '@redis/client'
import { Redis } from 'ioredis'
import { Agent, fetch } from 'undici'
import type { Response } from 'undici'
import { defineController } from 'octavo'
import type { App } from 'octavo'
import { idempotency } from 'octavo/idempotency'
import { createRedisStore } from 'octavo/stores'
import { programArguments } from '../support/program.ts'
import { serve } from '../support/serve.ts'

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
    for (let tries = 0; tries < 1_200; tries++) {
      if (spawnSync('redis-cli', ['-s', path, 'ping']).stdout.toString().startsWith('PONG')) break
      await sleep(50)
    }
    client = new Redis({ path })
    const args = [...programArguments('test/idempotency/workers/app.ts'), path]
    const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
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
    for (let tries = 0; tries < 1_200 && (await again())[1] === 'idempotency_key_in_use'; tries++)
      await sleep(50)
    assert.deepEqual(await again(), [409, 'idempotent_outcome_unknown', '5'])
    assert.equal(await client.get('runs:killed'), '1')
  })

  it('keeps the result of a run whose key Redis lost while it ran, unless another run has the key', async () => {
    let runs = 0
    let lose = async (): Promise<unknown> => client.flushall()
    const controller = defineController({
      prefix: '/',
      interceptors: [idempotency({ store: createRedisStore(client) })],
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
    const app = serve(controller)
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
      interceptors: [idempotency({ store: createRedisStore(own), lifetime: 60 })],
      routes: [{ method: 'POST', handler: () => ++runs }],
    })
    const app = serve(controller)
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

  it('renews the lease of a handler that runs', async () => {
    let runs = 0
    let end: (value: string) => void = () => undefined
    let start: (value: unknown) => void = () => undefined
    const started = new Promise((resolve) => (start = resolve))
    const appWith = (): App => {
      const controller = defineController({
        prefix: '/',
        interceptors: [
          idempotency({ store: createRedisStore(client), lease: 1, lifetime: 1, afterLease: 'run' }),
        ],
        routes: [
          {
            method: 'POST',
            handler: async () => {
              start(++runs)
              return new Promise((resolve) => (end = resolve))
            },
          },
        ],
      })
      return serve(controller)
    }
    const [one, other] = [appWith(), appWith()]
    const headers = { 'idempotency-key': '"slow-0000000000000001"' }
    const first = one.inject({ method: 'POST', url: '/', headers })
    await started
    for (let times = 0; times < 3; times++) {
      await sleep(700)
      const response = await other.inject({ method: 'POST', url: '/', headers })
      assert.deepEqual([response.statusCode, response.headers['retry-after']], [409, '1'])
    }
    end('slow')
    assert.equal((await first).json(), 'slow')
    assert.equal((await other.inject({ method: 'POST', url: '/', headers })).json(), 'slow')
    assert.equal(runs, 1)
    await Promise.all([one.close(), other.close()])
  })

  for (const name of ['ioredis', 'redis'])
    it(`lets a key go that was started by a script whose reply was lost, with ${name}`, async () => {
      const proxy = await openProxy(path, join(folder, `before-${name}.sock`))
      const options = { path: proxy.path, enableOfflineQueue: false, maxRetriesPerRequest: 0 }
      const own =
        name === 'ioredis'
          ? new Redis({ ...options, retryStrategy: () => 20 })
          : createClient({
              socket: { path: proxy.path, tls: false, reconnectStrategy: 20 },
              disableOfflineQueue: true,
            })
      own.on('error', () => undefined)
      await ('isOpen' in own ? own.connect() : once(own, 'ready'))
      let runs = 0
      const appWith = (of: object): App => {
        const controller = defineController({
          prefix: '/',
          interceptors: [idempotency({ store: createRedisStore(of), lease: 1 })],
          routes: [{ method: 'POST', handler: () => ++runs }],
        })
        return serve(controller)
      }
      const [one, other] = [appWith(own), appWith(client)]
      const headers = { 'idempotency-key': `"reply-${name}-000000000001"` }
      const send = async (app: App) => app.inject({ method: 'POST', url: '/', headers })
      proxy.loseReply()
      const lost = await send(one)
      assert.deepEqual([lost.statusCode, Object(lost.json()).code], [503, 'idempotency_unavailable'])
      const held = await send(other)
      assert.deepEqual([held.statusCode, held.headers['retry-after']], [409, '1'])
      // its lease ends, and it is still not known what became of it
      for (let tries = 0; tries < 1_200; tries++) {
        const { code } = Object((await send(other)).json())
        if (code === 'idempotent_outcome_unknown') break
        await sleep(50)
      }
      proxy.passAll()
      let response = await send(other)
      for (let tries = 0; tries < 1_200 && response.statusCode === 409; tries++) {
        await sleep(50)
        response = await send(other)
      }
      assert.deepEqual([response.statusCode, response.json(), runs], [200, 1, 1])
      assert.equal((await send(one)).headers['idempotency-replayed'], 'true')
      if ('isOpen' in own) own.destroy()
      else own.disconnect()
      await Promise.all([one.close(), other.close(), proxy.close()])
    })
})

interface Proxy {
  readonly path: string
  /** Cuts the connection in the place of the next reply, and refuses new ones. */
  readonly loseReply: () => void
  readonly passAll: () => void
  readonly close: () => Promise<unknown>
}

/** A socket before that of Redis. */
async function openProxy(target: string, path: string): Promise<Proxy> {
  let mode: 'pass' | 'lose' | 'refuse' = 'pass'
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    if (mode === 'refuse') return void socket.destroy()
    const redis = connect(target)
    for (const each of [socket, redis]) {
      sockets.add(each)
      each.on('error', () => undefined)
      each.on('close', () => {
        socket.destroy()
        redis.destroy()
      })
    }
    socket.pipe(redis)
    redis.on('data', (reply) => {
      if (mode === 'pass') return void socket.write(reply)
      mode = 'refuse'
      socket.destroy()
    })
  })
  server.listen(path)
  await once(server, 'listening')
  return {
    path,
    loseReply: () => {
      mode = 'lose'
    },
    passAll: () => {
      mode = 'pass'
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
