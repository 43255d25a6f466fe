import type { ProviderNode } from './node.ts'

/** Values that end together. */
export interface Lifetime {
  /** Creates the value of a node from its dependencies, and remembers it for the end. */
  readonly create: (node: ProviderNode, deps: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Disposes everything, the latest first, each once, also when others fail. Returns the errors. */
  readonly end: () => Promise<readonly Error[]>
}

/** Starts a lifetime with nothing in it. */
export function createLifetime(): Lifetime {
  const made: { readonly node: ProviderNode; readonly value: unknown }[] = []
  const underWay = new Set<Promise<unknown>>()
  let ending: Promise<readonly Error[]> | undefined
  const make = async (node: ProviderNode, deps: Readonly<Record<string, unknown>>): Promise<unknown> => {
    if (node.provider === undefined) return node.value
    // the types of `inject` were forgotten on the way; the graph has connected each key with its token
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const value = await node.provider.create(deps as never)
    if (node.provider.dispose !== undefined) made.push({ node, value })
    return value
  }
  const disposeAll = async (): Promise<readonly Error[]> => {
    // what is still being made would never be disposed otherwise
    while (underWay.size > 0) await Promise.allSettled(underWay)
    const errors: Error[] = []
    for (const { node, value } of made.splice(0).toReversed()) {
      try {
        await node.provider?.dispose?.(value)
      } catch (cause) {
        errors.push(new Error(`${node.label} of ${node.owner.label} could not be disposed`, { cause }))
      }
    }
    return errors
  }
  return {
    create: (node, deps) => {
      if (ending !== undefined) return Promise.reject(endedError(node))
      const making = make(node, deps)
      underWay.add(making)
      const settle = (): void => void underWay.delete(making)
      making.then(settle, settle)
      return making
    },
    end: () => (ending ??= disposeAll()),
  }
}

function endedError({ label }: ProviderNode): Error {
  return new Error(`${label} was injected after its request or application had ended`)
}
