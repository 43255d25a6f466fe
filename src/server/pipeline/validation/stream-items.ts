import { toJsonText } from '../../../define/json-text.ts'
import type { Shape } from '../../../define/reply.ts'
import {
  andThen,
  ignoreFailure,
  ignoreRejection,
  isPromise,
  describeValue,
  isObject,
  type Awaitable,
} from '../../../base/values.ts'
import { dropBody, isAsyncIterable, openStream, type BodyStream } from '../../../http/http.ts'
import { isTextSchema, UNNAMED, type DeclaredStream } from '../../../schema/route-schemas.ts'
import { formatIssues } from '../../../schema/validator.ts'
import type { Schema } from '../../../schema/schema.ts'
import type { BodyLayer } from '../../../routes/resolved-route.ts'
import type { RequestContext } from '../context.ts'
import { convertBody, type ResultConversion } from '../conversion.ts'
import { createParser, failInvalid, type Parsed, type ResultParser } from './response-check.ts'
import type { ResponseHeaders } from '../response-head.ts'

/** How a route sends the events or items that it declares. */
export interface Streaming {
  /** Creates the converter of the events of one response, or `undefined` for items. */
  readonly shapeFor: (context: RequestContext) => Shape | undefined
  /** Refuses what is sent as it stands, such as a file, unless it is a stream of shaped events. */
  readonly checkRaw: (data: unknown, context: RequestContext) => void
  /** The body for any other result. A result without one is refused, and its stream is cancelled. */
  readonly toBody: (data: unknown, headers: ResponseHeaders, context: RequestContext) => BodyStream
}

export interface StreamParts {
  /** The name of the route in messages. */
  readonly label: string
  readonly stream: DeclaredStream
  readonly checking: true | 'strict' | false
  readonly conversion: ResultConversion | undefined
}

/** Creates the function that sends the events or items of a route. */
export function createStreaming(parts: StreamParts): Streaming {
  const writers = new Map(
    [...parts.stream.schemas].map(([name, schema]) => [name, toWrite(name, schema, parts)]),
  )
  return parts.stream.kind === 'events' ? streamEvents(parts, writers) : streamItems(parts, writers)
}

/** Writes the data of an event, or an item, or `undefined` if there is none. */
type WriteItem = (data: unknown, context: RequestContext) => Awaitable<string | undefined>

type Writers = ReadonlyMap<string, WriteItem>

function streamEvents(parts: StreamParts, writers: Writers): Streaming {
  const older = parts.conversion?.layer.events
  const withData = (
    event: object,
    name: string,
    data: string | undefined,
    context: RequestContext,
  ): object => {
    const renamed = older?.get(name)
    if (renamed !== undefined) context.altered?.(renamed.change)
    return { ...event, ...(data !== undefined && { data }), ...(renamed && { event: renamed.was }) }
  }
  const shape = (value: unknown, context: RequestContext): Awaitable<unknown> => {
    const { event, data } = Object(value)
    // nothing that listeners see, or no event, which is told by what writes events
    if ((event === undefined && data === undefined) || !(event === undefined || typeof event === 'string'))
      return value
    const name: string = event ?? UNNAMED
    const write = writers.get(name)
    if (write !== undefined) {
      const text = write(data, context)
      return isPromise(text)
        ? text.then((settled) => withData(Object(value), name, settled, context))
        : withData(Object(value), name, text, context)
    }
    if (parts.checking === false) return value
    return failInvalid(
      parts,
      `sent an event ${JSON.stringify(name)}, which its events do not declare`,
      context,
    )
  }
  return {
    shapeFor: (context) => (value) => shape(value, context),
    checkRaw: (data, context) => {
      const isShaped = isAsyncIterable(data) && 'shape' in data && data.shape !== undefined
      if (!isShaped) failRaw(parts, data, context)
    },
    toBody: (data, _headers, context) => failOther(parts, data, context),
  }
}

function streamItems(parts: StreamParts, writers: Writers): Streaming {
  const write = writers.get(UNNAMED)
  return {
    shapeFor: () => undefined,
    checkRaw: (data, context) => failRaw(parts, data, context),
    toBody: (data, headers, context) => {
      if (write === undefined || !isItems(data)) return failOther(parts, data, context)
      headers['content-type'] ??= 'application/x-ndjson'
      return itemLines(data, (item) => write(item, context))
    },
  }
}

type Items = BodyStream | Iterable<unknown>

function isItems(data: unknown): data is Items {
  return isAsyncIterable(data) || (isObject(data) && !(data instanceof Uint8Array) && Symbol.iterator in data)
}

/** Refuses streams that are sent unconverted. Without checks only in older versions, whose clients do not know the newest shape. */
function failRaw(parts: StreamParts, data: unknown, context: RequestContext): void {
  const layer = parts.conversion?.layer
  const isConverted = layer !== undefined && layer.items.size + layer.events.size > 0
  if (parts.checking !== false || isConverted) failOther(parts, data, context)
}

function failOther(parts: StreamParts, data: unknown, context: RequestContext): never {
  if (isAsyncIterable(data)) dropBody(data)
  const { kind } = parts.stream
  const fix = kind === 'events' ? 'return sse(…)' : 'return an iterable of items'
  return failInvalid(parts, `returned ${describeValue(data)}, and it declares ${kind}: ${fix}`, context)
}

/** Creates the function that writes what is declared under a name. */
function toWrite(name: string, schema: Schema, parts: StreamParts): WriteItem {
  const { checking, conversion, stream } = parts
  const body = conversion?.layer.items.get(name)
  const isString = stream.kind === 'events' && isTextSchema(body?.schema ?? schema)
  const formatData = (data: unknown, context: RequestContext): Awaitable<string | undefined> =>
    conversion === undefined || body === undefined
      ? formatItem(data, isString)
      : andThen(convertBody(conversion, body, data, context), (converted) => formatItem(converted, isString))
  if (checking === false) return formatData
  const parser = createParser(schema, checking === 'strict')
  const writeNow = toWriteNow(parser, body)
  const valueOf = createValueOf(
    stream.kind === 'items' ? 'an item' : `an event ${JSON.stringify(name)}`,
    parts,
  )
  return (data, context) => {
    const text = isObject(data) ? writeNow(data, context) : undefined
    if (text !== undefined) return text
    const parsed = parser.parse(data)
    return isPromise(parsed)
      ? parsed.then((settled) => formatData(valueOf(settled, context), context))
      : formatData(valueOf(parsed, context), context)
  }
}

/** Creates the function that returns valid items and refuses others. */
function createValueOf(
  what: string,
  parts: StreamParts,
): (parsed: Parsed, context: RequestContext) => unknown {
  const { kind } = parts.stream
  return (parsed, context) => {
    if ('value' in parsed) return parsed.value
    const reason =
      'undeclared' in parsed
        ? `with ${parsed.undeclared}, which its ${kind} do not declare`
        : `that its ${kind} do not allow: ${formatIssues(parsed.issues)}`
    return failInvalid(parts, `sent ${what} ${reason}`, context)
  }
}

/** Creates the function that writes an object in one pass; it returns `undefined` for what has to be parsed. */
function toWriteNow(
  parser: ResultParser,
  { schema, toOlder, isParsedFirst }: Partial<BodyLayer> = {},
): (data: object, context: RequestContext) => string | undefined {
  if (schema === undefined || toOlder === undefined) return (data) => parser.write(data)
  const shaper = createParser(schema, false)
  if (isParsedFirst === true) return () => undefined
  return (data, context) => {
    let converted
    try {
      converted = toOlder(data, context)
    } catch {
      // what is wrong fails in functions of changes too
      return undefined
    }
    return isObject(converted) ? shaper.write(converted) : undefined
  }
}

/** The text of data. Text that its schema says is nothing else is sent as it stands, the rest as JSON. */
function formatItem(data: unknown, isString: boolean): string | undefined {
  if (data === undefined || (isString && typeof data === 'string')) return data
  return toJsonText(data, true)
}

/** How much text of a list is sent at once, in characters. */
const CHUNK = 16_384

const DONE = { done: true, value: undefined } as const

/** One line of JSON for each item. The source is asked for an item when the line before it was taken. */
function itemLines(items: Items, shape: Shape): BodyStream {
  let source: ItemLines | undefined
  const lines: AsyncIterableIterator<string, undefined> = {
    [Symbol.asyncIterator]: () => lines,
    next: async () => {
      source ??= isAsyncIterable(items) ? streamedItems(items, shape) : listItems(items, shape)
      const value = await source.next()
      return value === undefined ? DONE : { done: false, value }
    },
    return: async () => {
      if (source !== undefined) source.cancel()
      else if (isAsyncIterable(items)) dropBody(items)
      return DONE
    },
  }
  return lines
}

/** The text of items. */
interface ItemLines {
  readonly next: () => Promise<string | undefined>
  readonly cancel: () => void
}

/** Each item when it comes. */
function streamedItems(items: BodyStream, shape: Shape): ItemLines {
  const source = openStream(items)
  return {
    next: async () => {
      const { done, value } = await source.next()
      return done === true ? undefined : `${String(await shape(value))}\n`
    },
    cancel: source.cancel,
  }
}

/** Items that are written at once if that takes time, so that changes load data for all of them with one call. */
const SIDE_BY_SIDE = 100

/** As many as fit into a chunk: those of a list are there already. */
function listItems(items: Iterable<unknown>, shape: Shape): ItemLines {
  const source = items[Symbol.iterator]()
  const sideBySide = async (first: PromiseLike<unknown>): Promise<string> => {
    const lines = [first]
    try {
      while (lines.length < SIDE_BY_SIDE) {
        const { done, value } = source.next()
        if (done === true) break
        lines.push(Promise.resolve(shape(value)))
      }
    } catch (error) {
      // those before it may fail too
      for (const line of lines) ignoreRejection(line)
      throw error
    }
    const written = await Promise.all(lines)
    return written.map((line) => `${String(line)}\n`).join('')
  }
  return {
    next: async () => {
      let text = ''
      while (text.length < CHUNK) {
        const { done, value } = source.next()
        if (done === true) break
        const line = shape(value)
        text += isPromise(line) ? await sideBySide(line) : `${String(line)}\n`
      }
      return text === '' ? undefined : text
    },
    cancel: () => ignoreFailure(() => source.return?.()),
  }
}
