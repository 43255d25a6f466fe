import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { scopesOf, type AnyGuard } from '../../define/layers.ts'
import { printTree } from '../../router/print.ts'
import type { Method } from '../../http/http.ts'
import { specEntries } from '../../versioning/version.ts'

/** One route of `app.routes()`. */
export interface RouteEntry {
  /** The full name, such as `car.getOne`. */
  readonly name: string
  /** The name of the controller or router. */
  readonly controller: string
  /** The methods that the route answers. */
  readonly methods: readonly Method[]
  /** The full pattern. */
  readonly path: string
  /** The versions as they were declared; empty for an unversioned route, `'neutral'` for VERSION_NEUTRAL. */
  readonly versions: readonly string[]
  /** The groups in documents. */
  readonly tags: readonly string[]
  /** Whether documents mark it as deprecated. */
  readonly deprecated: boolean
  /** The names of its guards, of every level, in the order in which they run. A `?` follows those that pass requests without credentials. */
  readonly guards: readonly string[]
  /** Whether no guard demands credentials. Guards without `security` don't count, because they may decide by anything else. */
  readonly public: boolean
  /** The `meta` of the route. */
  readonly meta: object
}

/** The routes as data, in definition order. */
export function toRouteList(routes: readonly ResolvedRoute[]): readonly RouteEntry[] {
  return routes.map(({ name, controller, methods, pattern, version, tags, deprecated, layers, meta }) => ({
    name,
    controller,
    methods,
    path: pattern.text,
    versions: specEntries(version).map((entry) => (typeof entry === 'string' ? entry : 'neutral')),
    tags,
    deprecated,
    guards: layers.guards.map(({ part }) => `${part.name}${allowsAnonymous(part) ? '?' : ''}`),
    public: layers.guards.every(({ part }) => part.security === undefined || allowsAnonymous(part)),
    meta,
  }))
}

/** Whether one of the alternatives in documents needs no credentials. */
function allowsAnonymous({ security = [] }: AnyGuard): boolean {
  return security.some(
    (alternative) => Object.keys(alternative).length === 0 && scopesOf(alternative) === undefined,
  )
}

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
