import type { ResponseKey } from '../../schema/schema.ts'
import type { SourceName } from '../../schema/sources.ts'
import type { ConvertedRoute, StreamedSchema, Content, SchemaObject } from './types.ts'

/** The content of a stream. */
interface ContractStream {
  readonly kind: 'events' | 'items'
  /** The schemas of events by their names, or the one of items. */
  readonly schemas: readonly (readonly [name: string, schema: StreamedSchema])[]
}

/** A route as clients of a version call it, in JSON Schema. */
export interface ContractRoute extends Pick<ConvertedRoute, 'parameters' | 'body'> {
  /** The full name. */
  readonly name: string
  readonly summary: string | undefined
  readonly deprecated: boolean
  /** The methods that it answers. */
  readonly methods: readonly string[]
  /** The declared sources of its input. */
  readonly sources: readonly SourceName[]
  readonly responses: readonly (readonly [status: ResponseKey, content: Content | undefined])[]
  /** The events or items of its stream. */
  readonly stream: ContractStream | undefined
  /** Whether the schema is that of any status. */
  readonly isOneResponse: boolean
}

/** An event that receivers of a version get, in JSON Schema. */
interface ContractWebhook {
  readonly name: string
  readonly summary: string | undefined
  /** The schema of its data, `undefined` if it has none. */
  readonly data: SchemaObject | undefined
}

/** The requests and responses of a version, for its clients. */
export interface Contract {
  /** `null` for requests that name none. */
  readonly version: string | null
  readonly routes: readonly ContractRoute[]
  readonly webhooks: readonly ContractWebhook[]
  /** The named schemas. */
  readonly components: Readonly<Record<string, SchemaObject>>
}
