import { defineRouter } from '../../define/controller.ts'
import type { AnyController } from '../../define/controller.ts'
import { file } from '../../send/file.ts'
import type { DocsOptions } from './docs-options.ts'
import type { Documents } from './documents.ts'

/** The routes that serve the documents of an application and the page that shows them. */
export function createDocsRouter(options: DocsOptions, documents: Documents): AnyController {
  const router = defineRouter({
    name: 'docs',
    prefix: options.path ?? '/docs',
    includeInSchema: false,
    ...(options.guards === undefined ? {} : { guards: options.guards }),
    routes: [
      {
        method: 'GET',
        path: '/openapi.json',
        name: 'combined',
        handler: async () => {
          await documents.load()
          return file(Buffer.from(JSON.stringify(documents.document())), { type: 'application/json' })
        },
      },
    ],
  })
  // the routes keep their types for the client alone
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return router as unknown as AnyController
}
