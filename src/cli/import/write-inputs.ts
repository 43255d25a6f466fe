import { literalText, quotedText, valueText } from '../format.ts'
import { headerName } from '../../http/http.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import { schemaList, refOf, type Components } from '../../base/json-schema.ts'
import type { Content, MediaTypeObject, SchemaObject } from '../../openapi/document/types.ts'
import { inlined, requiredNamesIn, splitNotes, toSchemaObject, type Inlining } from './schema-parts.ts'
import { toDistinctName } from './import-names.ts'
import { markBody, type Bodies } from './shared-bodies.ts'
import type { ImportedOperation, ImportedParameter } from './read-api.ts'
import { bodyPartText } from './write-models.ts'
import { notesText, toFieldLines, schemaText, type SchemaWriting } from './write-schema.ts'

/** The components that documents show by their names whatever else refers to them. */
export type ShownInput = Readonly<Record<'body' | 'response', ReadonlySet<string>>>

/** The state of writing operations. */
export interface RouteWriting extends SchemaWriting {
  readonly shown: ShownInput
  readonly bodies: Bodies
}

/** A media type of a body. */
export interface InputMedia extends MediaTypeObject {
  readonly type: string
}

/** The media types of a body. */
export function mediaIn(content: Content = {}): readonly InputMedia[] {
  return Object.entries(content).map(([type, media]) => ({ ...media, type }))
}

/** The sources of an operation as members of `input`, and what only its documents can say. */
export interface WrittenInputs {
  readonly path: string
  readonly input: Readonly<Record<string, string>>
  readonly openapi: object
}

const SOURCES = { query: 'query', header: 'headers', cookie: 'cookies' } as const

/** Writes the parameters and the body of an operation. */
export function writeInputs(operation: ImportedOperation, writing: RouteWriting): WrittenInputs {
  const { path, params } = writePathParameters(operation, writing)
  const input: Record<string, string> = {
    params: constantOf(operation, 'path', writing) ?? literalText(params),
  }
  const extra: object[] = []
  for (const [place, source] of Object.entries(SOURCES)) {
    const own = constantOf(operation, place, writing)
    if (own !== undefined) {
      input[source] = own
      continue
    }
    const fields: Record<string, string> = {}
    for (const parameter of operation.parameters.filter((each) => each.in === place))
      if (isFlatObject(parameter, writing)) fields[parameter.name] = parameterText(parameter, writing)
      else extra.push(toPlainParameter(parameter, writing))
    input[source] = literalText(fields)
  }
  const { requestBody } = operation
  const shown = Object.values(operation.responses).flatMap(({ content }) =>
    mediaIn(content).map(({ schema = {} }) => schema),
  )
  const body = requestBody === undefined ? {} : writeBody(requestBody, shown, writing)
  return {
    path,
    input: { ...input, ...body.input },
    openapi: { parameters: extra.length === 0 ? undefined : extra, requestBody: body.openapi },
  }
}

/** The constant of an app that all parameters of a place come from. */
function constantOf(
  { parameters }: ImportedOperation,
  place: string,
  { constants, used }: SchemaWriting,
): string | undefined {
  const own = parameters.find((each) => each.in === place)?.['x-constant']
  const constant = typeof own === 'string' ? constants.get(own) : undefined
  if (constant !== undefined) used.add(constant)
  return constant
}

/** The path as a pattern, and the parameters in it whose type a pattern cannot say. */
function writePathParameters(
  { path, parameters }: ImportedOperation,
  writing: RouteWriting,
): { readonly path: string; readonly params: Readonly<Record<string, string>> } {
  const params: Record<string, string> = {}
  const used = new Set<string>()
  const pattern = path.replaceAll(/\{([^{}]*)\}/g, (_, given: string) => {
    const plain = given.replaceAll(/\W+/g, '_').replace(/^(?![A-Za-z_])/, '_')
    const name = toDistinctName(plain, used)
    used.add(name)
    const declared = parameters.find((each) => each.in === 'path' && each.name === given)
    if (declared === undefined || declared['x-constant'] !== undefined) return `{${name}}`
    const { schema = {}, deprecated } = declared
    const { description = splitNotes(schema).notes['description'] } = declared
    const isDescribed = typeof description === 'string' && description.trim() !== ''
    const kind = inputKindOf(schema)
    if (kind !== undefined && !isDescribed && deprecated !== true) return `{${name}${kind}}`
    params[name] = parameterText(declared, writing)
    return `{${name}${kind ?? ''}}`
  })
  return { path: pattern, params }
}

/** The path of an operation without the names of its parameters: two routes of one method cannot have the same. */
export function pathTemplateOf({ path, parameters }: ImportedOperation): string {
  return path.replaceAll(/\{([^{}]*)\}/g, (_, given: string) => {
    const declared = parameters.find((each) => each.in === 'path' && each.name === given)
    return `{${inputKindOf(declared?.schema ?? { type: 'string' }) ?? ''}}`
  })
}

/** The type of a parameter that says the same as its schema, with a colon, or `undefined`. */
function inputKindOf(schema: SchemaObject): string | undefined {
  const { schema: own } = splitNotes(schema)
  const keywords = Object.keys(own)
    .filter((keyword) => keyword !== 'type')
    .join(' ')
  if (own['type'] === 'string' && keywords === '') return ''
  if (own['type'] === 'string' && keywords === 'format' && own['format'] === 'uuid') return ':uuid'
  const isCount = own['type'] === 'integer' && own['minimum'] === 0 && keywords === 'minimum'
  return isCount ? ':int' : undefined
}

function parameterText(parameter: ImportedParameter, writing: SchemaWriting): string {
  const { schema = {}, deprecated } = parameter
  const { notes } = splitNotes(schema)
  const { description = notes['description'] } = parameter
  const isRequired = parameter.in === 'path' || parameter['required'] === true
  const text = schemaText(writing, schema, false)
  const shown = {
    ...notes,
    ...(typeof description === 'string' && description.trim() !== ''
      ? { description: description.trim() }
      : {}),
    ...(deprecated === true ? { deprecated } : {}),
  }
  return `${text}${isRequired ? '' : '.optional()'}${notesText(shown, writing)}`
}

/** Whether a parameter is a text, or a list of texts that are sent under the same name. */
function isFlatObject(
  { in: place, name, schema = {}, content, ...own }: ImportedParameter,
  writing: RouteWriting,
): boolean {
  const { style = place === 'header' ? 'simple' : 'form', explode = style === 'form' } = own
  if (content !== undefined || name === '' || name === '__proto__') return false
  // the names of fields are written in kebab case
  if (place === 'header' && headerName(name) !== name.toLowerCase()) return false
  const depth = nestingOf(schema, writing.components)
  if (depth === 0) return true
  return depth === 1 && place === 'query' && style === 'form' && explode === true
}

/** 0 for one text, 1 for a list of texts, 2 or more for anything else. */
function nestingOf(schema: SchemaObject, components: Components, known = new Map<string, number>()): number {
  const name = refOf(schema)
  if (name !== undefined) {
    const found = known.get(name)
    if (found !== undefined) return found
    // what contains itself
    known.set(name, 2)
    const depth = nestingOf(components[name] ?? {}, components, known)
    known.set(name, depth)
    return depth
  }
  const { type, items } = schema
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (types.includes('object') || ['properties', 'additionalProperties'].some((key) => key in schema))
    return 2
  const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => schemaList(schema[key]))
  const depths = inner.map((option) => nestingOf(option, components, known))
  if (types.includes('array') || items !== undefined)
    return Math.max(isRecord(items) ? 1 + nestingOf(items, components, known) : 2, ...depths)
  if (depths.length > 0) return Math.max(...depths)
  return type === undefined && schema['enum'] === undefined && !('const' in schema) ? 2 : 0
}

function toPlainParameter(
  { in: place, name, schema = {}, content, ...rest }: ImportedParameter,
  writing: SchemaWriting,
): object {
  return {
    name,
    in: place,
    ...rest,
    ...(content === undefined
      ? { schema: inlined(schema, writing) }
      : { content: mediaText(Object.entries(content), undefined, writing, new Set()) }),
  }
}

/** The place of a media type in the order in which bodies are declared. */
export function rankOf(type: string): number {
  if (plainType(type) === 'application/json') return 0
  if (isJsonMedia(type)) return 1
  return [FORM, MULTIPART].includes(plainType(type)) ? 2 : 3
}

interface WrittenBody {
  readonly input?: Readonly<Record<string, string>>
  readonly openapi?: object | undefined
}

/** Whether a media type is JSON, or any. */
export function isJsonMedia(type: string): boolean {
  return /[/+]json\b|^\*\/\*$/i.test(type)
}

/** The media type without parameters. */
export function plainType(type: string): string {
  const [plain = ''] = type.toLowerCase().split(';', 1)
  return plain.trim()
}

const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

function writeBody(
  { required: isRequired, content }: NonNullable<ImportedOperation['requestBody']>,
  responses: readonly SchemaObject[],
  writing: RouteWriting,
): WrittenBody {
  const all = mediaIn(content)
  const [main, ...others] = all.toSorted((one, other) => rankOf(one.type) - rankOf(other.type))
  if (main === undefined) return {}
  const part =
    isRequired && main.type === 'application/json'
      ? bodyPartText(writing, main.schema ?? {}, responses)
      : undefined
  const input = part === undefined ? inputSourcesOf(main, isRequired, writing) : { body: part }
  const left = input === undefined ? all : others
  const isAny = main.type === '*/*'
  const types = isAny ? all : left
  const declared = input === undefined ? undefined : main.schema
  const shown = mediaText(
    types.map(({ type, ...media }) => [type, media] as const),
    declared,
    writing,
    writing.shown.body,
  )
  return {
    ...(input === undefined ? {} : { input }),
    openapi: shown && { required: (input === undefined && isRequired) || undefined, content: shown },
  }
}

/** The sources that a body is read as, or `undefined` if none of them can. */
function inputSourcesOf(media: InputMedia, isRequired: boolean, writing: RouteWriting): WrittenBody['input'] {
  const type = plainType(media.type)
  const { schema = {} } = media
  const optional = isRequired ? '' : '.optional()'
  if (type === FORM || type === MULTIPART) return formText(media, type, isRequired, writing)
  if (isJsonMedia(type)) return { body: bodySchemaText(schema, type, writing) + optional }
  return { body: rawText(media) + optional }
}

/** A body that is no JSON: a text, or bytes. */
export function rawText({ type, schema = {} }: InputMedia): string {
  const { format, contentEncoding } = schema
  const isBinary = format === 'binary' || contentEncoding === 'binary'
  const isText = (schema['type'] === 'string' || /^text\/|[/+]xml\b/i.test(type)) && !isBinary
  const notes = { ...(isText ? { format, contentEncoding } : {}), contentMediaType: type }
  return `${isText ? 'z.string()' : 'z.instanceof(Uint8Array)'}.meta(${valueText(notes)})`
}

/** A JSON body. One that a text fits is no text, and one of another type says so. */
export function bodySchemaText(schema: SchemaObject, type: string, writing: RouteWriting): string {
  const { components } = writing
  const isPlain = type === 'application/json' || type === '*/*'
  const text = schemaText(writing, schema)
  const object = toSchemaObject(schema, components)
  const isData = refOf(schema) !== undefined && Object.keys(toRecord(object?.['properties'])).length > 0
  if (
    isPlain &&
    (isData || /^z\.(?:array|object|looseObject|record|int|number|boolean)\(|^(?:derive|model)\(/.test(text))
  )
    return markBody(text, schema, writing.bodies)
  const meta = `.meta({ contentMediaType: ${quotedText(isPlain ? 'application/json' : type)} })`
  const name = refOf(schema)
  if (name === undefined || !writing.parts.has(name)) return `${text}${meta}`
  return `derive(${text}, (schema) => schema${meta})`
}

function formText(
  { schema = {}, encoding }: InputMedia,
  type: string,
  isRequired: boolean,
  writing: SchemaWriting,
): WrittenBody['input'] {
  const { components, note } = writing
  const object = toSchemaObject(schema, components)
  if (object === undefined || !isRequired || isRecord(encoding)) return undefined
  const { additionalProperties: others = false } = object
  if (others !== false) return undefined
  const own = Object.entries(toRecord(object['properties']))
  const needed = requiredNamesIn(object['required'])
  const files = own.filter(([, field]) => fileSchemaText(field) !== undefined)
  const toFile = (name: string, field: unknown): string =>
    `${fileSchemaText(field) ?? ''}${needed.includes(name) ? '' : '.optional()'}`
  const texts = own.filter(([, field]) => fileSchemaText(field) === undefined)
  const isSayable =
    needed.every((name) => own.some(([each]) => each === name)) &&
    texts.every(([, field]) => {
      if (!isRecord(field) || nestingOf(field, components) > 1) return false
      return !(Array.isArray(field['type']) && field['type'].includes('null'))
    })
  // documents show that a form without required fields may be left out
  const isTaken = files.length === 0 ? needed.length > 0 : type === MULTIPART
  if (!isSayable || !isTaken) return undefined
  if (files.length > 0 && object['additionalProperties'] === false)
    note(/additional-properties/, 'a form with files takes members that it does not name')
  const meta = files.length > 0 ? '' : `.meta({ contentMediaType: ${quotedText(type)} })`
  const required = needed.filter((name) => texts.some(([each]) => each === name))
  const form = toFieldLines(writing, { properties: Object.fromEntries(texts), required })
  return {
    ...(texts.length === 0 ? {} : { form: `z.object({ ${form} })${meta}` }),
    files: literalText(Object.fromEntries(files.map(([name, field]) => [name, toFile(name, field)]))),
  }
}

/** A file, or a list of files, or `undefined` for a text. */
function fileSchemaText(field: unknown): string | undefined {
  if (!isRecord(field)) return undefined
  const { type, format, items, contentMediaType } = field
  if (type === 'string' && (format === 'binary' || contentMediaType === 'application/octet-stream'))
    return 'z.file()'
  const inner = type === 'array' ? fileSchemaText(items) : undefined
  return inner === undefined ? undefined : `z.array(${inner})`
}

/** Media types as documents show them, `undefined` for none, without a name of what no document would show otherwise. `declared` is a schema of the app. */
export function mediaText(
  content: readonly (readonly [type: string, media: MediaTypeObject])[],
  declared: SchemaObject | undefined,
  inlining: Inlining,
  named: ReadonlySet<string>,
): object | undefined {
  if (content.length === 0) return undefined
  return Object.fromEntries(
    content.map(([type, { schema, ...rest }]) => {
      const isSame = JSON.stringify(schema) === JSON.stringify(declared)
      const shown = schema && (isSame ? schema : inlined(schema, inlining, named))
      return [type, { schema: shown, ...rest }]
    }),
  )
}
