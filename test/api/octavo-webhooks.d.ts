// The public types of octavo/webhooks. npm run api writes this file, and nothing imports it.

export interface CreateWebhooksOptions<A = unknown> extends TargetOptions, Partial<PostLimits> {
  readonly answerLimit?: number
  readonly history?: VersionHistory
  readonly inject?: Readonly<Record<string, unknown>>
  readonly outbox?: Outbox
  readonly retryDelays?: readonly number[]
  readonly subscriptions: Subscriptions<A>
  readonly timeout?: number
}

export interface Delivery {
  readonly attempt: number
  readonly body: string
  readonly event: string
  readonly id: string
  readonly subscription: string
}

export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface MemoryOutbox extends Outbox {
  close(): Promise<readonly Delivery[]>
}

export interface MemoryOutboxOptions {
  readonly concurrency?: number
  readonly maxDeliveries?: number
}

export interface Outbox {
  add(delivery: Delivery, delay: number): Awaitable<unknown>
  close?(): Awaitable<unknown>
  connect?(deliver: (delivery: Delivery) => Promise<unknown>): void
}

export interface PostLimits {
  readonly answerLimit: number
  readonly timeout: number
}

export type PostProblem = 'target' | 'redirect' | 'timeout' | 'answer_too_large' | 'network'

export interface Prepared {
  readonly deliveries: readonly Delivery[]
  readonly errors: readonly Error[]
  readonly id: string
}

export interface SendOptions<A = unknown> {
  readonly audience?: A
  readonly id?: string
}

export type SignatureFormat = 'standard' | 'github' | 'stripe'

export interface SignedWebhook {
  readonly body: string | Uint8Array
  readonly id: string
  readonly secrets: string | readonly string[]
  readonly timestamp: number
}

export interface Subscription {
  readonly id: string
  readonly secrets: string | readonly string[]
  readonly url: string
  readonly version?: string | null | undefined
}

export interface Subscriptions<A = unknown> {
  disable(id: string): Awaitable<unknown>
  find(id: string): Awaitable<Subscription | null | undefined>
  of(event: string, audience: A): Awaitable<Iterable<Subscription>>
}

export interface TargetOptions {
  readonly allowHttp?: boolean
  readonly allowPrivate?: boolean
  readonly lookup?: Lookup
  readonly ports?: readonly number[]
}

export type TargetProblem = 'url' | 'scheme' | 'credentials' | 'port' | 'host' | 'address'

export interface VerifyOptions<D extends Tokens = {}> {
  readonly description?: string
  readonly format?: SignatureFormat
  readonly inject?: D
  readonly replays?: boolean | Store
  readonly schemeName?: string
  readonly secrets:
    | string
    | readonly string[]
    | ((
        context: ExecutionContext,
        inject: Injected<D>,
      ) => Awaitable<string | readonly string[] | null | undefined>)
  readonly tolerance?: number
}

export interface WebhookAttempt {
  readonly delay: number | undefined
  readonly delivery: Delivery
  readonly duration: number
  readonly error: unknown
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'disabled' | 'dropped'
  readonly problem: PostProblem | 'internal' | undefined
  readonly status: number | undefined
}

export const WebhookChannels: {
  readonly attempt: 'octavo.webhook.attempt'
}

export interface WebhookOptions<S extends Schema = Schema> extends Pick<
  Webhook,
  'summary' | 'description' | 'tags' | 'deprecated'
> {
  readonly name: string
  readonly schema: S
  readonly version?: VersionSpec
}

export class WebhookTargetError extends Error {
  constructor(problem: TargetProblem)
  readonly name = 'WebhookTargetError'
  readonly problem: TargetProblem
}

export interface Webhooks<A = unknown> {
  checkUrl(url: string): Promise<void>
  close(): Promise<void>
  deliver(delivery: Delivery): Promise<WebhookAttempt>
  prepare<S extends Schema>(
    webhook: Webhook<S>,
    data: InputOf<S>,
    options?: SendOptions<A>,
  ): Promise<Prepared>
  send<S extends Schema>(webhook: Webhook<S>, data: InputOf<S>, options?: SendOptions<A>): Promise<string>
}

export function createMemoryOutbox(options?: MemoryOutboxOptions): MemoryOutbox

export function createWebhookSecret(): string

export function createWebhooks<A = unknown>(options: CreateWebhooksOptions<A>): Webhooks<A>

export function defineWebhook<S extends Schema>(options: WebhookOptions<S>): Webhook<S>

export function signWebhook({ id, timestamp, body, secrets }: SignedWebhook): string

export function verifyWebhook<D extends Tokens = {}>(options: VerifyOptions<D>): Guard
