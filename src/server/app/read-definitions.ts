import { connectProviders, createContainer, type Container } from '../container/container.ts'
import { providerLocation, type Connected } from '../container/connected.ts'
import type { Use } from '../container/graph.ts'
import {
  alsoIn,
  DefinitionError,
  atDefinition,
  type DefinitionErrorCode,
  type DefinitionProblem,
  type DefinitionWarning,
} from '../../base/definition-error.ts'
import { Config } from '../../define/context.ts'
import {
  createLayerStacker,
  NO_LAYERS,
  collectModules,
  createOverrides,
  type ModuleNode,
  type ModuleTree,
  type Overrides,
} from '../../routes/modules.ts'
import type { ResolvedRoute } from '../../routes/resolved-route.ts'
import { resolveRoutes, resolveOwn, unusedExclusions, type AppLevel } from '../../routes/resolve-routes.ts'
import { createDocsRouter, type DocsRouter } from '../docs/docs-routes.ts'
import type { LazyDocuments } from '../docs/lazy-documents.ts'
import type { Settings } from '../options/settings.ts'
import { builtInProblems, createBuiltIns } from '../pipeline/built-ins.ts'
import type { RuntimeServices } from './runtime-services.ts'

/** The definitions of an application, read. */
export interface AppDefinitions {
  /** Imports first. */
  readonly modules: readonly ModuleNode[]
  readonly root: ModuleNode
  readonly routes: readonly ResolvedRoute[]
  readonly connected: Connected
  readonly container: Container
  readonly overrides: Overrides
  /** The tokens that something injects, and where. */
  readonly uses: readonly Use[]
}

interface ReadingParts {
  readonly settings: Settings
  /** The mistakes that the options have. */
  readonly problems: readonly DefinitionProblem[]
  readonly documents: LazyDocuments
  readonly runtime: RuntimeServices
}

/**
 * Reads the definitions of an application.
 *
 * @throws `DefinitionError` with every mistake that does not depend on versioning.
 */
export function readAppDefinitions(
  { modules, problems: inTree }: ModuleTree,
  { settings, problems: inOptions, documents, runtime }: ReadingParts,
): AppDefinitions {
  const problems = [...inOptions, ...inTree]
  const overrides = createOverrides(settings.overrides)
  const root = modules.at(-1)
  if (root === undefined) throw new DefinitionError(problems)
  const stackLayers = createLayerStacker(overrides)
  const { middleware: _own, ...global } = settings.layers
  const layers = stackLayers(NO_LAYERS, global, root)
  const appLevel = { prefix: settings.prefix, layers, stackLayers }
  const flat = resolveRoutes(modules, appLevel)
  const paths = new Set(flat.routes.map(({ pattern }) => pattern.text))
  const docs = settings.docs ? createDocsRouter(settings.docs, settings, documents, paths) : undefined
  problems.push(...flat.problems)
  const routes = [...flat.routes, ...docsRoutes(docs, root, appLevel, problems)]
  const uses = injectedUses(routes)
  const connected = connectProviders(modules, overrides, uses, problems)
  for (const { token, where } of connected.builtIns)
    problems.push(...builtInProblems(token, where, settings.session, overrides))
  // an override of the settings stands in for the module of settings, used or not
  overrides.find(Config)
  // built-in values are read in requests: it shows here which of them are replaced
  for (const { token } of connected.builtIns) overrides.find(token)
  const { live, ready } = settings.health ?? {}
  const unused = unusedExclusions(settings.prefix, routes, [live ?? [], ready ?? []].flat())
  problems.push(...overrides.problems(), ...unused)
  const named = { modules, routes, connected, uses }
  if (problems.length > 0)
    throw new DefinitionError(
      reportOnce(problems).map((each) => atDefinition(each, ...definitionsAt(each.where, named))),
    )
  const builtIns = createBuiltIns({ log: settings.logger, overrides, config: () => runtime.config })
  return {
    ...named,
    root,
    overrides,
    container: createContainer(connected.graph, connected.ordered, builtIns),
  }
}

const REPEATED: ReadonlySet<DefinitionErrorCode> = new Set([
  'missing_provider',
  'missing_guard',
  'unused_optional',
])

/** Reports a mistake in several places once if one edit mends all of them. */
function reportOnce(problems: readonly DefinitionProblem[]): readonly DefinitionProblem[] {
  const repeated = new Map<string, DefinitionProblem[]>()
  for (const each of problems)
    if (REPEATED.has(each.code))
      repeated.set(problemText(each), [...(repeated.get(problemText(each)) ?? []), each])
  return problems.flatMap((each) => {
    const [first, ...others] = repeated.get(problemText(each)) ?? [each]
    if (first !== each) return []
    const places = new Set(others.map(({ where }) => where).filter((where) => where !== each.where))
    return { ...each, message: each.message + alsoIn([...places]) }
  })
}

function problemText({ message, fix }: DefinitionProblem): string {
  return `${message}. ${fix}`
}

/** The routes that serve documents, written out like those of the root module. */
function docsRoutes(
  docs: DocsRouter | undefined,
  root: ModuleNode,
  level: AppLevel,
  problems: DefinitionProblem[],
): readonly ResolvedRoute[] {
  if (docs === undefined) return []
  const { router, prefix, isPublic } = docs
  const layers = isPublic ? { ...level.layers, guards: [] } : level.layers
  return resolveOwn(router, root, { ...level, prefix, layers }, problems)
}

/** Finds the definitions that a problem or warning is about, the nearest first. What is about no definition is about the options. */
export type FindDefinitions = (
  problem: Pick<DefinitionProblem | DefinitionWarning, 'code' | 'where'>,
) => readonly (object | undefined)[]

/** The definitions that messages call by a label, the nearest first. */
export function definitionsAt(
  label: string,
  { modules, routes, connected, uses }: Pick<AppDefinitions, 'modules' | 'routes' | 'connected' | 'uses'>,
): readonly (object | undefined)[] {
  const route = routes.find((each) => label.endsWith(each.label))
  const use = uses.find(({ where }) => where === label)
  const node = connected.graph.nodes.find((each) => providerLocation(each) === label)
  const owner = modules.find((each) => each.label === label) ?? node?.owner
  return [...(route?.definitions ?? []), use?.part, node?.provider, owner?.module]
}

/** Every token that routes, their guards and interceptors inject, once for each place. */
function injectedUses(routes: readonly ResolvedRoute[]): readonly Use[] {
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

/**
 * Awaits the promised imports of a module, and those that they import in turn. Returns the tree that it is given if nothing is promised.
 *
 * @throws `Error` if a promise is rejected, with the reason as its cause.
 */
export async function settleModules(module: unknown, tree: ModuleTree): Promise<ModuleTree> {
  const settled = new Map<PromiseLike<unknown>, unknown>()
  let found = tree
  while (found.pending.length > 0) {
    for (const promise of found.pending) {
      try {
        settled.set(promise, await promise)
      } catch (cause) {
        throw new Error('A promised module could not be made', { cause })
      }
    }
    found = collectModules(module, settled)
  }
  return found
}
