import { isString, toRecord } from '../../base/values.ts'
import { pickAt, pointerSteps } from '../../gate/json.ts'
import type { Unwritten } from '../../gate/write/draft.ts'
import { toReformatText, type ErrorBody } from './change-text.ts'
import { toWriting, type Sources } from './lay-out.ts'

/**
 * Adds the text of the change for differences in the body of all errors. It is no file, because the schema of an error format need not be
 * exported.
 */
export function withReformatTexts(unwritten: readonly Unwritten[], sources: Sources): readonly Unwritten[] {
  const [was, now] = [errorBodyIn(sources.base), errorBodyIn(sources.revision)]
  const text = was && now && toReformatText(was, now, toWriting(sources, ''))
  if (text === undefined) return unwritten
  const why = `describe the body of all errors in a change: ${text}`
  return unwritten.map((each) => {
    const [section, status = ''] = each.place?.steps ?? []
    return section === 'responses' && !/^[123]/.test(status) ? { ...each, why } : each
  })
}

/** The body of all errors: what operations respond by default. */
function errorBodyIn(document: unknown): ErrorBody | undefined {
  const operations = Object.values(toRecord(pickAt(document, ['paths']))).flatMap((item) =>
    Object.values(toRecord(item)),
  )
  const response = operations
    .map((operation) => toRecord(pickAt(operation, ['responses', 'default'])))
    .map((own) => (isString(own['$ref']) ? pickAt(document, pointerSteps(own['$ref'])) : own))
    .find((own) => pickAt(own, ['content']) !== undefined)
  const [content] = Object.entries(toRecord(pickAt(response, ['content'])))
  if (content === undefined) return undefined
  const [type, media] = content
  return { type, schema: pickAt(media, ['schema']), isOptional: false }
}
