import type { Webhook } from '../../openapi/webhook.ts'
import { createId } from '../../base/platform.ts'
import { messageOf } from '../../base/values.ts'
import type { Delivery } from './outbox.ts'
import type { Subscriptions } from './subscriptions.ts'
import { historyCodeOf } from '../../routes/history.ts'
import { toDeclared } from '../../schema/declared.ts'
import { fromJson, RESULT_READERS } from '../../schema/from-json.ts'
import { requireZod } from '../../schema/to-zod.ts'
import { createValidator, toReason } from '../../schema/validator.ts'
import type { VersionHistory } from '../../versioning/options.ts'

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

/** The payloads of one event by version, each written once. */
interface Payloads {
  /**
   * The payload in a version, `undefined` for the newest one, or `undefined` if the version doesn't have the webhook.
   *
   * @throws `RangeError` for an unknown version, and what a change throws.
   */
  readonly of: (version: string | undefined) => Promise<string | undefined>
}

/** The history of payloads, and the values that its changes inject. */
interface PayloadParts {
  readonly history: VersionHistory | undefined
  /** The values that changes of the history inject. */
  readonly inject?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Validates the data of an event by its newest schema. Changes then make the payloads of older versions of it.
 *
 * @throws `TypeError` for data that the schema refuses.
 */
async function createPayloads(
  webhook: Webhook,
  data: unknown,
  { history, inject = {} }: PayloadParts,
): Promise<Payloads> {
  const { name, schema } = webhook
  await requireZod()
  const parsed = await createValidator(fromJson(schema, RESULT_READERS))(data)
  if (!('value' in parsed))
    throw new TypeError(
      `The data of the webhook ${name} is not as its schema says: ${toReason(parsed.issues)}`,
    )
  const timestamp = new Date().toISOString()
  const versions = history?.versions ?? []
  const write = async (version: string | undefined): Promise<string | undefined> => {
    if (version === undefined) return JSON.stringify({ type: name, timestamp, data: parsed.value })
    const migrate = historyCodeOf(history)?.migrate
    if (migrate === undefined || !versions.includes(version))
      throw new RangeError(`There is no version ${version}: there are ${versions.join(', ') || 'none'}`)
    const older = webhook.schemaIn(version, { list: versions, format: 'string', history })
    if (older === undefined) return undefined
    // functions of changes may make more than the older version declares
    const value = await migrate(schema, parsed.value, { to: version }, {}, async () => inject)
    const turned = toDeclared(older, value)
    return JSON.stringify({ type: name, timestamp, data: turned })
  }
  const written = new Map<string | undefined, Promise<string | undefined>>()
  return {
    of: (version) => {
      const known = written.get(version) ?? write(version)
      written.set(version, known)
      return known
    },
  }
}
