export { direct } from './engine.ts'
