import type { ExecutionContext } from '../../define/context.ts'
import { isRaw, isReply, rawReply, reply, type ReplyOptions } from '../../define/reply.ts'
import { HttpError, ValidationError } from '../../http/errors.ts'
import { isAsyncIterable, isWebResponse } from '../../http/http.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { decode, encode, isPlain } from './codec.ts'

/** The outcome of a run that a store keeps: the result of the handler in the newest version, an error, or that neither can be kept. */
type Outcome =
  | Data
  | {
      readonly kind: 'error'
      readonly error: Pick<HttpError, 'status' | 'detail' | 'code' | 'type' | 'title' | 'headers' | 'members'>
    }
  | { readonly kind: 'lost' }

interface Data {
  readonly kind: 'value' | 'data' | 'raw'
  readonly status: number | undefined
  readonly data: unknown
  /** The headers that the handler has set on `context.response`. */
  readonly headers: Headers
  readonly options?: ReplyOptions
}

type Headers = Readonly<Record<string, string | readonly string[]>>

/** The outcome of a run whose result is too long, a stream or a file. */
export const LOST = encode({ kind: 'lost' } satisfies Outcome)

/** Statuses by which a server asks a client to send the request again: their results are not kept. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429])

/** The head of a response before a handler runs, with which that after it is compared. */
export interface HeadBefore {
  readonly status: number | undefined
  readonly headers: Headers
}

/** The head that is set so far. */
export function headOf(context: ExecutionContext): HeadBefore {
  // interceptors get no other context: those that `context.call` makes are for routes without this one
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { head } = context as RequestContext
  if (head === undefined) return NO_HEAD
  const headers: Record<string, string | string[]> = {}
  head.mergeInto(headers)
  return { status: head.view.status, headers }
}

const NO_HEAD: HeadBefore = { status: undefined, headers: {} }

/** The text of a result, or `undefined` for one that is not kept because the request may be sent again. */
export function writeResult(
  result: unknown,
  before: HeadBefore,
  context: ExecutionContext,
): string | undefined {
  const after = headOf(context)
  const headers = after === NO_HEAD ? NO_HEAD.headers : differing(before.headers, after.headers)
  if (!isReply(result)) {
    const status = after.status === before.status ? undefined : after.status
    return writeData({ kind: 'value', status, data: result, headers })
  }
  const { status = after.status, data, headers: own, cookies } = result
  const kind = isRaw(result) ? 'raw' : 'data'
  if (own === undefined && cookies === undefined) return writeData({ kind, status, data, headers })
  const options = { ...(own && { headers: own }), ...(cookies && { cookies }) }
  return writeData({ kind, status, data, headers, options })
}

function writeData(outcome: Data): string | undefined {
  const { status, data } = outcome
  if (status !== undefined && isPassing(status)) return undefined
  const isData = !isWebResponse(data) && !isAsyncIterable(data) && typeof data !== 'function'
  return isData ? writeOutcome(outcome) : LOST
}

/** The text of an error, or `undefined` for one that is not kept: one of the server, or one that asks for another try. */
export function writeError(error: unknown): string | undefined {
  if (!(error instanceof HttpError) || isPassing(error.status)) return undefined
  const { status, detail, code, type, title, headers, members } = error
  return writeOutcome({ kind: 'error', error: { status, detail, code, type, title, headers, members } })
}

function isPassing(status: number): boolean {
  return status >= 500 || PASSING.has(status)
}

function writeOutcome(outcome: Outcome): string {
  try {
    return isUsual(outcome) ? writeUsual(outcome) : encode(outcome)
  } catch {
    // the first response fails as well, by the same value
    return LOST
  }
}

/** Data that are JSON as they are, of which `encode` would write the same in more time. */
type Usual = Omit<Data, 'options'>

function isUsual(outcome: Outcome): outcome is Usual {
  return 'data' in outcome && outcome.options === undefined && isPlain(outcome.data)
}

function writeUsual({ kind, status, data, headers }: Usual): string {
  const text = JSON.stringify(data)
  return `{"kind":"${kind}"${status === undefined ? '' : `,"status":${status}`},"headers":${
    headers === NO_HEAD.headers ? '{}' : JSON.stringify(headers)
  }${text === undefined ? '' : `,"data":${text}`}}`
}

/** The header of every replayed response. */
const MARK = 'idempotency-replayed'

/**
 * Answers with what a store has kept. `undefined` if that is nothing to answer with.
 *
 * @throws the error of the run, with the mark of replayed responses.
 */
export function replay(text: string, context: ExecutionContext): { readonly result: unknown } | undefined {
  // the store returns what it was given
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const outcome = decode(text) as Outcome
  if (outcome.kind === 'lost') return undefined
  if (outcome.kind === 'error') throw toError(outcome.error)
  const { kind, status, data, headers, options = {} } = outcome
  const { response } = context
  for (const [name, value] of Object.entries(headers)) {
    const [first = '', ...others] = [value].flat()
    if (name === 'set-cookie' || name === 'vary') response.headers.append(name, first)
    else response.headers.set(name, first)
    for (const line of others) response.headers.append(name, line)
  }
  response.headers.set(MARK, 'true')
  if (kind === 'raw') {
    // a result that is no text or bytes was not kept
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { result: rawReply(status, data as string | Uint8Array | undefined, options) }
  }
  if (kind === 'data') return { result: reply(status ?? 200, data, options) }
  if (status !== undefined) response.status = status
  return { result: data }
}

function toError({
  status,
  detail,
  headers,
  members,
  ...own
}: Extract<Outcome, { kind: 'error' }>['error']): HttpError {
  const marked = { ...headers, [MARK]: 'true' }
  const { errors } = members
  if (own.code === 'validation_failed' && Array.isArray(errors)) {
    // error handlers that match this class see the same as the first time
    const error = new ValidationError(errors, detail)
    return Object.assign(error, { headers: marked })
  }
  return new HttpError(status, detail, { ...members, ...own, headers: marked })
}

/** The headers that are new or have another value, lists without the lines that were there before. */
function differing(before: Headers, after: Headers): Headers {
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, value]): (readonly [string, string | readonly string[]])[] => {
      const known = before[name]
      if (known === undefined) return [[name, value]]
      if (name !== 'set-cookie') return String(known) === String(value) ? [] : [[name, value]]
      const lines = [value].flat().slice([known].flat().length)
      return lines.length === 0 ? [] : [[name, lines]]
    }),
  )
}
