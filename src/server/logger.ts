import { inspect } from 'node:util'

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
  const entry = { time: new Date().toISOString(), level, msg: message }
  try {
    return `${JSON.stringify({ ...entry, ...details }, toPlain)}\n`
  } catch {
    // cycles, or members that throw: better half a line than none
    return `${JSON.stringify({ ...entry, details: inspect(details) })}\n`
  }
}

/** Errors have no own properties that JSON would show, and bigints none at all. */
function toPlain(_key: string, value: unknown): unknown {
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    return { name, message, stack, cause, ...Object.fromEntries(Object.entries(value)) }
  }
  return typeof value === 'bigint' ? String(value) : value
}
