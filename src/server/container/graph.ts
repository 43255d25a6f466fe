import type { DefinitionProblem } from '../../base/definition-error.ts'
import { isDefinition } from '../../routes/check-fields.ts'
import { resolveLazy } from '../../define/lazy.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import type { Overrides } from '../../routes/overrides.ts'
import type { AnyProvider, Binding } from '../../define/provider.ts'
import { isToken, type Token } from '../../define/token.ts'
import { isForwardTarget } from '../../define/forward.ts'
import { findUsed, type Use } from './missing.ts'
import { describeValue } from '../../base/values.ts'
import { placeOf } from './connected.ts'
import { isProvider, type Graph, type Provided, type ProviderNode } from './node.ts'
import { createVisibility, type Visibility } from './visibility.ts'

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
    const node = own?.get(provider) ?? toNode(provider, owner)
    own?.set(provider, node)
    return node
  }
  const aliases: (() => void)[] = []
  for (const owner of modules) {
    const table = provided.get(owner) ?? new Map<Token<unknown>, ProviderNode>()
    const provide = (token: Token<unknown>, to: object): void => {
      if (table.has(token)) problems.push(duplicate(owner, token))
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
      if (!provideEntry(entry, provide, overrides)) problems.push(notProvidable(owner, index, entry))
    }
  }
  for (const alias of aliases) alias()
  provideUpstreams({ modules, uses, overrides, provided, visibility }, nodeOf)
  visibility.check()
  const used = new Set([...provided.values()].flatMap((table) => [...table.values()]))
  for (const node of used) connect(node, visibility, modules, problems)
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
  provide(token, overrides.find(token) ?? overriddenTarget(to, overrides))
  return true
}

function notProvidable(owner: ModuleNode, index: number, entry: unknown): DefinitionProblem {
  return {
    code: 'invalid_field',
    where: owner.label,
    message: `providers[${index}] is ${describeValue(resolveLazy(entry))}`,
    fix: 'pass the result of defineProvider, bind(token, provider) or bind(token, { value })',
  }
}

/** A binding to a provider that is overridden leads to what stands in for it. */
function overriddenTarget(to: object, overrides: Overrides): object {
  return overrides.find(to) ?? to
}

function connect(
  node: ProviderNode,
  visibility: Visibility,
  modules: readonly ModuleNode[],
  problems: DefinitionProblem[],
): void {
  for (const [key, token] of Object.entries(node.provider?.inject ?? {})) {
    const use = { where: placeOf(node), key, token, module: node.owner }
    const found = findUsed(use, modules, visibility)
    if ('source' in found) node.deps.set(key, found.source)
    else problems.push(found.problem)
  }
}

function duplicate(owner: ModuleNode, { token }: Token<unknown>): DefinitionProblem {
  return {
    code: 'duplicate_provider',
    where: owner.label,
    message: `providers has ${token} twice`,
    fix: 'keep one of them',
  }
}

function toNode(provider: AnyProvider, owner: ModuleNode): ProviderNode {
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
