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
import type { VersionReport, Table } from '../table/table.ts'
import { createPlaces } from '../lookup/places.ts'
import { createVersionError } from '../lookup/version-error.ts'
import { type MissAnswer, type RouteMatch, type VersionMatch } from '../lookup/resolution.ts'
import { createSuccessors } from './successors.ts'
import { addReport, createWriter } from './headers.ts'
import { openChannel } from '../../../base/platform.ts'
import type { VersionResolved } from '../../../versioning/options.ts'
import { cutVersion } from '../../../versioning/version.ts'
import { Channels } from '../../logging/channels.ts'

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

/** Creates the reporter. Returns `undefined` if there is never anything to report. */
export function createVersionReporter(
  table: Table,
  versioning: Versioning | undefined,
  mode: { readonly strict: boolean },
): VersionReporter | undefined {
  const { lifetimes } = table
  if (versioning === undefined && lifetimes.isEmpty) return undefined
  const { clock = Date.now, report: when = 'errors', echo = false } = versioning?.common ?? {}
  const isLinked = versioning?.path !== undefined && versioning.common.successorLinks
  const channel = openChannel(Channels.version)
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
      if (isVersioned && channel.hasSubscribers)
        channel.publish(toResolved(context, resolution, endpoint, statusAt(lifetime, clock())))
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
  const places = createPlaces(table, mode)
  const writer = createWriter(versioning)
  const isLinked = versioning?.common.successorLinks === true
  // without policies nothing is retired
  const linkTo = isLinked || !table.lifetimes.isEmpty ? createSuccessors(table, versioning) : undefined

  return ({ located, endpoint, lifetime, isVersioned, isRefused, brownout }) => {
    const { version, isReplaced, ended } = located.resolution
    const asked = ended?.version ?? version
    const links =
      asked !== null && linkTo !== undefined && (isLinked || isRefused || ended !== undefined)
        ? linkTo(endpoint.info.name, asked, valuesOf(endpoint, located), clock())
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

/** Describes the version that answers, for the subscribers of `Channels.version`. */
function toResolved(
  { method, request }: RequestContext,
  { version, requested }: VersionMatch,
  { info: { name, path } }: Endpoint,
  status: VersionStatus,
): VersionResolved {
  const asked = requested === undefined ? undefined : cutVersion(requested)
  return { version, requested: asked, route: name, method, path, status, request }
}
