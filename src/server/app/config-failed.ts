import { DefinitionError } from '../../base/definition-error.ts'
import { errnoOf } from '../../base/values.ts'

/** The error of settings that cannot be loaded. It doesn't repeat what the cause says, because that may hold values. */
export function configFailed(what: string, cause: unknown, fix: string): DefinitionError {
  const reason = errnoOf(cause) ?? (cause instanceof Error ? cause.name : typeof cause)
  const message = `${what} cannot be loaded (${reason})`
  return new DefinitionError([{ code: 'config_module_failed', where: 'config', message, fix }], { cause })
}

/** The fix for settings that throw while they are loaded. */
export const MEND = 'fix the error that it throws, which is the cause'
