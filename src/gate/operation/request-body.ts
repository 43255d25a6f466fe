import { isRecord } from '../../base/values.ts'
import type { Operation } from '../document/operations.ts'
import { UNRESOLVED, type Node, type Source } from '../document/source.ts'
import type { Side } from '../schema/keyword-rules.ts'
import { compareContent } from './content.ts'
import type { Difference, Documents, Found } from './context.ts'

/** The differences in the request bodies of two operations that belong together. */
export function compareRequestBody(
  base: Operation,
  revision: Operation,
  documents: Documents,
  side: Side,
): readonly Found[] {
  const old = bodyOf(base, documents.base)
  const now = bodyOf(revision, documents.revision)
  if (old === undefined && now === undefined) return []
  if (old === UNRESOLVED || now === UNRESOLVED) return []
  if (old !== undefined && now !== undefined && documents.isSame(old, now)) return []
  const say = (rule: string, message: string): Difference => ({
    rule: `request-body-${rule}`,
    at: ['requestBody'],
    message,
    base: old ?? base.place,
    revision: now ?? revision.place,
  })
  if (now === undefined) return [say('removed', 'the body was removed')]
  const isRequired = now['required'] === true
  if (old === undefined)
    return [
      isRequired
        ? say('added-required', 'a required body was added')
        : say('added-optional', 'an optional body was added'),
    ]
  const differences: Found[] = []
  const wasRequired = old['required'] === true
  if (!wasRequired && isRequired) differences.push(say('became-required', 'the body became required'))
  if (wasRequired && !isRequired) differences.push(say('became-optional', 'the body became optional'))
  return [
    ...differences,
    ...compareContent(old, now, documents, { side, at: ['requestBody'], origin: 'body' }),
  ]
}

function bodyOf({ node }: Operation, source: Source): Node | undefined {
  const body = source.resolve(node['requestBody'])
  return isRecord(body) ? body : undefined
}
