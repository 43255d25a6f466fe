import { isRecord } from '../../base/values.ts'
import { operationsOfItem, type ComparedOperation } from '../document/read-operations.ts'
import type { ComparedSource } from '../document/source.ts'
import { withCircumstances, type ComparedDocuments, type FoundDifference } from './compared-documents.ts'
import { compareHeaders, sentHeaders } from './compare-headers.ts'
import { compareRequestBody } from './compare-content.ts'
import { compareResponses } from './compare-responses.ts'

/** The differences in callbacks: the server sends their requests and reads their responses, so the sides are swapped. */
export function compareSent(
  old: ComparedOperation,
  now: ComparedOperation,
  documents: ComparedDocuments,
): readonly FoundDifference[] {
  const headers = [sentHeaders(old.parameters), sentHeaders(now.parameters)] as const
  const owners = { base: old.place, revision: now.place }
  return [
    ...compareHeaders(headers, owners, documents, 'response', ['parameters', 'header']),
    ...withCircumstances(
      [
        ...compareRequestBody(old, now, documents, 'response'),
        ...compareResponses(old, now, documents, 'request'),
      ],
      { isSent: true },
    ),
  ]
}

/** A callback of an operation. */
interface Callback {
  readonly name: string
  /** Where the server finds the address that it calls. */
  readonly expression: string
  readonly operation: ComparedOperation
}

/** The differences in the callbacks of two operations that belong together. */
export function compareCallbacks(
  base: ComparedOperation,
  revision: ComparedOperation,
  documents: ComparedDocuments,
): readonly FoundDifference[] {
  const before = callbacksOf(base, documents.base)
  const free = new Set(callbacksOf(revision, documents.revision))
  const take = (isPartner: (other: Callback) => boolean): Callback | undefined => {
    const partner = [...free].find(isPartner)
    if (partner !== undefined) free.delete(partner)
    return partner
  }
  const exact = before.map((old) =>
    take((other) => isSameCallback(old, other) && old.expression === other.expression),
  )
  return before.flatMap((old, index): readonly FoundDifference[] => {
    const now = exact[index] ?? take((other) => isSameCallback(old, other))
    const at = ['callbacks', `${old.name} ${old.operation.method}`]
    const place = { at, base: old.operation.place }
    if (now === undefined)
      return [
        {
          ...place,
          rule: 'callback-removed',
          revision: revision.place,
        },
      ]
    const values = { was: old.expression, now: now.expression }
    const moved = { ...place, rule: 'callback-expression-changed', values, revision: now.operation.place }
    return [
      ...(old.expression === now.expression ? [] : [moved]),
      ...compareSent(old.operation, now.operation, documents).map((one) => ({
        ...one,
        at: [...at, ...one.at],
      })),
    ]
  })
}

function isSameCallback(one: Callback, other: Callback): boolean {
  return one.name === other.name && one.operation.method === other.operation.method
}

function callbacksOf({ node }: ComparedOperation, source: ComparedSource): readonly Callback[] {
  return resolvedMembers(node['callbacks'], source).flatMap(([name, callback]) =>
    resolvedMembers(callback, source).flatMap(([expression, item]) =>
      isRecord(item)
        ? operationsOfItem(item, expression, source).map((operation) => ({ name, expression, operation }))
        : [],
    ),
  )
}

/** The webhooks of a document by method and name. */
export function readWebhooks(source: ComparedSource): ReadonlyMap<string, ComparedOperation> {
  const webhooks = resolvedMembers(source.root['webhooks'] ?? source.root['x-webhooks'], source)
  return new Map(
    webhooks.flatMap(([name, item]) =>
      isRecord(item)
        ? operationsOfItem(item, name, source).map(
            (operation) => [`${operation.method} ${name}`, operation] as const,
          )
        : [],
    ),
  )
}

function resolvedMembers(value: unknown, source: ComparedSource): readonly (readonly [string, unknown])[] {
  const given = source.resolve(value)
  return Object.entries(isRecord(given) ? given : {}).map(([name, member]) => [name, source.resolve(member)])
}
