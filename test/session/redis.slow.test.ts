import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

import { createClient } from '@redis/client'
import { createApp, defineController, defineModule, Session } from 'octavo'
import { createRedisStore } from 'octavo/stores'

import { findPort } from '../support/ports.ts'
import { SECRET } from './support.ts'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** Whether something answers `PING` at the port. */
function isAnswering(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
  })
}

async function startRedis(port: number, folder: string): Promise<ChildProcess> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', [...options, '--dir', folder], { stdio: 'ignore' })
  for (let tries = 0; tries < 1_200; tries++) {
    if (await isAnswering(port)) return child
    await sleep(50)
  }
  throw new Error('redis-server does not answer')
}

const controller = defineController({
  prefix: '/',
  inject: { session: Session },
  routes: [
    { method: 'GET', handler: ({ inject: { session } }) => session.data },
    {
      method: 'POST',
      handler: ({ inject: { session } }) => {
        session.data['count'] = Number(session.data['count'] ?? 0) + 1
      },
    },
    { method: 'DELETE', handler: ({ inject: { session } }) => session.destroy() },
  ],
})

describe('sessions in Redis', { skip: hasRedis ? false : 'redis-server is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-redis-'))
  const closing: (() => Promise<unknown>)[] = []
  let redis: ChildProcess
  let port = 0

  before(async () => {
    port = await findPort()
    redis = await startRedis(port, folder)
  })
  after(async () => {
    await Promise.all(closing.map((close) => close()))
    redis.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  /** One more instance of the application, with a connection of its own. */
  function serve(storeTimeout = 5000) {
    const client = createClient({ url: `redis://127.0.0.1:${port}` })
    client.on('error', () => undefined)
    void client.connect()
    const store = createRedisStore(client)
    const app = createApp(defineModule({ controllers: [controller] }), {
      session: { secret: SECRET, store, storeTimeout },
      logger: false,
    })
    closing.push(async () => {
      await app.close()
      client.destroy()
    })
    return { app, client }
  }

  /** Tries until the status comes, for reconnecting takes its time. */
  async function waitFor(status: number, request: () => Promise<{ statusCode: number }>): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      if ((await request()).statusCode === status) return
      await sleep(100)
    }
    assert.fail(`no ${status}`)
  }

  it('are shared by two instances, and end in both', async () => {
    const [one, two] = [serve().app, serve().app]
    const first = await one.inject({ method: 'POST', url: '/' })
    assert.equal(first.statusCode, 204)
    const [cookie] = first.cookies
    const cookies = { [cookie?.name ?? '']: cookie?.value ?? '' }
    assert.deepEqual((await two.inject({ url: '/', cookies })).json(), { count: 1 })
    await two.inject({ method: 'POST', url: '/', cookies })
    assert.deepEqual((await one.inject({ url: '/', cookies })).json(), { count: 2 })
    assert.equal((await two.inject({ method: 'DELETE', url: '/', cookies })).statusCode, 204)
    assert.deepEqual((await one.inject({ url: '/', cookies })).json(), {})
  })

  it('live in Redis no longer than the idle time', async () => {
    const { app, client } = serve()
    await app.inject({ method: 'POST', url: '/' })
    const [key = ''] = await client.keys('*')
    assert.match(key, /^octavo:session:[\w-]{32}$/)
    const ttl = await client.pTTL(key)
    assert.ok(ttl > 1_790_000 && ttl <= 1_800_000, String(ttl))
  })

  it('are a 503 while Redis hangs, and are there again when it goes on', async () => {
    const { app } = serve(200)
    const [cookie] = (await app.inject({ method: 'POST', url: '/' })).cookies
    const cookies = { [cookie?.name ?? '']: cookie?.value ?? '' }
    redis.kill('SIGSTOP')
    const response = await app.inject({ url: '/', cookies })
    assert.equal(Object(response.json()).code, 'session_unavailable')
    assert.equal((await app.inject('/')).statusCode, 200, 'without cookie, Redis is not asked')
    let waiting = 0
    for (let requests = 0; requests < 1000; requests++) {
      const start = performance.now()
      assert.equal((await app.inject({ url: '/', cookies })).statusCode, 503)
      if (performance.now() - start > 150) waiting++
    }
    assert.ok(waiting <= 10, `${waiting} of 1000 requests waited`)
    redis.kill('SIGCONT')
    await waitFor(200, () => app.inject({ url: '/', cookies }))
    assert.deepEqual((await app.inject({ url: '/', cookies })).json(), { count: 1 })
  })

  it('are a 503 while Redis is dead, and work again after it was started anew', async () => {
    const { app } = serve(200)
    const [cookie] = (await app.inject({ method: 'POST', url: '/' })).cookies
    const cookies = { [cookie?.name ?? '']: cookie?.value ?? '' }
    const dead = once(redis, 'exit')
    redis.kill('SIGKILL')
    await dead
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await app.inject({ method, url: '/', cookies })
      assert.equal(Object(response.json()).code, 'session_unavailable', method)
    }
    assert.equal((await app.inject({ method: 'POST', url: '/' })).statusCode, 503)
    assert.equal((await serve(200).app.inject({ method: 'POST', url: '/' })).statusCode, 503)
    redis = await startRedis(port, folder)
    await waitFor(204, () => app.inject({ method: 'POST', url: '/' }))
    // what Redis has forgotten is a new session
    await waitFor(200, () => app.inject({ url: '/', cookies }))
    assert.deepEqual((await app.inject({ url: '/', cookies })).json(), {})
  })
})
