import type { ExecutionContext } from '../../define/context.ts'
import type { Guard } from '../../define/guard.ts'
import type { Injected, Tokens } from '../../define/token.ts'
import { placed, type OptionRule, type Rules } from '../../base/definition-error.ts'
import type { HttpRequest } from '../../http/http.ts'
import { isObject } from '../../base/values.ts'
import {
  createAuthGuard,
  MALFORMED,
  toChallenge,
  type Carried,
  type Decision,
  type IdentityOf,
} from './create-guard.ts'
import { checkOptions, RULES, type AuthOptions } from './options.ts'

/** The options of `apiKey`. */
export interface ApiKeyOptions<V, D = {}> extends AuthOptions<D> {
  /** Where the key is. */
  readonly in: 'header' | 'query' | 'cookie'
  /** The name of the header (in any case), query parameter or cookie. */
  readonly name: string
  /**
   * Who the key stands for: anything falsy is a 401, `true` allows without identity, anything else becomes `context.identity`.
   * Errors that it throws are passed on. It receives the values of `inject` as its last argument.
   */
  readonly verify: (key: string, context: ExecutionContext, inject: Injected<D>) => V & Decision<V>
  /** Names the guard, and the scheme in documents. @default `in` and `name`, as `header-x-api-key` */
  readonly schemeName?: string
}

/** A place where keys can be. */
interface KeyLocation {
  /** The names that are permitted there. */
  readonly rule: OptionRule
  /** All values of the name. */
  readonly read: (request: HttpRequest, name: string) => readonly string[]
}

const PLACES: Readonly<Record<ApiKeyOptions<unknown>['in'], KeyLocation>> = {
  header: { rule: RULES.token, read: (request, name) => request.headerLines(name) },
  query: { rule: RULES.parameter, read: ({ query }, name) => [own(query, name) ?? []].flat() },
  cookie: { rule: RULES.token, read: ({ cookies }, name) => [own(cookies, name) ?? []].flat() },
}

const OPTIONS: Rules = {
  in: [isPlace, "'header', 'query' or 'cookie'"],
  name: RULES.text,
  verify: RULES.verify,
  inject: RULES.inject,
  schemeName: RULES.name,
  realm: RULES.realm,
  description: RULES.text,
}

/**
 * A guard for a key in a header, a query parameter or a cookie. A key that is empty counts as none; one that is sent twice, or has
 * control characters, is refused without asking `verify`.
 *
 * @example
 * const Partner = apiKey({
 *   in: 'header',
 *   name: 'X-API-Key',
 *   inject: { partners: PartnerService },
 *   verify: (key, _context, { partners }) => partners.findByKeyHash(sha256(key)),
 * })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function apiKey<V, D extends Tokens = {}>(options: ApiKeyOptions<V, D>): Guard<IdentityOf<V>> {
  checkOptions('apiKey', options, { ...OPTIONS, ...nameRule(options) }, ['in', 'name', 'verify'])
  const { in: where, name, verify, inject, realm = 'api', description } = options
  const carrier = PLACES[where]
  // no such scheme is registered, but a 401 has to name one (RFC 9110 section 11.6.1)
  const challenge = toChallenge('ApiKey', { realm, in: where, name })
  const guard = createAuthGuard({
    name: options.schemeName ?? `${where}-${name.replaceAll(/[^\w.-]/g, '-')}`,
    security: { type: 'apiKey', in: where, name, ...(description === undefined ? {} : { description }) },
    challenge,
    refusal: challenge,
    read: (request) => toKey(carrier.read(request, name)),
    inject,
    verify,
  })
  return placed(guard, apiKey)
}

function toKey(values: readonly string[]): Carried<[key: string]> {
  const [key, ...others] = values
  if (others.length > 0) return MALFORMED
  if (key === undefined || key === '') return undefined
  return /\p{Cc}/u.test(key) ? MALFORMED : [key]
}

/** Returns the rule of the name, which depends on the place, when there is one. */
function nameRule(options: unknown): Rules {
  if (!isObject(options) || !('in' in options) || !isPlace(options.in)) return {}
  return { name: PLACES[options.in].rule }
}

function isPlace(value: unknown): value is keyof typeof PLACES {
  return typeof value === 'string' && Object.hasOwn(PLACES, value)
}

/** A member, but for those that every object inherits. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
