/**
 * Runs the tests: `npm test`, `npm run check -- slow`, `npm test -- test/app/inject.test.ts test/router`. Options are those of `node --test`:
 * `npm test -- --test-name-pattern=cookie`. CONTRIBUTING.md explains which files run together.
 */
import { join, resolve } from 'node:path'

import { runTests } from './run.ts'

const args = process.argv.slice(2)
const own = /^--(?:slow|source|root=(?<root>.+))$/
const root = args.map((argument) => own.exec(argument)?.groups?.['root']).find((value) => value !== undefined)

try {
  process.exitCode = await runTests({
    // another root is for the tests of the runner
    root: root === undefined ? join(import.meta.dirname, '../..') : resolve(root),
    speed: args.includes('--slow') ? 'slow' : 'fast',
    fromSource: args.includes('--source'),
    filters: args.filter((argument) => !argument.startsWith('-')),
    options: args.filter((argument) => argument.startsWith('-') && !own.test(argument)),
  })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
