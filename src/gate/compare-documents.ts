import { checkOptionNames } from '../base/definition-error.ts'
import { isString } from '../base/values.ts'
import { addedToPath, matchOperations } from './document/match-operations.ts'
import { readOperations, type ComparedOperation } from './document/read-operations.ts'
import { ReadError, pointerSteps } from './json.ts'
import { prepareSource, toUnresolvedText, type ComparedSource, type Node } from './document/source.ts'
import { withoutTraces, worst, type Comparison, type Severity, type TracedFinding } from './finding.ts'
import { listFindings, type OfOperation } from './findings.ts'
import type { Strictness } from './severity.ts'
import {
  prepareComparison,
  type OperationDifference,
  type ComparedDocuments,
  type FoundDifference,
} from './operation/compared-documents.ts'
import { compareLife, isPreview, toRemovedOperation } from './operation/compare-deprecation.ts'
import { compareParameters } from './operation/compare-parameters.ts'
import { compareRequestBody } from './operation/compare-content.ts'
import { compareResponses } from './operation/compare-responses.ts'
import { compareSecurity } from './operation/compare-security.ts'
import { compareCallbacks, compareSent, readWebhooks } from './operation/callbacks.ts'

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

/** The differences of two documents, with the steps that lead to each place. */
export interface TracedComparison {
  readonly level: Severity
  readonly findings: readonly TracedFinding[]
}

/**
 * Compares two OpenAPI documents, and tells what breaks clients that keep to the first one.
 * @throws {ReadError} if a document cannot be read, or a schema in it contains itself
 */
export function compareSources(
  base: ComparedSource,
  revision: ComparedSource,
  options: CompareOptions = {},
): TracedComparison {
  return toComparison(prepareComparison(base, revision, toStrictness(options)))
}

/**
 * Lists the changes between two OpenAPI documents that break clients of the first one. Reads both once.
 *
 * @throws {ReadError} like `compareSources`
 */
export function findBreakingBothWays(
  one: ComparedSource,
  other: ComparedSource,
): Readonly<Record<'forth' | 'back', readonly TracedFinding[]>> {
  const strictness = toStrictness({})
  const there = prepareComparison(one, other, strictness)
  const forth = toComparison(there, 'breaking').findings
  return { forth, back: toComparison(prepareComparison(other, one, strictness, there), 'breaking').findings }
}

/** The names of `CompareOptions`. */
export const COMPARE_OPTIONS: ReadonlySet<string> = new Set(['closedEnums', 'closedClients', 'now'])

function toStrictness({
  closedEnums = false,
  closedClients = false,
  now = new Date(),
}: CompareOptions): Strictness {
  return { closedEnums, closedClients, now: now.getTime() }
}

function toComparison(documents: ComparedDocuments, least?: Severity): TracedComparison {
  const findings = withinStack(() => {
    const compared = [...comparePaths(documents), ...compareWebhooks(documents)]
    return listFindings([...compared, ...unresolvedIn(documents)], documents, least)
  })
  return { level: worst(findings.map(({ level }) => level)), findings: sortFindings(findings) }
}

/**
 * Compares two OpenAPI documents, 3.0 to 3.2, and tells what breaks clients that keep to the first one. Requests may become wider and
 * responses narrower. Documents that differ in how they say the same have no findings.
 *
 * @param base the older document
 * @param revision the newer one
 * @throws {ReadError} if one of them is not an OpenAPI document, or a schema in it contains itself
 * @example
 * const { level, findings } = compareDocuments(await app.openapi('1'), await app.openapi('2'))
 */
export function compareDocuments(base: unknown, revision: unknown, options: CompareOptions = {}): Comparison {
  checkOptionNames('compareDocuments', options, COMPARE_OPTIONS)
  const { level, findings } = compareSources(prepareSource(base), prepareSource(revision), options)
  return { level, findings: findings.map(withoutTraces) }
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

function sortFindings(findings: readonly TracedFinding[]): readonly TracedFinding[] {
  const keyed = findings.map((finding) => {
    const { operation, schema = '', at, rule, message } = finding
    const [method = '', path = ''] = operation.split(' ')
    return { finding, keys: [schema, path, method, at, rule, message] }
  })
  return keyed
    .toSorted(({ keys }, other) => {
      const at = keys.findIndex((key, index) => key !== other.keys[index])
      if (at === -1) return 0
      return (keys[at] ?? '') < (other.keys[at] ?? '') ? -1 : 1
    })
    .map(({ finding }) => finding)
}

const nameOf = ({ method, path }: ComparedOperation): string => `${method} ${path}`

function toOperationDifferences(
  operation: ComparedOperation,
  found: readonly FoundDifference[],
  isWebhook = false,
): OfOperation {
  return {
    operation: isWebhook ? `webhook ${operation.path}` : nameOf(operation),
    route: operation.id,
    isPreview: isPreview(operation),
    found,
  }
}

function comparePaths(documents: ComparedDocuments): readonly OfOperation[] {
  const [before, after] = [readOperations(documents.base), readOperations(documents.revision)]
  const { pairs, moved, gone, come } = matchOperations(before, after)
  return [
    ...pairs.map(([old, now]) => toOperationDifferences(old, compareOperations(old, now, documents))),
    ...moved.map(([old, now]) => {
      // without its name, all that is known of it is that its path goes on
      if (old.id === undefined || old.id !== now.id)
        return toOperationDifferences(old, [movedOperation(old, now)])
      const inside = hasMoreInPath(old, now)
        ? compareOperations(withNamedPath(old), withNamedPath(now), documents)
        : compareOperations(old, now, documents)
      return toOperationDifferences(old, [movedOperation(old, now), ...inside])
    }),
    ...gone.map((old) => {
      const tool = old.node['x-tool']
      // of a list of tools: nothing else says when a tool ends
      if (documents.base.root['x-tools'] === true && isString(tool))
        return toOperationDifferences(old, [
          {
            rule: 'tool-removed',
            at: [],
            base: old.place,
            revision: undefined,
            values: { tool, now: 'gone' },
          },
        ])
      const isPathGone = !after.some(({ path, pattern }) => path === old.path || pattern === old.pattern)
      return toOperationDifferences(old, [toRemovedOperation(old, isPathGone, documents)])
    }),
    ...come.map((now) => {
      return toOperationDifferences(now, [
        { rule: 'endpoint-added', at: [], base: undefined, revision: now.place },
      ])
    }),
  ]
}

/** Whether a path has all segments of another in their order, and a parameter more. */
function hasMoreInPath(old: ComparedOperation, now: ComparedOperation): boolean {
  return addedToPath(old, now).includes('{}')
}

/** An operation whose parameters in the path are told apart by their names, because their places differ. */
function withNamedPath(operation: ComparedOperation): ComparedOperation {
  const parameters = operation.parameters.map((parameter) =>
    parameter.in === 'path' ? { ...parameter, key: `path ${parameter.name}` } : parameter,
  )
  return { ...operation, parameters }
}

function movedOperation(old: ComparedOperation, now: ComparedOperation): OperationDifference {
  const values = { was: nameOf(old), now: nameOf(now) }
  const rule = hasMoreInPath(old, now) ? 'new-request-path-parameter' : 'route-moved'
  return { rule, at: [], values, base: old.place, revision: now.place }
}

function compareOperations(
  old: ComparedOperation,
  now: ComparedOperation,
  documents: ComparedDocuments,
): readonly FoundDifference[] {
  const security = compareSecurity(old, now, documents)
  if (isSameOperation(old, now, documents)) return security
  return [
    ...toIdDifferences(old, now),
    ...toToolDifferences(old, now),
    ...compareLife(old, now, documents),
    ...security,
    ...compareParameters(old, now, documents),
    ...compareRequestBody(old, now, documents, 'request'),
    ...compareResponses(old, now, documents, 'response'),
    ...compareCallbacks(old, now, documents),
  ]
}

/** Whether two operations are the same word for word, but for the schemes of their credentials. */
function isSameOperation(
  old: ComparedOperation,
  now: ComparedOperation,
  { isSame }: ComparedDocuments,
): boolean {
  const others = now.parameters
  return (
    old.parameters.length === others.length &&
    old.parameters.every(({ key, node }, at) => key === others[at]?.key && isSame(node, others[at].node)) &&
    isSame(old.node, now.node)
  )
}

function toIdDifferences(old: ComparedOperation, now: ComparedOperation): readonly OperationDifference[] {
  if (old.id === undefined || old.id === now.id) return []
  const values = { was: old.id, now: now.id ?? 'missing' }
  return [{ rule: 'operation-id-changed', at: [], values, base: old.place, revision: now.place }]
}

/** The differences that an agent sees which calls the operation as a tool. */
function toToolDifferences(old: ComparedOperation, now: ComparedOperation): readonly OperationDifference[] {
  const [tool, other] = [old.node['x-tool'], now.node['x-tool']]
  if (typeof tool !== 'string') return []
  const place = { at: [], base: old.place, revision: now.place }
  if (tool !== other)
    return [
      { ...place, rule: 'tool-removed', values: { tool, now: isString(other) ? `now ${other}` : 'gone' } },
    ]
  const [was, is] = [old, now].map(({ node }) => node['description'] ?? node['summary'])
  return was === is ? [] : [{ ...place, rule: 'tool-description-changed', values: { tool } }]
}

function compareWebhooks(documents: ComparedDocuments): readonly OfOperation[] {
  const [before, after] = [readWebhooks(documents.base), readWebhooks(documents.revision)]
  const removed = { rule: 'webhook-removed', at: [], revision: undefined }
  const added = { rule: 'webhook-added', at: [], base: undefined }
  return [
    ...[...before].map(([key, old]) => {
      const now = after.get(key)
      const found = now === undefined ? [{ ...removed, base: old.place }] : compareSent(old, now, documents)
      return toOperationDifferences(old, found, true)
    }),
    ...[...after].flatMap(([key, now]) =>
      before.has(key) ? [] : [toOperationDifferences(now, [{ ...added, revision: now.place }], true)],
    ),
  ]
}

/** The references of two documents that lead nowhere, outside of schemas. One that is in both is listed once. */
function unresolvedIn({ base, revision }: ComparedDocuments): readonly OfOperation[] {
  const [before, after] = [byPointer(base), byPointer(revision)]
  return [...new Map([...before, ...after])].map(([pointer, node]) => {
    const [paths, path = '', method = '', ...at] = pointerSteps(pointer)
    const isInside = paths === 'paths' && at.length > 0
    const difference = {
      rule: 'reference-unresolved',
      at: isInside ? at : pointerSteps(pointer),
      values: { problem: toUnresolvedText(node) },
      base: before.get(pointer),
      revision: after.get(pointer),
    }
    return {
      operation: isInside ? `${method.toUpperCase()} ${path}` : '',
      route: undefined,
      isPreview: false,
      found: [difference],
    }
  })
}

function byPointer(source: ComparedSource): ReadonlyMap<string, Node> {
  return new Map([...source.unresolved].map((node) => [source.pointerOf(node), node]))
}
