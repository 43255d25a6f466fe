import { isRecord } from '../../base/values.ts'
import type { Node, ComparedSource } from '../document/source.ts'
import type { Side } from '../schema/keyword-rules.ts'
import {
  compareSchemas,
  type ComparedDocuments,
  type FoundDifference,
  type OperationDifference,
} from './compared-documents.ts'

/** A problem that a response declares: an alternative of its body whose code is a constant. */
interface DeclaredProblem {
  readonly status: string
  /** The media type of the body. */
  readonly type: string
  readonly schema: Node
  readonly response: Node
}

/** The problems of the responses of an operation, by their codes, and what each response has besides them. */
interface SplitResponses<R> {
  readonly problems: ReadonlyMap<string, DeclaredProblem>
  readonly others: ReadonlyMap<string, R>
}

/** Takes the declared problems out of the errors of an operation. Responses without any stay as they are. */
export function splitProblems<R extends { readonly node: Node }>(
  responses: ReadonlyMap<string, R>,
  source: ComparedSource,
): SplitResponses<R & { readonly closed?: ReadonlySet<string> }> {
  const problems = new Map<string, DeclaredProblem>()
  const others = [...responses].map(([status, response]) => {
    const content = source.resolve(response.node['content'])
    if (!/^[45]/.test(status) || !isRecord(content)) return [status, response] as const
    const closed = new Set<string>()
    const kept = Object.entries(content).flatMap(([type, media]): readonly (readonly [string, unknown])[] => {
      const node = source.resolve(media)
      if (!/[/+]json\b/i.test(type) || !isRecord(node)) return [[type, media]]
      const alternatives = alternativesOf(node['schema'], source)
      const plain = alternatives.filter((alternative) => {
        const code = codeOf(alternative, source)
        if (code === undefined) return true
        problems.set(code, { status, type, schema: alternative, response: response.node })
        return false
      })
      if (plain.length === alternatives.length) return [[type, media]]
      if (plain.length === 0) closed.add(type)
      return plain.length === 0
        ? []
        : [[type, { ...node, schema: plain.length === 1 ? plain[0] : { anyOf: plain } }]]
    })
    if (closed.size === 0 && kept.every(([type, media]) => media === content[type]))
      return [status, response] as const
    return [
      status,
      { ...response, node: { ...response.node, content: Object.fromEntries(kept) }, closed },
    ] as const
  })
  return { problems, others: new Map(others) }
}

function alternativesOf(schema: unknown, source: ComparedSource): readonly Node[] {
  const node = source.resolve(schema)
  if (!isRecord(node)) return []
  const { anyOf, oneOf } = node
  const options: unknown = anyOf ?? oneOf ?? onlyPart(node)
  return Array.isArray(options)
    ? options.flatMap((option) => alternativesOf(option, source))
    : [isRecord(schema) ? schema : node]
}

/** The list of one schema that says the same as the schema that holds it. */
function onlyPart({ allOf, ...others }: Node): readonly unknown[] | undefined {
  return Array.isArray(allOf) && allOf.length === 1 && Object.keys(others).length === 0 ? allOf : undefined
}

/** The text that a schema allows alone, also through a list of one schema. */
function constantOf(schema: unknown, source: ComparedSource): string | undefined {
  const node = source.resolve(schema)
  if (!isRecord(node)) return undefined
  if (typeof node['const'] === 'string') return node['const']
  const parts: unknown = node['anyOf'] ?? node['oneOf'] ?? node['allOf']
  return Array.isArray(parts) && parts.length === 1 ? constantOf(parts[0], source) : undefined
}

/** The code of an alternative, if it has only one. */
function codeOf(schema: unknown, source: ComparedSource): string | undefined {
  const node = source.resolve(schema)
  if (!isRecord(node)) return undefined
  const { properties, anyOf, oneOf, allOf } = node
  const code = isRecord(properties) ? constantOf(properties['code'], source) : undefined
  if (code !== undefined) return code
  const options: unknown = anyOf ?? oneOf
  const parts: unknown = Array.isArray(options) && options.length === 1 ? options : allOf
  return Array.isArray(parts)
    ? parts.map((part) => codeOf(part, source)).find((each) => each !== undefined)
    : undefined
}

/** The differences in the declared problems of two operations that belong together. */
export function compareProblems(
  old: ReadonlyMap<string, DeclaredProblem>,
  now: ReadonlyMap<string, DeclaredProblem>,
  owners: { readonly base: Node; readonly revision: Node },
  documents: ComparedDocuments,
  side: Side,
): readonly FoundDifference[] {
  const found: FoundDifference[] = []
  for (const [code, problem] of old) {
    const newer = now.get(code)
    if (newer === undefined)
      found.push(
        toDifference('removed', code, problem, { base: problem.response, revision: owners.revision }),
      )
    else found.push(...compareProblem(code, problem, newer, documents, side))
  }
  // an operation that declared none may have answered with them before
  const is = { isExpected: old.size === 0 }
  for (const [code, problem] of now)
    if (!old.has(code))
      found.push({
        ...toDifference('added', code, problem, { base: owners.base, revision: problem.response }),
        is,
      })
  return found
}

function compareProblem(
  code: string,
  old: DeclaredProblem,
  now: DeclaredProblem,
  documents: ComparedDocuments,
  side: Side,
): readonly FoundDifference[] {
  const pointers = { base: old.response, revision: now.response }
  const moved = toDifference('status-changed', code, now, pointers)
  const { base, revision } = documents.sides[side]
  const at = ['responses', now.status, now.type, code]
  return [
    ...(old.status === now.status ? [] : [{ ...moved, values: { code, was: old.status, now: now.status } }]),
    ...compareSchemas(
      base(old.schema, old.response),
      revision(now.schema, now.response),
      { side, place: 'body', at, origin: `problem ${code}` },
      documents,
    ),
  ]
}

function toDifference(
  change: 'added' | 'removed' | 'status-changed',
  code: string,
  { status, type }: DeclaredProblem,
  pointers: Pick<OperationDifference, 'base' | 'revision'>,
): OperationDifference {
  return {
    ...pointers,
    rule: `response-problem-${change}`,
    at: ['responses', status, type, code],
    values: { code, status },
  }
}
