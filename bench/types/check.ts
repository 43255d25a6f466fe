import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

import type { Files, Framework } from './api.ts'

/** What a type check took. */
export interface Cost {
  readonly instantiations: number
  readonly types: number
  /** Of the checker, in seconds. */
  readonly checkSeconds: number
  /** From the start to the end of the compiler, in seconds. */
  readonly totalSeconds: number
  readonly megabytes: number
}

const OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023'],
  types: ['node'],
  module: 'NodeNext',
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
}

const run = promisify(execFile)
const TSC = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')

/** Writes a project; its folder has to be where packages are found. */
export async function writeProject(
  folder: string,
  files: Files,
  compilerOptions: Framework['compilerOptions'] = {},
): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const config = { compilerOptions: { ...OPTIONS, ...compilerOptions }, files: Object.keys(files) }
  const texts = { ...files, 'tsconfig.json': JSON.stringify(config), 'package.json': '{ "type": "module" }' }
  await Promise.all(Object.entries(texts).map(([name, text]) => writeFile(join(folder, name), text)))
}

/** Checks a project that has no errors. One checker: several count what they share several times. */
export async function check(folder: string): Promise<Cost> {
  const output = await compile(folder, ['--singleThreaded', '--extendedDiagnostics'])
  const errors = toErrors(output)
  if (errors.length > 0) throw new Error(`${folder}: ${errors.slice(0, 3).join('\n')}`)
  const read = (name: string): number => {
    const value = Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(output)?.[1])
    if (Number.isNaN(value)) throw new Error(`The compiler does not tell ${name}`)
    return value
  }
  return {
    instantiations: read('Instantiations'),
    types: read('Types'),
    checkSeconds: read('Check time'),
    totalSeconds: read('Total time'),
    megabytes: read('Memory used') / 1024,
  }
}

/** The errors of a project. */
export async function findErrors(folder: string): Promise<readonly string[]> {
  return toErrors(await compile(folder, []))
}

/** What the compiler prints, whatever it finds. */
async function compile(folder: string, options: readonly string[]): Promise<string> {
  const args = [TSC, '-p', folder, '--pretty', 'false', ...options]
  try {
    return (await run(process.execPath, args)).stdout
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout ?? error)
  }
}

function toErrors(output: string): readonly string[] {
  return output.split('\n').filter((line) => line.includes('error TS'))
}
