import { isRecord } from '../inside/parts.ts'

type Json = Record<string, unknown>
type Random = () => number

const asJson = (value: unknown): Json => (isRecord(value) ? value : {})

/** Keywords with one schema, with a list of schemas, and with schemas by name. */
const ONE =
  /^(?:items|additionalProperties|unevaluatedProperties|unevaluatedItems|not|if|then|else|contains|propertyNames)$/
const LIST = /^(?:allOf|anyOf|oneOf|prefixItems)$/
const NAMED = /^(?:properties|patternProperties|dependentSchemas|\$defs|definitions)$/
/** Members that hold values and not schemas. */
const VALUES = /^(?:example|examples|enum|const|x-.*)$/

/** Copies a schema, each one inside turned first. */
function turnSchema(
  schema: unknown,
  turn: (schema: Json, hasMapping: boolean) => unknown,
  isMapped = false,
): unknown {
  if (!isRecord(schema)) return schema
  const isParent = 'discriminator' in schema
  const own = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (ONE.test(key) && !Array.isArray(value)) return [key, turnSchema(value, turn)]
      if (LIST.test(key) && Array.isArray(value))
        return [key, value.map((one: unknown) => turnSchema(one, turn, isParent))]
      if (NAMED.test(key) && isRecord(value))
        return [
          key,
          Object.fromEntries(Object.entries(value).map(([name, one]) => [name, turnSchema(one, turn)])),
        ]
      return [key, value]
    }),
  )
  return turn(own, isMapped)
}

/** Copies a document with all its schemas turned. */
function turnSchemas(
  value: unknown,
  turn: (schema: Json, hasMapping: boolean) => unknown,
  way = '',
): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => turnSchemas(one, turn, `${way}/-`))
  if (!isRecord(value)) return value
  const isOfSchemas = way === '/components/schemas'
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const isSchema = isOfSchemas || ((key === 'schema' || key === 'itemSchema') && way !== '/components')
      if (isSchema) return [key, turnSchema(member, turn)]
      return [key, VALUES.test(key) ? member : turnSchemas(member, turn, `${way}/${key}`)]
    }),
  )
}

/** Copies a value with all references turned. */
function turnReferences(value: unknown, turn: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => turnReferences(one, turn))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (key === '$ref' && typeof member === 'string') return [key, turn(member)]
      if (key === 'mapping')
        return [
          key,
          Object.fromEntries(
            Object.entries(asJson(member)).map(([name, to]) => [
              name,
              typeof to === 'string' ? turn(to) : to,
            ]),
          ),
        ]
      return [key, VALUES.test(key) ? member : turnReferences(member, turn)]
    }),
  )
}

function shuffle<T>(all: readonly T[], random: Random): readonly T[] {
  return all
    .map((one) => [random(), one] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, one]) => one)
}

/** All members in another order, and lists whose order says nothing, too. */
function inOtherOrder(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => inOtherOrder(one, random))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    shuffle(Object.entries(value), random).map(([key, member]) => {
      const inner = VALUES.test(key) ? member : inOtherOrder(member, random)
      const isSet = /^(?:required|enum|anyOf|oneOf|parameters|tags|security)$/.test(key)
      return [key, isSet && Array.isArray(inner) ? shuffle(inner, random) : inner]
    }),
  )
}

function followed(document: Json, reference: string): unknown {
  let target: unknown = document
  if (!reference.startsWith('#/')) return undefined
  for (const step of decodeURIComponent(reference).slice(2).split('/'))
    target = asJson(target)[step.replaceAll('~1', '/').replaceAll('~0', '~')]
  return isRecord(target) ? target : undefined
}

/** A document in other words: its version of OpenAPI decides which. */
type Rewrite = (document: Json, random: Random) => unknown

const is30 = (document: Json): boolean => String(document['openapi']).startsWith('3.0')

/** A reference and the statements beside it, which OpenAPI 3.0 ignores. */
function referenceOf(schema: Json, document: Json): readonly [string, Json] | undefined {
  const { $ref: reference, ...beside } = schema
  return typeof reference === 'string' ? [reference, is30(document) ? {} : beside] : undefined
}

const hasImplicitNames = (document: Json): boolean => {
  let found = false
  turnSchemas(document, (schema) => {
    if ('discriminator' in schema) found = true
    return schema
  })
  return found
}

/** Meaning-preserving rewrites of whole documents. */
export const WHOLE: Readonly<Record<string, Rewrite>> = {
  'other words': (document) =>
    turnSchemas(document, (schema) =>
      '$ref' in schema ? schema : { ...schema, description: 'other words', 'x-note': 1 },
    ),
  'another order': (document, random) => inOtherOrder(document, random),
  'allOf of one': (document, random) =>
    turnSchemas(document, (schema, isMapped) => (isMapped || random() < 0.5 ? schema : { allOf: [schema] })),
  'anyOf of one': (document, random) =>
    turnSchemas(document, (schema, isMapped) => (isMapped || random() < 0.8 ? schema : { anyOf: [schema] })),
  'oneOf of one': (document, random) =>
    turnSchemas(document, (schema, isMapped) => (isMapped || random() < 0.8 ? schema : { oneOf: [schema] })),
  'references written out': (document, random) =>
    turnSchemas(document, (schema, isMapped) => {
      const [reference, beside] = referenceOf(schema, document) ?? []
      const target = reference === undefined ? undefined : followed(document, reference)
      if (target === undefined || isMapped || random() < 0.5) return schema
      return Object.keys(beside ?? {}).length === 0
        ? structuredClone(target)
        : { ...beside, allOf: [structuredClone(target)] }
    }),
  'schemas of their own': (document, random) => {
    const made: Json = {}
    const turned = turnSchemas(document, (schema, isMapped) => {
      if (isMapped || random() < 0.7) return schema
      const name = `Made${Object.keys(made).length}`
      made[name] = schema
      return { $ref: `#/components/schemas/${name}` }
    })
    const components = asJson(asJson(turned)['components'])
    return {
      ...asJson(turned),
      components: { ...components, schemas: { ...asJson(components['schemas']), ...made } },
    }
  },
  'names of components': (document) => {
    if (hasImplicitNames(document)) return document
    const components = Object.fromEntries(
      Object.entries(asJson(document['components'])).map(([kind, all]) => [
        kind,
        kind === 'securitySchemes' || !isRecord(all)
          ? all
          : Object.fromEntries(Object.entries(all).map(([name, one]) => [`Renamed${name}`, one])),
      ]),
    )
    const turn = (reference: string): string =>
      reference.replace(/^#\/components\/(?!securitySchemes)([^/]+)\//, '#/components/$1/Renamed')
    return turnReferences({ ...document, components }, turn)
  },
  'names of parameters in paths': (document) => {
    if (JSON.stringify(document).includes('$request.path')) return document
    const rename = (value: unknown): unknown => {
      const { $ref: reference } = asJson(value)
      const node = typeof reference === 'string' ? followed(document, reference) : value
      const { in: place, name } = asJson(node)
      return place === 'path' ? { ...asJson(node), name: `${String(name)}Other` } : value
    }
    const withRenamed = (node: unknown): unknown => {
      const { parameters } = asJson(node)
      return Array.isArray(parameters) ? { ...asJson(node), parameters: parameters.map(rename) } : node
    }
    const paths = Object.entries(asJson(document['paths'])).map(([path, item]) => [
      path.replaceAll(/\{([^{}]*)\}/g, '{$1Other}'),
      Object.fromEntries(
        Object.entries(asJson(withRenamed(item))).map(([method, node]) => [
          method,
          /^(?:get|put|post|delete|patch|head|options)$/.test(method) ? withRenamed(node) : node,
        ]),
      ),
    ])
    return { ...document, paths: Object.fromEntries(paths) }
  },
  'answers written out': (document) => {
    const write = (value: unknown, way: string): unknown => {
      if (Array.isArray(value)) return value.map((one: unknown) => write(one, `${way}/-`))
      if (!isRecord(value)) return value
      const { $ref: reference } = value
      if (typeof reference === 'string')
        return /^#\/components\/(?:responses|parameters|requestBodies|headers)\//.test(reference)
          ? (followed(document, reference) ?? value)
          : value
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [
          key,
          key === 'schema' ? one : write(one, `${way}/${key}`),
        ]),
      )
    }
    return { ...document, paths: write(document['paths'], '/paths') }
  },
}
