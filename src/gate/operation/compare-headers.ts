import { isRecord } from '../../base/values.ts'
import type { ComparedParameter } from '../document/read-operations.ts'
import { UNRESOLVED, type Node, type ComparedSource } from '../document/source.ts'
import type { Side } from '../schema/keyword-rules.ts'
import {
  compareSchemas,
  type OperationDifference,
  type ComparedDocuments,
  type FoundDifference,
} from './compared-documents.ts'

/** Headers by their names in lower case. */
export type HeaderNodes = ReadonlyMap<string, Node>

/** The names of rules for headers in responses, and in the responses that a webhook gets. */
const RULES = {
  response: {
    removed: (isRequired: boolean) => `${isRequired ? 'required' : 'optional'}-response-header-removed`,
    added: () => 'response-header-added',
    required: 'response-header-became-required',
    optional: 'response-header-became-optional',
  },
  request: {
    removed: () => 'request-parameter-removed',
    added: (isRequired: boolean) => `new-${isRequired ? 'required' : 'optional'}-request-parameter`,
    required: 'request-parameter-became-required',
    optional: 'request-parameter-became-optional',
  },
} as const

/** The headers of a response. */
export function readResponseHeaders(response: Node, source: ComparedSource): HeaderNodes {
  const headers = source.resolve(response['headers'])
  const entries = Object.entries(isRecord(headers) ? headers : {})
  return new Map(
    entries.flatMap(([name, value]): readonly (readonly [string, Node])[] => {
      const header = source.resolve(value)
      return isRecord(header) && name.toLowerCase() !== 'content-type' ? [[name.toLowerCase(), header]] : []
    }),
  )
}

/** The parameters of a webhook or callback that the server sends, which are as good as headers of a response. */
export function sentHeaders(parameters: readonly ComparedParameter[]): HeaderNodes {
  return new Map(
    parameters
      .filter(({ in: place }) => place !== 'path')
      .map(({ name, node }) => [name.toLowerCase(), node]),
  )
}

/** The differences in headers. `owners` are the objects that have them. */
export function compareHeaders(
  [before, after]: readonly [HeaderNodes, HeaderNodes],
  owners: Pick<OperationDifference, 'base' | 'revision'>,
  documents: ComparedDocuments,
  side: Side,
  at: readonly string[],
): readonly FoundDifference[] {
  const { base, revision } = documents.sides[side]
  const rules = RULES[side]
  const found: FoundDifference[] = []
  for (const [name, header] of before) {
    const partner = after.get(name)
    const place = [...at, name]
    const say = (rule: string): OperationDifference => ({
      rule,
      at: place,
      values: { it: 'the header', what: 'header' },
      base: header,
      revision: partner ?? owners.revision,
    })
    if (header === UNRESOLVED || partner === UNRESOLVED) continue
    const [was, is] = [header['required'] === true, partner?.['required'] === true]
    if (partner === undefined) {
      found.push(say(rules.removed(was)))
      continue
    }
    if (was && !is) found.push(say(rules.optional))
    if (!was && is) found.push(say(rules.required))
    const owner = { side, place: side === 'response' ? 'header' : 'parameter', at: place } as const
    const [shape, newShape] = [base(header['schema'], header), revision(partner['schema'], partner)]
    found.push(...compareSchemas(shape, newShape, owner, documents))
  }
  for (const [name, header] of after)
    if (!before.has(name))
      found.push({
        rule: rules.added(header['required'] === true),
        at: [...at, name],
        values: { what: 'header' },
        base: owners.base,
        revision: header,
      })
  return found
}
