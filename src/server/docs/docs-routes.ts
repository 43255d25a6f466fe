import type { ExecutionContext } from '../../define/context.ts'
import type { AnyController } from '../../define/module.ts'
import type { AnyRoute } from '../../define/route.ts'
import { documenting } from '../../define/layers.ts'
import { once, importInTurn } from '../../base/values.ts'
import type { Settings } from '../options/settings.ts'
import type { DocsOptions } from '../options/docs.ts'
import type { DocumentFormat } from './document-handlers.ts'
import type { LazyDocuments } from './lazy-documents.ts'
import type { DocsPage } from './page/docs-page.ts'
import type { Catalog } from './catalog.ts'

/** Where clients look for the catalog of a host (RFC 9727 section 2). The prefix of the application doesn't precede it. */
const CATALOG_PATH = '/.well-known/api-catalog'

/** The routes that serve documents. */
export interface DocsRouter {
  readonly router: AnyController
  /** The prefix of these routes. All of them have it, or none of them. */
  readonly prefix: Settings['prefix']
  /** Whether global guards don't guard them. */
  readonly isPublic: boolean
}

/**
 * The routes that serve the documents of an application and the page that shows them. They say nothing of versions, so that they
 * answer whatever version a request names, in whatever way. An application whose `paths` have a catalog serves that one.
 */
export function createDocsRouter(
  options: DocsOptions,
  { prefix, trailingSlash }: Pick<Settings, 'prefix' | 'trailingSlash'>,
  documents: LazyDocuments,
  paths: ReadonlySet<string>,
): DocsRouter {
  const base = (options.path || '/docs').replace(/\/$/, '')
  const isOut = prefix.excludes(base || '/', ['GET'])
  const before = isOut ? '' : prefix.path
  const page = once(async () => {
    const [{ createPage }, loaded, viewers] = await Promise.all([
      importInTurn(() => import('./page/docs-page.ts')),
      documents.get(),
      documents.extras.loadViewers?.(),
    ])
    return createPage(before + base, options, loaded, viewers)
  })
  const catalog = once(async (): Promise<Catalog> => {
    const [{ createCatalog }, loaded] = await Promise.all([
      importInTurn(() => import('./catalog.ts')),
      documents.get(),
    ])
    const folder = before + base
    return createCatalog({ path: CATALOG_PATH, folder, hasPage: options.ui !== false }, loaded)
  })
  const router: AnyController = {
    kind: 'router',
    name: 'docs',
    // paths are written out, for below a prefix each ends with a slash or has something behind it
    prefix: '',
    includeInSchema: false,
    ...(options.guards === undefined ? {} : { guards: options.guards }),
    routes: [
      ...documentRoutes(base, documents),
      ...(options.ui === false ? [] : pageRoutes(base, options.ui, page, trailingSlash)),
      ...(paths.has(CATALOG_PATH) ? [] : [catalogRoute(catalog)]),
    ],
  }
  const excludes: Settings['prefix']['excludes'] = (path) => isOut || path === CATALOG_PATH
  return { router, prefix: { ...prefix, excludes }, isPublic: options.public === true }
}

function documentRoutes(base: string, documents: LazyDocuments): readonly AnyRoute[] {
  const load = once(async () => {
    const [{ createDocumentHandlers }, loaded] = await Promise.all([
      importInTurn(() => import('./document-handlers.ts')),
      documents.get(),
    ])
    return createDocumentHandlers(loaded)
  })
  const showRouteMap = documenting(
    async (_input: unknown, context: ExecutionContext): Promise<unknown> =>
      (await load()).showRouteMap(context),
    { load: async () => (await load(), documents.prepare()) },
  )
  const serve = async (
    context: ExecutionContext,
    format: DocumentFormat,
    version?: string,
  ): Promise<unknown> => (await load()).serve(context, format, version)
  const files = (['json', 'yaml'] as const).flatMap((format): readonly AnyRoute[] => [
    {
      method: 'GET',
      path: `${base}/openapi.${format}`,
      name: `combined-${format}`,
      handler: (_input: unknown, context: ExecutionContext) => serve(context, format),
    },
    {
      method: 'GET',
      path: `${base}/openapi/{version}.${format}`,
      name: `version-${format}`,
      handler: ({ params }: Params<'version'>, context: ExecutionContext) =>
        serve(context, format, params.version),
    },
  ])
  return [...files, { method: 'GET', path: `${base}/client.json`, name: 'client', handler: showRouteMap }]
}

function pageRoutes(
  base: string,
  ui: DocsOptions['ui'],
  load: () => Promise<DocsPage>,
  trailingSlash: Settings['trailingSlash'],
): readonly AnyRoute[] {
  const show = documenting(
    async (_input: unknown, context: ExecutionContext): Promise<unknown> => (await load()).show(context),
    { load },
  )
  const page = { method: 'GET', name: 'page', path: base === '' ? '/' : base, handler: show } as const
  return [
    page,
    ...(trailingSlash === 'strict' && base !== '' ? [{ ...page, name: 'page-slash', path: `${base}/` }] : []),
    ...(typeof ui === 'function'
      ? []
      : [
          {
            method: 'GET',
            path: `${base}/assets/{name}`,
            name: 'asset',
            handler: async ({ params }: Params<'name'>) => (await load()).asset(params.name),
          } as const,
        ]),
  ]
}

function catalogRoute(load: () => Promise<Catalog>): AnyRoute {
  const show = documenting(async (): Promise<unknown> => (await load()).show(), { load })
  return { method: 'GET', path: CATALOG_PATH, name: 'catalog', handler: show }
}

interface Params<N extends string> {
  readonly params: Readonly<Record<N, string>>
}
