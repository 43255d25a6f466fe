import type { VersionValue } from './scheme.ts'

/** Longer texts are read each time. */
const REMEMBERED_LENGTH = 256

/** The latest texts are compared one by one: a map has to hash what was just received first. */
const RECENT = 4

/** A text that was read. */
interface Known {
  readonly text: string
  readonly value: VersionValue
}

/**
 * A reading of header values that remembers what it found, in as many texts as clients of thousands of versions send. Texts that come
 * again are kept apart from those that came once: values without end, each sent once, take the place of none of them.
 */
export function remember(read: (text: string) => VersionValue): (text: string) => VersionValue {
  const recent: Known[] = []
  let next = 0
  const repeated = new Shelf()
  const fresh = new Shelf()
  return (text) => {
    for (const known of recent) if (known.text === text) return known.value
    if (text.length > REMEMBERED_LENGTH) return read(text)
    let known = repeated.find(text)
    if (known === undefined) {
      const before = fresh.find(text)
      known = before ?? { text, value: read(text) }
      const shelf = before === undefined ? fresh : repeated
      shelf.keep(known)
    }
    recent[next] = known
    next = (next + 1) % RECENT
    return known.value
  }
}

/** Texts kept in a generation: with two of them on two shelves, at most 6 MB of what a hostile client sends. */
const GENERATION = 4096

/** Keeps the texts that were asked for last: at least a generation of them, at most two. */
class Shelf {
  #young = new Map<string, Known>()
  #old = new Map<string, Known>()

  find(text: string): Known | undefined {
    const young = this.#young.get(text)
    if (young !== undefined) return young
    const old = this.#old.get(text)
    if (old !== undefined) this.keep(old)
    return old
  }

  keep(known: Known): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(known.text, known)
  }
}
