import { foldSchema, refOf } from '../../base/json-schema.ts'
import { isRecord, isString, toRecord } from '../../base/values.ts'
import { pointerSteps, toStableText } from '../json.ts'
import type { Finding } from '../finding.ts'

/** JSON of a named schema before and after a change, with the members that differ. */
export interface ChangeExample {
  readonly schema: string
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

/** A value of a model and what the changes of a version convert it to. */
export interface ModelExample {
  readonly model: string
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

/** The documents of both versions, and values that changes convert between them. */
interface ExampleParts {
  readonly base: unknown
  readonly revision: unknown
  readonly converted: readonly ModelExample[]
}

/**
 * Creates examples for the differences of a change in named schemas, with the members that differ. Differences in limits alone look alike,
 * and are left out.
 */
export function toExamples(
  findings: readonly Finding[],
  { base, revision, converted }: ExampleParts,
): readonly ChangeExample[] {
  const [older, newer] = [base, revision].map((document) =>
    toRecord(toRecord(toRecord(document)['components'])['schemas']),
  )
  const bySchema = new Map<string, { readonly was: string; readonly fields: Set<string> }>()
  for (const { schema, at, base: place } of findings) {
    // `(0)` leads to an alternative, whose members are those of the schema
    const field = at.split('/').find((step) => !/^\(.*\)$/.test(step))
    if (schema === undefined || field === undefined || field === '') continue
    // the difference may be in a schema that it refers to
    const [, , was = schema] = older?.[schema] === undefined ? pointerSteps(place.pointer) : []
    const entry = bySchema.get(schema) ?? { was, fields: new Set() }
    bySchema.set(schema, entry)
    entry.fields.add(field)
  }
  const shown = new Set<string>()
  return [...bySchema].flatMap(([schema, { was, fields }]) => {
    const model = schema.replace(/(?:In|Out)put$/, '')
    const sampled = {
      before: pick(exampleOf(older?.[was], toRecord(older), [was]), fields),
      after: pick(exampleOf(newer?.[schema], toRecord(newer), [schema]), fields),
    }
    const { before, after } = converted
      .filter((each) => each.model === schema || each.model === model)
      .map((each) => ({ before: pick(each.before, fields), after: pick(each.after, fields) }))
      .find((each) => isLike(each.before, sampled.before) && isLike(each.after, sampled.after)) ?? {
      ...sampled,
      after: toRecord(likeBefore(sampled.after, sampled.before)),
    }
    const [own, other] = [withoutEqual(before, after), withoutEqual(after, before)]
    const text = toStableText([model, own, other])
    // requests and responses of a model may differ in the same way
    if (toStableText(own) === toStableText(other) || shown.has(text)) return []
    shown.add(text)
    return [{ schema, before: toRecord(own), after: toRecord(other) }]
  })
}

type NamedSchemas = Readonly<Record<string, unknown>>

function pick(value: unknown, fields: ReadonlySet<string>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(toRecord(value)).filter(([name]) => fields.has(name)))
}

/** Whether a value has the members and types of a sample: functions of changes make `NaN` of a text that is no number. */
function isLike(value: unknown, sample: unknown): boolean {
  if (Array.isArray(value) && Array.isArray(sample))
    return value.every((item, index) => sample[index] === undefined || isLike(item, sample[index]))
  if (!isRecord(value) || !isRecord(sample))
    return typeof value === typeof sample && (value === null) === (sample === null)
  const names = Object.keys(sample)
  return (
    names.length === Object.keys(value).length && names.every((name) => isLike(value[name], sample[name]))
  )
}

/** A value without the members that another one has as well, at any depth. */
function withoutEqual(value: unknown, other: unknown): unknown {
  if (isRecord(value) && isRecord(other))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name, member]) => toStableText(member) !== toStableText(other[name]))
        .map(([name, member]) => [name, withoutEqual(member, other[name])]),
    )
  return Array.isArray(value) && Array.isArray(other)
    ? value.map((item, index) => withoutEqual(item, other[index]))
    : value
}

/** A sample with the texts of another one of its kind, unless a schema asks for others. */
function likeBefore(sample: unknown, before: unknown): unknown {
  if (isRecord(sample))
    return Object.fromEntries(
      Object.entries(sample).map(([name, member]) => [name, likeBefore(member, toRecord(before)[name])]),
    )
  if (Array.isArray(sample))
    return sample.map((item, index) => likeBefore(item, Array.isArray(before) ? before[index] : undefined))
  return sample === SCALARS['string'] && isString(before) ? before : sample
}

/** JSON that fits a schema. `within` are the schemas that it stands in: none contains itself but as an empty member of the first one. */
export function exampleOf(schema: unknown, schemas: NamedSchemas, within: readonly string[]): unknown {
  const {
    examples,
    example = Array.isArray(examples) ? examples[0] : undefined,
    default: usual,
  } = toRecord(schema)
  const given: unknown = example ?? usual
  if (given !== undefined) return given
  return foldSchema<unknown>(schema, {
    inner: (each) => exampleOf(each, schemas, within),
    unknown: null,
    never: undefined,
    ref: (pointer) => {
      const name = refOf({ $ref: pointer })
      if (name === undefined || within.length === DEEPEST || within.includes(name))
        return within.length === 1 ? {} : undefined
      return exampleOf(schemas[name], schemas, [...within, name])
    },
    // an object that holds a union has members of its own, too
    all: (parts) => (parts.some(isRecord) ? Object.assign({}, ...parts.filter(isRecord)) : parts[0]),
    either: (options) => options.find((each) => each !== undefined && each !== null) ?? null,
    constant: (value) => value,
    values: ([first]) => first,
    list: (first, rest) => first ?? (rest === undefined ? [] : [rest]),
    object: (members) =>
      Object.fromEntries(
        members.flatMap(({ name, made }) => (made === undefined ? [] : [[name, made] as const])),
      ),
    scalar: (type, { format }) => (isString(format) ? TEXTS[format] : undefined) ?? SCALARS[type] ?? null,
  })
}

/** How many references an example follows. */
const DEEPEST = 5

const SCALARS: Readonly<Record<string, unknown>> = {
  string: 'string',
  integer: 1,
  number: 1.5,
  boolean: true,
}

const TEXTS: Readonly<Record<string, unknown>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  email: 'ann@example.com',
  uri: 'https://example.com',
}
