import type { VersionValue } from './scheme.ts'

/** Real clients send few distinct values of a header: this many are remembered, then all are dropped. */
const REMEMBERED = 256
/** Longer texts are read each time. */
const REMEMBERED_LENGTH = 256

/** The latest texts are compared one by one: a map has to hash what was just received first. */
const RECENT = 4

/** A reading of header values that remembers what it found. */
export function remember(read: (text: string) => VersionValue): (text: string) => VersionValue {
  const readKnown = rememberAll(read)
  const recent: { readonly text: string; readonly value: VersionValue }[] = []
  let next = 0
  return (text) => {
    for (const known of recent) if (known.text === text) return known.value
    const value = readKnown(text)
    if (text.length <= REMEMBERED_LENGTH) {
      recent[next] = { text, value }
      next = (next + 1) % RECENT
    }
    return value
  }
}

function rememberAll(read: (text: string) => VersionValue): (text: string) => VersionValue {
  const remembered = new Map<string, VersionValue>()
  return (text) => {
    const known = remembered.get(text)
    if (known !== undefined || remembered.has(text)) return known
    const value = read(text)
    if (text.length <= REMEMBERED_LENGTH) {
      if (remembered.size >= REMEMBERED) remembered.clear()
      remembered.set(text, value)
    }
    return value
  }
}
