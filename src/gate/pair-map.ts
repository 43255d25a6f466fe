/** Facts about pairs. Most things have one partner, so only those with several have a map of their own. */
export class PairMap<K, V> {
  readonly #first = new Map<K, { readonly second: K; value: V }>()
  readonly #others = new Map<K, Map<K, V>>()

  get(first: K, second: K): V | undefined {
    const own = this.#first.get(first)
    return own?.second === second ? own.value : this.#others.get(first)?.get(second)
  }

  set(first: K, second: K, value: V): void {
    const own = this.#first.get(first)
    if (own === undefined) this.#first.set(first, { second, value })
    else if (own.second === second) own.value = value
    else this.#others.set(first, (this.#others.get(first) ?? new Map<K, V>()).set(second, value))
  }
}
