/** Values by key, of which those that were not asked for lately are dropped. */
export interface Cache<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
}

/**
 * Creates a cache of at most `max` values in two generations. What is not asked for while a whole generation comes is dropped, so the half
 * that was used last always stays. A value of the young generation costs one look, whereas an exact order would cost two changes.
 */
export function createCache<V>(max: number): Cache<V> {
  const generation = Math.ceil(max / 2)
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  const set = (key: string, value: V): void => {
    if (young.size >= generation && !young.has(key)) {
      old = young
      young = new Map()
    }
    old.delete(key)
    young.set(key, value)
  }
  return {
    set,
    get: (key) => {
      const found = young.get(key)
      if (found !== undefined) return found
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
  }
}
