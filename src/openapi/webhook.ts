import type { Schema } from '../schema/schema.ts'
import type { VersionHistory } from '../versioning/options.ts'
import type { VersionSpec, VersionFormat } from '../versioning/version.ts'

/** The versions among which that of a webhook is chosen. */
interface WebhookVersions {
  /** All of them, in any order. */
  readonly list: readonly string[]
  /** How they are written. */
  readonly format: VersionFormat
  /** The changes between them, or `undefined` for versions without changes. */
  readonly history: Pick<VersionHistory, 'versions'> | undefined
}

/** An event that your API reports to subscribers, as `defineWebhook` of `octavo/webhooks` returns it. */
export interface Webhook<S extends Schema = Schema> {
  /** Distinguishes webhooks from other definitions. */
  readonly kind: 'webhook'
  /** The type of the event, such as `car.sold`. */
  readonly name: string
  /** The schema of the data in the newest version. */
  readonly schema: S
  /** The versions that have the webhook, or `undefined` for all. */
  readonly version?: VersionSpec
  /** A short text for documents. */
  readonly summary?: string
  /** A longer text for documents. May hold Markdown. */
  readonly description?: string
  /** The groups of the webhook in documents. */
  readonly tags?: readonly string[]
  /** Whether receivers should stop relying on it. */
  readonly deprecated?: boolean
  /** The name and the schema of the data in a version, or `undefined` if the version doesn't have the webhook. @internal */
  readonly stateIn: (version: string | null, versions: WebhookVersions) => WebhookState | undefined
}

/** A webhook in a version. */
export interface WebhookState {
  /** The type of the event. */
  readonly name: string
  /** The schema of the data. */
  readonly schema: Schema
}
