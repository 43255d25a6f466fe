import { HttpError, ValidationError, type ValidationIssue } from '../http/errors.ts'
import { isPromise, toRecord, type Awaitable } from '../base/values.ts'
import type { BodyLayer, LayerExtra, ResolvedRoute, VersionLayer } from '../routes/resolved-route.ts'
import { findResponse } from '../schema/schema.ts'
import type { DeclaredSource, SourceName } from '../schema/sources.ts'
import { createToOlder, isLoadingIn, type BodyConversion } from './operations/body-layer.ts'
import { createConvertLinks } from './operations/links.ts'
import { createConvertHeaders, type SourceConverter, type toHeaders } from './operations/parameters.ts'
import type { AppliedOperation } from './operations/operation.ts'
import { MigrationError, RefusedError, createExtra, reportAltered, type Extra } from './convert/converter.ts'
import type { Plans } from './convert/plans.ts'
import { withLoads } from './convert/loading.ts'
import { createInputUp, type InputChange } from './operations/whole-input.ts'
import { createPagedLayer, pagedOperation, PAGED_STATUS } from './operations/paged.ts'
import { bodyChanges, wasSchemas } from './operations/bodies.ts'
import { createProblemBefore, type ErrorsBefore, type problemsBefore } from './operations/errors.ts'

/** The inputs for the layer of a version of a route. */
interface LayerParts {
  readonly route: ResolvedRoute
  /** The number of changes that the version lacks. */
  readonly age: number
  readonly plans: Plans
  /** The operations, newest first. */
  readonly applied: readonly AppliedOperation[]
  readonly errors: ErrorsBefore
  readonly problems: ReturnType<typeof problemsBefore>
  readonly headers: ReturnType<typeof toHeaders>
  readonly statuses: ReadonlyMap<number, StatusBefore>
  readonly request: RequestState
  /** The ids of the changes without which the route would have another address. */
  readonly address: readonly string[]
}

/** The requests of a route in an older version. */
export interface RequestState {
  readonly converters: ReadonlyMap<SourceName, SourceConverter>
  /** The operations that describe input as a whole, oldest first, and the state into which each converts its sources. */
  readonly inputs: readonly { readonly own: InputChange; readonly newer: Omit<RequestState, 'inputs'> }[]
  readonly pattern: ResolvedRoute['pattern']
  readonly sources: readonly DeclaredSource[]
  /** The sources before models are converted. */
  readonly before: readonly DeclaredSource[]
}

/** Creates the layer of a route for an older version. */
export function createVersionLayer(parts: LayerParts): VersionLayer {
  const { route, age, plans, applied, errors, problems, headers, request, statuses, address } = parts
  const { converters } = request
  const hasFunctions = headers.some(({ downs }) => downs.length > 0)
  const { paged, toList } = createPages(parts)
  const responses = new Map(
    [...route.responses].map(([key, schema]) => {
      const own = toBodyLayer(route, createToOlder(schema, bodyChanges(key, applied), age, plans))
      const toOlder = key === PAGED_STATUS && paged?.isReplaced === true ? toList(own.toOlder) : own.toOlder
      return [key, toSeen({ ...own, toOlder }, hasFunctions)]
    }),
  )
  const only = route.isOneResponse ? responses.get(route.status) : undefined
  const problem = createProblemBefore(errors, problems)
  const convertHeaders = createConvertHeaders(headers, createConvertLinks(converters.get('query')))
  return {
    sources: new Set(converters.keys()),
    toNewest: createToNewest(parts),
    response: (status) =>
      typeof status === 'number' ? (findResponse(responses, status) ?? only) : responses.get(status),
    items: toItems(route, age, plans),
    events: eventsBefore(applied),
    problem:
      problem &&
      ((body, status, extra) => convertOf(route, extra, (own) => problem(body, status, own, extra))),
    status: toStatus(statuses),
    headers:
      convertHeaders && ((found, extra) => convertOf(route, extra, (own) => convertHeaders(found, own))),
    paged,
    address,
  }
}

interface Pages {
  readonly paged: VersionLayer['paged']
  /** Has lists that were joined of older pages converted from the version of those. */
  readonly toList: (toOlder: BodyLayer['toOlder']) => BodyLayer['toOlder']
}

/** Creates what reads all pages of a list. Its functions get pages of the version of its change. */
function createPages({ route, age, plans, applied }: LayerParts): Pages {
  const operation = pagedOperation(applied)
  const newest = route.responses.get(PAGED_STATUS)
  if (operation === undefined || newest === undefined) return { paged: undefined, toList: (own) => own }
  const bodies = bodyChanges(PAGED_STATUS, applied)
  const index = bodies.findIndex(({ change }) => change === operation.change)
  const time = plans.timeOf(plans.orderOf(operation))
  const { toOlder: toPage } = toBodyLayer(route, createToOlder(newest, bodies.slice(0, index), time, plans))
  const paged = createPagedLayer(route, operation, { toPage, isReplaced: index > 0 })
  const rest = createToOlder(operation.paged.now, bodies.slice(index), age, plans, time)
  const { toOlder: toList } = toBodyLayer(route, rest)
  return {
    paged,
    toList: (own) => (data, extra) => (paged?.isJoined(data) === true ? toList : own)?.(data, extra),
  }
}

/** A body that functions of headers see as well. */
function toSeen(body: BodyLayer, hasFunctions: boolean): BodyLayer {
  return hasFunctions ? { ...body, isSeen: true, isParsedFirst: true } : body
}

/** Runs a conversion, whose errors name the route and the change that fails. */
function convertOf<T>(
  route: ResolvedRoute,
  extra: LayerExtra,
  convert: (own: Extra) => Awaitable<T>,
): Awaitable<T> {
  const own = createExtra(extra)
  const settle = (made: T): T => {
    reportAltered(own, extra)
    return made
  }
  const fail = (error: unknown): never => {
    throw failed(route, error)
  }
  try {
    const made = convert(own)
    return isPromise(made) ? made.then(settle, fail) : settle(made)
  } catch (error) {
    return fail(error)
  }
}

/** The events or items of a route that changes reach. */
function toItems(route: ResolvedRoute, age: number, plans: Plans): VersionLayer['items'] {
  const items = new Map<string, BodyLayer>()
  for (const [name, schema] of route.stream?.schemas ?? [])
    if (plans.planOf(schema, age) !== undefined)
      items.set(name, toBodyLayer(route, createToOlder(schema, [], age, plans)))
  return items
}

/** A body whose errors name the route and the change that fails. A value that is not there is not converted. */
export function toBodyLayer(route: Pick<ResolvedRoute, 'label'>, conversion: BodyConversion): BodyLayer {
  const { schema, toOlder, isParsedFirst, isSeen, contentType } = conversion
  const body = { schema, toOlder: undefined, isParsedFirst, isSeen, contentType }
  if (toOlder === undefined) return body
  const fail = (error: unknown): never => {
    throw failed(route, error)
  }
  // in a function of its own: a closure would cost every response
  const reportLater = (made: PromiseLike<unknown>, own: Extra, extra: LayerExtra): PromiseLike<unknown> =>
    made.then((settled) => report(settled, own, extra), fail)
  const convert: BodyLayer['toOlder'] = (data, extra) => {
    if (data === undefined || (data === null && contentType === undefined)) return data
    const own = createExtra(extra)
    try {
      const made = toOlder(data, own, extra)
      return isPromise(made) ? reportLater(made, own, extra) : report(made, own, extra)
    } catch (error) {
      return fail(error)
    }
  }
  return { ...body, toOlder: convert }
}

function report(made: unknown, own: Extra, extra: LayerExtra): unknown {
  reportAltered(own, extra)
  return made
}

/** Creates the function that converts the sources of a request. */
function createToNewest(parts: LayerParts): VersionLayer['toNewest'] {
  const { route, age, plans, applied, request } = parts
  const convert = createConvertSources(request, route)
  const convertAll = (input: Input, extra: Extra): Record<string, unknown> => {
    const issues: ValidationIssue[] = []
    const made = convert(input, extra, issues)
    if (issues.length > 0) throw new ValidationError(issues)
    return made
  }
  const schemas = [
    ...[...request.before, ...route.sources].map(({ schema }) => schema),
    ...wasSchemas(applied.map((operation) => ({ operation }))),
  ]
  const isLoading = isLoadingIn(schemas, bodyChanges('body', applied), age, 'up', plans)
  if (!isLoading)
    return (input, extra) => {
      const own = createExtra(extra)
      const made = convertAll(input, own)
      reportAltered(own, extra)
      return made
    }
  const way = { direction: 'up', orderOf: plans.orderOf } as const
  return async (input, extra) => {
    const own = createExtra(extra)
    try {
      const made = await withLoads(own, extra, way, (loading) => convertAll(input, loading))
      reportAltered(own, extra)
      return made
    } catch (error) {
      throw error instanceof MigrationError ? failed(route, error) : error
    }
  }
}

type Input = Readonly<Partial<Record<SourceName, unknown>>>

/** Creates the conversion of sources. While something in them waits for data, what is made is not complete. */
function createConvertSources(
  { converters, inputs }: RequestState,
  route: ResolvedRoute,
): (input: Input, extra: Extra, issues: ValidationIssue[]) => Record<string, unknown> {
  const ups = inputs.map(({ own, newer }) => ({
    up: createInputUp(own, newer),
    own: own.sources.flatMap((source) => {
      const converter = newer.converters.get(source)
      return converter === undefined ? [] : [[source, converter] as const]
    }),
  }))
  const convertEach = (
    own: Iterable<readonly [SourceName, SourceConverter]>,
    input: Input,
    extra: Extra,
    issues: ValidationIssue[],
  ): Record<string, unknown> => {
    const made: Record<string, unknown> = {}
    for (const [source, converter] of own)
      made[source] = convertSource({ route, source, given: input[source], extra }, converter, issues)
    return made
  }
  if (ups.length === 0) return (input, extra, issues) => convertEach(converters, input, extra, issues)
  return (input, extra, issues) => {
    const count = extra.loading?.count
    const made = convertEach(converters, input, extra, issues)
    for (const { up, own } of ups) {
      // models in it may wait for data
      if (issues.length > 0 || extra.loading?.count !== count) return made
      const run = (): Input => upOrFail(route, () => up(made, extra, issues))
      // once, because what waits for data is found again by its object
      const newer = extra.loading?.keep(up, up, run) ?? run()
      Object.assign(made, newer)
      if (issues.length === 0) Object.assign(made, convertEach(own, newer, extra, issues))
    }
    return made
  }
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
    renamed = names === undefined ? sent : names(sent, extra)
  } catch (error) {
    return refuse(error, given, NOTHING_RENAMED, issues)
  }
  try {
    if (whole !== undefined) return whole(renamed, extra)
    const made = plan === undefined ? renamed : plan.up(renamed, extra)
    if (source === 'params' && plan !== undefined) {
      // path parameters that no schema reads stay
      const params = { ...toRecord(sent) }
      for (const name of plan.names?.values() ?? []) delete params[name]
      return { ...params, ...toRecord(made) }
    }
    return made
  } catch (error) {
    return refuse(error, given, shown, issues)
  }
}

function upOrFail<T>(route: ResolvedRoute, up: () => T): T {
  try {
    return up()
  } catch (error) {
    throw failed(route, error)
  }
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

const NOTHING_RENAMED: SourceConverter['shown'] = new Map()

/** Path parameters have names in documents alone, so that another name alters no request. */
function withoutNames({ request, state, loading, keeper, altered }: Extra): Extra {
  return {
    request,
    state,
    loading,
    keeper,
    altered: altered && ((change, isName = false) => (isName ? undefined : altered(change))),
  }
}

/** Names the route that cannot be served, and the change. The error itself is its cause. */
function failed({ label }: Pick<ResolvedRoute, 'label'>, error: unknown): Error {
  // what loads data may refuse the request
  if (error instanceof HttpError) return error
  const change = error instanceof MigrationError ? error.change : undefined
  return new Error(
    `${label} cannot be served in this version${change === undefined ? '' : ` because of the change "${change}"`}`,
    { cause: error },
  )
}

/** The number that a version has for a status of the newest one, and the change that says so. */
export interface StatusBefore {
  readonly was: number
  readonly change: string
}

/** The older statuses by the newest ones. What the oldest of the operations says counts. */
export function statusesBefore(
  applied: readonly AppliedOperation[],
  route: ResolvedRoute,
): ReadonlyMap<number, StatusBefore> {
  const statuses = new Map<number, StatusBefore>()
  for (const { response, status, change } of applied) {
    if (status !== undefined) statuses.set(route.status, { was: status.was, change: change.id })
    for (const [newest, { was }] of Object.entries(response?.status ?? {}))
      statuses.set(Number(newest), { was, change: change.id })
  }
  return statuses
}

/** The older names of events by the newest ones. What the oldest of the operations says counts. */
function eventsBefore(applied: readonly AppliedOperation[]): VersionLayer['events'] {
  return new Map(
    applied.flatMap(({ events = {}, change }) =>
      Object.entries(events).map(([newest, { was }]) => [newest, { was, change: change.id }] as const),
    ),
  )
}

function toStatus(statuses: ReadonlyMap<number, StatusBefore>): VersionLayer['status'] {
  if ([...statuses].every(([newest, { was }]) => was === newest)) return undefined
  return (newest, extra) => {
    const { was, change } = statuses.get(newest) ?? { was: newest, change: '' }
    if (was !== newest) extra.altered?.(change)
    return was
  }
}
