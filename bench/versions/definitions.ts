import { defineController, defineModule } from '../../src/index.ts'
import type { HttpRequest, Method } from '../../src/index.ts'

/** A scheme, or several with the options of each, and the options they share. */
export type Versioning = readonly [schemes: object, options?: object]

/** A route as the benchmarks list them. */
export interface ListedRoute {
  readonly method: string
  readonly path: string
  readonly version?: string | readonly string[]
}

/** A module of routes that answer a text. `reads`: their handlers read a header. */
export function toModule(listed: readonly ListedRoute[], reads = false): object {
  const handler = reads
    ? (_input: unknown, context: { readonly request: HttpRequest }) =>
        context.request.header('user-agent') ?? ''
    : () => 'done'
  const routes = listed.map(({ method, path, version }, index) => ({
    method: method as Method,
    path: path as `/${string}`,
    name: `r${index}`,
    handler,
    ...(version === undefined ? {} : { version }),
  }))
  return defineModule({ controllers: [defineController({ name: 'bench', prefix: '', routes })] })
}
