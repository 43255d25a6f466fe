import { flatCopy } from '../../../base/values.ts'

/** How often a client was seen at a place, and when last. */
export interface Pair {
  readonly place: number
  readonly client: string | undefined
  readonly count: number
  /** Milliseconds since the day began, which are a small integer. */
  readonly last: number
}

/** Counts pairs of places and clients. */
export interface Counts {
  readonly add: (place: number, client: string | undefined, count: number, last: number) => void
  readonly size: () => number
  readonly pairs: () => readonly Pair[]
}

/** The cells of a pair: how often, and when last. */
const CELLS = 2

/**
 * Creates the counts. The cells of a pair lie side by side in one array, for objects would take twice the memory, and each further place
 * in memory that a rare client is looked up in takes longer than all the rest.
 */
export function createCounts(): Counts {
  const cells: number[] = []
  const slots: Map<string | undefined, number>[] = []
  /** Each name once, for every request brings a text of its own. */
  const names = new Map<string, string>()
  const nameOf = (client: string): string => {
    const known = names.get(client)
    if (known !== undefined) return known
    const name = flatCopy(client)
    names.set(name, name)
    return name
  }
  return {
    add: (place, client, count, last) => {
      const own = (slots[place] ??= new Map())
      const slot = own.get(client)
      if (slot === undefined) {
        own.set(client === undefined ? client : nameOf(client), cells.length)
        cells.push(count, last)
        return
      }
      cells[slot] = (cells[slot] ?? 0) + count
      if (last > (cells[slot + 1] ?? 0)) cells[slot + 1] = last
    },
    size: () => cells.length / CELLS,
    pairs: () =>
      // a place without clients is a hole
      slots.flatMap((own, place) =>
        [...own].map(([client, slot]) => ({
          place,
          client,
          count: cells[slot] ?? 0,
          last: cells[slot + 1] ?? 0,
        })),
      ),
  }
}
