import type { BuiltIn } from '../../define/built-in-tokens.ts'
import type { Graph, ProviderNode } from './node.ts'

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
export function placeOf({ label, owner }: ProviderNode): string {
  return `${label} (provider of ${owner.label})`
}

/** An error, with those that followed when what had begun was undone. */
export function withOthers(error: Error, others: readonly Error[]): Error {
  if (others.length === 0) return error
  return new AggregateError([error, ...others], error.message, { cause: error.cause })
}
