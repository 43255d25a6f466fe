import { placeOf, UNCONNECTED } from '../container/connected.ts'
import type { Connected } from '../container/connected.ts'
import type { Use } from '../container/missing.ts'
import { DefinitionError } from '../../base/definition-error.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import { Config } from '../../define/built-in-tokens.ts'
import { createLayerStacker, hasOuterLayers, NO_LAYERS } from '../../routes/layer-stack.ts'
import type { FlatRoute } from '../../routes/flat-route.ts'
import { flatten, flattenOwn, unusedExclusions } from '../../routes/flatten.ts'
import type { AppLevel } from '../../routes/flatten.ts'
import { collectModules } from '../../routes/modules.ts'
import type { ModuleNode, SettledModules } from '../../routes/modules.ts'
import { createOverrides } from '../../routes/overrides.ts'
import type { Overrides } from '../../routes/overrides.ts'
import type { DocsRouter } from '../docs/docs-routes.ts'
import type { LazyDocuments } from '../docs/lazy-documents.ts'
import type { Settings } from '../options/settings.ts'
import { atDefinition } from '../../base/source-location.ts'
import { isCodeMissing } from './optional-code.ts'
import type { OptionalCode } from './optional-code.ts'

/** What an application consists of. */
export interface Structure {
  /** Imports first. */
  readonly modules: readonly ModuleNode[]
  readonly root: ModuleNode
  readonly routes: readonly FlatRoute[]
  /** `UNCONNECTED` if nothing is provided, injected or overridden. */
  readonly connected: Connected
  readonly overrides: Overrides
  /** The tokens that something injects, and where. */
  readonly uses: readonly Use[]
  /** Modules that are still promises. */
  readonly pending: readonly PromiseLike<unknown>[]
  /** Whether nothing was left out because a module is a promise, or because code is missing. */
  readonly isComplete: boolean
}

/** What definitions are read with. */
export interface ReadingParts {
  readonly settings: Settings
  readonly settled: SettledModules
  /** The mistakes that the options have. */
  readonly mistakes: readonly DefinitionProblem[]
  readonly documents: LazyDocuments
  readonly code: OptionalCode
}

/**
 * Reads the definitions of an application.
 *
 * @throws `DefinitionError` with every mistake that does not depend on versioning, promises or missing code.
 */
export function readStructure(
  module: unknown,
  { settings, settled, mistakes, documents, code }: ReadingParts,
): Structure {
  const problems = [...mistakes]
  const { modules, pending } = collectModules(module, settled, problems)
  const overrides = createOverrides(settings.overrides)
  const root = modules.at(-1)
  if (root === undefined) throw new DefinitionError(problems)
  const stackLayers = createLayerStacker(overrides)
  const { middleware: _own, ...global } = settings.layers
  const layers = stackLayers(NO_LAYERS, global, root)
  // options with mistakes are not options yet
  const { docs: given, session } = mistakes.length > 0 ? NO_OPTIONS : settings
  const docs = given ? code.options.get()?.createDocsRouter(given, settings, documents) : undefined
  const appLevel = { prefix: settings.prefix, layers, stackLayers, code }
  const flat = flatten(modules, appLevel)
  problems.push(...flat.problems)
  const routes = [...flat.routes, ...docsRoutes(docs, root, appLevel, problems)]
  askForLayers(routes, settings, code)
  const uses = usesOf(routes)
  const inGraph: DefinitionProblem[] = []
  const container = isInjecting(modules, uses, settings) ? code.container.get() : undefined
  const connected = container?.connectAll({ modules, overrides, uses, session }, inGraph) ?? UNCONNECTED
  // an override of the settings stands in for the module of settings, used or not
  overrides.find(Config)
  // built-in values are read in requests: it shows here which of them are replaced
  for (const { token } of connected.builtIns) overrides.find(token)
  const isComplete = pending.length === 0 && !isCodeMissing(code)
  if (isComplete) {
    const { live, ready } = settings.health ?? {}
    const unused = unusedExclusions(settings.prefix, routes, [live ?? [], ready ?? []].flat())
    problems.push(...inGraph, ...overrides.problems(), ...unused)
  }
  const structure = { modules, root, routes, connected, overrides, uses, pending, isComplete }
  if (problems.length > 0)
    throw new DefinitionError(
      problems.map((each) => atDefinition(each, ...definitionsAt(each.where, structure))),
    )
  return structure
}

/** Asks for the code of middleware and error handlers, if there are any. */
function askForLayers(
  routes: readonly FlatRoute[],
  { layers }: Settings,
  { routes: code }: OptionalCode,
): void {
  if ([layers, ...routes.map((route) => route.layers)].some(hasOuterLayers)) code.get()
}

const NO_OPTIONS: Pick<Settings, 'docs' | 'session'> = { docs: undefined, session: undefined }

/** The routes that serve documents, written out like those of the root module. */
function docsRoutes(
  docs: DocsRouter | undefined,
  root: ModuleNode,
  level: AppLevel,
  problems: DefinitionProblem[],
): readonly FlatRoute[] {
  if (docs === undefined) return []
  const { router, prefix, isPublic } = docs
  const layers = isPublic ? { ...level.layers, guards: [] } : level.layers
  return flattenOwn(router, root, { ...level, prefix, layers }, problems)
}

/** Whether something is provided, injected or overridden. */
function isInjecting(modules: readonly ModuleNode[], uses: readonly Use[], { overrides }: Settings): boolean {
  const isProviding = modules.some(
    ({ module: { providers = [], exports = [] } }) => providers.length + exports.length > 0,
  )
  return isProviding || uses.length > 0 || overrides.length > 0
}

/** The definitions that messages call by a label, the nearest first. */
export function definitionsAt(
  label: string,
  { modules, routes, connected, uses }: Pick<Structure, 'modules' | 'routes' | 'connected' | 'uses'>,
): readonly (object | undefined)[] {
  const route = routes.find((each) => label.endsWith(each.label))
  const use = uses.find(({ where }) => where === label)
  const node = connected.graph.nodes.find((each) => placeOf(each) === label)
  const owner = modules.find((each) => each.label === label) ?? node?.owner
  return [...(route?.definitions ?? []), use?.part, node?.provider, owner?.module]
}

/** Every token that routes, their guards and interceptors inject, once for each place. */
function usesOf(routes: readonly FlatRoute[]): readonly Use[] {
  const seen = new Set<object>()
  return routes.flatMap(({ label, inject, module, layers }) => [
    ...[...inject].map(([key, token]): Use => ({ where: label, key, token, module })),
    ...[...layers.guards, ...layers.interceptors].flatMap((placed) => {
      if (seen.has(placed)) return []
      seen.add(placed)
      const { part, module: owner } = placed
      const where = `${part.kind} ${part.name} of ${owner.label}`
      return Object.entries(part.inject).map(([key, token]): Use => ({
        where,
        part,
        key,
        token,
        module: owner,
      }))
    }),
  ])
}
