import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'
import { readApi, prepareSource, writeProject } from '../inside/tools.ts'
import { SHAPES, diamondOf, mixOf } from './diamonds.ts'
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

describe('schemas that lead to the same ones on many ways, each alone and in random mixes', () => {
  const mixes = Array.from({ length: 8 }, (_, seed) => [`mix ${seed}`, mixOf(seed)] as const)
  const cases = [...Object.entries(SHAPES).map(([title, shape]) => [title, [shape]] as const), ...mixes]
  const plain = { type: 'object', properties: { a: string } }
  const whole = (shapes: Parameters<typeof diamondOf>[0], leaf: object): unknown => {
    const { top, ...schemas } = diamondOf(shapes, leaf)
    return documentOf({ request: top, response: top }, schemas)
  }
  for (const [title, shapes] of cases) {
    // each way walked by itself, 40 levels would take years
    it(`are compared once: ${title}`, within, () => {
      assert.deepEqual(compareDocuments(whole(shapes, plain), whole(shapes, plain)).findings, [])
      const other = { type: 'object', properties: { a: { type: 'integer' } } }
      const { findings } = compareDocuments(whole(shapes, plain), whole(shapes, other))
      assert.ok(findings.length < 2_000)
    })

    it(`are imported once: ${title}`, within, () => {
      const { files } = writeProject(readApi(prepareSource(whole(shapes, plain))), { out: 'src/api' })
      assert.ok(JSON.stringify(files).length < 10_000_000)
    })

    it(`are imported once in a parameter: ${title}`, within, () => {
      const { top, ...schemas } = diamondOf(shapes, plain)
      const parameters = [{ name: 'q', in: 'query', schema: top }]
      const responses = { 204: { description: 'Done' } }
      const document = {
        openapi: '3.1.0',
        info: { title: 'Cars', version: '1' },
        paths: { '/cars': { get: { parameters, responses } } },
        components: { schemas },
      }
      const { files } = writeProject(readApi(prepareSource(document)), { out: 'src/api' })
      assert.ok(JSON.stringify(files).length < 10_000_000)
    })
  }
})
