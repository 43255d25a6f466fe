import { detachString } from '../base/values.ts'
import type { VersionValue } from './schemes/scheme.ts'

/** Longer texts are read each time. */
const REMEMBERED_LENGTH = 256

/** The latest texts are compared one by one: a map has to hash what was just received first. */
const RECENT = 4

/** Texts in a generation: the four there are hold 12 MB of the worst that hostile clients send. */
const GENERATION = 4096

interface CachedReading {
  readonly text: string
  readonly value: VersionValue
}

/**
 * A reading of header values that remembers what it found, for as many texts as the clients of thousands of versions send. Texts that
 * came again are kept apart from those that came once: values without end, each sent once, drive none of them out.
 */
export function cacheReadings(read: (text: string) => VersionValue): (text: string) => VersionValue {
  const recent: CachedReading[] = []
  let next = 0
  const repeated = new Generations()
  const once = new Generations()

  return (text) => {
    for (const known of recent) if (known.text === text) return known.value
    const known = repeated.young.get(text) ?? findOlder(text)
    if (known === undefined) return readNew(text)
    recent[next] = known
    next = (next + 1) % RECENT
    return known.value
  }

  function findOlder(text: string): CachedReading | undefined {
    const known = repeated.old.get(text) ?? once.young.get(text) ?? once.old.get(text)
    if (known !== undefined) repeated.keep(known)
    return known
  }

  function readNew(text: string): VersionValue {
    if (text.length > REMEMBERED_LENGTH) return read(text)
    // before it is read, because versions are parts of it
    const own = detachString(text)
    const value = read(own)
    if (!isLarge(value)) once.keep({ text: own, value })
    return value
  }
}

/** Whether a value is kept apart: what is ambiguous can be many times as large as its text. */
function isLarge(value: VersionValue): boolean {
  return typeof value === 'object' && 'ambiguous' in value
}

/** Texts by their age: what was not kept again while a whole generation came is dropped. */
class Generations {
  young = new Map<string, CachedReading>()
  old = new Map<string, CachedReading>()

  keep(known: CachedReading): void {
    if (this.young.size >= GENERATION) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(known.text, known)
  }
}
