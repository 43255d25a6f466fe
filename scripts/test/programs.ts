import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The programs that tests start, from `test/support/program.ts`. They are compiled with the tests, because a process that loads Octavo from
 * its sources computes for a second and a half before it does anything.
 */
export const PROGRAMS: readonly string[] = [
  'examples/car/main.ts',
  'examples/operations/main.ts',
  'examples/versions/main.ts',
  'test/app/fixtures/full-disk.ts',
  'test/app/fixtures/log-and-end.ts',
  'test/app/fixtures/result-kinds.ts',
  'test/cli/fixtures/cars/app.ts',
  'test/cli/fixtures/explain/app.ts',
  'test/cli/fixtures/history/app.ts',
  'test/cli/fixtures/hosts/app.ts',
  'test/cli/fixtures/life/app.ts',
  'test/cli/fixtures/public/app.ts',
  'test/cli/fixtures/webhooks/app.ts',
  'test/examples/operations/next-release.ts',
  'test/idempotency/workers/app.ts',
  'test/metrics/workers/app.ts',
  'test/node/process/app.ts',
  'test/node/process/end-with-file.ts',
  'test/node/process/wait-until.ts',
  'test/otel/auto/app.ts',
  'test/otel/auto/preload.ts',
  'test/pins/app.ts',
  'test/quota/app.ts',
]

/** The variable with the folder of a run of tests. */
export const RUN_FOLDER = 'OCTAVO_TEST_FOLDER'

/** The part of that folder that has the programs. */
export const PROGRAMS_PART = 'programs'

/** The programs that a project has; the tests of the runner run it in others. */
export function findPrograms(root: string): readonly string[] {
  return PROGRAMS.filter((path) => existsSync(join(root, path)))
}
