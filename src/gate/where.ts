import { pick } from './document/pick.ts'
import type { Source } from './document/source.ts'
import type { Documents } from './operation/context.ts'
import type { Fact } from './schema/fact.ts'

/** Where a difference stands in a named schema. */
export interface Named {
  readonly schema: string
  readonly at: string
}

/** The named schema in which a fact stands, if it is in one in both documents. */
export function toNamed({ base, revision }: Fact, documents: Documents): Named | undefined {
  const [was, is] = [readPlace(documents.base, base), readPlace(documents.revision, revision)]
  if (was === undefined || is === undefined) return undefined
  return was.at.length > is.at.length ? was : is
}

/** Keywords with one schema, and the step that findings have for it. */
const SINGLE: Readonly<Record<string, string>> = {
  items: 'items',
  additionalProperties: '*',
  unevaluatedProperties: '*',
  propertyNames: '(names)',
}

/** The named schema that an object of a document stands in, and where. */
function readPlace(source: Source, value: object | undefined): Named | undefined {
  const [components, schemas, schema, ...steps] = source.stepsOf(value)
  if (components !== 'components' || schemas !== 'schemas' || schema === undefined) return undefined
  const at: string[] = []
  let node = pick(source.root, [components, schemas, schema])
  for (let index = 0; index < steps.length; index++) {
    const keyword = steps[index] ?? ''
    const own = pick(node, [keyword])
    const inner = SINGLE[keyword]
    if (inner !== undefined && !Array.isArray(own)) {
      at.push(inner)
      node = own
      continue
    }
    const name = steps[++index] ?? ''
    at.push(...toInner(keyword, name, own))
    node = pick(own, [name])
  }
  return { schema, at: at.join('/') }
}

/** The step for a member of a list or record of schemas. */
function toInner(keyword: string, name: string, own: unknown): readonly string[] {
  if (keyword === 'allOf') return []
  if (keyword === 'patternProperties') return [`(${name})`]
  if (keyword !== 'anyOf' && keyword !== 'oneOf') return [name]
  const others = Array.isArray(own) ? own.filter((each) => pick(each, ['type']) !== 'null') : []
  const title = pick(own, [name, 'title'])
  return others.length < 2 ? [] : [`(${typeof title === 'string' ? title : name})`]
}
