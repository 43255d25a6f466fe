import type { DefinitionProblem } from '../../base/definition-error.ts'
import { placeOf } from './connected.ts'
import { isNode, requestChain, type ProviderNode } from './node.ts'

/** The nodes so that each comes after what it injects. Cycles are reported, and left out of consideration. */
export function inDependencyOrder(
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
export function scopeProblems(nodes: readonly ProviderNode[]): readonly DefinitionProblem[] {
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
