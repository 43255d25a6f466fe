import { once } from '../../base/async.ts'
import type { DocumentSource } from './documented.ts'
import type { Documents } from './documents.ts'

/** The documents of an application, whose code is loaded when something first asks for them. */
export interface LazyDocuments {
  readonly get: () => Promise<Documents>
  /** Loads everything that `document` needs. */
  readonly load: () => Promise<void>
  /** @throws `Error` before `load`. */
  readonly loaded: () => Documents
}

/** Creates the documents of an application; the source is asked when the first is wanted. What cannot be documented is passed to `fail`. */
export function createLazyDocuments(
  source: () => DocumentSource,
  fail: (error: unknown) => never,
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
  }
}
