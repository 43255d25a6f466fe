import { createHash } from 'node:crypto'

import { mapSchemas } from '../../base/json-schema.ts'
import { isRecord } from '../../base/values.ts'
import type { Node, ComparedSource } from '../document/source.ts'
import { toStableText } from '../json.ts'
import { has } from './check-value.ts'
import type { Rule, ValueSet } from './shape.ts'

/** Who writes the values: `readOnly` properties are not in requests, `writeOnly` ones not in responses. */
export type Side = 'request' | 'response'

/** Reads schemas of a document. The shape of a schema is always the same object. `owner` is the object that may lack the schema. */
export type ReadSchema = (schema: unknown, owner?: object) => ValueSet

/** The parts that reading a schema needs. */
export interface SchemaReading {
  readonly source: ComparedSource
  readonly side: Side
  readonly read: ReadSchema
}

/** Keywords that say nothing about the values of a schema. */
const ANNOTATIONS = new Set(
  '$id $schema $comment $anchor $defs definitions title description default example examples deprecated readOnly writeOnly xml externalDocs discriminator contentSchema'.split(
    ' ',
  ),
)
/** Whether a keyword says nothing about values. */
export const isAnnotation = (key: string): boolean => ANNOTATIONS.has(key) || key.startsWith('x-')

/** Keywords that a shape has no place for. Those that JSON Schema does not know say nothing. */
const RULES = new Set(
  'not if contains dependentRequired dependentSchemas dependencies unevaluatedItems'.split(' '),
)

/** A list, or an empty one for anything else. */
export function listOrNone(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A keyword that has to be a number. */
export const numberAt = (schema: Node, key: string): number | undefined => {
  const value = schema[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Lists keywords that no part of a value set has room for. */
export function toKeywordRules(schema: Node, reading: SchemaReading): readonly Rule[] {
  return Object.keys(schema)
    .filter((key) => RULES.has(key))
    .map((keyword): Rule => {
      const beside =
        keyword === 'if' || keyword === 'contains' ? ['then', 'else', 'minContains', 'maxContains'] : []
      const said = Object.fromEntries([keyword, ...beside].map((each) => [each, schema[each]]))
      const key = `${keyword} ${canonicalSchema(said, reading.source)}`
      return { key, keyword, holds: toHolds(keyword, schema, reading) }
    })
}

/** Keywords whose lists have no order. */
const SETS = new Set(['required', 'enum', 'type'])

/** The most schemas of a circle that are followed for one text: each could lead to the same ones on two ways, and these again. */
const MOST_FOLLOWED = 500

/** A schema without annotations and references, as a short text. Equal ones have equal texts. */
interface CanonicalSchema {
  readonly text: string
  /** The place in the schemas around it of the outermost one that it leads back to, or `Infinity`. */
  readonly back: number
}

let unlike = 0

/** The text of a schema with its references followed and its annotations left out. One with very many ways in a circle is like no other. */
export function canonicalSchema(schema: Node, source: ComparedSource): string {
  let followed = 0
  const write = (given: Node, above: readonly unknown[]): CanonicalSchema => {
    const target = source.resolve(given)
    const found = source.schemaTexts.get(target)
    if (found !== undefined) return { text: found, back: Infinity }
    const at = above.indexOf(target)
    if (at >= 0) return { text: `(above ${above.length - at})`, back: at }
    if (!isRecord(target)) return { text: toStableText(target), back: Infinity }
    followed++
    if (followed > MOST_FOLLOWED) return { text: `(unlike ${++unlike})`, back: 0 }
    let back = Infinity
    const members = Object.entries(target)
      .filter(([key]) => !isAnnotation(key))
      .map(([key, value]) => {
        if (!SETS.has(key) || !Array.isArray(value)) return [key, value] as const
        return [key, value.toSorted((one, other) => (toStableText(one) < toStableText(other) ? -1 : 1))]
      })
    const clean = mapSchemas(Object.fromEntries(members), (inner) => {
      const own = write(inner, [...above, target])
      back = Math.min(back, own.back)
      return { $: own.text }
    })
    const text = createHash('sha256').update(toStableText(clean)).digest('base64')
    if (back < above.length) return { text, back }
    source.schemaTexts.set(target, text)
    // what it leads to counts for circles only
    followed--
    return { text, back: Infinity }
  }
  return write(schema, []).text
}

function toHolds(keyword: string, schema: Node, { read }: SchemaReading): Rule['holds'] {
  const own = schema[keyword]
  if (keyword === 'not')
    return (value) => {
      const answer = has(read(own), value)
      return answer === undefined ? undefined : !answer
    }
  if (keyword === 'if')
    return (value) => {
      const applies = has(read(own), value)
      if (applies === undefined) return undefined
      return has(read(schema[applies ? 'then' : 'else']), value)
    }
  if (keyword === 'contains')
    return (value) => {
      if (!Array.isArray(value)) return true
      const [least, most] = [
        numberAt(schema, 'minContains') ?? 1,
        numberAt(schema, 'maxContains') ?? Infinity,
      ]
      const answers = value.map((item) => has(read(own), item))
      if (answers.includes(undefined)) return undefined
      const count = answers.filter((answer) => answer === true).length
      return count >= least && count <= most
    }
  if (keyword === 'dependentRequired' && isRecord(own))
    return (value) =>
      !isRecord(value) ||
      Object.entries(own).every(
        ([name, needed]) =>
          !Object.hasOwn(value, name) ||
          listOrNone(needed).every((other) => Object.hasOwn(value, String(other))),
      )
  if (keyword === 'dependentSchemas' && isRecord(own))
    return (value) => {
      if (!isRecord(value)) return true
      const answers = Object.entries(own)
        .filter(([name]) => Object.hasOwn(value, name))
        .map(([, dependent]) => has(read(dependent), value))
      if (answers.includes(false)) return false
      return answers.includes(undefined) ? undefined : true
    }
  return () => undefined
}
