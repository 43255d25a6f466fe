import type { Shape } from './shape.ts'

interface Entry<V> {
  readonly second: Shape
  value: V
  readonly next: Entry<V> | undefined
}

/** What is known of pairs of shapes. Most shapes have one partner, so a map for each would be a waste. */
export class PairMap<V> {
  readonly #entries = new Map<Shape, Entry<V>>()

  get(first: Shape, second: Shape): V | undefined {
    return this.#find(first, second)?.value
  }

  set(first: Shape, second: Shape, value: V): void {
    const entry = this.#find(first, second)
    if (entry === undefined) this.#entries.set(first, { second, value, next: this.#entries.get(first) })
    else entry.value = value
  }

  #find(first: Shape, second: Shape): Entry<V> | undefined {
    let entry = this.#entries.get(first)
    while (entry !== undefined && entry.second !== second) entry = entry.next
    return entry
  }
}
