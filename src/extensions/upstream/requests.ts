import { CONTENT_DIGESTS, headerName, type HostRequest } from '../../http/http.ts'
import { ValidationError, type ValidationIssue } from '../../http/errors.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import type { DeclaredSource, SourceName } from '../../schema/sources.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { decodeText } from '../../server/request/body.ts'
import { refuseDots } from '../../server/request/dot-segments.ts'
import { isPeerTrusted } from '../../server/request/trust.ts'
import { toSearchParams } from '../../server/request/query.ts'
import { fillPath } from '../../server/routing/table/url-for.ts'
import { toUpstreamPath, toUpstreamQuery } from './addresses.ts'
import { hasInexactNumber } from './exact-numbers.ts'
import { toDeclaredNames, toPassedCookies, toPassedQuery, type DeclaredNamesOf } from './passed-names.ts'
import {
  DROPPED,
  isOfProxies,
  OF_TRANSPORT,
  OVERRIDES,
  replaceConditions,
  toRequestHeaders,
  type HeaderSettings,
} from './request-headers.ts'
import type { OutgoingRequest, UpstreamPlace, UpstreamSettings } from './options.ts'
import { openLong, SMALL } from './request-body.ts'
import { isMultipart } from '../../server/request/uploads.ts'

/** How requests of a route in one version are written for the API behind. */
export interface RequestPlan {
  readonly route: ResolvedRoute
  readonly newest: ResolvedRoute
  /** The sources that are parsed, as the version declares them. */
  readonly sources: readonly DeclaredSource[]
  /** Headers that are not passed: those of the connection, of reading, and the ones that converted ones replace. */
  readonly dropped: ReadonlySet<string>
  /** Whether the path is written from its parameters. */
  readonly isMoved: boolean
  readonly isAltered: (source: SourceName) => boolean
  /** The names of sources whose values are parsed. */
  readonly names: DeclaredNamesOf
  /** Whether bodies of responses are read, so that they have to be whole and in a known coding. */
  readonly isReading: boolean
  readonly settings: UpstreamSettings
  readonly headers: HeaderSettings
}

/** The request as it came, but for its address and the headers that end here. */
export function toPassedRequest(
  plan: RequestPlan,
  _input: ForwardInput,
  context: RequestContext,
): OutgoingRequest | Promise<OutgoingRequest> {
  const { route, settings } = plan
  const path = toUpstreamPath(context, { appPrefix: route.prefix, prefix: settings.prefix })
  const headers = requestHeadersOf(plan, context)
  addCookies(headers, plan, {}, context)
  return withRequestBody(plan, context, path + queryOf(plan, {}, context), headers)
}

/** The headers of a request, but for those that are converted. */
function requestHeadersOf(plan: RequestPlan, context: RequestContext): string[] {
  if (plan.settings.place !== 'url') return toHostHeaders(context, plan)
  const headers = toRequestHeaders(context, plan.headers, plan.dropped)
  if (plan.isReading && context.request.header('accept-encoding') !== undefined)
    headers.push('accept-encoding', KNOWN_CODINGS)
  return headers
}

/**
 * The headers of a request, but for those that are converted, for an application in this process. None of a gateway are added, because it knows
 * the connection of the client. One that listens itself also knows which proxies it trusts.
 */
function toHostHeaders(
  context: RequestContext,
  { dropped, isReading, settings, headers: { trust } }: RequestPlan,
): string[] {
  const isBehind = settings.place === 'app'
  const lines = isBehind ? ['x-request-id', context.requestId] : []
  const { headers, remoteAddress } = context.raw
  const isTrusting = !isBehind || isPeerTrusted(trust, remoteAddress)
  let hasCondition = false
  for (const name in headers) {
    if (dropped.has(name) || (!isTrusting && isOfProxies(name.replaceAll('_', '-')))) continue
    if (name.startsWith('if-')) hasCondition = true
    const value = headers[name]
    if (typeof value === 'string') lines.push(name, value)
    else if (value !== undefined) for (const line of value) lines.push(name, line)
  }
  if (hasCondition) replaceConditions(lines, context)
  const accepted = isReading ? context.request.header('accept-encoding') : undefined
  if (accepted !== undefined) lines.push('accept-encoding', withoutZstd(accepted))
  return lines
}

/** The codings of a request without one that Node 20 cannot undo. */
function withoutZstd(accepted: string): string {
  return accepted
    .split(',')
    .filter((coding) => !coding.trim().startsWith('zstd'))
    .join(',')
}

/** The path and the headers of a request as the newest version has them. */
function toConvertedHead(
  plan: RequestPlan,
  input: ForwardInput,
  context: RequestContext,
): Pick<OutgoingRequest, 'path' | 'headers'> {
  const ownPath = plan.isMoved
    ? writeNewestPath(plan.newest, input.params)
    : toUpstreamPath(context, { appPrefix: plan.route.prefix, prefix: '' })
  const { place, prefix } = plan.settings
  const below = place === 'host' ? plan.route.prefix : prefix
  const path = below + ownPath + queryOf(plan, Object(input.query), context)
  const headers = requestHeadersOf(plan, context)
  const declared = plan.names.get('headers')
  if (declared !== undefined) {
    const isMade = (name: string): boolean =>
      declared.all.has(name) && !(declared.unchanged.has(name) && hasHeader(headers, name))
    writeRequestHeaders(headers, input.headers, isMade)
  }
  addCookies(headers, plan, Object(input.cookies), context)
  return { path, headers }
}

/** The request of an older version as the newest one has it. */
export function toConvertedRequest(
  plan: RequestPlan,
  input: ForwardInput,
  context: RequestContext,
): OutgoingRequest | Promise<OutgoingRequest> {
  const { path, headers } = toConvertedHead(plan, input, context)
  if (!isBodyAltered(plan)) return withRequestBody(plan, context, path, headers)
  return withConvertedBody(plan, input, context, { path, headers })
}

function isBodyAltered({ isAltered }: RequestPlan): boolean {
  return isAltered('body') || isAltered('form') || isAltered('files')
}

async function withConvertedBody(
  plan: RequestPlan,
  input: ForwardInput,
  context: RequestContext,
  { path, headers }: Pick<OutgoingRequest, 'path' | 'headers'>,
): Promise<OutgoingRequest & { readonly body: Uint8Array | null }> {
  const { body, type } = await toEncodedBody(input, context)
  dropHeaders(headers, ['content-encoding', ...CONTENT_DIGESTS])
  if (type !== undefined) dropHeaders(headers, ['content-type'])
  if (type !== undefined) headers.push('content-type', type)
  return { method: upstreamMethodOf(plan, context), path, headers, body }
}

/** The request for the application that Octavo runs inside of, whose body is left alone unless it has to be another one. */
export async function toHostRequest(
  plan: RequestPlan,
  input: ForwardInput,
  context: RequestContext,
): Promise<HostRequest> {
  const { path, headers } = toConvertedHead(plan, input, context)
  if (isBodyAltered(plan)) return withConvertedBody(plan, input, context, { path, headers })
  const method = upstreamMethodOf(plan, context)
  const body = context.isBodyRead ? await context.request.bytes() : undefined
  return { method, path, headers, body }
}

export function toCallRequest(
  newest: ResolvedRoute,
  { prefix, keepsHost }: UpstreamSettings,
  { params, query, headers: given, cookies, body }: ForwardInput,
  context: RequestContext,
): OutgoingRequest {
  const search = toSearchParams(Object(query))
  const path = writeNewestPath(newest, params) + (search.size > 0 ? `?${search.toString()}` : '')
  const names = toDeclaredNames([], newest.sources, () => true)
  const dropped = new Set([...toDropped(names, false), ...OF_BODY])
  const headers = toRequestHeaders(context, { keepsHost, trust: false, declared: dropped }, dropped)
  writeRequestHeaders(headers, given, () => true)
  addCookies(headers, { names }, Object(cookies), context)
  const method = newest.methods[0] ?? 'GET'
  if (body === undefined) return { method, path: prefix + path, headers, body: null }
  headers.push('content-type', 'application/json')
  return { method, path: prefix + path, headers, body: Buffer.from(JSON.stringify(body)) }
}

const OF_BODY = [
  'content-type',
  'content-encoding',
  'content-language',
  'accept-encoding',
  'range',
  'if-range',
]

function withRequestBody(
  plan: RequestPlan,
  context: RequestContext,
  path: string,
  headers: string[],
): OutgoingRequest | Promise<OutgoingRequest> {
  const method = upstreamMethodOf(plan, context)
  if (context.raw.body.length === 0) return { method, path, headers, body: null }
  return openBody(context, plan, headers).then((body) => ({ method, path, headers, body }))
}

function upstreamMethodOf({ newest }: RequestPlan, { method }: RequestContext): string {
  return method === 'HEAD' || newest.methods.some((each) => each === method)
    ? method
    : (newest.methods[0] ?? method)
}

/** The path of the newest version, below the prefix of the application. */
function writeNewestPath(
  { name, pattern, prefix }: ResolvedRoute,
  params: Readonly<Record<string, unknown>>,
): string {
  const path = fillPath(name, pattern, ({ name: key, type }) => {
    const text = type.format(params[key])
    refuseDots(text)
    return text
  })
  return path.slice(prefix.length) || '/'
}

/** The query: names that a version declares as it was parsed, and others as they were sent. */
function queryOf({ names }: RequestPlan, values: object, context: RequestContext): string {
  const sent = toUpstreamQuery(context)
  const declared = names.get('query')
  return declared === undefined ? sent : toPassedQuery(sent, declared, values)
}

const KNOWN_CODINGS = 'gzip, deflate, br'

/** The headers of a route's requests that are not passed. */
export function toDropped(
  names: RequestPlan['names'],
  isReading: boolean,
  place: UpstreamPlace = 'url',
): ReadonlySet<string> {
  const { all = NO_NAMES, unchanged = NO_NAMES } = names.get('headers') ?? {}
  // a part of a body cannot be converted, and a coded body only in a coding that is known here
  const ofReading = isReading ? ['range', 'if-range', 'accept-encoding'] : []
  const changed = [...all].filter((name) => !unchanged.has(name))
  const overrides = OVERRIDES.filter((name) => !all.has(name))
  return new Set([
    ...(place === 'host' ? [] : [...(place === 'app' ? OF_TRANSPORT : DROPPED), ...overrides]),
    ...changed,
    ...ofReading,
    ...(names.has('cookies') ? ['cookie'] : []),
  ])
}

const NO_NAMES: ReadonlySet<string> = new Set()

function addCookies(
  lines: string[],
  { names }: Pick<RequestPlan, 'names'>,
  values: object,
  { request }: RequestContext,
): void {
  const declared = names.get('cookies')
  if (declared === undefined) return
  const text = toPassedCookies(request.header('cookie'), declared, values, toParameterText)
  if (text !== '') lines.push('cookie', text)
}

function writeRequestHeaders(lines: string[], given: unknown, isMade: (name: string) => boolean): void {
  for (const [field, value] of Object.entries(Object(given))) {
    const name = headerName(field)
    if (value === undefined || value === null || !isMade(name)) continue
    dropHeaders(lines, [name])
    for (const each of [value].flat()) lines.push(name, toParameterText(each))
  }
}

/** A value of a header or cookie as text. */
function toParameterText(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function hasHeader(lines: readonly string[], name: string): boolean {
  return lines.some((each, at) => at % 2 === 0 && each === name)
}

function dropHeaders(lines: string[], names: readonly string[]): void {
  for (let at = lines.length - 2; at >= 0; at -= 2) if (names.includes(lines[at] ?? '')) lines.splice(at, 2)
}

/** The input of a forwarded route's handler: the sources that were parsed, and the upstream. */
export interface ForwardInput extends Partial<Record<SourceName, unknown>> {
  readonly params: Readonly<Record<string, unknown>>
  readonly inject: object
}

/**
 * The body of a request as it came. A short one is read first, so that a client that sends it slowly takes no connection. A longer one is
 * sent as it arrives. `headers` get its length.
 */
async function openBody(
  context: RequestContext,
  { route: { bodyLimit: limit }, settings: { timeouts } }: RequestPlan,
  headers: string[],
): Promise<OutgoingRequest['body']> {
  const { raw } = context
  if (context.isBodyRead) {
    // its coding was undone
    if (hasHeader(headers, 'content-encoding')) dropHeaders(headers, ['content-encoding', ...CONTENT_DIGESTS])
    const bytes = await context.request.bytes()
    return bytes.length === 0 ? null : bytes
  }
  const { length } = raw.body
  const most = limit ?? Number.MAX_SAFE_INTEGER
  if (length !== undefined && length <= SMALL) {
    const bytes = raw.takeArrived?.(Math.min(SMALL, most))
    return bytes ?? raw.body.read(Math.min(SMALL, most))
  }
  if (length !== undefined) headers.push('content-length', String(length))
  return openLong(raw.body, most, timeouts.body)
}

/** A converted body, with its content type if that is another one. */
async function toEncodedBody(
  { body, form, files }: ForwardInput,
  { request }: RequestContext,
): Promise<{ readonly body: Uint8Array | null; readonly type?: string }> {
  if (form !== undefined || files !== undefined) {
    if (!isMultipart(request.header('content-type')))
      return { body: Buffer.from(toSearchParams(Object(form)).toString()) }
    const encoded = new Response(toUpstreamFormData(Object(form), Object(files)))
    const type = encoded.headers.get('content-type')
    return { body: new Uint8Array(await encoded.arrayBuffer()), ...(type !== null && { type }) }
  }
  if (body === undefined) return { body: null }
  if (body instanceof Uint8Array) return { body }
  const mediaType = request.header('content-type')
  const isJson = mediaType === undefined || /[/+]json\b/i.test(mediaType)
  if (!isJson && typeof body === 'string') return { body: Buffer.from(body) }
  if (hasInexactNumber(decodeText(await request.bytes()))) throw new ValidationError([INEXACT])
  return { body: Buffer.from(JSON.stringify(body)) }
}

const INEXACT: ValidationIssue = {
  in: 'body',
  path: [],
  code: 'inexact_number',
  message: 'It has an integer beyond 2^53 that cannot be passed on exactly',
}

function toUpstreamFormData(
  form: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, unknown>>,
): FormData {
  const data = new FormData()
  for (const [name, value] of toSearchParams(form)) data.append(name, value)
  for (const [name, given] of Object.entries(files))
    for (const file of [given].flat()) if (file instanceof Blob) data.append(name, file)
  return data
}
