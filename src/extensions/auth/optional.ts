import { errorAt, invalidOption, placed } from '../../base/definition-error.ts'
import { describeValue, isPromise } from '../../base/values.ts'
import type { AnyGuard, Guard } from '../../define/guard.ts'
import { fitsOf, fitting } from '../../define/interceptor.ts'
import { documentedOf, documenting } from '../../define/layers.ts'
import { HttpError } from '../../http/errors.ts'
import { isDefinition } from '../../routes/check-fields.ts'
import type { UntypedGuard } from './create-guard.ts'

const forms = new WeakMap<AnyGuard, AnyGuard>()

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
  check(guard)
  return placed(formOf(guard), optional)
}

function formOf(guard: AnyGuard): UntypedGuard {
  if (guard.required !== undefined) return guard
  const form = forms.get(guard) ?? toOptional(guard)
  forms.set(guard, form)
  return form
}

function toOptional(guard: AnyGuard): UntypedGuard {
  const { name, inject, after, security } = guard
  const form: UntypedGuard = {
    kind: 'guard',
    name,
    inject,
    required: guard,
    ...(after === undefined ? {} : { after }),
    ...(security === undefined ? {} : { security: [...security, {}] }),
    replaceMembers: (find) => formOf(find(guard)),
    canActivate: (context, injected: never) => {
      try {
        const verdict = guard.canActivate(context, injected)
        return isPromise(verdict) ? verdict.then(undefined, pass) : verdict
      } catch (error) {
        return pass(error)
      }
    },
  }
  return fitting(documenting(form, ...documentedOf([guard])), ...fitsOf([guard]))
}

/** Only this 401 means that there were no credentials. */
function pass(error: unknown): true {
  if (error instanceof HttpError && error.code === 'unauthenticated') return true
  throw error
}

function check(guard: unknown): void {
  if (isDefinition('guard')(guard)) return
  const fix = 'give one guard, such as optional(SignedIn)'
  throw errorAt([invalidOption('optional', `the argument is ${describeValue(guard)}`, fix)], check, 1)
}
