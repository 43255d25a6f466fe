import { FileStream, FileStreams } from '../../schema/files.ts'
import { instanceClass } from '../../schema/accepts.ts'
import {
  defOf,
  isSchema,
  schemaOf,
  schemasOf,
  metaOf,
  toZod,
  RANGES,
  type Schema,
  type SchemaDef,
  type ResponseKey,
} from '../../schema/schema.ts'
import { schemaList } from '../../base/json-schema.ts'
import { isFunction, toRecord } from '../../base/values.ts'
import { isSteady } from './steady.ts'
import { deepFreeze } from '../freeze.ts'
import type { SchemaObject, Convertible } from '../document/types.ts'
import { toPattern } from './pattern.ts'
import type { ErrorFormat } from '../../define/error-format.ts'
import { problemsOf, type ResolvedRoute } from '../../routes/resolved-route.ts'
import type { SourceName } from '../../schema/sources.ts'

/** A JSON Schema that is being made. */
type SchemaDraft = Record<string, unknown>

/** The side of a schema that a document shows: the input that it takes, or the output that it returns. */
export type SchemaSide = 'input' | 'output'

/** A keyword that stands, until the conversion is done, where JSON Schema has no words for a schema; its value says what was there. */
export const MARK = 'x-octavo-mark'
/** Beside the mark of a set: under which key its element was converted. */
export const ELEMENT = 'x-octavo-element'
/** Beside the mark of a file: the media types that it may have. */
export const TYPES = 'x-octavo-types'

/** The schema of bytes. */
export const BINARY: SchemaObject = deepFreeze({ type: 'string', format: 'binary' })
const BINARIES = { type: 'array', items: BINARY }

/** The classes of values that are sent as bytes. */
const BYTES: ReadonlyMap<unknown, object> = new Map<unknown, object>([
  ...[Uint8Array, Buffer, ArrayBuffer, Blob, File, ReadableStream, FileStream].map(
    (type) => [type, BINARY] as const,
  ),
  [FileStreams, BINARIES],
])

/** Keywords of `meta` that say what a value looks like; where one stands, nothing has to be found out. */
const SHOWING = new Set(
  `type enum const anyOf oneOf allOf not $ref properties items prefixItems additionalProperties
  patternProperties format pattern contentMediaType contentEncoding override`.split(/\s+/),
)

/** The types of schema that have no JSON Schema, and those that are written otherwise than zod-openapi does. */
const WRITERS: Readonly<Record<string, (context: Context) => void>> = {
  date: ({ meta, json }) => {
    json['type'] = meta['type'] ?? 'string'
    if (meta['type'] === undefined) json['format'] ??= 'date-time'
  },
  number: ({ json }) => {
    // every integer has these limits in JSON (RFC 8259 section 6)
    if (json['minimum'] === Number.MIN_SAFE_INTEGER) Reflect.deleteProperty(json, 'minimum')
    if (json['maximum'] === Number.MAX_SAFE_INTEGER) Reflect.deleteProperty(json, 'maximum')
  },
  string: ({ json, def }) => {
    const patterns = [def, ...checksOf(def)].flatMap(({ pattern }) =>
      pattern instanceof RegExp ? [[pattern.source, pattern] as const] : [],
    )
    if (patterns.length === 0) return
    const known = new Map(patterns)
    for (const part of [json, ...schemaList(json['allOf'])]) writePattern(part, known)
  },
  bigint: ({ meta, json, def }) => {
    json['type'] = meta['type'] ?? 'integer'
    Reflect.deleteProperty(json, 'format')
    const format = meta['format'] ?? def['format']
    Object.assign(json, numberLimitsOf(def), format === undefined ? {} : { format })
  },
  object: ({ meta, json, def, io }) => {
    // zod says so of every output, for it drops what is not declared
    if (io === 'output' && def['catchall'] === undefined && meta['additionalProperties'] === undefined)
      Reflect.deleteProperty(json, 'additionalProperties')
    if (io === 'input') dropCaught(json, toRecord(def['shape']))
  },
  readonly: ({ meta, json }) => {
    // in a document it would mean that clients must not send it
    if (meta['readOnly'] === undefined) Reflect.deleteProperty(json, 'readOnly')
  },
  default: keepSteadyDefault,
  prefault: keepSteadyDefault,
  catch: keepSteadyDefault,
  void: ({ json }) => {
    json['not'] ??= {}
  },
  file: ({ json, def }) => {
    Object.assign(json, BINARY, {
      [MARK]: 'file',
      [TYPES]: checksOf(def).flatMap(({ check, mime }): readonly string[] =>
        check === 'mime_type' && Array.isArray(mime) ? mime.filter((type) => typeof type === 'string') : [],
      ),
    })
    for (const keyword of ['contentEncoding', 'contentMediaType', 'anyOf'])
      Reflect.deleteProperty(json, keyword)
  },
  custom: ({ json, schema }) => {
    const type = instanceClass(schema)
    const bytes = BYTES.get(type)
    if (bytes !== undefined) Object.assign(json, bytes, { [MARK]: 'file' })
    else json[MARK] = typeof type === 'function' && type.name !== '' ? `z.instanceof(${type.name})` : 'custom'
  },
  set: ({ json, def, elements }) => {
    const { minimum, maximum } = sizesOf(def)
    const element = schemaOf(def['valueType'])
    json[MARK] = 'set'
    json[ELEMENT] = element === undefined ? undefined : elements.get(element)
    if (minimum !== undefined) json['minItems'] = minimum
    if (maximum !== undefined) json['maxItems'] = maximum
  },
  transform: ({ json, io }) => {
    // anything may go in
    if (io === 'output') json[MARK] = 'transform'
  },
  literal: ({ json, def }) => {
    const values: readonly unknown[] = Array.isArray(def['values']) ? def['values'] : []
    if (values.length > 0 && values.every((value) => value === undefined)) json[MARK] = 'literal'
  },
  ...Object.fromEntries(
    ['map', 'symbol', 'function', 'promise', 'nan'].map((type) => [
      type,
      ({ json }: Context) => {
        json[MARK] = type
      },
    ]),
  ),
}

interface Context {
  readonly schema: Schema
  readonly def: SchemaDef
  readonly meta: Readonly<Record<string, unknown>>
  readonly json: SchemaDraft
  readonly io: SchemaSide
  readonly elements: ReadonlyMap<Schema, string>
}

/**
 * Corrects what zod makes of a schema, and marks what has no JSON Schema. It is called for the inner schema first, whose members a
 * wrapper takes over: a mark is there until a wrapper says in its `meta` what a value looks like.
 */
export function correct(
  schema: Schema,
  json: SchemaDraft,
  io: SchemaSide,
  elements: ReadonlyMap<Schema, string>,
): void {
  const meta = metaOf(schema)
  const def = defOf(schema)
  if (Object.hasOwn(WRITERS, def.type)) WRITERS[def.type]?.({ schema, def, meta, json, io, elements })
  for (const keyword of ['default', 'examples', 'example', 'const', 'enum']) {
    if (keyword in json) json[keyword] = toJsonValue(json[keyword])
  }
  if (!Object.keys(meta).some((keyword) => SHOWING.has(keyword) && meta[keyword] !== undefined)) return
  for (const keyword of [MARK, ELEMENT, TYPES]) Reflect.deleteProperty(json, keyword)
  if (def.type === 'file' || def.type === 'custom') Object.assign(json, meta)
}

/** zod shows a caught field as required, though it may be absent. */
function dropCaught(json: SchemaDraft, shape: Readonly<Record<string, unknown>>): void {
  const { required } = json
  if (!Array.isArray(required)) return
  const kept = required.filter((name) => {
    const field = Reflect.get(shape, String(name))
    return !isSchema(field) || defOf(field).type !== 'catch'
  })
  if (kept.length === 0) Reflect.deleteProperty(json, 'required')
  else json['required'] = kept
}

/** A default that is made anew each time, such as the time of day or a random id, is none that a document can name. */
function keepSteadyDefault({ json, def }: Context): void {
  if (json['default'] === undefined) return
  const { type, catchValue } = def
  const read = (): unknown => {
    // zod makes the value anew each time that it is read
    if (type !== 'catch') return toJsonValue(def['defaultValue'])
    return toJsonValue(isFunction(catchValue) ? Reflect.apply(catchValue, undefined, []) : undefined)
  }
  if (!isSteady(read)) Reflect.deleteProperty(json, 'default')
}

/** The value as JSON; big integers as numbers where they are exact, else as text. */
function toJsonValue(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  const text: unknown = JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each !== 'bigint') return each
    return Number.isSafeInteger(Number(each)) ? Number(each) : String(each)
  })
  return typeof text === 'string' ? JSON.parse(text) : undefined
}

/** Writes the pattern of a draft without its flags, or leaves it out. */
function writePattern(draft: object, known: ReadonlyMap<unknown, RegExp>): void {
  const regex = known.get(Reflect.get(draft, 'pattern'))
  if (regex === undefined) return
  const pattern = toPattern(regex)
  if (pattern === undefined) Reflect.deleteProperty(draft, 'pattern')
  else Reflect.set(draft, 'pattern', pattern)
}

function checksOf(def: SchemaDef): readonly SchemaDef[] {
  return schemasOf(def['checks']).map(defOf)
}

const LIMITS: Readonly<Record<string, readonly [exclusive: string, inclusive: string]>> = {
  greater_than: ['exclusiveMinimum', 'minimum'],
  less_than: ['exclusiveMaximum', 'maximum'],
}

function numberLimitsOf(def: SchemaDef): object {
  return Object.fromEntries(
    checksOf(def).flatMap(({ check, value, inclusive }) => {
      const [exclusive, including] = LIMITS[String(check)] ?? []
      if (exclusive === undefined || including === undefined || !Number.isSafeInteger(Number(value)))
        return []
      return [[inclusive === true ? including : exclusive, Number(value)]]
    }),
  )
}

function sizesOf(def: SchemaDef): { readonly minimum: unknown; readonly maximum: unknown } {
  const size = (check: string, member: string): unknown =>
    checksOf(def).find((each) => each['check'] === check)?.[member]
  return {
    minimum: size('min_size', 'minimum') ?? size('size_equals', 'size'),
    maximum: size('max_size', 'maximum') ?? size('size_equals', 'size'),
  }
}

/** The place of an event or item, by the name under which its schema is declared. */
type StreamKey = `stream ${string}`

/** The place of the members of a problem, by its code. */
type ProblemKey = `problem ${string}`

/** The place of a response of an error handler. */
type ErrorKey = `error ${number} ${number}`

/** The place of a header of a response. */
type HeaderKey = `header ${string}`
export interface SchemaPlace {
  /** Whose schema it is, such as a route. */
  readonly owner: Pick<ResolvedRoute, 'name' | 'label'>
  /** Such as `input.query` or `response 200`. */
  readonly at: string
  readonly source: SourceName | ResponseKey | StreamKey | ProblemKey | ErrorKey | HeaderKey
  readonly io: SchemaSide
  /** The content there: texts, files, or one value, which is JSON but for bytes. */
  readonly holds: 'texts' | 'files' | 'value'
  readonly schema: Schema
}

/** The contents of sources that are not texts. */
const HOLDS: Readonly<Record<string, SchemaPlace['holds']>> = { files: 'files', body: 'value' }

/** All places of a route that have a schema: its sources, then its responses. */
export function toSchemaPlaces(route: Convertible): readonly SchemaPlace[] {
  const toOutput = (source: SchemaPlace['source'], at: string, schema: Schema): SchemaPlace => ({
    owner: route,
    at,
    source,
    io: 'output',
    holds: 'value',
    schema: toZod(schema),
  })
  const { stream } = route
  return [
    ...route.sources.map(({ name, schema }): SchemaPlace => {
      const holds = HOLDS[name] ?? 'texts'
      return { owner: route, at: `input.${name}`, source: name, io: 'input', holds, schema: toZod(schema) }
    }),
    ...[...route.responses].map(([status, schema]) => toOutput(status, `response ${status}`, schema)),
    ...[...(stream?.schemas ?? [])].map(([name, schema]) =>
      toOutput(`stream ${name}`, stream?.kind === 'items' ? 'items' : `events.${name}`, schema),
    ),
    ...problemsOf(route).flatMap(({ code, members }) =>
      members === undefined ? [] : [toOutput(`problem ${code}`, `members of the problem ${code}`, members)],
    ),
    ...errorSchemasOf(route).map(({ source, status, schema }) =>
      toOutput(source, `response ${status} of an error handler`, schema),
    ),
    ...headerSchemasOf(route.openapi).map(({ source, at, schema }) => toOutput(source, at, schema)),
  ]
}

/** The schemas that error handlers around a route declare. */
export function errorSchemasOf({ layers }: Pick<Convertible, 'layers'>): readonly {
  readonly source: ErrorKey
  readonly status: number
  readonly schema: Schema
}[] {
  return (layers?.errorHandlers ?? []).flatMap(({ response = {} }, index) =>
    Object.entries(response).map(([key, schema]) => {
      const status = Number(key)
      return { source: `error ${index} ${status}` as const, status, schema }
    }),
  )
}

/** A schema that `openapi` of a route has for a header of a response. */
interface HeaderSchema extends Pick<SchemaPlace, 'at' | 'schema'> {
  readonly source: HeaderKey
}

/** The schemas of response headers, the only ones in `openapi` of a route that are not JSON. */
export function headerSchemasOf(openapi: object): readonly HeaderSchema[] {
  return Object.entries(toRecord(toRecord(openapi)['responses'])).flatMap(([status, response]) =>
    Object.entries(toRecord(toRecord(response)['headers'])).flatMap(
      ([name, header]): readonly HeaderSchema[] => {
        const schema = schemaOf(toRecord(header)['schema'])
        const at = `header ${name} of response ${status}`
        return schema === undefined ? [] : [{ source: `header ${status} ${name}`, at, schema }]
      },
    ),
  )
}
export function toErrorPlace({ schema }: Pick<ErrorFormat, 'schema'>): SchemaPlace {
  const owner = { name: 'error', label: 'errorFormat' }
  return { owner, at: 'schema', source: 'default', io: 'output', holds: 'value', schema: toZod(schema) }
}

/** Whether the value is a key of a response map. */
export function isResponseKey(value: unknown): value is ResponseKey {
  return typeof value === 'number' || RANGES.some((range) => range === value)
}
