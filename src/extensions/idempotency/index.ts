export { idempotency, type IdempotencyOptions } from './idempotency.ts'
export type { IdempotencyMethod } from './documented.ts'
export type { IdempotencyEntry, IdempotencyResult, IdempotencyStart, IdempotencyStore } from './store.ts'
