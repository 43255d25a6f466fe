export { idempotency, type IdempotencyOptions } from './idempotency.ts'
export type { IdempotencyMethod } from './documented.ts'
