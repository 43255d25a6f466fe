import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Bytes that a process holds after its garbage was collected. */
export interface Memory {
  readonly heap: number
  readonly rss: number
}

/** When it listens, and when every route has answered once. */
export interface Memories {
  readonly started: Memory
  readonly used: Memory
}

/** Milliseconds from the start of a process to the first thing that it says: that it listens. */
export async function timeStart(app: string, routes: number): Promise<number> {
  const start = performance.now()
  const child = spawn(process.execPath, [fileOf(app), String(routes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const said = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)])
  const elapsed = performance.now() - start
  child.kill('SIGKILL')
  await ended
  if (said === undefined) throw new Error(`${app} did not start`)
  return elapsed
}

/** Milliseconds from the start to the end of a process that does nothing. */
export async function timeNothing(): Promise<number> {
  const start = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return performance.now() - start
}

export async function readMemory(app: string, routes: number): Promise<Memories> {
  const child = spawn(process.execPath, ['--expose-gc', fileOf(app), String(routes), 'memory'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const said = await Promise.race([once(child.stdout, 'data'), ended.then(() => undefined)])
  child.kill('SIGKILL')
  await ended
  if (said === undefined) throw new Error(`${app} did not start`)
  return JSON.parse(String(said[0])) as Memories
}

function fileOf(app: string): string {
  return fileURLToPath(new URL(`apps/${app}.js`, import.meta.url))
}
