import { isRecord, isString } from '../../base/values.ts'
import { ReadError } from '../json.ts'
import {
  fingerprintOf,
  withFindingPlaces,
  SEVERITIES,
  type Finding,
  type VersionFinding,
  type Severity,
} from '../finding.ts'
import { editDistance } from '../../base/edit-distance.ts'
import { hasRule, RULES } from '../rules.ts'

/** A finding that is allowed for a reason until a date. */
export interface AllowedFinding {
  readonly rule: string
  /** The words that one finding is known by, as `octavo check --format json` has them. They take the place of all members above `reason`. */
  readonly fingerprint?: string
  readonly schema?: string
  readonly operation?: string
  readonly at?: string
  readonly versions?: readonly string[]
  readonly reason: string
  /** The last day on which it holds, such as `2026-12-31`. */
  readonly until: string
}

const MEMBERS = new Set(['fingerprint', 'rule', 'schema', 'operation', 'at', 'versions', 'reason', 'until'])

/** Reads `allow.json`. @throws {ReadError} for an entry that would allow something else than it says */
export function readAllowed(text: string): readonly AllowedFinding[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new ReadError('allow.json has to be a list')
  return list.map((entry: unknown, index) => readEntry(entry, `allow.json, entry ${index + 1}`))
}

function readEntry(entry: unknown, where: string): AllowedFinding {
  const given = isRecord(entry) ? entry : {}
  const { fingerprint, schema, operation, at, versions, reason, until } = { ...given }
  const rule = isString(fingerprint) ? ruleIn(fingerprint) : given['rule']
  if (!isString(rule) || !isString(reason) || reason === '' || !isString(until))
    throw new ReadError(`${where}: rule or fingerprint, reason and until are required`)
  requireRule(rule, where)
  const unknown = Object.keys(given).find((name) => !MEMBERS.has(name))
  if (unknown !== undefined)
    throw new ReadError(`${where}: unknown member ${unknown}. Use ${[...MEMBERS].join(', ')}`)
  if (Number.isNaN(Date.parse(until))) throw new ReadError(`${where}: until has to be a date, not ${until}`)
  return {
    rule,
    reason,
    until,
    ...(isString(fingerprint) && { fingerprint }),
    ...allowedText('schema', schema, where),
    ...allowedText('operation', operation, where),
    ...allowedText('at', at, where),
    ...toVersions(versions, where),
  }
}

/** The rule in a fingerprint, or its second word, so that a mistake in it is named. */
function ruleIn(fingerprint: string): string | undefined {
  const words = fingerprint.split(' ')
  return words.slice(0, 2).find(hasRule) ?? words[1] ?? words[0]
}

function allowedText(
  name: 'schema' | 'operation' | 'at',
  value: unknown,
  where: string,
): Pick<AllowedFinding, typeof name> {
  if (value === undefined) return {}
  if (!isString(value)) throw new ReadError(`${where}: ${name} has to be a string`)
  return { [name]: value }
}

function toVersions(value: unknown, where: string): Pick<AllowedFinding, 'versions'> {
  if (value === undefined) return {}
  if (!Array.isArray(value) || !value.every(isString))
    throw new ReadError(`${where}: versions has to be a list of strings, such as ["1", "2"]`)
  return { versions: value }
}

/** A finding without the places that are allowed, or `undefined` if none is left. What an entry leaves out may be anything. */
export function withoutAllowed(
  finding: VersionFinding,
  allowed: readonly AllowedFinding[],
): VersionFinding | undefined {
  const known = fingerprintOf(finding)
  if (allowed.some(({ fingerprint }) => fingerprint === known)) return undefined
  const own = allowed.filter(
    ({ rule, schema, versions, fingerprint }) =>
      fingerprint === undefined &&
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
  return left.length === 0 ? undefined : withFindingPlaces(finding, left)
}

/** Whether the last day of an entry is over. */
export function isOver({ until }: AllowedFinding, now: Date): boolean {
  return now.toISOString().slice(0, 10) > until.slice(0, 10)
}

/** Levels of rules that differ from those of the table. */
export type Levels = ReadonlyMap<string, Severity>

/** Reads `rules.json`, such as `{ "request-parameter-removed": "breaking" }`. @throws {ReadError} for rules and levels that there are not */
export function readLevels(text: string): Levels {
  const given: unknown = JSON.parse(text)
  if (!isRecord(given)) throw new ReadError('rules.json has to be an object')
  return new Map(
    Object.entries(given).map(([rule, value]) => {
      requireRule(rule, 'rules.json')
      const level = SEVERITIES.find((each) => each === value)
      if (level === undefined)
        throw new ReadError(
          `rules.json: unknown level ${JSON.stringify(value)} of ${rule}. Use ${SEVERITIES.toReversed().join(', ')}`,
        )
      return [rule, level]
    }),
  )
}

/** Findings with the levels that were chosen for their rules. Those of `none` are left out. */
export function withLevels(findings: readonly VersionFinding[], levels: Levels): readonly VersionFinding[] {
  if (levels.size === 0) return findings
  return findings
    .map((finding) => {
      const level = levels.get(finding.rule)
      if (level === undefined) return finding
      return { ...finding, level, places: finding.places.map((place) => ({ ...place, level })) }
    })
    .filter(({ level }) => level !== 'none')
}

/** Refuses a rule that no finding can have. @throws {ReadError} with the rule that was probably meant */
function requireRule(rule: string, where: string): void {
  if (hasRule(rule)) return
  const [best] = RULES.map((known) => ({ name: known.rule, edits: editDistance(rule, known.rule) })).toSorted(
    (one, other) => one.edits - other.edits,
  )
  const isClose = best !== undefined && best.edits <= rule.length / 3
  throw new ReadError(`${where}: unknown rule ${rule}${isClose ? `. Did you mean ${best.name}?` : ''}`)
}
