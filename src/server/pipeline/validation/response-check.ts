import { withJsonReaders, RESULT_READERS } from '../../../schema/coercion.ts'
import type { JsonWriter } from '../../../schema/json-writer.ts'
import { findResponse, type Schema } from '../../../schema/schema.ts'
import { createValidator, formatIssues, type Validated } from '../../../schema/validator.ts'
import { isUndeclaredStatus } from '../../../schema/route-schemas.ts'
import { findUndeclared } from '../../../schema/declared.ts'
import type { ResolvedRoute } from '../../../routes/resolved-route.ts'
import { isPromise, type Awaitable } from '../../../base/values.ts'
import { failIfLost } from '../../../define/json-text.ts'
import { httpError } from '../../../http/errors.ts'
import { isAsyncIterable } from '../../../http/http.ts'
import type { RequestContext } from '../context.ts'
import { logUnknown } from '../failure.ts'
import { isBodyless } from '../framing.ts'

/** The declaration behind an answer: a route, or a status that an error handler or middleware returns. */
export interface DeclaredResponses extends Pick<
  ResolvedRoute,
  'label' | 'status' | 'responses' | 'isOneResponse'
> {
  readonly stream?: ResolvedRoute['stream']
  /** The content type of data in a status. @default JSON */
  readonly typeOf?: (status: number) => string | undefined
}

/** The checks of a route's results. */
export interface Checks {
  /** Returns the data to send in the place of what a handler returned. */
  readonly parse: (status: number, data: unknown, context: RequestContext) => Awaitable<unknown>
  /** Writes an object or a list as JSON in one pass, or `undefined` if it has to be parsed. */
  readonly write: (status: number, data: object) => string | undefined
}

/**
 * Creates the functions that parse results by the schema of their status, or `undefined` if there is nothing to parse them by. A result
 * that does not fit is logged, and the client gets a 500 without its values.
 */
export function createChecks(
  route: DeclaredResponses,
  checking: true | 'strict' | false,
): Checks | undefined {
  if (checking === false || route.responses.size === 0) return undefined
  const isStrict = checking === 'strict'
  const parsers = new Map(
    [...route.responses].map(([status, schema]) => [status, createParser(schema, isStrict)]),
  )
  // a schema without a status is that of every status that a handler replies with
  const other = route.isOneResponse && !isStrict ? parsers.get(route.status) : undefined
  const isRefused = isUndeclaredStatus(parsers, route.status)
  return {
    parse(status, data, context) {
      // sent as it comes
      if (isAsyncIterable(data)) return data
      const declared = findResponse(parsers, status)
      const parser = declared ?? (data === undefined ? undefined : other)
      if (parser === undefined) {
        if (isStrict || (isRefused && status === route.status))
          failInvalid(route, `answered ${status}, which its response does not declare`, context)
        return data
      }
      if (isBodyless(status)) return data
      const parsed = parser.parse(data)
      return isPromise(parsed)
        ? parsed.then((settled) => requireValid(route, settled, context))
        : requireValid(route, parsed, context)
    },
    write(status, data) {
      const parser = findResponse(parsers, status) ?? other
      return parser === undefined || isBodyless(status) || isAsyncIterable(data)
        ? undefined
        : parser.write(data)
    },
  }
}

/** Parses results by one schema. */
export interface ResultParser {
  readonly parse: (data: unknown) => Awaitable<Parsed>
  readonly write: JsonWriter
}

const NOT_WRITTEN: JsonWriter = () => undefined

/** A valid result, or what is wrong with it. */
export type Parsed = Validated | { readonly undeclared: string }

/** Compiles a schema into a function that writes JSON, on platforms that let code be made. */
let toJsonWriter: (schema: Schema) => JsonWriter | undefined = () => undefined

/** Has schemas compiled. Those that have written something before stay as they are. */
export function writeJsonBy(compile: typeof toJsonWriter): void {
  toJsonWriter = compile
}

/** Schemas are used by many routes, in many versions. */
const writing = new WeakMap<Schema, ResultParser>()

function createWritingParser(schema: Schema): ResultParser {
  let write: JsonWriter | undefined
  const parse = createValidator(withJsonReaders(schema, RESULT_READERS))
  return {
    parse,
    write: (data) => {
      const text = (write ??= toJsonWriter(schema) ?? NOT_WRITTEN)(data)
      if (text !== undefined) failIfLost(text, data)
      return text
    },
  }
}

export function createParser(schema: Schema, isStrict: boolean): ResultParser {
  if (!isStrict) {
    const made = writing.get(schema) ?? createWritingParser(schema)
    writing.set(schema, made)
    return made
  }
  const parse = createValidator(withJsonReaders(schema, RESULT_READERS))
  return {
    parse(data) {
      const parsed = parse(data)
      return isPromise(parsed)
        ? parsed.then((settled) => withoutExtra(schema, data, settled))
        : withoutExtra(schema, data, parsed)
    },
    write: NOT_WRITTEN,
  }
}

function withoutExtra(schema: Schema, data: unknown, parsed: Validated): Parsed {
  const [undeclared] = 'issues' in parsed ? [] : findUndeclared(schema, data)
  return undeclared === undefined ? parsed : { undeclared }
}

function requireValid(route: DeclaredResponses, parsed: Parsed, context: RequestContext): unknown {
  if ('value' in parsed) return parsed.value
  const reason =
    'undeclared' in parsed
      ? `returned ${parsed.undeclared}, which its response does not declare`
      : `returned a result that its response refuses: ${formatIssues(parsed.issues)}`
  return failInvalid(route, reason, context)
}

/** Logs the issues of a result, and throws the error for the client. */
export function failInvalid(
  { label }: Pick<DeclaredResponses, 'label'>,
  reason: string,
  context: RequestContext,
): never {
  const cause = new Error(`${label} ${reason}`)
  logUnknown(context, cause)
  const { requestId } = context
  throw httpError(
    'response_invalid',
    'The result does not fit the response that the route declares; the log has the reason',
    { requestId, cause },
  )
}
