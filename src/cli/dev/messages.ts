/** Messages that arrive for one reader, which asks for them. */
export interface MessageQueue<T> {
  readonly put: (thing: T) => void
  /** Settles when something is there; what is there is taken by `take`. */
  readonly arrival: () => Promise<void>
  /** Everything that is there. */
  readonly take: () => readonly T[]
}

/** Creates a queue of messages for one reader. */
export function createMessageQueue<T>(): MessageQueue<T> {
  let things: T[] = []
  let wake: (() => void) | undefined
  return {
    put: (thing) => {
      things.push(thing)
      wake?.()
    },
    arrival: () =>
      things.length > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            wake = resolve
          }),
    take: () => {
      const taken = things
      things = []
      return taken
    },
  }
}
