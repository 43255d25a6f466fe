export { createDispatcher } from './dispatcher.ts'
export type { AppDispatcher } from './dispatcher.ts'
