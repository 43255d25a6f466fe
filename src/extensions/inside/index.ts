export { host, type Host } from './host.ts'
