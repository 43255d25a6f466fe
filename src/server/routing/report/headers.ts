import type { Versioning, ActiveScheme } from '../../../versioning/versioning.ts'
import { PLAIN_SCHEME } from '../../../versioning/schemes/scheme.ts'
import { toInterval, type Lifetime, type Span } from '../../../versioning/policy.ts'
import type { VersionReport } from '../table/table.ts'
import type { FinishedResponse } from '../../../http/http.ts'
import type { ResponseHeaders } from '../../pipeline/response-head.ts'

const SUPPORTED = 'api-supported-versions'
const DEPRECATED = 'api-deprecated-versions'
const BROWNOUT = 'api-brownout'
const DEFAULT_ECHO = 'api-version'

/** The headers that report on versions, but for those that options name. */
const REPORTING = ['deprecation', 'sunset', 'link', SUPPORTED, DEPRECATED, BROWNOUT, DEFAULT_ECHO] as const

/** The report of a response on the version that answered. */
export interface ReportedVersion {
  readonly lifetime: Lifetime | undefined
  /** The brownout of this moment, else the next one. */
  readonly brownout: Span | undefined
  /** Members of a `Link` header that lead to newer versions. */
  readonly links: readonly string[]
  readonly report: VersionReport
  /** The version to echo, or `null` for none. */
  readonly version: string | null
}

/** Creates the function that writes the report into the headers of a response. Headers of the handler stay. */
export function createHeaderWriter(
  versioning: Versioning | undefined,
): (response: FinishedResponse, reported: ReportedVersion) => void {
  const echo = createEcho(versioning)
  return (response, { lifetime, brownout, links, report, version }) => {
    const { headers } = response
    if (lifetime !== undefined) {
      for (const [name, value] of Object.entries(lifetime.headers)) headers[name] ??= value
    }
    if (brownout !== undefined) headers[BROWNOUT] ??= toInterval(brownout)
    addLinks(headers, lifetime === undefined ? links : [...lifetime.links, ...links])
    addReport(headers, report)
    if (version !== null) echo(response, version)
  }
}

/** Lists the versions of a path: docs/guide/deprecation.md#response-headers */
export function addReport(headers: ResponseHeaders, { supported, deprecated }: VersionReport): void {
  addList(headers, SUPPORTED, supported)
  addList(headers, DEPRECATED, deprecated)
}

/** Clients refuse responses whose headers take more than 16 KiB together: a longer list is in problem documents only. */
const MAX_LIST = 4096

function addList(headers: ResponseHeaders, name: string, versions: readonly string[]): void {
  const list = versions.map(toHeaderText).join(', ')
  if (list !== '' && list.length <= MAX_LIST) headers[name] ??= list
}

/** Versions in paths may have characters that headers cannot carry. These are percent-encoded, as in the path. */
function toHeaderText(version: string): string {
  return version.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(/[^!-~]+|[%,]/g, encodeURIComponent)
}

/** Adds members to `Link` that it does not have: a response that was kept and sent again has them already. */
function addLinks(headers: ResponseHeaders, members: readonly string[]): void {
  const given = [headers['link'] ?? []].flat()
  const missing = members.filter((member) => !given.some((line) => line.includes(member)))
  if (missing.length > 0) headers['link'] = [...given, ...missing].join(', ')
}

/** The headers of the schemes that can name the version used. The first one does. */
function echoNames(versioning: Versioning | undefined): readonly string[] {
  return (versioning?.schemes ?? []).flatMap(({ scheme, options }) => scheme.echo(options) ?? [])
}

type Echo = (response: FinishedResponse, version: string) => void

/** Creates the function that writes the version used into a response. */
function createEcho(versioning: Versioning | undefined): Echo {
  const { schemes = [], common } = versioning ?? {}
  const { echo = false, unknown = 'error' } = common ?? {}
  const [name = DEFAULT_ECHO] = echoNames(versioning)
  const inHeader: Echo = ({ headers }, version) => void (headers[name] ??= toHeaderText(version))
  const typed = schemes.find(({ scheme }) => scheme.contentType !== PLAIN_SCHEME.contentType) ?? schemes[0]
  if (echo !== 'contentType' || typed === undefined) return inHeader
  const inType = createTypeEcho(typed)
  // if an earlier version may answer, each response has to name it: docs/guide/versioning-rules.md#nearest-earlier-version
  if (unknown === 'error') return (response, version) => void inType(response, version)
  return (response, version) => {
    if (!inType(response, version)) inHeader(response, version)
  }
}

/** Creates the function that writes the version into `Content-Type`. It returns `false` if there is none, or for errors. */
function createTypeEcho({
  scheme,
  options,
}: ActiveScheme): (response: FinishedResponse, version: string) => boolean {
  return ({ headers, isError }, version) => {
    const type = headers['content-type']
    if (isError === true || typeof type !== 'string' || type.startsWith('application/problem+json'))
      return false
    headers['content-type'] = scheme.contentType(type, version, options)
    return true
  }
}

/** The headers that report on versions. Browsers hide them from scripts of other origins unless they are exposed. */
export function reportingHeaders(versioning: Versioning | undefined): readonly string[] {
  return [...REPORTING, ...echoNames(versioning)]
}
