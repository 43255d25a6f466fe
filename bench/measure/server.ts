import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

import { has } from '../http/load.ts'

/** What a server has used so far: microseconds of CPU time, and bytes. */
export interface Usage {
  readonly cpu: number
  readonly rss: number
  readonly peak: number
}

/** A server in a process of its own. */
export interface Server {
  readonly process: ChildProcess
  readonly port: number
}

/** The words in front of the commands of servers, and of whatever sends requests to them, if each gets a core of its own. */
export function toCores(): { readonly isPinned: boolean; readonly own: string[]; readonly other: string[] } {
  const isPinned = has('taskset') && cpus().length > 1
  return isPinned
    ? { isPinned, own: ['taskset', '-c', '0'], other: ['taskset', '-c', '1'] }
    : { isPinned, own: [], other: [] }
}

/** Starts a module that sends its port. */
export async function startServer(
  file: URL,
  words: readonly string[],
  front: readonly string[],
): Promise<Server> {
  const [command = '', ...rest] = [...front, process.execPath, '--expose-gc', fileURLToPath(file), ...words]
  const child = spawn(command, rest, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [port] = await once(child, 'message')
  return { process: child, port: Number(port) }
}

/** Asks a server what it has used. From `watch` on, it notes the peak of its memory. */
export async function usageOf({ process }: Server, question: 'usage' | 'watch' = 'usage'): Promise<Usage> {
  process.send(question)
  const [usage] = await once(process, 'message')
  return usage as Usage
}

/** Sends the port of this process to the one that started it, and answers its questions. */
export function tellUsage(port: number | undefined): void {
  process.send?.(port)
  let peak = 0
  let watch: NodeJS.Timeout | undefined
  process.on('message', (message) => {
    if (message === 'watch') {
      // not during the race: to ask costs a good part of a request, and to collect everything drops compiled code
      globalThis.gc?.()
      peak = 0
      watch ??= setInterval(() => {
        peak = Math.max(peak, process.memoryUsage.rss())
      }, 20)
    }
    const { user, system } = process.cpuUsage()
    const rss = process.memoryUsage.rss()
    process.send?.({ cpu: user + system, rss, peak: Math.max(peak, rss) })
  })
  process.once('disconnect', () => process.exit())
}
