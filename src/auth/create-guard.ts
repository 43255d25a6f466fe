import type { ExecutionContext } from '../define/context.ts'
import type { Guard, SecurityScheme } from '../define/guard.ts'
import { isPromise } from '../http.ts'
import type { HttpRequest } from '../http.ts'
import { denied } from './challenge.ts'
import type { IdentityOf } from './verdict.ts'

/** Credentials were sent that cannot be read, or more than one. */
export const MALFORMED: unique symbol = Symbol('malformed')

/** What a request carries: credentials, none, or some that are none. */
export type Carried<C> = C | undefined | typeof MALFORMED

/** How credentials are read and asked for. */
interface Scheme<C extends readonly string[], V> {
  /** Of the guard, and of the scheme in documents. */
  readonly name: string
  readonly security: SecurityScheme
  /** Sent when the request carries nothing. */
  readonly challenge: string
  /** Sent when what it carries is not accepted. */
  readonly refusal: string
  readonly read: (request: HttpRequest) => Carried<C>
  readonly verify: (...args: [...credentials: C, context: ExecutionContext]) => V
}

/** Makes the guard of a scheme. What `verify` throws is passed on as it is. */
export function createAuthGuard<C extends readonly string[], V>(scheme: Scheme<C, V>): Guard<IdentityOf<V>> {
  const { name, security, challenge, refusal, read, verify } = scheme

  function settle(context: ExecutionContext, verdict: unknown): true {
    if (!verdict) throw denied('invalid_credentials', [refusal])
    if (verdict !== true) context.identity = verdict
    return true
  }

  return {
    kind: 'guard',
    name,
    inject: {},
    security: [{ [name]: security }],
    canActivate: (context) => {
      const carried = read(context.request)
      if (carried === undefined) throw denied('unauthenticated', [challenge])
      if (carried === MALFORMED) throw denied('invalid_credentials', [refusal])
      const verdict = verify(...carried, context)
      return isPromise(verdict)
        ? verdict.then((settled) => settle(context, settled))
        : settle(context, verdict)
    },
  }
}
