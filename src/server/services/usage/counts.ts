import { flatCopy } from '../../../base/values.ts'

/** The numbers of calls, and moments in milliseconds since the day began, which are small integers. */
export interface Tally {
  readonly count: number
  /** When the last call was. */
  readonly last: number
  readonly clientErrors: number
  /** Answered with 5xx. */
  readonly serverErrors: number
  /** Refused by a brownout. */
  readonly brownouts: number
  readonly lastBrownout: number
  /** In the version that the client is pinned to. */
  readonly pinned: number
  /** In the default version. */
  readonly defaulted: number
}

/** The calls of a client at a place. */
export interface Pair extends Tally {
  readonly place: number
  readonly client: string | undefined
}

/** Counts pairs of places and clients. */
export interface Counts {
  readonly add: (place: number, client: string | undefined, tally: Tally) => void
  readonly size: () => number
  readonly pairs: () => readonly Pair[]
  readonly clients: (place: number) => Iterable<readonly [client: string | undefined, last: number]>
  /** Moves the calls of a client from one place to another, and to the name of another client. */
  readonly move: (place: number, client: string | undefined, to: number, name: string) => void
}

/** The cells of a pair, in this order. */
const CELLS = [
  'count',
  'last',
  'clientErrors',
  'serverErrors',
  'brownouts',
  'lastBrownout',
  'pinned',
  'defaulted',
] as const
/** Of these cells, the latest moment counts. */
const MOMENTS: readonly string[] = ['last', 'lastBrownout']
const LAST = CELLS.indexOf('last')

/**
 * Creates the counts. The cells of a pair lie side by side in one array, for objects would take twice the memory, and each further place
 * in memory that a rare client is looked up in takes longer than all the rest.
 */
export function createCounts(): Counts {
  const cells: number[] = []
  const slots: Map<string | undefined, number>[] = []
  /** Slots whose pair was moved. */
  const free: number[] = []
  const cellOf = (slot: number, index: number): number => cells[slot + index] ?? 0
  const tallyOf = (slot: number): Tally => ({
    count: cellOf(slot, 0),
    last: cellOf(slot, 1),
    clientErrors: cellOf(slot, 2),
    serverErrors: cellOf(slot, 3),
    brownouts: cellOf(slot, 4),
    lastBrownout: cellOf(slot, 5),
    pinned: cellOf(slot, 6),
    defaulted: cellOf(slot, 7),
  })
  const add: Counts['add'] = (place, client, tally) => {
    const own = (slots[place] ??= new Map())
    const known = own.get(client)
    const slot = known ?? free.pop() ?? cells.length
    if (known === undefined) own.set(client === undefined ? client : flatCopy(client), slot)
    let at = slot
    for (const name of CELLS) {
      const before = known === undefined ? 0 : (cells[at] ?? 0)
      cells[at] = MOMENTS.includes(name) ? Math.max(before, tally[name]) : before + tally[name]
      at++
    }
  }
  return {
    add,
    size: () => cells.length / CELLS.length - free.length,
    pairs: () =>
      // a place without clients is a hole
      slots.flatMap((own, place) => [...own].map(([client, slot]) => ({ place, client, ...tallyOf(slot) }))),
    clients: function* (place) {
      for (const [client, slot] of slots[place] ?? []) yield [client, cellOf(slot, LAST)]
    },
    move: (place, client, to, name) => {
      const slot = slots[place]?.get(client)
      if (slot === undefined) return
      const tally = tallyOf(slot)
      slots[place]?.delete(client)
      free.push(slot)
      add(to, name, tally)
    },
  }
}
