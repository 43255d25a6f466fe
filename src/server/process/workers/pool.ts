import cluster from 'node:cluster'
import { isatty } from 'node:tty'
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:cluster'

import type { Logger } from '../../../define/context.ts'
import { endProcess, type ShutdownMode } from '../signals.ts'
import { ignoreRejection, settlesWithin, toRecord } from '../../../base/values.ts'
import { isFarewell, readListens, WORKER_VARIABLE, type End, type Farewell } from './worker.ts'

/** The workers that serve an application, as the process sees them that keeps them. */
interface Pool {
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
      checkWorkerSupport()
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

/** A place for a worker. */
interface WorkerSlot {
  worker: WorkerProcess
  /** How many workers died here, one soon after the other. */
  deaths: number
}

interface Replacing {
  readonly places: readonly WorkerSlot[]
  readonly logger: Logger
  /** Starts a worker. */
  readonly launch: () => WorkerProcess
  /** Registers the listening worker of a place, and replaces it when it dies. */
  readonly settle: (slot: WorkerSlot) => void
  /** Aborted when all workers end. */
  readonly ending: AbortSignal
}

/** Milliseconds before a worker is started again: none for the first time, then longer and longer. */
const PAUSE = { shortest: 100, longest: 10_000 } as const
/** Milliseconds after which a worker that dies is none that cannot live. */
const STABLE = 10_000
/** How often in a row workers may fail to start while none serves. */
const MAX_FAILURES = 5

/** Watches a listening worker and starts another when it dies. `giveUp` is called when no worker can be started any more. */
function createRestart(
  { places, launch, logger, ending }: Omit<Replacing, 'settle'>,
  giveUp: () => Promise<never>,
): (slot: WorkerSlot) => void {
  /** How many starts failed since a worker listened. */
  let failures = 0
  const settle = (slot: WorkerSlot): void => {
    failures = 0
    logger.info(slot.worker.names, 'A worker listens')
    void watch(slot)
  }
  const watch = async (slot: WorkerSlot): Promise<void> => {
    const { worker } = slot
    const exit = await worker.ended
    if (ending.aborted || slot.worker !== worker) return
    logger.warn({ ...worker.names, ...exit }, 'A worker died')
    await restart(slot)
  }
  const restart = async (slot: WorkerSlot): Promise<void> => {
    const dead = slot.worker
    slot.deaths = dead.age() > STABLE ? 1 : slot.deaths + 1
    await delay(
      slot.deaths < 2 ? 0 : Math.min(PAUSE.shortest * 2 ** (slot.deaths - 2), PAUSE.longest),
      undefined,
      { signal: ending },
    ).catch(() => undefined)
    if (ending.aborted || slot.worker !== dead) return
    const worker = launch()
    slot.worker = worker
    const listens = await isListeningSoon(worker)
    if (ending.aborted || slot.worker !== worker) return
    if (listens) return settle(slot)
    failures++
    logger.error({ ...worker.names, ...(await worker.ended) }, 'A worker could not start')
    if (failures < MAX_FAILURES || places.some((each) => each.worker.isListening())) return restart(slot)
    logger.error({ failures }, 'No worker can start: giving up')
    await giveUp()
  }
  return settle
}

/**
 * Creates the function that replaces the workers one after the other. Each old worker ends once its successor listens, so requests are always
 * served. A call during a replacement starts another one afterwards. `closeIdle` ends a worker and returns whether it ended well.
 */
function createReload(
  replacing: Replacing,
  closeIdle: (worker: WorkerProcess) => Promise<boolean>,
): () => void {
  let asked = 0
  const work = async (): Promise<void> => {
    while (asked > 0) {
      asked = 1
      await replaceAll(replacing, closeIdle)
      asked--
    }
  }
  return () => {
    asked++
    if (asked === 1) void work()
  }
}

async function replaceAll(
  { places, launch, settle, logger, ending }: Replacing,
  closeIdle: (worker: WorkerProcess) => Promise<boolean>,
): Promise<void> {
  for (const place of places) {
    if (ending.aborted) return
    const successor = launch()
    const listens = await isListeningSoon(successor)
    if (ending.aborted) return
    if (!listens) {
      logger.error(successor.names, 'A new worker could not start: the old ones go on')
      return
    }
    const { worker } = place
    place.worker = successor
    place.deaths = 0
    settle(place)
    if (!(await closeIdle(worker)) && !ending.aborted) logger.warn(worker.names, 'A worker did not end well')
  }
  logger.info({ workers: places.length }, 'All workers are new')
}

/** How a process ended. */
interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** A worker as the process sees it that keeps it. */
interface WorkerProcess {
  /** The names in logs. */
  readonly names: { readonly worker: number; readonly pid: number | undefined }
  /** Its URL, once it listens. Rejects when it ends before. */
  readonly listening: Promise<string>
  readonly isListening: () => boolean
  readonly ended: Promise<Exit>
  /** Milliseconds since it was started. */
  readonly age: () => number
  /** Has it end, and kills it after `time` milliseconds. Returns whether it ended by itself, and well. */
  readonly end: (mode: ShutdownMode, time: number) => Promise<boolean>
  readonly kill: () => void
}

/** Starts the script of this process as a worker. `port` is for workers that ask for any. */
function startWorker(port: number): WorkerProcess {
  const worker = cluster.fork({ [WORKER_VARIABLE]: String(port) })
  releaseUnclaimedSockets(worker)
  const started = performance.now()
  let isListening = false
  let exit: Exit | undefined
  const ended = new Promise<Exit>((resolve) => {
    const end = (given: Exit): void => resolve((exit ??= given))
    worker.once('exit', (code: number | null, signal: string | null) => end({ code, signal }))
    // a process that could not be started never exits; of one that runs, it is a message that could not be sent
    worker.on('error', () => {
      if (worker.process.pid === undefined) end({ code: null, signal: null })
    })
  })
  const listening = new Promise<string>((resolve, reject) => {
    worker.on('message', (message: unknown) => {
      if (isFarewell(message)) worker.send({ octavo: 'farewell' } satisfies Farewell)
      const url = readListens(message)
      if (url === undefined) return
      isListening = true
      resolve(url)
    })
    const fail = async (): Promise<void> => {
      const { code, signal } = await ended
      const how = signal === null ? `with code ${String(code)}` : `by ${signal}`
      reject(new Error(`Worker ${worker.id} ended ${how} before it listened; its output has the reason`))
    }
    void fail()
  })
  // whoever waits for it is told
  ignoreRejection(listening)
  return {
    names: { worker: worker.id, pid: worker.process.pid },
    listening,
    isListening: () => isListening && exit === undefined,
    ended,
    age: () => performance.now() - started,
    kill: () => void worker.process.kill('SIGKILL'),
    end: async (mode, time) => {
      const hadListened = isListening
      if (hadListened && worker.isConnected()) worker.send({ octavo: 'end', mode } satisfies End)
      else worker.process.kill('SIGTERM')
      const isInTime = await settlesWithin(ended, time)
      if (!isInTime) worker.process.kill('SIGKILL')
      const { code } = await ended
      return isInTime && (code === 0 || !hadListened)
    },
  }
}

/** Milliseconds that a worker may take to listen when it takes the place of another. */
const LONGEST_START = 60_000

/** Whether a worker listens in time; if not, it is gone. */
async function isListeningSoon(worker: WorkerProcess): Promise<boolean> {
  const listens = await settlesWithin(worker.listening, LONGEST_START).catch(() => false)
  if (!listens) worker.kill()
  return listens
}

let isPrepared = false

/** Looks whether this process can have workers. @throws `Error` when this process cannot have workers, or has some already. */
function checkWorkerSupport(): void {
  if (process.argv[1] === undefined)
    throw new Error('listen: workers run the script of this process again, and it has none')
  if (isPrepared) throw new Error('listen: this process has workers already, and they run all of its script')
  isPrepared = true
}

/**
 * Closes the connections that a worker was given and had not taken when it died: node:cluster forgets them, and their clients would
 * wait for ever. It reads messages of node:cluster that are not documented; without them nothing is closed.
 */
function releaseUnclaimedSockets({ process: child }: Worker): void {
  const untaken = new Map<unknown, () => unknown>()
  const send: unknown = Reflect.get(child, 'send')
  if (typeof send !== 'function') return
  Reflect.set(child, 'send', (...args: readonly unknown[]): unknown => {
    const [message, handle] = args
    const { act, seq } = toRecord(message)
    const close: unknown = typeof handle === 'object' && handle !== null && Reflect.get(handle, 'close')
    if (act === 'newconn' && typeof close === 'function')
      untaken.set(seq, () => {
        Reflect.apply(close, handle, [])
      })
    return Reflect.apply(send, child, args)
  })
  child.on('internalMessage', (message: unknown) => untaken.delete(toRecord(message)['ack']))
  child.once('exit', () => {
    for (const close of untaken.values()) close()
  })
}
