export {
  createMemoryOutbox,
  type Delivery,
  type MemoryOutbox,
  type MemoryOutboxOptions,
  type Outbox,
} from './outbox.ts'
export { createWebhookSecret } from './signature.ts'
export type { PostLimits, PostProblem } from './send/post.ts'
export type { Lookup, TargetOptions } from './send/target.ts'
export { WebhookTargetError, type TargetProblem } from './send/target.ts'
export { signWebhook, type SignatureFormat, type SignedWebhook } from './signature.ts'
export { verifyWebhook, type VerifyOptions } from './verify.ts'
export { defineWebhook, type WebhookOptions } from './webhook.ts'
export {
  createWebhooks,
  WebhookChannels,
  type CreateWebhooksOptions,
  type Webhooks,
  type Prepared,
  type SendOptions,
} from './webhooks.ts'
export type { WebhookAttempt } from './attempt.ts'
export type { Subscription, Subscriptions } from './subscriptions.ts'
