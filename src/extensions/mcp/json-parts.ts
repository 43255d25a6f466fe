import { mapSchemas, reachOf, refOf, refsIn, type Components } from '../../base/json-schema.ts'
import { parseMediaType } from '../../http/media-type.ts'
import type { Content, SchemaObject } from '../../openapi/document/types.ts'

/**
 * A text for a model without invisible characters, in which a description of a document from elsewhere could hide instructions that
 * its reviewers never saw.
 */
export function toShownText(text: string): string {
  return text.replaceAll(/(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u{E0100}-\u{E01EF}]/gu, '')
}

/** JSON, and the results of routes that declare none. */
export const JSON_TYPE = /^(?:\*\/\*|application\/(?:[^;]+\+)?json)$/

export function findJson(content: Content): SchemaObject | undefined {
  const found = Object.entries(content).find(([type]) => JSON_TYPE.test(typeOf(type)))
  return found === undefined ? undefined : (found[1].schema ?? {})
}

export function typeOf(contentType: string): string {
  return parseMediaType(contentType)?.type ?? contentType
}

/** The schema of an object, as those of tools are. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly [keyword: string]: unknown
}

/** A schema of a document that stands alone: the schemas to which it refers are in its `$defs`. */
export function withDefinitions(schema: ObjectSchema, schemas: Components): ObjectSchema {
  const names = reachOf(refsIn(schema), schemas)
  const own = { ...toOwn(schema), type: schema.type }
  if (names.size === 0) return own
  return { ...own, $defs: Object.fromEntries([...names].map((name) => [name, toOwn(schemas[name] ?? {})])) }
}

function toOwn({ discriminator: _discriminator, ...schema }: SchemaObject): SchemaObject {
  const name = refOf(schema)
  const { description } = schema
  return {
    ...mapSchemas(schema, toOwn),
    ...(name !== undefined && { $ref: `#/$defs/${name}` }),
    ...(typeof description === 'string' && { description: toShownText(description) }),
  }
}
