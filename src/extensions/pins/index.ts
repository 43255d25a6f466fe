export { pinned, type PinOptions, type Pins } from './pinned.ts'
