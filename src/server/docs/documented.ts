import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import { historyCodeOf } from '../../routes/resolved-route.ts'
import type { ErrorFormat } from '../../define/error-format.ts'
import type {
  DocumentedFormat,
  DocumentedRoute,
  DocumentedVersion,
  Parameter,
  Contract,
  ContractRoute,
} from '../../openapi/document/types.ts'
import { METHODS, headerName, type Method } from '../../http/http.ts'
import type { PathShape } from '../../router/node.ts'
import { selectorOf, staticDefault, writeVersion, type Versioning } from '../../versioning/versioning.ts'
import { createSelect, isVersioned } from '../../versioning/version.ts'
import type { Settings } from '../options/settings.ts'
import type { Table, TableRoute } from '../routing/table/table.ts'
import { byKnown } from '../routing/table/lifetimes.ts'
import type { RouteCall, RouteMap } from '../../client/route-map.ts'
import { documentedOf } from '../../define/layers.ts'
import { acceptsBytes, acceptsData, acceptsText } from '../../schema/accepts.ts'
import { defOf, type Schema } from '../../schema/schema.ts'
import { codesIn, formTypes, isProblemSchema, namedType } from '../../schema/body-types.ts'
import { isTextSchema, UNNAMED } from '../../schema/route-schemas.ts'
import { toTemplate } from '../../openapi/document/wire.ts'
import type { Generator } from '../../openapi/document/generate.ts'

/** The parts that documents are made from. */
export interface DocumentSource {
  readonly table: Table
  readonly versioning: Versioning | undefined
  readonly modules: readonly ModuleNode[]
  readonly settings: Pick<Settings, 'docs' | 'errorFormat' | 'layers' | 'log' | 'trailingSlash'>
}

/** The routes that answer a method at a shape: in each version, and where a request names none. */
interface ShapeRoutes {
  readonly method: Method
  readonly isOpted: boolean
  /** The route that answers without a version, when no function chooses one. */
  readonly withoutVersion: TableRoute | undefined
  readonly isChosen: boolean
  readonly inVersion: (version: string) => TableRoute | undefined
}

/** Which routes count: those that documents show, or all. */
export type Which = 'shown' | 'all'

const known = new WeakMap<Table, Map<Which, readonly DocumentedVersion[]>>()

/**
 * Returns the routes of each version, oldest first, and last, with the version `null`, those that only a request without version gets;
 * without versioning that is everything. Worked out once for a table, which never changes.
 */
export function toDocumentedVersions(source: RouteMapSource, which: Which): readonly DocumentedVersion[] {
  const { table } = source
  const lists = known.get(table) ?? new Map<Which, readonly DocumentedVersion[]>()
  known.set(table, lists)
  const list =
    lists.get(which) ?? listVersions(source, ({ includeInSchema }) => which === 'all' || includeInSchema)
  lists.set(which, list)
  return list
}

function listVersions(
  { table, versioning, settings }: RouteMapSource,
  isShown: (route: ResolvedRoute) => boolean,
): readonly DocumentedVersion[] {
  const { lifetimes } = table
  const { list } = table.known
  const answers = table.shapes.flatMap((shape) => answersAt(shape, table, versioning, isShown))
  const policies = byKnown(versioning?.policies ?? [], table.known)
  const versions = list.map((version): DocumentedVersion => {
    let routes: DocumentedVersion['routes'] | undefined
    const isElsewhere = table.known.isElsewhere(version)
    return {
      version,
      // there may be many versions, and few are asked for
      get routes() {
        const pick = ({ inVersion }: ShapeRoutes): TableRoute | undefined => inVersion(version)
        return (routes ??= isElsewhere ? [] : gather(answers, table, version, pick))
      },
      errorFormat: formatIn(version, versioning, settings.errorFormat),
      lifetime: lifetimes.ofVersion(version),
      policy: policies.get(version),
      isElsewhere,
    }
  })
  const isInVersion = ({ withoutVersion, inVersion }: ShapeRoutes): boolean =>
    withoutVersion === undefined || list.some((version) => inVersion(version) === withoutVersion)
  const rest = gather(answers, table, null, (each) => (isInVersion(each) ? undefined : each.withoutVersion))
  const unversioned = {
    version: null,
    routes: rest,
    errorFormat: settings.errorFormat,
    lifetime: undefined,
    policy: undefined,
    isElsewhere: false,
  }
  return versions.length > 0 && rest.length === 0 ? versions : [...versions, unversioned]
}

/** The format of errors in a version, or `undefined` for problem documents. */
function formatIn(
  version: string,
  versioning: Versioning | undefined,
  format: ErrorFormat | undefined,
): DocumentedFormat | undefined {
  const older = historyCodeOf(versioning?.history)?.errorsBefore(format?.schema)?.(version, 400)
  if (older === undefined) return format
  const { schema, contentType } = older
  return {
    schema,
    contentType:
      contentType === undefined ? (format?.contentType ?? JSON_TYPE) : (contentType.named ?? JSON_TYPE),
  }
}

const JSON_TYPE = 'application/json'

function answersAt(
  shape: PathShape<TableRoute>,
  { defaultVersion, defaultAt }: Table,
  versioning: Versioning | undefined,
  isShown: (route: ResolvedRoute) => boolean,
): readonly ShapeRoutes[] {
  const isOpted = isVersioned(shape.routes)
  const needsVersion = isOpted && versioning?.common.required === true
  const isChosen = isOpted && typeof versioning?.defaultVersion === 'function'
  return METHODS.flatMap((method): readonly ShapeRoutes[] => {
    const candidates = shape.routes.filter(({ endpoints }) => endpoints.has(method))
    if (candidates.length === 0) return []
    const select = createSelect(candidates)
    const shown = (version: string | null, unversioned: boolean): TableRoute | undefined =>
      select(version, { unversioned, neutral: true }).find(({ route }) => isShown(route))
    return [
      {
        method,
        isOpted,
        withoutVersion: needsVersion ? undefined : shown(defaultAt(shape.routes), true),
        isChosen,
        inVersion: (version) => shown(version, !isOpted || version === defaultVersion),
      },
    ]
  })
}

/** The routes that are picked, each with its methods, in the order of their definition. */
function gather(
  answers: readonly ShapeRoutes[],
  { rows, lifetimes, defaultVersion, withoutSegment }: Table,
  version: string | null,
  pick: (answers: ShapeRoutes) => TableRoute | undefined,
): readonly DocumentedRoute[] {
  const found = new Map<TableRoute, Map<DocumentedRoute['naming'], Method[]>>()
  for (const each of answers) {
    const row = pick(each)
    if (row === undefined) continue
    const naming = withoutSegment.has(row.route) ? 'none' : namingOf(each, row, version)
    const named = found.get(row) ?? new Map<DocumentedRoute['naming'], Method[]>()
    found.set(row, named.set(naming, [...(named.get(naming) ?? []), each.method]))
  }
  return rows.flatMap((row): readonly DocumentedRoute[] => {
    const [endpoint] = row.endpoints.values()
    return [...(found.get(row) ?? [])].map(([naming, methods]) => {
      // a request that names no version is one in the default version
      const asked = naming === 'none' ? defaultVersion : version
      const lifetime = endpoint === undefined ? undefined : lifetimes.of(endpoint, asked)
      return { route: row.route, methods, naming, lifetime }
    })
  })
}

function namingOf(
  { isOpted, withoutVersion, isChosen }: ShapeRoutes,
  row: TableRoute,
  version: string | null,
): DocumentedRoute['naming'] {
  if (!isOpted || version === null) return 'none'
  return row === withoutVersion && !isChosen ? 'optional' : 'required'
}

/** The description of a client. */
interface RouteMapOptions {
  /** The host that it reaches the application by, which HOST versioning changes. */
  readonly host: string
  /** Which routes are told. */
  readonly which: Which
}

/** A route, and the version that requests to it have to name. */
interface VersionedRoute {
  readonly entry: DocumentedRoute
  readonly version: string | undefined
}

type RouteMapSource = Pick<DocumentSource, 'table' | 'versioning' | 'settings'>

/**
 * How a client calls the routes of a version by their names, or, without one, those that answer requests that name none; `undefined`
 * for an unknown version.
 *
 * @throws `TypeError` when the scheme cannot write the version into the host.
 */
export function toRouteMap(
  source: RouteMapSource,
  version: string | undefined,
  { host, which }: RouteMapOptions,
): RouteMap | undefined {
  const visible = visibleRoutes(source, version, which)
  if (visible === undefined) return undefined
  const routes: Record<string, RouteCall> = Object.create(null)
  for (const each of visible.routes)
    routes[each.entry.route.name] ??= toRouteCall(each, visible.errorFormat !== undefined, source, host)
  const { version: own, errorFormat } = visible
  return { version: own, routes, ...(errorFormat && { errorType: errorFormat.contentType }) }
}

interface VisibleRoutes extends Pick<DocumentedVersion, 'version' | 'errorFormat'> {
  readonly routes: readonly VersionedRoute[]
}

/** The routes that clients of a version are told, or those of no version, or `undefined` for an unknown version. */
function visibleRoutes(
  source: RouteMapSource,
  version: string | undefined,
  which: Which,
): VisibleRoutes | undefined {
  const { table, versioning } = source
  // without versioning every client gets everything, as `urlFor` does
  const wanted = versioning === undefined ? undefined : version
  const found = wanted === undefined ? undefined : table.known.find(wanted)
  if (wanted !== undefined && found === undefined) return undefined
  const versions = toDocumentedVersions(source, which)
  const routes =
    found === undefined ? callsWithoutVersion(versions, source) : callsIn(versions, found, source)
  const answering = found ?? staticDefault(versioning, table.known)
  const { errorFormat } = versions.find((each) => each.version === answering) ?? source.settings
  return { version: found ?? null, routes, errorFormat }
}

/** Returns the routes of requests in a version. The version is written where the path is one that knows versions. */
function callsIn(
  versions: readonly DocumentedVersion[],
  version: string,
  { table }: RouteMapSource,
): readonly VersionedRoute[] {
  const entries = versions.find((each) => each.version === version)?.routes ?? []
  const neutral = new Set(table.rows.filter(({ spec }) => spec.neutral).map(({ route }) => route))
  return entries.map((entry) => ({
    entry,
    version:
      table.withoutSegment.has(entry.route) || (entry.naming === 'none' && !neutral.has(entry.route))
        ? undefined
        : version,
  }))
}

/** Returns the routes of requests without a version; where a function chooses for each, the newest version tells what there is. */
function callsWithoutVersion(
  versions: readonly DocumentedVersion[],
  { table, versioning }: RouteMapSource,
): readonly VersionedRoute[] {
  const isChosen = typeof versioning?.defaultVersion === 'function' && !versioning.common.required
  // a route that moved has a default at each of its paths
  const isOldest = selectorOf(versioning, table.known) === 'oldest'
  const ordered = isOldest
    ? versions.toSorted((a, b) => Number(b.version === null) - Number(a.version === null))
    : versions.toReversed()
  return ordered
    .flatMap(({ routes }) => routes.filter(({ naming }) => isChosen || naming !== 'required'))
    .map((entry) => ({ entry, version: undefined }))
}

function toRouteCall(
  { entry, version }: VersionedRoute,
  hasFormat: boolean,
  { versioning }: RouteMapSource,
  host: string,
): RouteCall {
  const { route, methods } = entry
  const [method = 'GET', ...others] = route.methods.filter((each) => methods.includes(each))
  const path = toTemplate(route.shownPattern ?? route.pattern, SPELLING)
  const change =
    version === undefined
      ? undefined
      : writeVersion(versioning, version, { path, prefix: route.prefix, host })?.change
  const errors = [...route.responses.keys()].filter((status) => typeof status === 'string' || status >= 400)
  const declared = hasFormat ? [] : route.problems.map(({ code }) => code)
  const problems = [...new Set([...declared, ...problemCodes(route)])]
  return {
    method,
    ...(others.length === 0 ? {} : { others }),
    path,
    ...change,
    ...bodyOfCall(route),
    ...streamOfCall(route),
    ...methodsWithKeys(route),
    ...(errors.length === 0 ? {} : { errors }),
    ...(problems.length === 0 ? {} : { problems }),
  }
}

/** The codes of the responses that are problem documents. */
function problemCodes({ responses }: ResolvedRoute): readonly string[] {
  return [...responses].flatMap(([status, schema]) =>
    namedType(schema) === undefined && isProblemSchema(schema, status) ? codesIn(schema) : [],
  )
}

/** Literal segments as they are sent; a parameter that takes slashes says so. */
const SPELLING = { literal: encodeURIComponent, rest: (name: string): string => `{${name}:path}` }

function streamOfCall({ stream }: ResolvedRoute): Pick<RouteCall, 'events' | 'items'> {
  if (stream === undefined) return {}
  if (stream.kind === 'items') return { items: true }
  const kinds = [...stream.schemas].map(
    ([name, schema]) => [name, isTextSchema(schema) ? 'text' : 'json'] as const,
  )
  return { events: Object.fromEntries(kinds) }
}

/** The methods of requests that can be sent again with a key. */
function methodsWithKeys({ layers, methods }: ResolvedRoute): Pick<RouteCall, 'keys'> {
  const parts = layers.interceptors.map(({ part }) => part)
  const keys = methods.filter((method) =>
    documentedOf(parts, method).some(({ takesKeys }) => takesKeys === true),
  )
  return keys.length === 0 ? {} : { keys }
}

function bodyOfCall({ sources }: ResolvedRoute): Pick<RouteCall, 'body' | 'form' | 'type'> {
  if (sources.some(({ name }) => name === 'files')) return { form: 'multipart' }
  const form = sources.find(({ name }) => name === 'form')?.schema
  if (form !== undefined)
    return formTypes(form).every((type) => type === 'multipart/form-data') ? { form: 'multipart' } : {}
  const schema = sources.find(({ name }) => name === 'body')?.schema
  if (schema === undefined) return {}
  const kind = bodyKindOf(schema)
  const type = namedType(schema)
  return { ...(kind === 'json' ? {} : { body: kind }), ...(type === undefined ? {} : { type }) }
}

function bodyKindOf(schema: Schema): 'json' | 'text' | 'bytes' {
  if (acceptsBytes(schema)) return 'bytes'
  return acceptsText(schema) && !acceptsData(schema) ? 'text' : 'json'
}

/** Returns the requests and responses of a version, or of those that name none, or `undefined` for an unknown version. */
export function toContract(
  source: DocumentSource,
  version: string | undefined,
  made: Pick<Generator, 'conversion' | 'webhooks'>,
): Contract | undefined {
  const visible = visibleRoutes(source, version, 'shown')
  if (visible === undefined) return undefined
  const conversion = made.conversion(visible.version)
  const routes = new Map<string, ContractRoute>()
  for (const { entry } of visible.routes) {
    const { route, methods } = entry
    const converted = conversion.routes.get(route)
    if (converted === undefined || routes.has(route.name)) continue
    routes.set(route.name, {
      name: route.name,
      summary: route.summary,
      deprecated: route.deprecated,
      methods,
      sources: route.sources.map(({ name }) => name),
      parameters: withKeys(converted.parameters, route),
      body: converted.body,
      responses: [...converted.responses].map(([status, { content }]) => [status, content]),
      problems:
        visible.errorFormat === undefined
          ? converted.problems
              .filter(({ problem }) => route.problems.includes(problem))
              .map(({ problem: { code, status }, members }) => ({ code, status, members }))
          : [],
      stream: route.stream && { kind: route.stream.kind, schemas: [...converted.stream] },
      isOneResponse: route.isOneResponse,
    })
  }
  const webhooks = made.webhooks(visible.version).map((documented) => ({
    name: documented.name,
    summary: documented.webhook.summary,
    data: conversion.routes.get(documented)?.stream.get(UNNAMED)?.schema,
  }))
  return {
    version: visible.version,
    routes: [...routes.values()],
    webhooks,
    errors: visible.errorFormat && conversion.errors.get(visible.errorFormat.schema),
    components: conversion.components,
  }
}

/** Headers under the keys that the input of the route has, which clients write. */
function withKeys(parameters: readonly Parameter[], { sources }: ResolvedRoute): readonly Parameter[] {
  const headers = sources.find(({ name }) => name === 'headers')
  if (headers === undefined) return parameters
  const keys = new Map(
    Object.keys(Object(defOf(headers.schema)['shape'])).map((key) => [headerName(key), key]),
  )
  return parameters.map((parameter) =>
    parameter.in === 'header'
      ? { ...parameter, name: keys.get(parameter.name) ?? parameter.name }
      : parameter,
  )
}
