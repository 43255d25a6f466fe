import type { ResponseKey } from '../../schema/schema.ts'
import { RETRY_AFTER } from '../../define/layers.ts'
import type { AnyProblem } from '../../define/problem.ts'
import {
  httpError,
  reasonPhrase,
  problemResponse,
  type CoreErrorCode,
  type HttpError,
} from '../../http/errors.ts'
import { isRecord, toRecord } from '../../base/values.ts'
import { deepFreeze } from '../freeze.ts'
import type { VersionStatusCodes } from '../../versioning/schemes/scheme.ts'
import type { Content, ResponseObject, SchemaObject } from './types.ts'

/** An answer of Octavo itself: a code of its own with an example of its detail, the schema, and how documents describe it. */
interface BuiltInResponse {
  readonly code: CoreErrorCode
  readonly description: string
  readonly detail: string
  readonly schema?: 'ValidationProblemDetails' | 'VersionProblemDetails'
  /** More members of the example. */
  readonly members?: Readonly<Record<string, unknown>>
  readonly headers?: AnyProblem['headers']
}

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 9110 section 11.6.1)',
    schema: { type: 'string' },
  },
}

const VERSIONS = { supported: ['1', '2'], deprecated: ['1'] }

const ANSWERS = {
  BadRequest: {
    code: 'malformed_json',
    description: 'The request cannot be read',
    detail: 'The body is not valid JSON',
  },
  Unauthenticated: {
    code: 'unauthenticated',
    description: 'Credentials are missing or not accepted',
    detail: 'This needs the credentials that WWW-Authenticate describes',
    headers: CHALLENGE,
  },
  Forbidden: {
    code: 'forbidden',
    description: 'The request is not allowed',
    detail: 'The request is not allowed',
  },
  NotFound: {
    code: 'route_not_found',
    description: 'Not found',
    detail: 'Nothing is served at this path',
  },
  ContentTooLarge: {
    code: 'body_too_large',
    description: 'The body is too long',
    detail: 'The body is longer than 1048576 bytes',
  },
  UnsupportedMediaType: {
    code: 'unsupported_media_type',
    description: 'The body is of another type than this operation takes',
    detail: 'Send the body as application/json',
  },
  ValidationFailed: {
    code: 'validation_failed',
    description: 'The input does not fit this operation',
    detail: 'One value is not as the API describes',
    schema: 'ValidationProblemDetails',
    members: {
      errors: [
        {
          in: 'query',
          path: ['limit'],
          code: 'invalid_type',
          message: 'Invalid input: expected number, received string',
        },
      ],
    },
  },
  InternalError: {
    code: 'internal_error',
    description: 'Something went wrong in the server',
    detail: 'The request could not be answered; the log has the reason',
  },
  UnspecifiedVersion: {
    code: 'unspecified_version',
    description: 'The request names no version, or not as it should',
    detail: 'The request names no version',
    schema: 'VersionProblemDetails',
    members: VERSIONS,
  },
  UnsupportedVersion: {
    code: 'unsupported_version',
    description: 'Not found, or not in this version',
    detail: 'This version is not served here',
    schema: 'VersionProblemDetails',
    members: VERSIONS,
  },
  RetiredVersion: {
    code: 'retired_version',
    description: 'This version is retired',
    detail: 'This version is not served any more',
    schema: 'VersionProblemDetails',
    members: { requested: '1', supported: ['2'] },
  },
  VersionBrownout: {
    code: 'version_brownout',
    description: 'This version is in a brownout',
    detail: 'This version is not served for a while, because it ends soon',
    schema: 'VersionProblemDetails',
    members: { requested: '1', supported: ['2'], until: '2026-06-01T11:00:00.000Z' },
    headers: RETRY_AFTER,
  },
} as const satisfies Readonly<Record<string, BuiltInResponse>>

/** The name of an answer of Octavo's core; `Problem` is any error. */
export type ProblemAnswer = keyof typeof ANSWERS | 'Problem'

/** The answers of Octavo itself, as components under `responses`: with those of middleware, guards and interceptors. */
export type ErrorAnswers = Readonly<Record<ProblemAnswer, ResponseObject>> &
  Readonly<Record<string, ResponseObject>>

const PROBLEM_TYPE = 'application/problem+json'

/** Those of applications without an error format. */
const PROBLEM_ANSWERS: ErrorAnswers = deepFreeze({
  Problem: {
    description: 'What went wrong, as a problem document (RFC 9457)',
    content: { [PROBLEM_TYPE]: { schema: toReference('ProblemDetails') } },
  },
  ...mapAnswers(({ code, description, detail, schema, members, headers }) =>
    toProblemAnswer({ description, headers, example: httpError(code, detail, members) }, schema),
  ),
})

/** An answer that is a problem document. */
function toProblemAnswer(
  {
    description,
    headers,
    example,
  }: Pick<BuiltInResponse, 'description' | 'headers'> & { readonly example: HttpError },
  schema = 'ProblemDetails',
): ResponseObject {
  const { body } = problemResponse(example)
  const written: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  const content = { schema: toReference(schema), example: written }
  return withHeaders({ description, content: { [PROBLEM_TYPE]: content } }, headers)
}

/**
 * The response that is a declared problem: its code tells it from others. `members` is the schema of its members, and `content` that of all
 * errors of an application with a format.
 */
export function toProblemResponse(
  problem: AnyProblem,
  members: SchemaObject | undefined,
  content: Content | undefined,
): ResponseObject {
  const {
    code,
    status,
    title,
    type = 'about:blank',
    description = title,
    headers,
    example = {},
    others,
  } = problem
  if (content !== undefined) return withHeaders({ description, content }, headers)
  const own = toRecord(members)
  const isPlain = members === undefined || isRecord(own['properties'])
  const { required = [] } = isPlain ? own : {}
  const schema = {
    allOf: [
      toReference('ProblemDetails'),
      {
        type: 'object',
        properties: {
          code: { type: 'string', ...(others === undefined ? { const: code } : { enum: [code, ...others] }) },
          ...(isPlain && toRecord(own['properties'])),
        },
        required: ['code', ...(Array.isArray(required) ? required : [])],
      },
      ...(isPlain ? [] : [own]),
    ],
  }
  const { detail, ...shown } = example
  const isComplete = problem.example !== undefined || !Array.isArray(own['required'])
  const document = { type, title, status, ...(detail === undefined ? {} : { detail }), code, ...shown }
  const media = isComplete ? { schema, example: document } : { schema }
  return withHeaders({ description, content: { [PROBLEM_TYPE]: media } }, headers)
}

function withHeaders(response: ResponseObject, headers: ResponseObject['headers']): ResponseObject {
  return headers === undefined ? response : { ...response, headers }
}

function mapAnswers<T>(map: (answer: BuiltInResponse) => T): Readonly<Record<keyof typeof ANSWERS, T>> {
  const mapped = Object.entries(ANSWERS).map(([name, answer]) => [name, map(answer)])
  // it has the names of the table
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(mapped) as Record<keyof typeof ANSWERS, T>
}

/** The description of any error, where that it is a problem document is not promised. */
export const ANY_ERROR = 'What went wrong'

/**
 * Returns the answers of Octavo itself in the format of an application; in problem documents without `content`, whose examples have the
 * statuses of version errors. `added` is what middleware, guards and interceptors answer by themselves.
 */
export function toErrorAnswers(
  content: Content | undefined,
  statuses: Partial<VersionStatusCodes> = {},
  added: readonly AnyProblem[] = [],
): ErrorAnswers {
  const others = Object.fromEntries(
    added.flatMap((problem) =>
      problem.component === undefined
        ? []
        : [[problem.component, toProblemResponse(problem, undefined, content)]],
    ),
  )
  if (content === undefined) {
    const { unspecified = 400, unsupported = 404, retired = 410 } = statuses
    const { UnspecifiedVersion, UnsupportedVersion, RetiredVersion, VersionBrownout } = PROBLEM_ANSWERS
    return {
      ...others,
      ...PROBLEM_ANSWERS,
      UnspecifiedVersion: withExampleStatus(UnspecifiedVersion, unspecified),
      UnsupportedVersion: withExampleStatus(UnsupportedVersion, unsupported),
      RetiredVersion: withExampleStatus(RetiredVersion, retired),
      VersionBrownout: withExampleStatus(VersionBrownout, retired),
    }
  }
  return {
    ...others,
    Problem: { description: ANY_ERROR, content },
    ...mapAnswers(({ description, headers }) => withHeaders({ description, content }, headers)),
  }
}

/** An answer as it is sent with a status: its example has that status too. */
export function withExampleStatus(response: ResponseObject, status: number): ResponseObject {
  const { content = {}, ...rest } = response
  const [own] = Object.values(content)
  const { example } = own ?? {}
  if (!isRecord(example) || example['status'] === status) return response
  return { ...rest, content: { [PROBLEM_TYPE]: { ...own, example: { ...example, status } } } }
}

/** Whether the answers are in the format of an application. */
export function isFormatted(answers: ErrorAnswers): boolean {
  return answers.Problem !== PROBLEM_ANSWERS.Problem
}

function toReference(schema: string): SchemaObject {
  return { $ref: `#/components/schemas/${schema}` }
}

const PROBLEM: SchemaObject = {
  type: 'object',
  description: 'A problem document (RFC 9457)',
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Identifies the kind of problem' },
    title: { type: 'string', description: 'Names the kind of problem' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What went wrong this time' },
    code: { type: 'string', description: 'A stable word for programs' },
  },
  required: ['type', 'title', 'status', 'code'],
}

// not required: a handler may throw a 422 of its own
const VALIDATION: SchemaObject = {
  type: 'object',
  properties: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          in: { type: 'string', enum: ['params', 'query', 'headers', 'cookies', 'body', 'form', 'files'] },
          path: { type: 'array', items: { type: ['string', 'integer'] } },
          code: { type: 'string' },
          message: { type: 'string' },
        },
        required: ['in', 'path', 'code', 'message'],
      },
    },
  },
}

const LIST: SchemaObject = { type: 'array', items: { type: 'string' } }

const VERSION: SchemaObject = {
  type: 'object',
  properties: {
    supported: { ...LIST, description: 'The versions that are served here' },
    deprecated: { ...LIST, description: 'Those of them that are deprecated' },
  },
}

function extended(own: SchemaObject): SchemaObject {
  return { allOf: [toReference('ProblemDetails'), own] }
}

/** The schemas of problem documents, under `#/components/schemas/`. */
export const PROBLEM_SCHEMAS: Readonly<Record<string, SchemaObject>> = deepFreeze({
  ProblemDetails: PROBLEM,
  ValidationProblemDetails: extended(VALIDATION),
  VersionProblemDetails: extended(VERSION),
})

const RANGES = { '4XX': 'Client error', '5XX': 'Server error', default: 'Any other status' }

/** Returns the description of a response without one of its own. */
export function descriptionOf(status: ResponseKey): string {
  if (typeof status === 'string') return RANGES[status]
  return reasonPhrase(status) ?? `Status ${status}`
}
