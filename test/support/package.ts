import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

import { FOLDER, ROOT } from './program.ts'

/** Where folders in the one of the run find it by its name. */
const MADE = join(FOLDER, 'node_modules/octavo')

/** Milliseconds that the package may take to be made, also on a machine with much else to do. */
const LONGEST = 300_000

/**
 * The folder of Octavo as it is shipped: JavaScript, declarations and the template. It is made once in a run, because it loads, and a
 * compiler reads it, in a fraction of the time that the sources take.
 */
export async function findPackage(): Promise<string> {
  mkdirSync(dirname(MADE), { recursive: true })
  try {
    // stays, so that nobody makes it again
    mkdirSync(`${MADE}-started`)
  } catch {
    // by another test file, at the same time
    for (const limit = Date.now() + LONGEST; !existsSync(MADE); await sleep(50))
      if (Date.now() > limit) throw new Error(`${MADE} was not made`)
    return MADE
  }
  await makePackage(`${MADE}-unfinished`)
  renameSync(`${MADE}-unfinished`, MADE)
  return MADE
}

/** Installs that package in a folder. */
export async function installPackage(folder: string): Promise<void> {
  await findPackage()
  linkPackage(folder)
}

/** Installs it before it is made. */
export function linkPackage(folder: string): void {
  const place = join(folder, 'node_modules/octavo')
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(MADE, place, 'dir')
}

interface Manifest {
  readonly scripts: Readonly<Record<'build:client', string>>
  readonly exports: Readonly<Record<string, string | object>>
}

/** Where the package has the project that `octavo init` writes. */
const TEMPLATE = 'src/cli/init/template'

/** What `npm run build` has made of these sources, if somebody knows that it has; `npm run check` does. */
const BUILT = process.env['OCTAVO_BUILT']

async function makePackage(folder: string): Promise<void> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a file of this project
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
  const dist = join(folder, 'dist')
  if (BUILT === undefined) await build(manifest, dist)
  else cpSync(join(ROOT, BUILT), dist, { recursive: true })
  cpSync(join(ROOT, TEMPLATE), join(folder, TEMPLATE), { recursive: true })
  const exported = Object.entries(manifest.exports).map(([name, target]) => [
    name,
    typeof target === 'string' ? target : { ...target, 'octavo-source': undefined },
  ])
  const shipped = { ...manifest, exports: Object.fromEntries(exported) }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(shipped, undefined, 2))
}

/** Does what `npm run build` does, but for the type check. */
async function build(manifest: Manifest, dist: string): Promise<void> {
  const run = promisify(execFile)
  const bin = join(ROOT, 'node_modules/.bin')
  const client = manifest.scripts['build:client'].split(' ').slice(1)
  const toClient = client.map((argument) => argument.replace('--outdir=dist', `--outdir=${dist}`))
  const types = [
    '-p',
    'scripts/tsconfig.build.json',
    '--noCheck',
    '--checkers',
    '1',
    '--declarationMap',
    'false',
    '--outDir',
    dist,
  ]
  // first, because the build removes declarations that no entry point leads to
  await run(join(bin, 'tsc'), types, { cwd: ROOT })
  await Promise.all([
    run(process.execPath, ['--import', 'tsx', 'scripts/build.ts', dist], { cwd: ROOT }),
    run(join(bin, 'esbuild'), toClient, { cwd: ROOT }),
  ])
}
