import { suggestion, type DefinitionProblem } from '../../base/definition-error.ts'
import { isString } from '../../base/values.ts'
import { changeProblem, type AnyChange } from '../chain.ts'
import type { WebhookWas } from './operation.ts'

/** A part of a change that describes a webhook. */
interface WebhookPart extends WebhookWas {
  readonly kind: 'webhook'
}

export function isWebhookName(value: unknown): value is string {
  return isString(value) && /^[\w-]+(?:\.[\w-]+)*$/.test(value)
}

function isWebhook(part: unknown): part is WebhookPart {
  return typeof part === 'object' && part !== null && 'kind' in part && part.kind === 'webhook'
}

/** The webhooks that changes describe, newest change first. */
export function webhooksOf(
  changes: readonly AnyChange[],
): readonly (WebhookPart & { readonly change: AnyChange })[] {
  return changes.flatMap((change) => change.change.filter(isWebhook).map((part) => ({ ...part, change })))
}

/** The name that a webhook had before some changes, newest first: what the oldest of them says counts. */
export function webhookBefore(name: string, changes: readonly AnyChange[]): string {
  return webhooksOf(changes).findLast(({ webhook }) => webhook === name)?.name.was ?? name
}

/** All names that a webhook had, newest first. Subscriptions may have been made by any of them. */
export function webhookNames(name: string, changes: readonly AnyChange[]): readonly string[] {
  const own = webhooksOf(changes).filter(({ webhook }) => webhook === name)
  return [...new Set([name, ...own.map((part) => part.name.was)])]
}

/** The mistakes in what changes say of webhooks. `known` are the names of those that documents show, or empty if they show none. */
export function webhookNameProblems(
  changes: readonly AnyChange[],
  known: readonly string[],
): readonly DefinitionProblem[] {
  /** The newest change of each webhook so far, and the name before it. */
  const newer = new Map<string, { readonly was: string; readonly version: string }>()
  return webhooksOf(changes).flatMap(({ webhook, name: { was }, change }) => {
    const { was: now, version } = newer.get(webhook) ?? { was: webhook, version: undefined }
    newer.set(webhook, { was, version: change.version })
    const label = `operation of the webhook ${webhook}`
    if (known.length > 0 && !known.includes(webhook))
      return [
        changeProblem(
          change,
          `${label}: docs.webhooks does not list it`,
          `${suggestion(webhook, known)} (webhooks have their newest names)`,
        ),
      ]
    if (version === change.version)
      return [
        changeProblem(
          change,
          `the name of the webhook ${webhook} is described twice in one version`,
          'keep one of the two, or give the older one an older version',
          'field_touched_twice',
        ),
      ]
    if (was !== now) return []
    return [
      changeProblem(
        change,
        `${label} says that its name was what it is`,
        'write what it was before the change, or remove it',
      ),
    ]
  })
}
