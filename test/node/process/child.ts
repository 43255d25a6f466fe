import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after } from 'node:test'

import { programArguments } from '../../support/program.ts'
import type { ProgramOptions } from './app.ts'

/** A line that the program or one of its workers wrote. */
export interface Line {
  readonly level: string
  readonly msg: string
  /** The process that wrote it. */
  readonly by: number
  readonly pid?: number
  readonly url?: string
  readonly [name: string]: unknown
}

/** The program, running. */
export interface Program {
  readonly child: ChildProcess
  readonly exited: Promise<readonly [code: number | null, signal: string | null]>
  readonly lines: readonly Line[]
  /** What was written to standard error so far. */
  readonly errors: () => string
  /** The first line that passes, or the first after those that were there. */
  readonly line: (test: (line: Line) => boolean, from?: number) => Promise<Line>
  /** The URL, once it listens. */
  readonly url: () => Promise<string>
}

/** Starts the program; it is killed when the test file ends. */
export async function start(options: ProgramOptions = {}): Promise<Program> {
  const child = spawn(process.execPath, programArguments('test/node/process/app.ts'), {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, OCTAVO_TEST: JSON.stringify(options) },
  })
  after(() => child.kill('SIGKILL'))
  const lines: Line[] = []
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const reader = createInterface(child.stdout)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the program writes
  reader.on('line', (text) => lines.push(JSON.parse(text) as Line))
  const ended = once(reader, 'close')
  const exited = (async () => {
    const [code, signal]: readonly unknown[] = await once(child, 'exit')
    await ended
    return [typeof code === 'number' ? code : null, typeof signal === 'string' ? signal : null] as const
  })()
  const line = async (test: (line: Line) => boolean, from = 0): Promise<Line> => {
    for (;;) {
      const found = lines.slice(from).find(test)
      if (found !== undefined) return found
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The program has ended: ${JSON.stringify(lines)} ${errors}`)
      await Promise.race([once(reader, 'line'), exited])
    }
  }
  return {
    child,
    exited,
    lines,
    errors: () => errors,
    line,
    url: async () => (await line(({ msg, by }) => msg === 'url' && by === child.pid)).url ?? '',
  }
}

/** Passes the lines of one message. */
export const named =
  (name: string) =>
  ({ msg }: Line): boolean =>
    msg === name

/** The processes of the workers that listened so far. */
export function workersOf({ lines }: Program): readonly number[] {
  return lines.filter(named('A worker listens')).map(({ pid = 0 }) => pid)
}

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
