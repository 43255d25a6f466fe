import type { DocumentedLife } from '../document/neighbours.ts'
import type { Operation } from '../document/operations.ts'
import type { Difference, Documents } from './context.ts'

/** How finished an operation is, the least finished first. Extensions of both names are used. */
const STABILITY = ['draft', 'alpha', 'experimental', 'preview', 'beta', 'stable']

const stabilityOf = ({ node }: Operation): string | undefined => {
  const value = node['x-stability-level'] ?? (node['x-beta'] === true ? 'beta' : undefined)
  return typeof value === 'string' ? value.toLowerCase() : undefined
}

/** How finished an operation is, as a number. */
function rank(operation: Operation): number {
  return STABILITY.indexOf(stabilityOf(operation) ?? 'stable')
}

/** Whether an operation is a preview, which may change. */
export function isPreview(operation: Operation): boolean {
  const stability = stabilityOf(operation)
  return stability !== undefined && stability !== 'stable'
}

function sunsetOf({ node }: Operation): number | undefined {
  return timeOf(node['x-sunset'])
}

function timeOf(sunset: unknown): number | undefined {
  const time = typeof sunset === 'string' ? Date.parse(sunset) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const isDeprecated = ({ node }: Operation): boolean => node['deprecated'] === true

/** The differences in deprecation, sunset and stability of two operations that belong together. */
export function compareLife(
  base: Operation,
  revision: Operation,
  { strictness }: Documents,
): readonly Difference[] {
  const found = [...lifeRules(toLife(base.node), toLife(revision.node), strictness.now, 'the operation')]
  if (rank(revision) < rank(base)) found.push(['api-stability-decreased', 'the stability level decreased'])
  return found.map(([rule, message]) => ({
    rule,
    at: [],
    message,
    base: base.place,
    revision: revision.place,
  }))
}

/** Whether something is deprecated, and its sunset as a time. */
interface Life {
  readonly isDeprecated: boolean
  readonly sunset: number | undefined
}

function toLife(node: Readonly<Record<string, unknown>>): Life {
  return { isDeprecated: node['deprecated'] === true, sunset: timeOf(node['x-sunset']) }
}

type Found = readonly [rule: string, message: string]

function lifeRules(was: Life, is: Life, now: number, subject: string): readonly Found[] {
  const found: Found[] = []
  if (!was.isDeprecated && is.isDeprecated) {
    found.push(['endpoint-deprecated', `${subject} is deprecated`])
    if (is.sunset === undefined)
      found.push(['deprecated-without-sunset', `${subject} is deprecated without a sunset`])
    else if (is.sunset <= now)
      found.push(['sunset-date-in-the-past', `${subject} is deprecated with a sunset that is over`])
  }
  if (was.isDeprecated && !is.isDeprecated)
    found.push(['deprecated-reactivated', `${subject} is no longer deprecated`])
  if (was.isDeprecated && is.isDeprecated && was.sunset !== undefined && is.sunset === undefined)
    found.push(['sunset-deleted', `the sunset of ${subject} was removed`])
  if (was.sunset !== undefined && is.sunset !== undefined && is.sunset < was.sunset)
    found.push(['sunset-date-moved-earlier', `the sunset of ${subject} is earlier than before`])
  return found
}

/** The difference in the life of a whole version, as its documents show it: the one that says most. */
export function compareVersionLife(
  version: string,
  was: DocumentedLife,
  is: DocumentedLife,
  now: number,
): Found | undefined {
  const [older, newer] = [was, is].map(({ deprecated, sunset }) =>
    toLife({ deprecated: deprecated !== undefined || sunset !== undefined, 'x-sunset': sunset }),
  )
  return older && newer && lifeRules(older, newer, now, `version ${version}`).at(-1)
}

/** An operation that is not there any more. */
export function toRemovedOperation(
  operation: Operation,
  isPathGone: boolean,
  { strictness }: Documents,
): Difference {
  const name = isPathGone ? 'api-path-removed' : 'api-removed'
  const sunset = sunsetOf(operation)
  const at = { at: [], base: operation.place, revision: undefined }
  if (!isDeprecated(operation))
    return {
      ...at,
      rule: `${name}-without-deprecation`,
      message: 'the operation was removed without deprecation',
    }
  return sunset !== undefined && sunset > strictness.now
    ? {
        ...at,
        rule: `${name}-before-sunset`,
        message: 'the operation was removed before its sunset',
      }
    : {
        ...at,
        rule: `${name}-with-deprecation`,
        message: 'the operation was removed after its deprecation',
      }
}
