import type { VersionFinding } from '../finding.ts'
import { levelOf, type Circumstances } from '../level.ts'

const STRICTNESS = { closedEnums: false, closedClients: false, now: 0 }

/** A finding of a whole version, or of the whole API. */
export function toApiFinding(
  version: string,
  rule: string,
  message: string,
  is: Circumstances = {},
): VersionFinding {
  return {
    version,
    rule,
    level: levelOf(rule, is, STRICTNESS),
    operation: '',
    at: '',
    message,
    base: { pointer: '' },
    revision: { pointer: '' },
    places: [],
  }
}
