import { arch, cpus, release, totalmem, type } from 'node:os'

/** Where and when something was measured. */
export interface Machine {
  readonly processor: string
  readonly cores: number
  /** In GiB. */
  readonly memory: number
  readonly system: string
  readonly node: string
  /** `2026-01-05`. */
  readonly day: string
}

/** Describes the machine that this runs on, today. */
export function describeMachine(): Machine {
  const processors = cpus()
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${/^\d+\.\d+/.exec(release())?.[0] ?? release()} (${arch()})`,
    node: process.version,
    day: new Date().toISOString().slice(0, 10),
  }
}
