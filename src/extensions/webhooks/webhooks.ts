import type { Webhook } from '../../openapi/webhook.ts'
import {
  once,
  ignoreRejection,
  isBoolean,
  isFunction,
  isMilliseconds,
  isObject,
  isPositive,
  isRecord,
  messageOf,
  importInTurn,
} from '../../base/values.ts'
import { stepProblems } from '../../changes/check-steps.ts'
import { messageProblems } from '../../changes/check-used.ts'
import { findHistoryInternals } from '../../changes/internals.ts'
import { webhookNameProblems, webhookNames } from '../../changes/operations/webhook-names.ts'
import {
  checkOptionNames,
  checkOptions,
  invalidOption,
  missingOptions,
  DefinitionError,
  type Rules,
  type DefinitionProblem,
} from '../../base/definition-error.ts'
import { isWorkerd, openChannel, createUuid } from '../../base/platform.ts'
import { requireZod, type InputOf, type Schema } from '../../schema/schema.ts'
import type { VersionHistory } from '../../versioning/options.ts'
import { createTry, RETRY_DELAYS, type WebhookAttempt } from './attempt.ts'
import { createMemoryOutbox, type Delivery, type Outbox } from './outbox.ts'
import type { Poster, PostLimits } from './send/post.ts'
import type { TargetOptions } from './send/target.ts'
import type { Subscriptions } from './subscriptions.ts'
import { historyCodeOf } from '../../routes/resolved-route.ts'
import { toDeclared } from '../../schema/declared.ts'
import { withJsonReaders, RESULT_READERS } from '../../schema/coercion.ts'
import { createValidator, formatIssues } from '../../schema/validator.ts'

/** The options of `createWebhooks`. */
export interface CreateWebhooksOptions<A = unknown> extends TargetOptions, Partial<PostLimits> {
  /** Your store of subscriptions. */
  readonly subscriptions: Subscriptions<A>
  /** The history that subscriptions are pinned to a version of. @default none */
  readonly history?: VersionHistory
  /** The values that changes of the history inject to load data, by their keys. @default {} */
  readonly inject?: Readonly<Record<string, unknown>>
  /** Where deliveries wait for their attempts. @default `createMemoryOutbox()` */
  readonly outbox?: Outbox
  /**
   * The milliseconds until each further attempt. Up to a fifth is added at random, and a longer `Retry-After` counts instead. @default
   * the schedule of Standard Webhooks: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h
   */
  readonly retryDelays?: readonly number[]
  /** Milliseconds of an attempt, from resolving the name to the end of the answer. @default 15000 */
  readonly timeout?: number
  /** Bytes that an answer may have. Its content is not used. @default 65536 */
  readonly answerLimit?: number
}

/** Sends webhooks. */
export interface Webhooks<A = unknown> {
  /**
   * Puts an event into the outbox, once for each subscription. Resolves to its id when the outbox has all of them.
   *
   * @example
   * await webhooks.send(CarSold, { id: '7', price: 9000 }, { audience: account.id })
   *
   * @throws `TypeError` for data that the schema refuses, and an `AggregateError` of the subscriptions that it cannot be sent to, because
   * their version is unknown or the outbox refuses the delivery. The others get it.
   */
  send<S extends Schema>(webhook: Webhook<S>, data: InputOf<S>, options?: SendOptions<A>): Promise<string>
  /**
   * Creates the deliveries of an event without an outbox, so that you store them in the transaction that the event is about.
   *
   * @throws `TypeError` for data that the schema refuses.
   */
  prepare<S extends Schema>(
    webhook: Webhook<S>,
    data: InputOf<S>,
    options?: SendOptions<A>,
  ): Promise<Prepared>
  /**
   * Attempts a delivery once, and puts it into the outbox again if there is to be another one. Call it in the worker of your queue. It
   * rejects only if the outbox does, and after `close`. Your queue then has to keep the job.
   */
  deliver(delivery: Delivery): Promise<WebhookAttempt>
  /**
   * Checks a URL as each attempt does, for example before you store a subscription.
   *
   * @throws `WebhookTargetError` if nothing would be sent there, and what `lookup` fails with.
   */
  checkUrl(url: string): Promise<void>
  /** Closes the outbox, waits for the attempts that run, and closes the connections. Later attempts reject. */
  close(): Promise<void>
}

/** The channels of `node:diagnostics_channel` for webhooks. */
export const WebhookChannels = {
  /** Publishes a {@link WebhookAttempt} after each attempt. */
  attempt: 'octavo.webhook.attempt',
} as const

const ATTEMPTS = openChannel(WebhookChannels.attempt)

const WHERE = 'createWebhooks'

const SUBSCRIPTIONS = 'an object with functions of, find and disable'

const hasFunctions =
  (...names: readonly string[]) =>
  (value: unknown): boolean =>
    isObject(value) && names.every((name) => isFunction(Reflect.get(value, name)))

const OPTIONS: Rules = {
  subscriptions: [hasFunctions('of', 'find', 'disable'), SUBSCRIPTIONS],
  history: [isRecord, 'what defineVersions returns'],
  inject: [isRecord, 'an object'],
  outbox: [hasFunctions('add'), 'an object with a function add'],
  retryDelays: [
    (value) => Array.isArray(value) && value.every((delay) => isMilliseconds(delay)),
    'a list of numbers of milliseconds',
  ],
  timeout: [isMilliseconds, 'a number of milliseconds'],
  answerLimit: [isPositive, 'a number of bytes, at least 1'],
  allowPrivate: [isBoolean, 'true or false'],
  allowHttp: [isBoolean, 'true or false'],
  ports: [(value) => Array.isArray(value) && value.every(isPositive), 'a list of numbers of ports'],
  lookup: [isFunction, 'a function such as lookup of node:dns'],
}

/**
 * Creates what sends webhooks, signed as Standard Webhooks says. Each subscription gets the payloads of its version. Attempts go to public
 * addresses only, and are repeated until one has success.
 *
 * @example
 * const webhooks = createWebhooks({ subscriptions, history })
 * await webhooks.send(CarSold, { id: '7', price: 9000 })
 *
 * @throws `DefinitionError` when an option is wrong, or a change of the history.
 */
export function createWebhooks<A = unknown>(options: CreateWebhooksOptions<A>): Webhooks<A> {
  const missing = missingOptions(WHERE, options, ['subscriptions'], `give ${SUBSCRIPTIONS}`)
  checkOptions(WHERE, options, OPTIONS, missing, 'createWebhooks({ subscriptions })')
  const { subscriptions, history, inject, outbox = createMemoryOutbox() } = options
  const { retryDelays = RETRY_DELAYS, timeout = 15_000, answerLimit = 65_536 } = options
  const problems = webhookHistoryProblems(history)
  if (problems.length > 0) throw new DefinitionError(problems)
  // the code that opens connections needs modules of Node, which platforms that only verify webhooks may lack
  let poster: Poster | undefined
  const load = once(async () => {
    if (isWorkerd()) throw new DefinitionError([NO_SOCKETS])
    const { createPoster } = await importInTurn(() => import('./send/post.ts'))
    return (poster = createPoster(options, { timeout, answerLimit }))
  })

  // not with the first event, when there may be no file to open; what fails is reported then
  ignoreRejection(load().then((loaded) => loaded.load()))

  const prepare = createPrepare(subscriptions, { history, inject })
  const tryOnce = createTry(subscriptions, load)
  const { deliver, close } = createDeliver(async (delivery) => {
    // not an attempt that failed, because none is possible here
    await load()
    const attempt = await tryOnce(delivery, retryDelays)
    const { delay } = attempt
    if (delay !== undefined) await outbox.add({ ...delivery, attempt: delivery.attempt + 1 }, delay)
    if (ATTEMPTS.hasSubscribers) ATTEMPTS.publish(attempt)
    return attempt
  })

  outbox.connect?.(deliver)
  return {
    prepare,
    deliver,
    send: async (webhook, data, given) => {
      const { id, deliveries, errors } = await prepare(webhook, data, given)
      const failed = await addAll(outbox, deliveries)
      const all = [...errors, ...failed]
      if (all.length > 0)
        throw new AggregateError(
          all,
          `The event ${id} cannot be sent to ${all.length} of ${errors.length + deliveries.length} subscriptions`,
          { cause: all[0]?.cause },
        )
      return id
    },
    checkUrl: async (url) => {
      const { check } = await load()
      await check(url)
    },
    close: async () => {
      await outbox.close?.()
      await close()
      await poster?.close()
    },
  }
}

/** Puts deliveries into the outbox. Returns an error for each that it refuses. */
async function addAll(outbox: Outbox, deliveries: readonly Delivery[]): Promise<readonly Error[]> {
  const results = await Promise.allSettled(deliveries.map(async (delivery) => outbox.add(delivery, 0)))
  return deliveries.flatMap(({ event, subscription }, at) => {
    const result = results[at]
    return result?.status === 'rejected' ? [notSentError(event, subscription, result.reason)] : []
  })
}

/** Creates `deliver`, and what waits for all attempts and refuses later ones. */
function createDeliver(attempt: Webhooks['deliver']): Pick<Webhooks, 'deliver' | 'close'> {
  const running = new Set<Promise<WebhookAttempt>>()
  let isClosed = false
  return {
    deliver: async (delivery) => {
      // a queue keeps the job, and no attempt is counted
      if (isClosed) throw new Error('The webhooks are closed')
      const made = attempt(delivery)
      running.add(made)
      return made.finally(() => running.delete(made))
    },
    close: async () => {
      isClosed = true
      await Promise.allSettled(running)
    },
  }
}

/** A Worker resolves names by itself, so it would connect to what was not checked. */
const NO_SOCKETS = invalidOption(
  WHERE,
  'a Worker cannot send webhooks',
  'store what prepare or send returns in a queue, and call deliver and checkUrl in a process of Node, Bun or Deno',
)

/** The mistakes in changes, which an application with the history refuses too. */
function webhookHistoryProblems(history: unknown): readonly DefinitionProblem[] {
  const parts = findHistoryInternals(history)?.parts
  // mistakes are found while the changes of a schema are looked for
  for (const schema of parts?.messages ?? []) parts?.plans.reachOf(schema)
  if (parts === undefined) return []
  const named = webhookNameProblems(parts.changes, [])
  const chains = [...parts.plans.chains.values()]
  const steps = new Set(chains.flatMap((chain) => chain.steps))
  // a payload is only converted to older versions; whether requests carry its models is for applications to know
  return [
    ...parts.problems,
    ...messageProblems(parts),
    ...named,
    ...stepProblems(chains, { sent: new Set(), handled: steps, told: steps }),
  ]
}

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

const SEND_OPTIONS: ReadonlySet<string> = new Set(['audience', 'id'])

/** Creates the function that makes the deliveries of an event. */
function createPrepare<A>(
  subscriptions: Subscriptions<A>,
  parts: PayloadParts,
): (webhook: Webhook, data: unknown, options?: SendOptions<A>) => Promise<Prepared> {
  return async (webhook, data, options = {}) => {
    checkOptionNames('Webhooks.send', options, SEND_OPTIONS)
    const { id = `msg_${createUuid().replaceAll('-', '')}`, audience } = options
    if (!/^[\w-]{1,200}$/.test(id)) throw new TypeError('The id of an event has letters, digits, "_" and "-"')
    const payloads = await createPayloads(webhook, data, parts)
    const deliveries: Delivery[] = []
    const errors: Error[] = []
    const names = webhookNames(webhook.name, findHistoryInternals(parts.history)?.parts.changes ?? [])
    const found = await Promise.all(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without an audience, the function takes none
      names.map(async (name) => subscriptions.of(name, audience as A)),
    )
    const byId = new Map(found.flatMap((each) => [...each]).map((each) => [each.id, each]))
    for (const { id: subscription, version } of byId.values()) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- subscriptions of one version share a payload
        const body = await payloads.of(version ?? undefined)
        if (body !== undefined) deliveries.push({ id, event: webhook.name, subscription, body, attempt: 1 })
      } catch (cause) {
        errors.push(notSentError(webhook.name, subscription, cause))
      }
    }
    return { id, deliveries, errors }
  }
}

function notSentError(event: string, subscription: string, cause: unknown): Error {
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
  // a value that older requests may have had is stored beside all others
  const newest = webhook.stateIn(null, { list: [], format: 'string', history })?.schema ?? schema
  const parsed = await createValidator(withJsonReaders(newest, RESULT_READERS))(data)
  if (!('value' in parsed))
    throw new TypeError(
      `The data of the webhook ${name} is not as its schema says: ${formatIssues(parsed.issues)}`,
    )
  const timestamp = new Date().toISOString()
  const versions = history?.versions ?? []
  const write = async (version: string | undefined): Promise<string | undefined> => {
    if (version === undefined) return JSON.stringify({ type: name, timestamp, data: parsed.value })
    const migrate = historyCodeOf(history)?.migrate
    if (migrate === undefined || !versions.includes(version))
      throw new RangeError(`There is no version ${version}: there are ${versions.join(', ') || 'none'}`)
    const older = webhook.stateIn(version, { list: versions, format: 'string', history })
    if (older === undefined) return undefined
    // functions of changes may make more than the older version declares
    const value = await migrate(schema, parsed.value, { to: version }, { provide: async () => inject })
    const turned = toDeclared(older.schema, value)
    return JSON.stringify({ type: older.name, timestamp, data: turned })
  }
  const written = new Map<string | undefined, Promise<string | undefined>>()
  return {
    of: (asked) => {
      const version = history?.spellings.get(asked ?? '') ?? asked
      const known = written.get(version) ?? write(version)
      written.set(version, known)
      return known
    },
  }
}
