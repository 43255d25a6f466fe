import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'

import { OPERATIONS } from './corpus/operations.ts'
import type { Short } from './corpus/operations.ts'
import { assertFilled, documentOf, ref, string } from './support.ts'

const toDocument = ({ version = '1', paths = {}, schemes = {}, ...rest }: Short): object => ({
  openapi: '3.2.0',
  info: { title: 'Cars', version },
  paths,
  components: { securitySchemes: schemes },
  ...rest,
})

const now = new Date('2026-11-22')

describe('the gate, operations', () => {
  for (const { reason, old, now: newer, expected } of OPERATIONS)
    it(`${reason}: ${expected.join(', ') || 'none'}`, () => {
      const { findings } = compareDocuments(toDocument(old), toDocument(newer), { now })
      const found = findings.map(({ level, rule }) => `${level} ${rule}`)
      assert.deepEqual(found.toSorted(), [...expected].toSorted(), JSON.stringify(findings, undefined, 1))
      for (const { rule, base, revision, message } of findings) {
        assertFilled(message)
        if (rule === 'reference-unresolved') continue
        // only what is not there has no place
        assert.equal(base.pointer === '', /^(?:endpoint|webhook)-added$/.test(rule), rule)
        assert.equal(
          revision.pointer === '',
          /^(?:api|webhook)-.*removed/.test(rule) && !/security/.test(rule),
          rule,
        )
      }
    })
})

describe('the gate, a named schema', () => {
  it('has the place of a property of which nothing more is said', () => {
    const car = (properties: object): unknown =>
      documentOf({ response: ref('Car') }, { Car: { type: 'object', properties, required: ['made'] } })
    const { findings } = compareDocuments(car({ made: string }), car({}))
    assert.deepEqual(
      findings.map(({ rule, schema, at, revision }) => [rule, schema, at, revision.pointer]),
      [['response-property-type-generalized', 'Car', 'made', '/components/schemas/Car']],
    )
  })

  it('is the one that refers to another schema than before', () => {
    const schemas = (driver: string): Record<string, object> => ({
      Car: { type: 'object', properties: { driver: ref(driver) }, required: ['driver'] },
      Person: { type: 'object', properties: { id: string, name: string }, required: ['id', 'name'] },
      Driver: { type: 'object', properties: { id: string }, required: ['id'] },
    })
    const documents = ['Person', 'Driver'].map((driver) =>
      documentOf({ response: ref('Car') }, schemas(driver)),
    )
    const { findings } = compareDocuments(documents[0], documents[1])
    assert.deepEqual(
      findings.map(({ rule, schema, at }) => [rule, schema, at]),
      [['response-required-property-removed', 'Car', 'driver/name']],
    )
  })
})
