import type { ExecutionContext, Injected, Tokens } from '../../../define/context.ts'
import { needingScopes, documenting, type Guard } from '../../../define/layers.ts'
import { ownProblem } from '../../../define/problem.ts'
import {
  recordLocation,
  invalidOption,
  type DefinitionProblem,
  type Rules,
} from '../../../base/definition-error.ts'
import {
  isPromise,
  describeValue,
  isCount,
  isFunction,
  isMilliseconds,
  isObject,
  isNonEmptyString,
} from '../../../base/values.ts'
import { HttpError } from '../../../http/errors.ts'
import { isSchema, type Schema } from '../../../schema/schema.ts'
import { createValidator } from '../../../schema/validator.ts'
import { readBearer, toBearerScheme } from '../bearer.ts'
import {
  createAuthGuard,
  toChallenge,
  grant,
  grantOf,
  insufficientScope,
  LACKING_SCOPE,
  REFUSED,
  type IdentityOf,
  type UntypedGuard,
  type Grant,
} from '../create-guard.ts'
import { checkGuardOptions, RULES } from '../options.ts'
import { isScope } from '../any-of.ts'
import { hasClaimTypes, scopesOfClaims, type JwtClaims, type ClaimsOf, type JwtOptions } from './options.ts'
import { loadJose } from './jose.ts'
import { keysUnavailable } from './keys.ts'
import { createVerify, type TokenVerdict } from './verify.ts'

const WHERE = 'jwtAuth'

const ALGORITHMS: readonly unknown[] = ['RS256', 'ES256', 'EdDSA', 'HS256']

/** The fewest bytes of a secret of HS256 (RFC 7518 section 3.2). */
const SHORTEST_SECRET = 32

const NAMES: Rules[string] = [
  (value) => isNonEmptyString(value) || isNonEmptyListOf(isNonEmptyString)(value),
  'a string, or a list of strings',
]

const OPTIONS: Rules = {
  issuer: NAMES,
  audience: NAMES,
  algorithms: [
    isNonEmptyListOf((value) => ALGORITHMS.includes(value)),
    "a list of 'RS256', 'ES256', 'EdDSA' and 'HS256'",
  ],
  jwks: [
    (value) =>
      value instanceof URL || typeof value === 'string'
        ? isKeySetUrl(String(value))
        : isObject(value) && 'keys' in value && isNonEmptyListOf(isObject)(value.keys),
    'the URL of a JWKS, or an object with keys',
  ],
  // without a word that has the secret shown in messages, see describeMistake
  secret: [isSharedSecret, `a text or Uint8Array of ${SHORTEST_SECRET * 8} bits or more`],
  publicKey: [
    (value) =>
      typeof value === 'string'
        ? /-----BEGIN (?:PUBLIC KEY|CERTIFICATE)-----/.test(value)
        : isObject(value) && ('kty' in value || 'type' in value),
    'a public key as PEM, JWK, CryptoKey or KeyObject',
  ],
  scopes: [isNonEmptyListOf(isScope), 'a list of scopes, without blanks in one'],
  claims: [isSchema, 'a zod schema'],
  identity: [isFunction, 'a function'],
  isRevoked: [isFunction, 'a function'],
  inject: RULES.inject,
  typ: NAMES,
  clockTolerance: [isCount, 'a number of seconds'],
  // a header of responses holds it
  resourceMetadata: [
    (value) => isKeySetUrl(value) && /^[!-~]+$/.test(String(value)),
    'the URL of a document, in ASCII',
  ],
  scheme: RULES.token,
  securityScheme: [isObject, 'a security scheme of OpenAPI'],
  schemeName: RULES.name,
  realm: RULES.realm,
  description: RULES.text,
  maxTokens: [isCount, 'a number of tokens'],
  jwksTimeout: [isMilliseconds, 'a number of milliseconds'],
}

/**
 * Creates a guard for JSON Web Tokens in `Authorization: Bearer …`, on the package `jose`. A token that is not accepted is a 401, one
 * without a scope of `scopes` a 403. If the keys of the issuer cannot be read, the response is 503 `token_keys_unavailable`.
 *
 * @example
 * const SignedIn = jwtAuth({
 *   issuer: 'https://auth.example.com',
 *   audience: 'https://api.example.com',
 *   jwks: 'https://auth.example.com/jwks.json',
 *   algorithms: ['ES256'],
 *   claims: z.object({ sub: z.string() }),
 * })
 *
 * @throws `DefinitionError` when an option is wrong.
 */
export function jwtAuth<S extends Schema | undefined = undefined, V = ClaimsOf<S>, D extends Tokens = {}>(
  options: JwtOptions<S, V, D>,
): Guard<IdentityOf<V>> {
  checkGuardOptions(WHERE, options, OPTIONS, ['issuer', 'audience', 'algorithms'], keyProblems(options))
  const { realm = 'api', schemeName = WHERE, resourceMetadata, description, scopes = [] } = options
  const { scheme = 'Bearer', securityScheme } = options
  const challenge: Grant['challenge'] = (more) =>
    toChallenge(scheme, {
      realm,
      ...more,
      ...(resourceMetadata === undefined ? {} : { resource_metadata: resourceMetadata }),
    })
  const guard = createAuthGuard({
    name: schemeName,
    security:
      securityScheme === undefined
        ? toBearerScheme(scheme, { bearerFormat: 'JWT', description })
        : { ...securityScheme, ...(description === undefined ? {} : { description }) },
    challenge: challenge({}),
    refusal: challenge({ error: 'invalid_token' }),
    read: (request) => readBearer(request, scheme.toLowerCase()),
    inject: options.inject,
    issuerOf: (context) => grantOf(context)?.issuer,
    verify: createVerdict(options, challenge),
  })
  const problems = [
    REFUSED,
    ...(options.jwks === undefined ? [] : [KEYS_UNAVAILABLE]),
    ...(scopes.length === 0 ? [] : [LACKING_SCOPE]),
  ]
  return recordLocation(
    documenting(toGranting(guard, challenge, scopes), { problems, load: loadJose }),
    jwtAuth,
  )
}

const KEYS_UNAVAILABLE = ownProblem(
  'TokenKeysUnavailable',
  keysUnavailable(),
  'Tokens cannot be verified at the moment',
)

/** Has a guard tell those behind it how to ask for a token, also if it carries none, and documents which scopes it needs. */
function toGranting(
  guard: UntypedGuard,
  challenge: Grant['challenge'],
  scopes: readonly string[],
): UntypedGuard {
  const { security = [] } = guard
  return {
    ...guard,
    security: security.map((each) => needingScopes(each, scopes)),
    canActivate: (context, inject: never) => {
      grant(context, { scopes: undefined, challenge })
      return guard.canActivate(context, inject)
    },
  }
}

/** Creates the function that finds who a token stands for, `undefined` if it is not accepted. */
function createVerdict<S extends Schema | undefined, V, D extends Tokens>(
  options: JwtOptions<S, V, D>,
  challenge: Grant['challenge'],
): (token: string, context: ExecutionContext, inject: Injected<D>) => unknown {
  const { scopes = [], isRevoked, claims: schema, schemeName = WHERE } = options
  const verify = createVerify(options)
  const validate = schema === undefined ? undefined : createValidator(schema)
  let logged: unknown
  // without a schema, claims are what their type says
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const identify = (options.identity ?? ((claims) => claims)) as (
    claims: unknown,
    context: ExecutionContext,
    inject: Injected<D>,
  ) => unknown

  return (token, context, inject) => {
    const logRefusal = (reason: string): false => {
      context.log.debug({ guard: schemeName, reason }, 'A token was refused')
      return false
    }
    const accept = async (claims: JwtClaims): Promise<unknown> => {
      if (isRevoked !== undefined && (await isRevoked(claims, context, inject))) return logRefusal('revoked')
      if (validate === undefined && !hasClaimTypes(claims)) return logRefusal('claims')
      const parsed = validate === undefined ? { value: claims } : await validate(claims)
      if (!('value' in parsed)) return logRefusal('claims')
      const given = scopesOfClaims(claims)
      if (!scopes.every((scope) => given.has(scope))) throw insufficientScope(challenge, scopes)
      const identity = await identify(parsed.value, context, inject)
      if (identity) grant(context, { scopes: given, challenge, issuer: claims.iss })
      return identity
    }
    const judge = (verdict: TokenVerdict): unknown =>
      'reason' in verdict ? logRefusal(verdict.reason) : accept(verdict.claims)
    const failUnavailable = (error: unknown): never => {
      if (error instanceof HttpError && error.cause !== logged) {
        logged = error.cause
        context.log.error({ guard: schemeName, err: logged }, 'The keys of tokens cannot be read')
      }
      throw error
    }
    const verdict = verify(token)
    return isPromise(verdict) ? verdict.then(judge, failUnavailable) : judge(verdict)
  }
}

/** A token may never choose the kind of key: a public key that served as the secret of HS256 would be known to everyone. */
function keyProblems(options: unknown): readonly DefinitionProblem[] {
  const { jwks, secret, publicKey, algorithms } = Object(options)
  const kinds = Object.entries({ jwks, secret, publicKey })
  const given = kinds.flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (given.length !== 1) {
    const message = given.length === 0 ? 'there is no key' : `${given.join(' and ')} are given`
    return [invalidOption(WHERE, message, 'give one of jwks, secret and publicKey')]
  }
  const [name = ''] = given
  const names: readonly unknown[] = Array.isArray(algorithms) ? algorithms : []
  const unfit = names
    .filter(isNonEmptyString)
    .find((algorithm) => (algorithm === 'HS256') !== (name === 'secret'))
  if (unfit !== undefined) {
    const fix = name === 'secret' ? "write algorithms: ['HS256']" : "leave 'HS256' out, which needs a secret"
    return [invalidOption(WHERE, `${describeValue(unfit, true)} does not go with ${name}`, fix)]
  }
  const holder = isPrivate(publicKey) ? 'publicKey' : privateMember(jwks)
  if (holder !== undefined)
    return [invalidOption(WHERE, `${holder} holds a key that is not public`, 'give the public part of it')]
  if (name !== 'publicKey' || names.length < 2) return []
  return [invalidOption(WHERE, 'publicKey has several algorithms', 'name the one of the key, or give jwks')]
}

/** Where a JWKS has a key that is not public. */
function privateMember(jwks: unknown): string | undefined {
  const { keys } = Object(jwks)
  const at = Array.isArray(keys)
    ? keys.findIndex((key) => isObject(key) && 'kty' in key && isPrivate(key))
    : -1
  return at < 0 ? undefined : `jwks.keys[${at}]`
}

function isNonEmptyListOf(test: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.length > 0 && value.every(test)
}

function isKeySetUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function isSharedSecret(value: unknown): boolean {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
  return bytes instanceof Uint8Array && bytes.length >= SHORTEST_SECRET
}

/** Whether a key can sign, or is a secret. It would verify too, and be in a place where it does not belong. */
function isPrivate(key: unknown): boolean {
  if (!isObject(key)) return false
  return 'kty' in key ? 'd' in key || 'k' in key : Reflect.get(key, 'type') !== 'public'
}
