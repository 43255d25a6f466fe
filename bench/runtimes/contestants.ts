import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the runtimes are installed: `npm ci --prefix test/runtimes/packages --ignore-scripts`. */
const PACKAGES = new URL('../../../../test/runtimes/packages/node_modules/', import.meta.url)

/** A runtime that has a server for handlers of the Fetch standard. */
export interface Runtime {
  readonly name: string
  /** What starts a program. */
  readonly command: readonly string[]
  /** Who takes part, by the file in `servers/`. */
  readonly contestants: readonly Contestant[]
}

/** Who takes part. */
export interface Contestant {
  readonly label: string
  /** The file in `servers/`. */
  readonly server: string
}

/** The baseline of all ratios. */
export const BASELINE = 'Hono 4'

/** Octavo without versions, which the others do not have: these requests are not checked. */
export const OCTAVO: Contestant = { label: 'octavo', server: 'octavo' }

const CONTESTANTS: readonly Contestant[] = [
  OCTAVO,
  { label: 'octavo, versions in a header', server: 'octavo-versions' },
  { label: BASELINE, server: 'hono' },
  { label: 'h3 2', server: 'h3' },
  { label: 'Elysia 1.4 + zod', server: 'elysia' },
]

const RUNTIMES: readonly Runtime[] = [
  {
    name: 'Bun',
    command: [fileOf('@oven/bun-linux-x64/bin/bun')],
    contestants: [...CONTESTANTS, { label: 'Elysia 1.4 + zod, its own listen', server: 'elysia-listen' }],
  },
  {
    name: 'Deno',
    command: [fileOf('@deno/linux-x64-glibc/deno'), 'run', '-A', '--node-modules-dir=manual'],
    contestants: CONTESTANTS,
  },
]

/** The runtimes that are installed, which they are on Linux on x64 alone. */
export function findRuntimes(): readonly Runtime[] {
  return RUNTIMES.filter(({ name, command: [file = ''] }) => {
    if (existsSync(file)) return true
    console.error(`${name} is not installed: npm ci --prefix test/runtimes/packages --ignore-scripts`)
    return false
  })
}

function fileOf(path: string): string {
  return fileURLToPath(new URL(path, PACKAGES))
}
