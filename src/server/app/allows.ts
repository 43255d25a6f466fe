import { HttpError } from '../../http/errors.ts'
import type { AllowedRoute } from '../adapters/internals.ts'
import type { RequestContext } from '../pipeline/context.ts'
import { createLimit } from '../pipeline/failure.ts'
import { withGuards } from '../pipeline/guards.ts'
import { createResponseHead, finish } from '../pipeline/response-head.ts'
import type { Compiled } from './compile.ts'

/**
 * Whether the guards of a route let the client of another request pass. They see that request, with the route and the version of this one.
 *
 * @throws what a guard throws that is no refusal.
 */
export async function allows(
  { table, parts: { services } }: Pick<Compiled, 'table' | 'parts'>,
  { name, method, version }: AllowedRoute,
  context: RequestContext,
): Promise<boolean> {
  const named = table.rows.filter(
    ({ route }) => route.name === name && route.methods.some((each) => each === method),
  )
  const row = named.find(({ spec }) => version !== null && spec.claims.has(version)) ?? named.at(0)
  if (row === undefined) return false
  const { layers, pattern, controller, meta, module } = row.route
  const trial = toTrial(context, { name, method, path: pattern.text, controller, meta }, version, module)
  const run = withGuards(layers.guards, services.container, createLimit(0), () => PASSED)
  try {
    return (await run(trial, [])) === PASSED
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) return false
    throw error
  }
}

const PASSED = finish(204, {}, undefined)

/** A request as guards see it that are only asked: what they write stays with it. */
function toTrial(
  context: RequestContext,
  route: NonNullable<RequestContext['route']>,
  version: string | null,
  module: RequestContext['module'],
): RequestContext {
  const own = new Map<string | symbol, unknown>([
    ['route', route],
    ['version', version],
    ['module', module],
    ['identity', undefined],
    ['identifiedBy', undefined],
    ['state', { ...context.state }],
    ['response', createResponseHead().view],
    ['writeHeaders', undefined],
    ['isTrial', true],
  ])
  return new Proxy(context, {
    get: (target, key) => {
      if (own.has(key)) return own.get(key)
      // private members are those of the context alone
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
    set: (_target, key, value) => {
      own.set(key, value)
      return true
    },
  })
}
