import { isRecord, messageOf } from '../../base/values.ts'
import { toClientRequest } from '../../client/call-request.ts'
import { createEventParser } from '../../client/event-parser.ts'
import { LineSplitter } from '../../base/lines.ts'
import type { FetchHandler } from '../../server/adapters/fetch.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import type { ArgumentPlace } from './tool-input.ts'
import type { Tool } from './tools.ts'

/** A result of `tools/call`. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- the types of the protocol have an index signature, which no interface fits
export type ToolResult = {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
  readonly _meta?: Record<string, unknown>
}

/** The request of a client that calls a tool. */
export interface ToolCaller {
  readonly context: RequestContext
  readonly request: Request
  /** Aborted when the client goes, or cancels the call. */
  readonly signal: AbortSignal
  /** The program that calls, such as `claude-code/2.1`, if it says so. */
  readonly agent: string | undefined
  /** Reports an event or item to the client before the result. `undefined` if it did not ask. */
  readonly report: ((progress: number, message: string) => Promise<void>) | undefined
}

/** Headers of the call to the server of tools that are not those of the request to the route. */
const OWN_HEADERS =
  /^(?:accept|accept-encoding|proxy-.*|content-.*|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|if-.*|range|last-event-id|idempotency-key|mcp-.*)$/

/** The most bytes of a result that are read: more help no model. */
const MAX_RESULT = 4_194_304

/** Calls the route of a tool as a request of the client: with its credentials, its address and its signal. */
export async function callTool(
  fetch: FetchHandler,
  tool: Tool,
  values: Readonly<Record<string, unknown>>,
  caller: ToolCaller,
): Promise<ToolResult> {
  let request: Request
  try {
    request = toRequest(tool, values, caller)
  } catch (error) {
    // what has no text, and parameters that no path can have
    return toRefusal(error instanceof TypeError ? messageOf(error) : 'The arguments cannot be sent.')
  }
  const { context } = caller
  const info = { remoteAddress: context.raw.remoteAddress, within: context }
  return readResult(await fetch(request, info), tool, caller)
}

function toRequest(tool: Tool, values: Readonly<Record<string, unknown>>, caller: ToolCaller): Request {
  const { request: outer, signal, agent } = caller
  const places: Partial<Record<ArgumentPlace, Record<string, unknown>>> = {}
  let body: unknown
  for (const [argument, value] of Object.entries(values)) {
    const { place, name } = tool.arguments.get(argument) ?? {}
    if (place === undefined || name === undefined) continue
    if (place === 'body') body = value
    else (places[place] ??= {})[name] = value
  }
  const common = new Headers()
  for (const [name, value] of outer.headers) if (!OWN_HEADERS.test(name)) common.append(name, value)
  if (agent !== undefined) common.set('user-agent', agent)
  const { method, call, route } = tool
  const made = toClientRequest(
    route,
    call,
    new URL(new URL(outer.url).origin),
    { ...places, body, method },
    common,
  )
  return new Request(made.url, { method, headers: made.headers, body: made.body ?? null, signal })
}

async function readResult(response: Response, tool: Tool, caller: ToolCaller): Promise<ToolResult> {
  const isSuccess = response.status >= 200 && response.status < 300
  const isStream = isSuccess && (tool.kind === 'events' || tool.kind === 'items')
  const read = await readText(response, isStream ? createReport(tool.kind, caller) : undefined)
  if (read === undefined) return toRefusal(`The result is longer than ${MAX_RESULT} bytes: ask for less.`)
  const { text, values } = read
  const value = values ?? parse(text)
  return isSuccess ? toSuccess(text, value, tool) : toFailure(text, value, response.status)
}

function toSuccess(text: string, value: unknown, { isWrapped }: Tool): ToolResult {
  if (value === undefined) return { content: toContent('') }
  const structuredContent = isRecord(value) && !isWrapped ? value : { result: value }
  return { content: toContent(text === '' ? JSON.stringify(value) : text), structuredContent }
}

function toFailure(text: string, value: unknown, status: number): ToolResult {
  const content = toContent(text === '' ? `The route answered with ${status}.` : text)
  return { content, ...(isRecord(value) && { structuredContent: value }), isError: true }
}

function toContent(text: string): ToolResult['content'] {
  return [{ type: 'text', text }]
}

/** A call that the route never got, as a problem that tells a model what to mend. */
export function toRefusal(detail: string): ToolResult {
  const problem = { type: 'about:blank', title: 'Unprocessable Content', status: 422, detail }
  return { content: toContent(JSON.stringify(problem)), structuredContent: problem, isError: true }
}

/** Text that is no JSON is itself. */
function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

interface ReadText {
  readonly text: string
  /** The events or items of a stream. */
  readonly values: readonly unknown[] | undefined
}

/** Finds the events or items in the pieces of a text. */
type FindValues = (text: string) => readonly string[]

/** Reads a body, or returns `undefined` if it is too long. */
async function readText(
  { body }: Response,
  report: ((text: string | undefined) => Promise<readonly unknown[]>) | undefined,
): Promise<ReadText | undefined> {
  const values: unknown[] = []
  let text = ''
  let size = 0
  if (body !== null) {
    const decoder = new TextDecoder()
    for await (const chunk of body) {
      size += chunk.byteLength
      // leaving the loop cancels the body
      if (size > MAX_RESULT) return undefined
      const piece = decoder.decode(chunk, { stream: true })
      if (report === undefined) text += piece
      else values.push(...(await report(piece)))
    }
    // the last item may have no line end; an event without its end is none (HTML standard, section 9.2.6)
    if (report !== undefined) values.push(...(await report(undefined)))
  }
  return { text, values: report === undefined ? undefined : values }
}

/** Creates the function that tells the client of each event or item as it comes, and returns their values. */
function createReport(
  kind: Tool['kind'],
  { report }: ToolCaller,
): (text: string | undefined) => Promise<readonly unknown[]> {
  const find = kind === 'events' ? createFindEvents() : createFindItems()
  let count = 0
  return async (piece) => {
    const found = find(piece ?? (kind === 'items' ? '\n' : ''))
    for (const text of found) await report?.(++count, text)
    return found.map(parse)
  }
}

function createFindEvents(): FindValues {
  const parser = createEventParser({ id: '', retry: 0 })
  return (text) => parser(text).map(({ data }) => data)
}

function createFindItems(): FindValues {
  const splitter = new LineSplitter()
  return (text) => splitter.add(text).filter((line) => line.trim() !== '')
}
