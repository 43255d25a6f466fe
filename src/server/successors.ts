import type { Enabled } from '../versioning/enable.ts'
import type { KnownVersions } from '../versioning/spec.ts'
import type { TableRoute } from './leaves.ts'
import { writePath } from './url-for.ts'

/**
 * Members of a `Link` header that lead to the same route in newer versions (RFC 5829 section 3.4): `values` are the texts of the path
 * parameters. None where the version is the newest.
 */
export type Successors = (
  name: string,
  version: string,
  values: ReadonlyMap<string, string>,
) => readonly string[]

/** Makes the function that links to newer versions; `undefined` where versions have no addresses of their own (rule D8). */
export function createSuccessors(
  rows: readonly TableRoute[],
  enabled: Enabled | undefined,
  { list }: KnownVersions,
  prefix: string,
): Successors | undefined {
  const path = enabled?.path
  if (path === undefined) return undefined
  const byName = new Map<string, TableRoute[]>()
  for (const row of rows) byName.set(row.route.name, [...(byName.get(row.route.name) ?? []), row])
  const newest = list.toReversed()

  return (name, version, values) => {
    const named = byName.get(name) ?? []
    const rowOf = (other: string): TableRoute | undefined => named.find(({ spec }) => spec.claims.has(other))
    const isServed = (other: string): boolean => rowOf(other) !== undefined
    const place = list.indexOf(version)
    const next = list.find((other, index) => index > place && isServed(other))
    if (next === undefined) return []
    const latest = newest.find(isServed) ?? next
    return [
      ...linkTo(rowOf(next), next, 'successor-version', values),
      ...linkTo(rowOf(latest), latest, 'latest-version', values),
    ]
  }

  function linkTo(
    row: TableRoute | undefined,
    version: string,
    rel: string,
    values: ReadonlyMap<string, string>,
  ): readonly string[] {
    // another version may want parameters that this request does not have
    if (row === undefined || row.route.pattern.params.some(({ name }) => !values.has(name))) return []
    const plain = pathOf(row, values)
    if (plain === undefined) return []
    const draft = { path: plain, query: {}, headers: {}, host: '', prefix }
    const address = path?.scheme.write?.(draft, version, path.options).path
    return address === undefined ? [] : [`<${address}>; rel="${rel}"`]
  }
}

/** The path of a route without version; `undefined` for values that no path can hold, such as `..`. */
function pathOf({ route }: TableRoute, values: ReadonlyMap<string, string>): string | undefined {
  try {
    return writePath(route.name, route.pattern, ({ name }) => values.get(name) ?? '')
  } catch {
    return undefined
  }
}
