import type { Convert } from './model.ts'

/** Converts schemas by zod-openapi, which is used by this file alone. */
export const convert: Convert = () => {
  throw new Error('not there yet')
}
