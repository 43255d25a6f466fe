import type { DefinitionWarning } from '../../../../base/definition-error.ts'
import type { ResolvedRoute } from '../../../../routes/resolved-route.ts'
import type { TableRoute } from '../table.ts'
import { cutList } from './versioning-lifetimes.ts'

/**
 * Warns of mounted upstreams beside routes with guards that the mount doesn't have. The API behind may read other paths, such as `/CARS`,
 * as those of the routes.
 */
export function mountWarnings(rows: readonly TableRoute[]): readonly DefinitionWarning[] {
  const routes = rows.map(({ route }) => route)
  return routes.flatMap((mount): DefinitionWarning[] => {
    if (mount.forward === undefined || mount.mount?.hasGuards !== false) return []
    const guarded = routes.filter(
      (route) =>
        isBeside(route, mount) &&
        route.layers.guards.some(({ part }) => mount.layers.guards.every((other) => other.part !== part)),
    )
    if (guarded.length === 0) return []
    const labels = [...new Set(guarded.map(({ label }) => label))]
    return [
      {
        code: 'mount_without_guards',
        where: mount.label,
        message: `it passes other spellings of guarded paths, such as upper case, without the guards of ${cutList(labels)}`,
        fix: 'give the router that mounts it guards, or guards: [] if none are needed',
      },
    ]
  })
}

function isBeside({ forward, mount, pattern }: ResolvedRoute, other: ResolvedRoute): boolean {
  if (forward !== other.forward || mount !== undefined) return false
  const around = other.pattern.segments.slice(0, -1)
  return around.every((segment, at) => {
    const own = pattern.segments[at]
    const isOther = segment.kind === 'literal' && own?.kind === 'literal' && segment.text !== own.text
    return own !== undefined && !isOther
  })
}
