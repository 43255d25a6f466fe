import { toStableText } from '../json.ts'
import { has } from './check-value.ts'
import { canonicalSchema } from './keyword-rules.ts'
import { ANY, alternativeType, type Alternative, type Rule, type ValueSet } from './shape.ts'

/** The most alternatives that an intersection of unions, and a union of unions, may have. A larger one stays a rule, which is not compared. */
const MOST_MET = 64
const MOST_UNITED = 128

/** Alternatives, each once: schemas may lead to the same one on many ways. */
export function distinctAlternatives(parts: readonly Alternative[]): readonly Alternative[] {
  const seen = new Map<unknown, Alternative[]>()
  return parts.filter((part) => {
    const key = alternativeOrigin(part)
    const others = seen.get(key) ?? []
    if (others.some((other) => isSamePart(part, other))) return false
    others.push(part)
    seen.set(key, others)
    return true
  })
}

/** A part of an alternative that its copies share. */
function alternativeOrigin(part: Alternative): unknown {
  if (part.kind === 'value') return toStableText(part.value)
  if (part.kind === 'object') return part.properties
  return part.kind === 'array' ? part.items : part.kind
}

/** Whether two parts with one origin have the same values. */
function isSamePart(one: Alternative, other: Alternative): boolean {
  if (one.kind === 'value') return true
  const { name: _name, branch: _branch, home: _home, ...own } = one
  return Object.entries(own).every(([key, member]) => areSame(member, Reflect.get(other, key)))
}

function areSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  return one.length === other.length && one.every((item, at) => item === other[at])
}

/** Whether the intersection of two unions would have too many alternatives. */
export function isTooMany(one: ValueSet, other: ValueSet): boolean {
  const [own, its] = [one, other].map(({ parts }) => parts.filter(({ kind }) => kind !== 'value'))
  if (own === undefined || its === undefined || own.length * its.length <= MOST_MET) return false
  const products = own.map(({ kind }) => its.filter((partner) => partner.kind === kind).length)
  const count = products.reduce((sum, each) => sum + each, 0)
  return count > Math.max(MOST_MET, own.length, its.length)
}

/** The alternatives of a union of `count` schemas, or all values of their types with the union as a rule if the schemas have too many. */
export function toFew(parts: readonly Alternative[], count: number, union: ValueSet): readonly Alternative[] {
  if (parts.filter(({ kind }) => kind !== 'value').length <= Math.max(MOST_UNITED, count)) return parts
  const types = new Set(parts.map(alternativeType))
  const whole = { ...union, parts }
  return withUnionRule(
    ANY.parts.filter((part) => types.has(alternativeType(part))),
    whole,
  )
}

/** Alternatives that have to be in a union, too. */
export function withUnionRule(parts: readonly Alternative[], union: ValueSet): readonly Alternative[] {
  const rule: Rule = {
    key: `union ${alternativeKey(union)}`,
    keyword: 'union',
    holds: (value) => has(union, value),
  }
  return parts
    .filter((part) => part.kind !== 'value' || rule.holds(part.value) !== false)
    .map((part) => ({ ...part, rules: [...part.rules.filter(({ key }) => key !== rule.key), rule] }))
}

let last = 0

/** The mark of a union in both documents. One that is no schema is like no other. */
function alternativeKey({ schema, meets = [] }: ValueSet): string {
  if (schema !== undefined) return canonicalSchema(schema.node, schema.source)
  if (meets.length === 0 || !meets.every((each) => each.schema !== undefined)) return String(++last)
  return meets.map(alternativeKey).toSorted().join(' ')
}
