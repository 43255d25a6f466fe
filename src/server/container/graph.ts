import type { DefinitionProblem } from '../../base/definition-error.ts'
import { isDefinition } from '../../routes/check-fields.ts'
import { resolveLazy } from '../../define/module.ts'
import type { ModuleNode, Overrides } from '../../routes/modules.ts'
import type { AnyProvider, Binding } from '../../define/provider.ts'
import { isToken, isForwardTarget, isBuiltIn, type Token } from '../../define/context.ts'
import { describeValue } from '../../base/values.ts'
import {
  providerLocation,
  isProvider,
  type Graph,
  type Provided,
  type ProviderNode,
  type Dependency,
} from './connected.ts'
import { notAToken } from '../../routes/resolve-route.ts'

/** Connects everything that modules provide. Mistakes are reported, with the edit that mends them. */
export function createGraph(
  modules: readonly ModuleNode[],
  overrides: Overrides,
  uses: readonly Use[],
  problems: DefinitionProblem[],
): Graph {
  const provided: Provided = new Map(modules.map((module) => [module, new Map()]))
  const visibility = createVisibility(modules, provided, problems)
  const nodes = new Map<ModuleNode, Map<object, ProviderNode>>(modules.map((module) => [module, new Map()]))
  const nodeOf = (provider: AnyProvider, owner: ModuleNode): ProviderNode => {
    const own = nodes.get(owner)
    const node = own?.get(provider) ?? toProviderNode(provider, owner)
    own?.set(provider, node)
    return node
  }
  const aliases: (() => void)[] = []
  for (const owner of modules) {
    const table = provided.get(owner) ?? new Map<Token<unknown>, ProviderNode>()
    const provide = (token: Token<unknown>, to: object): void => {
      if (table.has(token))
        problems.push({
          code: 'duplicate_provider',
          where: owner.label,
          message: `providers has ${token.token} twice`,
          fix: 'keep one of them',
        })
      else if (isProvider(to) && to !== token) {
        // what the owner sees is shared, so that a bound provider is not made twice
        table.set(token, nodeOf(to, owner))
        aliases.push(() => {
          const seen = overrides.find(to) === undefined ? visibility.find(owner, to) : undefined
          if (seen !== undefined && 'owner' in seen) table.set(token, seen)
        })
      } else if (isProvider(to)) table.set(token, nodeOf(to, owner))
      else if ('value' in to) table.set(token, toValueNode(token, to.value, owner))
    }
    for (const [index, entry] of (owner.module.providers ?? []).entries()) {
      if (!provideEntry(entry, provide, overrides))
        problems.push({
          code: 'invalid_field',
          where: owner.label,
          message: `providers[${index}] is ${describeValue(resolveLazy(entry))}`,
          fix: 'pass the result of defineProvider, bind(token, provider) or bind(token, { value })',
        })
    }
  }
  for (const alias of aliases) alias()
  provideUpstreams({ modules, uses, overrides, provided, visibility }, nodeOf)
  visibility.check()
  const used = new Set([...provided.values()].flatMap((table) => [...table.values()]))
  for (const node of used) connectProvider(node, visibility, modules, problems)
  return { ...visibility, nodes: [...used] }
}

interface Providing {
  readonly modules: readonly ModuleNode[]
  readonly uses: readonly Use[]
  readonly overrides: Overrides
  readonly provided: Provided
  readonly visibility: Visibility
}

/** Provides the upstreams that routes name, one for the application, because no module has to. */
function provideUpstreams(
  { modules, uses, overrides, provided, visibility }: Providing,
  nodeOf: (provider: AnyProvider, owner: ModuleNode) => ProviderNode,
): void {
  for (const { token, module } of uses) {
    if (!isForwardTarget(token) || !isProvider(token) || visibility.find(module, token) !== undefined)
      continue
    const root = modules.at(-1) ?? module
    const to = overrides.find(token) ?? token
    const made = isProvider(to) ? nodeOf(to, root) : toValueNode(token, Reflect.get(to, 'value'), root)
    const node = provided.get(root)?.get(token) ?? made
    for (const owner of [root, module]) provided.get(owner)?.set(token, node)
  }
}

/** Reads one entry of `providers`; says whether it could. */
function provideEntry(
  entry: unknown,
  provide: (token: Token<unknown>, to: object) => void,
  overrides: Overrides,
): boolean {
  const given = resolveLazy(entry)
  const token = isBinding(given) ? resolveLazy(given.token) : given
  const to = isBinding(given) ? resolveLazy(given.to) : given
  if (!isToken(token) || !isTarget(to) || !(isProvider(token) || isBinding(given))) return false
  // a binding to a provider that is overridden leads to what stands in for it
  provide(token, overrides.find(token) ?? overrides.find(to) ?? to)
  return true
}

function connectProvider(
  node: ProviderNode,
  visibility: Visibility,
  modules: readonly ModuleNode[],
  problems: DefinitionProblem[],
): void {
  for (const [key, token] of Object.entries(node.provider?.inject ?? {})) {
    const use = { where: providerLocation(node), key, token, module: node.owner }
    const found = findUsed(use, modules, visibility)
    if ('source' in found) node.deps.set(key, found.source)
    else problems.push(found.problem)
  }
}

function toProviderNode(provider: AnyProvider, owner: ModuleNode): ProviderNode {
  const { name, scope } = provider
  return { label: name, owner, provider, scope, deps: new Map(), value: undefined }
}

function toValueNode({ token }: Token<unknown>, value: unknown, owner: ModuleNode): ProviderNode {
  return { label: token, owner, provider: undefined, scope: 'singleton', deps: new Map(), value }
}

function isBinding(value: unknown): value is Binding {
  return isDefinition('binding')(value)
}

function isTarget(value: unknown): value is object {
  return isProvider(value) || (typeof value === 'object' && value !== null && 'value' in value)
}

/** The rules by which modules see providers. */
interface Visibility {
  /** Returns the source that a module sees: its own, else an export of its imports, else an export of global modules. */
  readonly find: (module: ModuleNode, token: Token<unknown>) => Dependency | undefined
  /** Returns the provider that a module has by itself, exported or not. */
  readonly own: (module: ModuleNode, token: Token<unknown>) => ProviderNode | undefined
  /** Returns the provider that a module exports to those that import it. */
  readonly exported: (module: ModuleNode, token: Token<unknown>) => ProviderNode | undefined
  /** Reports exports of what a module does not have. */
  readonly check: () => void
}

/** Prepares the lookup of visible providers. `provided` may grow until the first lookup. */
function createVisibility(
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
    if (isToken(entry))
      return has(entry)
        ? []
        : [
            {
              code: 'unknown_export',
              where: label,
              message: `exports names ${entry.token}, which the module neither provides nor imports`,
              fix: `add ${entry.token} to providers, or remove it from exports`,
            },
          ]
    if (imports.some((imported) => imported.module === entry)) return []
    return [
      isDefinition('module')(entry)
        ? notImported(label, entry)
        : {
            code: 'unknown_export',
            where: label,
            message: `exports[${index}] is ${describeValue(entry)}`,
            fix: 'list providers, tokens and imported modules, as in exports: [CarService]',
          },
    ]
  })
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
