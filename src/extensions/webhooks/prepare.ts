import type { Webhook } from '../../openapi/webhook.ts'
import { createId } from '../../base/platform.ts'
import { messageOf } from '../../base/values.ts'
import type { Delivery } from './outbox.ts'
import { createPayloads, type PayloadParts } from './payload.ts'
import type { Subscriptions } from './subscriptions.ts'

/** The options of `send` and `prepare` besides the data. */
export interface SendOptions<A = unknown> {
  /** Passed to `subscriptions.of`, such as the account that the event belongs to. */
  readonly audience?: A
  /** The id of the event. Receivers ignore an id that they know. @default a new one */
  readonly id?: string
}

/** An event that is ready for its outbox. */
export interface Prepared {
  /** The id of the event. */
  readonly id: string
  /** One for each subscription whose version has the webhook. */
  readonly deliveries: readonly Delivery[]
  /** The subscriptions for which no payload can be made, each as an error that names it. */
  readonly errors: readonly Error[]
}

/** Creates the function that makes the deliveries of an event. */
export function createPrepare<A>(
  subscriptions: Subscriptions<A>,
  parts: PayloadParts,
): (webhook: Webhook, data: unknown, options?: SendOptions<A>) => Promise<Prepared> {
  return async (webhook, data, options = {}) => {
    const { id = `msg_${createId().replaceAll('-', '')}`, audience } = options
    if (!/^[\w-]{1,200}$/.test(id)) throw new TypeError('The id of an event has letters, digits, "_" and "-"')
    const payloads = await createPayloads(webhook, data, parts)
    const deliveries: Delivery[] = []
    const errors: Error[] = []
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without an audience, the function takes none
    for (const { id: subscription, version } of await subscriptions.of(webhook.name, audience as A)) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- subscriptions of one version share a payload
        const body = await payloads.of(version ?? undefined)
        if (body !== undefined) deliveries.push({ id, event: webhook.name, subscription, body, attempt: 1 })
      } catch (cause) {
        errors.push(notSent(webhook.name, subscription, cause))
      }
    }
    return { id, deliveries, errors }
  }
}

/** The error of a subscription that an event cannot be sent to. */
export function notSent(event: string, subscription: string, cause: unknown): Error {
  return new Error(`The subscription ${subscription} gets no ${event}: ${messageOf(cause)}`, { cause })
}
