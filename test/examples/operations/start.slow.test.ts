import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'

import { isListening, missingPrograms } from '../../../examples/operations/cluster.ts'
import { findPort } from '../../support/ports.ts'
import { ROOT } from '../../support/octavo.ts'
import { call } from './load.ts'
import { until } from './setting.ts'

const missing = process.platform === 'win32' ? ['a shell'] : missingPrograms()

const folder = mkdtempSync(join(tmpdir(), 'octavo-start-'))
chmodSync(folder, 0o755) // PostgreSQL runs as another user
after(() => rmSync(folder, { recursive: true }))

const inFolder = { cwd: folder, encoding: 'utf8' } as const

async function findPorts(): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < 5) ports.push(await findPort())
  return ports
}

/** Starts the example with its temporary files in `folder`. */
function startExample(ports: readonly number[]) {
  const flags = ['--import', 'tsx', '--conditions', 'octavo-source', 'examples/operations/start.ts']
  const env = { ...process.env, PORTS: ports.join(','), TMPDIR: folder, TMP: folder }
  const child = spawn(process.execPath, flags, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exit = once(child, 'exit')
  after(() => child.kill('SIGINT'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return {
    /** Waits until it has printed a text. */
    prints: async (text: string) => {
      await until(() => printed.includes(text) || child.exitCode !== null, `${text} is printed`)
      assert.ok(printed.includes(text), printed)
      return printed
    },
    interrupt: () => child.kill('SIGINT'),
    /** Ends what reads its output, as `head` does. */
    stopReading: () => child.stdout.destroy(),
    /** Waits for the end. */
    exit: async () => {
      await exit
      return { code: child.exitCode, printed }
    },
  }
}

/** Runs `octavo retire` with the usage in `folder`. */
function retire(version: string) {
  const flags = ['--import', 'tsx', '--conditions', 'octavo-source', 'src/cli/main.ts', 'retire', version]
  const usage = ['--usage', join(folder, 'usage.json')]
  const parameters = [...flags, 'examples/operations/commands.ts', ...usage]
  return spawnSync(process.execPath, parameters, { cwd: ROOT, encoding: 'utf8' })
}

async function assertGone(ports: readonly number[]): Promise<void> {
  for (const port of ports) assert.equal(await isListening(port), false, `${port} listens`)
  const left = readdirSync(folder).filter((name) => name.startsWith('orders-'))
  assert.deepEqual(left, [])
}

describe('npm run operations', { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` }, () => {
  it('starts what its commands call, and ends all of it, also if it is interrupted twice', async () => {
    const ports = await findPorts()
    const [port = 0] = ports
    const example = startExample(ports)
    const printed = await example.prints('Ctrl+C')
    const commands = [...printed.matchAll(/^ {2}((?:curl|kill) .*?)(?: {2,}\(.*)?$/gm)]
    assert.equal(commands.length, 8)
    for (const [, command = ''] of commands) {
      const { status, stdout } = spawnSync('sh', ['-c', command], inFolder)
      assert.equal(status, 0, command)
      if (command.startsWith('curl -i')) assert.match(stdout, /^HTTP\/1\.1 200 /, command)
      assert.doesNotMatch(stdout, /"status":[45]/, command)
    }
    // the instance that was killed may have had the counts of the calls before
    const headers = { 'x-api-key': 'acme-key', 'x-api-version': '1' }
    assert.equal((await call(port, { path: '/orders', headers })).status, 200, 'the others go on')
    let usage = ''
    await until(() => {
      usage = spawnSync(
        'curl',
        ['-s', '-b', 'jar', `http://localhost:${port}/desk/usage?version=1`],
        inFolder,
      ).stdout
      return usage.includes('"acme"')
    }, 'usage is stored')
    writeFileSync(join(folder, 'usage.json'), usage)
    const retired = retire('1')
    assert.match(
      retired.stdout,
      /^acme +\d+ +[\d-]+ +order\.list +Items are called articles$/m,
      retired.stderr,
    )
    assert.match(retired.stdout, /^ {2}2 {2}Items are called articles$/m)
    assert.equal(retired.status, 1)
    example.interrupt()
    await example.prints('Stopping')
    example.interrupt()
    assert.equal((await example.exit()).code, 0)
    await assertGone(ports)
  })

  for (const [when, isRead] of [
    ['before all has', true],
    ['and nobody reads what it prints', false],
  ] as const)
    it(`ends what has started if it is interrupted ${when}`, async () => {
      const ports = await findPorts()
      const [, redis = 0] = ports
      const example = startExample(ports)
      await until(() => isListening(redis), 'Redis listens')
      if (!isRead) example.stopReading()
      example.interrupt()
      const { code, printed } = await example.exit()
      assert.equal(code, 0, printed)
      assert.doesNotMatch(printed, /instances answer/)
      await assertGone(ports)
    })

  it('names a port that another program uses, and ends what has started', async () => {
    const ports = await findPorts()
    const server = createServer().listen(ports[1], '127.0.0.1')
    await once(server, 'listening')
    const example = startExample(ports)
    const { code, printed } = await example.exit()
    assert.equal(code, 1)
    assert.ok(printed.endsWith(`Port ${ports[1]} is in use by another program\n`), printed)
    server.close()
    await once(server, 'close')
    await assertGone(ports)
  })
})
