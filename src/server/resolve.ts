import type { Node } from '../router/node.ts'
import type { EnabledScheme } from '../versioning/enable.ts'
import type { VersionValue } from '../versioning/scheme.ts'
import { compareVersions, hasOrder, isWellFormed, MAX_VERSION_LENGTH } from '../versioning/version.ts'
import type { Endpoint } from './endpoint.ts'
import { withoutVersion } from './resolution.ts'
import type { PathEnds, Resolution, Site } from './resolution.ts'

/** Finds what a value that a request gave asks for, at a path. */
export type Resolve = (value: Exclude<VersionValue, undefined>, at: PathEnds) => Resolution

/** Makes the function that tells what the values of a scheme ask for. `vary`: the headers that may have decided. */
export function createResolve(
  { table, enabled, look }: Omit<Site, 'bare'>,
  scheme: EnabledScheme,
  vary: readonly string[],
): Resolve {
  const { known } = table
  const common: Resolution = { ...withoutVersion(table, vary), root: table.other, scheme }
  const byVersion = new Map<string, Resolution>()
  const bySpelling = new Map<string, Resolution>()
  for (const [version, root] of table.roots) {
    const requested = scheme.scheme.fold(version)
    const resolution: Resolution = { ...common, kind: 'known', root, version, requested }
    byVersion.set(version, resolution)
    bySpelling.set(requested, resolution)
  }
  const floorOf = createFloor(known.list)
  const floors = enabled.common.unknown === 'floor'

  return (value, at) => {
    if (typeof value === 'string') return bySpelling.get(value) ?? respelled(value) ?? missing(value, at)
    if ('ambiguous' in value) return { ...common, kind: 'ambiguous', sources: value.ambiguous }
    const requested = value.join(', ')
    for (const preferred of value) {
      const found = bySpelling.get(preferred) ?? respelled(preferred) ?? missing(preferred, at)
      if (found.version !== null && isServed(found.root, at)) return { ...found, requested }
    }
    return { ...common, kind: 'unknown', requested }
  }

  /** What an equal version in another spelling asks for. */
  function respelled(value: string): Resolution | undefined {
    if (known.format === 'string' || value.length > MAX_VERSION_LENGTH) return undefined
    const found = byVersion.get(known.find(value) ?? '')
    return found === undefined ? undefined : { ...found, requested: value }
  }

  function missing(requested: string, at: PathEnds): Resolution {
    if (!isWellFormed(requested, known.format)) return { ...common, kind: 'invalid', requested }
    const floor = floors
      ? floorOf(requested, (version) => isServed(table.roots.get(version) ?? table.other, at))
      : undefined
    const found = floor === undefined ? undefined : byVersion.get(floor)
    return found === undefined
      ? { ...common, kind: 'unknown', requested }
      : { ...found, requested, isFloor: true }
  }

  /** Whether a root serves the path, whatever the method. */
  function isServed(root: Node<Endpoint>, at: PathEnds): boolean {
    return ALL_METHODS.some((method) => look(root, at, method).leaf !== null)
  }
}

/** The indexes of all methods. */
export const ALL_METHODS = [0, 1, 2, 3, 4, 5, 6, 7]

/** Makes the function that finds the nearest earlier version that is served (rule R18). */
export function createFloor(
  list: readonly string[],
): (requested: string, isServed: (version: string) => boolean) => string | undefined {
  const newestFirst = list.toReversed()
  return (requested, isServed) =>
    requested.length <= MAX_VERSION_LENGTH && hasOrder(requested)
      ? newestFirst.find((version) => compareVersions(version, requested) < 0 && isServed(version))
      : undefined
}
