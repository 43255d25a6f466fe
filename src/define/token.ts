import { placed } from '../base/definition-error.ts'

/** A token for a value that `inject` can supply. The type parameter is the type of the value. */
export interface Token<T> {
  /** Names the token in messages. */
  readonly token: string
  /** Carries the type only; never set. */
  readonly $type?: T
}

/** Tokens by the key under which their values arrive. */
export type Tokens = Readonly<Record<string, Token<unknown>>>

/** The values of a record of tokens. */
export type Injected<M> = { readonly [K in keyof M]: M[K] extends Token<infer T> ? T : never }

/**
 * Defines a token for an interface, a value or a choice between implementations, which others provide with {@link bind}.
 *
 * @example
 * export const PaymentGateway = defineToken<{ charge(cents: number): Promise<string> }>('PaymentGateway')
 */
export function defineToken<T>(name: string): Token<T> {
  return placed(Object.freeze({ token: name }), defineToken)
}

/** Whether the value can be injected. */
export function isToken(value: unknown): value is Token<unknown> {
  return typeof value === 'object' && value !== null && 'token' in value && typeof value.token === 'string'
}
