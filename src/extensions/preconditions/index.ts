export { preconditions, type PreconditionInterceptor, type PreconditionOptions } from './preconditions.ts'
