import type { Late } from '../../base/async.ts'
import type { DefinitionCode } from '../../routes/optional-code.ts'
import type * as Containing from './container-code.ts'
import type * as Routing from './route-code.ts'
import type * as Versioned from '../routing/versioned/versioned.ts'
import type * as Offering from './option-code.ts'

/** The code for what only some applications have. */
export interface OptionalCode extends DefinitionCode {
  /** For applications with versions or with policies of routes. */
  readonly versions: Late<typeof Versioned>
  /** For what few routes have. */
  readonly routes: Late<typeof Routing>
  /** For applications that provide or inject something. */
  readonly container: Late<typeof Containing>
  /** For the options that few applications have. */
  readonly options: Late<typeof Offering>
}

/** The message about what is asked for too early. */
export const NOT_LOADED = 'Some code is not loaded yet: call await app.ready() first'

/** Whether something was read without code that it needs. */
export function isCodeMissing(code: OptionalCode): boolean {
  return partsOf(code).some(({ isMissing }) => isMissing())
}

/** Loads what is missing. */
export async function loadMissing(code: OptionalCode): Promise<void> {
  const missing = partsOf(code).filter(({ isMissing }) => isMissing())
  await Promise.all(missing.map(({ load }) => load()))
}

function partsOf({ schemas, versions, routes, container, options }: OptionalCode): readonly Late<unknown>[] {
  return [schemas, versions, routes, container, options]
}
