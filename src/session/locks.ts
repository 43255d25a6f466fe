/** Runs tasks of one key one after the other, in the order they came. */
export type Locks = <T>(key: string, task: () => Promise<T>) => Promise<T>

/** Makes locks; a key is forgotten when nothing waits for it. */
export function createLocks(): Locks {
  const last = new Map<string, Promise<void>>()
  return async (key, task) => {
    const before = last.get(key)
    let release: (() => void) | undefined
    const done = new Promise<void>((resolve) => {
      release = resolve
    })
    last.set(key, done)
    try {
      await before
      return await task()
    } finally {
      if (last.get(key) === done) last.delete(key)
      release?.()
    }
  }
}
