import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'
import { tell, withSchema } from './hostile.ts'
import { documentOf, ref, string } from './support.ts'

const times = (text: string, count: number): string => text.repeat(count)
const DEEP = 5_000
const within = { timeout: 300_000 }

describe('documents that are large', () => {
  const deep: readonly (readonly [title: string, schema: string])[] = [
    ['properties', `${times('{"properties":{"a":', DEEP)}{}${times('}}', DEEP)}`],
    ['items', `${times('{"items":', DEEP)}{}${times('}', DEEP)}`],
    ['allOf', `${times('{"allOf":[', DEEP)}{}${times(']}', DEEP)}`],
    ['not', `${times('{"not":', DEEP)}{}${times('}', DEEP)}`],
    ['an enumeration', `{"enum":[${times('[', DEEP)}1${times(']', DEEP)}]}`],
    ['a default', `{"default":${times('[', DEEP)}1${times(']', DEEP)}}`],
    ['a chain of references', JSON.stringify(ref('A0'))],
  ]
  const chain = `{${Array.from({ length: DEEP }, (_, at) => `"A${at}":${at === DEEP - 1 ? '{"type":"string"}' : JSON.stringify(ref(`A${at + 1}`))}`).join(',')}}`
  for (const [title, schema] of deep)
    it(`may be nested ${DEEP} levels deep: ${title}`, within, () => {
      const read = (type: string): unknown =>
        JSON.parse(withSchema(schema, chain).replace('"openapi":"3.1.0"', `"openapi":"${type}"`))
      for (const [old, now] of [
        [read('3.1.0'), read('3.1.0')],
        [read('3.0.3'), read('3.1.0')],
        [documentOf({ request: string }), read('3.1.0')],
        [read('3.1.0'), documentOf({ request: string })],
      ])
        try {
          compareDocuments(old, now)
        } catch (error) {
          assert.match(String(error), /^ReadError: the document is nested too deeply$/)
        }
    })

  it('may have lists of any length', within, async () => {
    const list = `[${times('{},', 100_000)}{}]`
    assert.deepEqual(await tell(withSchema('{}').replace(/}$/, `,"x-list":${list}}`)), [])
  })

  it('are compared within seconds when all unions are wide', within, () => {
    const union = (count: number, more: object): object => ({
      anyOf: Array.from({ length: count }, (_, at) => ({
        type: 'object',
        required: [`a${at}`],
        properties: { [`a${at}`]: { ...string, ...more } },
      })),
    })
    const all = (more: object): object => ({ allOf: [union(15, more), union(15, more), union(15, more)] })
    const { level } = compareDocuments(
      documentOf({ request: all({}) }),
      documentOf({ request: all({ minLength: 2 }) }),
    )
    assert.notEqual(level, 'none')
  })
})
