import { isRecord, isString } from '../../base/values.ts'
import { ReadError } from '../document/read-error.ts'
import { withPlaces, type Finding, type VersionFinding } from '../finding.ts'
import { requireRule } from './rule-name.ts'

/** A finding that is allowed for a reason until a date. */
export interface Allowed {
  readonly rule: string
  readonly schema?: string
  readonly operation?: string
  readonly at?: string
  readonly versions?: readonly string[]
  readonly reason: string
  /** The last day on which it holds, such as `2026-12-31`. */
  readonly until: string
}

const MEMBERS = new Set(['rule', 'schema', 'operation', 'at', 'versions', 'reason', 'until'])

/** Reads `allow.json`. @throws {ReadError} for an entry that would allow something else than it says */
export function readAllowed(text: string): readonly Allowed[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new ReadError('allow.json has to be a list')
  return list.map((entry: unknown, index) => readEntry(entry, `allow.json, entry ${index + 1}`))
}

function readEntry(entry: unknown, where: string): Allowed {
  const given = isRecord(entry) ? entry : {}
  const { rule, schema, operation, at, versions, reason, until } = { ...given }
  if (!isString(rule) || !isString(reason) || reason === '' || !isString(until))
    throw new ReadError(`${where}: rule, reason and until are required`)
  requireRule(rule, where)
  const unknown = Object.keys(given).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined)
    throw new ReadError(`${where}: unknown member ${unknown}. Use ${[...MEMBERS].join(', ')}`)
  if (Number.isNaN(Date.parse(until))) throw new ReadError(`${where}: until has to be a date, not ${until}`)
  return {
    rule,
    reason,
    until,
    ...toText('schema', schema, where),
    ...toText('operation', operation, where),
    ...toText('at', at, where),
    ...toVersions(versions, where),
  }
}

function toText(
  name: 'schema' | 'operation' | 'at',
  value: unknown,
  where: string,
): Pick<Allowed, typeof name> {
  if (value === undefined) return {}
  if (!isString(value)) throw new ReadError(`${where}: ${name} has to be a string`)
  return { [name]: value }
}

function toVersions(value: unknown, where: string): Pick<Allowed, 'versions'> {
  if (value === undefined) return {}
  if (!Array.isArray(value) || !value.every(isString))
    throw new ReadError(`${where}: versions has to be a list of strings, such as ["1", "2"]`)
  return { versions: value }
}

/** A finding without the places that are allowed, or `undefined` if none is left. What an entry leaves out may be anything. */
export function withoutAllowed(
  finding: VersionFinding,
  allowed: readonly Allowed[],
): VersionFinding | undefined {
  const own = allowed.filter(
    ({ rule, schema, versions }) =>
      rule === finding.rule &&
      (schema ?? finding.schema) === finding.schema &&
      (versions?.includes(finding.version) ?? true),
  )
  if (own.length === 0) return finding
  const isAllowed = (place: Pick<Finding, 'operation' | 'at'>): boolean =>
    own.some(
      ({ operation = place.operation, at = place.at }) =>
        operation === place.operation && (at === place.at || at === finding.at),
    )
  if (finding.places.length === 0) return isAllowed(finding) ? undefined : finding
  const left = finding.places.filter((place) => !isAllowed(place))
  return left.length === 0 ? undefined : withPlaces(finding, left)
}

/** Whether the last day of an entry is over. */
export function isOver({ until }: Allowed, now: Date): boolean {
  return now.toISOString().slice(0, 10) > until.slice(0, 10)
}
