import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { createRandom, toCaseSeed } from '../fuzz/random.ts'
import { growthOf } from './run.ts'
import type { Mark } from './run.ts'
import type { Left, Told } from './served.ts'
import { visit } from './visits.ts'

/** How to soak. */
export interface SocketSoak {
  readonly engine: 'direct' | 'node'
  readonly seconds: number
  readonly seed: number
  /** How often the clients pause, so that memory is looked at while nothing is under way. */
  readonly marks: number
  /** Connections at once. */
  readonly sockets: number
  readonly onMark?: (mark: SocketMark) => void
}

/** What there is after some time. */
export interface SocketMark extends Mark {
  readonly connections: number
  readonly resets: number
  /** Connections that the server still has. */
  readonly sockets: number
}

/** What a soak saw. */
export interface SocketReport {
  readonly engine: string
  readonly marks: readonly SocketMark[]
  /** Bytes that the heap grew by over the second half, by the line that fits the marks best. */
  readonly growth: number
  /** Answers that were none, errors that were logged, and what was left. Empty if all is well. */
  readonly findings: readonly string[]
}

/** Milliseconds that the server has to notice that its clients have gone: a lingering connection has 5 seconds. */
const SETTLING = 12_000
/** A run with more findings than this has ended. */
const MOST_FINDINGS = 20
const LONGEST_CLOSE = 30_000

/** Has clients visit a server in a process of its own, half of which reset their connections, and looks at what is left. */
export async function soakSockets(options: SocketSoak): Promise<SocketReport> {
  const findings: string[] = []
  const server = await startServer(options.engine, (text) => void findings.push(text))
  const marks: SocketMark[] = []
  const start = performance.now()
  const seconds = (): number => (performance.now() - start) / 1000
  const total = { requests: 0, connections: 0, resets: 0 }
  const isOver = (): boolean => findings.length > MOST_FINDINGS || !server.isAlive()
  const work = async (until: number): Promise<void> => {
    while (seconds() < until && !isOver()) {
      const at = total.connections++
      try {
        const { answers, wasReset } = await visit(server.port, createRandom(toCaseSeed(options.seed, at)))
        total.requests += answers
        if (wasReset) total.resets++
      } catch (error) {
        findings.push(`Visit ${at}, ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  for (let at = 1; at <= options.marks && !isOver(); at++) {
    const until = (options.seconds * at) / options.marks
    await Promise.all(Array.from({ length: options.sockets }, () => work(until)))
    const left = await server.settle()
    if (left === undefined) break
    const { heap, external, rss, sockets } = left
    const mark = { ...total, seconds: seconds(), heap, external, rss, sockets }
    if (sockets > 0) findings.push(`${sockets} connections are left after ${mark.seconds.toFixed(0)} s`)
    marks.push(mark)
    options.onMark?.(mark)
  }
  findings.push(...(await server.close()))
  const half = marks.slice(Math.floor(marks.length / 2))
  const requests = (half.at(-1)?.requests ?? 0) - (half[0]?.requests ?? 0)
  const growth = half.length < 2 ? 0 : growthOf(half) * requests
  return { engine: server.engine, marks, growth, findings }
}

/** The server as the soak sees it. */
interface Served {
  readonly port: number
  readonly engine: string
  readonly isAlive: () => boolean
  /** Waits until no connection is left, or for a while. Returns what is there, or `undefined` if the process has ended. */
  readonly settle: () => Promise<Left | undefined>
  /** Closes the application and ends the process. Returns what should not be. */
  readonly close: () => Promise<readonly string[]>
}

async function startServer(engine: string, find: (text: string) => void): Promise<Served> {
  const child = fork(join(import.meta.dirname, 'served.ts'), {
    execArgv: [...process.execArgv, '--expose-gc'],
    env: { ...process.env, OCTAVO_TEST_ENGINE: engine },
  })
  child.on('message', (told: Told) => {
    if (told.kind === 'error') find(told.text)
  })
  let hasEnded = false
  let ended = ''
  const exit = new Promise<undefined>((resolve) => {
    child.once('exit', (code, signal) => {
      hasEnded = true
      ended = `The server ended with ${code ?? signal}`
      resolve(undefined)
    })
  })
  const first = await Promise.race([hear(child, 'listening'), exit])
  if (first === undefined) throw new Error(ended)
  const ask = async (message: string): Promise<Left | undefined> => {
    if (hasEnded) return undefined
    const answer = hear(child, 'left')
    child.send(message)
    return (await Promise.race([answer, exit]))?.left
  }
  return {
    port: Number(new URL(first.url).port),
    engine: first.engine,
    isAlive: () => !hasEnded,
    settle: async () => {
      const start = performance.now()
      let left = await ask('look')
      while (left !== undefined && left.sockets > 0 && performance.now() - start < SETTLING) {
        await delay(50)
        left = await ask('look')
      }
      return left
    },
    close: async () => {
      const found: string[] = []
      const left = await Promise.race([ask('close'), delay(LONGEST_CLOSE, undefined, { ref: false })])
      if (left === undefined) found.push(hasEnded ? ended : 'The server does not close')
      // the channel to this process, and what it writes to
      const others = left?.resources.filter((name) => !/^(?:PipeWrap|TTYWrap|Immediate)$/.test(name)) ?? []
      if ((left?.sockets ?? 0) > 0) others.push('TCPSocketWrap')
      if (others.length > 0) found.push(`Left after the end: ${others.join(', ')}`)
      if (hasEnded) return found
      child.disconnect()
      await exit
      if (child.exitCode !== 0) found.push(ended)
      return found
    },
  }
}

/** The next message of a kind. */
async function hear<K extends Told['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<Told, { readonly kind: K }>> {
  for (;;) {
    const [message]: Told[] = await once(child, 'message')
    if (message !== undefined && isOf(message, kind)) return message
  }
}

function isOf<K extends Told['kind']>(
  message: Told,
  kind: K,
): message is Extract<Told, { readonly kind: K }> {
  return message.kind === kind
}
