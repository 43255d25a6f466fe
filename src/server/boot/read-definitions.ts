import { inDependencyOrder, scopeProblems } from '../../container/check.ts'
import { createGraph } from '../../container/graph.ts'
import { findUsed } from '../../container/missing.ts'
import type { Use } from '../../container/missing.ts'
import { isNode, placeOf } from '../../container/node.ts'
import type { Graph, ProviderNode } from '../../container/node.ts'
import { DefinitionError } from '../../definition-error.ts'
import type { DefinitionProblem } from '../../definition-error.ts'
import { Config, isBuiltIn } from '../../define/built-in-tokens.ts'
import type { BuiltIn } from '../../define/built-in-tokens.ts'
import type { AnyController } from '../../define/controller.ts'
import { createLayerStacker, NO_LAYERS } from '../../flatten/layer-stack.ts'
import type { FlatRoute } from '../../flatten/flat-route.ts'
import { flatten, flattenOwn, unusedExclusions } from '../../flatten/flatten.ts'
import { resolveLazy } from '../../define/lazy.ts'
import { collectModules } from '../../flatten/modules.ts'
import type { ModuleNode, SettledModules } from '../../flatten/modules.ts'
import { createOverrides } from '../../flatten/overrides.ts'
import type { Overrides } from '../../flatten/overrides.ts'
import { isToken } from '../../define/token.ts'
import { builtInProblems } from '../pipeline/built-ins.ts'
import type { Settings } from '../options/settings.ts'
import { atDefinition } from '../../place.ts'

/** What an application consists of. */
export interface Structure {
  /** Imports first. */
  readonly modules: readonly ModuleNode[]
  readonly root: ModuleNode
  readonly routes: readonly FlatRoute[]
  readonly graph: Graph
  /** The providers, each after what it injects. */
  readonly ordered: readonly ProviderNode[]
  readonly overrides: Overrides
  /** The tokens that something injects, and where. */
  readonly uses: readonly Use[]
  /** Modules that are still promises; without them neither graph nor routes are complete. */
  readonly pending: readonly PromiseLike<unknown>[]
}

/**
 * Reads the definitions of an application. `mistakes` are those that its options have, `docs` the routes that serve documents.
 *
 * @throws `DefinitionError` with every mistake that does not depend on versioning, nor on promises.
 */
export function readStructure(
  module: unknown,
  settings: Settings,
  settled: SettledModules,
  mistakes: readonly DefinitionProblem[],
  docs?: AnyController,
): Structure {
  const problems = [...mistakes]
  const { modules, pending } = collectModules(module, settled, problems)
  const overrides = createOverrides(settings.overrides)
  const root = modules.at(-1)
  if (root === undefined) throw new DefinitionError(problems)
  const stackLayers = createLayerStacker(overrides)
  const { middleware: _own, ...global } = settings.layers
  const layers = stackLayers(NO_LAYERS, global, root)
  const appLevel = { prefix: settings.prefix, layers, stackLayers }
  const flat = flatten(modules, appLevel)
  problems.push(...flat.problems)
  const isOpen = settings.docs && settings.docs.public === true
  const docsLevel = {
    ...appLevel,
    prefix: settings.docsPrefix,
    layers: isOpen ? { ...layers, guards: [] } : layers,
  }
  const routes = [...flat.routes, ...(docs === undefined ? [] : flattenOwn(docs, root, docsLevel, problems))]
  const inGraph: DefinitionProblem[] = []
  const graph = createGraph(modules, overrides, inGraph)
  const ordered = inDependencyOrder(graph.nodes, inGraph)
  const uses = usesOf(routes)
  inGraph.push(...scopeProblems(ordered))
  for (const use of uses) {
    const found = findUsed(use, modules, graph)
    if ('problem' in found) inGraph.push(found.problem)
  }
  inGraph.push(...sessionProblems(uses, ordered, settings, overrides))
  // an override of the settings stands in for the module of settings, used or not
  overrides.find(Config)
  // built-in values are read in requests: it shows here which of them are replaced
  for (const { token } of builtInsOf(uses, ordered)) overrides.find(token)
  if (pending.length === 0) {
    const { live, ready } = settings.health ?? {}
    const unused = unusedExclusions(settings.prefix, routes, [live ?? [], ready ?? []].flat())
    problems.push(...inGraph, ...overrides.problems(), ...unused)
  }
  const structure = { modules, root, routes, graph, ordered, overrides, uses, pending }
  if (problems.length > 0)
    throw new DefinitionError(
      problems.map((each) => atDefinition(each, ...definitionsAt(each.where, structure))),
    )
  return structure
}

/** The definitions that messages call by a label, the nearest first. */
export function definitionsAt(
  label: string,
  { modules, routes, graph, uses }: Pick<Structure, 'modules' | 'routes' | 'graph' | 'uses'>,
): readonly (object | undefined)[] {
  const route = routes.find((each) => label.endsWith(each.label))
  const use = uses.find(({ where }) => where === label)
  const node = graph.nodes.find((each) => placeOf(each) === label)
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

function sessionProblems(
  uses: readonly Use[],
  nodes: readonly ProviderNode[],
  { session }: Settings,
  overrides: Overrides,
): readonly DefinitionProblem[] {
  return builtInsOf(uses, nodes).flatMap(({ token, where }) =>
    builtInProblems(token, where, session, overrides),
  )
}

/** The built-in tokens that something injects, and where. */
export function builtInsOf(
  uses: readonly Use[],
  nodes: readonly ProviderNode[],
): readonly { readonly token: BuiltIn<unknown>; readonly where: string }[] {
  const wanted: readonly { readonly token: unknown; readonly where: string }[] = [
    ...uses.map(({ token, where }) => ({ token: resolveLazy(token), where })),
    ...nodes.flatMap((node) =>
      [...node.deps.values()].map((dep) => ({
        token: isNode(dep) ? undefined : dep,
        where: placeOf(node),
      })),
    ),
  ]
  return wanted.flatMap(({ token, where }) => (isToken(token) && isBuiltIn(token) ? [{ token, where }] : []))
}
