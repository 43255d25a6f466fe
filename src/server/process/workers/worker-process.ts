import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'

import { ignoreRejection, settlesWithin, toRecord } from '../../../base/values.ts'
import type { ShutdownMode } from '../signals.ts'
import { isFarewell, readListens, WORKER_VARIABLE, type End, type Farewell } from './worker.ts'

/** How a process ended. */
interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

/** A worker as the process sees it that keeps it. */
export interface WorkerProcess {
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
export function startWorker(port: number): WorkerProcess {
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
    const fail = async (): Promise<void> => reject(toError(worker.id, await ended))
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

function toError(id: number, { code, signal }: Exit): Error {
  const how = signal === null ? `with code ${String(code)}` : `by ${signal}`
  return new Error(`Worker ${id} ended ${how} before it listened; its output has the reason`)
}

/** Milliseconds that a worker may take to listen when it takes the place of another. */
const LONGEST_START = 60_000

/** Whether a worker listens in time; if not, it is gone. */
export async function isListeningSoon(worker: WorkerProcess): Promise<boolean> {
  const listens = await settlesWithin(worker.listening, LONGEST_START).catch(() => false)
  if (!listens) worker.kill()
  return listens
}

let isPrepared = false

/** Looks whether this process can have workers. @throws `Error` when this process cannot have workers, or has some already. */
export function prepare(): void {
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
