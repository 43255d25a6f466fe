import type { Container, Injection } from './container.ts'

const NOTHING = Object.freeze({})

const NOTHING_INJECTED: Injection = {
  isAsync: false,
  read: () => NOTHING,
  readAsync: () => Promise.resolve(NOTHING),
}

/**
 * Creates the container of an application that neither provides nor injects anything. Tokens can still be resolved, for which `load`
 * returns a container.
 */
export function createLateContainer(load: () => Promise<Container>): Container {
  let loaded: Container | undefined
  return {
    start: () => Promise.resolve(),
    end: async () => (await loaded?.end()) ?? [],
    prepare: () => NOTHING_INJECTED,
    resolve: async (...asked) => {
      loaded ??= await load()
      return loaded.resolve(...asked)
    },
    openScope: (context) => {
      if (loaded === undefined) throw new Error('Nothing was resolved yet')
      return loaded.openScope(context)
    },
  }
}
