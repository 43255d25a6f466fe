import { execFileSync, spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { findPackage, linkPackage } from './package.ts'
import { FROM_SOURCE, ROOT } from './program.ts'

export { FROM_SOURCE, ROOT }

const MAIN = join(ROOT, 'src/cli/main.ts')

/** What a command has written, and how it ended. */
export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** What Node is given before the arguments; the command line from its source unless it is said. */
  readonly node?: readonly string[]
}

/** Variables that would change what is tested. */
const NEUTRAL = {
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
  COLUMNS: undefined,
  NODE_TEST_CONTEXT: undefined,
}

/** Starts `octavo`. */
export function start(
  args: readonly string[],
  { cwd = ROOT, env = {}, node = [...FROM_SOURCE, MAIN] }: RunOptions = {},
): ChildProcess {
  return spawn(process.execPath, [...node, ...args], { cwd, env: { ...process.env, ...NEUTRAL, ...env } })
}

/** Runs `octavo` to its end. */
export async function octavo(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = start(args, options)
  const written = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (written.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (written.stderr += text))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...written }))
  })
}

/** The command line as it is shipped. */
export async function findMain(): Promise<string> {
  return join(await findPackage(), 'dist/cli/main.js')
}

/** Makes a folder with files for one test file. It sees the packages of this project. */
export function createFolder(files: Readonly<Record<string, string>> = {}): {
  readonly path: string
  readonly write: (name: string, text: string) => void
  readonly remove: () => void
} {
  const parent = join(ROOT, 'test/cli/.tmp')
  mkdirSync(parent, { recursive: true })
  const path = mkdtempSync(join(parent, 'run-'))
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  write('package.json', '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) write(name, text)
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A folder in which Octavo is installed as it is shipped. */
export interface Project {
  readonly path: string
  readonly write: (name: string, text: string) => void
  readonly read: (name: string) => string
  /** Runs `octavo` in the project, to its end. */
  readonly run: (...args: readonly string[]) => Promise<Outcome>
  /** Checks the types of files of the project. Returns the errors. The default compiler is TypeScript 7. */
  readonly compile: (include: readonly string[], compiler?: readonly string[]) => Promise<string>
  /** Runs git in the project. Call it with `init` first. */
  readonly git: (...args: readonly string[]) => string
  readonly remove: () => void
}

/** TypeScript 7 with one checker, because each would check again what the files have in common. */
export const COMPILER = [join(ROOT, 'node_modules/.bin/tsc'), '--checkers', '1'] as const
const COMPILER_OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023'],
  types: ['node'],
  module: 'NodeNext',
  customConditions: ['octavo-source'],
  allowImportingTsExtensions: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
}

/**
 * Creates a project for one test file, whose packages are those of this repository. A command takes half as long with an app in JavaScript,
 * which needs no tsx.
 */
export function createProject(files: Readonly<Record<string, string>> = {}): Project {
  const folder = createFolder()
  const path = join(folder.path, 'project')
  const write = (name: string, text: string): void => folder.write(`project/${name}`, text)
  write('package.json', '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) write(name, text)
  linkPackage(path)
  const run = async (...args: readonly string[]): Promise<Outcome> =>
    octavo(args, { cwd: path, node: ['--conditions', 'octavo-source', await findMain()] })
  return {
    path,
    write,
    read: (name) => readFileSync(join(path, name), 'utf8'),
    run,
    compile: async (include, [program = '', ...args]: readonly string[] = COMPILER) => {
      await findPackage()
      write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include }))
      const { stdout } = spawnSync(program, [...args, '-p', '.', '--pretty', 'false'], {
        cwd: path,
        encoding: 'utf8',
      })
      // the sources of Octavo are checked elsewhere, with options of their own
      return stdout.replaceAll(/^\.\.\/.*\n(?: .*\n)*/gm, '')
    },
    git: (...args) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...args], {
        cwd: path,
        encoding: 'utf8',
      }),
    remove: folder.remove,
  }
}

/** The source of a module whose export looks as an application does, without the time that loading one takes. */
export const LOOKALIKE = `
export const make = (routes = []) => ({
  routes: () => routes, printRoutes: () => '/', versions: () => [], ready: async () => {},
  openapi: () => ({ openapi: '3.1.1' }), listen: async () => 'http://localhost:1', close: async () => {},
})
const route = (name) => ({ name, controller: '', methods: ['GET'], path: '/' + name, versions: [], tags: [], deprecated: false, guards: [], meta: {} })
export const named = (name) => make([route(name)])
`
