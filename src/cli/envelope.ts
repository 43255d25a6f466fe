import type { LoadProblem } from './app-process.ts'
import type { Outcome } from './command.ts'

/**
 * Returns the JSON that every command prints for `--format json`. `cli-output.schema.json` describes it. Stacks stay out, because standard
 * error has them.
 */
export function toEnvelope(
  command: string | undefined,
  { exitCode = 0, findings, result, next = [] }: Outcome,
  errors: readonly LoadProblem[] = [],
): string {
  const shown = errors.map(({ stack: _stack, ...problem }) => problem)
  return JSON.stringify({ ok: exitCode === 0, command, findings, result, errors: shown, next }, undefined, 2)
}

/** Whether a command line asks for JSON. It may have mistakes elsewhere, which are then told in JSON, too. */
export function wantsJson(given: readonly string[]): boolean {
  const end = given.indexOf('--')
  const own = end < 0 ? given : given.slice(0, end)
  return own.some(
    (argument, index) =>
      argument === '--format=json' || (argument === 'json' && own[index - 1] === '--format'),
  )
}
