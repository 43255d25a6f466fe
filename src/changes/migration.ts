import { HttpError, ValidationError, type ValidationIssue } from '../http/errors.ts'
import { toRecord, type Awaitable } from '../base/values.ts'
import {
  RequestExtra,
  type MigrationExtra,
  type ResolvedRoute,
  type VersionAdapter,
  type StreamMigration,
} from '../routes/resolved-route.ts'
import { findResponse, defOf, childrenOf, type ResponseKey, type Schema } from '../schema/schema.ts'
import { namedType } from '../schema/body-types.ts'
import type { DeclaredSource, SourceName } from '../schema/sources.ts'
import { createConvertLinks } from './operations/links.ts'
import { createConvertHeaders, type SourceConverter, type toHeaders } from './operations/parameters.ts'
import type { AppliedOperation } from './operations/operation.ts'
import {
  MigrationError,
  RefusedError,
  createTracking,
  type Plan,
  type Converter,
  type Extra,
} from './convert/converter.ts'
import type { Plans } from './convert/plans.ts'
import { withLoads } from './convert/loading.ts'
import {
  createProblemBefore,
  bodyBefore,
  bodyChanges,
  createBodyDown,
  type ErrorsBefore,
  type BodyChange,
} from './operations/bodies.ts'

interface Parts {
  readonly route: ResolvedRoute
  readonly level: number
  readonly plans: Plans
  /** The operations, newest first. */
  readonly applied: readonly AppliedOperation[]
  readonly errors: ErrorsBefore
  readonly headers: ReturnType<typeof toHeaders>
  readonly converters: ReadonlyMap<SourceName, SourceConverter>
  /** The sources before models are converted. */
  readonly sources: readonly DeclaredSource[]
  /** The ids of the changes without which the route would have another address. */
  readonly address: readonly string[]
}

/** Creates what converts the requests and results of a route in an older version. */
export function createMigration({
  route,
  level,
  plans,
  applied,
  errors,
  headers,
  converters,
  sources,
  address,
}: Parts): Omit<VersionAdapter, 'shownPattern'> {
  const found = new Map<ResponseKey, ResponseConverter>()
  const responses = new Map<ResponseKey, Schema>()
  for (const [status, newest] of route.responses) {
    const bodies = bodyChanges(status, applied)
    const schema = bodyBefore(newest, bodies) ?? newest
    const plan = plans.planOf(schema, level)
    found.set(status, toResponseConverter({ schema, plan, bodies }, level, plans))
    responses.set(status, plan?.wire ?? schema)
  }
  const other = route.isOneResponse ? found.get(route.status) : undefined
  const converterAt = (status: number): ResponseConverter | undefined => findResponse(found, status) ?? other
  const statuses = statusesOf(applied, route)
  const problemBefore = createProblemBefore(errors)
  const convertHeaders = createConvertHeaders(headers, createConvertLinks(converters.get('query')))
  return {
    responses,
    up: createUp({ route, sources }, level, plans, converters),
    down: (status, data, extra) => {
      const response = converterAt(status)
      if (data === undefined || (data === null && response?.contentType === undefined)) return data
      return response === undefined ? data : convertDown(route, response, data, extra)
    },
    stream: convertStream(route, level, plans),
    isAltered: (source) => converters.has(source),
    isConverted: (status) => converterAt(status)?.down !== undefined,
    contentTypeOf: (status) => converterAt(status)?.contentType,
    isParsedFirst: (status) => converterAt(status)?.isParsedFirst === true,
    statusOf: (status) => statuses.get(status)?.was ?? status,
    tracking: createTracking(address, (status) => statuses.get(status)?.change),
    convertHeaders: convertHeaders && blaming(route, convertHeaders),
    problemBefore: problemBefore && blaming(route, problemBefore),
    hasOlderHead:
      problemBefore !== undefined ||
      convertHeaders !== undefined ||
      [...statuses].some(([newest, { was }]) => newest !== was),
  }
}

/** The same function, whose errors name the route and the change that fails. */
function blaming<A extends readonly unknown[], R>(
  route: ResolvedRoute,
  convert: (...args: A) => R,
): (...args: A) => R {
  return (...args) => {
    try {
      return convert(...args)
    } catch (error) {
      throw failed(route, error)
    }
  }
}

/** Creates the function that converts the sources of a request. */
function createUp(
  { route, sources }: Pick<Parts, 'route' | 'sources'>,
  level: number,
  plans: Plans,
  converters: ReadonlyMap<SourceName, SourceConverter>,
): VersionAdapter['up'] {
  const convertAll = (
    input: Readonly<Partial<Record<SourceName, unknown>>>,
    extra: Extra,
  ): Record<string, unknown> => {
    const issues: ValidationIssue[] = []
    const made: Record<string, unknown> = {}
    for (const [source, converter] of converters)
      made[source] = convertSource({ route, source, given: input[source], extra }, converter, issues)
    if (issues.length > 0) throw new ValidationError(issues)
    return made
  }
  const isLoading = sources.some(({ schema }) => plans.isLoading(schema, level, 'up'))
  if (!isLoading) return convertAll
  const way = { direction: 'up', orderOf: plans.orderOf } as const
  return async (input, extra) => {
    try {
      return await withLoads(extra, RequestExtra.siteOf(extra), way, (own) => convertAll(input, own))
    } catch (error) {
      throw error instanceof MigrationError ? failed(route, error) : error
    }
  }
}

/** @throws `Error` with the change that fails */
function convertDown(
  route: ResolvedRoute,
  { down, loads }: ResponseConverter,
  data: unknown,
  extra: MigrationExtra,
): Awaitable<unknown> {
  try {
    if (loads === undefined) return down === undefined ? data : down(data, extra)
    return loads(data, extra).then(undefined, (error) => {
      throw failed(route, error)
    })
  } catch (error) {
    throw failed(route, error)
  }
}

/** A schema that is sent, before models in it are converted. */
interface Sent {
  readonly schema: Schema
  readonly plan: Plan | undefined
  readonly bodies: readonly BodyChange[]
}

function toResponseConverter({ schema, plan, bodies }: Sent, level: number, plans: Plans): ResponseConverter {
  const whole = bodies.length > 0 ? createBodyDown(bodies) : undefined
  const contentType = whole && { named: namedType(schema) }
  const isLoading = plans.isLoading(schema, level, 'down')
  if (plan === undefined || !isLoading) {
    const down = joined(whole, plan?.down)
    // functions of whole bodies get what the newest schema makes of a result
    const isParsedFirst = whole !== undefined || (plan !== undefined && isCompleted(schema, new Set()))
    return { down, isParsedFirst, loads: undefined, contentType }
  }
  const way = { direction: 'down', orderOf: plans.orderOf } as const
  return {
    down: plan.down,
    // data is loaded for results that are right
    isParsedFirst: true,
    loads: (data, extra) => {
      const made = whole === undefined ? data : whole(data, extra)
      return withLoads(extra, RequestExtra.siteOf(extra), way, (own) => plan.down(made, own))
    },
    contentType,
  }
}

/** One conversion after the other. */
function joined(first: Converter | undefined, second: Converter | undefined): Converter | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return (value, extra) => second(first(value, extra), extra)
}

/** How the events or items of a route are converted, or `undefined` if no change reaches them. */
function convertStream(route: ResolvedRoute, level: number, plans: Plans): StreamMigration | undefined {
  const { stream } = route
  if (stream === undefined) return undefined
  const found = new Map<string, ResponseConverter>()
  const schemas = new Map(stream.schemas)
  for (const [name, schema] of stream.schemas) {
    const plan = plans.planOf(schema, level)
    if (plan === undefined) continue
    found.set(name, toResponseConverter({ schema, plan, bodies: [] }, level, plans))
    schemas.set(name, plan.wire)
  }
  if (found.size === 0) return undefined
  return {
    older: { ...stream, schemas },
    down: (name, data, extra) => {
      const item = found.get(name)
      return item === undefined || data === undefined || data === null
        ? data
        : convertDown(route, item, data, extra)
    },
    isParsedFirst: (name) => found.get(name)?.isParsedFirst === true,
  }
}

/** A declared response, event or item. */
interface ResponseConverter {
  /** `undefined` if no change reaches it. */
  readonly down: Converter | undefined
  /** Whether functions of changes receive results after the newest schema parsed them. */
  readonly isParsedFirst: boolean
  /** The conversion, if changes load data for it. */
  readonly loads: ((data: unknown, extra: MigrationExtra) => Promise<unknown>) | undefined
  /** The media type that the older schema names, if the whole body is another one. */
  readonly contentType: { readonly named: string | undefined } | undefined
}

interface Given {
  readonly route: ResolvedRoute
  readonly source: SourceName
  readonly given: unknown
  readonly extra: Extra
}

function convertSource(given: Given, converter: SourceConverter, issues: ValidationIssue[]): unknown {
  const { source, given: sent, extra: told } = given
  const { plan, names, whole, shown } = converter
  const extra = source === 'params' ? withoutNames(told) : told
  let renamed
  try {
    renamed = names === undefined ? sent : renameSource(names, sent, extra)
  } catch (error) {
    return refuse(error, given, NOTHING_RENAMED, issues)
  }
  const count = told.loading?.count
  try {
    const made = plan === undefined ? renamed : plan.up(renamed, extra)
    if (source === 'params' && plan !== undefined) return toParams(sent, made, plan)
    // models in it may wait for data
    return whole === undefined || told.loading?.count !== count
      ? made
      : convertWhole(whole, sent, made, extra)
  } catch (error) {
    return refuse(error, given, shown, issues)
  }
}

/** Renames once, because what waits for data is found again by its object. */
function renameSource(names: Converter, sent: unknown, extra: Extra): unknown {
  const rename = (): unknown => names(sent, extra)
  return extra.loading?.keep(names, Object(sent), rename) ?? rename()
}

/** Notes what the client sent wrong. @throws `Error` with the change for anything else */
function refuse(
  error: unknown,
  { route, source }: Given,
  nameOf: SourceConverter['shown'],
  issues: ValidationIssue[],
): undefined {
  if (!(error instanceof RefusedError)) throw failed(route, error)
  for (const { code, message, path } of error.issues) {
    const keys = [...error.path, ...path].map((key) => (typeof key === 'number' ? key : String(key)))
    const [first = ''] = keys
    const shownKeys = nameOf.has(first) ? [nameOf.get(first) ?? [], keys.slice(1)].flat() : keys
    issues.push({ in: source, path: shownKeys, code, message })
  }
}

/** Converts a whole body once, though sources are converted again while others wait for data. */
function convertWhole(whole: Converter, given: unknown, made: unknown, extra: Extra): unknown {
  const convert = (): unknown => whole(made, extra)
  return extra.loading?.keep(whole, Object(given), convert) ?? convert()
}

const NOTHING_RENAMED: SourceConverter['shown'] = new Map()

/** The path parameters that were made, and those that no schema reads. */
function toParams(given: unknown, made: unknown, { names }: Plan): object {
  const params = { ...toRecord(given) }
  for (const name of names?.values() ?? []) delete params[name]
  return { ...params, ...toRecord(made) }
}

/** Path parameters have names in documents alone, so that another name alters no request. */
function withoutNames({ request, state, loading, altered }: Extra): Extra {
  return {
    request,
    state,
    loading,
    altered: altered && ((change, isName = false) => (isName ? undefined : altered(change))),
  }
}

/** Names the route that cannot be served, and the change. The error itself is its cause. */
function failed({ label }: ResolvedRoute, error: unknown): Error {
  // what loads data may refuse the request
  if (error instanceof HttpError) return error
  const change = error instanceof MigrationError ? error.change : undefined
  return new Error(
    `${label} cannot be served in this version${change === undefined ? '' : ` because of the change "${change}"`}`,
    { cause: error },
  )
}

/** Whether a schema completes values, so that functions of changes have to see what it makes of them. */
function isCompleted(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  return (
    COMPLETING.has(defOf(schema).type) || childrenOf(schema).some((child) => isCompleted(child.schema, seen))
  )
}

const COMPLETING = new Set(['default', 'prefault', 'catch', 'pipe', 'transform'])

/** An older status, and the change that says so. */
interface OlderStatus {
  readonly was: number
  readonly change: string
}

/** The older statuses by the newest ones. What the oldest of the operations says counts. */
function statusesOf(
  applied: readonly AppliedOperation[],
  route: ResolvedRoute,
): ReadonlyMap<number, OlderStatus> {
  const statuses = new Map<number, OlderStatus>()
  for (const { response, status, change } of applied) {
    if (status !== undefined) statuses.set(route.status, { was: status.was, change: change.id })
    for (const [newest, { was }] of Object.entries(response?.status ?? {}))
      statuses.set(Number(newest), { was, change: change.id })
  }
  return statuses
}
