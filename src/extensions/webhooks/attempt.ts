import { LONGEST_TIMER } from '../../base/values.ts'
import type { Delivery } from './outbox.ts'
import type { Posted, Poster, PostProblem } from './send/post.ts'
import { signWebhook } from './signature.ts'
import type { Subscription, Subscriptions } from './subscriptions.ts'

/** The outcome of an attempt. */
export interface WebhookAttempt {
  /** The delivery that was sent. `attempt` is the number of this attempt. */
  readonly delivery: Delivery
  /**
   * `'delivered'` after a status of 2xx, `'retry'` if there will be another attempt, `'failed'` if not, `'disabled'` after a 410, `'dropped'` if
   * the subscription has ended.
   */
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'disabled' | 'dropped'
  /** The status of the answer, or `undefined` without one. */
  readonly status: number | undefined
  /** Why it had no success, besides the status. `'internal'` is an error of your own functions. */
  readonly problem: PostProblem | 'internal' | undefined
  /** The error behind the problem. */
  readonly error: unknown
  /** The milliseconds until the next attempt. */
  readonly delay: number | undefined
  /** The milliseconds that the attempt took. */
  readonly duration: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The schedule of Standard Webhooks. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** A receiver that asks for more waits no longer than this. */
const MAX_DELAY = 24 * HOUR

/** Creates the function that attempts a delivery once. */
export function createTry(
  subscriptions: Subscriptions<never>,
  load: () => Promise<Poster>,
): (delivery: Delivery, retryDelays: readonly number[]) => Promise<WebhookAttempt> {
  const tryOnce = async (delivery: Delivery): Promise<Tried> => {
    try {
      const subscription = await subscriptions.find(delivery.subscription)
      if (subscription === undefined || subscription === null) return { ...NOTHING, outcome: 'dropped' }
      const { post } = await load()
      const posted = await post(subscription.url, deliveryHeaders(delivery, subscription), delivery.body)
      const outcome = attemptOutcome(posted)
      if (outcome === 'disabled') await subscriptions.disable(subscription.id)
      return { ...posted, outcome }
    } catch (error) {
      return { ...NOTHING, problem: 'internal', error, outcome: 'retry' }
    }
  }
  return async (delivery, retryDelays) => {
    const started = performance.now()
    const { retryAfter = 0, outcome, ...tried } = await tryOnce(delivery)
    const duration = performance.now() - started
    const made = { ...tried, delivery, duration, delay: undefined }
    if (outcome !== 'retry') return { ...made, outcome }
    const planned = retryDelays[delivery.attempt - 1]
    if (planned === undefined) return { ...made, outcome: 'failed' }
    // at random, so that what failed together does not come back together
    const delay = Math.max(planned * (1 + Math.random() / 5), Math.min(retryAfter, MAX_DELAY))
    return { ...made, outcome, delay: Math.min(Math.round(delay), LONGEST_TIMER) }
  }
}

/** An attempt, before it is known whether there will be another one. */
interface Tried extends Pick<WebhookAttempt, 'outcome' | 'status' | 'problem' | 'error'> {
  readonly retryAfter?: number | undefined
}

const NOTHING = { status: undefined, problem: undefined, error: undefined } as const

function deliveryHeaders(
  { id, body }: Delivery,
  { secrets }: Subscription,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    'content-type': 'application/json',
    'user-agent': 'octavo-webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook({ id, timestamp, body, secrets }),
  }
}

function attemptOutcome({ status = 0, problem }: Posted): WebhookAttempt['outcome'] {
  // the next attempt would be refused too
  if (problem === 'target') return 'failed'
  if (status === 410) return 'disabled'
  return problem === undefined && status >= 200 && status < 300 ? 'delivered' : 'retry'
}
