import type { ErrorFormat } from '../../define/error-format.ts'
import type { ErrorHandler } from '../../define/layers.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { findResponse, type ResponseKey, type Schema } from '../../schema/schema.ts'
import { HttpError } from '../../http/errors.ts'
import { after, type Awaitable } from '../../base/values.ts'
import type { FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from './context.ts'
import { asCounted, isInstance, logUnknown, toFailure } from './failure.ts'
import { quiet } from './interceptors.ts'
import type { Recover } from './middleware.ts'
import { wantValidation } from './validation/load.ts'
import { createResponder, type ResultAdapter, type Respond } from './respond.ts'

/** Creates the responder to errors: the first handler that matches and returns something, innermost first, else a problem document. */
export function createRecover(handlers: readonly ErrorHandler[], answering: Answering): Recover {
  const plain = createErrorResponder(answering)
  const own = new Map(handlers.map((handler) => [handler, respondTo(handler, answering)]))
  const respond: RespondBy = (handler, ...given) => (own.get(handler) ?? plain)(...given)
  return (context, thrown) => {
    const error = asCounted(context, thrown)
    context.observe(error)
    // what was set for a response that is not sent
    context.head = undefined
    return handlers.some((handler) => matches(handler, error))
      ? ask(handlers, respond, context, error)
      : toFailure(context, error)
  }
}

/** The schemas that parse the results of error handlers, besides their own and the format of the application. */
export interface Answering extends Pick<ResolvedRoute, 'label' | 'responses'> {
  /** Whether results are parsed at all. */
  readonly isChecked: boolean
  readonly format: ErrorFormat | undefined
  /** Converts results into those of an older version, if the route is converted. */
  readonly older?: ResultAdapter | undefined
}

type RespondBy = (handler: ErrorHandler, ...given: Parameters<RespondToError>) => ReturnType<RespondToError>

/** Responds by the schemas of a handler, if it has some, before those of the route. */
function respondTo({ response }: ErrorHandler, answering: Answering): RespondToError | undefined {
  if (response === undefined) return undefined
  // results of errors are parsed where nothing else may be
  wantValidation()
  const declared = Object.entries(response).map(([status, schema]) => [Number(status), schema] as const)
  return createErrorResponder({ ...answering, responses: new Map([...answering.responses, ...declared]) })
}

type RespondToError = (
  result: unknown,
  status: number,
  context: RequestContext,
) => Awaitable<FinishedResponse>

/**
 * Converts the result of an error handler to a response. It is parsed by the declaration of the route for its status, else by the
 * format of the application, because documents show both.
 */
function createErrorResponder({ label, responses, isChecked, format, older }: Answering): RespondToError {
  const ranges: readonly (readonly [ResponseKey, Schema])[] =
    // a default that the route declares is for these statuses, too
    format === undefined || responses.has('default')
      ? []
      : [
          ['4XX', format.schema],
          ['5XX', format.schema],
        ]
  const all = new Map([...ranges, ...responses])
  const typeOf = (status: number): string | undefined =>
    status >= 400 && findResponse(all, status) === format?.schema ? format?.contentType : undefined
  const asError = (response: FinishedResponse): FinishedResponse => {
    const type = typeOf(response.status)
    return type !== undefined && response.headers['content-type'] === type
      ? { ...response, isError: true }
      : response
  }
  const byStatus = new Map<number, Respond>()
  return (result, status, context) => {
    const answered = { label: `${label}: an error handler`, status, responses: all, isOneResponse: false }
    const respond =
      byStatus.get(status) ??
      createResponder(format === undefined ? answered : { ...answered, typeOf }, isChecked, older)
    byStatus.set(status, respond)
    return after(respond(result, context.takeHead(), context), asError)
  }
}

async function ask(
  handlers: readonly ErrorHandler[],
  respond: RespondBy,
  context: RequestContext,
  thrown: unknown,
): Promise<FinishedResponse> {
  let error = thrown
  let isLogged = false
  for (const handler of handlers) {
    if (!matches(handler, error)) continue
    try {
      keepHeaders(context, error)
      // by class, an error is known to the handler; by status, it may be anything
      if (handler.match === 500 && !isInstance(error, HttpError) && !isLogged) {
        isLogged = true
        logUnknown(context, error)
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `matches` has just said so
      const result = await quiet(handler.handle(error as never, context))
      if (result !== undefined) return await respond(handler, result, statusOf(error), context)
    } catch (worse) {
      // the handlers further out see what this one made of it
      isLogged &&= worse === error
      error = asCounted(context, worse)
    }
    // what a handler has set without answering is not sent
    context.head = undefined
  }
  return toFailure(context, error, isLogged)
}

/** These belong to the body that the error would have. */
const OF_BODY = new Set(['content-type', 'content-length', 'content-encoding'])

/** Sets the headers of an error on the response to it. The handler sees them there and can replace or delete them. */
function keepHeaders(context: RequestContext, error: unknown): void {
  if (!(error instanceof HttpError) || error.headers === undefined) return
  for (const [name, value] of Object.entries(error.headers))
    if (!OF_BODY.has(name.toLowerCase())) context.response.headers.set(name, value)
}

function matches({ match }: ErrorHandler, error: unknown): boolean {
  return typeof match === 'number' ? statusOf(error) === match : isInstance(error, match)
}

/** The status of an error. One that cannot be read is the mistake of who threw it. */
function statusOf(error: unknown): number {
  try {
    return error instanceof HttpError ? error.status : 500
  } catch {
    return 500
  }
}
