import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'

import { documentOf, integer, object, ref, string } from './support.ts'

type Schemas = Readonly<Record<string, unknown>>

/** What is told of two documents whose only operation is the same word for word. */
function tell(old: Schemas, now: Schemas, version = '3.1.0', newVersion = version): readonly string[] {
  const { findings } = compareDocuments(
    documentOf({ request: ref('A') }, old, version),
    documentOf({ request: ref('A') }, now, newVersion),
  )
  return findings.flatMap(({ rule, places }) => places.map(({ at }) => `${rule} ${at}`))
}

const ring = (last: unknown): Schemas => ({
  A: object({ b: ref('B') }),
  B: object({ 'c?': ref('C') }),
  C: object({ 'a?': ref('A'), last }),
})

describe('operations that are the same word for word', () => {
  it('are the same if all that they refer to is', () => {
    assert.deepEqual(tell(ring(string), ring(string)), [])
  })

  it('are not if something that they lead to differs', () => {
    assert.deepEqual(tell(ring(string), ring({ ...string, maxLength: 5 })), [
      'request-property-max-length-set requestBody/application/json/b/c/last',
    ])
  })

  it('are not if a reference leads to another one that says more', () => {
    const more = (maxLength: number): Schemas => ({ A: { ...ref('B'), maxLength }, B: string })
    assert.deepEqual(
      tell({ ...more(9), A: ref('C'), C: more(9)['A'] }, { ...more(5), A: ref('C'), C: more(5)['A'] }),
      ['request-body-max-length-decreased requestBody/application/json'],
    )
  })

  it('are not in another dialect', () => {
    // references of 3.0 have nothing beside them
    const beside = { A: { ...ref('B'), maxLength: 5 }, B: string }
    assert.deepEqual(tell(beside, beside, '3.0.3', '3.1.0'), [
      'request-body-max-length-set requestBody/application/json',
    ])
    assert.deepEqual(tell(beside, beside, '3.0.3'), [])
    // documents often keep this keyword of 3.0
    const nullable = { A: { ...string, nullable: true } }
    assert.deepEqual(tell(nullable, nullable, '3.0.3', '3.1.0'), [])
  })

  it('are not if a scheme of their credentials differs', () => {
    const withKey = (name: string): object => ({
      openapi: '3.1.0',
      security: [{ key: [] }],
      paths: { '/a': { get: { responses: {} } } },
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name } } },
    })
    assert.deepEqual(
      compareDocuments(withKey('x-key'), withKey('x-token')).findings.map(({ rule }) => rule),
      ['api-security-added'],
    )
  })

  const broken: readonly (readonly [string, Schemas, RegExp])[] = [
    ['a schema contains itself', { A: { allOf: [ref('B')] }, B: { anyOf: [ref('A')] } }, /contains itself/],
    ['a reference leads to itself', { A: ref('B'), B: ref('A') }, /contains itself|leads back/],
  ]
  for (const [title, schemas, expected] of broken)
    it(`are an error if ${title}`, () =>
      assert.throws(() => tell(schemas, structuredClone(schemas)), expected))

  it('are not if a reference leads nowhere', () => {
    const schemas = { A: object({ b: ref('C') }) }
    assert.deepEqual(tell(schemas, structuredClone(schemas)), [
      'request-property-unresolved requestBody/application/json/b',
    ])
  })

  it('may share objects in one document and not in the other', () => {
    const shared = object({ id: integer })
    const old = documentOf({ request: shared, response: shared })
    assert.deepEqual(compareDocuments(old, structuredClone(old)).findings, [])
    assert.deepEqual(compareDocuments(JSON.parse(JSON.stringify(old)), old).findings, [])
  })
})
