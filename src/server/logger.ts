import type { Logger } from '../define/context.ts'

/** The given logger; JSON lines when none is given, nothing for `false`. */
export function createLogger(logger: Logger | false | undefined): Logger {
  if (logger === false) return SILENT
  return logger ?? JSON_LINES
}

const nothing = (): void => undefined
const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** One JSON object a line: warnings and errors on standard error, the rest on standard output; `debug` is left out. */
const JSON_LINES: Logger = {
  debug: nothing,
  info: (details, message) => void process.stdout.write(toLine('info', details, message)),
  warn: (details, message) => void process.stderr.write(toLine('warn', details, message)),
  error: (details, message) => void process.stderr.write(toLine('error', details, message)),
}

function toLine(level: string, details: object, message: string | undefined): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, msg: message, ...details }, plain)}\n`
}

/** Errors have no own properties that JSON would show, and bigints none at all. */
function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error)
    return { ...value, name: value.name, message: value.message, stack: value.stack, cause: value.cause }
  return typeof value === 'bigint' ? String(value) : value
}
