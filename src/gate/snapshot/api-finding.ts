import type { VersionFinding } from '../finding.ts'
import { ruleMessage } from '../rules.ts'
import type { MessageValues } from '../schema/schema-rules.ts'
import { severityOf, type Circumstances } from '../severity.ts'

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
    level: severityOf(rule, is, STRICTNESS),
    operation: '',
    at: '',
    message: ruleMessage(rule, values),
    base: { pointer: '' },
    revision: { pointer: '' },
    places: [],
  }
}
