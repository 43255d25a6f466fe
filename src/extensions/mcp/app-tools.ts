import type * as Protocol from '@modelcontextprotocol/server'
import type { Server, ServerContext } from '@modelcontextprotocol/server'

import { DefinitionError, type DefinitionProblem } from '../../base/definition-error.ts'
import { importInTurn, isNonEmptyString, isString, once, toRecord } from '../../base/values.ts'
import { followSignal } from '../../base/signals.ts'
import type { OpenApiDocument } from '../../openapi/document/types.ts'
import { internalsOf, type AppInternals } from '../../server/adapters/internals.ts'
import type { EdgeApp } from '../../server/app/edge-app.ts'
import { logError } from '../../server/logging/logger.ts'
import { failIfDeep } from '../../server/request/body.ts'
import type { VersionInfo } from '../../server/routing/report/versions.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { callTool, toRefusal, type ToolCaller, type ToolResult } from './call-tool.ts'
import { toIsChosen, type McpOptions } from './options.ts'
import { toTools, type Tool, type ToolList } from './tools.ts'

/** The tools of an application. */
export interface AppTools {
  /** Creates the tools of the version that clients get by default. @throws `DefinitionError` if two have one name. */
  readonly open: (app: object) => Promise<void>
  /** Answers a request to the server of tools. */
  readonly answer: (request: Request, context: RequestContext) => Promise<Response>
}

type Sdk = typeof Protocol

/** Where tools, calls and results have their version. */
const VERSION_KEY = 'octavo/version'

/** How many tools a page of the list has. */
const PAGE = 500

/** Creates the tools of an application. @throws `DefinitionError` without the package of the protocol. */
export async function createAppTools(options: McpOptions): Promise<AppTools> {
  const sdk = await loadSdk()
  let opened: AppVersions | undefined
  return {
    open: async (app) => {
      // an application passes itself
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      opened ??= new AppVersions(app as EdgeApp, options, sdk)
      await opened.check()
    },
    answer: async (request, context) => {
      // the application opens its tools before it answers anything
      if (opened === undefined) throw new Error('mcp: the application has not started')
      return answer(sdk, opened, options, request, context)
    },
  }
}

const loadSdk = /* @__PURE__ */ once(async (): Promise<Sdk> => {
  try {
    return await importInTurn(() => import('@modelcontextprotocol/server'))
  } catch (cause) {
    throw new DefinitionError(
      [
        {
          code: 'missing_package',
          where: 'mcp',
          message:
            'the protocol is spoken by @modelcontextprotocol/server, and this package cannot be loaded',
          fix: 'run "npm install @modelcontextprotocol/server"',
        },
      ],
      { cause },
    )
  }
})

/** The tools of a version, while its document is true. */
interface KeptTools extends ToolList {
  readonly document: OpenApiDocument
  readonly host: string
  /** Returns the mistake in the arguments of a tool, `undefined` if they fit. */
  readonly misfit: (tool: Tool, values: unknown) => Promise<string | undefined>
}

/** The tools of an application by version. A class because it keeps them while the application runs. */
class AppVersions {
  readonly app: EdgeApp
  readonly internals: AppInternals
  readonly #kept = new Map<string | null, KeptTools>()
  readonly #isChosen: ReturnType<typeof toIsChosen>
  readonly #sdk: Sdk

  constructor(app: EdgeApp, options: McpOptions, sdk: Sdk) {
    this.app = app
    this.#sdk = sdk
    this.internals = internalsOf(app, 'mcp')
    this.#isChosen = toIsChosen(options)
  }

  async of(version: string | null, host: string): Promise<KeptTools> {
    const document = this.app.openapi(version === null ? {} : { version })
    const kept = this.#kept.get(version)
    if (kept?.document === document && kept.host === host) return kept
    const routes = await this.internals.routeMap(version ?? undefined, host)
    const made = {
      ...toTools(document, routes, this.#isChosen),
      document,
      host,
      misfit: this.#createMisfit(),
    }
    if (made.clashes.length > 0) throw new DefinitionError(made.clashes.map(toClash))
    this.#kept.set(version, made)
    return made
  }

  async check(): Promise<void> {
    await this.internals.prepare()
    const versions = this.app.versions()
    const version = versions.find(({ isDefault }) => isDefault)?.version ?? versions.at(-1)?.version ?? null
    const { leftOut } = await this.of(version, 'localhost')
    if (leftOut.length > 0) this.internals.log.warn({ leftOut }, 'Some operations cannot be tools of mcp')
  }

  #createMisfit(): KeptTools['misfit'] {
    const made = new Map<Tool, (values: unknown) => unknown>()
    return async (tool, values) => {
      let validate = made.get(tool)
      try {
        validate ??= this.#sdk.fromJsonSchema(tool.listed.inputSchema)['~standard'].validate
        made.set(tool, validate)
        const { issues: [issue] = [] } = Object(await validate(values))
        return issue === undefined ? undefined : String(Object(issue).message)
      } catch {
        // it cannot be compiled, such as one of models in 300 levels: the route validates
        return undefined
      }
    }
  }
}

function toClash([first, second]: readonly [string, string]): DefinitionProblem {
  return {
    code: 'invalid_option',
    where: 'mcp',
    message: `the tools of the operations ${first} and ${second} would have one name`,
    fix: 'give one of the routes an operationId of its own',
  }
}

/** Answers one request of the protocol, which has no sessions here. */
async function answer(
  sdk: Sdk,
  versions: AppVersions,
  options: McpOptions,
  request: Request,
  context: RequestContext,
): Promise<Response> {
  const { host } = new URL(request.url)
  const call = { versions, request, context, host, infos: versions.app.versions() }
  const handler = sdk.createMcpHandler(() => {
    const server = new sdk.Server(
      { name: options.name, version: context.version ?? '1' },
      {
        capabilities: { tools: {} },
        ...(options.instructions !== undefined && { instructions: options.instructions }),
        cacheHints: { 'tools/list': toCacheHint(call, options) },
      },
    )
    addHandlers(sdk, server, call, options)
    return server
  })
  if (request.method !== 'POST') return handler.fetch(request)
  // read here, so that a body beyond the limits is the 413 or the 400 of the application
  const { method, headers, signal, url } = request
  const body = await request.text()
  failIfDeep(body)
  return handler.fetch(new Request(url, { method, headers, signal, body }))
}

/** Lists end with the next sunset, and are of one client where guards decide about them. */
function toCacheHint(
  { versions: { internals }, infos }: McpCall,
  { ttl = 300_000, list, guards = [] }: McpOptions,
): { readonly ttlMs: number; readonly cacheScope: 'public' | 'private' } {
  const now = internals.versioning()?.common.clock() ?? Date.now()
  const ends = infos.flatMap(({ sunset }) => (sunset === undefined ? [] : Date.parse(sunset) - now))
  const isPrivate = list === 'allowed' || guards.length > 0
  return {
    ttlMs: Math.min(ttl, ...ends.filter((left) => left > 0)),
    cacheScope: isPrivate ? 'private' : 'public',
  }
}

/** A request to the server of tools. */
interface McpCall {
  readonly versions: AppVersions
  readonly request: Request
  readonly context: RequestContext
  readonly host: string
  /** The versions as they stand now. */
  readonly infos: readonly VersionInfo[]
}

function addHandlers(sdk: Sdk, server: Server, call: McpCall, { list = 'all' }: McpOptions): void {
  server.setRequestHandler('tools/list', async ({ params }) =>
    safely(sdk, call, async () => {
      const [version = null] = versionsFor(sdk, call, undefined)
      const { tools } = await call.versions.of(version, call.host)
      const shown = list === 'all' ? [...tools.values()] : await allowed(call, version, [...tools.values()])
      const from = toOffset(sdk, params?.cursor)
      const next = from + PAGE
      return {
        tools: shown
          .slice(from, next)
          .map(({ listed }) => ({ ...listed, _meta: { [VERSION_KEY]: version } })),
        ...(next < shown.length && { nextCursor: String(next) }),
      }
    }),
  )
  server.setRequestHandler('tools/call', async ({ params }, extra) =>
    safely(sdk, call, async () => {
      const wanted: unknown = params._meta?.[VERSION_KEY]
      const found = await findTool(
        sdk,
        call,
        params.name,
        params.arguments ?? {},
        isString(wanted) ? wanted : undefined,
      )
      if (found === undefined)
        throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'There is no tool of this name')
      return run(call, found, params.arguments ?? {}, extra)
    }),
  )
}

function toOffset(sdk: Sdk, cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'The cursor is none of this list')
}

/** Logs what is no mistake of the client, and tells it nothing of it. */
async function safely<T>(sdk: Sdk, { context }: McpCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    if (err instanceof sdk.ProtocolError) throw err
    logError(context, { err }, 'A tool failed')
    throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InternalError, 'Internal error')
  }
}

/**
 * The version of a request, then those before it that are served here, newest first; `null` without versioning.
 *
 * @throws `ProtocolError` for a version that has ended: results of another one would not be what its list promised.
 */
function versionsFor(
  sdk: Sdk,
  { context, infos }: McpCall,
  wanted: string | undefined,
): readonly (string | null)[] {
  if (infos.length === 0) return [null]
  const asked = infos.some(({ version }) => version === wanted) ? wanted : context.version
  const at = infos.findIndex(({ version }) => version === asked)
  const served = infos
    .slice(0, at < 0 ? infos.length : at + 1)
    .filter(
      ({ status, retired, elsewhere }) => elsewhere !== true && (status !== 'retired' || retired === 'serve'),
    )
    .map(({ version }) => version)
    .toReversed()
  if (at < 0 || served[0] === asked) return served
  throw new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    `Version ${asked} has ended here. List the tools of a newer version`,
  )
}

async function allowed(
  { versions, context }: McpCall,
  version: string | null,
  tools: readonly Tool[],
): Promise<readonly Tool[]> {
  const verdicts = await Promise.all(
    tools.map(async ({ route, method }) => {
      try {
        return await versions.internals.allows({ name: route, method, version }, context)
      } catch (err) {
        // a guard that fails would fail the call as well, and the other tools are of use
        logError(context, { err, route }, 'A guard failed, so its tool is not listed')
        return false
      }
    }),
  )
  return tools.filter((_, index) => verdicts[index])
}

interface FoundTool {
  readonly tool: Tool
  readonly version: string | null
  /** The mistake in the arguments, which fit no version. */
  readonly misfit?: string
}

/**
 * Finds the tool that a call means: that of the version asked for if the arguments fit, or else of the newest one before it that they fit, as
 * a client calls that has an older list.
 */
async function findTool(
  sdk: Sdk,
  call: McpCall,
  name: string,
  values: unknown,
  wanted: string | undefined,
): Promise<FoundTool | undefined> {
  let first: FoundTool | undefined
  for (const version of versionsFor(sdk, call, wanted)) {
    const { tools, misfit } = await call.versions.of(version, call.host)
    const tool = tools.get(name)
    if (tool === undefined) continue
    const wrong = await misfit(tool, values)
    if (wrong === undefined) return { tool, version }
    first ??= { tool, version, misfit: wrong }
  }
  return first
}

/**
 * Calls a tool. The route refuses arguments that do not fit in its own words, unless it has no place for these arguments or its path cannot
 * have them.
 */
async function run(
  call: McpCall,
  { tool, version, misfit }: FoundTool,
  values: Readonly<Record<string, unknown>>,
  extra: ServerContext,
): Promise<ToolResult> {
  if (misfit !== undefined && !Object.keys(values).every((name) => tool.arguments.has(name)))
    return withVersion(
      toRefusal(`The arguments are ${[...tool.arguments.keys()].join(', ') || 'none'}.`),
      version,
    )
  const abort = new AbortController()
  // a client of 2025-11-25 that goes ends its request alone
  const forget = [extra.mcpReq.signal, call.request.signal].map((signal) => followSignal(signal, abort))
  const caller = toCaller(call, extra, abort.signal)
  const result = await callTool(call.versions.app.fetch, tool, values, caller).finally(() => {
    for (const each of forget) each()
  })
  const isLost = result.structuredContent?.['code'] === 'route_not_found'
  return withVersion(misfit !== undefined && isLost ? toRefusal(misfit) : result, version)
}

function withVersion(result: ToolResult, version: string | null): ToolResult {
  return { ...result, _meta: { [VERSION_KEY]: version } }
}

function toCaller({ context, request }: McpCall, { mcpReq }: ServerContext, signal: AbortSignal): ToolCaller {
  const { _meta: meta, envelope, notify } = mcpReq
  const token = meta?.progressToken
  return {
    context,
    request,
    signal,
    agent: toAgent(Reflect.get(envelope ?? {}, 'io.modelcontextprotocol/clientInfo')),
    report:
      token === undefined
        ? undefined
        : (progress, message) =>
            notify({
              method: 'notifications/progress',
              params: { progressToken: token, progress, message: message.slice(0, MAX_MESSAGE) },
            }),
  }
}

/** The most characters of an event that are told as progress. */
const MAX_MESSAGE = 1000

/** The name of a program as a product of `User-Agent` (RFC 9110 section 10.1.5), so that usage counts by it. */
function toAgent(info: unknown): string | undefined {
  const { name, version } = toRecord(info)
  if (!isNonEmptyString(name) || !isString(version)) return undefined
  const [own, release] = [name, version].map((text) =>
    text.replaceAll(/[^\w!#$%&'*+.^`|~-]+/g, '-').slice(0, 64),
  )
  return `${own}/${release}`
}
