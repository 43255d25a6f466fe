import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { createApp, defineController, defineModule, VersioningSchemes } from 'octavo'
import { forEachVersion } from 'octavo/testing'

const cars = defineController({
  name: 'CarController',
  version: ['1', '2', '3', '4'],
  routes: [{ method: 'GET', handler: (_, { version }) => version }],
})
const app = createApp(defineModule({ controllers: [cars] }), {
  logger: false,
  versioning: {
    scheme: VersioningSchemes.HEADER,
    headerParameter: 'x-api-version',
    versions: { 2: { deprecated: '2020-01-01', sunset: '2020-01-02', retired: 'gone' } },
  },
})

describe('forEachVersion', () => {
  it('runs a test in every version from one on, oldest first, without those that are retired', async () => {
    const seen: unknown[] = []
    await forEachVersion(app, '1', async (client, version) => {
      seen.push([version, (await client.get('/car')).version])
    })
    assert.deepEqual(
      seen,
      ['1', '3', '4'].map((version) => [version, version]),
    )
    const later: string[] = []
    await forEachVersion(app, '4', (_, version) => void later.push(version))
    assert.deepEqual(later, ['4'])
  })

  it('has run all when it returns, if tests return no promise', () => {
    const seen: string[] = []
    const done = forEachVersion(app, '1', (_, version) => void seen.push(version))
    assert.deepEqual(seen, ['1', '3', '4'])
    return done
  })

  it('runs the other versions after one has failed, and names those that did', async () => {
    const cause = new Error('no cars')
    await assert.rejects(
      forEachVersion(app, '1', (_, version) => {
        if (version === '3') throw cause
      }),
      { name: 'Error', message: 'Version 3: no cars', cause },
    )
    await assert.rejects(
      forEachVersion(app, '1', async (_, version) => {
        if (version !== '1') throw cause
      }),
      (error) => {
        assert.ok(error instanceof AggregateError)
        assert.equal(error.message, 'The test fails in versions 3, 4. Version 3: no cars')
        return error.errors.length === 2
      },
    )
  })

  it('wants a version of the application', async () => {
    await assert.rejects(
      forEachVersion(app, '9', () => {}),
      {
        name: 'RangeError',
        message: 'forEachVersion: there is no version 9; there are 1, 2, 3, 4',
      },
    )
  })
})
