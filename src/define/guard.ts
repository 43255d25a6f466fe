import type { Awaitable } from '../base/values.ts'
import type { ExecutionContext, RouteContext } from './context.ts'
import type { Added, Dropped } from './identity.ts'
import type { Injected, Tokens } from './token.ts'
import { placed } from '../base/definition-error.ts'

/** How a client authenticates: a Security Scheme Object (OpenAPI 3.1 section 4.8.27). */
export type SecurityScheme =
  | {
      /** Credentials in the `Authorization` header. */
      readonly type: 'http'
      /** The scheme of `Authorization`, such as `bearer` or `basic`. */
      readonly scheme: string
      /** The format of bearer tokens, such as `JWT`. */
      readonly bearerFormat?: string
      /** How clients get credentials. May hold Markdown. */
      readonly description?: string
    }
  | {
      /** A key in a header, a query parameter or a cookie. */
      readonly type: 'apiKey'
      /** The part of the request that carries the key. */
      readonly in: 'header' | 'query' | 'cookie'
      /** The name of the header, query parameter or cookie. */
      readonly name: string
      /** How clients get credentials. May hold Markdown. */
      readonly description?: string
    }
  | {
      /** Tokens of OAuth 2. */
      readonly type: 'oauth2'
      /** The flows by which clients get tokens, by their names in OpenAPI. */
      readonly flows: Readonly<Record<string, object>>
      /** How clients get credentials. May hold Markdown. */
      readonly description?: string
    }
  | {
      /** Tokens of OpenID Connect. */
      readonly type: 'openIdConnect'
      /** The URL of the metadata of the provider. */
      readonly openIdConnectUrl: string
      /** How clients get credentials. May hold Markdown. */
      readonly description?: string
    }

/** Schemes that are required together, by their names in documents. */
export type SecurityRequirement = Readonly<Record<string, SecurityScheme>>

const neededScopes = new WeakMap<SecurityRequirement, readonly string[]>()

/**
 * Returns the requirement, of which documents tell that it needs these scopes. Those of a requirement without schemes are for the schemes of
 * the guards before it.
 *
 * @internal
 */
export function needingScopes(
  requirement: SecurityRequirement,
  scopes: readonly string[],
): SecurityRequirement {
  neededScopes.set(requirement, scopes)
  return requirement
}

/**
 * The scopes that a requirement needs, `undefined` if its guard knows no scopes.
 *
 * @internal
 */
export function scopesOf(requirement: SecurityRequirement): readonly string[] | undefined {
  return neededScopes.get(requirement)
}

/**
 * Whether the credentials of a scheme are tokens, which can have scopes.
 *
 * @internal
 */
export function hasScopes(scheme: SecurityScheme): boolean {
  const { type, scheme: word } = { scheme: '', ...scheme }
  return type === 'oauth2' || type === 'openIdConnect' || word.toLowerCase() === 'bearer'
}

/**
 * A guard, as `defineGuard` returns it. `I` is the type that `context.identity` has after it, `never` if it sets none, and `Own` the part of
 * that which is gone without this guard.
 */
export interface Guard<I = never, Own = I> {
  /** Distinguishes guards from other definitions. */
  readonly kind: 'guard'
  /** The name in messages and documents. */
  readonly name: string
  /** The tokens that `canActivate` needs. */
  readonly inject: Tokens
  /** Returns or resolves to `false` to refuse a request with 403. */
  canActivate(context: ExecutionContext, inject: never): Awaitable<unknown>
  /** The credentials in documents: alternatives, one of which is enough. */
  readonly security?: readonly SecurityRequirement[]
  /** The guard whose identity it reads. */
  readonly after?: AnyGuard
  /** Of a guard that lets requests without credentials pass: the same guard, which denies them. @internal */
  readonly required?: AnyGuard
  /** Of a guard made of others: the same one, made of what `find` gives in their place. @internal */
  readonly replaceMembers?: (find: (member: AnyGuard) => AnyGuard) => AnyGuard
  /** Carry the type only, never set: a route tells by them the guards it adds from those it drops. */
  readonly $adds?: Added<I>
  /** For types alone: see `$adds`. */
  readonly $drops?: Dropped<Own>
}

/** A request whose identity a guard has found. */
export interface Identified {
  /** The name of the guard, and the issuer of the token. Clients that different guards or issuers know may have equal ids. */
  identifiedBy?: readonly [guard: string, issuer?: string | undefined] | undefined
}

/** A guard whose types are forgotten. */
export type AnyGuard = Guard<unknown>

/** Any identity, as a guard without `after` sees it. The type checker shows the name if the guard reads a member of it. */
// oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- takes every value
export interface UnknownIdentityUseAfter {}

/** The options of `defineGuard`. */
export interface GuardOptions<D, I = never> {
  /** Names the guard in messages and documents. */
  readonly name: string
  /** The guard that finds the identity which this one reads. It has to run before this one in each route. @default none */
  readonly after?: Guard<I>
  /** The tokens that `canActivate` needs, by the keys under which it receives their values. */
  readonly inject?: D
  /** The credentials in documents: alternatives, one of which is enough. */
  readonly security?: readonly SecurityRequirement[]
  /** The scopes in documents that tokens need. `canActivate` checks them. */
  readonly scopes?: readonly string[]
  /** Returns whether the request may continue. `false` is a 403. It may also throw an `HttpError`. */
  readonly canActivate: (
    context: RouteContext<[I] extends [never] ? UnknownIdentityUseAfter | null | undefined : I>,
    inject: Injected<D>,
  ) => Awaitable<boolean>
}

/**
 * Defines a check that runs before input is validated. Guards accumulate: global, module, controller, router, route.
 *
 * @example
 * const IsAdmin = defineGuard({
 *   name: 'IsAdmin',
 *   after: SignedIn,
 *   inject: { roles: RoleService },
 *   canActivate: async ({ identity }, { roles }) => roles.has(identity.id, 'admin'),
 * })
 */
export function defineGuard<D extends Tokens = {}, I = never>({
  scopes,
  ...options
}: GuardOptions<D, I>): Guard<I, never> {
  for (const requirement of options.security ?? [])
    if (scopes !== undefined && Object.values(requirement).some(hasScopes)) needingScopes(requirement, scopes)
  return placed({ inject: {}, ...options, kind: 'guard' }, defineGuard)
}
