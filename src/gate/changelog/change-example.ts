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

/** Creates examples for the differences of a change in named schemas. Differences in limits alone look alike, and are left out. */
export function toExamples(
  findings: readonly Finding[],
  base: unknown,
  revision: unknown,
): readonly ChangeExample[] {
  const [older, newer] = [base, revision].map((document) =>
    toRecord(toRecord(toRecord(document)['components'])['schemas']),
  )
  const bySchema = new Map<string, { readonly was: string; readonly fields: Set<string> }>()
  for (const { schema, at, base: place } of findings) {
    // `(0)` leads to an alternative, whose members are those of the schema
    const field = at.split('/').find((step) => !/^\(.*\)$/.test(step))
    if (schema === undefined || field === undefined || field === '') continue
    const [, , was = schema] = pointerSteps(place.pointer)
    const entry = bySchema.get(schema) ?? { was, fields: new Set() }
    bySchema.set(schema, entry)
    entry.fields.add(field)
  }
  return [...bySchema].flatMap(([schema, { was, fields }]) => {
    const before = createExample(toRecord(older?.[was]), fields, toRecord(older))
    const after = createExample(toRecord(newer?.[schema]), fields, toRecord(newer))
    return toStableText(before) === toStableText(after) ? [] : [{ schema, before, after }]
  })
}

type NamedSchemas = Readonly<Record<string, unknown>>

/** The members of a schema that have one of the names. */
function createExample(
  schema: unknown,
  fields: ReadonlySet<string>,
  schemas: NamedSchemas,
): Readonly<Record<string, unknown>> {
  const whole = toRecord(exampleValue(schema, schemas, 0))
  return Object.fromEntries(Object.entries(whole).filter(([name]) => fields.has(name)))
}

/** How many references an example follows. */
const DEEPEST = 3

function exampleValue(schema: unknown, schemas: NamedSchemas, depth: number): unknown {
  const {
    examples,
    example = Array.isArray(examples) ? examples[0] : undefined,
    default: usual,
  } = toRecord(schema)
  const given: unknown = example ?? usual
  if (given !== undefined) return given
  return foldSchema<unknown>(schema, {
    inner: (each) => exampleValue(each, schemas, depth),
    unknown: undefined,
    never: undefined,
    ref: (pointer) => {
      const name = refOf({ $ref: pointer })
      return name === undefined || depth === DEEPEST ? {} : exampleValue(schemas[name], schemas, depth + 1)
    },
    // an object that holds a union has members of its own, too
    all: (parts) => (parts.some(isRecord) ? Object.assign({}, ...parts.filter(isRecord)) : parts[0]),
    either: (options) => options.find((each) => each !== undefined && each !== null) ?? null,
    constant: (value) => value,
    values: ([first]) => first,
    list: (first, rest) => first ?? (rest === undefined ? [] : [rest]),
    object: (members) => Object.fromEntries(members.map(({ name, made }) => [name, made])),
    scalar: (type, { format }) => (isString(format) ? TEXTS[format] : undefined) ?? SCALARS[type] ?? null,
  })
}

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
