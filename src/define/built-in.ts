import type { Schema } from '../schema/schema.ts'
import type { Token } from './token.ts'

/** A token that the application itself supplies; its name says which. */
export interface BuiltIn<T> extends Token<T> {
  readonly kind: 'built-in'
  /** Reads the value, for those that can be read in more than one way. */
  readonly schema?: Schema
}

/** Whether a token is one that the application itself supplies. */
export function isBuiltIn(token: object): token is BuiltIn<unknown> {
  return 'kind' in token && token.kind === 'built-in'
}
