import { EventEmitter, on } from 'node:events'

/** What the station measured at a moment. */
export interface Measurement {
  readonly id: number
  /** ISO 8601. */
  readonly time: string
  /** In degrees Celsius. */
  readonly temperature: number
}

/** A weather station that remembers what it measured. */
export interface Station {
  readonly measure: (temperature: number) => void
  /** What was measured after the one with this id, oldest first. */
  readonly since: (id: number) => readonly Measurement[]
  /** The same, and then whatever comes, until the signal is aborted. */
  readonly watch: (id: number, signal: AbortSignal) => AsyncIterable<Measurement>
}

export function createStation(clock: () => Date = () => new Date()): Station {
  const news = new EventEmitter()
  const measurements: Measurement[] = []
  const since = (id: number): readonly Measurement[] => measurements.slice(id)
  return {
    measure: (temperature) => {
      measurements.push({ id: measurements.length + 1, time: clock().toISOString(), temperature })
      news.emit('measured')
    },
    since,
    watch: async function* watch(id, signal) {
      // listens before it reads, so that nothing is missed between the two
      const changes = on(news, 'measured', { signal })
      let last = id
      for (;;) {
        for (const measurement of since(last)) {
          yield measurement
          last = measurement.id
        }
        await changes.next()
      }
    },
  }
}
