import type { BuiltIn, ExecutionContext } from '../../define/context.ts'
import { keepContext, type InContext } from '../../base/platform.ts'
import type { Awaitable } from '../../base/values.ts'
import { isNode, type ProviderNode, type Dependency } from './connected.ts'

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

export function createRequestScope(context: ScopedContext, builtIns: BuiltIns): RequestScope {
  const lifetime = createLifetime(keepContext)
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

/** Values that end together. */
export interface ScopeLifetime {
  /** Creates the value of a node from its dependencies, and remembers it for the end. */
  readonly create: (node: ProviderNode, deps: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Disposes everything, the latest first, each once, also when others fail. Returns the errors. */
  readonly end: () => Promise<readonly Error[]>
}

/** Starts a lifetime with nothing in it. `keep` returns what a value is disposed by. */
export function createLifetime(keep: () => InContext = () => runNow): ScopeLifetime {
  const made: { readonly node: ProviderNode; readonly value: unknown; readonly run: InContext }[] = []
  const underWay = new Set<Promise<unknown>>()
  let ending: Promise<readonly Error[]> | undefined
  const make = async (node: ProviderNode, deps: Readonly<Record<string, unknown>>): Promise<unknown> => {
    if (node.provider === undefined) return node.value
    // the types of `inject` were forgotten on the way; the graph has connected each key with its token
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const value = await node.provider.create(deps as never)
    if (node.provider.dispose !== undefined) made.push({ node, value, run: keep() })
    return value
  }
  const disposeAll = async (): Promise<readonly Error[]> => {
    // what is still being made would never be disposed otherwise
    while (underWay.size > 0) await Promise.allSettled(underWay)
    const errors: Error[] = []
    for (const { node, value, run } of made.splice(0).toReversed()) {
      try {
        await run(() => node.provider?.dispose?.(value))
      } catch (cause) {
        errors.push(new Error(`${node.label} of ${node.owner.label} could not be disposed`, { cause }))
      }
    }
    return errors
  }
  return {
    create: (node, deps) => {
      if (ending !== undefined)
        return Promise.reject(
          new Error(`${node.label} was injected after its request or application had ended`),
        )
      const making = make(node, deps)
      underWay.add(making)
      const settle = (): void => void underWay.delete(making)
      making.then(settle, settle)
      return making
    },
    end: () => (ending ??= disposeAll()),
  }
}

function runNow<T>(work: () => T): T {
  return work()
}
