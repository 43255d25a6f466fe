import { once } from '../../base/values.ts'
import type { createChangelog } from './changelog.ts'
import type { DocumentSource } from './documented.ts'
import type { Documents } from './documents.ts'

/** Loads the code of the changelog. */
export type LoadChangelog = () => Promise<{ readonly createChangelog: typeof createChangelog }>

/** The documents of an application, whose code is loaded when something first asks for them. */
export interface LazyDocuments {
  readonly get: () => Promise<Documents>
  /** Loads everything that `document` needs. */
  readonly load: () => Promise<void>
  /** @throws `Error` before `load`. */
  readonly loaded: () => Documents
  /** `undefined` where no changelog is served. */
  readonly loadChangelog: LoadChangelog | undefined
}

/** Creates the documents of an application; the source is asked when the first is wanted. What cannot be documented is passed to `fail`. */
export function createLazyDocuments(
  source: () => DocumentSource,
  fail: (error: unknown) => never,
  loadChangelog: LoadChangelog | undefined,
): LazyDocuments {
  let documents: Documents | undefined
  const get = once(async () => {
    const { createDocuments } = await import('./documents.ts')
    return (documents = createDocuments(source, fail))
  })
  return {
    get,
    load: async () => (await get()).load(),
    loaded: () => {
      if (documents === undefined) throw new Error('openapi: call await app.ready() first')
      return documents
    },
    loadChangelog,
  }
}
