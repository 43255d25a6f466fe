import { checkOptions, type Rules } from '../../base/definition-error.ts'
import { isFunction } from '../../base/values.ts'
import { internalsOf, type AppInternals } from '../../server/adapters/internals.ts'
import { dropBody, type FinishedResponse } from '../../http/http.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import type { EdgeApp } from '../../server/app/edge-app.ts'

/** An application of Octavo whose routes forward to `host`. */
export type InsideApp = Pick<EdgeApp, 'fetch'>

/** The options of `inside`. `C` is the request or the context of the framework. */
export interface InsideOptions<C> {
  /** The version of a request that names none, such as the one of its account. `undefined` leaves it to `defaultVersion`. */
  readonly version?: (context: C) => string | undefined
}

const VERSION: Rules = { version: [isFunction, 'a function that returns a version'] }

/** Whether no route of Octavo has the path of a request, which ends so that the application answers it. */
export function isUnserved(
  { isPassed }: { readonly isPassed: boolean },
  { status, body }: FinishedResponse,
  context: RequestContext,
): boolean {
  if (!isPassed || status !== 404) return false
  dropBody(body)
  void context.end()
  return true
}

/** Checks the options of `inside`. Returns the internals of the application. @throws `DefinitionError`, `TypeError` for no application. */
export function openInside(app: InsideApp, options: object, rules: Rules = {}): AppInternals {
  checkOptions('inside', options, { ...VERSION, ...rules }, [])
  return internalsOf(app, 'inside')
}
