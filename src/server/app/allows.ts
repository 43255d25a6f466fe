import { HttpError } from '../../http/errors.ts'
import type { AllowedRoute } from '../adapters/internals.ts'
import type { RequestContext } from '../pipeline/context.ts'
import { createLimit } from '../pipeline/failure.ts'
import { withGuards } from '../pipeline/guards.ts'
import { finish } from '../pipeline/response-head.ts'
import type { Compiled } from './compile.ts'
import { createRouteContext } from './route-context.ts'

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
  const info = { name, method, path: pattern.text, controller, meta }
  const { container } = services
  // what guards write stays with the trial
  const trial = createRouteContext(
    context,
    { info, module, container },
    [
      ['version', version],
      ['identity', undefined],
      ['identifiedBy', undefined],
      ['state', { ...context.state }],
      ['writeHeaders', undefined],
      ['isTrial', true],
    ],
    true,
  )
  const run = withGuards(layers.guards, container, createLimit(0), () => PASSED)
  try {
    return (await run(trial, [])) === PASSED
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) return false
    throw error
  }
}

const PASSED = finish(204, {}, undefined)
