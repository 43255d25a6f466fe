import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { Contestant } from './contestants.ts'

/** A contestant in a process of its own. */
export interface Started {
  readonly contestant: Contestant
  readonly port: number
  readonly process: ChildProcess
  /** The CPU time that the server has used so far, in microseconds. */
  readonly cpu: () => Promise<number>
}

/** Starts the server of a contestant, by the words in front, such as `taskset -c 0`; its log lines go to `/dev/null`. */
export function start(contestant: Contestant, front: readonly string[]): Promise<Started> {
  const file = fileURLToPath(new URL('server.js', import.meta.url))
  const logs = contestant.logs === true ? ['--logs'] : []
  const [command = '', ...words] = [...front, process.execPath, file, contestant.server, ...logs]
  const child = spawn(command, words, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  return new Promise((resolve, reject) => {
    child.once('message', (port) =>
      resolve({ contestant, port: Number(port), process: child, cpu: () => readCpu(child) }),
    )
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${contestant.label} ended with ${code}`)))
  })
}

function readCpu(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', (usage) => {
      const { user, system } = usage as NodeJS.CpuUsage
      resolve(user + system)
    })
    child.send('cpu')
  })
}
