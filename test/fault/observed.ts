/** What a process that is tested reports to the process that has started it. */
import { setTimeout as delay } from 'node:timers/promises'

/** Something that went wrong in the process. */
export interface ToldError {
  readonly kind: 'error'
  readonly text: string
}

/** Bytes of the process after a collection. */
export interface Memory {
  readonly heap: number
  readonly external: number
  readonly rss: number
}

/** Creates the function that reports an error. `from` says where it was noticed. */
export const report = (from: string) => (error: unknown) => {
  const told: ToldError = {
    kind: 'error',
    text: `${from}: ${error instanceof Error ? error.stack : String(error)}`,
  }
  process.send?.(told)
}

/** Has errors that nobody handles, and warnings of Node, reported instead of ending the process. */
export function reportUnhandled(): void {
  for (const name of ['uncaughtException', 'unhandledRejection', 'warning']) process.on(name, report(name))
}

/** Collects a few times, `pause` milliseconds apart, and measures what is left. */
export async function measureMemory(pause: number): Promise<Memory> {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.()
    await delay(pause)
  }
  const { heapUsed: heap, external, rss } = process.memoryUsage()
  return { heap, external, rss }
}
