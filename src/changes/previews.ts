import { toEntries } from '../versioning/version.ts'
import type { ResolvedRoute, PreviewInfo, Previews } from '../routes/resolved-route.ts'
import type { AnyChange, FieldId, Step } from './chain.ts'
import { isRecord } from '../base/values.ts'
import { createExpand, operationsOf, versionIndexOf, toReached, type HistoryParts } from './expand.ts'
import { createMigrate } from './migrate.ts'

/**
 * Prepares what clients see who ask for changes before they are released. For them the history is one without these changes, as if the
 * changes had always been there.
 */
export function createPreviews(
  parts: HistoryParts,
  make: (changes: readonly AnyChange[]) => HistoryParts,
): Previews {
  const { changes, plans, versions } = parts
  const all = new Map<string, PreviewInfo>()
  for (const change of changes) {
    const name = nameOf(change, parts)
    if (name === undefined) continue
    const { until = change.until, changes: others = [] } = all.get(name) ?? {}
    all.set(name, { until: earlier(until, change.until), changes: [...others, change] })
  }
  const operations = operationsOf(changes)
  return {
    all,
    with: (names) => {
      const granted = new Set<object>(changes.filter((change) => names.includes(nameOf(change, parts) ?? '')))
      const count = countVersions(granted, parts)
      const others = changes.filter(
        (change) => !granted.has(change) && versionIndexOf(change, parts) < count - 1,
      )
      const left = make(others)
      const expand = createExpand(left, false, names.includes('next') ? '>=' : '>')
      const isBeta = (route: ResolvedRoute): boolean =>
        (names.includes('next') && toEntries(route.version).includes('next')) ||
        toReached(route, operations, plans).orders.some((order) => granted.has(changes[order] ?? route))
      return {
        versions: versions.slice(0, count),
        has: (change) => granted.has(change),
        migrate: createMigrate(left),
        expand: (routes, knownOf) =>
          expand(
            routes.map((route) => (isBeta(route) ? { ...route, isBeta: true } : route)),
            knownOf,
          ),
      }
    },
  }
}

/** The name that a change is asked for by. */
function nameOf({ preview, version }: AnyChange, { next }: HistoryParts): string | undefined {
  return preview ?? (version === 'next' && next === undefined ? version : undefined)
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Date.parse(one) < Date.parse(other) ? one : other
}

/**
 * How many versions, newest first, can show some changes. Older changes of the same fields are written against the state before, so
 * that versions before these cannot.
 */
function countVersions(granted: ReadonlySet<object>, parts: HistoryParts): number {
  const indices = [...parts.plans.chains.values()].flatMap(({ steps }) =>
    dependents(steps, granted).map(({ change }) => versionIndexOf(change, parts)),
  )
  return Math.min(parts.versions.length, ...indices.map((index) => index + 1))
}

/** The steps that are written against the state before some changes. */
function dependents(steps: readonly Step[], granted: ReadonlySet<object>): readonly Step[] {
  const touched = new Set<FieldId>()
  return steps.filter(({ change, reshape: { of }, fieldChanges, newer, older }) => {
    if (granted.has(change)) {
      for (const { fieldId } of fieldChanges) touched.add(fieldId)
      return false
    }
    const isBefore = isRecord(of) && granted.has(Object(of['change']))
    return isBefore || [...newer, ...older].some(([, fieldId]) => touched.has(fieldId))
  })
}
