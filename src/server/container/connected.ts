import { Config, Logger, type BuiltIn, type Token } from '../../define/context.ts'
import { isDefinition } from '../../routes/check-fields.ts'
import type { ModuleNode } from '../../routes/modules.ts'
import type { AnyProvider, Scope } from '../../define/provider.ts'

/** The providers of an application, connected with what they inject. */
export interface Connected {
  readonly graph: Graph
  /** The providers, each after what it injects. */
  readonly ordered: readonly ProviderNode[]
  /** The built-in tokens that something injects, and where. */
  readonly builtIns: readonly UsedBuiltIn[]
}

/** A built-in token that something injects. */
export interface UsedBuiltIn {
  readonly token: BuiltIn<unknown>
  readonly where: string
}

/** How messages name the place of a provider. */
export function providerLocation({ label, owner }: ProviderNode): string {
  return `${label} (provider of ${owner.label})`
}

/** An error, with the errors of undoing the steps before it. */
export function withOthers(error: Error, others: readonly Error[]): Error {
  if (others.length === 0) return error
  return new AggregateError([error, ...others], error.message, { cause: error.cause })
}

/** One provider, or one bound value, in the module that owns it: there is one instance of it for each owner. */
export interface ProviderNode {
  /** Names it in messages. */
  readonly label: string
  readonly owner: ModuleNode
  /** `undefined` for a bound value. */
  readonly provider: AnyProvider | undefined
  readonly scope: Scope
  /** The sources that it injects, by key; complete when the graph is. */
  readonly deps: Map<string, Dependency>
  /** The bound value; the singleton, from the start of the application on. */
  value: unknown
}

/** Where an injected value comes from. */
export type Dependency = ProviderNode | BuiltIn<unknown>

export type Provided = ReadonlyMap<ModuleNode, Map<Token<unknown>, ProviderNode>>

/** The providers of the application's modules, and who sees them. */
export interface Graph {
  /** Every node, in the order of modules and their providers. */
  readonly nodes: readonly ProviderNode[]
  /** Returns the source that a module sees under a token, or `undefined` if there is none. */
  readonly find: (module: ModuleNode, token: Token<unknown>) => Dependency | undefined
  /** Returns the provider that a module has by itself, exported or not. */
  readonly own: (module: ModuleNode, token: Token<unknown>) => ProviderNode | undefined
  /** Returns the provider that a module exports to those that import it. */
  readonly exported: (module: ModuleNode, token: Token<unknown>) => ProviderNode | undefined
}

/** The built-in tokens whose values belong to the application; the others belong to a request. */
const APPLICATION_TOKENS = new Set([Config.token, Logger.token])

/** Whether a source is a provider and not one of the application's own tokens. */
export function isNode(source: Dependency): source is ProviderNode {
  return 'owner' in source
}

/** Whether a built-in value lives as long as the application. */
export function isOfApplication({ token }: BuiltIn<unknown>): boolean {
  return APPLICATION_TOKENS.has(token)
}

/**
 * The labels from a source to what lives for one request: a request-scoped provider or built-in value, through transients.
 * `undefined` when it leads to none. `seen` ends cycles, which are reported elsewhere.
 */
export function requestChain(
  source: Dependency,
  seen: ReadonlySet<Dependency> = new Set(),
): readonly string[] | undefined {
  if (!isNode(source)) return isOfApplication(source) ? undefined : [source.token]
  if (source.scope === 'request') return [source.label]
  if (source.scope === 'singleton' || seen.has(source)) return undefined
  const inside = new Set([...seen, source])
  for (const dep of source.deps.values()) {
    const chain = requestChain(dep, inside)
    if (chain !== undefined) return [source.label, ...chain]
  }
  return undefined
}

export function isProvider(value: unknown): value is AnyProvider {
  return isDefinition('provider')(value)
}
