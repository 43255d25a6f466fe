export { preconditions } from './preconditions.ts'
export type { PreconditionInterceptor, PreconditionOptions } from './preconditions.ts'
