import { isProduction } from '../../base/platform.ts'
import { isPromise } from '../../base/values.ts'
import { ERRORS, readHttpError } from '../../http/errors.ts'
import { codesOf } from '../../schema/body-types.ts'
import {
  defOf,
  findResponse,
  objectShape,
  schemasOf,
  type ResponseKey,
  type Schema,
} from '../../schema/schema.ts'
import { problemsOf, type ResolvedRoute } from '../../routes/resolved-route.ts'
import type { RequestContext } from './context.ts'
import { failInvalid } from './validation/response-check.ts'
import type { RunHandler } from './validation/sources.ts'

/**
 * Has a route that declares problems report errors of its handler that it does not declare: their code, their status or the lack of a member.
 * Each is logged once, outside production alone, and is a 500 where results are checked strictly. Octavo's own errors are declared everywhere.
 */
export function withDeclaredCodes(
  route: ResolvedRoute,
  checking: true | 'strict' | false,
  run: RunHandler,
): RunHandler {
  const isStrict = checking === 'strict'
  const { newest = route } = route
  if (newest.problems.length === 0 || (!isStrict && isProduction())) return run
  const declared = declaredErrors(newest)
  const logged = new Set<string>()
  const check = (context: RequestContext, error: unknown): never => {
    const thrown = readHttpError(error)
    const mistake = thrown === undefined ? undefined : findMistake(thrown, declared)
    if (mistake === undefined) throw error
    const reason = `threw the code ${mistake}`
    if (isStrict) return failInvalid(route, reason, context)
    if (!logged.has(reason)) context.log.warn({ err: error }, `${route.label} ${reason}`)
    logged.add(reason)
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

/** An error that a route declares. */
interface DeclaredError {
  readonly code: string
  readonly status: ResponseKey
  /** The members that it always has, besides those of every problem. */
  readonly members: readonly string[]
}

function declaredErrors(route: ResolvedRoute): readonly DeclaredError[] {
  return [
    ...problemsOf(route).map(({ code, status, members }) => ({
      code,
      status,
      members: members === undefined ? [] : requiredIn(members),
    })),
    ...[...route.responses].flatMap(([status, schema]) => errorsIn(status, schema)),
  ]
}

function errorsIn(status: ResponseKey, schema: Schema): readonly DeclaredError[] {
  const { type, options } = defOf(schema)
  if (type === 'union') return schemasOf(options).flatMap((option) => errorsIn(status, option))
  if (type !== 'object') return []
  const members = requiredIn(schema)
  return codesOf(objectShape(schema)['code']).map((code) => ({ code, status, members }))
}

function requiredIn(schema: Schema): readonly string[] {
  return Object.entries(objectShape(schema))
    .filter(([name, { _zod }]) => !OF_PROBLEMS.has(name) && Reflect.get(_zod, 'optout') !== 'optional')
    .map(([name]) => name)
}

/** The members that every problem document may have (RFC 9457 section 3.1), and its code. */
const OF_PROBLEMS = new Set(['type', 'title', 'status', 'detail', 'instance', 'code'])

function findMistake(
  { code, status, members }: NonNullable<ReturnType<typeof readHttpError>>,
  declared: readonly DeclaredError[],
): string | undefined {
  const own = declared.filter((each) => each.code === code)
  if (own.length === 0)
    return Object.hasOwn(ERRORS, code) ? undefined : `${code}, which its problems do not declare`
  const fitting = own.filter((each) => findResponse(new Map([[each.status, each]]), status) !== undefined)
  if (fitting.length === 0) return `${code} with the status ${status}, which its problems do not declare`
  const missing = fitting.map((each) => each.members.filter((name) => members[name] === undefined))
  if (missing.some((names) => names.length === 0)) return undefined
  return `${code} without ${missing[0]?.join(', ')}, which its problem requires`
}
