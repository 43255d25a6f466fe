/** Stands for something that `inject` can supply; the type parameter is what it supplies. */
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
