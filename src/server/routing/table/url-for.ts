import { checkOptionNames } from '../../../base/definition-error.ts'
import type { UrlOptions } from '../../../define/context.ts'
import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import { METHOD_INDEX } from '../../../http/http.ts'
import { find } from '../../../router/find.ts'
import { restoreSlashes } from '../../../router/path/param-types.ts'
import type { Param, Segment } from '../../../router/path/pattern.ts'
import { toSearchParams } from '../../request/query.ts'
import { readTarget, type Target, type TargetRules } from '../lookup/target.ts'
import type { AskedVersion } from '../../pipeline/context.ts'
import type { Table, TableRoute } from './table.ts'
import type { RequestDraft } from '../../../versioning/schemes/scheme.ts'
import { selectorOf, type Versioning } from '../../../versioning/versioning.ts'
import type { KnownVersions } from '../../../versioning/version.ts'

/** Writes the path of a route. `asked` is the version of the request that the link is written for. */
export type UrlFor = (
  name: string,
  params: Readonly<Record<string, unknown>>,
  options: UrlOptions,
  asked?: AskedVersion,
) => string

/** The route that a link leads to. */
interface LinkedRoute {
  readonly route: ResolvedRoute
  /** The version that its address has, or `undefined` if the address has none. */
  readonly version: string | undefined
}

type ChooseRoute = (
  name: string,
  named: readonly TableRoute[],
  asked: AskedVersion | undefined,
) => LinkedRoute | undefined

const OPTIONS: ReadonlySet<string> = new Set(['query'])

/** Creates the function that writes paths from route names. */
export function createUrlFor(table: Table, versioning: Versioning | undefined): UrlFor {
  const byName = new Map<string, TableRoute[]>()
  for (const row of table.rows) {
    const named = byName.get(row.route.name)
    if (named === undefined) byName.set(row.route.name, [row])
    else named.push(row)
  }
  const choose = versioning === undefined ? chooseFirst : createChooseRoute(table, versioning)
  const write = versioning && createWrite(table.known, versioning)
  return (name, params, options, asked) => {
    checkOptionNames('urlFor', options, OPTIONS)
    const chosen = choose(name, byName.get(name) ?? [], asked)
    if (chosen === undefined) {
      throw new RangeError(`urlFor: there is no route "${name}"; known are ${[...byName.keys()].join(', ')}`)
    }
    const { route, version } = chosen
    const path = fillUrl(route, params)
    const written = version === undefined ? undefined : write?.(path, version, route.prefix, asked)
    const search = toSearchParams({ ...options.query, ...written?.query })
    return (written?.path ?? path) + (search.size > 0 ? `?${search.toString()}` : '')
  }
}

/** Without versions, each name has one route. */
const chooseFirst: ChooseRoute = (_name, [row]) => row && { route: row.route, version: undefined }

function fillUrl({ name, pattern }: ResolvedRoute, params: Readonly<Record<string, unknown>>): string {
  const unknown = Object.keys(params).find((key) => !pattern.params.some((param) => param.name === key))
  if (unknown !== undefined) {
    const hint = unknown === 'query' ? `; options come third: urlFor('${name}', {}, { query })` : ''
    throw new TypeError(`urlFor: "${name}" has no parameter ${unknown}${hint}`)
  }
  return fillPath(name, pattern, (param) => formatParam(name, param, params))
}

/**
 * The path of a pattern with the texts of its parameters. It begins with one slash, because two are followed by a host.
 *
 * @throws `TypeError` when a segment would be `.` or `..`.
 */
export function fillPath(
  name: string,
  { segments, trailingSlash }: ResolvedRoute['pattern'],
  textOf: (param: Param) => string,
): string {
  const written = segments.map((segment) => fillSegment(name, segment, textOf))
  const path = `${written.join('/')}${trailingSlash && segments.length > 0 ? '/' : ''}`
  return `/${path.replace(/^\/+/, (slashes) => encodeURIComponent(slashes))}`
}

function fillSegment(name: string, segment: Segment, textOf: (param: Param) => string): string {
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

function formatParam(
  name: string,
  { name: key, type }: Param,
  params: Readonly<Record<string, unknown>>,
): string {
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

/** Writes a path of the newest version as the version of a request has it. `prefix` is what stands before its version. */
export type ToOwnPath = (path: string, prefix: string, asked: AskedVersion | undefined) => string

/** Creates the function that writes paths which the code behind a route has written. */
export function createToOwnPath(
  table: Table,
  versioning: Versioning | undefined,
  rules: TargetRules,
): ToOwnPath {
  if (versioning === undefined) return (path) => path
  const write = createWrite(table.known, versioning)
  const move = createMove(table, rules)
  return (path, prefix, asked) => {
    if (asked === undefined) return path
    const own = move(path, asked.version) ?? path
    if (asked.spelling === undefined) return own
    const { path: written = own, query = {} } = write(own, asked.version, prefix, asked)
    const search = toSearchParams(query)
    return search.size > 0 ? `${written}?${search.toString()}` : written
  }
}

/** Creates the function that finds where a route was in an older version. Returns `undefined` for a path that is the same there. */
function createMove(
  { all, rows }: Pick<Table, 'all' | 'rows'>,
  rules: TargetRules,
): (path: string, version: string) => string | undefined {
  const moved = rows.filter(
    ({ route: { newest, pattern } }) => (newest?.pattern ?? pattern).text !== pattern.text,
  )
  return (path, version) => {
    const target = moved.length === 0 ? undefined : targetOf(path, rules)
    if (target === undefined) return undefined
    // GET first, because that is how clients follow addresses
    for (const method of METHOD_INDEX.values()) {
      const { leaf, values } = find(all, target, method)
      const endpoint = leaf?.methods[method]
      if (endpoint === undefined) continue
      const row = moved.find(
        ({ route, spec }) => route.name === endpoint.info.name && spec.claims.has(version),
      )
      const texts = target.escaped ? values.map(restoreSlashes) : values
      return row && movedPath(row.route, new Map(endpoint.params.map((name, at) => [name, texts[at] ?? ''])))
    }
    return undefined
  }
}

/** Software that is none of this application may write a path that is none. */
function targetOf(path: string, rules: TargetRules): Target | undefined {
  try {
    return readTarget({ target: path }, rules)
  } catch {
    return undefined
  }
}

/** The path of a route with the parameters of a newer one, or `undefined` if it has others. */
function movedPath({ name, pattern }: ResolvedRoute, texts: ReadonlyMap<string, string>): string | undefined {
  const fits = pattern.params.every(({ name: key, type }) => {
    const text = texts.get(key)
    return text !== undefined && type.test(text, 0, text.length)
  })
  return fits ? fillPath(name, pattern, ({ name: key }) => texts.get(key) ?? '') : undefined
}

function hasNewestParams({ pattern, newest }: ResolvedRoute): boolean {
  const names = new Set(pattern.params.map(({ name }) => name))
  const needed = newest?.pattern.params ?? pattern.params
  return names.size === needed.length && needed.every(({ name }) => names.has(name))
}

/**
 * Creates the function that chooses among the versions of a route: that of the request, else the default version, whose address names none,
 * else the newest.
 */
function createChooseRoute(table: Table, versioning: Versioning): ChooseRoute {
  const { known, withoutSegment } = table
  const selector = selectorOf(versioning, known)
  const defaultOf = createDefaultOf(table, selector)
  return (name, named, asked) => {
    if (named.length === 0) return undefined
    const own = versionOf(named, asked)
    const wanted = own ?? defaultOf(named)
    const exact = wanted === null ? undefined : named.find(({ spec }) => spec.claims.has(wanted))
    if (exact !== undefined && hasNewestParams(exact.route)) return { route: exact.route, version: own }
    // the address of the older version cannot be written with the parameters of today
    const today = exact && named.find(({ route }) => route.newest === undefined)
    if (today !== undefined)
      return { route: today.route, version: known.list.findLast((version) => today.spec.claims.has(version)) }
    const neutral = named.find(({ spec }) => spec.neutral)
    if (neutral !== undefined)
      return { route: neutral.route, version: withoutSegment.has(neutral.route) ? undefined : own }
    const unversioned = named.find(({ spec }) => spec.unversioned)
    if (unversioned !== undefined) return { route: unversioned.route, version: undefined }
    const versions = known.list.filter((version) => named.some(({ spec }) => spec.claims.has(version)))
    if (own !== undefined)
      throw new RangeError(
        `urlFor: "${name}" does not exist in version ${own} of the request, only in ${versions.join(', ')}`,
      )
    const newest = versions.at(-1)
    const row = named.find(({ spec }) => newest !== undefined && spec.claims.has(newest))
    return row && { route: row.route, version: newest }
  }

  /** The version of the request, unless it names none and the route is only at paths that have another default. */
  function versionOf(named: readonly TableRoute[], asked: AskedVersion | undefined): string | undefined {
    if (asked === undefined) return undefined
    const { version, spelling } = asked
    if (spelling !== undefined || selector === undefined) return version
    const isServed = named.some(({ spec }) => spec.neutral || spec.unversioned || spec.claims.has(version))
    return isServed ? version : undefined
  }
}

/** Creates the function that puts a version into the address of a route. */
function createWrite(
  known: KnownVersions,
  versioning: Versioning,
): (path: string, version: string, prefix: string, asked: AskedVersion | undefined) => Partial<RequestDraft> {
  return (path, version, prefix, asked) => {
    const draft = { path, query: {}, headers: {}, host: '', prefix }
    const { spelling, segment } = spellingOf(version, asked, known)
    // of several schemes, the first that puts the version into the address
    for (const { scheme, options } of versioning.schemes) {
      if (segment !== undefined && scheme.segments !== undefined)
        return { path: path.split('/').toSpliced(prefix.split('/').length, 0, segment).join('/') }
      const written = scheme.write?.(draft, spelling, options)
      if (written?.path !== undefined || written?.query !== undefined) return written
    }
    return {}
  }
}

/** How a link writes a version: as the request wrote it that asked for it. The nearest earlier version has no spelling in the request. */
function spellingOf(
  version: string,
  asked: AskedVersion | undefined,
  known: KnownVersions,
): { readonly spelling: string; readonly segment?: string | undefined } {
  const { spelling = version, segment } = asked ?? {}
  return asked?.version === version && known.find(spelling) === version
    ? { spelling, segment }
    : { spelling: version }
}

/**
 * Creates the function that finds the version of a link that names none. Where the default is chosen at each path, it is that of a route
 * which answers requests without version.
 */
function createDefaultOf(
  { shapes, known, defaultVersion, defaultAt }: Table,
  selector: string | undefined,
): (named: readonly TableRoute[]) => string | null {
  if (selector === undefined) return () => defaultVersion
  const defaults = new Map<TableRoute, string | null>(
    shapes.flatMap(({ routes }) => {
      const version = defaultAt(routes)
      return routes.map((row) => [row, version] as const)
    }),
  )
  return (named) => {
    const served = named.flatMap((row) => {
      const version = defaults.get(row) ?? ''
      return row.spec.claims.has(version) ? [version] : []
    })
    const isServed = (version: string): boolean => served.includes(version)
    return (
      (selector === 'oldest' ? known.list.find(isServed) : known.list.findLast(isServed)) ?? defaultVersion
    )
  }
}
