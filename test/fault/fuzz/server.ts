/** The process that the fuzzer sends to: serves the application, and reports what goes wrong in it. */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'

import { MEANT } from '../app/alive.ts'
import { LOOPBACK } from '../../node/support.ts'
import { createFaultApp } from '../app/app.ts'
import { measureMemory, report, reportUnhandled } from '../observed.ts'
import type { Memory, ToldError } from '../observed.ts'

/** What the process tells. */
export type Told =
  | { readonly kind: 'listening'; readonly url: string }
  | ToldError
  | { readonly kind: 'state'; readonly state: State }

/** What is left in the process. */
export interface State extends Memory {
  readonly connections: number
  readonly temporaryFiles: number
  readonly scopes: number
  readonly sources: number
}

const tell = (message: Told): void => void process.send?.(message)

reportUnhandled()

/** Milliseconds of computing in one go after which nobody else is served well. By CPU time: on a busy machine everything waits. */
const LONGEST_TURN = 1_000
const PAUSE = 50
let before = process.cpuUsage()
let last = performance.now()
setInterval(() => {
  const { user, system } = process.cpuUsage(before)
  const [took, computed] = [performance.now() - last, (user + system) / 1000]
  // several threads compute: what they did beside is no more than the time that passed
  if (Math.min(took, computed) > LONGEST_TURN)
    report('blocked')(
      `the event loop stood still for ${took.toFixed(0)} ms, ${computed.toFixed(0)} ms of computing`,
    )
  before = process.cpuUsage()
  last = performance.now()
}, PAUSE).unref()

const ignore = (): void => undefined
const { app, alive } = createFaultApp({
  logger: {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (details, message) => {
      const error: unknown = Reflect.get(details, 'err')
      if (!(error instanceof Error && error.message === MEANT)) report(`logged, ${message}`)(error)
    },
  },
  timeouts: { idle: 1_000, headers: 2_000, request: 4_000 },
})
const url = await app.listen(LOOPBACK)
tell({ kind: 'listening', url })

process.on('message', async () => {
  const memory = await measureMemory(20)
  const connections = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  // tsx keeps what it compiled beside them
  const temporaryFiles = readdirSync(tmpdir()).filter((name) => !name.startsWith('tsx-')).length
  tell({ kind: 'state', state: { ...memory, connections, temporaryFiles, ...alive } })
})
process.on('disconnect', () => process.exit(0))
