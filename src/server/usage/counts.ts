/** How often a client was seen at a place, and when last. */
interface Pair {
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

/** Clients are numbered below this, so that place and client are one small integer. */
const CLIENTS = 65_536

/** Creates the counts. A pair is a number in each of two arrays and an entry of one map, for objects would take twice the memory. */
export function createCounts(): Counts {
  const clients = new Map<string | undefined, number>()
  const slots = new Map<number, number>()
  const counts: number[] = []
  const lasts: number[] = []
  return {
    add: (place, client, count, last) => {
      let known = clients.get(client)
      if (known === undefined) clients.set(client, (known = clients.size))
      const key = place * CLIENTS + known
      const slot = slots.get(key)
      if (slot === undefined) {
        slots.set(key, counts.length)
        counts.push(count)
        lasts.push(last)
        return
      }
      counts[slot] = (counts[slot] ?? 0) + count
      if (last > (lasts[slot] ?? 0)) lasts[slot] = last
    },
    size: () => slots.size,
    pairs: () => {
      const names = [...clients.keys()]
      return [...slots].map(([key, slot]) => ({
        place: Math.trunc(key / CLIENTS),
        client: names[key % CLIENTS],
        count: counts[slot] ?? 0,
        last: lasts[slot] ?? 0,
      }))
    },
  }
}
