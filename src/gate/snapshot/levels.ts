import { isRecord } from '../../base/values.ts'
import { ReadError } from '../document/read-error.ts'
import { LEVELS, type Level, type VersionFinding } from '../finding.ts'
import { requireRule } from './rule-name.ts'

/** Levels of rules that differ from those of the table. */
export type Levels = ReadonlyMap<string, Level>

/** Reads `rules.json`, such as `{ "request-parameter-removed": "breaking" }`. @throws {ReadError} for rules and levels that there are not */
export function readLevels(text: string): Levels {
  const given: unknown = JSON.parse(text)
  if (!isRecord(given)) throw new ReadError('rules.json has to be an object')
  return new Map(
    Object.entries(given).map(([rule, value]) => {
      requireRule(rule, 'rules.json')
      const level = LEVELS.find((each) => each === value)
      if (level === undefined)
        throw new ReadError(
          `rules.json: unknown level ${JSON.stringify(value)} of ${rule}. Use ${LEVELS.toReversed().join(', ')}`,
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
