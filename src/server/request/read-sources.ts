import { isPromise, type Awaitable } from '../../base/values.ts'
import { toFilesPlan, type FilesPlan } from '../../schema/files.ts'
import { headerName, isJsonType, type HttpRequest, type QueryRecord } from '../../http/http.ts'
import { isStrict, acceptsBytes, acceptsText, declaresInherited } from '../../schema/accepts.ts'
import { BODY_READERS, withJsonReaders, type FieldPlan, type SourcePlan } from '../../schema/coercion.ts'
import { withUndeclared } from '../../schema/declared.ts'
import { createValidator, type Validated } from '../../schema/validator.ts'
import type { DeclaredSource, SourceName } from '../../schema/sources.ts'
import { decodeText, parseJsonBody } from './body.ts'
import { parseForm } from './query.ts'
import { isMultipart, type EndHooks, type Uploads } from './uploads.ts'
import { RequestView, type RequestSettings } from './request.ts'
import { bodyTypes, bodySchemaTypes } from '../../schema/body-types.ts'
import type { Schema } from '../../schema/schema.ts'
import { httpError } from '../../http/errors.ts'
import { contentTypeOf, splitOutsideQuotes, type MediaType } from '../../http/media-type.ts'
import { announce } from './announce.ts'

/** The texts that a source has for a field, or `undefined` if there are none. */
type Texts = string | readonly string[] | undefined

/** The texts of a path's parameters, by name. */
export type PathTexts = Readonly<Record<string, string>>
export type ReadSource = (request: HttpRequest, params: PathTexts, lifetime: EndHooks) => Awaitable<Validated>

/** The settings that all sources of an application are read by. */
export interface ReadingSettings {
  /** The query parameters that carry versions. */
  readonly hidden: readonly string[]
  readonly limits: RequestSettings['limits']
}

/** Creates the function that reads a declared source; `uploads` reads multipart bodies for all sources of its route. */
export function createSourceReader(
  source: DeclaredSource,
  reading: ReadingSettings,
  uploads: Uploads | undefined,
): ReadSource {
  const { limits } = reading
  const { name, schema, plan } = source
  if (name === 'body') {
    const read = createBodyReader(source)
    return (request) => read(request, (outcome) => outcome)
  }
  const validate = createValidator(schema)
  switch (name) {
    case 'form':
      return readsForm(plan, limits.parameters, uploads, validate)
    case 'files':
      return readsFiles(toFilesPlan(schema), uploads, validate)
    default:
      return readsHead(HEAD_READERS[name](source, reading), validate)
  }
}

function readsHead(
  read: (request: HttpRequest, params: PathTexts) => unknown,
  validate: ValidateSource,
): ReadSource {
  return (request, params) => validate(read(request, params))
}

/** Reads and validates a body, and passes on what validation says: a promise less for each request. */
export type ReadBody = <T>(request: HttpRequest, use: (outcome: Validated) => Awaitable<T>) => Awaitable<T>

export function createBodyReader({ schema, isWhole }: DeclaredSource): ReadBody {
  const choose = createDecoder(schema)
  const parse = createValidator(withJsonReaders(schema, BODY_READERS))
  const validate = isWhole === true ? keepingUndeclared(parse) : parse
  return (request, use) => {
    const decode = choose(request)
    return readThen(request, (bytes) => {
      const outcome = validate(decode(bytes))
      return isPromise(outcome) ? outcome.then(use) : use(outcome)
    })
  }
}

/** A validation whose values keep the members that no schema declares. */
function keepingUndeclared(validate: ValidateSource): ValidateSource {
  return (value) => {
    const keep = (outcome: Validated): Validated =>
      'issues' in outcome ? outcome : { ...outcome, value: withUndeclared(value, outcome.value) }
    const outcome = validate(value)
    return isPromise(outcome) ? outcome.then(keep) : keep(outcome)
  }
}

function readThen<T>(request: HttpRequest, use: (bytes: Uint8Array) => Awaitable<T>): Awaitable<T> {
  return request instanceof RequestView ? request.readThen(use) : request.bytes().then(use)
}

function readsForm(
  plan: SourcePlan,
  parameters: number,
  uploads: Uploads | undefined,
  validate: ValidateSource,
): ReadSource {
  const toForm = createCollect(plan, BY_NAME, DROP_BLANK)
  return (request, _params, lifetime) => {
    if (uploads !== undefined && isMultipart(request.header('content-type')))
      return uploads.read(request, lifetime).then(({ fields }) => validate(toForm(fields)))
    requireForm(request)
    return request.bytes().then((bytes) => validate(toForm(parseForm(decodeText(bytes), parameters))))
  }
}

function readsFiles(plan: FilesPlan, uploads: Uploads | undefined, validate: ValidateSource): ReadSource {
  return (request, _params, lifetime) => {
    const type = request.header('content-type')
    if (uploads !== undefined && isMultipart(type))
      return uploads.read(request, lifetime).then(({ files }) => validate(collectFiles(plan, files)))
    // a body that has no type may be empty, as for forms
    if (type !== undefined) throw unsupported(request, ['multipart/form-data'])
    return request.bytes().then((bytes) => {
      if (bytes.length > 0) throw unsupported(request, ['multipart/form-data'])
      return validate(collectFiles(plan, {}))
    })
  }
}

type ValidateSource = ReturnType<typeof createValidator>

type HeadReader = (
  source: DeclaredSource,
  reading: ReadingSettings,
) => (request: HttpRequest, params: PathTexts) => unknown

/** How the raw value of each source in the head of a request is found; a new source is a new row. */
const HEAD_READERS: Readonly<Record<Exclude<SourceName, 'body' | 'form' | 'files'>, HeadReader>> = {
  params: ({ plan }) => {
    const collect = createCollect(plan, BY_NAME, KEEP_BLANK)
    return (_request, params) => collect(params)
  },
  query: ({ plan }, { hidden }) => {
    // the version parameter is not the handler's business, unless it declares it
    const skipped = hidden.filter((name) => !plan.fields.has(name))
    const all = skipped.length === 0 ? BY_NAME.all : (query: QueryRecord) => withoutQueryNames(query, skipped)
    const collect = createCollect(plan, { ...BY_NAME, all }, KEEP_BLANK)
    return ({ query }) => collect(query)
  },
  headers: ({ plan, schema }) => {
    const names = new Map([...plan.fields.keys()].map((field) => [field, headerName(field)]))
    // clients send many headers: a strict object sees only the declared ones
    const known = isStrict(schema) ? { ...plan, others: null } : plan
    const finders: Finders<HttpRequest> = {
      find: (request, field) => headerTexts(request, names.get(field) ?? field, plan.fields.get(field)),
      all: ({ headers }) => headers,
    }
    return createCollect(known, finders, KEEP_BLANK)
  },
  cookies: ({ plan }) => {
    const collect = createCollect(plan, BY_NAME, KEEP_BLANK)
    return ({ cookies }) => collect(cookies)
  },
}

/** Whether a blank text for a field that takes no text counts as absent, as browsers send for inputs left empty. */
const DROP_BLANK = true
const KEEP_BLANK = false

/** Nothing is inherited from it; a record with it as prototype is made, and read by zod, in half the time of one without. */
const NO_MEMBERS: object = Object.freeze(Object.create(null))

/**
 * Collects the values of a source for its schema, in a record without prototype: `constructor` is a name like any other. `source` is
 * where the values of its fields are found.
 */
type Collect<S> = (source: S) => Readonly<Record<string, unknown>>

/** How the texts of a source are found. */
interface Finders<S> {
  readonly find: (source: S, name: string) => Texts
  /** All that there are. Asked for only if the schema takes others than those it declares: to join all headers is work. */
  readonly all: (source: S) => QueryRecord
}

const BY_NAME: Finders<QueryRecord> = { find: (texts, name) => texts[name], all: (texts) => texts }

/** Creates the function that collects the values of a source; `dropsBlank`: a blank text for a field that takes no text counts as absent. */
function createCollect<S>(
  { fields, others }: SourcePlan,
  { find, all }: Finders<S>,
  dropsBlank: boolean,
): Collect<S> {
  const declared = [...fields].map(([name, field]) => ({ name, field }))
  // names that clients choose make a record without hidden class; of those that are declared there is an end
  const prototype = others === null ? NO_MEMBERS : null
  return (source) => {
    const values: Record<string, unknown> = Object.create(prototype)
    for (const { name, field } of declared) {
      const value = readTexts(field, find(source, name), dropsBlank)
      if (value !== undefined) values[name] = value
    }
    if (others === null) return values
    const present = all(source)
    for (const name of Object.keys(present)) {
      if (fields.has(name)) continue
      const value = readTexts(others, present[name], dropsBlank)
      if (value !== undefined) values[name] = value
    }
    return values
  }
}

/** The files of each field, one as it is unless its schema wants a list. */
function collectFiles(
  { fields, others }: FilesPlan,
  files: Readonly<Record<string, readonly unknown[]>>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, sent] of Object.entries(files)) {
    const field = fields.get(name) ?? others
    if (field !== null) values[name] = field.isList || sent.length > 1 ? sent : sent[0]
  }
  return values
}

function readTexts(field: FieldPlan, texts: Texts, dropBlank: boolean): unknown {
  if (texts === undefined) return undefined
  if (typeof texts === 'string' && (field.list === null || field.read(texts) !== undefined)) {
    return dropBlank && countsAsAbsent(field, texts) ? undefined : readField(field, texts)
  }
  const all = typeof texts === 'string' ? [texts] : texts
  if (field.list === null) return all.map((text) => readField(field, text))
  const { kind, items, rest } = field.list
  const present = dropBlank ? all.filter((text) => !countsAsAbsent(field, text)) : all
  if (present.length === 0) return undefined
  const values = present.map((text, index) => {
    const item = items[index] ?? rest
    return item === null ? text : readField(item, text)
  })
  return kind === 'set' ? new Set(values) : values
}

/** Whether the text counts as absent where blank ones do. */
function countsAsAbsent(field: FieldPlan, text: string): boolean {
  return text === '' && !field.text
}

/** The value that the text means; the text itself where it means none, for the schema to refuse. */
function readField(field: FieldPlan, text: string): unknown {
  return field.read(text) ?? text
}

/**
 * A field that can hold several values gets each member of its lists, because proxies and `fetch` join field lines by commas (RFC 9110 section
 * 5.3). A comma in quotes is part of a member.
 */
function headerTexts(request: HttpRequest, name: string, field: FieldPlan | undefined): Texts {
  if (field?.several !== true) return request.header(name)
  const values = request.headerLines(name).flatMap((line) => splitOutsideQuotes(line, ','))
  return values.length > 1 ? values.filter((value) => value !== '') : values[0]
}

function withoutQueryNames(query: QueryRecord, names: readonly string[]): QueryRecord {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))
}

/** Turns the bytes of a body into the raw value for its schema. */
type DecodeBody = (bytes: Uint8Array) => unknown

/** Chooses how the body of a request is read, by its content type. @throws `HttpError` 415 when it is of another type. */
type ChooseDecoder = (request: HttpRequest) => DecodeBody

/** Creates the function that chooses how a body is read for a schema. */
function createDecoder(schema: Schema): ChooseDecoder {
  if (acceptsBytes(schema))
    return (request) => (request.header('content-type') === undefined ? presentBytes : (bytes) => bytes)
  const inherited = declaresInherited(schema)
  const json = presentOr((bytes) => parseJsonBody(bytes, inherited))
  const takesText = acceptsText(schema)
  return (request) => {
    const header = request.header('content-type')
    if (header === undefined || header === 'application/json') return json
    const type = contentTypeOf(header)
    if (isUtf8Json(type)) return json
    // a text may be empty
    if (takesText && isReadAsText(type)) return decodeText
    const types = bodySchemaTypes(schema, request.method)
    if (takesText && isNamed(type, types)) return decodeText
    // what is not there has no type that could be wrong
    if (request instanceof RequestView && request.isEmpty) return json
    throw unsupported(request, types)
  }
}

/**
 * Refuses content without a content type, which must not be guessed for QUERY (RFC 10008 section 2.1).
 *
 * @throws `HttpError` 400.
 */
export function requireContentType(request: HttpRequest, sources: readonly DeclaredSource[]): void {
  if (request.header('content-type') !== undefined) return
  if (request instanceof RequestView && request.isEmpty) return
  const types = bodyTypes(sources, request.method)
  throw httpError('missing_content_type', `Send a Content-Type with the body: ${types.join(' or ')}`, {
    headers: announce(request.method, types),
  })
}

/** @throws `HttpError` 415 when the body of a request is no urlencoded form. */
function requireForm(request: HttpRequest): void {
  const header = request.header('content-type')
  if (header !== undefined && !isForm(contentTypeOf(header)))
    throw unsupported(request, ['application/x-www-form-urlencoded', 'multipart/form-data'])
}

/** An empty body has no value. */
function presentOr(decode: DecodeBody): DecodeBody {
  return (bytes) => (bytes.length === 0 ? undefined : decode(bytes))
}

/** The error of a body of another type than the expected ones. */
function unsupported({ method }: HttpRequest, types: readonly string[]): Error {
  return httpError('unsupported_media_type', `Send the body as ${types.join(' or ')}`, {
    headers: announce(method, types),
  })
}

function isUtf8Json(type: MediaType | undefined): boolean {
  return type !== undefined && isJsonType(type.type) && isUtf8Charset(type)
}

function isForm(type: MediaType | undefined): boolean {
  return type?.type === 'application/x-www-form-urlencoded' && isUtf8Charset(type)
}

function isReadAsText(type: MediaType | undefined): boolean {
  return (
    type !== undefined && (type.type.startsWith('text/') || /[/+]xml$/.test(type.type)) && isUtf8Charset(type)
  )
}

/** Whether it is a type that the schema names, such as `application/sql`. */
function isNamed(type: MediaType | undefined, types: readonly string[]): boolean {
  return (
    type !== undefined &&
    isUtf8Charset(type) &&
    types.some((named) => contentTypeOf(named)?.type === type.type)
  )
}

/** Other charsets are refused rather than misread. */
function isUtf8Charset({ parameters }: MediaType): boolean {
  const charset = parameters.find(([name]) => name === 'charset')?.[1]
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)
}

function presentBytes(bytes: Uint8Array): Uint8Array | undefined {
  return bytes.length === 0 ? undefined : bytes
}
