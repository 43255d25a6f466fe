import { isRecord } from '../../base/values.ts'
import type { ComparedOperation } from '../document/read-operations.ts'
import { UNRESOLVED, type Node, type ComparedSource } from '../document/source.ts'
import type { Side } from '../schema/keyword-rules.ts'
import { compareContent } from './compare-content.ts'
import {
  withCircumstances,
  type OperationDifference,
  type ComparedDocuments,
  type FoundDifference,
} from './compared-documents.ts'
import { compareHeaders, readResponseHeaders } from './compare-headers.ts'
import { compareProblems, splitProblems } from './compare-problems.ts'

/** A response, and the status that it has in its document. */
interface Response {
  readonly status: string
  readonly node: Node
  /** The media types that have had declared problems alone, which are compared by their codes. */
  readonly closed?: ReadonlySet<string>
}

/** Responses by the status that they are compared by. */
type ResponsesByStatus = ReadonlyMap<string, Response>

/** The differences in the responses of two operations that belong together. `side` is that of callbacks turned round. */
export function compareResponses(
  base: ComparedOperation,
  revision: ComparedOperation,
  documents: ComparedDocuments,
  side: Side,
): readonly FoundDifference[] {
  const { others: old, problems: oldProblems } = splitProblems(
    responsesOf(base, documents.base),
    documents.base,
  )
  const { others: now, problems } = splitProblems(
    responsesOf(revision, documents.revision),
    documents.revision,
  )
  const owners = { base: base.place, revision: revision.place }
  const coded = compareProblems(oldProblems, problems, owners, documents, side)
  const compare = (newer: ResponsesByStatus): readonly FoundDifference[] => [
    ...compareStatuses(old, newer, { ...owners, documents, side }),
    ...coded,
  ]
  const [was, is] = [onlySuccess(old), onlySuccess(now)]
  if (was === undefined || is === undefined || was === is || findResponseFor(was, now) !== undefined)
    return compare(now)
  const renamed = new Map([...now].map(([status, response]) => [status === is ? was : status, response]))
  return [
    {
      rule: 'status-of-default-changed',
      at: ['responses', was],
      values: { was, now: is },
      base: old.get(was)?.node,
      revision: now.get(is)?.node,
    },
    ...compare(renamed),
  ]
}

/** Two operations whose responses are compared. */
interface Owners {
  readonly base: Node
  readonly revision: Node
  readonly documents: ComparedDocuments
  readonly side: Side
}

function compareStatuses(
  old: ResponsesByStatus,
  now: ResponsesByStatus,
  owners: Owners,
): readonly FoundDifference[] {
  const { base, revision } = owners
  const found: FoundDifference[] = []
  const used = new Set<string>()
  for (const [status, response] of old) {
    const { node } = response
    const partner = findResponseFor(status, now)
    if (partner === undefined) {
      if (!isCoded(response)) found.push(toOneSided(status, 'removed', { base: node, revision }))
      continue
    }
    used.add(partner[0])
    // clients that know one status get others of the range, too
    if (isSuccess(status) && partner[0].endsWith('XX') && !status.endsWith('XX'))
      found.push(toOneSided(partner[0], 'added', { base, revision: partner[1].node }))
    const own = compareResponse(status, response, partner[1], owners)
    found.push(...(isSuccess(status) ? own : withCircumstances(own, { isError: true })))
  }
  for (const [status, response] of now)
    if (!used.has(status) && findResponseFor(status, old) === undefined && !isCoded(response))
      found.push(toOneSided(status, 'added', { base, revision: response.node }))
  return found
}

/** Responses by status, `2XX` and `default` included, in upper case. */
function responsesOf({ node }: ComparedOperation, source: ComparedSource): ResponsesByStatus {
  const responses = source.resolve(node['responses'])
  const entries = Object.entries(isRecord(responses) ? responses : {})
  return new Map(
    entries.flatMap(([name, value]): readonly (readonly [string, Response])[] => {
      const response = source.resolve(value)
      const status = name === 'default' ? name : name.toUpperCase()
      return name.startsWith('x-') || !isRecord(response) ? [] : [[status, { status: name, node: response }]]
    }),
  )
}

/** The same status, a range that has it, or one of a range. */
function findResponseFor(status: string, among: ResponsesByStatus): readonly [string, Response] | undefined {
  if (status.endsWith('XX') && !among.has(status))
    return [...among].find(([other]) => other.startsWith(status[0] ?? ''))
  const names = [status, `${status[0] ?? ''}XX`, ...(isSuccess(status) ? [] : ['default'])]
  for (const name of names) {
    const response = among.get(name)
    if (response !== undefined) return [name, response]
  }
  return undefined
}

/** Only clients that ask for it get a 304. */
const isSuccess = (status: string): boolean => /^[23]/.test(status) && status !== '304'

function onlySuccess(responses: ResponsesByStatus): string | undefined {
  const statuses = [...responses.keys()].filter((status) => status.startsWith('2'))
  return statuses.length === 1 ? statuses[0] : undefined
}

/** A status that only one of two operations has. */
function toOneSided(
  status: string,
  change: 'removed' | 'added',
  pointers: Pick<OperationDifference, 'base' | 'revision'>,
): OperationDifference {
  return {
    ...pointers,
    rule: `response-${isSuccess(status) ? 'success' : 'non-success'}-status-${change}`,
    at: ['responses', status],
    values: { status },
  }
}

/** Whether a response has declared problems alone, which are compared by their codes. */
function isCoded({ closed, node }: Response): boolean {
  return closed !== undefined && closed.size > 0 && Object.keys(Object(node['content'])).length === 0
}

/** A response without some of its media types. */
function withoutTypes(node: Node, types: ReadonlySet<string> | undefined): Node {
  if (types === undefined || types.size === 0) return node
  const kept = Object.entries(Object(node['content'])).filter(([type]) => !types.has(type))
  return { ...node, content: Object.fromEntries(kept) }
}

function compareResponse(
  status: string,
  before: Response,
  after: Response,
  { documents, side }: Owners,
): readonly FoundDifference[] {
  const { status: actual } = after
  // where only one side has nothing but declared problems, the other may answer with any
  const [old, now] = [withoutTypes(before.node, after.closed), withoutTypes(after.node, before.closed)]
  if (old === UNRESOLVED || now === UNRESOLVED || documents.isSame(old, now)) return []
  const at = ['responses', status]
  const owners = { base: old, revision: now }
  const headers = [
    readResponseHeaders(old, documents.base),
    readResponseHeaders(now, documents.revision),
  ] as const
  return [
    ...compareHeaders(headers, owners, documents, side, [...at, 'headers']),
    ...compareContent(old, now, documents, { side, at, origin: `response ${actual}` }),
  ]
}
