import type { ExecutionContext } from '../define/context.ts'
import type { Guard } from '../define/guard.ts'
import type { HttpRequest } from '../http.ts'
import type { Rules } from '../check-options.ts'
import { createAuthGuard, MALFORMED, readAuthorization, toChallenge } from './create-guard.ts'
import type { Carried, IdentityOf } from './create-guard.ts'
import { checkOptions, RULES } from './options.ts'
import type { AuthOptions } from './options.ts'

/** What `bearerAuth` takes. */
export interface BearerOptions<V> extends AuthOptions {
  /**
   * Who the token stands for: anything falsy is a 401, `true` allows without identity, anything else becomes `context.identity`.
   * What it throws is passed on. `context.resolve(token)` gives what it needs of providers.
   */
  readonly verify: (token: string, context: ExecutionContext) => V
  /** Names the guard, and the scheme in documents. @default 'bearerAuth' */
  readonly name?: string
  /** What tokens are, for documents, such as `JWT`. */
  readonly bearerFormat?: string
}

const OPTIONS: Rules = {
  verify: RULES.verify,
  name: RULES.name,
  realm: RULES.realm,
  bearerFormat: RULES.text,
  description: RULES.text,
}

/** RFC 6750 section 2.1 */
const TOKEN = /^[\w.~+/-]+=*$/

/**
 * A guard for `Authorization: Bearer …` (RFC 6750). `verify` is not called for what is no token.
 *
 * @example
 * const SignedIn = bearerAuth({
 *   verify: async (token, context) => (await context.resolve(SessionService)).find(token),
 * })
 * defineController({ prefix: '/car', guards: [SignedIn], routes: [{ method: 'GET', handler: (_, { identity }) => identity.name }] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function bearerAuth<V>(options: BearerOptions<V>): Guard<IdentityOf<V>> {
  checkOptions('bearerAuth', options, OPTIONS)
  const { verify, name = 'bearerAuth', realm = 'api', bearerFormat, description } = options
  return createAuthGuard({
    name,
    security: {
      type: 'http',
      scheme: 'bearer',
      ...(bearerFormat === undefined ? {} : { bearerFormat }),
      ...(description === undefined ? {} : { description }),
    },
    challenge: toChallenge('Bearer', { realm }),
    refusal: toChallenge('Bearer', { realm, error: 'invalid_token' }),
    read: readToken,
    verify,
  })
}

function readToken(request: HttpRequest): Carried<[token: string]> {
  const token = readAuthorization(request, 'bearer')
  if (token === undefined || token === MALFORMED) return token
  return TOKEN.test(token) ? [token] : MALFORMED
}
