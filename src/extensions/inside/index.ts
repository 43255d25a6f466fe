export { host, type Host } from './host.ts'
export type { InsideApp, InsideOptions } from './options.ts'
