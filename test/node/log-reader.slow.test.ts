import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

const PROGRAM = join(import.meta.dirname, 'process/logging.ts')

const folder = mkdtempSync(join(tmpdir(), 'octavo-log-reader-'))
after(() => rmSync(folder, { recursive: true }))

/** What standard output of a server is: a pipe as shells and container engines make it, or a socket as Node and systemd do. */
type Kind = 'pipe' | 'socket'

/** A server whose standard output is read when the test says so. */
interface Server {
  readonly child: ChildProcess
  readonly exited: Promise<unknown>
  readonly url: string
  readonly out: Readable
}

async function start(kind: Kind, workers = 0): Promise<Server> {
  const pipe = kind === 'pipe' ? createPipe() : undefined
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions', 'octavo-source', PROGRAM, String(workers)],
    { stdio: ['ignore', pipe?.end ?? 'pipe', 'inherit', 'ipc'] },
  )
  after(() => child.kill('SIGKILL'))
  if (pipe !== undefined) closeSync(pipe.end)
  const out = pipe?.out ?? child.stdout
  assert.ok(out)
  const exited = once(child, 'exit')
  const [url]: readonly unknown[] = await once(child, 'message')
  return { child, exited, url: String(url), out }
}

/** What a server left to read. Node throws the output of a child away unless somebody reads it when the child exits. */
function textAfterExit({ child, out }: Server): Promise<string> {
  return new Promise((resolve) => child.once('exit', () => resolve(text(out))))
}

let pipes = 0

/** A pipe whose `end` a child can have. Nothing is read from `out` before somebody listens. */
function createPipe(): { readonly end: number; readonly out: Readable } {
  const path = join(folder, String(++pipes))
  execFileSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { end: openSync(path, 'w'), out: new Socket({ fd, readable: true, writable: false }) }
}

/** Sends requests, some at a time, and returns the milliseconds that the slowest answer took. */
async function load(paths: Iterable<string>, { url }: Server): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const rest = paths[Symbol.iterator]()
  let slowest = 0
  const send = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      const started = performance.now()
      await answer(new URL(next.value, url), agent)
      slowest = Math.max(slowest, performance.now() - started)
      // about 400 a second, so that a busy machine keeps up
      await delay(10)
    }
  }
  await Promise.all(Array.from({ length: 4 }, send))
  agent.destroy()
  return slowest
}

async function answer(url: URL, agent: Agent): Promise<void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject)
  })
  await text(response)
  assert.equal(response.statusCode, 200)
}

/**
 * Paths of requests, until some milliseconds are over.
 *
 * @yields a path that logs a line with the next number of its process
 */
function* linesFor(milliseconds: number): Generator<string> {
  const until = performance.now() + milliseconds
  while (performance.now() < until) yield '/600'
}

/** Paths of so many requests, each of which logs a line with so many characters. */
const lines = (count: number, size: number): readonly string[] =>
  Array.from({ length: count }, () => `/${size}`)

type Line = Readonly<Record<string, unknown>>

/** The lines of a log, each of which has to be JSON, but for those that Octavo logs of requests. */
function parse(log: string): readonly Line[] {
  const all = log
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line))
  return all.filter(
    ({ msg }) => msg === 'line' || msg === 'Log lines were dropped because the reader did not keep up',
  )
}

/** Asserts that lines have ascending numbers, none of which is missing. */
function assertNumbered(written: readonly Line[], from = 0): void {
  // no `deepEqual`: what differs in thousands of numbers takes minutes to show
  const wrong = written.findIndex(({ index }, place) => index !== from + place)
  assert.equal(
    wrong,
    -1,
    `after ${String(written[wrong - 1]?.['index'])}, line ${wrong} has the wrong number`,
  )
}

/** Sends requests to a server whose log nobody reads for 6 seconds, and returns the milliseconds that the slowest answer took. */
async function stall(kind: Kind): Promise<number> {
  const server = await start(kind)
  await load(['/child', ...lines(200, 1)], server)
  const log = delay(6000).then(() => text(server.out))
  const slowest = await load(linesFor(6000), server)
  await load(lines(10, 1), server)
  server.child.kill('SIGTERM')
  assert.deepEqual(await server.exited, [0, null])
  const written = parse(await log)
  assert.ok(written.length > 700, `${written.length} lines`)
  assertNumbered(written)
  return slowest
}

describe('a log reader that stalls', { skip: process.platform === 'win32', concurrency: 1 }, () => {
  for (const kind of ['pipe', 'socket'] as const) {
    it(`for 6 seconds delays no answer, and then gets every line: ${kind}`, async () => {
      let slowest = await stall(kind)
      // another process may have had the processor
      for (let tries = 1; slowest >= 250 && tries < 3; tries++) slowest = await stall(kind)
      assert.ok(slowest < 250, `the slowest answer took ${slowest} ms`)
    })

    it(`does not keep SIGTERM from ending the process: ${kind}`, async () => {
      const server = await start(kind)
      await load(lines(600, 1000), server)
      const log = textAfterExit(server)
      const started = performance.now()
      server.child.kill('SIGTERM')
      const timer = setTimeout(() => server.child.kill('SIGKILL'), 15_000)
      assert.deepEqual(await server.exited, [0, null])
      clearTimeout(timer)
      const took = performance.now() - started
      assert.ok(took < 5000, `the process ended after ${took} ms`)
      assertNumbered(parse(await log))
    })
  }

  it('costs lines beyond 16 MiB, whose number is logged where they are missing', async () => {
    const server = await start('pipe')
    const slowest = await load(lines(400, 65_536), server)
    assert.ok(slowest < 250, `the slowest answer took ${slowest} ms`)
    const log = text(server.out)
    await delay(2000)
    await load(lines(10, 1), server)
    server.child.kill('SIGTERM')
    assert.deepEqual(await server.exited, [0, null])
    const written = parse(await log)
    const gap = written.findIndex(({ level }) => level === 'warn')
    assert.ok(gap > 200, `${gap} lines`)
    assertNumbered(written.slice(0, gap))
    assert.equal(written.length, gap + 11)
    assertNumbered(written.slice(gap + 1), 400)
    // each request logs a second line
    assert.ok(Number(written[gap]?.['count']) >= 2 * (400 - gap) - 1)
  })

  it('delays no worker, and then gets whole lines from each of them', async () => {
    const server = await start('pipe', 2)
    const slowest = await load(linesFor(3000), server)
    assert.ok(slowest < 250, `the slowest answer took ${slowest} ms`)
    const log = text(server.out)
    server.child.kill('SIGTERM')
    assert.deepEqual(await server.exited, [0, null])
    const written = parse(await log)
    const workers = new Set(written.map(({ by }) => by))
    assert.equal(workers.size, 2)
    for (const worker of workers) assertNumbered(written.filter(({ by }) => by === worker))
  })
})
