import { isRecord } from '../../base/values.ts'
import type { Operation } from '../document/operations.ts'
import type { Node, Source } from '../document/source.ts'
import type { Level } from '../finding.ts'
import type { Side } from '../schema/read.ts'
import { compareContent } from './content.ts'
import { toDifferences } from './context.ts'
import type { Difference, Documents } from './context.ts'

/** The differences in the responses of two operations that belong together. `side` is that of callbacks turned round. */
export function compareResponses(
  base: Operation,
  revision: Operation,
  documents: Documents,
  side: Side,
): readonly Difference[] {
  const old = responsesOf(base, documents.base)
  const now = responsesOf(revision, documents.revision)
  const compare = (newer: Responses): readonly Difference[] =>
    compareStatuses(old, newer, { base: base.pointer, revision: revision.pointer, documents, side })
  const [was, is] = [onlySuccess(old), onlySuccess(now)]
  if (was === undefined || is === undefined || was === is || find(was, now) !== undefined) return compare(now)
  const renamed = new Map([...now].map(([status, response]) => [status === is ? was : status, response]))
  return [
    {
      rule: 'status-of-default-changed',
      level: 'breaking',
      at: ['responses', was],
      message: `the success status was ${was} and is ${is}`,
      base: documents.base.pointerOf(old.get(was)),
      revision: documents.revision.pointerOf(now.get(is)),
    },
    ...compare(renamed),
  ]
}

/** Responses by their status. */
type Responses = ReadonlyMap<string, Node>

/** Two operations whose responses are compared. */
interface Owners {
  readonly base: string
  readonly revision: string
  readonly documents: Documents
  readonly side: Side
}

function compareStatuses(old: Responses, now: Responses, owners: Owners): readonly Difference[] {
  const { base, revision, documents, side } = owners
  const differences: Difference[] = []
  const used = new Set<string>()
  for (const [status, response] of old) {
    const partner = find(status, now)
    if (partner === undefined)
      differences.push(toOneSided(status, 'removed', { base: documents.base.pointerOf(response), revision }))
    else {
      used.add(partner[0])
      differences.push(...compareTwo(status, response, partner[1], documents, side))
    }
  }
  for (const [status, response] of now)
    if (!used.has(status) && find(status, old) === undefined)
      differences.push(
        toOneSided(status, 'added', { base, revision: documents.revision.pointerOf(response) }),
      )
  return differences
}

/** Responses by status, `2XX` and `default` included, in upper case. */
function responsesOf({ node }: Operation, source: Source): Responses {
  const responses = source.resolve(node['responses'])
  const entries = Object.entries(isRecord(responses) ? responses : {})
  return new Map(
    entries.flatMap(([status, value]): readonly (readonly [string, Node])[] => {
      const response = source.resolve(value)
      return status.startsWith('x-') || !isRecord(response)
        ? []
        : [[status === 'default' ? status : status.toUpperCase(), response]]
    }),
  )
}

/** The same status, a range that has it, or one of a range. */
function find(status: string, among: Responses): readonly [string, Node] | undefined {
  if (status.endsWith('XX') && !among.has(status))
    return [...among].find(([other]) => other.startsWith(status[0] ?? ''))
  const names = [status, `${status[0] ?? ''}XX`, ...(isSuccess(status) ? [] : ['default'])]
  for (const name of names) {
    const response = among.get(name)
    if (response !== undefined) return [name, response]
  }
  return undefined
}

const isSuccess = (status: string): boolean => status.startsWith('2') || status.startsWith('3')

function onlySuccess(responses: Responses): string | undefined {
  const statuses = [...responses.keys()].filter((status) => status.startsWith('2'))
  return statuses.length === 1 ? statuses[0] : undefined
}

/** A status that only one of two operations has. */
function toOneSided(
  status: string,
  change: 'removed' | 'added',
  pointers: Pick<Difference, 'base' | 'revision'>,
): Difference {
  const success = isSuccess(status)
  const bad = change === 'removed' ? 'breaking' : 'warning'
  return {
    ...pointers,
    rule: `response-${success ? 'success' : 'non-success'}-status-${change}`,
    level: success ? bad : 'info',
    at: ['responses', status],
    message: `the status ${status} was ${change}`,
  }
}

function compareTwo(
  status: string,
  old: Node,
  now: Node,
  documents: Documents,
  side: Side,
): readonly Difference[] {
  if (documents.isSame(old, now)) return []
  const at = ['responses', status]
  const differences = [
    ...compareHeaders(old, now, documents, side, at),
    ...compareContent(old, now, documents, side, at),
  ]
  // clients read errors for people more often than for programs
  return isSuccess(status)
    ? differences
    : differences.map((one) => (one.level === 'breaking' ? { ...one, level: 'warning' } : one))
}

function headersOf(response: Node, source: Source): ReadonlyMap<string, Node> {
  const headers = source.resolve(response['headers'])
  const entries = Object.entries(isRecord(headers) ? headers : {})
  return new Map(
    entries.flatMap(([name, value]): readonly (readonly [string, Node])[] => {
      const header = source.resolve(value)
      return isRecord(header) && name.toLowerCase() !== 'content-type' ? [[name.toLowerCase(), header]] : []
    }),
  )
}

function compareHeaders(
  old: Node,
  now: Node,
  documents: Documents,
  side: Side,
  at: readonly string[],
): readonly Difference[] {
  const [before, after] = [headersOf(old, documents.base), headersOf(now, documents.revision)]
  const { base, revision, comparing } = documents.sides[side]
  const differences: Difference[] = []
  for (const [name, header] of before) {
    const partner = after.get(name)
    const wasRequired = header['required'] === true
    const place = [...at, 'headers', name]
    const say = (rule: string, level: Level, message: string): Difference => ({
      rule,
      level,
      at: place,
      message,
      base: documents.base.pointerOf(header),
      revision: documents.revision.pointerOf(partner ?? now),
    })
    if (partner === undefined) {
      const kind = wasRequired ? 'required' : 'optional'
      const level = wasRequired ? 'breaking' : 'warning'
      differences.push(say(`${kind}-response-header-removed`, level, `the ${kind} header was removed`))
      continue
    }
    if (wasRequired && partner['required'] !== true)
      differences.push(say('response-header-became-optional', 'breaking', 'the header became optional'))
    if (!wasRequired && partner['required'] === true)
      differences.push(say('response-header-became-required', 'info', 'the header became required'))
    const facts = comparing.compare(base(header['schema']), revision(partner['schema']))
    differences.push(...toDifferences(facts, { side, place: 'header', at: place, documents }))
  }
  for (const [name, header] of after)
    if (!before.has(name))
      differences.push({
        rule: 'response-header-added',
        level: 'info',
        at: [...at, 'headers', name],
        message: 'the header was added',
        base: documents.base.pointerOf(old),
        revision: documents.revision.pointerOf(header),
      })
  return differences
}
