import {
  CORE_ERRORS,
  toErrorTable,
  toOwnError,
  type CoreErrorCode,
  type ErrorRow,
  type ErrorTable,
  type HttpError,
  type OwnErrorOptions,
} from './errors.ts'

/*
 * The errors of middleware and of entry points that an application adds. They are in a file of their own, so that a worker without them
 * does not load their rows.
 */
const ROWS = {
  missing_idempotency_key: [400],
  malformed_idempotency_key: [400],
  insufficient_scope: [403],
  cross_site_request: [403, 'Cross-site request'],
  invalid_cursor: [422],
  idempotency_key_in_use: [409],
  idempotent_outcome_unknown: [409],
  idempotent_response_lost: [409],
  idempotency_key_reused: [422],
  precondition_required: 428,
  rate_limited: 429,
  overloaded: 503,
  rate_limit_unavailable: [503],
  token_keys_unavailable: [503],
  pin_unavailable: [503],
  invalid_signature: [401],
  replays_unavailable: [503],
  idempotency_unavailable: [503],
  upstream_invalid: [502],
  upstream_unreachable: [502],
  upstream_timeout: [504],
} as const satisfies Readonly<Record<string, ErrorRow>>

/** A code of the errors of middleware and entry points. */
export type AddedErrorCode = keyof typeof ROWS

const ADDED_ERRORS: ErrorTable<AddedErrorCode> = /* @__PURE__ */ toErrorTable(ROWS)

/** A code of {@link ERRORS}. Codes never change meaning; titles and details may. */
export type ErrorCode = keyof typeof CORE_ERRORS | keyof typeof ROWS

/** The errors Octavo itself answers requests with; `docs/errors.md` explains each. */
export const ERRORS: Readonly<Record<ErrorCode, { readonly status: number; readonly title: string }>> =
  /* @__PURE__ */ withAdded(CORE_ERRORS)

// bundlers keep a spread that nothing uses, and drop the call of a function
function withAdded(core: ErrorTable<CoreErrorCode>): ErrorTable<ErrorCode> {
  return { ...core, ...ADDED_ERRORS }
}

/**
 * An error of middleware or of an entry point, with the status and title of its row.
 *
 * @internal
 */
export function addedError(code: AddedErrorCode, detail: string, options?: OwnErrorOptions): HttpError {
  return toOwnError(ADDED_ERRORS, code, detail, options)
}
