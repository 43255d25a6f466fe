import type { JsonRecord } from './data.ts'

/** Two changes of one record, put together. */
export interface Merged {
  readonly data: JsonRecord
  /** The keys that both have changed, to different values; `mine` is in the data. */
  readonly conflicts: readonly string[]
}

/** Applies to `current` what `mine` changes in `base`, key by key of the top level. */
export function mergeData(base: JsonRecord, current: JsonRecord, mine: JsonRecord): Merged {
  const keys = [...new Set([...Object.keys(current), ...Object.keys(mine)])]
  const both = [...new Set([...keys, ...Object.keys(base)])]
  const entries = keys.flatMap((key): [string, unknown][] => {
    const from = isSame(mine, base, key) ? current : mine
    return Object.hasOwn(from, key) ? [[key, from[key]]] : []
  })
  return {
    // not by assignment: a key may be named like something that objects inherit
    data: Object.fromEntries(entries),
    conflicts: both.filter(
      (key) => !isSame(mine, base, key) && !isSame(current, base, key) && !isSame(mine, current, key),
    ),
  }
}

function isSame(a: JsonRecord, b: JsonRecord, key: string): boolean {
  return textOf(a, key) === textOf(b, key)
}

function textOf(record: JsonRecord, key: string): string | undefined {
  return Object.hasOwn(record, key) ? JSON.stringify(record[key]) : undefined
}
