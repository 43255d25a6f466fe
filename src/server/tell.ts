import { channel } from 'node:diagnostics_channel'

import { httpError } from '../errors.ts'
import type { Leaf } from '../router/node.ts'
import type { Enabled } from '../versioning/enable.ts'
import type { VersionResolved } from '../versioning/options.ts'
import { statusAt } from '../versioning/policy.ts'
import type { Lifetime } from '../versioning/policy.ts'
import type { RequestContext } from './context.ts'
import type { Endpoint } from './endpoint.ts'
import type { VersionReport } from './lifetimes.ts'
import { cutVersion } from './miss.ts'
import type { MissAnswer } from './miss.ts'
import { Channels } from './observe.ts'
import { createPlaces, isRetired } from './places.ts'
import type { Located } from './resolution.ts'
import { createSuccessors } from './successors.ts'
import type { Table } from './table.ts'
import { addReport, createWriter } from './version-headers.ts'
import type { Told } from './version-headers.ts'

/** Tells clients and observers which version answers, and what becomes of it (section 2.13). */
export interface Tell {
  /** Of a request that reached a route. @throws `HttpError` 410 when the version is retired. */
  readonly hit: (context: RequestContext, located: Located, endpoint: Endpoint) => void
  /** Of a request that reached none. */
  readonly miss: (context: RequestContext, found: MissAnswer) => void
}

const RESOLVED = channel(Channels.version)

/** Makes what tells of versions; `undefined` when there is never anything to tell. */
export function createTell(
  table: Table,
  enabled: Enabled | undefined,
  mode: { readonly strict: boolean; readonly prefix: string },
): Tell | undefined {
  const { lifetimes } = table
  if (enabled === undefined && lifetimes.isEmpty) return undefined
  const {
    clock = Date.now,
    report: when = 'errors',
    echo = false,
    unknown,
    successorLinks,
    onVersionResolved,
  } = enabled?.common ?? ({} as Partial<Enabled['common']>)
  const places = createPlaces(table, mode)
  const successors = createSuccessors(table.rows, enabled, table.known, mode.prefix)
  const write = createWriter(enabled)
  const isQuiet =
    lifetimes.isEmpty &&
    when !== 'always' &&
    echo === false &&
    unknown !== 'floor' &&
    successorLinks !== true &&
    onVersionResolved === undefined

  return { hit, miss }

  function hit(context: RequestContext, located: Located, endpoint: Endpoint): void {
    if (isQuiet && !RESOLVED.hasSubscribers) return
    const { resolution } = located
    const { version } = resolution
    const lifetime = lifetimes.of(endpoint, version)
    const isVersioned = (located.match.leaf?.shape.versions.length ?? 0) > 0
    if (isVersioned || lifetime !== undefined) notify(context, located, endpoint, lifetime)
    const retired = isRetired(lifetime, clock)
    const links =
      version !== null && successors !== undefined && (successorLinks === true || retired)
        ? successors(endpoint.info.name, version, valuesOf(endpoint, located))
        : []
    const isToldAlways = isVersioned && when === 'always'
    const report = isToldAlways || retired ? reportAt(places.all(located)) : undefined
    const echoed = isVersioned && (echo !== false || resolution.isFloor) ? version : null
    if (lifetime !== undefined || links.length > 0 || isToldAlways || echoed !== null || retired) {
      const told: Told = { lifetime, links, report: when === false ? undefined : report, version: echoed }
      context.tells = (headers) => write(headers, told)
    }
    if (retired) throw retiredError(located, lifetime, report)
  }

  function miss(context: RequestContext, { report }: MissAnswer): void {
    if (report === undefined || when === false) return
    context.tells = (headers) => addReport(headers, report)
  }

  function reportAt(leaves: readonly Leaf<Endpoint>[]): VersionReport {
    return lifetimes.report(
      leaves.map(({ shape }) => shape),
      clock(),
    )
  }

  function notify(
    context: RequestContext,
    { resolution }: Located,
    { info }: Endpoint,
    lifetime: Lifetime | undefined,
  ): void {
    if (onVersionResolved === undefined && !RESOLVED.hasSubscribers) return
    const { version, requested } = resolution
    const resolved: VersionResolved = {
      version,
      requested: requested === undefined ? undefined : cutVersion(requested),
      route: info.name,
      method: context.method,
      path: info.path,
      status: statusAt(lifetime, clock()),
      request: context.request,
    }
    try {
      onVersionResolved?.(resolved)
    } catch (err) {
      context.log.error({ err }, 'onVersionResolved failed')
    }
    if (RESOLVED.hasSubscribers) RESOLVED.publish(resolved)
  }

  function retiredError(
    { resolution }: Located,
    lifetime: Lifetime | undefined,
    report: VersionReport | undefined,
  ): Error {
    const { requested, scheme } = resolution
    const { supported = [], deprecated = [] } = report ?? {}
    const statuses = (scheme ?? enabled?.schemes[0])?.statusCodes
    return httpError('retired_version', 'This version is not served any more', {
      ...(requested === undefined ? {} : { requested: cutVersion(requested) }),
      supported,
      ...(deprecated.length === 0 ? {} : { deprecated }),
      ...(lifetime?.sunset === undefined ? {} : { sunset: new Date(lifetime.sunset).toISOString() }),
      ...(statuses === undefined ? {} : { status: statuses.retired }),
    })
  }
}

/** The texts of the path parameters, by name. */
function valuesOf({ params }: Endpoint, { match }: Located): ReadonlyMap<string, string> {
  return new Map(params.map((name, index) => [name, match.values[index] ?? '']))
}
