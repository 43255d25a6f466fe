import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { programArguments } from '../support/program.ts'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0

interface Answer {
  readonly status: number | undefined
  readonly version?: string
  readonly pid?: number
  readonly code?: string
}

describe('pins of four workers', { skip: hasRedis ? false : 'redis-server is not installed' }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-pins-'))
  const path = join(folder, 'redis.sock')
  let redis: ChildProcess | undefined
  let program: ChildProcess | undefined
  let url = ''

  /** Starts a Redis that keeps what it stored when it is killed. */
  async function startRedis(): Promise<void> {
    const options = ['--port', '0', '--unixsocket', path, '--dir', folder, '--save', '']
    redis = spawn('redis-server', [...options, '--appendonly', 'yes', '--appendfsync', 'always'], {
      stdio: 'ignore',
    })
    for (let tries = 0; command('ping') !== 'PONG'; tries++) {
      assert.ok(tries < 1_200, 'redis-server does not answer')
      await sleep(50)
    }
  }

  const command = (...words: readonly string[]): string =>
    spawnSync('redis-cli', ['-s', path, ...words])
      .stdout.toString()
      .trim()

  async function startProgram(first?: string): Promise<void> {
    const child = spawn(process.execPath, programArguments('test/pins/app.ts'), {
      env: { ...process.env, REDIS: path, ...(first !== undefined && { FIRST: first }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    program = child
    for await (const line of createInterface({ input: child.stdout })) {
      url = String(Object(JSON.parse(line)).url)
      return
    }
    assert.fail('the program did not start')
  }

  async function stop(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  before(async () => {
    await startRedis()
    await startProgram()
  })
  after(async () => {
    await stop(program, 'SIGTERM')
    await stop(redis, 'SIGKILL')
    rmSync(folder, { recursive: true })
  })

  /** The answer to a request on a connection of its own, so that each worker gets some. */
  const send = (client?: string, query = '', method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      const headers = client === undefined ? {} : { 'x-account': client }
      const sent = request(`${url}/car${query}`, { agent: false, headers, method }, (response) => {
        const { statusCode: status } = response
        text(response).then((body) => resolve({ ...(body && JSON.parse(body)), status }), reject)
      })
      sent.on('error', reject)
      sent.end()
    })

  const sendMany = (count: number, ...sent: Parameters<typeof send>): Promise<readonly Answer[]> =>
    Promise.all(Array.from({ length: count }, () => send(...sent)))

  /** The different answers of requests that all four workers received. */
  async function askAll(...sent: Parameters<typeof send>): Promise<readonly unknown[]> {
    const workers = new Set<number | undefined>()
    const found = new Set<unknown>()
    for (let tries = 0; workers.size < 4; tries++) {
      assert.ok(tries < 5_000, 'a worker receives no requests')
      const { pid, version, code } = await send(...sent)
      if (pid !== undefined) workers.add(pid)
      found.add(version ?? code)
    }
    return [...found]
  }

  it('are one version for each client that calls all of them first', async () => {
    // all workers are awake, and no client has a pin
    assert.deepEqual(await askAll(), ['1'])
    const clients = Array.from({ length: 8 }, (_, index) => `client-${index}`)
    const answers = await Promise.all(clients.map((client) => sendMany(16, client)))
    for (const [index, client] of clients.entries()) {
      const pin = command('get', `octavo:pin:${client}`)
      const versions = new Set(answers[index]?.map(({ version }) => version))
      assert.deepEqual([...versions], [pin], client)
      assert.equal(command('hget', 'writes', client), '1', client)
      assert.deepEqual(await askAll(client), [pin], client)
    }
    const asked = new Set(answers.flat().map(({ pid }) => pid))
    assert.equal(asked.size, 4)
  })

  it('lose against a version in the request, which changes none', async () => {
    const { version: pin } = await send('acme')
    const other = pin === '5' ? '4' : '5'
    assert.deepEqual(await askAll('acme', `?version=${other}`), [other])
    assert.equal(command('get', 'octavo:pin:acme'), pin)
    assert.deepEqual(await askAll('acme'), [pin])
    assert.deepEqual(await askAll('unpinned', '?version=3'), ['3'])
    assert.equal(command('exists', 'octavo:pin:unpinned'), '0')
  })

  it('are upgraded in all of them', async () => {
    await send('upgraded')
    assert.equal((await send('upgraded', '?version=5', 'PUT')).status, 204)
    await sleep(50)
    assert.deepEqual(await askAll('upgraded'), ['5'])
  })

  it('survive a restart of the workers, which would choose another version now', async () => {
    const { version: pin } = await send('kept')
    assert.notEqual(pin, '5')
    await stop(program, 'SIGTERM')
    await startProgram('5')
    assert.deepEqual(await askAll('kept'), [pin])
    assert.deepEqual(await askAll('after-restart'), ['5'])
  })

  it('hold for remembered clients while Redis is down, and others are refused until it is back', async () => {
    command('set', 'octavo:pin:known', '2')
    assert.deepEqual(await askAll('known'), ['2'])
    await stop(redis, 'SIGKILL')

    assert.deepEqual(await askAll('known'), ['2'])
    const refused = await sendMany(16, 'unknown')
    assert.deepEqual(
      [...new Set(refused.map(({ status, code }) => `${status} ${code}`))],
      ['503 pin_unavailable'],
    )
    assert.deepEqual(await askAll('unknown', '?version=3'), ['3'])
    assert.deepEqual(await askAll(), ['1'])
    assert.equal((await send('known', '?version=4', 'PUT')).status, 500)

    await startRedis()
    // a worker that is not connected yet refuses
    for (let tries = 0; String(await askAll('unknown')) !== '5'; tries++) {
      assert.ok(tries < 1_200, 'a worker does not find Redis again')
      await sleep(50)
    }
    assert.deepEqual(await askAll('known'), ['2'])
  })
})
