import type { DefinitionProblem } from '../../base/definition-error.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import { resolveLazy } from '../../define/lazy.ts'
import { notAToken } from '../../routes/resolve-route.ts'
import { isToken, type Token } from '../../define/token.ts'
import { isProvider, type Graph, type Dependency } from './node.ts'

/** A token that something of a module injects. */
export interface Use {
  readonly where: string
  /** The guard or interceptor that injects it. */
  readonly part?: object
  readonly key: string
  readonly token: unknown
  /** The module that has to see it. */
  readonly module: ModuleNode
}

/** Where the value of a use comes from; the problem when it comes from nowhere. */
export function findUsed(
  { where, key, token: given, module }: Use,
  modules: readonly ModuleNode[],
  graph: Pick<Graph, 'find' | 'own' | 'exported'>,
): { readonly source: Dependency } | { readonly problem: DefinitionProblem } {
  const token = resolveLazy(given)
  if (!isToken(token)) return { problem: { where, ...notAToken(key, token) } }
  const source = graph.find(module, token)
  if (source !== undefined) return { source }
  return { problem: missingProblem({ where, key, token, module, modules, visibility: graph }) }
}

interface Missing extends Use {
  readonly token: Token<unknown>
  readonly modules: readonly ModuleNode[]
  readonly visibility: Pick<Graph, 'own' | 'exported'>
}

/** Describes the dependent and the missing token, the module that has it, and the edit that connects them. */
function missingProblem({ where, key, token, module, modules, visibility }: Missing): DefinitionProblem {
  const name = token.token
  const problem = (message: string, fix: string): DefinitionProblem => ({
    code: 'missing_provider',
    where,
    message: `inject.${key} needs ${name}: ${message}`,
    fix,
  })
  const here = module.label
  const hidden = module.imports.find((imported) => visibility.own(imported, token) !== undefined)
  if (hidden !== undefined) {
    return problem(
      `${here} imports ${hidden.label}, which provides ${name} but does not export it`,
      `add ${name} to exports of ${hidden.label}`,
    )
  }
  const above = modules.find(
    (other) => visibility.own(other, token) !== undefined && reaches(other, module, new Set()),
  )
  if (above !== undefined) {
    return problem(
      `${above.label} provides it, but modules do not see what those that import them provide`,
      `move ${name} to a module that ${here} imports, or to providers of ${here}`,
    )
  }
  const exporter = modules.find((other) => visibility.exported(other, token) !== undefined)
  if (exporter !== undefined) {
    return problem(
      `${exporter.label} exports it, but ${here} does not import ${exporter.label}`,
      `add ${exporter.label} to imports of ${here}`,
    )
  }
  const owner = modules.find((other) => visibility.own(other, token) !== undefined)
  if (owner !== undefined) {
    return problem(
      `${owner.label} provides it, does not export it, and is not imported by ${here}`,
      `add ${name} to exports of ${owner.label}, and ${owner.label} to imports of ${here}`,
    )
  }
  return isProvider(token)
    ? problem('no module provides it', `add ${name} to providers of ${here}`)
    : problem(
        'no module provides it',
        `add bind(${name}, …) to providers of ${here}, or import a module that exports ${name}`,
      )
}

/** Whether a module imports another one, through others too. */
function reaches(from: ModuleNode, to: ModuleNode, seen: Set<ModuleNode>): boolean {
  if (seen.has(from)) return false
  seen.add(from)
  return from.imports.some((imported) => imported === to || reaches(imported, to, seen))
}
