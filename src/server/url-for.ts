import type { UrlOptions } from '../define/context.ts'
import type { FlatRoute } from '../define/flat-route.ts'
import type { Param, Segment } from '../pattern.ts'
import type { Enabled } from '../versioning/enable.ts'
import { expandSpec } from '../versioning/spec.ts'
import type { KnownVersions } from '../versioning/spec.ts'

/** Writes the path of a route. */
export type UrlFor = (name: string, params: Readonly<Record<string, unknown>>, options: UrlOptions) => string

/** Makes the function that writes paths from route names. */
export function createUrlFor(
  routes: readonly FlatRoute[],
  enabled: Enabled | undefined,
  known: KnownVersions,
  prefix: string,
): UrlFor {
  const byName = groupByName(routes)
  const defaultVersion =
    typeof enabled?.defaultVersion === 'string' ? known.find(enabled.defaultVersion) : undefined
  return (name, params, { query = {}, version }) => {
    const named = byName.get(name)
    if (named === undefined)
      throw new RangeError(`urlFor: there is no route "${name}"; known are ${[...byName.keys()].join(', ')}`)
    const wanted = version === undefined ? defaultVersion : known.find(version)
    if (version !== undefined && wanted === undefined && enabled !== undefined) {
      throw new RangeError(`urlFor: "${version}" is not a known version; known are ${known.list.join(', ')}`)
    }
    const { route, version: chosen } = chooseRoute(name, named, wanted)
    const path = fill(route, params)
    const explicit = version === undefined && chosen === defaultVersion ? undefined : chosen
    return withVersion(path, query, explicit)
  }

  function chooseRoute(
    name: string,
    named: readonly FlatRoute[],
    wanted: string | undefined,
  ): { readonly route: FlatRoute; readonly version: string | undefined } {
    const specs = named.map((route) => ({
      route,
      spec: expandSpec(enabled === undefined ? undefined : route.version, known),
    }))
    if (wanted !== undefined) {
      const exact = specs.find(({ spec }) => spec.claims.has(wanted))
      if (exact !== undefined) return { route: exact.route, version: wanted }
    }
    const neutral = specs.find(({ spec }) => spec.neutral)
    if (neutral !== undefined) return { route: neutral.route, version: wanted }
    const unversioned = specs.find(({ spec }) => spec.unversioned)
    if (unversioned !== undefined) return { route: unversioned.route, version: undefined }
    const [only, ...others] = specs.flatMap(({ route, spec }) =>
      [...spec.claims.keys()].map((own) => ({ route, version: own })),
    )
    if (wanted === undefined && only !== undefined && others.length === 0) return only
    const versions = known.list.filter((own) => specs.some(({ spec }) => spec.claims.has(own)))
    throw new RangeError(
      wanted === undefined
        ? `urlFor: "${name}" exists in the versions ${versions.join(', ')}; name one: { version: '${versions.at(-1)}' }`
        : `urlFor: "${name}" does not exist in version ${wanted}, only in ${versions.join(', ')}`,
    )
  }

  function withVersion(
    path: string,
    query: Readonly<Record<string, unknown>>,
    version: string | undefined,
  ): string {
    const write = enabled?.scheme.write
    const written =
      write === undefined || version === undefined
        ? {}
        : write({ path, query: {}, headers: {}, host: '', prefix }, version, enabled?.options ?? {})
    const search = new URLSearchParams()
    for (const [key, value] of Object.entries({ ...query, ...written.query })) {
      for (const item of [value].flat())
        if (item !== undefined && item !== null) search.append(key, String(item))
    }
    return (written.path ?? path) + (search.size > 0 ? `?${search.toString()}` : '')
  }
}

function groupByName(routes: readonly FlatRoute[]): ReadonlyMap<string, readonly FlatRoute[]> {
  const groups = new Map<string, FlatRoute[]>()
  for (const route of routes) groups.set(route.name, [...(groups.get(route.name) ?? []), route])
  return groups
}

function fill({ name, pattern }: FlatRoute, params: Readonly<Record<string, unknown>>): string {
  const unknown = Object.keys(params).find((key) => !pattern.params.some((param) => param.name === key))
  if (unknown !== undefined) throw new TypeError(`urlFor: "${name}" has no parameter ${unknown}`)
  const segments = pattern.segments.map((segment) => fillSegment(name, segment, params))
  return `/${segments.join('/')}${pattern.trailingSlash && segments.length > 0 ? '/' : ''}`
}

function fillSegment(name: string, segment: Segment, params: Readonly<Record<string, unknown>>): string {
  switch (segment.kind) {
    case 'literal':
      return encodeURIComponent(segment.text)
    case 'param':
      return safeSegment(name, encodeURIComponent(toText(name, segment.param, params)))
    case 'mixed':
      return safeSegment(
        name,
        segment.parts
          .map((part) => encodeURIComponent(typeof part === 'string' ? part : toText(name, part, params)))
          .join(''),
      )
    case 'rest':
      return toText(name, segment.param, params)
        .split('/')
        .map((part) => safeSegment(name, encodeURIComponent(part)))
        .join('/')
  }
}

function toText(name: string, { name: key, type }: Param, params: Readonly<Record<string, unknown>>): string {
  const value = params[key]
  if (value === undefined || value === null)
    throw new TypeError(`urlFor: "${name}" needs the parameter ${key}`)
  const text = type.format(value)
  if (!type.test(text, 0, text.length))
    throw new TypeError(`urlFor: the parameter ${key} of "${name}" is not of the type ${type.name}`)
  return text
}

/** Clients resolve dot segments before they send a path, escaped or not (RFC 3986 section 5.2.4). */
function safeSegment(name: string, segment: string): string {
  if (segment === '.' || segment === '..')
    throw new TypeError(`urlFor: "${name}" would have the segment "${segment}", which no client sends`)
  return segment
}
