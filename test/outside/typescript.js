/*
 * Compiles the examples and the declarations of all entry points with the oldest TypeScript that users may have. Errors in declarations of
 * other packages don't count, because these have their own requirements.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/** An error in the declarations of a package that is not Octavo. */
const FOREIGN = /^(?:\.\.\/)*node_modules\/(?!octavo\/)/

const { stdout } = spawnSync(
  process.execPath,
  [resolve('typescript-5.5/lib/tsc.js'), '-p', 'tsconfig.old.json', '--pretty', 'false'],
  { encoding: 'utf8' },
)
const errors = stdout.split('\n').filter((line) => /: error TS|^error TS/.test(line) && !FOREIGN.test(line))
if (errors.length > 0) process.exitCode = 1
console.log([`TypeScript 5.5: ${errors.length} errors`, ...errors].join('\n'))
