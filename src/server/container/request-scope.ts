import type { BuiltIn } from '../../define/built-in-tokens.ts'
import type { ExecutionContext } from '../../define/context.ts'
import type { Awaitable } from '../../base/values.ts'
import { createLifetime } from './lifetime.ts'
import { isNode, type ProviderNode, type Dependency } from './node.ts'

/** The values that live for one request. */
export interface RequestScope {
  readonly get: (source: Dependency) => Promise<unknown>
  /** Disposes what was made, the latest first. Returns the errors. */
  readonly end: () => Promise<readonly Error[]>
}

/** A request as the container sees it. */
export interface ScopedContext extends ExecutionContext {
  /** Made when something in it is first asked for. */
  readonly scope: RequestScope
}

/** The values that the application itself supplies. */
export interface BuiltIns {
  /** The value behind a built-in token; `context` is there for those that belong to a request. */
  readonly read: (token: BuiltIn<unknown>, context: ScopedContext | undefined) => Awaitable<unknown>
  /** Whether reading takes time. */
  readonly isAsync: (token: BuiltIn<unknown>) => boolean
}

/** Starts the scope of a request. */
export function createRequestScope(context: ScopedContext, builtIns: BuiltIns): RequestScope {
  const lifetime = createLifetime()
  const instances = new Map<ProviderNode, Promise<unknown>>()
  return { get, end: lifetime.end }

  async function get(source: Dependency): Promise<unknown> {
    if (!isNode(source)) return builtIns.read(source, context)
    if (source.scope === 'singleton') return source.value
    if (source.scope === 'transient') return make(source)
    const known = instances.get(source)
    if (known !== undefined) return known
    const made = make(source)
    instances.set(source, made)
    return made
  }

  async function make(node: ProviderNode): Promise<unknown> {
    const entries = [...node.deps].map(async ([key, dep]) => [key, await get(dep)] as const)
    return lifetime.create(node, Object.fromEntries(await Promise.all(entries)))
  }
}
