import type { Logger } from '../../define/context.ts'
import { inspectValue } from '../../base/platform.ts'
import type { Level, OpenOutputs } from './outputs.ts'
import { withoutSecrets } from './secrets.ts'
import { ignoreFailure } from '../../base/values.ts'

/** Returns the given logger, a logger of JSON lines by default, or a silent one for `false`. */
export function createLogger(logger: Logger | false | undefined, openOutputs: OpenOutputs): Logger {
  if (logger === false) return SILENT
  return logger ?? createJsonLines(openOutputs)
}

/** A logger whose every message carries the id of a request: the logger's own child where it has such, as pino does. */
export function withRequestId(logger: Logger, requestId: string): Logger {
  if (logger === SILENT) return logger
  const child =
    'child' in logger && typeof logger.child === 'function' ? logger.child({ requestId }) : undefined
  if (isLogger(child)) return child
  return new RequestLogger(logger, requestId)
}

/**
 * Adds something to the details of every message. A class because loggers are made for each request that logs. Its methods return what
 * those of the logger do, because a promise may reject.
 */
export abstract class TaggedLogger implements Logger {
  protected readonly logger: Logger

  constructor(logger: Logger) {
    this.logger = logger
  }

  debug(details: object, message?: string): void {
    return this.logger.debug(this.tag(details), message)
  }

  info(details: object, message?: string): void {
    return this.logger.info(this.tag(details), message)
  }

  warn(details: object, message?: string): void {
    return this.logger.warn(this.tag(details), message)
  }

  error(details: object, message?: string): void {
    return this.logger.error(this.tag(details), message)
  }

  protected abstract tag(details: object): object
}

class RequestLogger extends TaggedLogger {
  readonly #requestId: string

  constructor(logger: Logger, requestId: string) {
    super(logger)
    this.#requestId = requestId
  }

  protected tag(details: object): object {
    return { ...toDetails(details), requestId: this.#requestId }
  }
}

/** Whether a child is one of a logger; one method speaks for all, for this is asked at every request that logs. */
export function isLogger(value: unknown): value is Logger {
  return typeof value === 'object' && value !== null && 'info' in value && typeof value.info === 'function'
}

const nothing = (): void => undefined
const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** One JSON object a line, or text for people at a terminal. `debug` is left out. */
function createJsonLines(openOutputs: OpenOutputs): Logger {
  const outputs = openOutputs((count) =>
    toLine(
      'warn',
      { count },
      'Log lines were dropped because the reader did not keep up or the disk was full',
    ),
  )
  const format = (level: Level, details: object, message: string | undefined): string => {
    const line = outputs.formatLine?.(level, details, message) ?? toLine(level, details, message)
    return isFlat(details) ? line : withoutSecrets(line, details)
  }
  return {
    debug: nothing,
    info: (details, message) => {
      if (outputs.request?.(details, message) !== true) outputs.info(format('info', details, message))
    },
    warn: (details, message) => outputs.warn(format('warn', details, message)),
    error: (details, message) => outputs.error(format('error', details, message)),
  }
}

/** The head of the line is written by hand: copying details into one object costs several times what JSON does. */
function toLine(level: string, details: object, message: string | undefined): string {
  const msg = message === undefined ? '' : `,"msg":${JSON.stringify(message)}`
  return `{"time":"${now()}","level":"${level}"${msg}${toMembers(toDetails(details))}}\n`
}

let lastTime = 0
let lastText = ''

/** The time in ISO 8601, written once for each millisecond. */
function now(): string {
  const time = Date.now()
  if (time !== lastTime) {
    lastTime = time
    lastText = new Date(time).toISOString()
  }
  return lastText
}

/** The details as the rest of a JSON object. */
function toMembers(details: object): string {
  try {
    // a replacer makes JSON several times slower
    const text: unknown = isFlat(details) ? JSON.stringify(details) : JSON.stringify(details, toPlain)
    // lists, and what `toJSON` makes something else of
    if (typeof text !== 'string' || text === '{}') return ''
    return text.startsWith('{') ? `,${text.slice(1, -1)}` : `,"details":${text}`
  } catch {
    // cycles, or members that throw: better half a line than none
    return `,"details":${JSON.stringify(formatDetails(details))}`
  }
}

const NOT_SHOWN = 'cannot be shown'

function formatDetails(details: object): string {
  try {
    return inspectValue(details) ?? NOT_SHOWN
  } catch {
    return NOT_SHOWN
  }
}

/** An error is a detail like any other, under the name that pino gives it. */
function toDetails(details: object): object {
  return details instanceof Error ? { err: details } : details
}

/** Whether details hold no objects. Those that throw do. */
function isFlat(details: object): boolean {
  try {
    return !(details instanceof Error) && Object.values(details).every(isPlain)
  } catch {
    return false
  }
}

function isPlain(value: unknown): boolean {
  return (typeof value !== 'object' && typeof value !== 'bigint') || value === null
}

/** Errors have no own properties that JSON would show, and bigints none at all. */
function toPlain(_key: string, value: unknown): unknown {
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    return { name, message, stack, cause, ...Object.fromEntries(Object.entries(value)) }
  }
  return typeof value === 'bigint' ? String(value) : value
}

/** Anything that logs, such as a request. To ask for its log may throw too, because the `child` of a logger makes it. */
type Logs = { readonly log: Logger } | undefined

/**
 * Logs an error. Never throws and never rejects, because a logger that fails must not cost the answer or end the process. If the
 * details cannot be logged, the message is.
 */
export function logError(source: Logs, details: object, message: string | undefined): void {
  ignoreFailure(
    () => source?.log.error(details, message),
    () => source?.log.error({}, message),
  )
}

/** Creates a logger that does what the given one does, and never throws or rejects. */
export function toSafeLogger(logger: Logger): Logger {
  return {
    debug: (details, message) => ignoreFailure(() => logger.debug(details, message)),
    info: (details, message) => ignoreFailure(() => logger.info(details, message)),
    warn: (details, message) => ignoreFailure(() => logger.warn(details, message)),
    error: (details, message) => logError({ log: logger }, details, message),
  }
}
