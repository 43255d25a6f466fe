import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { printTree } from '../../router/print.ts'
import { toRouteList } from './route-list.ts'

/** The routes as a tree of path segments, most specific first. */
export function printTable(
  routes: readonly ResolvedRoute[],
  { trailingSlash }: { readonly trailingSlash: string },
): string {
  const rows = toRouteList(routes)
  const lines = routes.map((route, index) => {
    const versions = rows[index]?.versions ?? []
    return {
      pattern: route.pattern,
      text: [route.methods.join(','), versions.length === 0 ? '' : `[${versions.join(', ')}]`, route.name]
        .filter(Boolean)
        .join(' '),
    }
  })
  return printTree(lines, trailingSlash === 'strict')
}
