/** Why a command ends without success: with exit code 2 for how it was called, with 1 for anything else. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2
  /** What to do about it, line by line. */
  readonly hints: readonly string[]

  constructor(exitCode: 1 | 2, message: string, hints: readonly string[] = []) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
    this.hints = hints
  }
}

/** The error of a command line that cannot be understood. */
export function usageError(message: string, ...hints: readonly string[]): CommandError {
  return new CommandError(2, message, hints)
}

/** The error of a command that could not do its work. */
export function failure(message: string, ...hints: readonly string[]): CommandError {
  return new CommandError(1, message, hints)
}

/** The error of an input that cannot be read: its message is all that there is to say. */
export class InputError extends CommandError {
  constructor(message: string) {
    super(2, message)
    this.name = 'InputError'
  }
}
