import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

import { z } from 'zod'

/** A file that npm or the reader makes, so no page shows it. */
const MADE = new Set(['package-lock.json', 'octavo-0.1.0.tgz'])
const Command = z.tuple([z.literal('node')], z.string())

export interface Container {
  /** The arguments of Node. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * Takes the steps of a container file in a folder instead of an image. Packages are linked, because installing them needs a network. An
 * instruction that is not known is an error.
 */
export function buildContainer(project: string, image: string): Container {
  mkdirSync(image)
  const env: Record<string, string> = {}
  let args: readonly string[] = []
  for (const line of readFileSync(join(project, 'Dockerfile'), 'utf8').trim().split('\n')) {
    const [, instruction = '', rest = ''] = /^(\w+) (.+)$/.exec(line) ?? []
    if (instruction === 'COPY') copy(project, image, rest.split(' '))
    else if (instruction === 'ENV') Object.assign(env, Object.fromEntries([rest.split('=')]))
    else if (instruction === 'CMD') args = Command.parse(JSON.parse(rest)).slice(1)
    else if (instruction === 'RUN') {
      assert.equal(rest, 'npm ci --omit=dev')
      symlinkSync(join(project, 'node_modules'), join(image, 'node_modules'))
    } else assert.ok(['FROM', 'WORKDIR', 'USER', 'EXPOSE'].includes(instruction), line)
  }
  return { args, env }
}

function copy(project: string, image: string, names: readonly string[]): void {
  const target = join(image, names.at(-1) ?? '')
  const sources = names.slice(0, -1).filter((name) => !MADE.has(name))
  for (const source of sources) {
    const to = target.endsWith('/') ? join(target, basename(source)) : target
    cpSync(join(project, source), to, { recursive: true })
  }
}

/** Runs the command of a container until `use` has ended, and stops it as a platform does. Returns its exit code. */
export async function runContainer(
  image: string,
  { args, env }: Container,
  more: Readonly<Record<string, string>>,
  use: () => Promise<void>,
): Promise<number | null> {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, args, {
    cwd: image,
    env: { PATH, ...env, ...more },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  try {
    await use()
  } finally {
    child.kill('SIGTERM')
  }
  return closed
}
