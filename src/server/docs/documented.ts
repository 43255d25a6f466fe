import type { FlatRoute } from '../../define/flat-route.ts'
import type { DocumentedRoute, DocumentedVersion } from '../../openapi/model.ts'
import { METHODS } from '../../http.ts'
import type { Method } from '../../http.ts'
import type { Shape } from '../../router/tree.ts'
import type { Enabled } from '../../versioning/enable.ts'
import { createSelect, isVersioned } from '../../versioning/select.ts'
import type { TableRoute } from '../table/leaves.ts'
import { byKnown } from '../table/lifetimes.ts'
import type { Table } from '../table/table.ts'

/** What answers a method at a shape: in each version, and where a request names none. */
interface Answers {
  readonly method: Method
  readonly isOpted: boolean
  /** What answers without a version; `undefined` for nothing, and where a function chooses. */
  readonly bare: TableRoute | undefined
  readonly inVersion: (version: string) => TableRoute | undefined
}

/**
 * What each version answers, oldest first, and last, with the version `null`, what only a request without version gets; without
 * versioning that is everything. `isShown`: which routes count.
 */
export function toDocumentedVersions(
  table: Table,
  enabled: Enabled | undefined,
  isShown: (route: FlatRoute) => boolean,
): readonly DocumentedVersion[] {
  const { known, lifetimes } = table
  const answers = table.shapes.flatMap((shape) => answersAt(shape, table, enabled, isShown))
  const policies = byKnown(enabled?.policies ?? [], known)
  const versions = known.list.map((version): DocumentedVersion => ({
    version,
    routes: gather(answers, table, version, ({ inVersion }) => inVersion(version)),
    lifetime: lifetimes.ofVersion(version),
    policy: policies.get(version),
  }))
  const isInVersion = ({ bare, inVersion }: Answers): boolean =>
    known.list.some((version) => inVersion(version) === bare)
  const rest = gather(answers, table, null, (each) => (isInVersion(each) ? undefined : each.bare))
  const bare = { version: null, routes: rest, lifetime: undefined, policy: undefined }
  return versions.length > 0 && rest.length === 0 ? versions : [...versions, bare]
}

function answersAt(
  shape: Shape<TableRoute>,
  { defaultVersion }: Table,
  enabled: Enabled | undefined,
  isShown: (route: FlatRoute) => boolean,
): readonly Answers[] {
  const isOpted = isVersioned(shape.routes)
  const isBareRefused = isOpted && enabled?.common.required === true
  const isChosen = isOpted && typeof enabled?.defaultVersion === 'function'
  return METHODS.flatMap((method): readonly Answers[] => {
    const candidates = shape.routes.filter(({ endpoints }) => endpoints.has(method))
    if (candidates.length === 0) return []
    const select = createSelect(candidates)
    const shown = (version: string | null, unversioned: boolean): TableRoute | undefined =>
      select(version, { unversioned, neutral: true }).find(({ route }) => isShown(route))
    return [
      {
        method,
        isOpted,
        bare: isBareRefused || isChosen ? undefined : shown(defaultVersion, true),
        inVersion: (version) => shown(version, !isOpted || version === defaultVersion),
      },
    ]
  })
}

/** The routes that are picked, each with its methods, in the order of their definition. */
function gather(
  answers: readonly Answers[],
  { rows, lifetimes }: Table,
  version: string | null,
  pick: (answers: Answers) => TableRoute | undefined,
): readonly DocumentedRoute[] {
  const found = new Map<TableRoute, { methods: Method[]; naming: DocumentedRoute['naming'] }>()
  for (const each of answers) {
    const row = pick(each)
    if (row === undefined) continue
    const known = found.get(row)
    if (known === undefined) found.set(row, { methods: [each.method], naming: namingOf(each, row, version) })
    else known.methods.push(each.method)
  }
  return rows.flatMap((row): readonly DocumentedRoute[] => {
    const entry = found.get(row)
    if (entry === undefined) return []
    const [endpoint] = row.endpoints.values()
    const lifetime = endpoint === undefined ? undefined : lifetimes.of(endpoint, version)
    return [{ route: row.route, methods: entry.methods, naming: entry.naming, lifetime }]
  })
}

function namingOf(
  { isOpted, bare }: Answers,
  row: TableRoute,
  version: string | null,
): DocumentedRoute['naming'] {
  if (!isOpted || version === null) return 'none'
  return row === bare ? 'optional' : 'required'
}
