export { pinned } from './pinned.ts'
export type { PinOptions, Pins } from './pinned.ts'
