import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { defineVersioningScheme, VersioningSchemes } from 'octavo'
import type { App, InjectOptions } from 'octavo'

import { ask, invalid, ok, serve, unsupported } from './support.ts'
import type { Row } from './support.ts'

const { HEADER, HOST, QUERY, URL } = VersioningSchemes

describe('long versions are never parsed', () => {
  const Own = defineVersioningScheme({ name: 'own', read: (request) => request.header('x-own') })
  const row = (version: string): readonly Row[] => [['GET', '/x', version, 'x']]
  const long = '1'.repeat(65)
  const places: readonly (readonly [
    name: string,
    apps: readonly [string: App, integer: App],
    toRequest: (version: string) => InjectOptions,
    statuses: readonly [unsupported: number, invalid: number],
  ])[] = [
    [
      'QUERY',
      [serve(row('1'), QUERY), serve(row('1'), QUERY, { format: 'integer' })],
      (version) => ({ url: `/x?version=${version}` }),
      [404, 400],
    ],
    [
      'URL',
      [serve(row('1'), URL), serve(row('1'), URL, { format: 'integer' })],
      (version) => ({ url: `/v${version}/x` }),
      [404, 404],
    ],
    [
      'HEADER accept',
      [serve(row('1'), HEADER), serve(row('1'), HEADER, { format: 'integer' })],
      (version) => ({ url: '/x', headers: { accept: `a/b;version=${version}` } }),
      [406, 400],
    ],
    [
      'HOST',
      [serve(row('1'), HOST), serve(row('1'), HOST, { format: 'integer' })],
      (version) => ({ url: '/x', host: `v${version}.example.com` }),
      [404, 404],
    ],
    [
      'own',
      [serve(row('1'), Own), serve(row('1'), Own, { format: 'integer' })],
      (version) => ({ url: '/x', headers: { 'x-own': version } }),
      [404, 400],
    ],
  ]
  for (const [name, [byText, byInteger], toRequest, [whenUnsupported, whenInvalid]] of places) {
    for (const version of [long, '1'.repeat(5000)]) {
      it(`${version.length} characters are unsupported, and malformed where there is a format (${name})`, async () => {
        const cut = '1'.repeat(64)
        const [{ vary, ...text }, { vary: same, ...integer }] = [
          await ask(byText, toRequest(version)),
          await ask(byInteger, toRequest(version)),
        ]
        assert.deepEqual(
          [text, integer, vary],
          [unsupported(whenUnsupported, cut, ['1']), invalid(whenInvalid, cut, ['1']), same],
        )
      })
    }
  }
  it('64 characters are a version like any other', async () => {
    const version = 'a'.repeat(64)
    const app = serve(row(version), QUERY)
    assert.deepEqual(
      [await ask(app, `/x?version=${version}`), await ask(app, `/x?version=${version}a`)],
      [ok(`x@${version}`), unsupported(404, version, [version])],
    )
  })
})
