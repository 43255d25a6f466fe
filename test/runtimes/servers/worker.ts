import { createHandler } from './fetch.ts'

// what a worker is
// oxlint-disable-next-line import/no-default-export
export default { fetch: createHandler('cf-connecting-ip') }
