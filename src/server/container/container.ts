import type { ModuleNode, Overrides } from '../../routes/modules.ts'
import { resolveLazy } from '../../define/module.ts'
import { isToken, isBuiltIn, type Token } from '../../define/context.ts'
import {
  providerLocation,
  withOthers,
  isNode,
  isOfApplication,
  requestChain,
  type Connected,
  type UsedBuiltIn,
  type Graph,
  type ProviderNode,
  type Dependency,
} from './connected.ts'
import {
  createLifetime,
  createRequestScope,
  type ScopeLifetime,
  type BuiltIns,
  type RequestScope,
  type ScopedContext,
} from './request-scope.ts'
import type { DefinitionProblem } from '../../base/definition-error.ts'
import { createGraph, findUsed, type Use } from './graph.ts'

/** The values of a record of tokens, ready to be read. */
export interface Injection {
  /** Whether `readAsync` has to be used, for something in it is made for the request. */
  readonly isAsync: boolean
  readonly read: (context: ScopedContext) => Readonly<Record<string, unknown>>
  readonly readAsync: (context: ScopedContext) => Promise<Readonly<Record<string, unknown>>>
}

/** Creates and keeps the values of providers. */
export interface Container {
  /** Creates every singleton in dependency order. If one fails, the others are disposed. */
  readonly start: () => Promise<void>
  /** Disposes every singleton, the latest first. Returns the errors. */
  readonly end: () => Promise<readonly Error[]>
  /** Prepares the tokens that something of a module injects; all of them are in the graph. */
  readonly prepare: (tokens: Iterable<readonly [string, unknown]>, module: ModuleNode) => Injection
  /** The value behind a token as a module sees it. @throws `Error` when it sees none, or only in requests. */
  readonly resolve: (
    token: Token<unknown>,
    module: ModuleNode,
    context: ScopedContext | undefined,
  ) => Promise<unknown>
  /** Starts the scope of a request. */
  readonly openScope: (context: ScopedContext) => RequestScope
}

/** Creates the container of a graph; `ordered` are its nodes, each after what it injects. */
export function createContainer(
  graph: Graph,
  ordered: readonly ProviderNode[],
  builtIns: BuiltIns,
): Container {
  const lifetime = createLifetime()
  const sourceOf = (given: unknown, module: ModuleNode): Dependency | undefined => {
    const token = resolveLazy(given)
    return isToken(token) ? graph.find(module, token) : undefined
  }
  return {
    start: () => startSingletons(ordered, lifetime, builtIns),
    end: lifetime.end,
    prepare: (tokens, module) => {
      const sources = [...tokens].flatMap(([key, token]) => {
        const source = sourceOf(token, module)
        return source === undefined ? [] : [[key, source] as const]
      })
      return toInjection(sources, builtIns)
    },
    resolve: async (token, module, context) => {
      const source = sourceOf(token, module)
      if (source === undefined) throw new Error(`${module.label} does not see ${token.token}`)
      if (context !== undefined) return context.scope.get(source)
      if (requestChain(source) !== undefined) {
        throw new Error(`${token.token} lives for one request: use context.resolve in a request`)
      }
      return dependencyValue(source, lifetime, builtIns)
    },
    openScope: (context) => createRequestScope(context, builtIns),
  }
}

async function startSingletons(
  ordered: readonly ProviderNode[],
  lifetime: ScopeLifetime,
  builtIns: BuiltIns,
): Promise<void> {
  for (const node of ordered) {
    if (node.scope !== 'singleton' || node.provider === undefined) continue
    try {
      node.value = await create(node, lifetime, builtIns)
    } catch (cause) {
      const error = new Error(`${providerLocation(node)} could not be made`, { cause })
      throw withOthers(error, await lifetime.end())
    }
  }
}

/** Creates a value that belongs to the application. */
async function create(node: ProviderNode, lifetime: ScopeLifetime, builtIns: BuiltIns): Promise<unknown> {
  const deps: Record<string, unknown> = {}
  for (const [key, dep] of node.deps) deps[key] = await dependencyValue(dep, lifetime, builtIns)
  return lifetime.create(node, deps)
}

async function dependencyValue(
  source: Dependency,
  lifetime: ScopeLifetime,
  builtIns: BuiltIns,
): Promise<unknown> {
  if (!isNode(source)) return builtIns.read(source, undefined)
  return source.scope === 'transient' ? create(source, lifetime, builtIns) : source.value
}

function toInjection(sources: readonly (readonly [string, Dependency])[], builtIns: BuiltIns): Injection {
  const readAsync = async (context: ScopedContext): Promise<Readonly<Record<string, unknown>>> =>
    Object.fromEntries(
      await Promise.all(
        sources.map(async ([key, source]) => [key, await context.scope.get(source)] as const),
      ),
    )
  const isAsync = sources.some(([, source]) =>
    isNode(source) ? source.scope !== 'singleton' : builtIns.isAsync(source),
  )
  if (
    sources.every(([, source]) => (isNode(source) ? source.scope === 'singleton' : isOfApplication(source)))
  ) {
    // the same for every request; singletons are there when the first one comes
    let record: Readonly<Record<string, unknown>> | undefined
    return {
      isAsync,
      readAsync,
      read: () => (record ??= Object.freeze(toDependencyRecord(sources, builtIns, undefined))),
    }
  }
  return { isAsync, readAsync, read: (context) => toDependencyRecord(sources, builtIns, context) }
}

function toDependencyRecord(
  sources: readonly (readonly [string, Dependency])[],
  builtIns: BuiltIns,
  context: ScopedContext | undefined,
): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const [key, source] of sources)
    record[key] = isNode(source) ? source.value : builtIns.read(source, context)
  return record
}

/** Connects providers with what they and `uses` inject. Mistakes are reported, with the edit that mends them. */
export function connectProviders(
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
        where: providerLocation(node),
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
      const cycle = [...path.slice(path.indexOf(node)), node]
      problems.push({
        code: 'provider_cycle',
        where: providerLocation(node),
        message: `it needs itself: ${cycle.map(({ label }) => label).join(' → ')}`,
        fix: 'move the shared code into another provider, or pass a value instead of injecting it',
      })
      return
    }
    path.push(node)
    for (const dep of node.deps.values()) if (isNode(dep)) visit(dep)
    path.pop()
    done.add(node)
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
    where: providerLocation(node),
    message: `it is a singleton and injects ${last}, which lives for one request${way}`,
    fix: `give ${node.label} scope: 'request', or pass ${last} as an argument`,
  }
}
