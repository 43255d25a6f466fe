interface Entry<K, V> {
  readonly second: K
  value: V
  readonly next: Entry<K, V> | undefined
}

/** Facts about pairs. Most things have one partner, so a map for each would be a waste. */
export class PairMap<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>()

  get(first: K, second: K): V | undefined {
    return this.#find(first, second)?.value
  }

  set(first: K, second: K, value: V): void {
    const entry = this.#find(first, second)
    if (entry === undefined) this.#entries.set(first, { second, value, next: this.#entries.get(first) })
    else entry.value = value
  }

  #find(first: K, second: K): Entry<K, V> | undefined {
    let entry = this.#entries.get(first)
    while (entry !== undefined && entry.second !== second) entry = entry.next
    return entry
  }
}
