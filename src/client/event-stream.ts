/** An event that arrived, as listeners of `EventSource` see it. */
export interface ReceivedEvent<D = string> {
  /** The name of the event. @default 'message' */
  readonly event: string
  /** The lines of `data`, joined by line feeds, or their value in JSON. */
  readonly data: D
  /** The id of this event, or of the last one before it that had an id. Empty if there is none. */
  readonly id: string
}

/** The items of a route, one after the other. Leaving the loop closes the connection. */
export interface ItemStream<T> extends AsyncIterableIterator<T> {
  /** Waits for the next item. Rejects if the stream can neither be read nor opened again. */
  next(): Promise<IteratorResult<T, undefined>>
  /** Closes the connection. A `next()` that waits is done. */
  return(): Promise<IteratorResult<T, undefined>>
  /** The same iterator. */
  [Symbol.asyncIterator](): this
}

/** The declared events of a route, one after the other. */
export type NamedEvents<E> = ItemStream<E>

/** The events of a route, one after the other. */
export interface EventStream<D = string> extends ItemStream<ReceivedEvent<D>> {
  /**
   * The events with their data read as JSON, of which you know the type `T`.
   *
   * @example
   * for await (const { data } of events.json<{ price: number }>()) show(data.price)
   */
  json<T = unknown>(): EventStream<T>
}

/** The end of a stream. */
export const DONE = { done: true, value: undefined } as const

/** A stream that ends at once when it is closed, also while it waits, which a generator does not. One that fails is closed. */
export function toItemStream<T>(
  read: () => Promise<IteratorResult<T, undefined>>,
  close: () => void,
): ItemStream<T> {
  return {
    next: () =>
      read().catch((error: unknown) => {
        close()
        throw error
      }),
    return: () => {
      close()
      return Promise.resolve(DONE)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
