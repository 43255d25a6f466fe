import cluster from 'node:cluster'
import type { Worker } from 'node:cluster'

import { AggregatorRegistry, type Registry } from 'prom-client'

import { settlesWithin, toRecord } from '../../base/values.ts'
import { serviceUnavailable } from '../../http/errors.ts'
import { beforeFarewell } from '../../server/process/workers/worker.ts'
import { roleOf } from '../../server/process/workers/workers.ts'

/** The metrics of a process as prom-client sends them to others. */
type ProcessMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** A message between a worker and the process that keeps it. */
interface Message {
  readonly octavo: 'metrics'
  /** Which call of `createMetrics` it is about. All processes run the same script, so they count alike. */
  readonly call: number
  /** A worker sends its metrics and asks for the text of all. The other process demands metrics and answers. */
  readonly kind: 'demand' | 'snapshot' | 'ask' | 'text'
  /** Connects an answer with its question. */
  readonly id: number
  readonly snapshot?: ProcessMetrics
  readonly text?: string
}

/** Milliseconds in which a worker sends its metrics. One that is busy for longer counts as it did before. */
const LONGEST_SNAPSHOT = 1_000
/** Milliseconds in which the process that keeps the workers answers. */
const LONGEST_ANSWER = 3_000

let calls = 0

/** Creates the function that returns the metrics of all processes that serve, as text. */
export function createMetricsReader(registry: Registry): () => Promise<string> {
  const call = calls++
  const role = roleOf()
  if (role === 'worker') return joinOthers(registry, call)
  return role === 'primary' ? gatherFromWorkers(registry, call) : () => registry.metrics()
}

/** Answers of other processes that are waited for. */
interface Questions<T> {
  /** Sends a question with an id. Returns the answer, `undefined` if there is none in time. */
  readonly wait: (send: (id: number) => void, longest: number) => Promise<T | undefined>
  readonly answer: (id: number, answer: T) => void
}

function createQuestions<T>(): Questions<T> {
  let last = 0
  const open = new Map<number, (answer: T) => void>()
  return {
    wait: async (send, longest) => {
      const id = ++last
      let found: T | undefined
      const answered = new Promise<void>((resolve) => {
        open.set(id, (answer) => {
          found = answer
          resolve()
        })
      })
      send(id)
      await settlesWithin(answered, longest)
      open.delete(id)
      return found
    },
    answer: (id, answer) => open.get(id)?.(answer),
  }
}

/** Reads through the process that keeps this one. */
function joinOthers(registry: Registry, call: number): () => Promise<string> {
  const waiting = createQuestions<string>()
  const send = (message: Pick<Message, 'kind' | 'id' | 'snapshot'>): void => {
    if (process.connected) process.send?.({ octavo: 'metrics', call, ...message } satisfies Message)
  }
  const tell = async (id: number): Promise<void> =>
    send({ kind: 'snapshot', id, snapshot: await registry.getMetricsAsJSON() })
  process.on('message', (given) => {
    const message = readMessage(given, call)
    if (message?.kind === 'demand') void tell(message.id)
    if (message?.text !== undefined) waiting.answer(message.id, message.text)
  })
  // from now on it can be asked
  send({ kind: 'snapshot', id: 0, snapshot: [] })
  beforeFarewell(() => tell(0))
  return async () => {
    const text = await waiting.wait((id) => send({ kind: 'ask', id }), LONGEST_ANSWER)
    if (text === undefined) throw serviceUnavailable('The metrics of the other processes did not arrive')
    return text
  }
}

/** Reads from all workers, and answers those that ask. Without workers it reads the metrics of this process. */
function gatherFromWorkers(registry: Registry, call: number): () => Promise<string> {
  const latest = new Map<Worker, ProcessMetrics>()
  const waiting = createQuestions<true>()
  /** The counts of workers that have ended. */
  let ended: Promise<ProcessMetrics> = Promise.resolve([])
  const demand = (worker: Worker): Promise<unknown> =>
    waiting.wait((id) => send(worker, { kind: 'demand', id }), LONGEST_SNAPSHOT)
  const send = (worker: Worker, message: Pick<Message, 'kind' | 'id' | 'text'>): void => {
    if (worker.isConnected()) worker.send({ octavo: 'metrics', call, ...message } satisfies Message)
  }
  const read = async (): Promise<string> => {
    const before = await ended
    if (latest.size === 0 && before.length === 0) return registry.metrics()
    await Promise.all([...latest.keys()].map(demand))
    const all = AggregatorRegistry.aggregate([await ended, ...latest.values()])
    all.setContentType(registry.contentType)
    return all.metrics()
  }
  const reply = async (worker: Worker, id: number): Promise<void> => {
    const text = await read()
    send(worker, { kind: 'text', id, text })
  }
  cluster.on('message', (worker, given: unknown) => {
    const message = readMessage(given, call)
    if (message?.kind === 'ask') void reply(worker, message.id)
    if (message?.snapshot === undefined || worker.isDead()) return
    latest.set(worker, message.snapshot)
    waiting.answer(message.id, true)
  })
  cluster.on('exit', (worker) => {
    const last = latest.get(worker)
    latest.delete(worker)
    if (last === undefined) return
    // a sum must not fall when a worker ends; what it measured at its end is over
    // of an enum, which TypeScript has and prom-client does not
    const counts = last.filter(({ type }) => COUNTS.has(String(type)))
    ended = ended.then((before) => AggregatorRegistry.aggregate([before, counts]).getMetricsAsJSON())
  })
  return read
}

const COUNTS: ReadonlySet<string> = new Set(['counter', 'histogram'])

function readMessage(given: unknown, call: number): Message | undefined {
  const record = toRecord(given)
  // what another process of this program has sent
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return record['octavo'] === 'metrics' && record['call'] === call ? (given as Message) : undefined
}
