import { isPromise, messageOf, type Awaitable } from '../base/values.ts'
import type { VersionsOf } from '../define/names.ts'
import type { EdgeApp } from '../server/app/edge-app.ts'
import { createTestClient, type TestClient } from './client.ts'

/**
 * Runs a test in each version of an application, oldest first, with a client that sends that version. Retired versions are left out. If the
 * test returns no promise, all of them have run when the function returns, so a test can register others.
 *
 * @example
 * await forEachVersion(app, '2025-06-01', async (client) => {
 *   const { statusCode } = await client.get('/user/7')
 *   assert.equal(statusCode, 200)
 * })
 *
 * @throws `RangeError` for a version that the application does not have, and an error that names the versions in which the test failed.
 */
export async function forEachVersion<A extends EdgeApp>(
  app: A,
  from: VersionsOf<A>,
  test: (client: TestClient, version: string) => Awaitable<void>,
): Promise<void> {
  const failures: Error[] = []
  const failed: string[] = []
  for (const version of versionsFrom(app, from)) {
    try {
      const result = test(createTestClient(app, { version }), version)
      if (isPromise(result)) await result
    } catch (error) {
      failed.push(version)
      failures.push(new Error(`Version ${version}: ${messageOf(error)}`, { cause: error }))
    }
  }
  const [first, second] = failures
  if (first === undefined) return
  if (second === undefined) throw first
  throw new AggregateError(failures, `The test fails in versions ${failed.join(', ')}. ${first.message}`)
}

function versionsFrom(app: EdgeApp, from: string): readonly string[] {
  const known = app.versions()
  const first = known.findIndex(({ version }) => version === from)
  if (first === -1) {
    const there = known.map(({ version }) => version).join(', ')
    throw new RangeError(`forEachVersion: there is no version ${from}; there are ${there || 'none'}`)
  }
  const served = known.slice(first).filter(({ status }) => status !== 'retired')
  return served.map(({ version }) => version)
}
