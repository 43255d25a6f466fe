import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { startCanary } from './canary.ts'
import { createCase } from './cases.ts'
import { play } from './connection.ts'
import type { Outcome } from './connection.ts'
import type { State, Told } from './server.ts'

/** How to fuzz. */
export interface FuzzOptions {
  readonly seed: number
  readonly seconds: number
  /** Connections at once. */
  readonly sockets: number
  /** Milliseconds that a canary waits for its answer. */
  readonly patience: number
  /** These cases alone, one after the other, to see again what a run found. */
  readonly only?: readonly number[]
}

/** Something that should not be. */
export interface Finding {
  readonly text: string
  /** The cases that were under way. */
  readonly cases: readonly number[]
}

/** What a run saw. */
export interface FuzzReport {
  readonly findings: readonly Finding[]
  readonly cases: number
  /** How often each status came. */
  readonly statuses: ReadonlyMap<number, number>
  readonly canaries: number
  /** Milliseconds of the slowest canary. */
  readonly slowest: number
  readonly before: State
  readonly after: State
}

/** Cases before memory is looked at for the first time, so that code and caches are there. */
const WARM_UP = 600
/** Bytes that the heap may grow by after the first look, and what is outside of it. */
const GROWTH = 24 * 1024 * 1024
/** Milliseconds that the server has at the end to finish what is under way: a lingering connection has 5 seconds. */
const SETTLING = 12_000
/** A run with more findings than this has ended. */
const MOST_FINDINGS = 20

/** Sends cases for a time, and gives what was found. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-fuzz-'))
  const findings: Finding[] = []
  const underWay = new Set<number>()
  const find = (text: string, cases: readonly number[] = [...underWay]): void => {
    findings.push({ text, cases })
  }
  const server = await startServer(folder, find)
  const canaries = [true, false].map((isKept) => startCanary(server.port, isKept, options.patience, find))
  const statuses = new Map<number, number>()
  const deadline = performance.now() + options.seconds * 1000
  let index = 0
  let before: State | undefined
  const isOver = (): boolean =>
    performance.now() > deadline || findings.length > MOST_FINDINGS || !server.isAlive()
  const playOne = async (at: number): Promise<void> => {
    underWay.add(at)
    const fuzzCase = createCase(options.seed, at)
    const outcome = await play(fuzzCase, server.port)
    // alone, so that what the server tells of is the case's own
    if (options.only !== undefined) await delay(30)
    underWay.delete(at)
    for (const status of outcome.statuses) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    for (const text of toFaults(outcome, fuzzCase.isIntact)) find(`${fuzzCase.kind}: ${text}`, [at])
  }
  const work = async (): Promise<void> => {
    while (!isOver()) await playOne(index++)
  }
  if (options.only === undefined) {
    const sockets = Array.from({ length: options.sockets }, work)
    const isWarm = (): boolean => index >= WARM_UP || isOver()
    while (!isWarm()) await delay(10)
    before = await server.state()
    await Promise.all(sockets)
  } else {
    for (const at of options.only) await playOne(at)
    index = options.only.length
    before = await server.state()
  }
  await Promise.all(canaries.map((canary) => canary.stop()))
  const after = await settle(server, findings.length > 0 || options.only !== undefined)
  for (const text of toLeaks(before, after)) find(text, [])
  server.stop()
  await rm(folder, { recursive: true, force: true })
  return {
    findings,
    cases: index,
    statuses,
    canaries: canaries.reduce((sum, canary) => sum + canary.count(), 0),
    slowest: Math.max(...canaries.map((canary) => canary.slowest())),
    before,
    after,
  }
}

/** What is wrong with what came back. */
function toFaults({ fault, isCut, endedByServer, wasReset }: Outcome, isIntact: boolean): readonly string[] {
  if (fault !== undefined) return [`no HTTP: ${fault}`]
  return isIntact && isCut && endedByServer && !wasReset ? ['an answer was cut'] : []
}

/** What is left that should be gone. */
function toLeaks(before: State, after: State): readonly string[] {
  const left = (['connections', 'temporaryFiles', 'scopes', 'sources'] as const).filter(
    (name) => after[name] > 0,
  )
  const grown = (['heap', 'external'] as const).filter((name) => after[name] - before[name] > GROWTH)
  return [
    ...left.map((name) => `At the end ${after[name]} ${name} are left`),
    ...grown.map((name) => `The ${name} grew from ${before[name]} to ${after[name]} bytes`),
  ]
}

/** Waits until nothing is left, or has been left for long. */
async function settle(server: Server, isHasty: boolean): Promise<State> {
  const deadline = performance.now() + (isHasty ? 1_000 : SETTLING)
  let state = await server.state()
  while (performance.now() < deadline && state.connections + state.scopes + state.sources > 0) {
    await delay(200)
    state = await server.state()
  }
  return state
}

interface Server {
  readonly port: number
  readonly isAlive: () => boolean
  readonly state: () => Promise<State>
  readonly stop: () => void
}

/** Nothing, of a process that is not there any more. */
const GONE: State = {
  heap: 0,
  external: 0,
  rss: 0,
  connections: 0,
  temporaryFiles: 0,
  scopes: 0,
  sources: 0,
}

async function startServer(folder: string, find: (text: string) => void): Promise<Server> {
  const child = fork(new URL('server.ts', import.meta.url), {
    env: { ...process.env, TMPDIR: folder },
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  let isStopped = false
  child.on('message', (told: Told) => {
    if (told.kind === 'error') find(told.text)
  })
  child.on('exit', (code, signal) => {
    if (!isStopped) find(`The server ended with ${code ?? signal}`)
  })
  const { url } = await answer(child, 'listening')
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  return {
    port: Number(new URL(url).port),
    isAlive,
    state: async () => {
      if (!isAlive()) return GONE
      child.send('state')
      return (await answer(child, 'state')).state
    },
    stop: () => {
      isStopped = true
      child.kill()
    },
  }
}

/** The next message of a kind. */
function answer<K extends Told['kind']>(child: ChildProcess, kind: K): Promise<Extract<Told, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const take = (told: Told): void => {
      if (told.kind !== kind) return
      child.off('message', take).off('exit', fail)
      resolve(told as Extract<Told, { kind: K }>)
    }
    const fail = (): void => reject(new Error('The server ended'))
    child.on('message', take).once('exit', fail)
  })
}
