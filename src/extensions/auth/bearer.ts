import type { ExecutionContext } from '../../define/context.ts'
import type { Guard, SecurityScheme } from '../../define/guard.ts'
import type { Injected, Tokens } from '../../define/token.ts'
import type { HttpRequest } from '../../http/http.ts'
import { placed, type Rules } from '../../base/definition-error.ts'
import {
  createAuthGuard,
  MALFORMED,
  readAuthorization,
  toChallenge,
  type Carried,
  type Decision,
  type IdentityOf,
} from './create-guard.ts'
import { checkOptions, RULES, type AuthOptions } from './options.ts'

/** The options of `bearerAuth`. */
export interface BearerOptions<V, D = {}> extends AuthOptions<D> {
  /**
   * Who the token stands for: anything falsy is a 401, `true` allows without identity, anything else becomes `context.identity`.
   * Errors that it throws are passed on. It receives the values of `inject` as its last argument.
   */
  readonly verify: (token: string, context: ExecutionContext, inject: Injected<D>) => V & Decision<V>
  /**
   * The word before the token in `Authorization`, and in the challenge. Documents show every other word than `Bearer` as an API key
   * in that header, because few tools know other schemes.
   *
   * @default 'Bearer'
   */
  readonly scheme?: string
  /** Names the guard, and the scheme in documents. @default 'bearerAuth'; for another scheme its name, as 'tokenAuth' */
  readonly schemeName?: string
  /** The format of tokens, for documents, such as `JWT`. */
  readonly bearerFormat?: string
}

const OPTIONS: Rules = {
  verify: RULES.verify,
  inject: RULES.inject,
  scheme: RULES.token,
  schemeName: RULES.name,
  realm: RULES.realm,
  bearerFormat: RULES.text,
  description: RULES.text,
}

/** RFC 6750 section 2.1 */
const TOKEN = /^[\w.~+/-]+=*$/

/**
 * Creates a guard for `Authorization: Bearer …` (RFC 6750), or another word of `scheme`. `verify` receives well-formed tokens only.
 *
 * @example
 * const SignedIn = bearerAuth({
 *   inject: { sessions: SessionService },
 *   verify: (token, _context, { sessions }) => sessions.find(token),
 * })
 * defineController({ prefix: '/car', guards: [SignedIn], routes: [{ method: 'GET', handler: (_, { identity }) => identity.name }] })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function bearerAuth<V, D extends Tokens = {}>(options: BearerOptions<V, D>): Guard<IdentityOf<V>> {
  checkOptions('bearerAuth', options, OPTIONS)
  const { verify, inject, realm = 'api', scheme = 'Bearer' } = options
  const guard = createAuthGuard({
    name: options.schemeName ?? `${scheme.toLowerCase().replaceAll(/[^\w.-]/g, '-')}Auth`,
    security: toBearerScheme(scheme, options),
    challenge: toChallenge(scheme, { realm }),
    refusal: toChallenge(scheme, { realm, error: 'invalid_token' }),
    read: (request) => readBearer(request, scheme.toLowerCase()),
    inject,
    verify,
  })
  return placed(guard, bearerAuth)
}

/** Tools for documents know `bearer` and `basic`; an API key in the header is how they can send another word. */
export function toBearerScheme(
  scheme: string,
  { bearerFormat, description }: { readonly [K in 'bearerFormat' | 'description']?: string | undefined },
): SecurityScheme {
  if (scheme.toLowerCase() === 'bearer') {
    return {
      type: 'http',
      scheme: 'bearer',
      ...(bearerFormat === undefined ? {} : { bearerFormat }),
      ...(description === undefined ? {} : { description }),
    }
  }
  const written = `Sent as "${scheme} <${bearerFormat ?? 'token'}>"`
  return {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: description === undefined ? written : `${description}. ${written}`,
  }
}

/** Reads a token from the Authorization header. `scheme` is in lower case. */
export function readBearer(request: HttpRequest, scheme: string): Carried<[token: string]> {
  const token = readAuthorization(request, scheme)
  if (token === undefined || token === MALFORMED) return token
  return TOKEN.test(token) ? [token] : MALFORMED
}
