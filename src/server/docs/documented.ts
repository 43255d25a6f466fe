import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import type { DocumentedRoute, DocumentedVersion } from '../../openapi/document/types.ts'
import { METHODS, type Method } from '../../http/http.ts'
import type { PathShape } from '../../router/node.ts'
import type { Versioning } from '../../versioning/versioning.ts'
import { createSelect, isVersioned } from '../../versioning/select.ts'
import type { Settings } from '../options/settings.ts'
import type { TableRoute, Table } from '../routing/table/table.ts'
import { byKnown } from '../routing/table/lifetimes.ts'
import type { PreviewedRoutes } from '../routing/versioned/previews.ts'

/** The parts that documents are made from. */
export interface DocumentSource {
  readonly table: Table
  readonly versioning: Versioning | undefined
  readonly modules: readonly ModuleNode[]
  readonly settings: Pick<Settings, 'docs' | 'errorFormat' | 'layers' | 'log' | 'trailingSlash'>
  /** Returns what clients see who ask for previews, or `undefined` if there are none. */
  readonly show?: ((names: readonly string[]) => PreviewedRoutes) | undefined
  /** The routes of clients who ask for previews, or `undefined` for those of all others. */
  readonly previews?: PreviewedRoutes | undefined
}

/** The routes that answer a method at a shape: in each version, and where a request names none. */
interface Answers {
  readonly method: Method
  readonly isOpted: boolean
  /** The route that answers without a version, when no function chooses one. */
  readonly withoutVersion: TableRoute | undefined
  readonly isChosen: boolean
  readonly inVersion: (version: string) => TableRoute | undefined
}

/** Which routes count: those that documents show, or all. */
export type Which = 'shown' | 'all'

const known = new WeakMap<Table, Map<Which, readonly DocumentedVersion[]>>()

/**
 * Returns the routes of each version, oldest first, and last, with the version `null`, those that only a request without version gets;
 * without versioning that is everything. Worked out once for a table, which never changes.
 */
export function toDocumentedVersions(
  table: Table,
  versioning: Versioning | undefined,
  which: Which,
): readonly DocumentedVersion[] {
  const lists = known.get(table) ?? new Map<Which, readonly DocumentedVersion[]>()
  known.set(table, lists)
  const list =
    lists.get(which) ??
    listVersions(table, versioning, ({ includeInSchema }) => which === 'all' || includeInSchema)
  lists.set(which, list)
  return list
}

function listVersions(
  table: Table,
  versioning: Versioning | undefined,
  isShown: (route: ResolvedRoute) => boolean,
): readonly DocumentedVersion[] {
  const { lifetimes } = table
  const { list } = table.known
  const answers = table.shapes.flatMap((shape) => answersAt(shape, table, versioning, isShown))
  const policies = byKnown(versioning?.policies ?? [], table.known)
  const versions = list.map((version): DocumentedVersion => {
    let routes: DocumentedVersion['routes'] | undefined
    const isElsewhere = table.known.isElsewhere(version)
    return {
      version,
      // there may be many versions, and few are asked for
      get routes() {
        const pick = ({ inVersion }: Answers): TableRoute | undefined => inVersion(version)
        return (routes ??= isElsewhere ? [] : gather(answers, table, version, pick))
      },
      lifetime: lifetimes.ofVersion(version),
      policy: policies.get(version),
      isElsewhere,
    }
  })
  const isInVersion = ({ withoutVersion, inVersion }: Answers): boolean =>
    withoutVersion === undefined || list.some((version) => inVersion(version) === withoutVersion)
  const rest = gather(answers, table, null, (each) => (isInVersion(each) ? undefined : each.withoutVersion))
  const unversioned = {
    version: null,
    routes: rest,
    lifetime: undefined,
    policy: undefined,
    isElsewhere: false,
  }
  return versions.length > 0 && rest.length === 0 ? versions : [...versions, unversioned]
}

function answersAt(
  shape: PathShape<TableRoute>,
  { defaultVersion, defaultAt }: Table,
  versioning: Versioning | undefined,
  isShown: (route: ResolvedRoute) => boolean,
): readonly Answers[] {
  const isOpted = isVersioned(shape.routes)
  const needsVersion = isOpted && versioning?.common.required === true
  const isChosen = isOpted && typeof versioning?.defaultVersion === 'function'
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
        withoutVersion: needsVersion ? undefined : shown(defaultAt(shape.routes), true),
        isChosen,
        inVersion: (version) => shown(version, !isOpted || version === defaultVersion),
      },
    ]
  })
}

/** The routes that are picked, each with its methods, in the order of their definition. */
function gather(
  answers: readonly Answers[],
  { rows, lifetimes, defaultVersion, withoutSegment }: Table,
  version: string | null,
  pick: (answers: Answers) => TableRoute | undefined,
): readonly DocumentedRoute[] {
  const found = new Map<TableRoute, Map<DocumentedRoute['naming'], Method[]>>()
  for (const each of answers) {
    const row = pick(each)
    if (row === undefined) continue
    const naming = withoutSegment.has(row.route) ? 'none' : namingOf(each, row, version)
    const named = found.get(row) ?? new Map<DocumentedRoute['naming'], Method[]>()
    found.set(row, named.set(naming, [...(named.get(naming) ?? []), each.method]))
  }
  return rows.flatMap((row): readonly DocumentedRoute[] => {
    const [endpoint] = row.endpoints.values()
    return [...(found.get(row) ?? [])].map(([naming, methods]) => {
      // a request that names no version is one in the default version
      const asked = naming === 'none' ? defaultVersion : version
      const lifetime = endpoint === undefined ? undefined : lifetimes.of(endpoint, asked)
      return { route: row.route, methods, naming, lifetime }
    })
  })
}

function namingOf(
  { isOpted, withoutVersion, isChosen }: Answers,
  row: TableRoute,
  version: string | null,
): DocumentedRoute['naming'] {
  if (!isOpted || version === null) return 'none'
  return row === withoutVersion && !isChosen ? 'optional' : 'required'
}
