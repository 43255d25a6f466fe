import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { VersioningSchemes } from 'octavo'

import { ask, serve } from './support.ts'
import type { Row } from './support.ts'

const { QUERY, URL } = VersioningSchemes

describe('the order of errors if no route matches', () => {
  it('unknown path, ambiguous, malformed, method, version', async () => {
    const rows: readonly Row[] = [
      ['GET', '/a', '1', 'a'],
      ['POST', '/b', '2', 'b'],
    ]
    const app = serve(rows, QUERY, { format: 'integer' })
    const asked = [
      '/none?version=1&version=2',
      '/none?version=x',
      '/none',
      '/a?version=x&version=1',
      '/a?version=x',
      '/a',
      '/b',
      '/b?version=2',
      '/b?version=1',
      '/b?version=3',
    ]
    const answers = await Promise.all(
      asked.map(async (url) => {
        const { status, body } = await ask(app, url)
        return `${status} ${String(Reflect.get(Object(body), 'code'))}`
      }),
    )
    assert.deepEqual(answers, [
      '404 route_not_found',
      '404 route_not_found',
      '404 route_not_found',
      '400 ambiguous_version',
      '400 invalid_version',
      '400 unspecified_version',
      '405 method_not_allowed',
      '405 method_not_allowed',
      '404 unsupported_version',
      '404 unsupported_version',
    ])
  })
  it('a malformed path is 400, whatever its version', async () => {
    const rows: readonly Row[] = [['GET', '/a', '1', 'a']]
    const answers = await Promise.all([
      serve(rows, URL).inject('/v9/%zz'),
      serve(rows, URL).inject('/v%3/a'),
      serve(rows, QUERY).inject('/%ff?version=9'),
    ])
    assert.deepEqual(
      answers.map(({ statusCode, body }) => [statusCode, body.includes('malformed_path')]),
      answers.map(() => [400, true]),
    )
  })
})
