/** The error of a command. Its exit code is 2 for invalid arguments, and 1 otherwise. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2
  /** Advice, line by line. */
  readonly hints: readonly string[]

  constructor(exitCode: 1 | 2, message: string, hints: readonly string[] = []) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
    this.hints = hints
  }
}

/** Creates the error of invalid arguments. */
export function usageError(message: string, ...hints: readonly string[]): CommandError {
  return new CommandError(2, message, hints)
}

/** Creates the error of a command that failed. */
export function failure(message: string, ...hints: readonly string[]): CommandError {
  return new CommandError(1, message, hints)
}

/** The error of an input that cannot be read. Its message needs no further advice. */
export class InputError extends CommandError {
  constructor(message: string) {
    super(2, message)
    this.name = 'InputError'
  }
}
