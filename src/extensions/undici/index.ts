export { createDispatcher, type AppDispatcher } from './dispatcher.ts'
