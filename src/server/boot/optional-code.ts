import type { Late } from '../../async.ts'
import type { DefinitionCode } from '../../flatten/optional-code.ts'
import type * as Containing from './container-code.ts'
import type * as Routing from './route-code.ts'
import type * as Offering from './option-code.ts'

/** The code for what only some applications have. */
export interface OptionalCode extends DefinitionCode {
  /** For what few routes have. */
  readonly routes: Late<typeof Routing>
  /** For applications that provide or inject something. */
  readonly container: Late<typeof Containing>
  /** For the options that few applications have. */
  readonly options: Late<typeof Offering>
}

/** Whether something was read without code that it needs. */
export function isCodeMissing(code: OptionalCode): boolean {
  return partsOf(code).some(({ isMissing }) => isMissing())
}

/** Loads what is missing. */
export async function loadMissing(code: OptionalCode): Promise<void> {
  const missing = partsOf(code).filter(({ isMissing }) => isMissing())
  await Promise.all(missing.map(({ load }) => load()))
}

function partsOf({ schemas, policies, routes, container, options }: OptionalCode): readonly Late<unknown>[] {
  return [schemas, policies, routes, container, options]
}
