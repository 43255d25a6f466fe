import { documentedOf } from '../../define/layers.ts'
import type { AppStores } from '../../define/store.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { Settings } from '../options/settings.ts'
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
  { layers: { middleware = [] }, stores }: Pick<Settings, 'layers' | 'stores'>,
  app: object,
): Promise<void> {
  if (hasSource(routes, 'files')) await loadMultipart()
  const parts = [
    ...middleware,
    ...routes.flatMap(({ layers }) => [
      ...layers.middleware,
      ...[...layers.guards, ...layers.interceptors].map(({ part }) => part),
    ]),
  ]
  await loadEach(parts, stores, app)
}

/**
 * Loads what the first requests of routes would load, because Node 20 does not try again to import a file that it could not open once.
 * `loadFiles` loads what reads files, on platforms that have some.
 */
export async function preload(
  routes: readonly ResolvedRoute[],
  loadFiles: (() => Promise<unknown>) | undefined,
  { stores }: Pick<Settings, 'stores'>,
  app: object,
): Promise<void> {
  await loadFiles?.()
  await loadDecoding()
  if (hasSource(routes, 'form')) await loadMultipart()
  await loadEach(
    routes.map(({ handler }) => handler),
    stores,
    app,
  )
}

function hasSource(routes: readonly ResolvedRoute[], name: SourceName): boolean {
  return routes.some(({ sources }) => sources.some((source) => source.name === name))
}

async function loadEach(parts: readonly object[], stores: AppStores, app: object): Promise<void> {
  const loads = new Set(documentedOf([...new Set(parts)]).map(({ load }) => load))
  for (const load of loads) await load?.(stores, app)
}
