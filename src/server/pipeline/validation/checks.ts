import type { Answered, Checks } from './response-check.ts'
import { validating } from './load.ts'

/** Creates what parses results by the schema of their status, or `undefined` if there is nothing to parse them by. */
export function createChecks(route: Answered, checking: true | 'strict' | false): Checks | undefined {
  if (checking === false || route.responses.size === 0) return undefined
  const create = validating(({ createParsers }) => createParsers(route, checking === 'strict'))
  return {
    parse: (status, data, context) => create().parse(status, data, context),
    write: (status, data) => create().write(status, data),
  }
}
