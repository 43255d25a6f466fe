import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import * as fc from 'fast-check'
import { z } from 'zod'
import { requireZod, toJsonWriter } from '../inside/parts.ts'

/** A schema with values that are for it, more or less. */
interface Sample {
  readonly schema: z.ZodType
  readonly values: fc.Arbitrary<unknown>
}

const ANYTHING = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    'a',
    7,
    -0,
    Number.NaN,
    Infinity,
    true,
    7n,
    Symbol('s'),
    () => 1,
  ),
  fc.constantFrom<unknown>(
    [],
    {},
    [undefined],
    new Date(0),
    new Date(Number.NaN),
    new Map(),
    /x/,
    new Uint8Array(2),
  ),
  fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true, maxDepth: 2 }),
)
const TEXT = fc.oneof(
  fc.string({ unit: fc.nat(0x10ffff).map((code) => String.fromCodePoint(code)) }),
  fc.string({ minLength: 40, maxLength: 60 }),
  fc.constantFrom('"', '\\', '\n', '\ud800', 'é', '😀'),
)

const LEAVES: readonly (readonly [z.ZodType, fc.Arbitrary<unknown>])[] = [
  [z.string(), TEXT],
  [z.string().min(2).max(5).trim(), TEXT],
  [z.email(), fc.constantFrom('a@b.cd', 'none')],
  [z.iso.datetime(), fc.constantFrom('2026-11-22T10:00:00Z', 'none')],
  [z.number(), fc.oneof(fc.double(), fc.integer())],
  [z.number().min(3).max(1e21), fc.double()],
  [z.int(), fc.oneof(fc.maxSafeInteger(), fc.double())],
  [z.number().int(), fc.oneof(fc.integer(), fc.double())],
  [z.boolean(), fc.boolean()],
  [z.null(), fc.constant(null)],
  [z.literal('a"b'), fc.constant('a"b')],
  [z.literal([1, 'two', null, true]), fc.constantFrom(1, 'two', null, true)],
  [z.literal(0), fc.constantFrom(0, -0)],
  [z.enum(['new', 'used "']), fc.constantFrom('new', 'used "', 'old')],
  [z.enum({ A: 1, B: 2 }), fc.constantFrom(1, 2, 'A')],
  [z.date(), fc.date()],
  [z.any(), ANYTHING],
  [z.unknown(), ANYTHING],
  [z.string().transform((text) => text.length), TEXT],
  [z.string().refine((text) => text.length > 1), TEXT],
  [z.coerce.number(), TEXT],
  [z.bigint(), fc.bigInt()],
  [z.undefined(), fc.constant(undefined)],
]

const KEYS = ['id', 'name', '1', 'a"b', 'é', 'toString', 'toJSON', 'length', 'constructor']

const { sample } = fc.letrec<{ sample: Sample }>((tie) => {
  const leaf = fc.constantFrom(...LEAVES).map(([schema, values]): Sample => ({ schema, values }))
  const wrapped = fc.tuple(tie('sample'), fc.nat(6)).map(([{ schema, values }, kind]): Sample => {
    if (kind === 0) return { schema: schema.optional(), values: fc.option(values, { nil: undefined }) }
    if (kind === 1) return { schema: schema.nullable(), values: fc.option(values) }
    if (kind === 2)
      return {
        schema: schema.nullable().optional(),
        values: fc.oneof(values, fc.constantFrom(null, undefined)),
      }
    if (kind === 3)
      return {
        schema: schema.optional().nullable().readonly(),
        values: fc.oneof(values, fc.constantFrom(null, undefined)),
      }
    if (kind === 4)
      return { schema: schema.default('the default' as never), values: fc.option(values, { nil: undefined }) }
    if (kind === 5) return { schema: z.exactOptional(schema), values: fc.option(values, { nil: undefined }) }
    return {
      schema: schema.default('the default' as never).optional(),
      values: fc.option(values, { nil: undefined }),
    }
  })
  const list = tie('sample').map(({ schema, values }): Sample => ({
    schema: z.array(schema),
    values: fc.array(values, { maxLength: 4 }),
  }))
  const record = tie('sample').map(({ schema, values }): Sample => ({
    schema: z.record(z.string(), schema),
    values: fc.dictionary(fc.oneof(TEXT, fc.constantFrom('__proto__', '2', '1')), values, { maxKeys: 3 }),
  }))
  const object = fc
    .dictionary(fc.constantFrom(...KEYS), tie('sample'), { maxKeys: 4, noNullPrototype: true })
    .chain((fields) =>
      fc.nat(5).map((kind): Sample => {
        const shape = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.schema]))
        const members = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.values]))
        const schema =
          kind === 0 ? z.strictObject(shape) : kind === 1 ? z.looseObject(shape) : z.object(shape)
        const values = fc.tuple(
          fc.record(members, { requiredKeys: [] }),
          fc.record(members),
          fc.boolean(),
          fc.dictionary(fc.constantFrom('password', 'x'), ANYTHING),
        )
        return {
          schema,
          values: values.map(([some, all, isWhole, extra]) => ({ ...extra, ...(isWhole ? all : some) })),
        }
      }),
    )
  const union = fc.array(tie('sample'), { minLength: 1, maxLength: 3 }).map((options): Sample => ({
    schema: z.union(options.map(({ schema }) => schema) as [z.ZodType]),
    values: fc.oneof(...options.map(({ values }) => values)),
  }))
  return {
    sample: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      wrapped,
      list,
      record,
      object,
      object,
      union,
    ),
  }
})

/** The text of the parsed value; `undefined` if there is none. */
function parsedText(schema: z.ZodType, value: unknown): string | undefined {
  try {
    const parsed = schema.safeParse(value)
    return parsed.success ? JSON.stringify(parsed.data) : undefined
  } catch {
    return undefined
  }
}

describe('the JSON that is written in one pass', () => {
  before(requireZod)

  it('is that of the parsed value, or left to the parser', () => {
    let compiled = 0
    let written = 0
    fc.assert(
      fc.property(
        sample.chain(({ schema, values }) =>
          fc.tuple(
            fc.constant(schema),
            fc.array(fc.oneof({ arbitrary: values, weight: 5 }, { arbitrary: ANYTHING, weight: 1 }), {
              minLength: 5,
              maxLength: 5,
            }),
          ),
        ),
        ([schema, values]) => {
          const write = toJsonWriter(schema)
          if (write === undefined) return
          compiled++
          for (const value of values) {
            const text = write(value)
            if (text === undefined) continue
            written++
            assert.equal(text, parsedText(schema, value))
          }
        },
      ),
      { numRuns: Number(process.env['WRITER_RUNS'] ?? 150) },
    )
    assert.ok(compiled > 20 && written > 40, `${compiled} writers wrote ${written} texts`)
  })

  it('is written for plain data', () => {
    const Car = z.object({
      id: z.int(),
      name: z.string().min(1),
      at: z.date().nullable(),
      wheels: z.array(z.object({ size: z.number(), kind: z.enum(['steel', 'alloy']).optional() })),
      by: z.record(z.string(), z.union([z.string(), z.object({ name: z.string() })])),
    })
    const wheels = [
      { size: 7.5, kind: undefined, x: 1 },
      { kind: 'alloy', size: 8 },
    ]
    const car = {
      password: 'x',
      wheels,
      by: { a: 'Ann', b: { name: 'Bob', y: 1 } },
      at: null,
      name: 'Ford',
      id: 7,
    }
    assert.equal(
      toJsonWriter(Car)?.(car),
      '{"id":7,"name":"Ford","at":null,"wheels":[{"size":7.5},{"size":8,"kind":"alloy"}],"by":{"a":"Ann","b":{"name":"Bob"}}}',
    )
    assert.equal(toJsonWriter(Car)?.({ ...car, name: '' }), undefined)
  })

  it('is not written without code from text', () => {
    z.config({ jitless: true })
    try {
      assert.equal(toJsonWriter(z.object({})), undefined)
    } finally {
      z.config({ jitless: false })
    }
  })
})
