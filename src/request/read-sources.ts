import { isPromise } from '../async.ts'
import { toFilesPlan } from '../schema/files.ts'
import type { FilesPlan } from '../schema/files.ts'
import { headerName } from '../header-name.ts'
import { isStrict } from '../schema/accepts.ts'
import type { FieldPlan, SourcePlan } from '../schema/coercion.ts'
import { BODY_READERS, fromJson } from '../schema/from-json.ts'
import { createValidator } from '../schema/validator.ts'
import type { Validated } from '../schema/validator.ts'
import type { DeclaredSource, SourceName } from '../schema/sources.ts'
import type { Awaitable, HttpRequest, QueryRecord } from '../http.ts'
import { decodeText } from './body.ts'
import { createDecoder, requireForm, unsupported } from './read-body.ts'
import { parseForm } from './query.ts'
import { isMultipart } from './uploads.ts'
import type { Lifetime, Uploads } from './uploads.ts'
import { RequestView } from './request.ts'
import type { RequestSettings } from './request.ts'

/** The texts that a source has for a field, or `undefined` if there are none. */
type Texts = string | readonly string[] | undefined

/** The texts of a path's parameters, by name. */
export type PathTexts = Readonly<Record<string, string>>

/** Reads and validates one source of a request. */
export type ReadSource = (request: HttpRequest, params: PathTexts, lifetime: Lifetime) => Awaitable<Validated>

/** What all sources of an application are read by. */
export interface Reading {
  /** The query parameters that carry versions. */
  readonly hidden: readonly string[]
  readonly limits: RequestSettings['limits']
}

/** Creates the function that reads a declared source; `uploads` reads multipart bodies for all sources of its route. */
export function createSourceReader(
  source: DeclaredSource,
  reading: Reading,
  uploads: Uploads | undefined,
): ReadSource {
  const { limits } = reading
  const { name, schema, plan } = source
  if (name === 'body') {
    const read = createBodyReader(source, reading)
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
  validate: Validate,
): ReadSource {
  return (request, params) => validate(read(request, params))
}

/** Reads and validates a body, and passes on what validation says: a promise less for each request. */
export type ReadBody = <T>(request: HttpRequest, use: (outcome: Validated) => Awaitable<T>) => Awaitable<T>

/** Creates the function that reads a body which is all that a route declares. */
export function createBodyReader({ schema }: DeclaredSource, { limits }: Reading): ReadBody {
  const choose = createDecoder(schema, limits.jsonDepth)
  const validate = createValidator(fromJson(schema, BODY_READERS))
  return (request, use) => {
    const decode = choose(request)
    return readThen(request, (bytes) => {
      const outcome = validate(decode(bytes))
      return isPromise(outcome) ? outcome.then(use) : use(outcome)
    })
  }
}

function readThen<T>(request: HttpRequest, use: (bytes: Uint8Array) => Awaitable<T>): Awaitable<T> {
  return request instanceof RequestView ? request.readThen(use) : request.bytes().then(use)
}

function readsForm(
  plan: SourcePlan,
  parameters: number,
  uploads: Uploads | undefined,
  validate: Validate,
): ReadSource {
  const toForm = (fields: QueryRecord): unknown =>
    collect(
      plan,
      (name) => fields[name],
      () => fields,
      DROP_BLANK,
    )
  return (request, _params, lifetime) => {
    if (uploads !== undefined && isMultipart(request.header('content-type')))
      return uploads.read(request, lifetime).then(({ fields }) => validate(toForm(fields)))
    requireForm(request)
    return request.bytes().then((bytes) => validate(toForm(parseForm(decodeText(bytes), parameters))))
  }
}

function readsFiles(plan: FilesPlan, uploads: Uploads | undefined, validate: Validate): ReadSource {
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

type Validate = ReturnType<typeof createValidator>

type HeadReader = (
  source: DeclaredSource,
  reading: Reading,
) => (request: HttpRequest, params: PathTexts) => unknown

/** How the raw value of each source in the head of a request is found; a new source is a new row. */
const HEAD_READERS: Readonly<Record<Exclude<SourceName, 'body' | 'form' | 'files'>, HeadReader>> = {
  params:
    ({ plan }) =>
    (_request, params) =>
      collect(
        plan,
        (name) => params[name],
        () => params,
        KEEP_BLANK,
      ),
  query: ({ plan }, { hidden }) => {
    // the version parameter is not the handler's business, unless it declares it
    const skipped = hidden.filter((name) => !plan.fields.has(name))
    return ({ query }) =>
      collect(
        plan,
        (name) => query[name],
        () => (skipped.length === 0 ? query : without(query, skipped)),
        KEEP_BLANK,
      )
  },
  headers: ({ plan, schema }) => {
    const names = new Map([...plan.fields.keys()].map((field) => [field, headerName(field)]))
    // every client sends headers of its own: a strict object sees those it declares
    const known = isStrict(schema) ? { ...plan, others: null } : plan
    return (request) =>
      collect(
        known,
        (field) => headerTexts(request, names.get(field) ?? field, plan.fields.get(field)),
        () => request.headers,
        KEEP_BLANK,
      )
  },
  cookies:
    ({ plan }) =>
    ({ cookies }) =>
      collect(
        plan,
        (name) => cookies[name],
        () => cookies,
        KEEP_BLANK,
      ),
}

/** Whether a blank text for a field that takes no text counts as absent, as browsers send for inputs left empty. */
const DROP_BLANK = true
const KEEP_BLANK = false

/** Nothing is inherited from it; a record with it as prototype is made, and read by zod, in half the time of one without. */
const NO_MEMBERS: object = Object.freeze(Object.create(null))

/** Collects the values of a source for its schema, in a record without prototype: `constructor` is a name like any other. */
function collect(
  plan: SourcePlan,
  find: (name: string) => Texts,
  all: () => QueryRecord,
  dropBlank: boolean,
): Readonly<Record<string, unknown>> {
  // names that clients choose make a record without hidden class; of those that are declared there is an end
  const values: Record<string, unknown> = Object.create(plan.others === null ? NO_MEMBERS : null)
  for (const [name, field] of plan.fields) {
    const value = toValue(field, find(name), dropBlank)
    if (value !== undefined) values[name] = value
  }
  if (plan.others === null) return values
  // asked for only now: joining all headers, or copying a query, is work that few schemas need
  const present = all()
  for (const name of Object.keys(present)) {
    if (plan.fields.has(name)) continue
    const value = toValue(plan.others, present[name], dropBlank)
    if (value !== undefined) values[name] = value
  }
  return values
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

function toValue(field: FieldPlan, texts: Texts, dropBlank: boolean): unknown {
  if (texts === undefined) return undefined
  if (typeof texts === 'string' && (field.list === null || field.read(texts) !== undefined)) {
    return dropBlank && isBlank(field, texts) ? undefined : convert(field, texts)
  }
  const all = typeof texts === 'string' ? [texts] : texts
  if (field.list === null) return all.map((text) => convert(field, text))
  const { kind, items, rest } = field.list
  const present = dropBlank ? all.filter((text) => !isBlank(field, text)) : all
  if (present.length === 0) return undefined
  const values = present.map((text, index) => {
    const item = items[index] ?? rest
    return item === null ? text : convert(item, text)
  })
  return kind === 'set' ? new Set(values) : values
}

/** Whether the text counts as absent where blank ones do. */
function isBlank(field: FieldPlan, text: string): boolean {
  return text === '' && !field.text
}

/** The value that the text means; the text itself where it means none, for the schema to refuse. */
function convert(field: FieldPlan, text: string): unknown {
  return field.read(text) ?? text
}

/** A field that can hold several values gets one for each field line: commas are not split. */
function headerTexts(request: HttpRequest, name: string, field: FieldPlan | undefined): Texts {
  if (field?.several !== true) return request.header(name)
  const lines = request.headerLines(name)
  return lines.length > 1 ? lines : lines[0]
}

function without(query: QueryRecord, names: readonly string[]): QueryRecord {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))
}
