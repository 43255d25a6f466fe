import type { ExecutionContext, Injected, Tokens } from '../../define/context.ts'
import type { Guard, SecurityScheme } from '../../define/layers.ts'
import type { HttpRequest } from '../../http/http.ts'
import { recordLocation, type Rules, type OptionRule } from '../../base/definition-error.ts'
import {
  createAuthGuard,
  MALFORMED,
  readAuthorization,
  toChallenge,
  type CarriedCredential,
  type Decision,
  type IdentityOf,
} from './create-guard.ts'
import { checkGuardOptions, RULES, type AuthOptions } from './options.ts'
import { isObject } from '../../base/values.ts'

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

/** The rules of the options that all guards of this file have. */
const COMMON: Rules = {
  verify: RULES.verify,
  inject: RULES.inject,
  schemeName: RULES.name,
  realm: RULES.realm,
  description: RULES.text,
}

const BEARER_OPTIONS: Rules = {
  ...COMMON,
  scheme: RULES.token,
  bearerFormat: RULES.text,
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
  checkGuardOptions('bearerAuth', options, BEARER_OPTIONS)
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
  return recordLocation(guard, bearerAuth)
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
export function readBearer(request: HttpRequest, scheme: string): CarriedCredential<[token: string]> {
  const token = readAuthorization(request, scheme)
  if (token === undefined || token === MALFORMED) return token
  return TOKEN.test(token) ? [token] : MALFORMED
}

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
  checkGuardOptions('basicAuth', options, COMMON)
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
  return recordLocation(guard, basicAuth)
}

function readUser(request: HttpRequest): CarriedCredential<[user: string, password: string]> {
  const encoded = readAuthorization(request, 'basic')
  if (encoded === undefined || encoded === MALFORMED) return encoded
  const text = decodeBasic(encoded)
  const colon = text?.indexOf(':') ?? -1
  // RFC 7617 section 2 allows no control characters
  if (text === undefined || colon === -1 || /\p{Cc}/u.test(text)) return MALFORMED
  return [text.slice(0, colon), text.slice(colon + 1)]
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The UTF-8 text behind base64, or `undefined` if it is either not. */
function decodeBasic(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, 'base64')
  // decoding forgives everything: only what it would write itself is base64
  if (bytes.toString('base64') !== encoded) return undefined
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

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

const API_KEY_OPTIONS: Rules = {
  ...COMMON,
  in: [isPlace, "'header', 'query' or 'cookie'"],
  name: RULES.text,
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
  checkGuardOptions('apiKey', options, { ...API_KEY_OPTIONS, ...nameRule(options) }, ['in', 'name', 'verify'])
  const { in: where, name, verify, inject, realm = 'api', description } = options
  const carrier = PLACES[where]
  // no such scheme is registered, but a 401 has to name one (RFC 9110 section 11.6.1)
  const challenge = toChallenge('ApiKey', { realm, in: where, name })
  const guard = createAuthGuard({
    name: options.schemeName ?? `${where}-${name.replaceAll(/[^\w.-]/g, '-')}`,
    security: { type: 'apiKey', in: where, name, ...(description === undefined ? {} : { description }) },
    challenge,
    refusal: challenge,
    read: (request): CarriedCredential<[key: string]> => {
      const [key, ...others] = carrier.read(request, name)
      if (others.length > 0) return MALFORMED
      if (key === undefined || key === '') return undefined
      return /\p{Cc}/u.test(key) ? MALFORMED : [key]
    },
    inject,
    verify,
  })
  return recordLocation(guard, apiKey)
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
