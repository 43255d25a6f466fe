import { resolve, type Components } from '../../base/json-schema.ts'
import type { Content, Operation } from '../../openapi/document/types.ts'
import { findJson, JSON_TYPE, typeOf, withDefinitions, type ObjectSchema } from './json-parts.ts'

/** How the body of a success is read. */
export type ResultKind = 'json' | 'text' | 'events' | 'items'

interface DescribedResult {
  readonly kind: ResultKind
  readonly isWrapped: boolean
  readonly schema: ObjectSchema | undefined
}

/** How the results of an operation are read and described, or why they cannot. */
export function describeResult({ responses }: Operation, schemas: Components): DescribedResult | string {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const contents = successes.map(([, response]): Content =>
    '$ref' in response ? {} : (response.content ?? {}),
  )
  const types = contents.flatMap((content) => Object.keys(content)).map(typeOf)
  if (types.includes('text/event-stream')) return { kind: 'events', isWrapped: true, schema: undefined }
  if (types.includes('application/x-ndjson')) return { kind: 'items', isWrapped: true, schema: undefined }
  const unread = types.find((type) => !JSON_TYPE.test(type) && !type.startsWith('text/'))
  if (unread !== undefined) return `its result is ${unread}`
  const [schema, ...others] = contents.map(findJson).filter((found) => found !== undefined)
  if (types.some((type) => !JSON_TYPE.test(type))) return { kind: 'text', isWrapped: true, schema: undefined }
  if (schema === undefined) return { kind: 'json', isWrapped: true, schema: undefined }
  const root = resolve(schema, schemas)
  if (types.includes('*/*')) return { kind: 'json', isWrapped: false, schema: undefined }
  const isObject = root['type'] === 'object'
  // with several schemas, or with none beside one, no schema is true for all results
  const isOne = others.length === 0 && contents.length === 1
  if (!isOne) return { kind: 'json', isWrapped: false, schema: undefined }
  const shown = isObject
    ? { ...root, type: 'object' as const }
    : { type: 'object' as const, properties: { result: schema }, required: ['result'] }
  return { kind: 'json', isWrapped: !isObject, schema: withDefinitions(shown, schemas) }
}
