import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
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

/** Sends requests, some at a time, and waits for all answers. */
async function load(paths: Iterable<string>, { url }: Server): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const rest = paths[Symbol.iterator]()
  const send = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      await answer(new URL(next.value, url), agent)
      // about 400 a second, so that a busy machine keeps up
      await delay(10)
    }
  }
  await Promise.all(Array.from({ length: 4 }, send))
  agent.destroy()
}

async function answer(url: URL, agent: Agent): Promise<void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject)
  })
  await text(response)
  assert.equal(response.statusCode, 200)
}

/**
 * Paths of requests, until some milliseconds are over and there were 1,000, whose lines are more than a pipe or a socket holds.
 *
 * @yields a path that logs a line with the next number of its process
 */
function* linesFor(milliseconds: number): Generator<string> {
  const until = performance.now() + milliseconds
  for (let count = 0; count < 1_000 || performance.now() < until; count++) yield '/600'
}

/** Paths of so many requests, each of which logs a line with so many characters. */
const lines = (count: number, size: number): readonly string[] =>
  Array.from({ length: count }, () => `/${size}`)

const REPORT = 'Log lines were dropped because the reader did not keep up or the disk was full'

/** Reads a log to its end. `reported` resolves when it reports missing lines. */
function readReported({ out }: Server) {
  const events = new EventEmitter()
  const read = async (): Promise<string> => {
    let log = ''
    for await (const piece of out.setEncoding('utf8')) {
      log += piece
      if (log.slice(-piece.length - REPORT.length).includes(REPORT)) events.emit('report')
    }
    return log
  }
  return { log: read(), reported: once(events, 'report') }
}

type Line = Readonly<Record<string, unknown>>

/** The lines of a log, each of which has to be JSON, but for those that Octavo logs of requests. */
function parse(log: string): readonly Line[] {
  const all = log
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line))
  return all.filter(({ msg }) => msg === 'line' || msg === REPORT)
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

/** Sends requests to a server whose log nobody reads for 6 seconds and before all are answered. */
async function stall(kind: Kind): Promise<void> {
  const server = await start(kind)
  await load(['/child', ...lines(200, 1)], server)
  await inTime(load(linesFor(6000), server))
  const log = text(server.out)
  await load(lines(10, 1), server)
  server.child.kill('SIGTERM')
  assert.deepEqual(await server.exited, [0, null])
  const written = parse(await log)
  assert.ok(written.length > 1_200, `${written.length} lines`)
  assertNumbered(written)
}

/** A server that waited for its reader would never answer. */
async function inTime(answered: Promise<void>): Promise<void> {
  const late = new AbortController()
  const isLate = delay(120_000, true, { signal: late.signal }).catch(() => false)
  assert.equal(
    await Promise.race([answered, isLate]),
    undefined,
    'the server waits for the reader of its log',
  )
  late.abort()
}

describe('a log reader that stalls', { skip: process.platform === 'win32', concurrency: 1 }, () => {
  for (const kind of ['pipe', 'socket'] as const) {
    it(`for 6 seconds delays no answer, and then gets every line: ${kind}`, async () => {
      await stall(kind)
    })

    it(`does not keep SIGTERM from ending the process: ${kind}`, async () => {
      const server = await start(kind)
      await load(lines(600, 1000), server)
      const log = textAfterExit(server)
      server.child.kill('SIGTERM')
      const timer = setTimeout(() => server.child.kill('SIGKILL'), 60_000)
      assert.deepEqual(await server.exited, [0, null])
      clearTimeout(timer)
      assertNumbered(parse(await log))
    })
  }

  it('costs lines beyond 16 MiB, whose number is logged where they are missing', async () => {
    const server = await start('pipe')
    await inTime(load(lines(400, 65_536), server))
    const { log, reported } = readReported(server)
    await reported
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
    await inTime(load(linesFor(3000), server))
    const log = text(server.out)
    server.child.kill('SIGTERM')
    assert.deepEqual(await server.exited, [0, null])
    const written = parse(await log)
    const workers = new Set(written.map(({ by }) => by))
    assert.equal(workers.size, 2)
    for (const worker of workers) assertNumbered(written.filter(({ by }) => by === worker))
  })
})
