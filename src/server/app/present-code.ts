import type { Late } from '../../base/async.ts'
import { dataResponses, readSchemas } from '../../schema/route-schemas.ts'
import * as versions from '../routing/versioned/versioned.ts'
import * as container from './container-code.ts'
import * as options from './option-code.ts'
import * as routes from './route-code.ts'
import type { OptionalCode } from './optional-code.ts'

/** The code of applications that report mistakes as soon as they are created, whatever the definitions need. */
export const PRESENT_CODE: OptionalCode = {
  schemas: createPresent({ dataResponses, readSchemas }),
  versions: createPresent(versions),
  routes: createPresent(routes),
  container: createPresent(container),
  options: createPresent(options),
}

/** Code that is loaded already. */
function createPresent<T>(code: T): Late<T> {
  return { get: () => code, isMissing: () => false, load: () => Promise.resolve(code) }
}
