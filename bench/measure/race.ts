/** Races between contestants, each in an isolate of its own: what the others do is not part of what its code is optimized for. */
import { isDeepStrictEqual } from 'node:util'
import { parentPort, Worker, workerData } from 'node:worker_threads'

import { rotate } from './stats.ts'

/** What one contestant does for one case. */
export interface Runner {
  /** What the contestant answers, compared between contestants; plain data. */
  readonly answer: () => unknown
  /** Runs one round, and gives what it measured. */
  readonly time: () => number | Promise<number>
}

/** A case that contestants are compared on. */
export interface Case {
  readonly name: string
  readonly contestants: readonly string[]
}

/** Who races. */
export interface Race {
  /** The module that calls `serve`. */
  readonly script: URL
  readonly cases: readonly Case[]
  readonly rounds: number
  readonly warmUp: number
}

/** The samples of each contestant, in the order of the case. */
export type Samples = ReadonlyMap<string, readonly number[]>

interface Question {
  readonly task: 'answer' | 'time'
  readonly name: string
}

/**
 * Has the answers compared, then the rounds measured. Rounds alternate, so that what else the machine does hits all contestants; the
 * one who begins changes from round to round.
 *
 * @throws `Error` when two contestants answer differently.
 */
export async function race({ script, cases, rounds, warmUp }: Race): Promise<ReadonlyMap<string, Samples>> {
  const names = [...new Set(cases.flatMap(({ contestants }) => contestants))]
  const workers = new Map(names.map((name) => [name, new Worker(script, { workerData: name })]))
  try {
    for (const one of cases) await compare(one, workers)
    const results = new Map<string, Samples>()
    for (const one of cases) results.set(one.name, await sample(one, workers, rounds, warmUp))
    return results
  } finally {
    await Promise.all([...workers.values()].map((worker) => worker.terminate()))
  }
}

async function sample(
  { name, contestants }: Case,
  workers: ReadonlyMap<string, Worker>,
  rounds: number,
  warmUp: number,
): Promise<Samples> {
  const samples = new Map(contestants.map((contestant) => [contestant, [] as number[]]))
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const contestant of rotate(contestants, round)) {
      const measured = Number(await ask(workers.get(contestant), { task: 'time', name }))
      if (round >= warmUp) samples.get(contestant)?.push(measured)
    }
  }
  return samples
}

async function compare({ name, contestants }: Case, workers: ReadonlyMap<string, Worker>): Promise<void> {
  const [first, ...others] = contestants
  const expected = await ask(workers.get(first ?? ''), { task: 'answer', name })
  for (const other of others) {
    const answer = await ask(workers.get(other), { task: 'answer', name })
    if (isDeepStrictEqual(answer, expected)) continue
    const [one, two] = [expected, answer].map((value) => JSON.stringify(value))
    throw new Error(`${name}: ${first} answers ${one}, ${other} answers ${two}`)
  }
}

function ask(worker: Worker | undefined, question: Question): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker?.once('error', reject)
    worker?.once('message', (answer: unknown) => {
      worker.off('error', reject)
      resolve(answer)
    })
    // a thread has no origin
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker?.postMessage(question)
  })
}

/** In a worker: answers for the contestant that the worker was made for. */
export function serve(create: (contestant: string, name: string) => Runner | Promise<Runner>): void {
  const runners = new Map<string, Promise<Runner>>()
  const runnerOf = (name: string): Promise<Runner> => {
    const runner = runners.get(name) ?? Promise.resolve(create(String(workerData), name))
    runners.set(name, runner)
    return runner
  }
  parentPort?.on('message', async ({ task, name }: Question) => {
    const runner = await runnerOf(name)
    // a thread has no origin
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    parentPort?.postMessage(await runner[task]())
  })
}
