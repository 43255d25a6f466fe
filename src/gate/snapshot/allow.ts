import { isRecord, isString } from '../../values.ts'
import { ReadError } from '../document/read-error.ts'
import type { VersionFinding } from '../finding.ts'

/** A finding that is meant, for a reason and until a day. */
export interface Allowed {
  readonly rule: string
  readonly operation?: string
  readonly at?: string
  readonly versions?: readonly string[]
  readonly reason: string
  /** The last day on which it holds, such as `2026-12-31`. */
  readonly until: string
}

/** Reads `allow.json`. @throws {ReadError} for an entry without a rule, a reason or a day */
export function readAllowed(text: string): readonly Allowed[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list)) throw new ReadError('allow.json is no list')
  return list.map((entry: unknown, index) => {
    const { rule, operation, at, versions, reason, until } = isRecord(entry) ? { ...entry } : {}
    if (!isString(rule) || !isString(reason) || reason === '' || !isString(until))
      throw new ReadError(`allow.json, entry ${index + 1}: rule, reason and until are needed`)
    if (Number.isNaN(Date.parse(until)))
      throw new ReadError(`allow.json, entry ${index + 1}: until is no day: ${until}`)
    return {
      rule,
      reason,
      until,
      ...(isString(operation) ? { operation } : {}),
      ...(isString(at) ? { at } : {}),
      ...(Array.isArray(versions) ? { versions: versions.map(String) } : {}),
    }
  })
}

/** Whether an entry is about a finding. What it leaves out may be anything. */
export function isAbout(allowed: Allowed, finding: VersionFinding): boolean {
  return (
    allowed.rule === finding.rule &&
    (allowed.operation ?? finding.operation) === finding.operation &&
    (allowed.at ?? finding.at) === finding.at &&
    (allowed.versions?.includes(finding.version) ?? true)
  )
}

/** Whether the last day of an entry is over. */
export function isOver({ until }: Allowed, now: Date): boolean {
  return now.toISOString().slice(0, 10) > until.slice(0, 10)
}
