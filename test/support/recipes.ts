import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { ROOT } from './octavo.ts'

/** Milliseconds. */
const LONGEST_START = 20_000

/** The fences of a page of the cookbook that begin with a language and its marks, such as `ts serves`, in order. */
export function fencesOf(page: string, language: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'docs/cookbook', `${page}.md`), 'utf8')
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    .filter(([, mark]) => mark === language)
    .map(([, , code = '']) => code)
}

/** @throws if the page has none, or several */
export function fenceOf(page: string, language: string): string {
  const [fence, another] = fencesOf(page, language)
  if (fence === undefined || another !== undefined) throw new Error(`${page} needs one fence of ${language}`)
  return fence
}

/** Lets a program listen on any free port. @throws if it does not listen on the port of recipes */
export function onFreePort(code: string): string {
  const changed = code.replace('app.listen({ port: 3000 })', "app.listen({ port: 0, host: '127.0.0.1' })")
  if (changed === code) throw new Error(`The recipe does not listen on port 3000:\n${code}`)
  return changed
}

/** A program that listens. */
export interface Started {
  readonly url: string
  readonly child: ChildProcess
  /** The exit code and the signal. */
  readonly exited: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>
  /** What it has logged by now. */
  readonly log: () => string
}

/** Starts Node, and resolves once the log names a URL. */
export function startProgram(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Started> {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('exit', (code, signal) => resolve([code, signal])),
  )
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`It does not listen:\n${text}`))
    }, LONGEST_START)
    const look = (chunk: Buffer): void => {
      text += String(chunk)
      const [, url] = /"msg":"Listening".*?"url":"([^"]+)"/.exec(text) ?? []
      if (url === undefined) return
      clearTimeout(timer)
      resolve({ url, child, exited, log: () => text })
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`It ended with ${code}:\n${text}`))
    })
  })
}
