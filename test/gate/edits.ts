import { isRecord } from '../inside/parts.ts'

type Json = Record<string, unknown>

/** A document that may be changed, and random numbers to change it by. */
export interface Edited {
  readonly document: Json
  readonly random: () => number
}

/** Where a schema is used, with the object that holds it. */
export interface Use {
  readonly side: 'request' | 'response'
  readonly holder: Json
  readonly key: string
}

const asJson = (value: unknown): Json => (isRecord(value) ? value : {})

export function pick<T>(all: readonly T[], random: () => number): T | undefined {
  return all[Math.floor(random() * all.length)]
}

/** The operations of a document. */
export function operationsOf(
  document: Json,
): readonly { readonly path: Json; readonly method: string; readonly node: Json }[] {
  return Object.values(asJson(document['paths'])).flatMap((path) =>
    Object.entries(asJson(path)).flatMap(([method, node]) =>
      /^(get|put|post|delete|patch)$/.test(method) && asJson(node)['deprecated'] !== true
        ? [{ path: asJson(path), method, node: asJson(node) }]
        : [],
    ),
  )
}

/** The schemas of JSON bodies and of parameters, each an own copy: an edit concerns one use of a component. */
export function usesOf({ document }: Edited): readonly Use[] {
  return operationsOf(document).flatMap(({ node }) => {
    const contents: [Use['side'], unknown][] = [['request', asJson(node['requestBody'])['content']]]
    for (const [status, response] of Object.entries(asJson(node['responses'])))
      if (status.startsWith('2')) contents.push(['response', asJson(follow(response, document))['content']])
    const bodies = contents.flatMap(([side, content]) =>
      Object.entries(asJson(content)).flatMap(([type, media]): readonly Use[] =>
        type.endsWith('json') && isRecord(asJson(media)['schema'])
          ? [{ side, holder: asJson(media), key: 'schema' }]
          : [],
      ),
    )
    const parameters = Array.isArray(node['parameters']) ? node['parameters'] : []
    return [
      ...bodies,
      ...parameters.flatMap((parameter): readonly Use[] =>
        isRecord(asJson(parameter)['schema']) && asJson(parameter)['in'] !== 'path'
          ? [{ side: 'request', holder: asJson(parameter), key: 'schema' }]
          : [],
      ),
    ]
  })
}

export function follow(value: unknown, document: Json): unknown {
  const reference = asJson(value)['$ref']
  if (typeof reference !== 'string') return value
  let target: unknown = document
  for (const step of reference.slice(2).split('/'))
    target = asJson(target)[step.replaceAll('~1', '/').replaceAll('~0', '~')]
  return follow(target, document)
}

/** Goes to a random schema inside, and copies each component on the way. */
export function descend(
  use: Use,
  { document, random }: Edited,
): { readonly holder: Json; readonly key: string; readonly isRoot: boolean } {
  let { holder, key } = use
  let isRoot = true
  for (let depth = 0; depth < 5; depth++) {
    holder[key] = structuredClone(follow(holder[key], document))
    const schema = asJson(holder[key])
    const inner: [Json, string][] = []
    for (const name of Object.keys(asJson(schema['properties'])))
      inner.push([asJson(schema['properties']), name])
    if (isRecord(schema['items'])) inner.push([schema, 'items'])
    const next = random() < 0.75 ? pick(inner, random) : undefined
    if (next === undefined) break
    ;[holder, key] = next
    isRoot = false
  }
  holder[key] = structuredClone(follow(holder[key], document))
  return { holder, key, isRoot }
}

/** Changes a schema; gives the name of what it did, or nothing if it cannot be done there. */
export type SchemaEdit = (schema: Json, edited: Edited) => Json | undefined

/** What says the same in other words. */
export const REWRITES: Readonly<Record<string, SchemaEdit>> = {
  allOf: (schema) => ({ allOf: [schema] }),
  anyOf: (schema) => ({ anyOf: [schema] }),
  'list of types': (schema) =>
    typeof schema['type'] === 'string' ? { ...schema, type: [schema['type']] } : undefined,
  'const as enum': (schema) => {
    if (!('const' in schema)) return undefined
    const { const: only, ...rest } = schema
    return { ...rest, enum: [only] }
  },
  'order of keys': (schema) => Object.fromEntries(Object.entries(schema).toReversed()),
  'order of required': (schema) =>
    Array.isArray(schema['required']) ? { ...schema, required: schema['required'].toReversed() } : undefined,
  'order of enum': (schema) =>
    Array.isArray(schema['enum']) ? { ...schema, enum: schema['enum'].toReversed() } : undefined,
  'order of alternatives': (schema) =>
    Array.isArray(schema['anyOf']) ? { ...schema, anyOf: schema['anyOf'].toReversed() } : undefined,
  words: (schema) => ({
    ...schema,
    description: 'Other words',
    title: 'Other',
    examples: ['other'],
    'x-note': true,
  }),
  'values as alternatives': ({ enum: values, ...rest }) =>
    Array.isArray(values)
      ? { ...rest, anyOf: values.map((value: unknown) => ({ const: value })) }
      : undefined,
  'properties in two parts': (schema) => {
    const names = Object.keys(asJson(schema['properties']))
    const isPlain = Object.keys(schema).every((key) =>
      ['type', 'properties', 'required', 'description'].includes(key),
    )
    const [first, ...others] = names
    if (first === undefined || !isPlain) return undefined
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    const partOf = (own: readonly string[]): Json => ({
      type: 'object',
      properties: Object.fromEntries(own.map((name) => [name, asJson(schema['properties'])[name]])),
      required: required.filter((name) => own.includes(String(name))),
    })
    return { allOf: [partOf([first]), partOf(others)] }
  },
  'a component of its own': (schema, { document, random }) => {
    const name = `Moved${Math.floor(random() * 1e6)}`
    const components = (document['components'] ??= {})
    const schemas = (asJson(components)['schemas'] ??= {})
    asJson(schemas)[name] = schema
    return { $ref: `#/components/schemas/${name}` }
  },
}

const typeOf = (schema: Json): unknown => schema['type']
const isObject = (schema: Json): boolean => typeOf(schema) === 'object' && isRecord(schema['properties'])
const isString = (schema: Json): boolean =>
  typeOf(schema) === 'string' && !('const' in schema) && !('enum' in schema)
const isNumber = (schema: Json): boolean =>
  (typeOf(schema) === 'number' || typeOf(schema) === 'integer') && !('const' in schema) && !('enum' in schema)
const requiredOf = (schema: Json): readonly unknown[] =>
  Array.isArray(schema['required']) ? schema['required'] : []
const propertiesOf = (schema: Json): Json => asJson(schema['properties'])
const withType = (schema: Json, type: string): Json | undefined =>
  typeof schema['type'] === 'string' ? { ...schema, type: [schema['type'], type] } : undefined

/** What takes more values than before: good in requests, bad in responses. */
export const WIDENINGS: Readonly<Record<string, SchemaEdit>> = {
  null: (schema) =>
    schema['type'] === 'null' || 'const' in schema || 'enum' in schema ? undefined : withType(schema, 'null'),
  'no length': (schema) => {
    if (!isString(schema) || !('maxLength' in schema)) return undefined
    const { maxLength: _, ...rest } = schema
    return rest
  },
  'no minimum': (schema) => {
    if (!isNumber(schema) || Math.abs(Number(schema['minimum'] ?? Infinity)) > 2 ** 52) return undefined
    const { minimum: _, ...rest } = schema
    return rest
  },
  'any number': (schema) =>
    schema['type'] === 'integer' && isNumber(schema) ? { ...schema, type: 'number' } : undefined,
  'not required': (schema) => {
    const name = requiredOf(schema)[0]
    return isObject(schema) && name !== undefined
      ? { ...schema, required: requiredOf(schema).slice(1) }
      : undefined
  },
  'another type': (schema) => {
    const type = schema['type']
    if (type === 'boolean' || 'const' in schema || 'enum' in schema) return undefined
    return withType(schema, 'boolean')
  },
}

/** What takes fewer values than before: bad in requests, good in responses. */
export const NARROWINGS: Readonly<Record<string, SchemaEdit>> = {
  'a value less': (schema) =>
    Array.isArray(schema['enum']) && schema['enum'].length > 1
      ? { ...schema, enum: schema['enum'].slice(1) }
      : undefined,
  'a length': (schema) => {
    const isFree = isString(schema) && !('pattern' in schema) && !('format' in schema)
    return isFree
      ? { ...schema, maxLength: Math.max(0, Math.min(Number(schema['maxLength'] ?? 90), 90) - 1) }
      : undefined
  },
  'a higher minimum': (schema) => {
    const minimum = Math.max(Number(schema['minimum'] ?? -1e6), -1e6)
    const maximum = Number(schema['maximum'] ?? Infinity)
    return isNumber(schema) && !('exclusiveMinimum' in schema) && minimum + 1 <= maximum
      ? { ...schema, minimum: minimum + 1 }
      : undefined
  },
  'one more is required': (schema) => {
    const name = Object.keys(propertiesOf(schema)).find((each) => !requiredOf(schema).includes(each))
    return isObject(schema) && name !== undefined
      ? { ...schema, required: [...requiredOf(schema), name] }
      : undefined
  },
  'fewer items': (schema) =>
    schema['type'] === 'array'
      ? { ...schema, maxItems: Math.min(Number(schema['maxItems'] ?? 50), 50) - 1 }
      : undefined,
}

/** What is bad on both sides. */
export const REPLACEMENTS: Readonly<Record<string, SchemaEdit>> = {
  'another type': (schema) => {
    const type = schema['type']
    if (typeof type !== 'string' || 'enum' in schema || 'const' in schema) return undefined
    return type === 'boolean'
      ? { type: 'object', properties: { value: { type: 'boolean' } }, required: ['value'] }
      : { type: 'boolean' }
  },
}

/** What of them is only for one side. */
export const ADDITIONS: Readonly<Record<string, SchemaEdit>> = {
  'an optional property': (schema) =>
    isObject(schema)
      ? { ...schema, properties: { ...propertiesOf(schema), zzAdded: { type: 'string' } } }
      : undefined,
}

/** A required property more: bad in requests. */
export const DEMANDS: Readonly<Record<string, SchemaEdit>> = {
  'a required property': (schema) =>
    isObject(schema)
      ? {
          ...schema,
          properties: { ...propertiesOf(schema), zzAdded: { type: 'string' } },
          required: [...requiredOf(schema), 'zzAdded'],
        }
      : undefined,
}

/** A required property less: bad in responses. */
export const LOSSES: Readonly<Record<string, SchemaEdit>> = {
  'no property': (schema) => {
    const name = requiredOf(schema)[0]
    if (!isObject(schema) || typeof name !== 'string') return undefined
    const { [name]: _, ...properties } = propertiesOf(schema)
    return { ...schema, properties, required: requiredOf(schema).slice(1) }
  },
}
