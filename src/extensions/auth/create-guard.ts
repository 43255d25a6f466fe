import type { ExecutionContext, Injected, Tokens } from '../../define/context.ts'
import { documenting, type AnyGuard, type Identified, type SecurityScheme } from '../../define/layers.ts'
import { ownProblem } from '../../define/problem.ts'
import { httpError, addedError, type HttpError } from '../../http/errors.ts'
import { isPromise, type Awaitable } from '../../base/values.ts'
import type { HttpRequest } from '../../http/http.ts'

/** Credentials were sent that cannot be read, or more than one. */
export const MALFORMED: unique symbol = Symbol('malformed')

/** The credentials of a request, `undefined` for none, or a mark for malformed ones. */
export type CarriedCredential<C> = C | undefined | typeof MALFORMED

/** A guard before it is known what it leaves. */
export type UntypedGuard = Omit<AnyGuard, '$adds' | '$drops'>

/** How credentials are read and asked for. */
interface Scheme<C extends readonly string[], D extends Tokens> {
  /** Of the guard, and of the scheme in documents. */
  readonly name: string
  readonly security: SecurityScheme
  readonly challenge: string
  /** Sent when what it carries is not accepted. */
  readonly refusal: string
  readonly read: (request: HttpRequest) => CarriedCredential<C>
  readonly inject: D | undefined
  /** Returns the issuer of accepted credentials. */
  readonly issuerOf?: (context: ExecutionContext) => string | undefined
  readonly verify: (...args: [...credentials: C, context: ExecutionContext, inject: Injected<D>]) => unknown
}

/** Creates the guard of a scheme. Errors of `verify` are passed on unchanged. */
export function createAuthGuard<C extends readonly string[], D extends Tokens>(
  scheme: Scheme<C, D>,
): UntypedGuard {
  const { name, security, challenge, refusal, read, issuerOf, verify, inject = {} } = scheme
  const own = [name] as const

  function settle(context: ExecutionContext & Identified, verdict: unknown): true {
    if (verdict === undefined) context.log.debug({ guard: name }, NO_RESULT)
    if (!verdict) throw denied('invalid_credentials', [refusal])
    if (verdict !== true) {
      context.identity = verdict
      context.identifiedBy = issuerOf === undefined ? own : [name, issuerOf(context)]
    }
    return true
  }

  function canActivate(context: ExecutionContext, injected: Injected<D>): Awaitable<true> {
    const carried = read(context.request)
    if (carried === undefined) throw denied('unauthenticated', [challenge])
    if (carried === MALFORMED) throw denied('invalid_credentials', [refusal])
    const verdict = verify(...carried, context, injected)
    return isPromise(verdict) ? verdict.then((settled) => settle(context, settled)) : settle(context, verdict)
  }

  return documenting(
    { kind: 'guard', name, inject, security: [{ [name]: security }], canActivate },
    { problems: [REFUSED] },
  )
}

const NO_RESULT =
  'Credentials were refused by undefined: check that the function of the guard returns its result'

const DETAILS = {
  unauthenticated: 'This needs the credentials that WWW-Authenticate describes',
  invalid_credentials: 'The credentials are not accepted',
} as const

/** Why a request is denied: nothing was sent, or it was not accepted. */
type Denial = keyof typeof DETAILS

export function toChallenge(scheme: string, parameters: Readonly<Record<string, string>>): string {
  const written = Object.entries(parameters).map(
    ([name, value]) => `${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`,
  )
  return `${scheme} ${written.join(', ')}`
}

/** The 401 of a request that is denied. It does not depend on the credentials. */
export function denied(denial: Denial, challenges: readonly string[]): HttpError {
  const headers = challenges.length === 0 ? {} : { 'www-authenticate': challenges.join(', ') }
  return httpError(denial, DETAILS[denial], { headers })
}

/** The 401 of every guard that asks for credentials. */
export const REFUSED = ownProblem(
  'CredentialsRefused',
  denied('unauthenticated', []),
  'Credentials are missing or not accepted',
  {
    'WWW-Authenticate': {
      description: 'How to authenticate (RFC 9110 section 11.6.1)',
      schema: { type: 'string' },
    },
  },
  ['invalid_credentials'],
)

/** The challenge that an error carries, or `undefined` if it has none. */
export function challengeOf({ headers = {} }: HttpError): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'www-authenticate')?.[1]
}

/**
 * Returns the part after the scheme in the Authorization header (RFC 9110 section 11.4). Another scheme counts as no credentials. Several
 * headers are malformed, because proxies and servers disagree about the one that counts.
 */
export function readAuthorization(request: HttpRequest, scheme: string): CarriedCredential<string> {
  const [line, ...others] = request.headerLines('authorization')
  if (line === undefined) return undefined
  if (others.length > 0) return MALFORMED
  const blank = line.indexOf(' ')
  const name = blank === -1 ? line : line.slice(0, blank)
  if (name.toLowerCase() !== scheme) return undefined
  return blank === -1 ? '' : line.slice(blank).replace(/^ +/, '')
}

/** Refuses a `verify` without `return`, which would answer everybody with a 401. */
export type Decision<V> = unknown extends V
  ? unknown
  : void extends Awaited<V>
    ? 'verify has to return who it is, true, or undefined to refuse'
    : unknown

type Falsy = false | null | undefined | 0 | 0n | ''

/**
 * The identity of a `verify` that returns V. Promises are awaited, and denials are dropped. `true` allows without an identity: it becomes
 * `undefined` beside another type, and `never` alone.
 */
export type IdentityOf<V> = 0 extends 1 & V ? unknown : AllowedIdentity<Exclude<Awaited<V>, Falsy | void>>

type AllowedIdentity<A> = true extends A ? OrNone<Exclude<A, true>> : A

type OrNone<I> = [I] extends [never] ? never : I | undefined

/** The claims and scopes that a guard of tokens found in a request. */
export interface Grant {
  /** The scopes of its token, or `undefined` if it carries none that is accepted. */
  readonly scopes: ReadonlySet<string> | undefined
  /** The issuer of the token. */
  readonly issuer?: string | undefined
  /** Writes the challenge of the guard, with more parameters. */
  readonly challenge: (more: Readonly<Record<string, string>>) => string
}

/** The key of the grant in a request, which every copy of the package knows. */
const GRANT: unique symbol = Symbol.for('octavo.grant')

type GrantedContext = ExecutionContext & { [GRANT]?: Grant }

/** Remembers what a guard found, for the guards behind it. */
export function grant(context: GrantedContext, found: Grant): void {
  context[GRANT] = found
}

/** Returns the grant that a guard of tokens has found in the request, or `undefined` if none has run. */
export function grantOf(context: GrantedContext): Grant | undefined {
  return context[GRANT]
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
export const LACKING_SCOPE = ownProblem(
  'InsufficientScope',
  addedError('insufficient_scope', DETAIL),
  DETAIL,
  { 'WWW-Authenticate': { description: 'The scopes (RFC 6750 section 3)', schema: { type: 'string' } } },
)
