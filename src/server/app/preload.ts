import type { Middleware } from '../../define/layers.ts'
import { documentedOf } from '../../define/layers.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { loadDecoding } from '../request/request.ts'
import { loadMultipart } from '../request/uploads.ts'
import type { SourceName } from '../../schema/sources.ts'

/**
 * Loads what the guards, interceptors, middleware and files of an application need. The application does not start without it.
 *
 * @throws `DefinitionError` if an optional package is missing.
 */
export async function loadParts(
  routes: readonly ResolvedRoute[],
  middleware: readonly Middleware[] = [],
): Promise<void> {
  if (hasSource(routes, 'files')) await loadMultipart()
  await loadEach([
    ...middleware,
    ...routes.flatMap(({ layers }) => [
      ...layers.middleware,
      ...[...layers.guards, ...layers.interceptors].map(({ part }) => part),
    ]),
  ])
}

/**
 * Loads what the first requests of routes would load, because Node 20 does not try again to import a file that it could not open once.
 * `loadFiles` loads what reads files, on platforms that have some.
 */
export async function preload(
  routes: readonly ResolvedRoute[],
  loadFiles: (() => Promise<unknown>) | undefined,
): Promise<void> {
  await loadFiles?.()
  await loadDecoding()
  if (hasSource(routes, 'form')) await loadMultipart()
  await loadEach(routes.map(({ handler }) => handler))
}

function hasSource(routes: readonly ResolvedRoute[], name: SourceName): boolean {
  return routes.some(({ sources }) => sources.some((source) => source.name === name))
}

async function loadEach(parts: readonly object[]): Promise<void> {
  const loads = new Set(documentedOf([...new Set(parts)]).map(({ load }) => load))
  for (const load of loads) await load?.()
}
