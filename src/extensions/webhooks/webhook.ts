import { findHistoryInternals } from '../../changes/internals.ts'
import { isWebhookName, webhookBefore } from '../../changes/operations/webhook-names.ts'
import { checkOptions, missingOptions, recordLocation, type Rules } from '../../base/definition-error.ts'
import type { Webhook } from '../../openapi/webhook.ts'
import { isSchema, type Schema } from '../../schema/schema.ts'
import { isBoolean, isNonEmptyString } from '../../base/values.ts'
import { createKnown, expandSpec, type VersionSpec } from '../../versioning/version.ts'

/** The options of `defineWebhook`. */
export interface WebhookOptions<S extends Schema = Schema> extends Pick<
  Webhook,
  'summary' | 'description' | 'tags' | 'deprecated'
> {
  /** The type of the event, in words that full stops separate, such as `car.sold`. Receivers find it as `type` in the payload. */
  readonly name: string
  /** The schema of the data in the newest version. Changes of your history reach the models in it. */
  readonly schema: S
  /** The versions that have the webhook, such as `'>=2'`. @default all */
  readonly version?: VersionSpec
}

const WHERE = 'defineWebhook'

const EXAMPLE = "defineWebhook({ name: 'car.sold', schema: Car })"

const OPTIONS: Rules = {
  name: [isWebhookName, "a name of words and full stops, such as 'car.sold'"],
  schema: [isSchema, 'a schema'],
  version: [
    (value) =>
      Array.isArray(value) ? value.length > 0 && value.every(isVersionEntry) : isVersionEntry(value),
    "a version, a range such as '>=2', or a list of them",
  ],
  summary: [isNonEmptyString, 'a text'],
  description: [isNonEmptyString, 'a text'],
  tags: [(value) => Array.isArray(value) && value.every(isNonEmptyString), 'a list of texts'],
  deprecated: [isBoolean, 'true or false'],
}

/**
 * Defines an event that your API reports to subscribers. List it in `docs.webhooks` of `createApp`, and send it with `createWebhooks`.
 *
 * @example
 * const CarSold = defineWebhook({ name: 'car.sold', schema: Car })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function defineWebhook<S extends Schema>(options: WebhookOptions<S>): Webhook<S> {
  const missing = missingOptions(WHERE, options, ['name', 'schema'], `write ${EXAMPLE}`)
  checkOptions(WHERE, options, OPTIONS, missing, EXAMPLE)
  const { name, schema, version } = options
  const webhook: Webhook<S> = {
    ...options,
    kind: 'webhook',
    stateIn: (asked, versions) => {
      const { list, format, history } = versions
      const parts = findHistoryInternals(history)?.parts
      const sent = parts?.plans.widen(schema) ?? schema
      if (asked === null) return { name, schema: sent }
      const claimed =
        version === undefined ? undefined : expandSpec(version, createKnown({ versions: list, format }))
      if (claimed?.neutral === false && !claimed.claims.has(asked)) return undefined
      const age = parts?.ages.get(asked)
      if (parts === undefined || age === undefined) return { name, schema: sent }
      return {
        name: webhookBefore(name, parts.changes.slice(0, age)),
        schema: parts.plans.planOf(sent, age)?.wire ?? sent,
      }
    },
  }
  return recordLocation(webhook, defineWebhook)
}

function isVersionEntry(value: unknown): boolean {
  return isNonEmptyString(value) || typeof value === 'symbol'
}
