// The public types of octavo/idempotency. npm run api writes this file, and nothing imports it.

export type IdempotencyMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface IdempotencyOptions {
  readonly afterLease?: 'refuse' | 'run'
  readonly client?: (context: ExecutionContext) => string | undefined
  readonly lease?: number
  readonly lifetime?: number
  readonly maxResult?: number
  readonly methods?: readonly IdempotencyMethod[]
  readonly onStoreError?: 'refuse' | 'allow'
  readonly required?: boolean
  readonly shape?: string
  readonly store?: Store
  readonly storeTimeout?: number
}

export function idempotency(options?: IdempotencyOptions): Interceptor
