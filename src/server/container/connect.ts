import { isBuiltIn } from '../../define/built-in-tokens.ts'
import { resolveLazy } from '../../define/lazy.ts'
import { isToken } from '../../define/token.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import type { Overrides } from '../../routes/overrides.ts'
import { createGraph, findUsed, type Use } from './graph.ts'
import { placeOf, type Connected, type UsedBuiltIn } from './connected.ts'
import { isNode, requestChain, type ProviderNode } from './node.ts'

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

/** The nodes so that each comes after what it injects. Cycles are reported, and left out of consideration. */
function inDependencyOrder(
  nodes: readonly ProviderNode[],
  problems: DefinitionProblem[],
): readonly ProviderNode[] {
  const done = new Set<ProviderNode>()
  const path: ProviderNode[] = []
  for (const node of nodes) visit(node)
  return [...done]

  function visit(node: ProviderNode): void {
    if (done.has(node)) return
    if (path.includes(node)) {
      problems.push(cycleProblem(node, [...path.slice(path.indexOf(node)), node]))
      return
    }
    path.push(node)
    for (const dep of node.deps.values()) if (isNode(dep)) visit(dep)
    path.pop()
    done.add(node)
  }
}

function cycleProblem(node: ProviderNode, cycle: readonly ProviderNode[]): DefinitionProblem {
  return {
    code: 'provider_cycle',
    where: placeOf(node),
    message: `it needs itself: ${cycle.map(({ label }) => label).join(' → ')}`,
    fix: 'move the shared code into another provider, or pass a value instead of injecting it',
  }
}

/** Reports singletons that inject what lives for one request. */
function scopeProblems(nodes: readonly ProviderNode[]): readonly DefinitionProblem[] {
  return nodes
    .filter(({ scope }) => scope === 'singleton')
    .flatMap((node) =>
      [...node.deps.values()].flatMap((dep) => {
        const chain = requestChain(dep)
        return chain === undefined ? [] : [scopeProblem(node, chain)]
      }),
    )
}

function scopeProblem(node: ProviderNode, chain: readonly string[]): DefinitionProblem {
  const last = chain.at(-1)
  const way = chain.length > 1 ? ` (${[node.label, ...chain].join(' → ')})` : ''
  return {
    code: 'scope_mismatch',
    where: placeOf(node),
    message: `it is a singleton and injects ${last}, which lives for one request${way}`,
    fix: `give ${node.label} scope: 'request', or pass ${last} as an argument`,
  }
}
