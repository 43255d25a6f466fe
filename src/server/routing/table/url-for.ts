import type { UrlOptions } from '../../../define/context.ts'
import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import type { Param, Segment } from '../../../router/path/pattern.ts'
import { toSearchParams } from '../../request/query.ts'
import type { AskedVersion } from '../../pipeline/context.ts'
import type { Table, TableRoute } from './table.ts'
import type { RequestDraft } from '../../../versioning/schemes/scheme.ts'

/** Writes the path of a route. `asked` is the version of the request that the link is written for. */
export type UrlFor = (
  name: string,
  params: Readonly<Record<string, unknown>>,
  options: UrlOptions,
  asked?: AskedVersion,
) => string

interface Link {
  readonly route: ResolvedRoute
  /** Puts its version into its address, or `undefined` if the address has none. */
  readonly write: ((path: string) => Partial<RequestDraft>) | undefined
}

/** Chooses among the routes of a name. @throws `RangeError` for versions that do not exist. */
export type ChooseLink = (
  name: string,
  named: readonly TableRoute[],
  version: string | undefined,
  asked: AskedVersion | undefined,
) => Link | undefined

/** Chooses where there are no versions. */
export const choosePlainLink: ChooseLink = (_name, [row]) =>
  row === undefined ? undefined : { route: row.route, write: undefined }

/** Creates the function that writes paths from route names. */
export function createUrlFor({ rows }: Pick<Table, 'rows'>, choose: ChooseLink): UrlFor {
  const byName = new Map<string, TableRoute[]>()
  for (const row of rows) {
    const named = byName.get(row.route.name)
    if (named === undefined) byName.set(row.route.name, [row])
    else named.push(row)
  }
  return (name, params, { query = {}, version }, asked) => {
    const link = choose(name, byName.get(name) ?? [], version, asked)
    if (link === undefined) {
      throw new RangeError(`urlFor: there is no route "${name}"; known are ${[...byName.keys()].join(', ')}`)
    }
    const path = fill(link.route, params)
    const written = link.write?.(path)
    const search = toSearchParams({ ...query, ...written?.query })
    return (written?.path ?? path) + (search.size > 0 ? `?${search.toString()}` : '')
  }
}

function fill({ name, pattern }: ResolvedRoute, params: Readonly<Record<string, unknown>>): string {
  const unknown = Object.keys(params).find((key) => !pattern.params.some((param) => param.name === key))
  if (unknown !== undefined) {
    const isOption = unknown === 'version' || unknown === 'query'
    const hint = isOption ? `; options come third: urlFor('${name}', {}, { ${unknown} })` : ''
    throw new TypeError(`urlFor: "${name}" has no parameter ${unknown}${hint}`)
  }
  return writePath(name, pattern, (param) => formatParam(name, param, params))
}

/**
 * The path of a pattern with the texts of its parameters.
 *
 * @throws `TypeError` when a segment would be `.` or `..`.
 */
export function writePath(
  name: string,
  { segments, trailingSlash }: ResolvedRoute['pattern'],
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
