import { isRecord } from '../../base/values.ts'
import { headerName } from '../../http/http.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Param } from '../../router/path/pattern.ts'
import { deepFreeze } from '../freeze.ts'
import { joinSchemas, toSchemaFields, type SchemaField } from './schema-fields.ts'
import { schemaList, resolve, withoutNull, type Components } from '../../base/json-schema.ts'
import type { Parameter, SchemaObject } from '../document/types.ts'

/** The sources of parameters, in the order of documents. */
const PARAMETER_SOURCES = ['params', 'query', 'headers', 'cookies'] as const

type ParameterSource = (typeof PARAMETER_SOURCES)[number]

/** The parameters of a route: of its pattern, declared or not, and of the schemas of its sources. */
export function toRouteParameters(
  { pattern, shownPattern = pattern }: Pick<ResolvedRoute, 'pattern' | 'shownPattern'>,
  schemas: ReadonlyMap<unknown, SchemaObject>,
  components: Components,
): readonly Parameter[] {
  const declared = schemas.get('params')
  const params = declared === undefined ? undefined : toSchemaFields(declared, components).named
  return [
    ...shownPattern.params.map((param) => pathParameter(param, params?.get(param.name)?.schema, components)),
    ...PARAMETER_SOURCES.filter((source) => source !== 'params').flatMap((source) => {
      const schema = schemas.get(source)
      return schema === undefined ? [] : ofSource(source, schema, components)
    }),
  ]
}

function ofSource(
  source: Exclude<ParameterSource, 'params'>,
  schema: SchemaObject,
  components: Components,
): readonly Parameter[] {
  const { named, others } = toSchemaFields(schema, components)
  const declared = [...named].map(([name, field]) => WRITERS[source](name, field, components))
  if (source !== 'query' || others === undefined) return declared
  let name = 'query'
  while (named.has(name)) name += '_'
  // the fields of an exploded object are parameters of their own; its name is sent nowhere
  const free = { type: 'object', additionalProperties: others }
  return [...declared, { name, in: 'query', style: 'form', explode: true, schema: free }]
}

const WRITERS: Readonly<
  Record<
    Exclude<ParameterSource, 'params'>,
    (name: string, field: SchemaField, components: Components) => Parameter
  >
> = {
  query: (name, { schema, required }, components) => ({
    ...toParameterHead(name, 'query', resolve(schema, components), required),
    ...(takesList(schema, components) ? { style: 'form', explode: true } : {}),
    schema: asText(schema),
  }),
  headers: (name, { schema, required }, components) => ({
    ...toParameterHead(headerName(name), 'header', resolve(schema, components), required),
    // a list is sent in lines of their own, which no style of OpenAPI says; one line is a list of one
    schema: asText(takesList(schema, components) ? itemOf(schema, components) : schema),
  }),
  cookies: (name, { schema, required }, components) => ({
    ...toParameterHead(name, 'cookie', resolve(schema, components), required),
    schema: asText(schema),
  }),
}

function toParameterHead(
  name: string,
  place: Parameter['in'],
  { description, deprecated }: SchemaObject,
  required: boolean,
): Omit<Parameter, 'schema'> {
  return {
    name,
    in: place,
    ...(typeof description === 'string' ? { description } : {}),
    ...(required ? { required } : {}),
    ...(deprecated === true ? { deprecated } : {}),
  }
}

/** The schema of a value that is sent as text, which is never null. Its parameter has the notes. */
function asText({
  description: _description,
  deprecated: _deprecated,
  ...schema
}: SchemaObject): SchemaObject {
  return withoutNull(schema) ?? schema
}

function takesList(schema: SchemaObject, components: Components): boolean {
  const { type, anyOf } = resolve(schema, components)
  return (
    type === 'array' || schemaList(anyOf).some((option) => resolve(option, components)['type'] === 'array')
  )
}

/** Returns the schema of one value of a list, or of an alternative that is one. */
function itemOf(schema: SchemaObject, components: Components): SchemaObject {
  const { type, items, prefixItems, anyOf } = resolve(schema, components)
  const [first] = schemaList(prefixItems)
  if (type === 'array') return first ?? (isRecord(items) ? items : {})
  return joinSchemas(
    'anyOf',
    schemaList(anyOf).map((option) => (takesList(option, components) ? itemOf(option, components) : option)),
  )
}

function pathParameter(param: Param, declared: SchemaObject | undefined, components: Components): Parameter {
  if (declared === undefined) {
    const { name, pattern } = param.type
    const plain = { type: 'string', ...(pattern === undefined ? { minLength: 1 } : { pattern }) }
    const schema = Object.hasOwn(TYPES, name) ? (TYPES[name] ?? {}) : plain
    return { name: param.name, in: 'path', required: true, schema }
  }
  return {
    ...toParameterHead(param.name, 'path', resolve(declared, components), true),
    schema: asText(narrowed(param, declared, components)),
  }
}

/** How each type of parameter looks; own types are texts. */
const TYPES: Readonly<Record<string, SchemaObject>> = deepFreeze({
  str: { type: 'string', minLength: 1 },
  int: { type: 'integer', minimum: 0 },
  float: { type: 'number', minimum: 0 },
  uuid: { type: 'string', format: 'uuid' },
  path: { type: 'string' },
})

/** The schemas of texts for a type, where the schema takes the text. */
const TEXTS: Readonly<Record<string, SchemaObject>> = {
  int: { pattern: '^[0-9]+$' },
  float: { pattern: String.raw`^[0-9]+(\.[0-9]+)?$` },
  uuid: { format: 'uuid' },
  str: { minLength: 1 },
}

/** Returns the declared schema, as far as the pattern lets it through: a number in `{id:int}` is a whole one. */
function narrowed({ type }: Param, declared: SchemaObject, components: Components): SchemaObject {
  const json = resolve(declared, components)
  const isBare = json['enum'] === undefined && json['const'] === undefined && declared['$ref'] === undefined
  if (!isBare) return declared
  const { type: kind } = json
  if (kind === 'string') {
    const more = json['pattern'] === undefined && json['format'] === undefined ? TEXTS[type.name] : undefined
    return { ...more, ...declared }
  }
  if ((kind !== 'number' && kind !== 'integer') || (type.name !== 'int' && type.name !== 'float'))
    return declared
  const isPositive = Number(json['minimum'] ?? json['exclusiveMinimum'] ?? -1) >= 0
  return {
    ...declared,
    type: type.name === 'int' ? 'integer' : kind,
    ...(isPositive ? {} : { minimum: 0 }),
  }
}
