import { isatty } from 'node:tty'

import type { Logger } from '../../../define/context.ts'
import { endProcess, type ShutdownMode } from '../signals.ts'
import { createReload, createRestart, type WorkerSlot } from './replace.ts'
import { prepare, startWorker, type WorkerProcess } from './worker-process.ts'

/** The workers that serve an application, as the process sees them that keeps them. */
export interface Pool {
  /** Starts the workers. Returns the URL once all listen; rejects when one ends before. */
  readonly start: () => Promise<string>
  /** Ends all workers. Returns whether all ended by themselves, and well. Idempotent. */
  readonly end: (mode: ShutdownMode) => Promise<boolean>
}

interface PoolOptions {
  readonly count: number
  /** The port of workers that ask for any; 0 when they ask for none. */
  readonly port: number
  readonly logger: Logger
  /** How long an application takes to end, in milliseconds, at most. */
  readonly longestEnd: (mode: ShutdownMode) => number
}

/** Milliseconds that a worker gets beyond what it should need to end. */
const SLACK = 1_000

/** Creates the pool. Nothing starts yet. */
export function createPool({ count, port, logger, longestEnd }: PoolOptions): Pool {
  const places: WorkerSlot[] = []
  const { alive, launch } = createLauncher(port)
  const ending = new AbortController()
  let ended: Promise<boolean> | undefined
  const endAll = async (mode: ShutdownMode): Promise<boolean> => {
    ending.abort()
    process.off('SIGHUP', onHangup)
    // some may be leaving already
    const time = Math.max(longestEnd(mode), longestEnd('closeIdle')) + SLACK
    const ends = await Promise.all([...alive].map((worker) => worker.end(mode, time)))
    process.off('exit', killAll)
    return ends.every(Boolean)
  }
  const end = (mode: ShutdownMode): Promise<boolean> => (ended ??= endAll(mode))
  /** A process that does not wait for its workers to end takes them with it. */
  const killAll = (): void => {
    if (ending.signal.aborted) for (const worker of alive) worker.kill()
  }
  const giveUp = async (): Promise<never> => {
    await end('close')
    process.exit(1)
  }
  const base = { places, logger, launch, ending: ending.signal }
  const settle = createRestart(base, giveUp)
  const closeIdle = (worker: WorkerProcess): Promise<boolean> =>
    worker.end('closeIdle', longestEnd('closeIdle') + SLACK)
  const reload = createReload({ ...base, settle }, closeIdle)
  const hadTerminal = isatty(0)
  const onHangup = (): void => {
    // a terminal that was closed wants an end, not a reload
    if (hadTerminal && !isatty(0)) endProcess('drain')
    else reload()
  }
  const start = async (): Promise<string> => {
    // one alone at first: what no worker can do fails, and is told, once
    const first = launch()
    const url = await first.listening
    const others = Array.from({ length: count - 1 }, launch)
    await Promise.all(others.map(({ listening }) => listening))
    for (const worker of [first, ...others]) places.push({ worker, deaths: 0 })
    for (const slot of places) settle(slot)
    process.on('SIGHUP', onHangup)
    return url
  }
  return {
    end,
    start: async () => {
      prepare()
      process.on('exit', killAll)
      try {
        return await start()
      } catch (error) {
        await end('close')
        throw error
      }
    },
  }
}

interface Launcher {
  readonly alive: ReadonlySet<WorkerProcess>
  readonly launch: () => WorkerProcess
}

/** Creates the starter and registry of workers. */
function createLauncher(port: number): Launcher {
  const alive = new Set<WorkerProcess>()
  const forget = async (worker: WorkerProcess): Promise<void> => {
    await worker.ended
    alive.delete(worker)
  }
  return {
    alive,
    launch: () => {
      const worker = startWorker(port)
      alive.add(worker)
      void forget(worker)
      return worker
    },
  }
}
