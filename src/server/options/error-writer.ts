import { requireSync } from '../../base/values.ts'
import type { ExecutionContext, Logger } from '../../define/context.ts'
import type { ErrorFormat } from '../../define/error-format.ts'
import { problemResponse, toErrorResponse, type HttpError } from '../../http/errors.ts'
import { isJsonType, type FinishedResponse } from '../../http/http.ts'
import type { BodyLayer, LayerExtra } from '../../routes/resolved-route.ts'
import { RESULT_READERS, withJsonReaders } from '../../schema/coercion.ts'
import { toDeclared } from '../../schema/declared.ts'
import { wantZod } from '../../schema/schema.ts'
import { createValidator, formatIssues } from '../../schema/validator.ts'
import { logError } from '../logging/logger.ts'

/** The response to an error in the format of the application. Changes convert the error, because the format may have its code anywhere. */
export interface FormattedError extends FinishedResponse {
  readonly error?: HttpError
}

/**
 * Writes the response to an error. `older` is its body in the version of the request, if changes reach it. Throws if the error holds what
 * cannot be sent.
 */
export type WriteError = (
  error: HttpError,
  context?: ExecutionContext & LayerExtra,
  older?: BodyLayer,
) => FormattedError

/** The body of an error before it is written. */
interface ErrorBody {
  readonly contentType: string
  readonly value: unknown
}

/**
 * Creates the function that writes errors in a format, or as problem documents without one. If the format or a change throws, or a body
 * cannot be sent, that is logged, and the problem document is sent in its place.
 */
export function createErrorWriter(format: ErrorFormat | undefined, logger: Logger): WriteError {
  const toBody = format === undefined ? toProblem : createFormat(format)
  const write: WriteError = (error, context, older) => {
    let contentType: string
    let text: string
    try {
      const body = toBody(error, context)
      const shown = older === undefined ? body : toOlder(body, older, context)
      contentType = shown.contentType
      text = toText(shown)
    } catch (err) {
      const message = 'An error cannot be written in the format of the application'
      logError(context ?? { log: logger }, { err, code: error.code }, message)
      return problemResponse(error)
    }
    return Object.assign(toErrorResponse(error, contentType, text), { error })
  }
  if (format !== undefined) return write
  return (error, context, older) =>
    older === undefined ? problemResponse(error) : write(error, context, older)
}

function createFormat(
  format: ErrorFormat,
): (error: HttpError, context: ExecutionContext | undefined) => ErrorBody {
  const { contentType, schema } = format
  // its schema validates what it returns
  wantZod()
  const validate = createValidator(withJsonReaders(schema, RESULT_READERS))
  return (error, context) => {
    const given = requireSync('errorFormat.format', format.format(error, context))
    const parsed = requireSync('errorFormat.schema', validate(given))
    if ('issues' in parsed)
      throw new TypeError(
        `errorFormat returned a body that its schema refuses: ${formatIssues(parsed.issues)}`,
      )
    return { contentType, value: parsed.value }
  }
}

function toProblem(error: HttpError): ErrorBody {
  const { body } = problemResponse(error)
  return {
    contentType: 'application/problem+json',
    value: typeof body === 'string' ? JSON.parse(body) : body,
  }
}

function toOlder(
  { contentType, value }: ErrorBody,
  older: BodyLayer,
  context: LayerExtra | undefined = {},
): ErrorBody {
  const made =
    older.toOlder === undefined ? value : requireSync('A change of errors', older.toOlder(value, context))
  const { contentType: other } = older
  return {
    contentType: other === undefined ? contentType : (other.named ?? 'application/json'),
    value: toDeclared(older.schema, made),
  }
}

function toText({ contentType, value }: ErrorBody): string {
  const text: unknown = isJsonType(contentType) ? JSON.stringify(value) : value
  if (typeof text === 'string') return text
  throw new TypeError(`errorFormat returned a ${typeof value}, which ${contentType} cannot hold`)
}
