import type { UrlOptions } from '../../define/context.ts'
import type { FlatRoute } from '../../flatten/flat-route.ts'
import type { Param, Segment } from '../../path/pattern.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import { toSearchParams } from '../../request/query.ts'
import type { Table } from './table.ts'
import type { RequestDraft } from '../../versioning/schemes/scheme.ts'
import type { ExpandedSpec, KnownVersions } from '../../versioning/spec.ts'

/** Writes the path of a route. */
export type UrlFor = (name: string, params: Readonly<Record<string, unknown>>, options: UrlOptions) => string

/** A route with its versions written out. */
interface Candidate {
  readonly route: FlatRoute
  readonly spec: ExpandedSpec
}

/** A route and the version it is linked to in. */
interface Chosen {
  readonly route: FlatRoute
  readonly version: string | undefined
}

/** Makes the function that writes paths from route names. */
export function createUrlFor(
  {
    rows,
    known,
    defaultVersion,
    withoutSegment,
  }: Pick<Table, 'rows' | 'known' | 'defaultVersion' | 'withoutSegment'>,
  versioning: Versioning | undefined,
): UrlFor {
  const byName = new Map<string, Candidate[]>()
  for (const row of rows) {
    const named = byName.get(row.route.name)
    if (named === undefined) byName.set(row.route.name, [row])
    else named.push(row)
  }
  return (name, params, { query = {}, version }) => {
    const named = byName.get(name)
    if (named === undefined) {
      throw new RangeError(`urlFor: there is no route "${name}"; known are ${[...byName.keys()].join(', ')}`)
    }
    const wanted = version === undefined ? (defaultVersion ?? undefined) : known.find(version)
    if (version !== undefined && wanted === undefined && versioning !== undefined) {
      throw new RangeError(`urlFor: "${version}" is not a known version; known are ${known.list.join(', ')}`)
    }
    const chosen = chooseRoute(name, named, wanted, known, withoutSegment)
    const path = fill(chosen.route, params)
    const explicit = version === undefined && chosen.version === wanted ? undefined : chosen.version
    const written = explicit === undefined ? {} : write(path, explicit, chosen.route)
    const search = toSearchParams({ ...query, ...written.query })
    return (written.path ?? path) + (search.size > 0 ? `?${search.toString()}` : '')
  }

  function write(path: string, version: string, { prefix }: FlatRoute): Partial<RequestDraft> {
    const draft = { path, query: {}, headers: {}, host: '', prefix }
    // of several schemes, the first that puts the version into the address
    for (const { scheme, options } of versioning?.schemes ?? []) {
      const written = scheme.write?.(draft, version, options)
      if (written?.path !== undefined || written?.query !== undefined) return written
    }
    return {}
  }
}

function chooseRoute(
  name: string,
  named: readonly Candidate[],
  wanted: string | undefined,
  known: KnownVersions,
  withoutSegment: Table['withoutSegment'],
): Chosen {
  const exact = wanted === undefined ? undefined : named.find(({ spec }) => spec.claims.has(wanted))
  if (exact !== undefined) return { route: exact.route, version: wanted }
  const neutral = named.find(({ spec }) => spec.neutral)
  if (neutral !== undefined)
    return { route: neutral.route, version: withoutSegment.has(neutral.route) ? undefined : wanted }
  const unversioned = named.find(({ spec }) => spec.unversioned)
  if (unversioned !== undefined) return { route: unversioned.route, version: undefined }
  const [only, ...others] = named.flatMap(({ route, spec }) =>
    [...spec.claims.keys()].map((version) => ({ route, version })),
  )
  if (wanted === undefined && only !== undefined && others.length === 0) return only
  const versions = known.list.filter((version) => named.some(({ spec }) => spec.claims.has(version)))
  throw new RangeError(
    wanted === undefined
      ? `urlFor: "${name}" exists in the versions ${versions.join(', ')}; name one: { version: '${versions.at(-1)}' }`
      : `urlFor: "${name}" does not exist in version ${wanted}, only in ${versions.join(', ')}`,
  )
}

function fill({ name, pattern }: FlatRoute, params: Readonly<Record<string, unknown>>): string {
  const unknown = Object.keys(params).find((key) => !pattern.params.some((param) => param.name === key))
  if (unknown !== undefined) {
    const isOption = unknown === 'version' || unknown === 'query'
    const hint = isOption ? `; options come third: urlFor('${name}', {}, { ${unknown} })` : ''
    throw new TypeError(`urlFor: "${name}" has no parameter ${unknown}${hint}`)
  }
  return writePath(name, pattern, (param) => toText(name, param, params))
}

/**
 * The path of a pattern with the texts of its parameters.
 *
 * @throws `TypeError` when a segment would be `.` or `..`.
 */
export function writePath(
  name: string,
  { segments, trailingSlash }: FlatRoute['pattern'],
  textOf: (param: Param) => string,
): string {
  const written = segments.map((segment) => writeSegment(name, segment, textOf))
  return `/${written.join('/')}${trailingSlash && segments.length > 0 ? '/' : ''}`
}

function writeSegment(name: string, segment: Segment, textOf: (param: Param) => string): string {
  switch (segment.kind) {
    case 'literal':
      return encodeURIComponent(segment.text)
    case 'param':
      return safeSegment(name, encodeURIComponent(textOf(segment.param)))
    case 'mixed':
      return safeSegment(
        name,
        segment.parts
          .map((part) => encodeURIComponent(typeof part === 'string' ? part : textOf(part)))
          .join(''),
      )
    case 'rest':
      return textOf(segment.param)
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
