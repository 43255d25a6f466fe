import type { VersionFinding } from '../finding.ts'
import { messageOf } from '../rules.ts'
import type { MessageValues } from '../schema/aspects.ts'
import { levelOf, type Circumstances } from '../level.ts'

const STRICTNESS = { closedEnums: false, closedClients: false, now: 0 }

/** A finding of a whole version, or of the whole API. */
export function toApiFinding(
  version: string,
  rule: string,
  values: MessageValues = {},
  is: Circumstances = {},
): VersionFinding {
  return {
    version,
    rule,
    level: levelOf(rule, is, STRICTNESS),
    operation: '',
    at: '',
    message: messageOf(rule, values),
    base: { pointer: '' },
    revision: { pointer: '' },
    places: [],
  }
}
