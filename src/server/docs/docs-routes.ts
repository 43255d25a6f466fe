import type { ExecutionContext } from '../../define/context.ts'
import type { AnyController } from '../../define/controller.ts'
import type { AnyRoute } from '../../define/route.ts'
import type { Settings } from '../options/settings.ts'
import { createClientRoute } from './client-route.ts'
import { createDocumentFiles } from './document-files.ts'
import type { DocsOptions } from './docs-options.ts'
import type { Documents } from './documents.ts'
import type { Page } from './page/page.ts'

/**
 * The routes that serve the documents of an application and the page that shows them. They say nothing of versions, so that they
 * answer whatever version a request names, in whatever way.
 */
export function createDocsRouter(
  options: DocsOptions,
  { prefix, trailingSlash }: Settings,
  documents: Documents,
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
      { method: 'GET', path: `${base}/client.json`, name: 'client', handler: createClientRoute(documents) },
      ...(options.ui === false
        ? []
        : pageRoutes(base, options.ui, () => loadPage(prefix + base, options, documents), trailingSlash)),
    ],
  }
}

function documentRoutes(base: string, documents: Documents): readonly AnyRoute[] {
  const serve = createDocumentFiles(documents)
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

async function loadPage(path: string, options: DocsOptions, documents: Documents): Promise<Page> {
  const { createPage } = await import('./page/page.ts')
  return createPage(path, options, documents)
}

interface Params<N extends string> {
  readonly params: Readonly<Record<N, string>>
}
