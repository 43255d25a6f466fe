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

/** Counts what is read of values: a figure that no clock has a part in, so it is the same on each machine. */
function createWatch() {
  const known = new WeakMap<object, object>()
  const seen = { reads: 0 }
  const watch = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value
    const watched = known.get(value) ?? new Proxy(value, handler)
    known.set(value, watched)
    // the proxy of an object is of its type
    return watched as T
  }
  const handler: ProxyHandler<object> = {
    get: (target, key) => {
      seen.reads++
      return watch(Reflect.get(target, key))
    },
    has: (target, key) => {
      seen.reads++
      return Reflect.has(target, key)
    },
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target)
      seen.reads += keys.length
      return keys
    },
  }
  return { watch, seen }
}

describe('documents of 400 operations are compared by reading each part a few times', () => {
  const cases: readonly (readonly [title: string, revision: object, reads: number])[] = [
    ['the same', toDocument(1, 100), 320_000],
    ['each operation differs', toDocument(0, 100), 540_000],
    ['the models of all operations differ', toDocument(1, 120), 840_000],
  ]
  for (const [title, revision, most] of cases)
    it(title, () => {
      const { watch, seen } = createWatch()
      compareDocuments(watch(toDocument(1, 100)), watch(revision))
      // if an operation read the others, too, there would be a hundred times as many
      assert.ok(seen.reads > 100_000 && seen.reads <= most, `${seen.reads} reads`)
    })
})
