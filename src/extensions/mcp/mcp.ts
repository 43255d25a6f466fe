import {
  checkOptions,
  DefinitionError,
  invalidOption,
  missingOptions,
  recordLocation,
} from '../../base/definition-error.ts'
import { importInTurn, once } from '../../base/values.ts'
import { documenting, type Middleware, type ToolCandidate } from '../../define/layers.ts'
import { defineRouter, type Controller } from '../../define/module.ts'
import type { AppStores } from '../../define/store.ts'
import type { RequestContext } from '../../server/pipeline/context.ts'
import { VERSION_NEUTRAL } from '../../versioning/version.ts'
import type { AppTools } from './app-tools.ts'
import { RULES, toIsChosen, toToolName, type McpOptions } from './options.ts'

/** The router of tools, which no typed client calls. */
export type McpRouter = Controller<'mcp', string, readonly []>

const WHERE = 'mcp'

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
export function mcp(options: McpOptions): McpRouter {
  const missing = missingOptions(
    WHERE,
    options,
    ['name'],
    "write mcp({ name: 'garage', tags: ['assistant'] })",
  )
  checkOptions(WHERE, options, RULES, missing)
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
  const isChosen = toIsChosen(own)
  const toolOf = (candidate: ToolCandidate) =>
    isChosen(candidate) ? toToolName(candidate.operationId) : undefined
  const loading: Middleware = documenting((_context, next) => next(), { load, toolOf })
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
  // its route is for the protocol, and no client of Octavo calls it
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return recordLocation(router, mcp) as unknown as McpRouter
}

const loadCode = /* @__PURE__ */ once(() => importInTurn(() => import('./app-tools.ts')))

function openTools(options: McpOptions, stores: AppStores): Promise<AppTools> {
  return stores.of(options, async () => (await loadCode()).createAppTools(options))
}
