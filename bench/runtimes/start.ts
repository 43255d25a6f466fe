import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Contestant, Runtime } from './contestants.ts'

/** A contestant in a process of its own. */
export interface Started {
  readonly contestant: Contestant
  readonly port: number
  readonly process: ChildProcess
}

/** The package, where Deno looks for dependencies. */
const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url))
const SERVER = fileURLToPath(new URL('server.js', import.meta.url))

/** Starts the server of a contestant, by the words in front, such as `taskset -c 0`. */
export async function start(
  runtime: Runtime,
  contestant: Contestant,
  front: readonly string[],
): Promise<Started> {
  const [command, ...words] = [...front, ...runtime.command, SERVER, contestant.server]
  const child = spawn(command, words, {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: PACKAGE,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${contestant.label} on ${runtime.name} ended with ${code}`)
  })
  ended.catch(() => undefined)
  const [port] = (await Promise.race([once(child.stdout, 'data'), ended])) as readonly unknown[]
  return { contestant, port: Number(port), process: child }
}

/** Milliseconds from the start of a process to its first answer. */
export async function timeFirstAnswer(runtime: Runtime, contestant: Contestant): Promise<number> {
  const begun = performance.now()
  const { port, process: child } = await start(runtime, contestant, [])
  const response = await fetch(`http://127.0.0.1:${port}/hello`)
  await response.text()
  const elapsed = performance.now() - begun
  child.kill('SIGKILL')
  await once(child, 'exit')
  return elapsed
}

/** The CPU time that all threads of a process have used so far, in microseconds, as Linux counts it. */
export function readCpu({ process: { pid } }: Started): number {
  return readdirSync(`/proc/${pid}/task`).reduce(
    (sum, task) => sum + readThread(`/proc/${pid}/task/${task}`),
    0,
  )
}

function readThread(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1000
  } catch {
    // it has ended meanwhile
    return 0
  }
}
