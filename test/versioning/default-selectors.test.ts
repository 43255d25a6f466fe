import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'

import { DefinitionError, VersioningSchemes } from 'octavo'
import type { DefinitionErrorCode, Logger, VersionFormat } from 'octavo'

import { ask, ok, serve, unsupported, varying } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, QUERY, URL } = VersioningSchemes

function rowsOf(versions: readonly string[]): readonly Row[] {
  return versions.map((version): Row => ['GET', '/x', version, 'x'])
}

describe('latest, latestStable and oldest choose the default version', () => {
  const names = ['galway', 'eugene', 'dublin']
  const cases: readonly (readonly [
    title: string,
    selector: string,
    declared: readonly string[],
    listed: readonly string[],
    format: VersionFormat,
    expected: string,
  ])[] = [
    ['latest: by value, not by text', 'latest', ['2', '10', '9'], [], 'string', '10'],
    ['oldest: by value', 'oldest', ['2', '10', '9'], [], 'string', '2'],
    ['latest counts a status', 'latest', ['1.0', '2.0', '3.0-beta'], [], 'semver', '3.0-beta'],
    ['latestStable skips a status', 'latestStable', ['1.0', '2.0', '3.0-beta'], [], 'semver', '2.0'],
    ['latestStable: a status below the newest', 'latestStable', ['1', '2-rc', '2'], [], 'integer', '2'],
    ['oldest counts a status', 'oldest', ['1-beta', '1', '2'], [], 'integer', '1-beta'],
    ['latest of dates', 'latest', ['2025-06-01', '2026-01-01'], [], 'date', '2026-01-01'],
    ['latestStable of dates', 'latestStable', ['2025-06-01', '2026-01-01-preview'], [], 'date', '2025-06-01'],
    ['names: latest is the first of the list', 'latest', names, names, 'string', 'galway'],
    ['names: oldest is the last of the list', 'oldest', names, names, 'string', 'dublin'],
    ['names: latestStable is the first of the list', 'latestStable', names, names, 'string', 'galway'],
    ['numbers are ordered by value whatever the list says', 'latest', ['1', '2'], ['1', '2'], 'string', '2'],
    ['a version that is really called latest', 'latest', ['1', 'latest', '2'], [], 'string', 'latest'],
    [
      'a version that is really called oldest',
      'oldest',
      ['1', 'oldest'],
      ['oldest', '1'],
      'string',
      'oldest',
    ],
    ['latestStable of one version', 'latestStable', ['1'], [], 'string', '1'],
  ]
  for (const [title, defaultVersion, declared, versions, format, expected] of cases) {
    it(title, async () => {
      const options = { defaultVersion, versions, format }
      const byQuery = serve(rowsOf(declared), QUERY, options)
      const byUrl = serve(rowsOf(declared), URL, options)
      const turned = serve(rowsOf(declared.toReversed()), QUERY, options)
      assert.deepEqual(
        [await ask(byQuery, '/x'), await ask(byUrl, '/x'), await ask(turned, '/x')],
        [ok(`x@${expected}`), ok(`x@${expected}`), ok(`x@${expected}`)],
      )
    })
  }
  it('a listed version that no route has ends no path', async () => {
    const app = serve(rowsOf(['1', '2']), QUERY, { defaultVersion: 'latest', versions: ['3', '2', '1'] })
    assert.deepEqual(await ask(app, '/x'), ok('x@2'))
  })
  it('a request for "latest" asks for a version of that name', async () => {
    const app = serve(rowsOf(['1', '2']), QUERY, { defaultVersion: 'latest' })
    assert.deepEqual(await ask(app, '/x?version=latest'), unsupported(404, 'latest', ['1', '2']))
  })
  it('unversioned handlers belong to the version it stands for', async () => {
    const rows: readonly Row[] = [...rowsOf(['1', '2']), ['POST', '/x', undefined, 'post']]
    const app = serve(rows, QUERY, { defaultVersion: 'latest' })
    const statuses = ['', '?version=2', '?version=1'].map(async (query) => {
      const { statusCode } = await app.inject({ method: 'POST', url: `/x${query}` })
      return statusCode
    })
    assert.deepEqual(await Promise.all(statuses), [200, 200, 405])
  })
  const mistakes: readonly (readonly [
    title: string,
    selector: string,
    declared: readonly string[],
    format: VersionFormat,
    code?: DefinitionErrorCode,
  ])[] = [
    [
      'latest of names that are not listed is a definition error',
      'latest',
      ['galway', 'eugene'],
      'string',
      'versions_without_order',
    ],
    [
      'latestStable without a stable version is a definition error',
      'latestStable',
      ['1-beta', '2-beta'],
      'integer',
    ],
    ['oldest without a version is a definition error', 'oldest', [], 'string'],
    ['the names of the selectors are case-sensitive', 'Latest', ['1'], 'string'],
  ]
  for (const [title, defaultVersion, declared, format, code = 'default_version_unknown'] of mistakes) {
    it(title, async () => {
      const app = serve(rowsOf(declared), QUERY, { defaultVersion, format })
      await assert.rejects(
        app.ready(),
        (error) =>
          error instanceof DefinitionError && error.errors.map((problem) => problem.code).join() === code,
      )
    })
  }
})

describe('a function that chooses what nobody knows', () => {
  const choices: readonly (readonly [title: string, choice: string | undefined])[] = [
    ['an unknown version', 'secret'],
    ['nothing but no version', ''],
    ['the name of a selector', 'latest'],
    ['a name that every object has', '__proto__'],
    ['6,000 characters', 'secret'.repeat(1000)],
    // the types refuse it, but for records that are read without `noUncheckedIndexedAccess`
    ['undefined', undefined],
  ]
  for (const [title, choice] of choices) {
    const given = choice === undefined ? 'undefined' : JSON.stringify(choice.slice(0, 64))
    for (const isLate of [false, true]) {
      it(`${title} is 500, logged and not reflected (${isLate ? 'later' : 'now'})`, async () => {
        const errors: unknown[] = []
        const quiet = (): void => undefined
        const logger: Logger = {
          debug: quiet,
          info: quiet,
          warn: quiet,
          error: (details) => void errors.push('err' in details ? details.err : details),
        }
        const app = serve(
          rowsOf(['1', '2']),
          QUERY,
          {
            defaultVersion: isLate
              ? async () => {
                  await setImmediate()
                  return choice as string
                }
              : () => choice as string,
          },
          { logger },
        )
        const { statusCode, body } = await app.inject('/x')
        assert.deepEqual(
          [statusCode, JSON.parse(body).code, body.includes('secret'), errors.map(String)],
          [
            500,
            'internal_error',
            false,
            [`Error: The function defaultVersion gave ${given}, not a known version (1, 2) or null`],
          ],
        )
        assert.deepEqual(await ask(app, '/x?version=1'), ok('x@1'))
      })
    }
  }
})

describe('a default for each account', () => {
  const pins = new Map([
    ['old', '1'],
    ['new', '2'],
  ])
  const app = serve(rowsOf(['1', '2']), HEADER, {
    defaultVersion: (request) => pins.get(request.header('x-account') ?? '') ?? '2',
    vary: ['X-Account'],
  })
  it('the account chooses the default version, and requests without account get another', async () => {
    const answers = ['old', 'new', undefined].map((account) =>
      ask(app, { url: '/x', headers: { 'x-account': account } }),
    )
    assert.deepEqual(
      await Promise.all(answers),
      ['1', '2', '2'].map((version) => varying('accept, x-account', ok(`x@${version}`))),
    )
  })
  it('a request that names a version has it, whatever the pin, and does not vary by account', async () => {
    const headers = { 'x-account': 'old', accept: 'a/b;version=2' }
    assert.deepEqual(await ask(app, { url: '/x', headers }), varying('accept', ok('x@2')))
  })
})
