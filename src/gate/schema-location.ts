import { eachSchema, OF_ITSELF, schemaList, type JsonSchema } from '../base/json-schema.ts'
import { isRecord, toRecord } from '../base/values.ts'
import { pickAt } from './json.ts'
import type { ComparedSource } from './document/source.ts'
import type { ComparedDocuments } from './operation/compared-documents.ts'
import type { SchemaDifference } from './schema/schema-difference.ts'

/** Where a difference stands in a named schema. */
export interface NamedPlace {
  readonly schema: string
  readonly at: string
}

/** Stands for a fact of what refers to another schema than before: neither of the two has changed. */
export const ELSEWHERE = 'elsewhere'

/** The named schema in which a fact stands, if it is in one in both documents. */
export function findNamedSchema(
  { base, revision }: SchemaDifference,
  documents: ComparedDocuments,
): NamedPlace | typeof ELSEWHERE | undefined {
  const [was, is] = [readPlace(documents.base, base), readPlace(documents.revision, revision)]
  if (was === undefined || is === undefined) return undefined
  if (isElsewhere(was.schema, is.schema, documents)) return ELSEWHERE
  return was.at.length > is.at.length ? was : is
}

/** Whether a named schema is another one than before, which is still there. A renamed one isn't. */
export function isElsewhere(was: string | undefined, is: string, { revision }: ComparedDocuments): boolean {
  if (was === undefined || was === is) return false
  return was in toRecord(toRecord(revision.root['components'])['schemas'])
}

/** The named schema that an object of a document stands in, and where. */
function readPlace(source: ComparedSource, value: object | undefined): NamedPlace | undefined {
  const [components, schemas, schema, ...steps] = source.stepsOf(value)
  if (components !== 'components' || schemas !== 'schemas' || schema === undefined) return undefined
  let node = pickAt(source.root, [components, schemas, schema])
  const at: string[] = []
  for (let index = 0; index < steps.length && isRecord(node);) {
    const inner = innerAt(node, steps.slice(index))
    if (inner === undefined) break
    at.push(...schemaStep(node, inner))
    index += inner.key === undefined ? 1 : 2
    node = inner.schema
  }
  return { schema, at: at.join('/') }
}

interface Inner {
  readonly schema: JsonSchema
  readonly keyword: string
  readonly key: string | undefined
}

/** The schema in another one to which steps lead. */
function innerAt(node: JsonSchema, [first, second]: readonly string[]): Inner | undefined {
  let found: Inner | undefined
  eachSchema(node, (schema, keyword, key) => {
    if (keyword === first && (key === undefined || key === second)) found = { schema, keyword, key }
  })
  return found
}

/** The steps that findings have for keywords with one schema. */
const STEPS: Readonly<Record<string, string>> = {
  additionalProperties: '*',
  unevaluatedProperties: '*',
  propertyNames: '(names)',
}

/** The step to a schema in another one, as findings have it. */
function schemaStep(node: JsonSchema, { schema, keyword, key }: Inner): readonly string[] {
  if (keyword === 'allOf') return []
  if (key === undefined) return [STEPS[keyword] ?? keyword]
  if (keyword === 'patternProperties') return [`(${key})`]
  if (!OF_ITSELF.has(keyword)) return [key]
  const others = schemaList(node[keyword]).filter(({ type }) => type !== 'null')
  return others.length < 2 ? [] : [`(${typeof schema['title'] === 'string' ? schema['title'] : key})`]
}
