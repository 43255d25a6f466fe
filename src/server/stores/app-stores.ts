import type { AppStores, Store } from '../../define/store.ts'

/** Creates the stores of an application. */
export function createAppStores(shared: Store | undefined): AppStores {
  const kept = new Map<object, unknown>()
  return {
    of: <T>(definition: object, create: (store: Store | undefined) => T): T => {
      if (!kept.has(definition)) kept.set(definition, create(shared))
      // a definition passes the same `create` each time
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return kept.get(definition) as T
    },
  }
}
