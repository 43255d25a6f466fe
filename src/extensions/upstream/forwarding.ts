import { after, isPromise } from '../../base/values.ts'
import { FORWARDED } from '../../define/forward.ts'
import { rawReply, reply } from '../../define/reply.ts'
import { HttpError } from '../../http/errors.ts'
import { FINISHED } from '../../http/http.ts'
import { findResponse, STREAM_STATUS } from '../../schema/schema.ts'
import { SOURCES, type SourceName } from '../../schema/sources.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { logUnknown } from '../../server/pipeline/failure.ts'
import type { Forwarding, ForwardSettings } from '../../server/pipeline/forward.ts'
import { finish, isBodyless } from '../../server/pipeline/response-head.ts'
import { toOwnAddress } from './addresses.ts'
import { BodyStream } from './body-stream.ts'
import {
  toCallRequest,
  toConvertedRequest,
  toDropped,
  toPassedRequest,
  type RequestPlan,
} from './requests.ts'
import type { ForwardInput } from './request-bodies.ts'
import { isJson, readData, readStream } from './results.ts'
import type { UpstreamSettings } from './options.ts'
import { toResponseHeaders } from './response-headers.ts'
import { toRunning, type RunningUpstream } from './running.ts'
import { AS_IT_IS, type IncomingResponse, type OutgoingRequest, type Receiver } from './transport.ts'
import { upgradeBoth } from './upgrading.ts'

/** Sources of one body, which is read once. */
const OF_FORM: readonly SourceName[] = ['form', 'files']

/** Creates what forwards the requests of routes to an upstream. */
export function createForwarding(settings: UpstreamSettings): Forwarding {
  return {
    toServed: (route, app) => {
      const plan = toPlan(route, settings, app)
      const { sources, isConverted } = plan
      const toRequest = isConverted ? toConvertedRequest : toPassedRequest
      return {
        ...route,
        sources,
        handler: (input: ForwardInput, context: RequestContext) => {
          const running = toRunning(Reflect.get(input.inject, FORWARDED), settings)
          return forward(plan, running, toRequest(plan, input, context), context)
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

/** How requests of a route in one version are forwarded. */
interface ForwardPlan extends RequestPlan {
  readonly isConverted: boolean
  /** Whether the data of a response is parsed. */
  readonly isRead: (status: number) => boolean
  readonly isStreamRead: boolean
  /** Whether an older version may have another error than this status, though no result is converted. */
  readonly isError: (status: number) => boolean
  /** Whether something around the handler looks at results. */
  readonly isWatched: boolean
}

function toPlan(
  route: ResolvedRoute,
  settings: UpstreamSettings,
  { trustProxy }: ForwardSettings,
): ForwardPlan {
  const { newest = route, migration } = route
  const validates = route.validate ?? settings.validate
  const altered = (name: SourceName): boolean => validates || migration?.isAltered(name) === true
  const readsForm = OF_FORM.some(altered)
  const isParsed = (name: SourceName): boolean => altered(name) || (readsForm && OF_FORM.includes(name))
  const sources = route.sources.filter(({ name }) => isParsed(name))
  const isDeclared = (status: number): boolean =>
    validates ? findResponse(newest.responses, status) !== undefined : migration?.isConverted(status) === true
  // what a schema without a status says of other statuses, the API behind does not know
  const isRead = (status: number): boolean => (status < 300 || !newest.isOneResponse) && isDeclared(status)
  const hasErrors = migration?.problemBefore !== undefined
  const isMoved = route.pattern.text !== newest.pattern.text || isParsed('params')
  const isStreamRead = newest.stream !== undefined && (validates || migration?.stream !== undefined)
  // what is validated and not altered is sent as it came
  const isAltered: RequestPlan['isAltered'] = (name) => migration?.isAltered(name) === true
  const isReading =
    isStreamRead || hasErrors || (newest.responses.size > 0 && (validates || readsAny(newest, isRead)))
  return {
    route,
    newest,
    sources,
    isMoved,
    isAltered,
    isConverted: isMoved || SOURCES.some(isAltered),
    isReading,
    dropped: toDropped({ sources, isAltered, isReading }),
    isRead,
    isError: (status) => hasErrors && status >= 400,
    isStreamRead,
    isWatched: route.layers.interceptors.length > 0,
    settings,
    headers: { keepsHost: settings.keepsHost, isTrusting: trustProxy !== false && trustProxy !== 0 },
  }
}

function readsAny({ responses, status }: ResolvedRoute, isRead: (status: number) => boolean): boolean {
  return (
    isRead(status) || [...responses.keys()].some((key) => isRead(Number.isInteger(key) ? Number(key) : 400))
  )
}

function forward(
  plan: ForwardPlan,
  running: RunningUpstream,
  request: OutgoingRequest | Promise<OutgoingRequest>,
  context: RequestContext,
): Promise<unknown> {
  const forwarded = new Forwarded(plan, running, context)
  if (request instanceof Promise) return request.then((outgoing) => forwarded.send(outgoing))
  return forwarded.send(request)
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
      const answer = toAnswer(this.#plan, this.#running, response, this.#context)
      return isPromise(answer) ? answer.then(undefined, this.#rethrow) : answer
    } catch (error) {
      throw this.fail(error)
    }
  }

  // a getter, because few requests fail
  get #rethrow() {
    return (error: unknown): never => {
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

/** Returns the answer that a client gets of a response. */
function toAnswer(
  plan: ForwardPlan,
  running: RunningUpstream,
  response: IncomingResponse,
  context: RequestContext,
): unknown {
  const { status } = response
  const hasBody = context.method !== 'HEAD' && !isBodyless(status)
  const isRead = plan.isRead(status)
  const isStream = plan.isStreamRead && status === STREAM_STATUS && hasBody
  const isData = hasBody && !isStream && (isRead || plan.isError(status)) && isJson(response)
  const headers = toResponseHeaders(
    response.headers,
    (address) =>
      toOwnAddress(
        context,
        { appPrefix: plan.route.prefix, prefix: plan.settings.prefix, origins: running.origins },
        address,
      ),
    isStream || isData || (!hasBody && isRead),
  )
  if (isStream) return readStream(plan.newest, response, plan.settings, headers)
  if (isData)
    return after(readData(response, plan.settings), (data) =>
      isRead ? reply(status, data, { headers }) : finish(status, headers, JSON.stringify(data)),
    )
  return toResult(plan, response, headers, context)
}

/** The response as it came. */
function toResult(
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
  else if (body === null && context.method !== 'HEAD' && !isBodyless(status)) headers['content-length'] = '0'
  if (plan.isWatched && plan.route.migration?.isConverted(status) !== true)
    return rawReply(status, body ?? undefined, { headers })
  return { [FINISHED]: true, status, headers, body }
}
