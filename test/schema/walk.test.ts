import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'

import { z } from 'zod'
import type { Schema } from 'octavo'
import {
  BODY_READERS,
  childrenOf,
  findUndeclared,
  withJsonReaders,
  isSchema,
  mapSchema,
  requireZod,
  toDeclared,
  toZod,
} from '../inside/parts.ts'

before(requireZod)

const Text = z.string()
const Count = z.number()

/** One schema of each type that has schemas in it, with those. */
const HOLDERS: Readonly<Record<string, readonly [schema: Schema, ...children: readonly Schema[]]>> = {
  object: [z.object({ a: Text }), Text],
  'object with catchall': [z.object({ a: Text }).catchall(Count), Text, Count],
  array: [z.array(Text), Text],
  tuple: [z.tuple([Text], Count), Text, Count],
  record: [z.record(Text, Count), Text, Count],
  'loose record': [z.looseRecord(Text, Count), Text, Count],
  map: [z.map(Text, Count), Text, Count],
  set: [z.set(Text), Text],
  union: [z.union([Text, Count]), Text, Count],
  xor: [z.xor([Text, Count]), Text, Count],
  intersection: [z.intersection(Text, Count), Text, Count],
  pipe: [z.pipe(Text, z.string()), Text],
  codec: [z.codec(Text, Count, { decode: Number, encode: String }), Text, Count],
  lazy: [z.lazy(() => Text), Text],
  'template literal': [z.templateLiteral(['a', Count]), Count],
  optional: [Text.optional(), Text],
  'exact optional': [z.exactOptional(Text), Text],
  nullable: [Text.nullable(), Text],
  default: [Text.default('a'), Text],
  prefault: [Text.prefault('a'), Text],
  nonoptional: [z.nonoptional(Text), Text],
  readonly: [Text.readonly(), Text],
  catch: [Text.catch('a'), Text],
  success: [z.success(Text), Text],
  promise: [z.promise(Text), Text],
}

describe('childrenOf', () => {
  for (const [name, [schema, ...children]] of Object.entries(HOLDERS))
    it(`finds the schemas in a schema: ${name}`, () => {
      const found = childrenOf(schema).map((child) => child.schema)
      assert.deepEqual(
        children.filter((child) => !found.includes(child)),
        [],
      )
    })

  it('knows every member of a definition of zod that holds schemas', () => {
    const function_ = z.function({ input: [Text], output: Count })
    for (const schema of [...Object.values(HOLDERS).map(([each]) => each), function_ as unknown as Schema]) {
      const { def } = toZod(schema)._zod
      const held = Object.entries(def).filter(([, value]) =>
        [value, ...Object.values(Object(value))].some(isSchema),
      )
      const found = new Set(childrenOf(schema).map(({ member }) => member))
      assert.deepEqual(
        held.map(([member]) => member).filter((member) => !found.has(member) && member !== '_cachedInner'),
        [],
        def.type,
      )
    }
  })
})

describe('mapSchema', () => {
  it('reads no member that stays, so that a default is made anew each time', () => {
    let made = 0
    const copy = toZod(
      mapSchema(
        z.number().default(() => ++made),
        (child) => child.schema,
      ),
    )
    assert.deepEqual([made, copy.parse(undefined), copy.parse(undefined)], [0, 1, 2])
  })

  it('copies schemas that contain themselves', () => {
    interface Node {
      readonly at: Date
      readonly next?: Node | undefined
    }
    const Node: z.ZodType<Node> = z.object({ at: z.date(), next: z.lazy(() => Node).optional() })
    const at = '2026-11-21T00:00:00.000Z'
    const read = toZod(withJsonReaders(Node, BODY_READERS)).parse({ at, next: { at } })
    assert.deepEqual(read, { at: new Date(at), next: { at: new Date(at) } })
  })
})

describe('the members of a value', () => {
  const Car = z.object({ id: z.string() })
  const cases: Readonly<Record<string, readonly [schema: Schema, value: object, declared: object]>> = {
    'of an object': [z.object({ a: Car }), { a: { id: '1', b: 2 } }, { a: { id: '1' } }],
    'that a catchall describes': [z.object({}).catchall(Car), { a: { id: '1', b: 2 } }, { a: { id: '1' } }],
    'of a record': [z.record(z.string(), Car), { a: { id: '1', b: 2 } }, { a: { id: '1' } }],
    'of a list': [z.array(Car), [{ id: '1', b: 2 }], [{ id: '1' }]],
    'of a tuple': [z.tuple([Car]), [{ id: '1', b: 2 }], [{ id: '1' }]],
    'of the rest of a tuple': [z.tuple([z.string()], Car), ['a', { id: '1', b: 2 }], ['a', { id: '1' }]],
  }
  for (const [name, [schema, value, declared]] of Object.entries(cases))
    it(`${name} are looked into for what is not declared`, () => {
      assert.deepEqual(toDeclared(schema, value), declared)
      assert.equal(findUndeclared(schema, value).length, 1)
      assert.deepEqual(findUndeclared(schema, declared), [])
    })
})
