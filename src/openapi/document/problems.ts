import type { ResponseKey } from '../../schema/responses.ts'
import { phraseOf } from '../../errors.ts'
import { deepFreeze } from '../../values.ts'
import type { Content, ResponseObject, SchemaObject } from './types.ts'

/** The name of an answer. */
export type ProblemAnswer =
  | 'Problem'
  | 'ValidationFailed'
  | 'Unauthenticated'
  | 'Forbidden'
  | 'UnspecifiedVersion'
  | 'UnsupportedVersion'
  | 'RetiredVersion'

const CHALLENGE = {
  description: 'How to authenticate (RFC 9110 section 11.6.1)',
  schema: { type: 'string' },
}

/** What Octavo itself answers, as components under `responses`. */
export type ErrorAnswers = Readonly<Record<ProblemAnswer, ResponseObject>>

/** Those of applications without an error format. */
const PROBLEM_ANSWERS: ErrorAnswers = deepFreeze({
  Problem: answer('ProblemDetails', 'What went wrong, as a problem document (RFC 9457)'),
  ValidationFailed: answer('ValidationProblemDetails', 'The input is not what this operation takes'),
  Unauthenticated: {
    ...answer('ProblemDetails', 'Credentials are missing or not accepted'),
    headers: { 'WWW-Authenticate': CHALLENGE },
  },
  Forbidden: answer('ProblemDetails', 'A guard refuses the request'),
  UnspecifiedVersion: answer('VersionProblemDetails', 'The request names no version'),
  UnsupportedVersion: answer('VersionProblemDetails', 'There is nothing here, or not in this version'),
  RetiredVersion: answer('VersionProblemDetails', 'This version is retired'),
})

/** What any error is, where that it is a problem document is not promised. */
export const ANY_ERROR = 'What went wrong'

/** What Octavo itself answers in the format of an application; in problem documents without `content`. */
export function toErrorAnswers(content: Content | undefined): ErrorAnswers {
  if (content === undefined) return PROBLEM_ANSWERS
  const formatted = (name: ProblemAnswer): ResponseObject => ({ ...PROBLEM_ANSWERS[name], content })
  return {
    Problem: { description: ANY_ERROR, content },
    ValidationFailed: formatted('ValidationFailed'),
    Unauthenticated: formatted('Unauthenticated'),
    Forbidden: formatted('Forbidden'),
    UnspecifiedVersion: formatted('UnspecifiedVersion'),
    UnsupportedVersion: formatted('UnsupportedVersion'),
    RetiredVersion: formatted('RetiredVersion'),
  }
}

/** Whether the answers are in the format of an application. */
export function isFormatted(answers: ErrorAnswers): boolean {
  return answers !== PROBLEM_ANSWERS
}

/** Whether the text names an answer. */
export function isErrorAnswer(name: string): name is ProblemAnswer {
  return Object.hasOwn(PROBLEM_ANSWERS, name)
}

function answer(schema: string, description: string): ResponseObject {
  return { description, content: { 'application/problem+json': { schema: reference(schema) } } }
}

function reference(schema: string): SchemaObject {
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
  return { allOf: [reference('ProblemDetails'), own] }
}

/** The schemas of problem documents, under `#/components/schemas/`. */
export const PROBLEM_SCHEMAS: Readonly<Record<string, SchemaObject>> = deepFreeze({
  ProblemDetails: PROBLEM,
  ValidationProblemDetails: extended(VALIDATION),
  VersionProblemDetails: extended(VERSION),
})

const RANGES = { '4XX': 'Client error', '5XX': 'Server error', default: 'Any other status' }

/** What a response is called that says nothing of itself. */
export function descriptionOf(status: ResponseKey): string {
  if (typeof status === 'string') return RANGES[status]
  return phraseOf(status) ?? `Status ${status}`
}
