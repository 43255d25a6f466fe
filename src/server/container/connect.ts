import { isBuiltIn } from '../../define/built-in-tokens.ts'
import { resolveLazy } from '../../define/lazy.ts'
import { isToken } from '../../define/token.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import type { Overrides } from '../../routes/overrides.ts'
import { inDependencyOrder, scopeProblems } from './check.ts'
import { createGraph } from './graph.ts'
import { findUsed, type Use } from './missing.ts'
import { placeOf, type Connected, type UsedBuiltIn } from './connected.ts'
import { isNode, type ProviderNode } from './node.ts'

/** Connects providers with what they and `uses` inject. Mistakes are reported, with the edit that mends them. */
export function connect(
  modules: readonly ModuleNode[],
  overrides: Overrides,
  uses: readonly Use[],
  problems: DefinitionProblem[],
): Connected {
  const graph = createGraph(modules, overrides, uses, problems)
  const ordered = inDependencyOrder(graph.nodes, problems)
  problems.push(...scopeProblems(ordered))
  for (const use of uses) {
    const found = findUsed(use, modules, graph)
    if ('problem' in found) problems.push(found.problem)
  }
  return { graph, ordered, builtIns: builtInsOf(uses, ordered) }
}

function builtInsOf(uses: readonly Use[], nodes: readonly ProviderNode[]): readonly UsedBuiltIn[] {
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
