import {
  checkOptions,
  DefinitionError,
  invalidOption,
  missingOptions,
  recordLocation,
  type Rules,
} from '../../base/definition-error.ts'
import { importInTurn, isFunction, isMilliseconds, isNonEmptyString, once } from '../../base/values.ts'
import { documenting, type Guard, type Middleware } from '../../define/layers.ts'
import { defineRouter } from '../../define/module.ts'
import type { AppStores } from '../../define/store.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { VERSION_NEUTRAL } from '../../versioning/version.ts'
import type { AppTools } from './app-tools.ts'
import type { ToolCandidate } from './tools.ts'

/** The options of `mcp`. */
export interface McpOptions {
  /** The name of the server, which clients show. */
  readonly name: string
  /** Where the server answers, below the prefix of the application. @default '/mcp' */
  readonly prefix?: string
  /** Makes every operation with one of these tags a tool. */
  readonly tags?: readonly string[]
  /** Makes every operation a tool for which the function returns `true`. */
  readonly include?: (candidate: ToolCandidate) => boolean
  /** A text that tells models how the tools belong together. */
  readonly instructions?: string
  /** Which tools are listed: all, or those whose guards let the client pass. @default 'all' */
  readonly list?: 'all' | 'allowed'
  /** The most milliseconds that clients may keep a list. A sunset before then ends it. @default 300000 */
  readonly ttl?: number
  /** Guards before every list and every call. Those of a tool's route run besides. */
  readonly guards?: readonly Guard[]
  /** Middleware around every list and every call. */
  readonly middleware?: readonly Middleware[]
}

const WHERE = 'mcp'

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isNonEmptyString)

const OPTIONS: Rules = {
  name: [isNonEmptyString, 'a text that is not empty'],
  prefix: [(value) => typeof value === 'string' && value.startsWith('/'), "a path, such as '/mcp'"],
  tags: [(value) => isTexts(value) && Object(value).length > 0, 'a list of tags'],
  include: [isFunction, 'a function'],
  instructions: [isNonEmptyString, 'a text that is not empty'],
  list: [(value) => value === 'all' || value === 'allowed', "'all' or 'allowed'"],
  ttl: [(value) => value === 0 || isMilliseconds(value), 'a number of milliseconds'],
  guards: [Array.isArray, 'a list of guards'],
  middleware: [Array.isArray, 'a list of middleware'],
}

/**
 * Creates a router that offers routes as tools of the Model Context Protocol (revisions 2025-11-25 and 2026-07-28, Streamable HTTP without
 * sessions), in every version. A call runs its route as a request does. A call by an older list is served in the version that it fits.
 * Needs the package `@modelcontextprotocol/server`.
 *
 * @example
 * const tools = mcp({ name: 'garage', tags: ['assistant'] })
 * createApp(defineModule({ controllers: [cars], routers: [tools] }))
 *
 * @throws `DefinitionError` if an option is wrong, or neither `tags` nor `include` chooses tools.
 */
export function mcp(options: McpOptions) {
  const missing = missingOptions(
    WHERE,
    options,
    ['name'],
    "write mcp({ name: 'garage', tags: ['assistant'] })",
  )
  checkOptions(WHERE, options, OPTIONS, missing)
  if (options.tags === undefined && options.include === undefined)
    throw new DefinitionError([
      invalidOption(
        WHERE,
        'nothing chooses the tools, and every new route would be one',
        "give tags: ['assistant'] and the routes this tag, or a function include",
      ),
    ])
  const { prefix = '/mcp', guards = [], middleware = [] } = options
  const own = { ...options }
  const load = async (stores: AppStores, app: object): Promise<void> =>
    (await openTools(own, stores)).open(app)
  const loading: Middleware = documenting((_context, next) => next(), { load })
  const router = defineRouter({
    name: WHERE,
    prefix,
    version: VERSION_NEUTRAL,
    includeInSchema: false,
    guards,
    middleware: [loading, ...middleware],
    routes: [
      {
        // a server without sessions refuses GET and DELETE itself
        method: ['POST', 'GET', 'DELETE'],
        name: 'serve',
        handler: async (_input, context) => {
          // handlers get no other context
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion
          const given = context as RequestContext
          return (await openTools(own, given.stores)).answer(context.request.web, given)
        },
      },
    ],
  })
  return recordLocation(router, mcp)
}

const loadCode = /* @__PURE__ */ once(() => importInTurn(() => import('./app-tools.ts')))

function openTools(options: McpOptions, stores: AppStores): Promise<AppTools> {
  return stores.of(options, async () => (await loadCode()).createAppTools(options))
}
