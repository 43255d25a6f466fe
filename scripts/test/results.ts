import { existsSync, readFileSync } from 'node:fs'

import type { Entry } from './plan.ts'
import type { Result } from './reporter.ts'

/** The results that the reporter wrote; none if the run ended before. */
export function readResults(file: string): readonly Result[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text === '' ? [] : (JSON.parse(text) as readonly Result[])
}

/** Options that leave tests out, so that a file may be left with none. */
const SELECTING = /^--test-(?:name-pattern|skip-pattern|only)\b/

/**
 * One message for each test that failed, because its place in the output is far from the end, for each process that did not finish all of its files, one for each test file of which no test ran, and one for each test
 * that ran outside of the suite of its file.
 */
export function findProblems(
  entries: readonly Entry[],
  results: readonly Result[],
  options: readonly string[],
): readonly string[] {
  const tests = new Map(results.map((result) => [result.name, result.tests]))
  const isSelecting = options.some((option) => SELECTING.test(option))
  const unfinished = entries
    .map(({ name, files }) => ({ name, missing: files.filter((file) => !tests.has(file)) }))
    .filter(({ missing }) => missing.length > 0)
  const planned = new Set(entries.flatMap(({ files }) => files))
  const empty = isSelecting ? [] : [...planned].filter((file) => tests.get(file) === 0)
  // a process that fails as a whole is reported by the path of its entry
  const outside = results.filter(({ name }) => !planned.has(name) && !name.endsWith('.mjs'))
  const failed = results.flatMap(({ name, failures }) =>
    failures.map((failure) => `Failed: ${name}: ${failure}`),
  )
  return [
    ...failed,
    ...unfinished.map(({ name, missing }) => `The process "${name}" did not finish: ${missing.join(', ')}`),
    ...empty.map((file) => `No test ran in ${file}. Either it defines none or it cannot be loaded.`),
    ...outside.map(({ name }) => `A test or suite ran outside of the suite of its file: ${name}`),
  ]
}
