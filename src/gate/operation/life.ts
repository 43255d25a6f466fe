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

const sunsetOf = ({ node }: Operation): number | undefined => {
  const time = typeof node['x-sunset'] === 'string' ? Date.parse(node['x-sunset']) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const isDeprecated = ({ node }: Operation): boolean => node['deprecated'] === true

/** The differences in deprecation, sunset and stability of two operations that belong together. */
export function compareLife(
  base: Operation,
  revision: Operation,
  { strictness }: Documents,
): readonly Difference[] {
  const say = (rule: string, message: string): Difference => ({
    rule,
    at: [],
    message,
    base: base.place,
    revision: revision.place,
  })
  const differences: Difference[] = []
  const [was, is] = [isDeprecated(base), isDeprecated(revision)]
  const [before, after] = [sunsetOf(base), sunsetOf(revision)]
  if (!was && is) differences.push(...toDeprecated(after, strictness.now, say))
  if (was && !is) differences.push(say('deprecated-reactivated', 'the operation is no longer deprecated'))
  if (was && is && before !== undefined && after === undefined)
    differences.push(say('sunset-deleted', 'the sunset was removed'))
  if (before !== undefined && after !== undefined && after < before)
    differences.push(say('sunset-date-moved-earlier', 'the sunset is earlier than before'))
  if (rank(revision) < rank(base))
    differences.push(say('api-stability-decreased', 'the stability level decreased'))
  return differences
}

/** The differences of an operation that is newly deprecated. */
function toDeprecated(
  sunset: number | undefined,
  now: number,
  say: (rule: string, message: string) => Difference,
): readonly Difference[] {
  const deprecated = say('endpoint-deprecated', 'the operation is deprecated')
  if (sunset === undefined)
    return [deprecated, say('deprecated-without-sunset', 'the operation is deprecated without a sunset')]
  return sunset <= now
    ? [deprecated, say('sunset-date-in-the-past', 'the operation is deprecated with a sunset that is over')]
    : [deprecated]
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
