import { shared } from '../../base/copies.ts'
import {
  errorAt,
  recordLocation,
  invalidOption,
  type DefinitionProblem,
} from '../../base/definition-error.ts'
import type { ExecutionContext } from '../../define/context.ts'
import { isDefinition } from '../../routes/check-fields.ts'
import {
  needingScopes,
  documentedOf,
  documenting,
  type AnyGuard,
  type Guard,
  type Identified,
} from '../../define/layers.ts'
import { fitsOf, withFits } from '../../define/interceptor.ts'
import { HttpError } from '../../http/errors.ts'
import {
  challengeOf,
  denied,
  grantOf,
  insufficientScope,
  LACKING_SCOPE,
  type UntypedGuard,
} from './create-guard.ts'
import { describeValue, isPromise } from '../../base/values.ts'

type Identities<G> = {
  readonly [K in keyof G]: G[K] extends Guard<infer I> ? ([I] extends [never] ? undefined : I) : never
}

/** The identity that one of several guards leaves; `undefined` stands for those that leave nothing. */
type IdentityOfAny<G extends readonly unknown[]> = [Exclude<Identities<G>[number], undefined>] extends [never]
  ? never
  : Identities<G>[number]

/**
 * Creates a guard that allows a request if one of several guards does. They run in order until one allows, and the type of
 * `context.identity` is the union of theirs. If none allows, the 401 has the challenges of all. Other errors than 401 are passed on at
 * once. If one of them is optional, requests without any credentials pass too.
 *
 * @example
 * const SignedIn = anyOf(bearerAuth({ verify: findSession }), apiKey({ in: 'header', name: 'X-API-Key', verify: findPartner }))
 *
 * @throws `DefinitionError` without guards, and for what is no guard.
 */
export function anyOf<const G extends readonly [AnyGuard, ...AnyGuard[]]>(
  ...guards: G
): Guard<IdentityOfAny<G>> {
  checkGuards(guards)
  return recordLocation(combineGuards(guards), anyOf)
}

function combineGuards(guards: readonly AnyGuard[]): UntypedGuard {
  // an optional guard would allow before others were asked: all are asked for credentials first
  const asked = guards.map((guard) => guard.required ?? guard)
  const isOptional = asked.some((guard, index) => guard !== guards[index])
  const members = asked.map((guard, index) => {
    const before = asked.slice(0, index).filter(({ name }) => name === guard.name).length
    // distinguishes a guard from earlier guards of its name
    return { guard, prefix: `${index}.`, mark: before === 0 ? '' : `${before}.` }
  })
  const tokens = members.flatMap(({ guard, prefix }) =>
    Object.entries(guard.inject).map(([key, token]) => [prefix + key, token] as const),
  )
  const after = guards.find((guard) => guard.after !== undefined)?.after
  const combined: UntypedGuard = {
    kind: 'guard',
    name: `anyOf(${guards.map(({ name }) => name).join(', ')})`,
    inject: Object.fromEntries(tokens),
    ...securityOf(asked, isOptional),
    ...(after === undefined ? {} : { after }),
    ...(isOptional ? { required: combineGuards(asked) } : {}),
    replaceMembers: (find) => {
      const found = guards.map((guard) => find(guard))
      return found.every((guard, index) => guard === guards[index]) ? combined : combineGuards(found)
    },
    canActivate: async (context, inject: Readonly<Record<string, unknown>>) => {
      const refusals: HttpError[] = []
      for (const { guard, prefix, mark } of members) {
        const own = Object.keys(guard.inject).map((key) => [key, inject[prefix + key]] as const)
        const answer = await askGuard(guard, context, Object.fromEntries(own), mark)
        if (answer === true) return true
        if (answer !== false) refusals.push(answer)
      }
      if (isOptional && refusals.every(({ code }) => code === 'unauthenticated')) return true
      if (refusals.length === 0) return false
      const wrong = refusals.some(({ code }) => code === 'invalid_credentials')
      const challenges = new Set(refusals.map(challengeOf).filter((challenge) => challenge !== undefined))
      throw denied(wrong ? 'invalid_credentials' : 'unauthenticated', [...challenges])
    },
  }
  return withFits(documenting(combined, ...documentedOf(guards)), ...fitsOf(guards))
}

/** The alternatives of all, without credentials as the last one. */
function securityOf(guards: readonly AnyGuard[], isOptional: boolean): Pick<UntypedGuard, 'security'> {
  const alternatives = guards.flatMap(({ security = [] }) => security)
  const demands = alternatives.filter((alternative) => Object.keys(alternative).length > 0)
  const isOpen = isOptional || demands.length < alternatives.length
  return alternatives.length === 0 ? {} : { security: isOpen ? [...demands, {}] : demands }
}

/** Whether a guard allows; its error when that is a 401. */
async function askGuard(
  guard: AnyGuard,
  context: ExecutionContext & Identified,
  inject: object,
  mark: string,
): Promise<boolean | HttpError> {
  const { identity, identifiedBy } = context
  const restore = (): void => void Object.assign(context, { identity, identifiedBy })
  context.identifiedBy = undefined
  try {
    // a guard is called with the values of its own tokens
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (await guard.canActivate(context, inject as never)) {
      const [name, issuer]: NonNullable<Identified['identifiedBy']> = context.identifiedBy ?? [guard.name]
      context.identifiedBy = context.identity === identity ? identifiedBy : [mark + name, issuer]
      return true
    }
    // one that says no must leave nothing for the next
    restore()
    return false
  } catch (error) {
    restore()
    if (error instanceof HttpError && error.status === 401) return error
    throw error
  }
}

function checkGuards(guards: readonly unknown[]): void {
  const wrong = guards.findIndex((guard) => !isDefinition('guard')(guard))
  if (guards.length > 0 && wrong < 0) return
  const problem: DefinitionProblem = {
    code: 'invalid_option',
    where: 'anyOf',
    message: wrong < 0 ? 'there is no guard' : `argument ${wrong + 1} is ${describeValue(guards[wrong])}`,
    fix: 'give guards made by bearerAuth, basicAuth, apiKey or defineGuard',
  }
  throw errorAt([problem], checkGuards, 1)
}

const forms = /* @__PURE__ */ shared('auth.forms', () => new WeakMap<AnyGuard, AnyGuard>())

/**
 * Returns the optional form of a guard: requests without credentials pass it with `undefined` as their identity. Wrong credentials are
 * still a 401. A guard has one optional form, so a second call returns the same object.
 *
 * @example
 * const SignedIn = jwtAuth({ issuer, audience, jwks, algorithms: ['ES256'] })
 * const routes = [
 *   { method: 'GET', guards: [optional(SignedIn)], handler: listCars },
 *   { method: 'POST', guards: [SignedIn], handler: createCar },
 * ]
 *
 * @throws `DefinitionError` if it is not a guard.
 */
export function optional<I>(guard: Guard<I>): Guard<[I] extends [never] ? never : I | undefined> {
  checkOne(guard)
  return recordLocation(identityFormOf(guard), optional)
}

function identityFormOf(guard: AnyGuard): UntypedGuard {
  if (guard.required !== undefined) return guard
  const form = forms.get(guard) ?? toOptionalGuard(guard)
  forms.set(guard, form)
  return form
}

function toOptionalGuard(guard: AnyGuard): UntypedGuard {
  const { name, inject, after, security } = guard
  const form: UntypedGuard = {
    kind: 'guard',
    name,
    inject,
    required: guard,
    ...(after === undefined ? {} : { after }),
    ...(security === undefined ? {} : { security: [...security, {}] }),
    replaceMembers: (find) => identityFormOf(find(guard)),
    canActivate: (context, injected: never) => {
      try {
        const verdict = guard.canActivate(context, injected)
        return isPromise(verdict) ? verdict.then(undefined, passUnauthenticated) : verdict
      } catch (error) {
        return passUnauthenticated(error)
      }
    },
  }
  return withFits(documenting(form, ...documentedOf([guard])), ...fitsOf([guard]))
}

/** Only this 401 means that there were no credentials. */
function passUnauthenticated(error: unknown): true {
  if (error instanceof HttpError && error.code === 'unauthenticated') return true
  throw error
}

function checkOne(guard: unknown): void {
  if (isDefinition('guard')(guard)) return
  const fix = 'give one guard, such as optional(SignedIn)'
  throw errorAt([invalidOption('optional', `the argument is ${describeValue(guard)}`, fix)], checkOne, 1)
}

/** A scope (RFC 6749 section 3.3): printable ASCII without blanks, quotes and backslashes. */
const SCOPE = /^[!#-[\]-~]+$/

export function isScope(value: unknown): value is string {
  return typeof value === 'string' && SCOPE.test(value)
}

/**
 * Creates a guard that refuses tokens without these scopes with 403 `insufficient_scope` (RFC 6750). It reads the scopes of the token that
 * `jwtAuth` verified before it, and documents show them.
 *
 * @example
 * const routes = [{ method: 'POST', guards: [scopes('cars:write')], handler: createCar }]
 *
 * @throws `DefinitionError` without scopes, and for a name that cannot be a scope.
 */
export function scopes(...names: readonly [string, ...string[]]): Guard {
  checkScopes(names)
  const name = `scopes(${names.join(' ')})`
  const canActivate = (context: ExecutionContext): true => {
    const found = grantOf(context)
    if (found === undefined) throw new Error(`${name} needs a guard of jwtAuth before it`)
    const { scopes: given, challenge } = found
    if (given !== undefined && names.every((each) => given.has(each))) return true
    // an optional guard lets requests without a token pass
    if (given === undefined && context.identity === undefined)
      throw denied('unauthenticated', [challenge({ scope: names.join(' ') })])
    throw insufficientScope(challenge, names)
  }
  const guard = {
    kind: 'guard',
    name,
    inject: {},
    security: [needingScopes({}, names)],
    canActivate,
  } as const
  return recordLocation(documenting(guard, { problems: [LACKING_SCOPE] }), scopes)
}

function checkScopes(names: readonly unknown[]): void {
  const wrong = names.findIndex((name) => !isScope(name))
  if (names.length > 0 && wrong < 0) return
  const message = wrong < 0 ? 'there is no scope' : `argument ${wrong + 1} is ${describeValue(names[wrong])}`
  throw errorAt([invalidOption('scopes', message, "write scopes('cars:write')")], checkScopes, 1)
}
