import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { compareDocuments } from 'octavo/testing'

import { array, integer, number, object, ref, string } from './support.ts'

const MODELS = 40
const json = (schema: unknown): object => ({ 'application/json': { schema } })

/** A document of 400 operations whose models refer to each other. `least` is in each operation, `most` in a third of the models. */
function toDocument(least: number, most: number): object {
  const models = Array.from({ length: MODELS }, (_, at): readonly [string, object] => [
    `Model${at}`,
    object({
      id: { ...string, format: 'uuid' },
      name: { ...string, minLength: 1, ...(at % 3 === 0 ? { maxLength: most } : {}) },
      'kind?': { enum: ['a', 'b', 'c'] },
      'price?': { ...number, minimum: 0 },
      'tags?': array(string),
      'counts?': { type: 'object', additionalProperties: integer },
      'next?': ref(`Model${(at + 1) % MODELS}`),
    }),
  ])
  const paths = Array.from({ length: 400 }, (_, at): readonly [string, object] => [
    `/cars${at}/{id}`,
    {
      post: {
        operationId: `cars${at}.post`,
        parameters: [
          { in: 'path', name: 'id', required: true, schema: integer },
          { in: 'query', name: 'limit', schema: { ...integer, maximum: 100, default: 10 } },
        ],
        requestBody: {
          required: true,
          content: json(
            object({
              name: { ...string, minLength: least },
              'model?': ref(`Model${at % MODELS}`),
              'parts?': array({
                oneOf: [
                  object({ kind: { const: 'wheel' }, 'size?': integer }),
                  object({ kind: { const: 'door' }, 'side?': string }),
                ],
              }),
            }),
          ),
        },
        responses: {
          200: { description: 'The car', content: json(ref(`Model${at % MODELS}`)) },
          404: { description: 'None', content: json(object({ 'title?': string })) },
        },
      },
    },
  ])
  return {
    openapi: '3.1.0',
    info: { title: 'Cars', version: '1' },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(models) },
  }
}

/** Milliseconds that the processor works, the least of several tries: others may use the machine. */
function measure(base: object, revision: object): number {
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage()
    compareDocuments(base, revision)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

describe('two documents of 400 operations are compared within 300 ms', () => {
  const cases: readonly (readonly [string, object, number])[] = [
    ['the same', toDocument(1, 100), 100],
    ['each operation differs', toDocument(0, 100), 300],
    ['the models of all operations differ', toDocument(1, 120), 300],
  ]
  for (const [title, revision, most] of cases)
    it(title, () => {
      const took = measure(toDocument(1, 100), revision)
      assert.ok(took <= most, `${took} ms`)
    })
})
