import type { TestEvent } from 'node:test/reporters'

/** What ran in the suite of a test file, or in a process that failed as a whole. */
export interface Result {
  readonly name: string
  readonly tests: number
  readonly failed: boolean
  readonly seconds: number
  /** Each test that failed, with the message of its error. */
  readonly failures: readonly string[]
}

/**
 * Writes the results of the suites at the top, which are named after the test files, as JSON. Node reports tests in the order of their
 * definition and a suite after its tests, so all tests since the last suite belong to the next.
 *
 * @yields the results, once, at the end
 */
export async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const results: Result[] = []
  let tests = 0
  let failures: string[] = []
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { name, nesting, details, skip } = event.data
    if (event.type === 'test:fail') failures.push(...describeFailure(name, event.data.details.error))
    if (nesting > 0) {
      // Node reports no tests of a suite that is skipped
      if (details.type !== 'suite' || skip !== undefined) tests++
      continue
    }
    results.push({
      name,
      tests,
      failed: event.type === 'test:fail',
      seconds: details.duration_ms / 1000,
      failures,
    })
    tests = 0
    failures = []
  }
  yield JSON.stringify(results, undefined, 1)
}

/** A suite that fails because of its tests says nothing that these do not. */
function describeFailure(name: string, error: Error & { readonly failureType?: string }): readonly string[] {
  const { failureType, cause, message } = error
  if (failureType === 'subtestsFailed') return []
  return [`${name}: ${cause instanceof Error ? cause.message : message}`]
}
