import { loadDecoding } from '../../server/request/request.ts'
import { andThen, isPromise, type Awaitable } from '../../base/values.ts'
import { LineSplitter } from '../../base/lines.ts'
import { FORWARDED } from '../../define/context.ts'
import { rawReply, reply } from '../../define/reply.ts'
import { HttpError } from '../../http/errors.ts'
import { FINISHED, isJsonType, type BodyStream as WaitingBody } from '../../http/http.ts'
import { findResponse, STREAM_STATUS, unwrap } from '../../schema/schema.ts'
import { SOURCES, type SourceName } from '../../schema/sources.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { logUnknown } from '../../server/pipeline/failure.ts'
import type { Forwarding, ForwardSettings } from '../../server/pipeline/endpoint.ts'
import { isBodyless } from '../../server/pipeline/framing.ts'
import { finish, type ResponseHeaders } from '../../server/pipeline/response-head.ts'
import { noteOutcome } from '../../http/outcome.ts'
import { comparesInput } from '../idempotency/routes.ts'
import { toOwnAddress } from './addresses.ts'
import { BodyStream } from './body-stream.ts'
import {
  toCallRequest,
  toConvertedRequest,
  toDropped,
  toPassedRequest,
  type RequestPlan,
  type ForwardInput,
} from './requests.ts'
import { hasInexactNumber } from './exact-numbers.ts'
import { toDeclaredNames } from './passed-names.ts'
import {
  AS_IT_IS,
  type UpstreamSettings,
  type IncomingResponse,
  type OutgoingRequest,
  type Receiver,
} from './options.ts'
import { toResponseHeaders } from './response-headers.ts'
import { toRunning, type RunningUpstream } from './running.ts'
import { upgradeBoth } from './upgrading.ts'
import { createEventParser } from '../../client/event-parser.ts'
import { collectChunks, decodeText } from '../../server/request/body.ts'
import { sse } from '../../server/response/sse.ts'
import { invalidResponse } from './failures.ts'

/** Sources of one body, which is read once. */
const OF_FORM: readonly SourceName[] = ['form', 'files']

/** Creates what forwards the requests of routes to an upstream. */
export function createForwarding(settings: UpstreamSettings): Forwarding {
  return {
    toServed: (route, app) => {
      const plan = toForwardPlan(route, settings, app)
      const { sources, isConverted } = plan
      const toRequest = isConverted ? toConvertedRequest : toPassedRequest
      return {
        ...route,
        // what passes in one version is neither checked nor cut in another one
        ...(route.validateResponses === undefined && !(route.validate ?? settings.validate)
          ? { validateResponses: false }
          : {}),
        sources,
        handler: (input: ForwardInput, context: RequestContext) => {
          const running = toRunning(Reflect.get(input.inject, FORWARDED), settings)
          const request = toRequest(plan, input, context)
          const forwarded = new Forwarded(plan, running, context)
          if (request instanceof Promise) return request.then((outgoing) => forwarded.send(outgoing))
          return forwarded.send(request)
        },
      }
    },
    toCalled: (route) => ({
      ...route,
      handler: async (input: ForwardInput, context: RequestContext) => {
        const running = toRunning(Reflect.get(input.inject, FORWARDED), settings)
        const response = await running.transport.send(
          toCallRequest(route, settings, input, context),
          context,
          AS_IT_IS,
        )
        const data = await readData(response, settings)
        return reply(response.status, data)
      },
    }),
  }
}

/** The sources by which requests with one idempotency key are compared, in the newest version, beside parameters of the path. */
const COMPARED: readonly SourceName[] = ['query', 'body', 'form']

/** How requests of a route in one version are forwarded. */
export interface ForwardPlan extends RequestPlan {
  readonly isConverted: boolean
  /** Whether the data of a response is parsed. */
  readonly isRead: (status: number) => boolean
  readonly isStreamRead: boolean
  /** Whether an older version may have another error than this status, though no result is converted. */
  readonly isError: (status: number) => boolean
  /** Whether something around the handler looks at results. */
  readonly isWatched: boolean
}

export function toForwardPlan(
  route: ResolvedRoute,
  settings: UpstreamSettings,
  { trustProxy }: ForwardSettings,
): ForwardPlan {
  const { newest = route, layer } = route
  const validates = route.validate ?? settings.validate
  const compared = route.validate !== false && comparesInput(route) ? COMPARED : []
  // what is validated and not altered is sent as it came
  const isAltered: RequestPlan['isAltered'] = (name) => layer?.sources.has(name) === true
  const altered = (name: SourceName): boolean => validates || compared.includes(name) || isAltered(name)
  const readsForm = OF_FORM.some(altered)
  const isParsed = (name: SourceName): boolean => altered(name) || (readsForm && OF_FORM.includes(name))
  const sources = route.sources.flatMap((source) => {
    if (!isParsed(source.name)) return []
    // a body passes whole in one version, so it does in another one
    return source.name === 'body' && !validates ? { ...source, isWhole: true } : source
  })
  const isDeclared = (status: number): boolean =>
    validates ? findResponse(newest.responses, status) !== undefined : convertsResponse(route, status)
  // what a schema without a status says of other statuses, the API behind does not know
  const isRead = (status: number): boolean => (status < 300 || !newest.isOneResponse) && isDeclared(status)
  const hasErrors = layer?.problem !== undefined
  const isMoved = route.pattern.text !== newest.pattern.text || isParsed('params')
  const isStreamRead = newest.stream !== undefined && (validates || route.stream !== newest.stream)
  const names = toDeclaredNames(route.sources, newest.sources, altered)
  const isReading =
    isStreamRead || hasErrors || (newest.responses.size > 0 && (validates || readsAny(newest, isRead)))
  return {
    route,
    newest,
    sources,
    isMoved,
    isAltered,
    isConverted: isMoved || SOURCES.some(isAltered),
    names,
    isReading,
    dropped: toDropped(names, isReading, settings.place),
    isRead,
    isError: (status) => hasErrors && status >= 400,
    isStreamRead,
    isWatched: route.layers.interceptors.length > 0,
    settings,
    headers: toHeaderSettings(settings, trustProxy, names),
  }
}

function convertsResponse({ layer }: ResolvedRoute, status: number): boolean {
  const body = layer?.response(status)
  return body !== undefined && (body.toOlder !== undefined || body.isSeen)
}

function toHeaderSettings(
  { keepsHost }: UpstreamSettings,
  trust: ForwardSettings['trustProxy'],
  names: RequestPlan['names'],
): RequestPlan['headers'] {
  return { keepsHost, trust, declared: names.get('headers')?.all ?? new Set() }
}

function readsAny({ responses, status }: ResolvedRoute, isRead: (status: number) => boolean): boolean {
  return (
    isRead(status) || [...responses.keys()].some((key) => isRead(Number.isInteger(key) ? Number(key) : 400))
  )
}

/** A request that is forwarded. A class because one is made for every request. */
class Forwarded implements Receiver<unknown> {
  readonly #plan: ForwardPlan
  readonly #running: RunningUpstream
  readonly #context: RequestContext

  constructor(plan: ForwardPlan, running: RunningUpstream, context: RequestContext) {
    this.#plan = plan
    this.#running = running
    this.#context = context
  }

  send(request: OutgoingRequest): Promise<unknown> {
    const { handOver } = this.#context
    return handOver === undefined
      ? this.#running.transport.send(request, this.#context, this)
      : this.#upgrade(request)
  }

  #upgrade(request: OutgoingRequest): Promise<unknown> {
    return upgradeBoth(this.#running, request, this.#context).then(
      (response) => (FINISHED in response ? response : this.take(response)),
      this.#rethrow,
    )
  }

  take(response: IncomingResponse): unknown {
    try {
      const answer = toForwardedAnswer(this.#plan, this.#running, response, this.#context)
      return isPromise(answer) ? answer.then(undefined, this.#rethrow) : answer
    } catch (error) {
      noteOutcome(error, true)
      throw this.fail(error)
    }
  }

  // a getter, because few requests fail
  get #rethrow() {
    return (error: unknown): never => {
      noteOutcome(error, true)
      throw this.fail(error)
    }
  }

  fail(error: unknown): unknown {
    if (error instanceof HttpError && OWN_CODES.has(error.code)) logUnknown(this.#context, error)
    return error
  }
}

/** The errors whose reason is for the log alone. */
const OWN_CODES: ReadonlySet<string | undefined> = new Set([
  'upstream_invalid',
  'upstream_unreachable',
  'upstream_timeout',
])

export function toForwardedAnswer(
  plan: ForwardPlan,
  running: Pick<RunningUpstream, 'hosts'>,
  response: IncomingResponse,
  context: RequestContext,
): unknown {
  const { status } = response
  const hasBody = context.method !== 'HEAD' && !isBodyless(status)
  const isRead = plan.isRead(status)
  const isStream = plan.isStreamRead && status === STREAM_STATUS && hasBody
  const type = response.headers['content-type']
  const isJson = typeof type === 'string' && isJsonType(type)
  const isData = isJson && hasBody && !isStream && (isRead || plan.isError(status))
  const headers = toResponseHeaders(
    response.headers,
    (address) =>
      toOwnAddress(
        context,
        {
          appPrefix: plan.route.prefix,
          prefix: plan.settings.place === 'host' ? plan.route.prefix : plan.settings.prefix,
          hosts: running.hosts,
        },
        address,
      ),
    isStream || isData || (!hasBody && isRead),
  )
  if (isStream) return readStream(plan.newest, response, plan.settings, headers)
  if (isData)
    return andThen(readData(response, plan.settings), (data) =>
      isRead ? reply(status, data, { headers }) : finish(status, headers, JSON.stringify(data)),
    )
  return toForwardedResult(plan, response, headers, context)
}

/** The response as it came. */
function toForwardedResult(
  plan: ForwardPlan,
  { status, body: given }: IncomingResponse,
  headers: Record<string, string | string[]>,
  context: RequestContext,
): unknown {
  let body = given
  if (body instanceof BodyStream) {
    const stream = body
    const whole = stream.takeWhole()
    if (whole === undefined) context.atEnd(() => stream.destroy())
    else body = whole
  }
  if (body instanceof Uint8Array) headers['content-length'] = String(body.length)
  if (plan.isWatched && !convertsResponse(plan.route, status))
    return rawReply(status, body ?? undefined, { headers })
  return { [FINISHED]: true, status, headers, body }
}

/**
 * The data of a JSON response, `undefined` for no body. At once if all of it is there.
 *
 * @throws `HttpError` 502 for what is too long, not in its coding or not JSON.
 */
function readData({ headers, body }: IncomingResponse, settings: UpstreamSettings): Awaitable<unknown> {
  if (body === null) return undefined
  const { name, responseLimit } = settings
  const coding = contentCodingOf(headers)
  if (body instanceof Uint8Array && coding === undefined) return parseBytes(body, settings)
  return collectChunks(responseContentOf(body, coding, name, responseLimit)).then((bytes) =>
    parseBytes(bytes, settings),
  )
}

function parseBytes(bytes: Uint8Array, { name, responseLimit }: UpstreamSettings): unknown {
  if (bytes.length > responseLimit) throw tooLong(name, responseLimit)
  return bytes.length === 0 ? undefined : parseUpstreamJson(decodeText(bytes), name, 'Its response is')
}

function tooLong(name: string, limit: number): Error {
  return invalidResponse(
    name,
    new Error(`Its response is longer than ${limit} bytes, which is responseLimit`),
  )
}

function contentCodingOf({ 'content-encoding': given }: IncomingResponse['headers']): string | undefined {
  if (given === undefined) return undefined
  const coding = [given].flat().join(', ').trim().toLowerCase()
  return coding === '' || coding === 'identity' ? undefined : coding
}

/**
 * The content of a body.
 *
 * @yields its chunks, without content coding
 */
async function* responseContentOf(
  body: Uint8Array | WaitingBody,
  coding: string | undefined,
  name: string,
  limit: number,
): AsyncGenerator<Uint8Array> {
  const bytes = limitedBody(body, name, limit)
  if (coding === undefined) return yield* bytes
  const { decodeContent } = await loadDecoding()
  try {
    yield* decodeContent(bytes, coding, limit)
  } catch (error) {
    throw invalidResponse(name, error)
  }
}

async function* limitedBody(
  body: Uint8Array | WaitingBody,
  name: string,
  limit: number,
): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) return yield body
  let size = 0
  for await (const chunk of body) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    size += bytes.length
    if (size > limit) throw tooLong(name, limit)
    yield bytes
  }
}

/** Reads the events or items of a response, as the handler of a route returns them. */
function readStream(
  { stream }: Pick<ResolvedRoute, 'stream'>,
  { headers, body }: IncomingResponse,
  { name, responseLimit }: UpstreamSettings,
  own: ResponseHeaders,
): unknown {
  const chunks =
    body === null ? [] : responseContentOf(body, contentCodingOf(headers), name, Number.MAX_SAFE_INTEGER)
  const texts = decodeChunks(chunks)
  if (stream?.kind !== 'events') return toStreamItems(toNdjsonLines(texts, name, responseLimit), name)
  const isText = (event: string): boolean => {
    const schema = stream.schemas.get(event)
    return schema !== undefined && unwrap(schema)?.type === 'string'
  }
  return sse(toEvents(texts, isText, name, responseLimit), { headers: own })
}

async function* decodeChunks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
}

/**
 * The events of a stream.
 *
 * @yields each event, its data parsed unless it is declared as text
 */
async function* toEvents(
  texts: AsyncIterable<string>,
  isText: (event: string) => boolean,
  name: string,
  limit: number,
): AsyncGenerator<{ event?: string; id?: string; data: unknown }> {
  const parse = createEventParser({ id: '', retry: 0 })
  let pending = 0
  for await (const text of texts) {
    pending += text.length
    if (pending > limit) throw tooLong(name, limit)
    for (const { event, data, id } of parse(text)) {
      pending = 0
      const value = isText(event) ? data : parseUpstreamJson(data, name, OF_STREAM)
      yield { ...(event !== 'message' && { event }), ...(id !== '' && { id }), data: value }
    }
  }
}

async function* toNdjsonLines(
  texts: AsyncIterable<string>,
  name: string,
  limit: number,
): AsyncGenerator<string> {
  const splitter = new LineSplitter()
  for await (const text of texts) {
    yield* splitter.add(text)
    if (splitter.rest.length > limit) throw tooLong(name, limit)
  }
  yield splitter.rest
}

async function* toStreamItems(lines: AsyncIterable<string>, name: string): AsyncGenerator {
  for await (const line of lines) if (line.trim() !== '') yield parseUpstreamJson(line, name, OF_STREAM)
}

const OF_STREAM = 'Its stream has something that is'

/** @throws `HttpError` 502 for a text that cannot be written anew without a difference. */
function parseUpstreamJson(text: string, name: string, subject: string): unknown {
  if (hasInexactNumber(text))
    throw invalidResponse(
      name,
      new Error(`${subject} JSON with an integer beyond 2^53, which a double cannot hold`),
    )
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalidResponse(name, new Error(`${subject} not JSON`, { cause: error }))
  }
}
