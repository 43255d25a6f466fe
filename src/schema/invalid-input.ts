import { limitTraces } from '../base/values.ts'
import { toDetail, ValidationError, type ValidationIssue } from '../http/errors.ts'
import type { SourceName } from './sources.ts'
import type { SchemaIssue } from './validator.ts'

/** Names of unknown keys are part of messages and paths: they are cut here. */
const MAX_TEXT = 200

/** Describes what a schema refused of a source. */
export function inputIssues(source: SourceName, issues: readonly SchemaIssue[]): readonly ValidationIssue[] {
  return issues.map(({ path, code, message }) => ({
    in: source,
    path: path.map((key) => (typeof key === 'number' ? key : cutText(String(key)))),
    code,
    message: cutText(message),
  }))
}

function cutText(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

/** Creates Octavo's 422. `count` counts all issues, of which `errors` may hold the first ones. */
export function invalidInput(errors: readonly ValidationIssue[], count = errors.length): ValidationError {
  const { stackTraceLimit } = Error
  limitTraces(0)
  try {
    return new ValidationError(errors, toDetail(count))
  } finally {
    limitTraces(stackTraceLimit)
  }
}
