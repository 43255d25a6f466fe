import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'

/** How a process ended. */
export interface Ended {
  readonly kind: 'ended'
  /** Its exit code; 128 and the number of the signal that ended it. */
  readonly code: number
  readonly signal: NodeJS.Signals | undefined
}

/** A process that serves, and what it started. */
export interface Running {
  readonly ended: Promise<Ended>
  /** Asks it to end; what has not ended after the time, in milliseconds, is ended. */
  readonly stop: (signal: NodeJS.Signals, longest: number) => Promise<Ended>
  /** Ends it, and what it started, at once. */
  readonly kill: () => void
}

/** Watches over a process that leads a group of its own. */
export function watchOver(child: ChildProcess): Running {
  const kill = (): void => {
    if (child.pid === undefined) return
    try {
      if (process.platform === 'win32') child.kill('SIGKILL')
      else process.kill(-child.pid, 'SIGKILL')
    } catch {
      // the group is gone already
    }
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      // what it started and left behind
      kill()
      resolve({ kind: 'ended', code: code ?? exitCodeOf(signal), signal: signal ?? undefined })
    })
  })
  const stop = async (signal: NodeJS.Signals, longest: number): Promise<Ended> => {
    const timer = setTimeout(kill, longest)
    child.kill(signal)
    try {
      return await ended
    } finally {
      clearTimeout(timer)
    }
  }
  return { ended, stop, kill }
}

/** The exit code that shells give to what a signal ended. */
export function exitCodeOf(signal: NodeJS.Signals | null): number {
  return signal === null ? 1 : 128 + constants.signals[signal]
}
