/** A route that every application of this part has. */
export interface AppRoute {
  readonly index: number
  readonly kind: 'plain' | 'query' | 'body'
  readonly method: 'GET' | 'POST'
  /** The path before its parameter, which is `id`. */
  readonly prefix: string
}

/** A third of the routes validates a query or a body, the first among them. */
const KINDS: readonly AppRoute['kind'][] = ['query', 'plain', 'plain', 'body', 'plain', 'plain']

/** The routes that the process is asked to have. */
export const ROUTES: readonly AppRoute[] = Array.from(
  { length: Number(process.argv[2] ?? 1) },
  (_, index) => {
    const kind = KINDS[index % KINDS.length] ?? 'plain'
    return {
      index,
      kind,
      method: kind === 'body' ? 'POST' : 'GET',
      prefix: `/area-${index % 20}/resource-${index}`,
    }
  },
)

/** The routes in groups of ten, as files have them. */
export const GROUPS: readonly (readonly AppRoute[])[] = Array.from(
  { length: Math.ceil(ROUTES.length / 10) },
  (_, index) => ROUTES.slice(index * 10, index * 10 + 10),
)
