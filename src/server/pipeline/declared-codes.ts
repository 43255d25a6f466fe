import { isProduction } from '../../base/platform.ts'
import { isPromise } from '../../base/values.ts'
import { ERRORS, readHttpError } from '../../http/errors.ts'
import { codesIn } from '../../schema/body-types.ts'
import { problemsOf, type ResolvedRoute } from '../../routes/resolved-route.ts'
import type { RequestContext } from './context.ts'
import { failInvalid } from './validation/response-check.ts'
import type { RunHandler } from './validation/sources.ts'

/**
 * Has a route that declares problems report errors of its handler whose code it does not declare: each code is logged once, outside production
 * alone, and is a 500 where results are checked strictly. Octavo's own errors are declared everywhere.
 */
export function withDeclaredCodes(
  route: ResolvedRoute,
  checking: true | 'strict' | false,
  run: RunHandler,
): RunHandler {
  const isStrict = checking === 'strict'
  const { newest = route } = route
  if (newest.problems.length === 0 || (!isStrict && isProduction())) return run
  const known = new Set([
    ...problemsOf(newest).map(({ code }) => code),
    ...[...newest.responses.values()].flatMap(codesIn),
  ])
  const check = (context: RequestContext, error: unknown): never => {
    const code = readHttpError(error)?.code
    if (code === undefined || known.has(code) || Object.hasOwn(ERRORS, code)) throw error
    const reason = `threw the code ${code}, which its problems do not declare`
    if (isStrict) return failInvalid(route, reason, context)
    known.add(code)
    context.log.warn({ err: error }, `${route.label} ${reason}`)
    throw error
  }
  return (context, input) => {
    try {
      const made = run(context, input)
      return isPromise(made) ? made.then(undefined, (error) => check(context, error)) : made
    } catch (error) {
      return check(context, error)
    }
  }
}
