import { addedError, type HttpError } from '../../http/errors.ts'
import { RETRY_AFTER, type Documented } from '../../define/layers.ts'
import { ownProblem } from '../../define/problem.ts'
import { HEADER, missingKey } from './request-key.ts'

/** A method whose requests can have a key. */
export type IdempotencyMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** The problem of a key whose handler runs. */
export function inUse(): HttpError {
  return addedError('idempotency_key_in_use', 'A request with this key is being answered; try again later', {
    headers: { 'retry-after': '1' },
  })
}

/** The problem of a key whose handler ran longer than its lease. */
export function unknownOutcome(seconds: number): HttpError {
  const detail = 'A request with this key was not answered in time, and it is not known whether it was done'
  return addedError('idempotent_outcome_unknown', detail, { headers: { 'retry-after': String(seconds) } })
}

/** The problem of a key that another request had. */
export function reused(): HttpError {
  return addedError('idempotency_key_reused', 'Another request was sent with this key')
}

/** The problem of a store that fails, or has no room. */
export function unavailable(seconds = 1): HttpError {
  return addedError('idempotency_unavailable', 'Keys of requests cannot be kept at the moment', {
    headers: { 'retry-after': String(seconds) },
  })
}

export function describeIdempotency(
  methods: readonly IdempotencyMethod[],
  required: boolean,
  refuses: boolean,
): Documented {
  const problems = [
    ownProblem('IdempotencyKeyRefused', missingKey(), `${HEADER} is missing or malformed`),
    ownProblem(
      'IdempotencyKeyInUse',
      inUse(),
      `A request with the same ${HEADER} is not answered yet, or cannot be answered again`,
      RETRY_AFTER,
    ),
    ownProblem('IdempotencyKeyReused', reused(), `Another request had the same ${HEADER}`),
  ]
  const down = ownProblem(
    'IdempotencyUnavailable',
    unavailable(),
    'Keys of requests cannot be kept at the moment',
    RETRY_AFTER,
  )
  return {
    methods,
    takesKeys: true,
    requestHeaders: [
      {
        name: HEADER,
        required,
        description: 'A text in double quotes, such as a UUID, that names this request when it is sent again',
        schema: { type: 'string', minLength: 1, maxLength: 512 },
      },
    ],
    responseHeaders: {
      'Idempotency-Replayed': {
        description: 'Sent if this is the response to an earlier request with the same key',
        schema: { type: 'string', const: 'true' },
      },
    },
    problems: refuses ? [...problems, down] : problems,
  }
}
