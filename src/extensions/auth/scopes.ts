import type { ExecutionContext } from '../../define/context.ts'
import { needingScopes, type Guard } from '../../define/guard.ts'
import { documenting } from '../../define/layers.ts'
import { invalidOption, errorAt, placed } from '../../base/definition-error.ts'
import { describeValue } from '../../base/values.ts'
import { denied } from './create-guard.ts'
import { grantOf, insufficientScope, LACKING_SCOPE } from './grants.ts'

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
  check(names)
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
  return placed(documenting(guard, { problems: [LACKING_SCOPE] }), scopes)
}

function check(names: readonly unknown[]): void {
  const wrong = names.findIndex((name) => !isScope(name))
  if (names.length > 0 && wrong < 0) return
  const message = wrong < 0 ? 'there is no scope' : `argument ${wrong + 1} is ${describeValue(names[wrong])}`
  throw errorAt([invalidOption('scopes', message, "write scopes('cars:write')")], check, 1)
}
