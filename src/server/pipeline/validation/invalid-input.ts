import { toDetail, ValidationError, type ValidationIssue } from '../../../http/errors.ts'

/** The 422 that Octavo answers with. `count` is that of all issues, of which `errors` may be the first. */
export function invalidInput(errors: readonly ValidationIssue[], count: number): ValidationError {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return new ValidationError(errors, toDetail(count))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
