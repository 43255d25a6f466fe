import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

import { say } from './command.ts'
import { messageOf, toRecord } from '../base/values.ts'

/** A file of code that a command writes. */
interface CodeFile {
  readonly path: string
  readonly text: string
  /** The text of a file that exists, in which only some lines change. */
  readonly before?: string | undefined
}

/** A formatter, with the function that formats a text as the file of a path. */
interface Formatter {
  readonly name: string
  readonly format: (path: string, text: string) => Promise<string>
}

/** The formatters of projects, with the arguments that format the standard input. */
const FORMATTERS = [
  { module: 'oxfmt', name: 'oxfmt', toArguments: (path: string) => [`--stdin-filepath=${path}`] },
  { module: 'prettier', name: 'prettier', toArguments: (path: string) => [`--stdin-filepath=${path}`] },
  {
    module: '@biomejs/biome',
    name: 'biome',
    toArguments: (path: string) => ['format', `--stdin-file-path=${path}`],
  },
]

/** How many formatters run at the same time. */
const AT_ONCE = 4

/**
 * Formats code by the formatter in the `devDependencies` of a project. A file that exists keeps its layout if it was not formatted
 * before. If the formatter fails, the command says so in one line and writes the code as it is.
 */
export async function formatCode<F extends CodeFile>(
  files: readonly F[],
  cwd: string,
): Promise<readonly F[]> {
  const formatter = findFormatter(cwd)
  if (formatter === undefined) return files
  const formatted: F[] = []
  try {
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const some = files.slice(at, at + AT_ONCE)
      formatted.push(...(await Promise.all(some.map((file) => formatCodeFile(file, formatter)))))
    }
    return formatted
  } catch (error) {
    say(`${formatter.name} failed, so the code is not formatted: ${messageOf(error)}`)
    return files
  }
}

async function formatCodeFile<F extends CodeFile>(file: F, { format }: Formatter): Promise<F> {
  const { path, text, before } = file
  if (!/\.[cm]?[jt]sx?$/.test(path)) return file
  if (before !== undefined && (await format(path, before)) !== before) return file
  return { ...file, text: await format(path, text) }
}

function findFormatter(cwd: string): Formatter | undefined {
  const packages = readDevDependencies(join(cwd, 'package.json'))
  for (const { module, name, toArguments } of FORMATTERS) {
    const program = module in packages ? findProgram(name, cwd) : undefined
    if (program !== undefined)
      return {
        name,
        format: (path, text) => runProgram(program, toArguments(relative(cwd, path)), { cwd, text }),
      }
  }
  return undefined
}

function readDevDependencies(manifest: string): object {
  try {
    return toRecord(toRecord(JSON.parse(readFileSync(manifest, 'utf8')))['devDependencies'])
  } catch {
    return {}
  }
}

/** Finds a program in `node_modules` of a folder or of those around it, where workspaces have theirs. */
function findProgram(name: string, folder: string): string | undefined {
  const program = join(folder, 'node_modules/.bin', process.platform === 'win32' ? `${name}.cmd` : name)
  if (existsSync(program)) return program
  return dirname(folder) === folder ? undefined : findProgram(name, dirname(folder))
}

/** Returns what a program prints. @throws the first line of its errors if it fails */
function runProgram(
  program: string,
  args: readonly string[],
  { cwd, text }: { readonly cwd: string; readonly text: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, maxBuffer: 2 ** 28, timeout: 60_000, shell: process.platform === 'win32' }
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error((stderr.trim() || error.message).split('\n')[0]))
    })
    // a program that fails at once reads nothing
    child.stdin?.on('error', () => undefined).end(text)
  })
}
