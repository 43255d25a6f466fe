import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Scenario } from './scenarios.ts'

export const CONNECTIONS = 64

/** What a burst of requests gave. */
export interface Load {
  /** Per second. */
  readonly requests: number
  /** Milliseconds. */
  readonly p50: number
  /** Milliseconds. */
  readonly p99: number
  readonly total: number
  /** Answers that are not 2xx or 3xx. */
  readonly refused: number
  /** Requests without an answer. */
  readonly failed: number
}

/** A burst, with what it took of the server. */
export interface Burst extends Load {
  /** Microseconds of CPU time for each answer. */
  readonly cpu: number
}

/** Something that sends requests as fast as they are answered. */
export interface Loader {
  readonly name: string
  readonly load: (scenario: Scenario, port: number, milliseconds: number) => Promise<Load>
  readonly end: () => Promise<void>
}

/** Whether a command is there. */
export const has = (command: string): boolean => spawnSync('which', [command]).status === 0

/** wrk where it is installed, else autocannon; run by the words in front, such as `taskset -c 1`. */
export async function createLoader(front: readonly string[]): Promise<Loader> {
  return has('wrk') ? createWrk(front) : createAutocannon(front)
}

async function createWrk(front: readonly string[]): Promise<Loader> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-bench-'))
  return {
    name: `wrk with one thread and ${CONNECTIONS} connections`,
    load: async (scenario, port, milliseconds) => {
      const script = join(folder, `${scenario.name}.lua`)
      await writeFile(script, toLua(scenario))
      const url = `http://127.0.0.1:${port}${scenario.path}`
      const command = [
        ...front,
        'wrk',
        '-t1',
        `-c${CONNECTIONS}`,
        '-d600s',
        '--timeout=10s',
        '-s',
        script,
        url,
      ]
      // wrk counts whole seconds only, and reports when it is interrupted
      return toLoad(await run(command, milliseconds))
    },
    end: () => rm(folder, { recursive: true }),
  }
}

/** A script for wrk: the request, and what happened as JSON in the last line. */
function toLua({ method, headers = {}, body }: Scenario): string {
  const all = body === undefined ? headers : { ...headers, 'content-type': 'application/json' }
  return `
wrk.method = ${JSON.stringify(method)}
${Object.entries(all)
  .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
  .join('\n')}
${body === undefined ? '' : `wrk.body = [==[${JSON.stringify(body)}]==]`}
function done(summary, latency)
  local errors = summary.errors
  print(string.format('\\n{"seconds":%f,"p50":%f,"p99":%f,"total":%d,"refused":%d,"failed":%d}',
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, summary.requests,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`
}

function toLoad(output: string): Load {
  const { seconds, ...counted } = JSON.parse(lastLine(output)) as Omit<Load, 'requests'> & {
    readonly seconds: number
  }
  return { requests: counted.total / seconds, ...counted }
}

function createAutocannon(front: readonly string[]): Loader {
  const cannon = createRequire(import.meta.url).resolve('autocannon')
  return {
    name: `autocannon with ${CONNECTIONS} connections, in place of wrk, which is not installed; it is slower than the fastest servers, which therefore look more alike than they are`,
    load: async ({ method, path, headers = {}, body }, port, milliseconds) => {
      const all = body === undefined ? headers : { ...headers, 'content-type': 'application/json' }
      const seconds = Math.max(1, Math.round(milliseconds / 1000))
      const command = [
        ...front,
        process.execPath,
        cannon,
        '--json',
        '--no-progress',
        `--connections=${CONNECTIONS}`,
        `--duration=${seconds}`,
        `--method=${method}`,
        ...Object.entries(all).map(([name, value]) => `--headers=${name}=${value}`),
        ...(body === undefined ? [] : [`--body=${JSON.stringify(body)}`]),
        `http://127.0.0.1:${port}${path}`,
      ]
      return fromAutocannon(lastLine(await run(command)))
    },
    end: async () => undefined,
  }
}

interface AutocannonResult {
  readonly duration: number
  readonly requests: { readonly total: number }
  readonly latency: { readonly p50: number; readonly p99: number }
  readonly non2xx: number
  readonly errors: number
}

function fromAutocannon(output: string): Load {
  const { duration, requests, latency, non2xx, errors } = JSON.parse(output) as AutocannonResult
  const { p50, p99 } = latency
  return {
    requests: requests.total / duration,
    p50,
    p99,
    total: requests.total,
    refused: non2xx,
    failed: errors,
  }
}

/** Runs a command, interrupts it after some time, and gives what it printed. */
function run([command = '', ...words]: readonly string[], milliseconds?: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    const timer =
      milliseconds === undefined ? undefined : setTimeout(() => child.kill('SIGINT'), milliseconds)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve(Buffer.concat(chunks).toString())
      else reject(new Error(`${command} ${words.join(' ')} failed with ${code}`))
    })
  })
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
