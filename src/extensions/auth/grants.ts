import type { ExecutionContext } from '../../define/context.ts'
import { addedError } from '../../http/extension-errors.ts'
import type { AnsweredProblem } from '../../define/layers.ts'
import type { HttpError } from '../../http/errors.ts'

/** The claims and scopes that a guard of tokens found in a request. */
export interface Grant {
  /** The scopes of its token, or `undefined` if it carries none that is accepted. */
  readonly scopes: ReadonlySet<string> | undefined
  /** The issuer of the token. */
  readonly issuer?: string | undefined
  /** Writes the challenge of the guard, with more parameters. */
  readonly challenge: (more: Readonly<Record<string, string>>) => string
}

const grants = new WeakMap<ExecutionContext, Grant>()

/** Remembers what a guard found, for the guards behind it. */
export function grant(context: ExecutionContext, found: Grant): void {
  grants.set(context, found)
}

/** Returns the grant that a guard of tokens has found in the request, or `undefined` if none has run. */
export function grantOf(context: ExecutionContext): Grant | undefined {
  return grants.get(context)
}

const DETAIL = 'The token does not have the scopes that this needs'

/** The 403 of a token without a scope that is needed (RFC 6750 section 3.1). */
export function insufficientScope(challenge: Grant['challenge'], names: readonly string[]): HttpError {
  const scope = names.join(' ')
  return addedError('insufficient_scope', DETAIL, {
    headers: { 'www-authenticate': challenge({ error: 'insufficient_scope', scope }) },
    scope,
  })
}

/** The same for documents, which show it once for all scopes. */
export const LACKING_SCOPE: AnsweredProblem = {
  name: 'InsufficientScope',
  example: addedError('insufficient_scope', DETAIL),
  description: DETAIL,
  headers: {
    'WWW-Authenticate': { description: 'The scopes (RFC 6750 section 3)', schema: { type: 'string' } },
  },
}
