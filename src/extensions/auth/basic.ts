import type { ExecutionContext } from '../../define/context.ts'
import type { Guard } from '../../define/guard.ts'
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

/** The options of `basicAuth`. */
export interface BasicOptions<V, D = {}> extends AuthOptions<D> {
  /**
   * Who the user is: anything falsy is a 401, `true` allows without identity, anything else becomes `context.identity`. What it
   * throws is passed on. It receives the values of `inject` as its last argument.
   */
  readonly verify: (
    user: string,
    password: string,
    context: ExecutionContext,
    inject: Injected<D>,
  ) => V & Decision<V>
  /** Names the guard, and the scheme in documents. @default 'basicAuth' */
  readonly schemeName?: string
}

const OPTIONS: Rules = {
  verify: RULES.verify,
  inject: RULES.inject,
  schemeName: RULES.name,
  realm: RULES.realm,
  description: RULES.text,
}

/**
 * A guard for `Authorization: Basic …` (RFC 7617) in UTF-8. User and password may be empty, and the password may hold colons.
 *
 * @example
 * const Operators = basicAuth({
 *   realm: 'operators',
 *   verify: (user, password) => user === 'ops' && safeEqual(password, settings.operatorPassword),
 * })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function basicAuth<V, D extends Tokens = {}>(options: BasicOptions<V, D>): Guard<IdentityOf<V>> {
  checkOptions('basicAuth', options, OPTIONS)
  const { verify, inject, schemeName = 'basicAuth', realm = 'api', description } = options
  const challenge = toChallenge('Basic', { realm, charset: 'UTF-8' })
  const guard = createAuthGuard({
    name: schemeName,
    security: { type: 'http', scheme: 'basic', ...(description === undefined ? {} : { description }) },
    challenge,
    refusal: challenge,
    read: readUser,
    inject,
    verify,
  })
  return placed(guard, basicAuth)
}

function readUser(request: HttpRequest): Carried<[user: string, password: string]> {
  const encoded = readAuthorization(request, 'basic')
  if (encoded === undefined || encoded === MALFORMED) return encoded
  const text = decode(encoded)
  const colon = text?.indexOf(':') ?? -1
  // RFC 7617 section 2 allows no control characters
  if (text === undefined || colon === -1 || /\p{Cc}/u.test(text)) return MALFORMED
  return [text.slice(0, colon), text.slice(colon + 1)]
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The UTF-8 text behind base64, or `undefined` if it is either not. */
function decode(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, 'base64')
  // decoding forgives everything: only what it would write itself is base64
  if (bytes.toString('base64') !== encoded) return undefined
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}
