import type { ConfigValues } from '../pipeline/built-ins.ts'
import type { Sessions } from '../session/sessions.ts'

/** The parts that the start opens, for the requests that come after it. */
export interface RuntimeServices {
  /** The settings that are injected. */
  config: ConfigValues
  /** `undefined` without the option. */
  sessions: Sessions | undefined
}

/** Nothing is open yet. */
export const NOT_STARTED: RuntimeServices = { config: { get: () => undefined }, sessions: undefined }
