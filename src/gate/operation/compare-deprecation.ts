import type { DocumentedDeprecation } from '../document/neighbours.ts'
import type { ComparedOperation } from '../document/read-operations.ts'
import type { OperationDifference, ComparedDocuments } from './compared-documents.ts'

/** How finished an operation is, the least finished first. Extensions of both names are used. */
const STABILITY = ['draft', 'alpha', 'experimental', 'preview', 'beta', 'stable']

const stabilityOf = ({ node }: ComparedOperation): string | undefined => {
  const value = node['x-stability-level'] ?? (node['x-beta'] === true ? 'beta' : undefined)
  return typeof value === 'string' ? value.toLowerCase() : undefined
}

/** How finished an operation is, as a number. */
function stabilityRank(operation: ComparedOperation): number {
  return STABILITY.indexOf(stabilityOf(operation) ?? 'stable')
}

/** Whether an operation is a preview, which may change. */
export function isPreview(operation: ComparedOperation): boolean {
  const stability = stabilityOf(operation)
  return stability !== undefined && stability !== 'stable'
}

function timeOf(sunset: unknown): number | undefined {
  const time = typeof sunset === 'string' ? Date.parse(sunset) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** The differences in deprecation, sunset and stability of two operations that belong together. */
export function compareLife(
  base: ComparedOperation,
  revision: ComparedOperation,
  { strictness }: ComparedDocuments,
): readonly OperationDifference[] {
  const rules = lifeRules(readDeprecation(base.node), readDeprecation(revision.node), strictness.now)
  if (stabilityRank(revision) < stabilityRank(base)) rules.push('api-stability-decreased')
  return rules.map((rule) => ({
    rule,
    at: [],
    values: { subject: 'the operation' },
    base: base.place,
    revision: revision.place,
  }))
}

/** Whether something is deprecated, and its sunset as a time. */
interface Life {
  readonly isDeprecated: boolean
  readonly sunset: number | undefined
}

function readDeprecation(node: Readonly<Record<string, unknown>>): Life {
  return { isDeprecated: node['deprecated'] === true, sunset: timeOf(node['x-sunset']) }
}

function lifeRules(was: Life, is: Life, now: number): string[] {
  const found: string[] = []
  if (!was.isDeprecated && is.isDeprecated) {
    found.push('endpoint-deprecated')
    if (is.sunset === undefined) found.push('deprecated-without-sunset')
    else if (is.sunset <= now) found.push('sunset-date-in-the-past')
  }
  if (was.isDeprecated && !is.isDeprecated) found.push('deprecated-reactivated')
  if (was.isDeprecated && is.isDeprecated && was.sunset !== undefined && is.sunset === undefined)
    found.push('sunset-deleted')
  if (was.sunset !== undefined && is.sunset !== undefined && is.sunset < was.sunset)
    found.push('sunset-date-moved-earlier')
  return found
}

/** The rule about the life of a whole version, as its documents show it: the one that says most. */
export function compareVersionLife(
  was: DocumentedDeprecation,
  is: DocumentedDeprecation,
  now: number,
): string | undefined {
  const [older, newer] = [was, is].map(({ deprecated, sunset }) =>
    readDeprecation({ deprecated: deprecated !== undefined || sunset !== undefined, 'x-sunset': sunset }),
  )
  return older && newer && lifeRules(older, newer, now).at(-1)
}

/** An operation that is not there any more. */
export function toRemovedOperation(
  operation: ComparedOperation,
  isPathGone: boolean,
  { strictness }: ComparedDocuments,
): OperationDifference {
  const name = isPathGone ? 'api-path-removed' : 'api-removed'
  const sunset = timeOf(operation.node['x-sunset'])
  const toDifference = (how: string): OperationDifference => ({
    rule: `${name}-${how}`,
    at: [],
    base: operation.place,
    revision: undefined,
  })
  if (operation.node['deprecated'] !== true) return toDifference('without-deprecation')
  return toDifference(sunset !== undefined && sunset > strictness.now ? 'before-sunset' : 'with-deprecation')
}
