import type { ExecutionContext } from '../../define/context.ts'
import type { AnyController } from '../../define/controller.ts'
import type { AnyRoute } from '../../define/route.ts'
import type { Settings } from '../options/settings.ts'
import type { DocsOptions } from '../options/docs.ts'
import type { DocumentFiles, DocumentFormat } from './document-files.ts'
import type { LazyDocuments } from './lazy-documents.ts'
import type { Page } from './page/page.ts'

/**
 * The routes that serve the documents of an application and the page that shows them. They say nothing of versions, so that they
 * answer whatever version a request names, in whatever way.
 */
export function createDocsRouter(
  options: DocsOptions,
  { prefix, trailingSlash }: Settings,
  documents: LazyDocuments,
): AnyController {
  const base = (options.path ?? '/docs').replace(/\/$/, '')
  return {
    kind: 'router',
    name: 'docs',
    // paths are written out, for below a prefix each ends with a slash or has something behind it
    prefix: '',
    includeInSchema: false,
    ...(options.guards === undefined ? {} : { guards: options.guards }),
    routes: [
      ...documentRoutes(base, documents),
      { method: 'GET', path: `${base}/client.json`, name: 'client', handler: showRoutes(documents) },
      ...(options.ui === false
        ? []
        : pageRoutes(base, options.ui, () => loadPage(prefix + base, options, documents), trailingSlash)),
    ],
  }
}

/** The handler that tells clients the routes of a version. */
function showRoutes(
  documents: LazyDocuments,
): (input: unknown, context: ExecutionContext) => Promise<unknown> {
  return async (_input, context) => {
    const [{ showRouteMap }, loaded] = await Promise.all([import('./client-route.ts'), documents.get()])
    return showRouteMap(loaded, context)
  }
}

function documentRoutes(base: string, documents: LazyDocuments): readonly AnyRoute[] {
  let loading: Promise<DocumentFiles> | undefined
  const load = async (): Promise<DocumentFiles> => {
    const [{ createDocumentFiles }, loaded] = await Promise.all([
      import('./document-files.ts'),
      documents.get(),
    ])
    return createDocumentFiles(loaded)
  }
  const serve = async (format: DocumentFormat, version?: string): Promise<unknown> =>
    (await (loading ??= load()))(format, version)
  return (['json', 'yaml'] as const).flatMap((format): readonly AnyRoute[] => [
    {
      method: 'GET',
      path: `${base}/openapi.${format}`,
      name: `combined-${format}`,
      handler: () => serve(format),
    },
    {
      method: 'GET',
      path: `${base}/openapi/{version}.${format}`,
      name: `version-${format}`,
      handler: ({ params }: Params<'version'>) => serve(format, params.version),
    },
  ])
}

function pageRoutes(
  base: string,
  ui: DocsOptions['ui'],
  open: () => Promise<Page>,
  trailingSlash: Settings['trailingSlash'],
): readonly AnyRoute[] {
  let loading: Promise<Page> | undefined
  // loaded when somebody looks
  const load = (): Promise<Page> => (loading ??= open())
  const show = async (_input: unknown, context: ExecutionContext): Promise<unknown> =>
    (await load()).show(context)
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

async function loadPage(path: string, options: DocsOptions, documents: LazyDocuments): Promise<Page> {
  const [{ createPage }, loaded] = await Promise.all([import('./page/page.ts'), documents.get()])
  return createPage(path, options, loaded)
}

interface Params<N extends string> {
  readonly params: Readonly<Record<N, string>>
}
