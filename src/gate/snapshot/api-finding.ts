import type { Level, VersionFinding } from '../finding.ts'

/** A finding of a whole version, or of the whole API. */
export function toApiFinding(version: string, rule: string, level: Level, message: string): VersionFinding {
  return {
    version,
    rule,
    level,
    operation: '',
    at: '',
    message,
    base: { pointer: '' },
    revision: { pointer: '' },
  }
}
