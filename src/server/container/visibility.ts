import type { DefinitionProblem } from '../../base/definition-error.ts'
import { isBuiltIn } from '../../define/built-in-tokens.ts'
import { isDefinition } from '../../routes/check-fields.ts'
import { resolveLazy } from '../../define/lazy.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import { isToken, type Token } from '../../define/token.ts'
import { describeValue } from '../../base/values.ts'
import type { Provided, ProviderNode, Dependency } from './node.ts'

/** Who sees what. */
export interface Visibility {
  /** Returns the source that a module sees: its own, else that of its imports' exports, else that of global modules' exports. */
  readonly find: (module: ModuleNode, token: Token<unknown>) => Dependency | undefined
  /** Returns the provider that a module has by itself, exported or not. */
  readonly own: (module: ModuleNode, token: Token<unknown>) => ProviderNode | undefined
  /** Returns the provider that a module exports to those that import it. */
  readonly exported: (module: ModuleNode, token: Token<unknown>) => ProviderNode | undefined
  /** Reports exports of what a module does not have. */
  readonly check: () => void
}

/** Prepares the question who sees what. `provided` may still grow until the first one is asked. */
export function createVisibility(
  modules: readonly ModuleNode[],
  provided: Provided,
  problems: DefinitionProblem[],
): Visibility {
  const globals = modules.filter(({ module }) => module.global === true)
  const reported = new Set<string>()
  const own: Visibility['own'] = (module, token) => provided.get(module)?.get(token)
  const search = createSearch(own)
  const exported: Visibility['exported'] = (module, token) => search(module, token, new Set())[0]
  const find: Visibility['find'] = (module, token) => {
    if (isBuiltIn(token)) return token
    return own(module, token) ?? only(module.imports, module, token) ?? only(globals, module, token)
  }
  const has = (node: ModuleNode, token: Token<unknown>): boolean =>
    (own(node, token) ?? only(node.imports, node, token)) !== undefined
  const check = (): void =>
    void problems.push(...modules.flatMap((node) => exportProblems(node, (token) => has(node, token))))
  return { find, own, exported, check }

  /** The one provider that some of the modules export; two are a mistake. */
  function only(
    from: readonly ModuleNode[],
    module: ModuleNode,
    token: Token<unknown>,
  ): ProviderNode | undefined {
    const found = from.flatMap((other) => search(other, token, new Set()))
    const rival = found.find((node) => node !== found[0])
    const key = `${module.label}\n${token.token}`
    if (found[0] !== undefined && rival !== undefined && !reported.has(key)) {
      reported.add(key)
      problems.push({
        code: 'ambiguous_provider',
        where: module.label,
        message: `${token.token} comes from ${found[0].owner.label} and from ${rival.owner.label}`,
        fix: 'export it from one of them, or import only one',
      })
    }
    return found[0]
  }
}

/** Every provider that a module gives under a token. */
type Search = (module: ModuleNode, token: Token<unknown>, seen: Set<ModuleNode>) => readonly ProviderNode[]

/** Follows exports through modules that pass on what others export; import cycles are legal. */
function createSearch(own: Visibility['own']): Search {
  const search: Search = (module, token, seen) => {
    if (seen.has(module)) return []
    seen.add(module)
    const entries = (module.module.exports ?? []).map(resolveLazy)
    const isNamed = entries.includes(token)
    const mine = isNamed ? own(module, token) : undefined
    if (mine !== undefined) return [mine]
    return module.imports
      .filter((imported) => isNamed || entries.includes(imported.module))
      .flatMap((imported) => search(imported, token, seen))
  }
  return search
}

/** Reports exports of what a module does not have; `has` tells whether it provides or imports a token. */
function exportProblems(
  { module, label, imports }: ModuleNode,
  has: (token: Token<unknown>) => boolean,
): readonly DefinitionProblem[] {
  return (module.exports ?? []).map(resolveLazy).flatMap((entry, index): DefinitionProblem[] => {
    if (isToken(entry)) return has(entry) ? [] : [notProvided(label, entry)]
    if (imports.some((imported) => imported.module === entry)) return []
    return [isDefinition('module')(entry) ? notImported(label, entry) : notExportable(label, index, entry)]
  })
}

function notProvided(where: string, { token }: Token<unknown>): DefinitionProblem {
  return {
    code: 'unknown_export',
    where,
    message: `exports names ${token}, which the module neither provides nor imports`,
    fix: `add ${token} to providers, or remove it from exports`,
  }
}

function notImported(where: string, entry: unknown): DefinitionProblem {
  const named = typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : undefined
  const name = typeof named === 'string' ? named : 'a module'
  return {
    code: 'unknown_export',
    where,
    message: `exports names ${name}, which the module does not import`,
    fix: `add ${name} to imports too`,
  }
}

function notExportable(where: string, index: number, entry: unknown): DefinitionProblem {
  return {
    code: 'unknown_export',
    where,
    message: `exports[${index}] is ${describeValue(entry)}`,
    fix: 'list providers, tokens and imported modules, as in exports: [CarService]',
  }
}
