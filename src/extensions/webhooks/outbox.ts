import { checkOptions, invalidOption, type Rules } from '../../base/definition-error.ts'
import { isPositive, type Awaitable } from '../../base/values.ts'
import { isWorkerd } from '../../base/platform.ts'

/** An event for one subscription, as JSON. Its payload is the same in every attempt, and it holds no secret. */
export interface Delivery {
  /** The id of the event, which receivers know it by. */
  readonly id: string
  /** The type of the event. */
  readonly event: string
  /** The id of the subscription. */
  readonly subscription: string
  /** The payload as it is sent. */
  readonly body: string
  /** The number of the next attempt, beginning with 1. */
  readonly attempt: number
}

/** Where deliveries wait for their attempts. */
export interface Outbox {
  /** Stores a delivery that is to be attempted in some milliseconds. When its promise resolves, the delivery is safe. */
  add(delivery: Delivery, delay: number): Awaitable<unknown>
  /** Receives the function that makes an attempt. An outbox whose jobs another process takes has no use for it. */
  connect?(deliver: (delivery: Delivery) => Promise<unknown>): void
  /** Ends, when `close` of the webhooks is called. */
  close?(): Awaitable<unknown>
}

/** The options of `createMemoryOutbox`. */
export interface MemoryOutboxOptions {
  /** How many attempts run at the same time. @default 10 */
  readonly concurrency?: number
  /**
   * How many deliveries it holds, waiting and running ones. Further events are refused, so `send` rejects. A delivery keeps its place for
   * its next attempt. @default 10000
   */
  readonly maxDeliveries?: number
}

/** An outbox in the memory of the process. */
export interface MemoryOutbox extends Outbox {
  /** Attempts everything that waits at once, for the last time. Returns the deliveries without success. */
  close(): Promise<readonly Delivery[]>
}

const WHERE = 'createMemoryOutbox'

const OPTIONS: Rules = {
  concurrency: [isPositive, 'a number of attempts, at least 1'],
  maxDeliveries: [isPositive, 'a number of deliveries, at least 1'],
}

const NO_WORKER = 'give createWebhooks an outbox that stores deliveries, such as a queue of the platform'

/**
 * Creates an outbox in memory, for development, tests and events that may get lost with the process. In production, use a queue on
 * PostgreSQL or Redis.
 *
 * @example
 * const webhooks = createWebhooks({ subscriptions, outbox: createMemoryOutbox({ concurrency: 2 }) })
 */
export function createMemoryOutbox(options: MemoryOutboxOptions = {}): MemoryOutbox {
  const problems = isWorkerd() ? [invalidOption(WHERE, 'a Worker ends with its response', NO_WORKER)] : []
  checkOptions(WHERE, options, OPTIONS, problems)
  const { concurrency = 10, maxDeliveries = 10_000 } = options
  const runner = createRunner(concurrency)
  const timers = new Map<Delivery, NodeJS.Timeout>()
  const left: Delivery[] = []
  let isClosed = false
  return {
    connect: runner.connect,
    add: (delivery, delay) => {
      if (isClosed) {
        if (delivery.attempt === 1) throw new Error('The outbox is closed')
        left.push(delivery)
        return
      }
      // the place of an attempted delivery is free, or becomes so when the attempt has ended
      if (delivery.attempt === 1 && timers.size + runner.count() >= maxDeliveries)
        throw new Error(
          `The outbox in memory is full: it holds ${maxDeliveries} deliveries. Raise maxDeliveries, or use a queue`,
        )
      const timer = setTimeout(() => {
        timers.delete(delivery)
        runner.run([delivery])
      }, delay)
      timers.set(delivery, timer)
    },
    close: async () => {
      isClosed = true
      for (const timer of timers.values()) clearTimeout(timer)
      runner.run(timers.keys())
      timers.clear()
      return [...(await runner.drain()), ...left]
    },
  }
}

/** Runs attempts, a few at the same time. */
interface Runner {
  readonly connect: (deliver: (delivery: Delivery) => Promise<unknown>) => void
  readonly run: (deliveries: Iterable<Delivery>) => void
  /** How many deliveries run, or are due. */
  readonly count: () => number
  /** Waits for all attempts, and returns the deliveries for which there is nothing that attempts them. */
  readonly drain: () => Promise<readonly Delivery[]>
}

function createRunner(concurrency: number): Runner {
  const due: Delivery[] = []
  let running = 0
  let deliver: ((delivery: Delivery) => Promise<unknown>) | undefined
  let drained: (() => void) | undefined
  const next = (): void => {
    const delivery = deliver === undefined || running >= concurrency ? undefined : due.shift()
    if (delivery === undefined) {
      if (running === 0) drained?.()
      return
    }
    void attempt(delivery)
    next()
  }
  const attempt = async (delivery: Delivery): Promise<void> => {
    running += 1
    try {
      await deliver?.(delivery)
    } catch {
      // it rejects only if the outbox takes no delivery, and this one does
    } finally {
      running -= 1
      next()
    }
  }
  return {
    connect: (given) => {
      deliver = given
      next()
    },
    run: (deliveries) => {
      // one by one, because a call has limited room for arguments
      for (const delivery of deliveries) due.push(delivery)
      next()
    },
    count: () => due.length + running,
    drain: async () => {
      await new Promise<void>((resolve) => {
        drained = resolve
        next()
      })
      return due
    },
  }
}
