import { andThen, type Awaitable } from '../../base/values.ts'
import type { ErrorFormat } from '../../define/error-format.ts'
import type { FinishedResponse } from '../../http/http.ts'
import type { BodyLayer, ResolvedRoute } from '../../routes/resolved-route.ts'
import { responseTypes } from '../../schema/body-types.ts'
import { findResponse, type ResponseKey, type Schema } from '../../schema/schema.ts'
import type { RequestContext } from './context.ts'
import type { Conversion, ResultConversion } from './conversion.ts'
import { createLimit } from './failure.ts'
import { createResponder, type Respond } from './respond.ts'

/** The schemas that parse the results of error handlers, besides their own and the format of the application. */
export interface Answering extends Pick<ResolvedRoute, 'label' | 'responses'> {
  /** Whether results are parsed at all. */
  readonly isChecked: boolean
  readonly format: ErrorFormat | undefined
  readonly conversion?: Conversion | undefined
}

/** Responds with the result of an error handler. */
export type RespondToError = (
  result: unknown,
  status: number,
  context: RequestContext,
) => Awaitable<FinishedResponse>

/**
 * Converts the result of an error handler to a response. It is parsed by the declaration of the route for its status, else by the
 * format of the application, because documents show both.
 */
export function createErrorResponder(answering: Answering): RespondToError {
  const newest = createResponderOf(answering, undefined)
  const older = new Map<string | null, RespondToError>()
  return (result, status, context) => {
    const { errorsBefore, version } = context
    if (errorsBefore === undefined) return newest(result, status, context)
    const respond = older.get(version) ?? createResponderOf(answering, errorsBefore)
    older.set(version, respond)
    return respond(result, status, context)
  }
}

function createResponderOf(
  { label, responses, isChecked, format, conversion: whole }: Answering,
  errorsBefore: RequestContext['errorsBefore'],
): RespondToError {
  const conversion = whole && ofDeclared(whole)
  const declared = withFormat(responses, format?.schema)
  const isFormat = (status: number): boolean =>
    status >= 400 && format !== undefined && findResponse(declared, status) === format.schema
  const older = format && errorsBefore?.(400)
  const all = withFormat(responses, older?.schema ?? format?.schema)
  const type = older?.contentType === undefined ? format?.contentType : (older.contentType.named ?? JSON_TYPE)
  const declaredType = format && responseTypes(responses)
  const typeOf = (status: number): string | undefined => (isFormat(status) ? type : declaredType?.(status))
  const asError = (response: FinishedResponse): FinishedResponse =>
    isFormat(response.status) && response.headers['content-type'] === type
      ? { ...response, isError: true }
      : response
  const converting =
    format === undefined || older === undefined
      ? conversion
      : withErrors({ label, responses, isChecked, format, conversion }, (status) =>
          isFormat(status) ? errorsBefore?.(status) : undefined,
        )
  const byStatus = new Map<number, Respond>()
  return (result, status, context) => {
    const answered = { label: `${label}: an error handler`, status, responses: all, isOneResponse: false }
    const respond =
      byStatus.get(status) ??
      createResponder(format === undefined ? answered : { ...answered, typeOf }, isChecked, converting)
    byStatus.set(status, respond)
    return andThen(respond(result, context.takeHead(), context), asError)
  }
}

const JSON_TYPE = 'application/json'

/** The responses of a route and the format of the application. A default that the route declares is for these statuses, too. */
function withFormat(
  responses: Answering['responses'],
  schema: Schema | undefined,
): ReadonlyMap<ResponseKey, Schema> {
  if (schema === undefined || responses.has('default')) return responses
  return new Map<ResponseKey, Schema>([['4XX', schema], ['5XX', schema], ...responses])
}

/** The conversion of results with declared statuses. The one response of a route is none of error handlers. */
function ofDeclared({ checking, limit, newest, layer }: Conversion): ResultConversion {
  return {
    checking,
    limit,
    newest: { ...newest, isOneResponse: false },
    layer: {
      items: layer.items,
      events: layer.events,
      response: (status) =>
        typeof status === 'number' && findResponse(newest.responses, status) === undefined
          ? undefined
          : layer.response(status),
    },
  }
}

/** The conversion of results, with those in the format of the application. A route that no change reaches has no other one. */
function withErrors(
  {
    label,
    responses,
    isChecked,
    format,
    conversion,
  }: Omit<Answering, 'conversion'> & { readonly conversion: ResultConversion | undefined },
  errorAt: (status: number) => BodyLayer | undefined,
): ResultConversion {
  const newest = conversion?.newest ?? { label, responses, status: 500, isOneResponse: false }
  return {
    checking: isChecked,
    limit: conversion?.limit ?? createLimit(0),
    newest: { ...newest, responses: withFormat(newest.responses, format?.schema) },
    layer: {
      items: new Map(),
      events: new Map(),
      response: (status) =>
        (typeof status === 'number' ? errorAt(status) : undefined) ?? conversion?.layer.response(status),
    },
  }
}
