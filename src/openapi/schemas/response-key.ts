import { RANGES, type ResponseKey } from '../../schema/schema.ts'

/** Whether the value is a key of a response map. */
export function isResponseKey(value: unknown): value is ResponseKey {
  return typeof value === 'number' || RANGES.some((range) => range === value)
}
