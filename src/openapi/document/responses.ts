import type { ResponseKey } from '../../schema/responses.ts'
import type { Lifetime } from '../../versioning/policy.ts'
import { deepFreeze } from '../../values.ts'
import type { ConvertedRoute, DocumentedRoute } from './model.ts'
import { mergeContents } from './merge.ts'
import { ANY_ERROR, descriptionOf, isFormatted } from './problems.ts'
import type { ErrorAnswers, ProblemAnswer } from './problems.ts'
import type { Content, Operation, ResponseObject } from './types.ts'
import type { Wire } from './wire.ts'

type Responses = Operation['responses']

/** What an operation answers: what is declared, and what Octavo answers by itself. */
export function toResponses(
  { route, lifetime }: DocumentedRoute,
  converted: ConvertedRoute,
  wire: Wire,
  answers: ErrorAnswers,
): Responses {
  const headers = headersOf(lifetime)
  const declared = new Map<string, ResponseObject>()
  for (const [status, { description, content }] of converted.responses) {
    declared.set(String(status), {
      description: description ?? descriptionOf(status),
      ...(isSuccess(status) ? headers : {}),
      ...(content === undefined ? {} : { content: acceptedContent(content, wire) }),
    })
  }
  const isOpen = ![...converted.responses.keys()].some(
    (status) => status === 'default' || Number(status) < 400,
  )
  if (isOpen)
    declared.set(route.status === 200 ? '2XX' : String(route.status), {
      description: 'Success',
      ...headers,
      content: { '*/*': {} },
    })
  // with a format, what error handlers return has to fit it
  const isUnknown = !isFormatted(answers) && route.layers.errorHandlers.length > 0
  const errors = [...errorsOf(route, lifetime, wire)].map(
    ([status, name]): readonly [string, Responses[string]] => {
      const own = declaredFor(declared, status)
      // a range is too wide to be what error handlers answer alone
      const isAlone = own === undefined || converted.responses.has(Number(status))
      return [status, toErrorResponse(name, answers, own, isUnknown && isAlone)]
    },
  )
  return Object.fromEntries([...declared, ...errors].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function isSuccess(status: ResponseKey): boolean {
  return status === 'default' || Number(status) < 300
}

/** What a handler may reply with a status: what is declared for it, its range or the others. */
function declaredFor(
  declared: ReadonlyMap<string, ResponseObject>,
  status: string,
): ResponseObject | undefined {
  return declared.get(status) ?? declared.get(`${status.charAt(0)}XX`) ?? declared.get('default')
}

/** What Octavo answers to the mistakes of clients, by status. */
function errorsOf(
  { sources, layers }: DocumentedRoute['route'],
  lifetime: Lifetime | undefined,
  { refusals }: Wire,
): ReadonlyMap<string, ProblemAnswer> {
  const problems = new Map<string, ProblemAnswer>([
    ['4XX', 'Problem'],
    ['5XX', 'Problem'],
  ])
  const asks = layers.guards.some(({ part }) => (part.security?.length ?? 0) > 0)
  if (asks) problems.set('401', 'Unauthenticated')
  if (layers.guards.length > 0) problems.set('403', 'Forbidden')
  if (sources.length > 0) problems.set('422', 'ValidationFailed')
  if (refusals?.unspecified !== undefined) problems.set(String(refusals.unspecified), 'UnspecifiedVersion')
  if (refusals !== undefined) problems.set(String(refusals.unsupported), 'UnsupportedVersion')
  if (lifetime?.gone === true) problems.set('410', 'RetiredVersion')
  return problems
}

/**
 * A reference to a shared answer; written out if more may be sent with its status. If it is not known what error handlers answer, nothing
 * is promised but what the route declares for this status.
 */
function toErrorResponse(
  name: ProblemAnswer,
  answers: ErrorAnswers,
  declared: ResponseObject | undefined,
  isUnknown: boolean,
): Responses[string] {
  if (declared === undefined && !isUnknown) return { $ref: `#/components/responses/${name}` }
  const { description, headers, content } = answers[name]
  const contents = [declared?.content, isUnknown ? undefined : content].filter((each) => each !== undefined)
  return {
    description: declared?.description ?? (name === 'Problem' ? ANY_ERROR : description),
    ...(headers === undefined ? {} : { headers }),
    ...(contents.length === 0 ? {} : { content: mergeContents(contents) }),
  }
}

/** Content under the types that a request in this version accepts. */
function acceptedContent(content: Content, { toAccepted }: Wire): Content {
  if (toAccepted === undefined) return content
  return Object.fromEntries(
    Object.entries(content).flatMap(([type, media]) => toAccepted(type).map((accepted) => [accepted, media])),
  )
}

/** The headers of responses that tell of the end of what answers (RFC 9745, RFC 8594). */
function headersOf(lifetime: Lifetime | undefined): Pick<ResponseObject, 'headers'> {
  if (lifetime === undefined) return {}
  const names = [
    ...Object.keys(lifetime.headers).map((name) => (name === 'sunset' ? 'Sunset' : 'Deprecation')),
    ...(lifetime.links.length > 0 ? ['Link'] : []),
  ]
  if (names.length === 0) return {}
  return {
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  }
}

/** The headers that responses refer to. */
export const RESPONSE_HEADERS = deepFreeze({
  Deprecation: {
    description: 'Since when this is deprecated, or will be (RFC 9745)',
    schema: { type: 'string', pattern: '^@-?[0-9]+$' },
  },
  Sunset: {
    description: 'From when on this may not answer any more, as an HTTP date (RFC 8594)',
    schema: { type: 'string' },
  },
  Link: { description: 'Where that is explained (RFC 8288)', schema: { type: 'string' } },
} as const)
