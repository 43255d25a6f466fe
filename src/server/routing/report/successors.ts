import { restoreSlashes } from '../../../router/path/param-types.ts'
import type { Param } from '../../../router/path/pattern.ts'
import type { Versioning } from '../../../versioning/versioning.ts'
import { statusAt } from '../../../versioning/policy.ts'
import { createSelect } from '../../../versioning/select.ts'
import type { TableRoute, Table } from '../table/table.ts'
import { writePath } from '../table/url-for.ts'

/**
 * Members of a `Link` header that lead to the same route in newer versions (RFC 5829 section 3.4): `values` are the texts of the path
 * parameters, as they were matched. None where the version is the newest; versions that are retired by `now` are passed over.
 */
export type Successors = (
  name: string,
  version: string,
  values: ReadonlyMap<string, string>,
  now: number,
) => readonly string[]

/** A route of some name, and a version in which it answers. */
interface Served {
  readonly row: TableRoute
  readonly version: string
}

/** Creates the function that links to newer versions. Returns `undefined` if versions have no URLs of their own. */
export function createSuccessors(
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

  function isGone({ row, version }: Served, now: number): boolean {
    const [endpoint] = row.endpoints.values()
    return endpoint !== undefined && statusAt(lifetimes.of(endpoint, version), now) === 'retired'
  }

  function linkTo(
    { row, version }: Served,
    rel: string,
    values: ReadonlyMap<string, string>,
  ): readonly string[] {
    const plain = pathOf(row, values)
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
): ReadonlyMap<string, readonly Served[]> {
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
function pathOf({ route }: TableRoute, values: ReadonlyMap<string, string>): string | undefined {
  const fits = ({ name, type }: Param): boolean => {
    const text = values.get(name)
    return text !== undefined && type.test(text, 0, text.length)
  }
  if (!route.pattern.params.every(fits)) return undefined
  try {
    return writePath(route.name, route.pattern, ({ name }) => restoreSlashes(values.get(name) ?? ''))
  } catch {
    return undefined
  }
}
