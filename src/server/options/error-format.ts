import { atOnce } from '../../base/async.ts'
import { optionProblems, type Rules } from '../../base/check-options.ts'
import type { Logger } from '../../define/context.ts'
import type { ErrorFormat, WriteError } from '../../define/error-format.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import { toErrorResponse, toProblem } from '../../http/errors.ts'
import { isDefinition } from '../../routes/check-fields.ts'
import { isJsonType } from '../../http/headers.ts'
import { parseMediaType } from '../../http/media-type.ts'
import { fromJson, RESULT_READERS } from '../../schema/from-json.ts'
import { isSchema } from '../../schema/schema.ts'
import { createValidator, toReason } from '../../schema/validator.ts'
import { logError } from '../logging/safe-logger.ts'

const RULES: Rules = {
  kind: [() => true, 'a kind'],
  contentType: [isOneType, "a media type, such as 'application/json'"],
  schema: [isSchema, 'a zod schema'],
  format: [(value) => typeof value === 'function', 'a function'],
}

/** Reports what is wrong inside the error format of an application. */
export function errorFormatProblems(given: unknown): readonly DefinitionProblem[] {
  if (!isErrorFormat(given)) return []
  const { schema = null, format = null, ...others }: Readonly<Record<string, unknown>> = { ...Object(given) }
  // null, because what is undefined counts as not given
  return optionProblems('createApp', { ...others, schema, format }, RULES, 'errorFormat.')
}

/** Whether the value is a format, whatever it holds. */
const isErrorFormat = isDefinition('error-format')

function isOneType(text: unknown): boolean {
  if (typeof text !== 'string') return false
  const type = parseMediaType(text)?.type ?? '*'
  // what a header cannot carry is no media type either
  return !type.includes('*') && /^[\t -~]+$/.test(text)
}

/**
 * Creates the function that writes errors in a format. If the format throws, or returns what its schema does not take, that is logged,
 * and the problem document is sent in its place.
 */
export function createErrorWriter(format: ErrorFormat, logger: Logger): WriteError {
  const { contentType, schema } = format
  const isJson = isJsonType(contentType)
  const validate = createValidator(fromJson(schema, RESULT_READERS))
  const toBody: (...given: Parameters<WriteError>) => string = (error, context) => {
    const given = atOnce('errorFormat.format', format.format(error, context))
    const parsed = atOnce('errorFormat.schema', validate(given))
    if ('issues' in parsed)
      throw new TypeError(`errorFormat returned a body that its schema refuses: ${toReason(parsed.issues)}`)
    const body: unknown = isJson ? JSON.stringify(parsed.value) : parsed.value
    if (typeof body === 'string') return body
    throw new TypeError(`errorFormat returned a ${typeof parsed.value}, which ${contentType} cannot hold`)
  }
  return (error, context) => {
    let body: string
    try {
      body = toBody(error, context)
    } catch (err) {
      const message = 'An error cannot be written in the format of the application'
      logError(context ?? { log: logger }, { err, code: error.code }, message)
      return toProblem(error)
    }
    return toErrorResponse(error, contentType, body)
  }
}
