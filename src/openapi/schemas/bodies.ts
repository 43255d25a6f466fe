import { isRecord, toRecord } from '../../base/values.ts'
import { defOf, schemaOf, type ResponseKey, type Schema } from '../../schema/schema.ts'
import { acceptsBytes, acceptsText } from '../../schema/accepts.ts'
import { isTextSchema } from '../../schema/route-schemas.ts'
import { formTypes, isProblemSchema, PROBLEM_TYPE } from '../../schema/body-types.ts'
import { joinSchemas } from './schema-fields.ts'
import { fitsNothing } from './finish.ts'
import {
  schemaList,
  mapSchemas,
  memberSchemas,
  optionsOf,
  resolve,
  withoutNull,
  type Components,
} from '../../base/json-schema.ts'
import { BINARY, MARK, TYPES } from './markers.ts'
import type {
  StreamedSchema,
  Content,
  MediaTypeObject,
  RequestBody,
  SchemaObject,
} from '../document/types.ts'

/** A schema in its two forms, and what both refer to. */
export interface Converted {
  readonly zod: Schema
  /** With marks. */
  readonly raw: SchemaObject
  readonly schema: SchemaObject
}

/** The components of both forms. */
export interface Referred {
  readonly raw: Components
  readonly finished: Components
}

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain'
const BINARY_TYPE = 'application/octet-stream'
export function toRequestBody(body: Converted, referred: Referred): RequestBody {
  const root = resolve(body.schema, referred.finished)
  const content =
    namedContentOf(body, referred) ??
    (acceptsBytes(body.zod) ? { [BINARY_TYPE]: { schema: BINARY } } : undefined)
  const isAnything = content === undefined && Object.keys(root).length === 0
  return {
    ...descriptionMember(root),
    ...(mayBodyBeAbsent(body.zod) || isAnything ? {} : { required: true }),
    content: content ?? textAndJson(body, referred.finished),
  }
}

/** Returns the content of a response, or `undefined` if it has none. */
export function toResponseContent(
  response: Converted,
  status: ResponseKey,
  referred: Referred,
): Content | undefined {
  const root = resolve(response.schema, referred.finished)
  if (EMPTY.has(status) || fitsNothing(root)) return undefined
  const content = namedContentOf(response, referred)
  if (content === undefined)
    return { [isProblemSchema(response.zod, status) ? PROBLEM_TYPE : JSON_TYPE]: { schema: response.schema } }
  const others = schemaList(root['anyOf']).filter((option) => option['format'] !== 'binary')
  return others.length === 0 || typeof root['contentMediaType'] === 'string'
    ? content
    : { ...content, [JSON_TYPE]: { schema: joinSchemas('anyOf', others) } }
}

/** Returns the content of a stream under a name. */
export function toStreamed({ zod, schema }: Converted, referred: Referred): StreamedSchema {
  const isNone = fitsNothing(resolve(schema, referred.finished))
  return {
    schema: isNone ? undefined : schema,
    isString: isTextSchema(zod),
    isOptional: isNone || Reflect.get(zod._zod, 'optout') === 'optional',
  }
}

const EMPTY: ReadonlySet<ResponseKey> = new Set([204, 205, 304])
export function descriptionMember({ description }: SchemaObject): { readonly description?: string } {
  return typeof description === 'string' ? { description } : {}
}

/** Content of the media type that the schema names, or of a file, or `undefined` if the type is for Octavo to choose. */
function namedContentOf(
  { raw, schema }: Converted,
  { raw: rawComponents, finished }: Referred,
): Content | undefined {
  const { contentMediaType: named } = resolve(schema, finished)
  if (typeof named === 'string') {
    const { contentMediaType: _named, ...rest } = schema
    return { [named]: { schema: rest } }
  }
  const root = rootOf(raw, rawComponents)
  if (root[MARK] !== 'file') return undefined
  const types = markedTypesOf(root)
  return Object.fromEntries(
    (types.length > 0 ? types : [BINARY_TYPE]).map((type) => [type, { schema: BINARY }]),
  )
}

/** The schema behind references and behind alternatives to nothing. */
function rootOf(raw: SchemaObject, components: Components): SchemaObject {
  const root = resolve(raw, components)
  return (
    schemaList(root['anyOf'])
      .map((option) => resolve(option, components))
      .find((option) => option[MARK] === 'file') ?? root
  )
}

function markedTypesOf({ [TYPES]: types }: SchemaObject): readonly string[] {
  return Array.isArray(types) ? types.filter((type) => typeof type === 'string') : []
}

function textAndJson({ zod, schema }: Converted, components: Components): Content {
  const json = { [JSON_TYPE]: { schema } }
  if (!acceptsText(zod)) return json
  const root = resolve(schema, components)
  if (hasTypeString(root)) return { [TEXT_TYPE]: { schema }, ...json }
  const texts = optionsOf(root).filter((option) => hasTypeString(resolve(option, components)))
  if (texts.length === 0) return json
  return { ...json, [TEXT_TYPE]: { schema: joinSchemas('anyOf', texts) } }
}

function hasTypeString({ type }: SchemaObject): boolean {
  return type === 'string'
}

/** Returns the request body of `form` and `files`. */
export function toForm(
  form: Converted | undefined,
  files: Converted | undefined,
  referred: Referred,
): RequestBody | undefined {
  // fields of forms are never null
  const texts = form && withFields(form.schema, referred.finished, (field) => withoutNull(field) ?? field)
  const parts = [texts, files === undefined ? undefined : withFiles(files.schema, referred.finished)]
  const schemas = parts.filter((schema) => schema !== undefined)
  const [only] = schemas
  if (only === undefined) return undefined
  // the media type stands above it
  const { contentMediaType: _named, ...schema } =
    schemas.length === 1 ? only : mergeObjects(schemas, referred.finished)
  // files are sent in a multipart body, also none of them
  const isRequired = files !== undefined || schemas.some((each) => isDemanding(each, referred.finished))
  const encoding = files === undefined ? {} : encodingOf(files.raw, referred.raw)
  const multipart: MediaTypeObject = { schema, ...(Object.keys(encoding).length > 0 ? { encoding } : {}) }
  const names = files !== undefined || form === undefined ? ['multipart/form-data'] : formTypes(form.zod)
  return {
    ...descriptionMember(resolve(only, referred.finished)),
    ...(isRequired ? { required: true } : {}),
    content: Object.fromEntries(names.map((name) => [name, multipart])),
  }
}

function withFields(
  schema: SchemaObject,
  components: Components,
  map: (field: SchemaObject) => SchemaObject,
): SchemaObject {
  const json = resolve(schema, components)
  const mapped = mapSchemas(json, (inner, keyword) => (keyword === 'properties' ? map(inner) : inner))
  return mapped === json ? schema : mapped
}

/** Whether a field has to be there. */
function isDemanding(schema: SchemaObject, components: Components, depth = 0): boolean {
  const json = resolve(schema, components)
  const { required } = json
  if (Array.isArray(required) && required.length > 0) return true
  if (depth > 8) return false
  const inner = (each: SchemaObject): boolean => isDemanding(each, components, depth + 1)
  const options = optionsOf(json)
  return schemaList(json['allOf']).some(inner) || (options.length > 0 && options.every(inner))
}

/** One object with the members of all; `allOf` where they are more than members. */
function mergeObjects(schemas: readonly SchemaObject[], components: Components): SchemaObject {
  const whole = schemas.map((schema) => resolve(schema, components))
  const plain = ['type', 'properties', 'required', 'additionalProperties', 'description']
  const isPlain = whole.every(
    (schema) =>
      isRecord(schema['properties']) &&
      !isRecord(schema['additionalProperties']) &&
      Object.keys(schema).every((keyword) => plain.includes(keyword)),
  )
  if (!isPlain) return { allOf: schemas.map(({ additionalProperties: _closed, ...schema }) => schema) }
  const required = whole.flatMap((schema): readonly unknown[] => {
    const names: unknown = schema['required']
    return Array.isArray(names) ? names : []
  })
  return {
    type: 'object',
    properties: Object.assign({}, ...whole.map((schema) => schema['properties'])),
    ...(required.length > 0 ? { required } : {}),
    ...(whole.every((schema) => schema['additionalProperties'] === false)
      ? { additionalProperties: false }
      : {}),
  }
}

/** The schema of `files`, where fields of unknown kind are files. */
function withFiles(schema: SchemaObject, components: Components): SchemaObject {
  if (Object.keys(resolve(schema, components)).length === 0)
    return { type: 'object', additionalProperties: BINARY }
  // a field of which only words are said is a file
  return withFields(schema, components, (field) =>
    Object.keys(field).every((keyword) => ['description', 'deprecated', 'title'].includes(keyword))
      ? { ...BINARY, ...field }
      : field,
  )
}

/** The media types of parts, where the schema asks for some. */
function encodingOf(raw: SchemaObject, components: Components): Readonly<Record<string, unknown>> {
  const members = memberSchemas(resolve(raw, components), (field) => partTypes(toRecord(field), components))
  return Object.fromEntries(
    members.flatMap(({ name, made }) =>
      made.length === 0 ? [] : [[name, { contentType: made.join(', ') }]],
    ),
  )
}

/** Of a file, or of the files of a list. */
function partTypes(field: SchemaObject, components: Components): readonly string[] {
  const root = resolve(field, components)
  const { items } = root
  return isRecord(items) ? partTypes(items, components) : markedTypesOf(rootOf(root, components))
}

/** Whether nothing need be there; what is preprocessed is asked behind that. */
function mayBodyBeAbsent(schema: Schema): boolean {
  const { type, in: first, out } = defOf(schema)
  const [before, after] = [schemaOf(first), schemaOf(out)]
  if (type === 'pipe' && before !== undefined && after !== undefined && defOf(before).type === 'transform')
    return mayBodyBeAbsent(after)
  return Reflect.get(schema._zod, 'optin') === 'optional'
}
