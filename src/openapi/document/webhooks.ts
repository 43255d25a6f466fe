import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { Webhook, WebhookState } from '../webhook.ts'
import { UNNAMED } from '../../schema/route-schemas.ts'
import type { Schema } from '../../schema/schema.ts'
import type {
  Conversion,
  Convertible,
  DocumentSettings,
  Operation,
  Parameter,
  PathItem,
  SchemaObject,
} from './types.ts'
import { toFreeName } from './refs.ts'

/** A webhook as some versions have it, with its data in the place of a streamed item: both are JSON that Octavo sends. */
export interface DocumentedWebhook extends Convertible {
  readonly webhook: Webhook
}

/** Creates the function that finds the webhooks of a version, `null` for no version. Versions in which one is the same share it. */
export function createWebhooksOf(
  webhooks: readonly Webhook[],
  list: readonly string[],
  { versioning }: Pick<DocumentSettings, 'versioning'>,
): (version: string | null) => readonly DocumentedWebhook[] {
  const versions = {
    list,
    format: versioning?.format ?? 'string',
    history: versioning?.history,
  }
  const known = new Map<Schema, DocumentedWebhook[]>()
  return (version) =>
    webhooks.flatMap((webhook) => {
      const state = webhook.stateIn(version, versions)
      if (state === undefined) return []
      const shapes = known.get(state.schema) ?? []
      known.set(state.schema, shapes)
      const found = shapes.find((each) => each.webhook === webhook && each.name === state.name)
      if (found !== undefined) return [found]
      const documented = toDocumentedWebhook(webhook, state)
      shapes.push(documented)
      return [documented]
    })
}

function toDocumentedWebhook(webhook: Webhook, { name, schema }: WebhookState): DocumentedWebhook {
  return {
    webhook,
    name,
    label: `webhook ${name}`,
    pattern: NO_PATTERN,
    sources: [],
    responses: new Map(),
    stream: { kind: 'items', schemas: new Map([[UNNAMED, schema]]) },
    openapi: {},
  }
}

const NO_PATTERN = { text: '', segments: [], params: [], trailingSlash: false }

/** The member `webhooks` of a document: one POST for each, with an id that no operation has. */
export function toWebhooks(
  webhooks: readonly DocumentedWebhook[],
  conversion: Conversion,
  taken: Set<string>,
): Readonly<Record<string, PathItem>> {
  return Object.fromEntries(
    webhooks.map((documented): readonly [string, PathItem] => {
      const data = conversion.routes.get(documented)?.stream.get(UNNAMED)?.schema
      return [documented.name, { post: toWebhookOperation(documented, data, taken) }]
    }),
  )
}

/** Reports webhooks of one version with equal names, because documents would show the last one only. */
export function webhookProblems(webhooks: readonly DocumentedWebhook[]): readonly DefinitionProblem[] {
  const names = webhooks.map(({ name }) => name)
  return webhooks
    .filter(({ name }, at) => names.indexOf(name) !== at)
    .map(({ name, label }) => ({
      code: 'duplicate_name',
      where: label,
      message: `another webhook of the version is named "${name}" too`,
      fix: 'give one of them another name, or other versions',
    }))
}

function toWebhookOperation(
  { name, webhook }: DocumentedWebhook,
  data: SchemaObject | undefined,
  taken: Set<string>,
): Operation {
  const { summary, description, tags = [], deprecated = false } = webhook
  return {
    operationId: toFreeName(`webhook.${name}`, taken),
    ...(tags.length === 0 ? {} : { tags }),
    summary: summary ?? name,
    ...(description === undefined ? {} : { description }),
    ...(deprecated ? { deprecated } : {}),
    security: [],
    parameters: PARAMETERS,
    requestBody: { required: true, content: { 'application/json': { schema: toPayloadSchema(name, data) } } },
    responses: {
      '2XX': { description: 'The event was received.' },
      '410': { description: 'Nobody listens here any more. The subscription ends.' },
      default: { description: 'The event was not received. It is sent again later.' },
    },
  }
}

/** The payload of an event, as Standard Webhooks recommends it. */
function toPayloadSchema(name: string, data: SchemaObject | undefined): SchemaObject {
  return {
    type: 'object',
    properties: {
      type: { type: 'string', const: name, description: 'The type of the event' },
      timestamp: { type: 'string', format: 'date-time', description: 'The time of the event' },
      ...(data === undefined ? {} : { data }),
    },
    required: ['type', 'timestamp', ...(data === undefined ? [] : ['data'])],
  }
}

/** The headers of Standard Webhooks. */
const PARAMETERS: readonly Parameter[] = (
  [
    ['webhook-id', 'The id of the event, the same in every attempt'],
    ['webhook-timestamp', 'The time of the attempt, in seconds since 1970'],
    ['webhook-signature', 'The signatures of id, timestamp and body, as Standard Webhooks writes them'],
  ] as const
).map(([name, description]) => ({
  name,
  in: 'header',
  description,
  required: true,
  schema: { type: 'string' },
}))
