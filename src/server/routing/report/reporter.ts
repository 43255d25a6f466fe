import type { Versioning } from '../../../versioning/versioning.ts'
import {
  isRetired,
  nextBrownout,
  statusAt,
  type Lifetime,
  type Span,
  type VersionStatus,
} from '../../../versioning/policy.ts'
import type { RequestContext } from '../../pipeline/context.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { Table, TableRoute, VersionReport } from '../table/table.ts'
import { createPathLookup } from '../lookup/places.ts'
import { createVersionError } from '../lookup/version-error.ts'
import type { MissAnswer, RouteMatch, VersionMatch } from '../lookup/resolution.ts'
import { addReport, createHeaderWriter } from './headers.ts'
import type { VersionResolved } from '../../../versioning/options.ts'
import { cutVersion, createSelect } from '../../../versioning/version.ts'
import { restoreSlashes } from '../../../router/path/param-types.ts'
import type { Param } from '../../../router/path/pattern.ts'
import { fillPath } from '../table/url-for.ts'

/** Reports to clients and observers which version answers, and when it ends. */
export interface VersionReporter {
  /** Of a request that reached a route. @throws `HttpError` 410 if the version is retired or in a brownout. */
  readonly onMatch: (context: RequestContext, located: RouteMatch, endpoint: Endpoint) => void
  /** Of a request that reached none. */
  readonly onMiss: (context: RequestContext, found: MissAnswer) => void
}

/** The route that answers, for its report. */
interface MatchedRequest {
  readonly located: RouteMatch
  readonly endpoint: Endpoint
  readonly lifetime: Lifetime | undefined
  /** Whether the path has versions. */
  readonly isVersioned: boolean
  /** Whether the version is retired or in a brownout. */
  readonly isRefused: boolean
  readonly brownout: Span | undefined
}

export function createVersionReporter(
  table: Table,
  versioning: Versioning | undefined,
  mode: { readonly strict: boolean },
): VersionReporter | undefined {
  const { lifetimes } = table
  if (versioning === undefined && lifetimes.isEmpty) return undefined
  const { clock = Date.now, report: when = 'errors', echo = false } = versioning?.common ?? {}
  const isLinked = versioning?.path !== undefined && versioning.common.successorLinks
  const versionError = createVersionError(versioning)
  const toReport = createMatchReport(table, versioning, mode)
  /** Whether responses of versions without a policy have a report. */
  const reportsAll = when === 'always' || echo !== false || isLinked

  return {
    onMatch: (context, located, endpoint) => {
      const { resolution, match } = located
      context.spelling = resolution.requested
      const isVersioned = (match.leaf?.shape.versions.length ?? 0) > 0
      const lifetime = lifetimes.isEmpty ? undefined : lifetimes.of(endpoint, resolution.version)
      if (isVersioned)
        context.observer?.matched?.(
          context,
          toResolved(context, resolution, endpoint, statusAt(lifetime, clock())),
        )
      if (lifetime === undefined && !(resolution.isReplaced || (isVersioned && reportsAll))) return
      const { refused, brownout } = standingOf(lifetime, clock)
      const reported = resolution.ended?.lifetime ?? lifetime
      const { write, report } = toReport({
        located,
        endpoint,
        lifetime: reported,
        isVersioned,
        isRefused: refused !== undefined,
        brownout,
      })
      context.writeHeaders = write
      if (refused === undefined) return
      context.isBrownedOut = refused === 'brownout'
      throw versionError(refused, resolution, report, lifetime, brownout && { to: brownout.to, now: clock() })
    },
    onMiss: (context, { report }) => {
      if (report === undefined || when === false) return
      context.writeHeaders = ({ headers }) => addReport(headers, report)
    },
  }
}

/** Why a version does not answer, and its brownout of this moment or else the next one. */
interface Standing {
  readonly refused: 'retired' | 'brownout' | undefined
  readonly brownout: Span | undefined
}

function standingOf(lifetime: Lifetime | undefined, clock: () => number): Standing {
  if (isRetired(lifetime, clock)) return RETIRED
  const brownout = nextBrownout(lifetime, clock)
  if (brownout === undefined) return ANSWERS
  return { refused: clock() >= brownout.from ? 'brownout' : undefined, brownout }
}

const RETIRED: Standing = { refused: 'retired', brownout: undefined }
const ANSWERS: Standing = { refused: undefined, brownout: undefined }

/** The report for a response and its error. */
interface MatchReport {
  readonly write: NonNullable<RequestContext['writeHeaders']>
  readonly report: VersionReport
}

/** Creates the function that assembles the report of a route's response. */
function createMatchReport(
  table: Table,
  versioning: Versioning | undefined,
  mode: { readonly strict: boolean },
): (hit: MatchedRequest) => MatchReport {
  const { clock = Date.now, report: when = 'errors', echo = false } = versioning?.common ?? {}
  const places = createPathLookup(table, mode)
  const writer = createHeaderWriter(versioning)
  const isLinked = versioning?.common.successorLinks === true
  // without policies nothing is retired
  const linkToRoute = isLinked || !table.lifetimes.isEmpty ? createSuccessors(table, versioning) : undefined

  return ({ located, endpoint, lifetime, isVersioned, isRefused, brownout }) => {
    const { version, isReplaced, ended } = located.resolution
    const asked = ended?.version ?? version
    const links =
      asked !== null && linkToRoute !== undefined && (isLinked || isRefused || ended !== undefined)
        ? linkToRoute(endpoint.info.name, asked, valuesOf(endpoint, located), clock())
        : NO_LINKS
    const report =
      isRefused || (isVersioned && when === 'always')
        ? table.lifetimes.report(
            places.all(located).map(({ shape }) => shape),
            clock(),
          )
        : NO_REPORT
    const reported = {
      lifetime,
      brownout,
      links,
      report: when === false ? NO_REPORT : report,
      version: isReplaced || (isVersioned && echo !== false) ? version : null,
    }
    return { write: (response) => writer(response, reported), report }
  }
}

const NO_LINKS: readonly string[] = []
const NO_REPORT: VersionReport = { supported: [], deprecated: [] }

/** The texts of the path parameters, by name. */
function valuesOf({ params }: Endpoint, { match }: RouteMatch): ReadonlyMap<string, string> {
  return new Map(params.map((name, index) => [name, match.values[index] ?? '']))
}

/** Describes the version that answers, for observers. */
function toResolved(
  { method, request }: RequestContext,
  { version, requested }: VersionMatch,
  { info: { name, path } }: Endpoint,
  status: VersionStatus,
): VersionResolved {
  const asked = requested === undefined ? undefined : cutVersion(requested)
  return { version, requested: asked, route: name, method, path, status, request }
}

/**
 * Members of a `Link` header that lead to the same route in newer versions (RFC 5829 section 3.4): `values` are the texts of the path
 * parameters, as they were matched. None where the version is the newest; versions that are retired by `now` are passed over.
 */
type Successors = (
  name: string,
  version: string,
  values: ReadonlyMap<string, string>,
  now: number,
) => readonly string[]

/** A route of some name, and a version in which it answers. */
interface ServedRoute {
  readonly row: TableRoute
  readonly version: string
}

/** Creates the function that links to newer versions. Returns `undefined` if versions have no URLs of their own. */
function createSuccessors(
  { rows, known, lifetimes }: Pick<Table, 'rows' | 'known' | 'lifetimes'>,
  versioning: Versioning | undefined,
): Successors | undefined {
  const path = versioning?.path
  if (path === undefined) return undefined
  const byName = toServed(rows, known.list)

  return (name, version, values, now) => {
    const position = known.list.indexOf(version)
    const newer = (byName.get(name) ?? []).filter(
      (served) => known.list.indexOf(served.version) > position && !isGone(served, now),
    )
    const latest = newer.at(-1)
    const [next] = newer
    if (next === undefined || latest === undefined) return []
    return [...linkTo(next, 'successor-version', values), ...linkTo(latest, 'latest-version', values)]
  }

  function isGone({ row, version }: ServedRoute, now: number): boolean {
    const [endpoint] = row.endpoints.values()
    return endpoint !== undefined && statusAt(lifetimes.of(endpoint, version), now) === 'retired'
  }

  function linkTo(
    { row, version }: ServedRoute,
    rel: string,
    values: ReadonlyMap<string, string>,
  ): readonly string[] {
    const plain = requestPath(row, values)
    if (plain === undefined) return []
    const draft = { path: plain, query: {}, headers: {}, host: '', prefix: row.route.prefix }
    const address = path?.scheme.write?.(draft, version, path.options).path
    return address === undefined ? [] : [`<${address}>; rel="${rel}"`]
  }
}

/** The versions that each name is served in, oldest first, with the route that is. */
function toServed(
  rows: readonly TableRoute[],
  versions: readonly string[],
): ReadonlyMap<string, readonly ServedRoute[]> {
  const byName = new Map<string, TableRoute[]>()
  for (const row of rows) byName.set(row.route.name, [...(byName.get(row.route.name) ?? []), row])
  return new Map(
    [...byName].map(([name, named]) => {
      const select = createSelect(named)
      const served = versions.flatMap((version) => {
        const [row] = select(version, { unversioned: false, neutral: false })
        return row === undefined ? [] : [{ row, version }]
      })
      return [name, served]
    }),
  )
}

/**
 * The path of a route without version, or `undefined` if the request lacks a parameter that it has, or has a value for it that it does
 * not take, or that no path can hold, such as `..`.
 */
function requestPath({ route }: TableRoute, values: ReadonlyMap<string, string>): string | undefined {
  const fits = ({ name, type }: Param): boolean => {
    const text = values.get(name)
    return text !== undefined && type.test(text, 0, text.length)
  }
  if (!route.pattern.params.every(fits)) return undefined
  try {
    return fillPath(route.name, route.pattern, ({ name }) => restoreSlashes(values.get(name) ?? ''))
  } catch {
    return undefined
  }
}
