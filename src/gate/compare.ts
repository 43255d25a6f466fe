import { operationsOf, operationsOfItem } from './document/operations.ts'
import type { Operation } from './document/operations.ts'
import { ReadError } from './document/read-error.ts'
import { toSource } from './document/source.ts'
import type { Source } from './document/source.ts'
import { worst } from './finding.ts'
import type { Comparison, Finding } from './finding.ts'
import { createDocuments } from './operation/context.ts'
import type { Difference, Documents } from './operation/context.ts'
import { compareLife, isPreview, toRemovedOperation } from './operation/life.ts'
import { compareParameters } from './operation/parameters.ts'
import { compareRequestBody } from './operation/request-body.ts'
import { compareResponses } from './operation/responses.ts'
import { compareSecurity } from './operation/security.ts'
import type { Side } from './schema/read.ts'
import { isRecord } from '../base/values.ts'

/** How strictly documents are compared. */
export interface CompareOptions {
  /**
   * Whether clients refuse values of enumerations that they do not know: then a new one in a response is breaking.
   * @default false
   */
  readonly closedEnums?: boolean
  /**
   * Whether clients refuse members that they do not know: then a new one in a response is breaking.
   * @default false
   */
  readonly closedClients?: boolean
  /**
   * The day on which sunsets are looked at.
   * @default today
   */
  readonly now?: Date
}

/**
 * Compares two OpenAPI documents, and tells what breaks clients that keep to the first one.
 * @throws {ReadError} if a document cannot be read, or a reference in it leads nowhere
 */
export function compareSources(base: Source, revision: Source, options: CompareOptions = {}): Comparison {
  const { closedEnums = false, closedClients = false, now = new Date() } = options
  const documents = createDocuments(base, revision, { closedEnums, closedClients, now: now.getTime() })
  const findings = withinStack(() => [...comparePaths(documents), ...compareWebhooks(documents)])
  return { level: worst(findings.map(({ level }) => level)), findings: toSorted(findings) }
}

/**
 * Compares two OpenAPI documents, 3.0 to 3.2, and tells what breaks clients that keep to the first one. Requests may become wider and
 * responses narrower. Documents that differ in how they say the same have no findings.
 *
 * @param base the older document
 * @param revision the newer one
 * @throws {ReadError} if one of them is no OpenAPI document, or a reference in it leads nowhere
 * @example
 * const { level, findings } = compareDocuments(await app.openapi('1'), await app.openapi('2'))
 */
export function compareDocuments(base: unknown, revision: unknown, options?: CompareOptions): Comparison {
  return compareSources(toSource(base), toSource(revision), options)
}

/** @throws {ReadError} for documents that are nested deeper than functions can call each other */
function withinStack<T>(compare: () => T): T {
  try {
    return compare()
  } catch (error) {
    if (error instanceof RangeError) throw new ReadError('the document is nested too deeply')
    throw error
  }
}

/** Returns the texts that findings are sorted by. */
function toKeys({ operation, at, rule, message }: Finding): readonly string[] {
  const [method = '', path = ''] = operation.split(' ')
  return [path, method, at, rule, message]
}

function toSorted(findings: readonly Finding[]): readonly Finding[] {
  const keyed = findings.map((finding) => ({ finding, keys: toKeys(finding) }))
  return keyed.toSorted((one, other) => compareKeys(one.keys, other.keys)).map(({ finding }) => finding)
}

function compareKeys(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((key, index) => key !== other[index])
  if (at === -1) return 0
  return (one[at] ?? '') < (other[at] ?? '') ? -1 : 1
}

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

const keyOf = ({ method, pattern }: Operation): string => `${method} ${pattern}`

function toFinding(difference: Difference, operation: Operation, isWebhook = false): Finding {
  const { rule, level, at, message, base, revision } = difference
  return {
    rule,
    level: isPreview(operation) && level !== 'none' ? 'info' : level,
    operation: isWebhook ? `webhook ${operation.path}` : nameOf(operation),
    ...(operation.id === undefined ? {} : { route: operation.id }),
    at: at.join('/'),
    message,
    base: { pointer: base },
    revision: { pointer: revision },
  }
}

function comparePaths(documents: Documents): readonly Finding[] {
  const before = operationsOf(documents.base)
  const after = operationsOf(documents.revision)
  const newer = new Map(after.map((operation) => [keyOf(operation), operation]))
  const older = new Map(before.map((operation) => [keyOf(operation), operation]))
  const free = after.filter((operation) => !older.has(keyOf(operation)))
  const findings: Finding[] = []
  const moved = new Set<Operation>()
  for (const old of before) {
    const now = newer.get(keyOf(old))
    if (now !== undefined) {
      findings.push(...compareOperations(old, now, documents))
      continue
    }
    const isSame = (other: Operation): boolean => old.id !== undefined && other.id === old.id
    const candidates = free.filter((other) => !moved.has(other))
    const target = candidates.find(isSame) ?? candidates.find((other) => isDeeper(old, other))
    if (target === undefined) {
      const isPathGone = !after.some(({ pattern }) => pattern === old.pattern)
      findings.push(toFinding(toRemovedOperation(old, isPathGone, documents), old))
    } else {
      moved.add(target)
      findings.push(toFinding(toMoved(old, target), old))
      if (isSame(target)) findings.push(...compareMoved(old, target, documents))
    }
  }
  for (const operation of free)
    if (!moved.has(operation)) findings.push(toFinding(toAdded(operation), operation))
  return findings
}

/** Whether an operation without deprecation has nothing but more parameters in its path: without a name, that is all that says it is the same. */
function isDeeper(old: Operation, now: Operation): boolean {
  const isNamed = old.id !== undefined && now.id !== undefined
  const isAlive = old.node['deprecated'] !== true && old.method === now.method
  const added = isNamed || !isAlive ? [] : addedToPath(old, now)
  return added.length > 0 && added.every((segment) => segment === '{}')
}

/** Whether a path has all segments of another in their order, and a parameter more. */
function hasMoreInPath(old: Operation, now: Operation): boolean {
  return addedToPath(old, now).includes('{}')
}

/** The segments that a path has beside all of another, none if it lacks one of those. */
function addedToPath(old: Operation, now: Operation): readonly string[] {
  const left = old.pattern.split('/')
  const added = now.pattern.split('/').filter((segment) => {
    if (segment !== left[0]) return true
    left.shift()
    return false
  })
  return left.length === 0 ? added : []
}

function compareMoved(old: Operation, now: Operation, documents: Documents): readonly Finding[] {
  return hasMoreInPath(old, now)
    ? compareOperations(withNamedPath(old), withNamedPath(now), documents)
    : compareOperations(old, now, documents)
}

/** An operation whose parameters in the path are told apart by their names, because their places differ. */
function withNamedPath(operation: Operation): Operation {
  const parameters = operation.parameters.map((parameter) =>
    parameter.in === 'path' ? { ...parameter, key: `path ${parameter.name}` } : parameter,
  )
  const { pointer } = operation
  return { ...operation, parameters, pointer }
}

function toMoved(old: Operation, now: Operation): Difference {
  const message = `the operation was ${nameOf(old)} and is ${nameOf(now)}`
  const rule = hasMoreInPath(old, now) ? 'new-request-path-parameter' : 'route-moved'
  return { rule, level: 'breaking', at: [], message, base: old.pointer, revision: now.pointer }
}

function toAdded({ pointer }: Operation): Difference {
  return {
    rule: 'endpoint-added',
    level: 'info',
    at: [],
    message: 'the operation was added',
    base: '',
    revision: pointer,
  }
}

function compareOperations(old: Operation, now: Operation, documents: Documents): readonly Finding[] {
  const security = compareSecurity(old, now, documents)
  if (isSameOperation(old, now, documents)) return security.map((difference) => toFinding(difference, old))
  const differences = [
    ...toIdDifferences(old, now),
    ...compareLife(old, now),
    ...security,
    ...compareParameters(old, now, documents, 'request'),
    ...compareRequestBody(old, now, documents, 'request'),
    ...compareResponses(old, now, documents, 'response'),
    ...compareCallbacks(old, now, documents),
  ]
  return differences.filter(({ level }) => level !== 'none').map((difference) => toFinding(difference, old))
}

/** Whether two operations are the same word for word, but for the schemes of their credentials. */
function isSameOperation(old: Operation, now: Operation, { isSame }: Documents): boolean {
  const others = now.parameters
  return (
    old.parameters.length === others.length &&
    old.parameters.every(({ key, node }, at) => key === others[at]?.key && isSame(node, others[at].node)) &&
    isSame(old.node, now.node)
  )
}

function toIdDifferences(old: Operation, now: Operation): readonly Difference[] {
  if (old.id === undefined || old.id === now.id) return []
  const message = `the operationId was ${old.id} and is ${now.id ?? 'missing'}`
  return [
    {
      rule: 'operation-id-changed',
      level: 'warning',
      at: [],
      message,
      base: old.pointer,
      revision: now.pointer,
    },
  ]
}

/** Compares the requests that the server sends and the answers that it takes: the sides are turned round. */
function compareSent(old: Operation, now: Operation, documents: Documents): readonly Difference[] {
  const [sent, answered]: readonly [Side, Side] = ['response', 'request']
  return [
    ...compareParameters(old, now, documents, sent),
    ...compareRequestBody(old, now, documents, sent).map(turnBody),
    ...compareResponses(old, now, documents, answered),
  ]
}

/** A body that the server sends now, or sends no longer. */
function turnBody(difference: Difference): Difference {
  const levels: Readonly<Record<string, Difference['level']>> = {
    'request-body-added-required': 'info',
    'request-body-became-required': 'info',
    'request-body-became-optional': 'breaking',
    'request-body-removed': 'breaking',
  }
  return { ...difference, level: levels[difference.rule] ?? difference.level }
}

function compareCallbacks(old: Operation, now: Operation, documents: Documents): readonly Difference[] {
  const before = callbacksOf(old, documents.base)
  const after = callbacksOf(now, documents.revision)
  return [...before].flatMap(([key, operation]) => {
    const partner = after.get(key)
    const at = ['callbacks', key]
    if (partner === undefined)
      return [
        {
          rule: 'callback-removed',
          level: 'breaking',
          at,
          message: 'the callback was removed',
          base: operation.pointer,
          revision: now.pointer,
        },
      ]
    return compareSent(operation, partner, documents).map((one) => ({ ...one, at: [...at, ...one.at] }))
  })
}

function callbacksOf({ node }: Operation, source: Source): ReadonlyMap<string, Operation> {
  const callbacks = source.resolve(node['callbacks'])
  const found = new Map<string, Operation>()
  for (const [name, value] of Object.entries(isRecord(callbacks) ? callbacks : {})) {
    const callback = source.resolve(value)
    for (const [expression, inner] of Object.entries(isRecord(callback) ? callback : {})) {
      const item = source.resolve(inner)
      if (!isRecord(item)) continue
      for (const operation of operationsOfItem(item, expression, '', source))
        found.set(`${name} ${operation.method}`, operation)
    }
  }
  return found
}

function webhooksOf(source: Source): ReadonlyMap<string, Operation> {
  const webhooks = source.resolve(source.root['webhooks'] ?? source.root['x-webhooks'])
  const found = new Map<string, Operation>()
  for (const [name, value] of Object.entries(isRecord(webhooks) ? webhooks : {})) {
    const item = source.resolve(value)
    if (!isRecord(item)) continue
    for (const operation of operationsOfItem(item, name, '', source))
      found.set(`${operation.method} ${name}`, operation)
  }
  return found
}

function compareWebhooks(documents: Documents): readonly Finding[] {
  const [before, after] = [webhooksOf(documents.base), webhooksOf(documents.revision)]
  const findings: Finding[] = []
  for (const [key, old] of before) {
    const now = after.get(key)
    const differences: readonly Difference[] =
      now === undefined
        ? [
            {
              rule: 'webhook-removed',
              level: 'breaking',
              at: [],
              message: 'the webhook was removed',
              base: old.pointer,
              revision: '',
            },
          ]
        : compareSent(old, now, documents)
    findings.push(
      ...differences.filter(({ level }) => level !== 'none').map((one) => toFinding(one, old, true)),
    )
  }
  for (const [key, now] of after)
    if (!before.has(key))
      findings.push(
        toFinding(
          {
            rule: 'webhook-added',
            level: 'info',
            at: [],
            message: 'the webhook was added',
            base: '',
            revision: now.pointer,
          },
          now,
          true,
        ),
      )
  return findings
}
