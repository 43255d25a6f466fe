import type { Shape } from '../../define/reply.ts'
import { HEARTBEAT, toEventText } from './event-text.ts'

/** A stream of event text, as a response takes it. */
export interface Pump extends AsyncIterableIterator<string> {
  /** The conversion of its events. */
  readonly shape: Shape | undefined
  return(): Promise<IteratorReturnResult<undefined>>
}

/** How a pump runs. */
export interface PumpSettings {
  /** The text before the first event. */
  readonly start: string
  /** Milliseconds of silence after which a heartbeat is sent; 0 for none. */
  readonly heartbeat: number
  /** Called once, when the pump is given up or its source ends. */
  readonly ended: () => void
  /** Converts an event before it is sent. @default it is sent as it is */
  readonly shape?: Shape | undefined
}

type EventIterator = AsyncIterator<unknown> | Iterator<unknown>

type Chunk = IteratorResult<string, undefined>

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/**
 * Creates the stream of events of a source. It reads an event only when a chunk is requested, so a slow client causes no backlog. While the
 * source is idle, heartbeats are sent. `return` ends the stream at once, also while it waits for the source.
 */
export function createPump(source: EventIterator, { start, heartbeat, ended, shape }: PumpSettings): Pump {
  let prefix = start
  let isOver = false
  /** Whether the source was asked and has not answered. */
  let isAsked = false
  /** The result of the source that has no reader yet. */
  let ready: Promise<Chunk> | undefined
  const toChunk = (text: string): Chunk => {
    const value = prefix + text
    prefix = ''
    return { done: false, value }
  }
  const seat = createSeat(heartbeat, () => toChunk(HEARTBEAT))
  const over = (): void => {
    if (isOver) return
    isOver = true
    seat.give(DONE)
    ended()
  }
  const ask = async (): Promise<Chunk> => {
    const text = await readText(source, shape)
    if (text !== undefined) return toChunk(text)
    over()
    return DONE
  }
  const askNow = (): void => {
    isAsked = true
    const answer = ask()
    const settled = (): void => {
      isAsked = false
      if (!seat.give(answer)) ready = answer
    }
    answer.then(settled, settled)
  }
  const pump: Pump = {
    shape,
    [Symbol.asyncIterator]: () => pump,
    next: () => {
      if (isOver) return Promise.resolve(DONE)
      if (ready !== undefined) {
        const answer = ready
        ready = undefined
        return answer
      }
      const chunk = seat.take()
      if (!isAsked) askNow()
      return chunk
    },
    return: () => {
      if (!isOver) {
        over()
        // after the signal, which is what the source may be waiting for
        void giveUp(source)
      }
      return Promise.resolve(DONE)
    },
  }
  return pump
}

/** The text of the next event, or `undefined` if there is none. */
async function readText(source: EventIterator, shape: Shape | undefined): Promise<string | undefined> {
  const { done, value } = await source.next()
  if (done === true) return undefined
  return toEventText(shape === undefined ? value : await shape(value))
}

/** Ends a source; one that fails while it ends has no one left to tell. */
async function giveUp(source: EventIterator): Promise<void> {
  try {
    await source.return?.()
  } catch {}
}

/** Where the one who reads waits for a chunk. */
interface Seat {
  /** Waits, for a heartbeat if nothing else comes. */
  readonly take: () => Promise<Chunk>
  /** Passes a chunk to the waiting reader. Returns whether there was one. */
  readonly give: (chunk: Chunk | Promise<Chunk>) => boolean
}

function createSeat(heartbeat: number, beat: () => Chunk): Seat {
  let waiting: ((chunk: Chunk | Promise<Chunk>) => void) | undefined
  let timer: NodeJS.Timeout | undefined
  const give = (chunk: Chunk | Promise<Chunk>): boolean => {
    clearTimeout(timer)
    const take = waiting
    waiting = undefined
    take?.(chunk)
    return take !== undefined
  }
  return {
    give,
    take: () =>
      new Promise((resolve) => {
        waiting = resolve
        if (heartbeat > 0) timer = setTimeout(() => give(beat()), heartbeat).unref()
      }),
  }
}
