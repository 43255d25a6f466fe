import { once, importInTurn } from '../../base/values.ts'
import type { DocumentSource } from './documented.ts'
import type { AppDocuments } from './documents.ts'
import type * as Viewers from './viewers.ts'

/** Loads what not every platform has beside documents: viewers, which are files of packages. */
export interface DocsExtras {
  readonly loadViewers?: (() => Promise<typeof Viewers>) | undefined
}

/** The documents of an application, whose code is loaded when something first asks for them. */
export interface LazyDocuments {
  readonly get: () => Promise<AppDocuments>
  /** Loads everything that `document` needs. */
  readonly load: () => Promise<void>
  /** Loads the code that makes documents, and makes none. */
  readonly prepare: () => Promise<void>
  /** @throws `Error` before `load`. */
  readonly loaded: () => AppDocuments
  readonly extras: DocsExtras
}

/** Creates the documents of an application; the source is asked when the first is wanted. What cannot be documented is passed to `fail`. */
export function createLazyDocuments(
  source: () => DocumentSource,
  fail: (error: unknown) => never,
  extras: DocsExtras,
): LazyDocuments {
  let documents: AppDocuments | undefined
  const get = once(async () => {
    const { createAppDocuments } = await importInTurn(() => import('./documents.ts'))
    return (documents = createAppDocuments(source, fail))
  })
  return {
    get,
    load: async () => (await get()).load(),
    prepare: async () => (await get()).prepare(),
    loaded: () => {
      if (documents === undefined)
        throw new Error('openapi: call await app.ready() first, also after listen()')
      return documents
    },
    extras,
  }
}
