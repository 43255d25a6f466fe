import { createPresent } from '../../async.ts'
import { readSchemas } from '../../schema/route-schemas.ts'
import { routePolicyProblems } from '../../versioning/policy-problems.ts'
import * as container from './container-code.ts'
import * as options from './option-code.ts'
import type { OptionalCode } from './optional-code.ts'

/** The code of applications that report mistakes as soon as they are created, whatever the definitions need. */
export const PRESENT_CODE: OptionalCode = {
  schemas: createPresent({ readSchemas }),
  policies: createPresent({ routePolicyProblems }),
  container: createPresent(container),
  options: createPresent(options),
}
