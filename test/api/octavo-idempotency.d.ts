// The public types of octavo/idempotency. npm run api writes this file, and nothing imports it.

export type IdempotencyEntry =
  | {
      readonly state: 'started'
    }
  | {
      readonly fingerprint: string
      readonly left: number
      readonly state: 'running'
    }
  | {
      readonly fingerprint: string
      readonly result: string
      readonly state: 'finished'
    }

export type IdempotencyMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface IdempotencyOptions {
  readonly afterLease?: 'refuse' | 'run'
  readonly client?: (context: ExecutionContext) => string | undefined
  readonly lease?: number
  readonly lifetime?: number
  readonly maxMemory?: number
  readonly maxResult?: number
  readonly methods?: readonly IdempotencyMethod[]
  readonly onStoreError?: 'refuse' | 'allow'
  readonly required?: boolean
  readonly shape?: string
  readonly store?: IdempotencyStore | object
  readonly storeTimeout?: number
}

export interface IdempotencyResult {
  readonly fingerprint: string
  readonly lifetime: number
  readonly text: string
}

export interface IdempotencyStart {
  readonly fingerprint: string
  readonly lease: number
  readonly lifetime: number
  readonly takesOver: boolean
  readonly token: string
}

export interface IdempotencyStore {
  begin(key: string, start: IdempotencyStart, context: ExecutionContext): Awaitable<IdempotencyEntry>
  fail(key: string, token: string, context: ExecutionContext): Awaitable<unknown>
  finish(key: string, token: string, result: IdempotencyResult, context: ExecutionContext): Awaitable<unknown>
  renew?(key: string, token: string, lease: number, context: ExecutionContext): Awaitable<unknown>
}

export function idempotency(options?: IdempotencyOptions): Interceptor
