import { isSchema } from './schema.ts'
import type { Schema } from './schema.ts'
import { describeValue } from '../values.ts'
import type { SourceProblem } from './sources.ts'

/** Every status of success, for those that are declared. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

/** The statuses besides exact ones that a response map takes; an exact status wins over its range, and that over `default`. */
const RANGES = ['4XX', '5XX', 'default'] as const

/** A key of a response map. */
export type ResponseKey = number | (typeof RANGES)[number]

/** What is declared for a status. */
export function findResponse<T>(responses: ReadonlyMap<ResponseKey, T>, status: number): T | undefined {
  const declared = responses.get(status)
  if (declared !== undefined) return declared
  const range = status >= 500 ? '5XX' : '4XX'
  return (status >= 400 ? responses.get(range) : undefined) ?? responses.get('default')
}

/** Whether the value is a key of a response map. */
export function isResponseKey(value: unknown): value is ResponseKey {
  return typeof value === 'number' || RANGES.some((range) => range === value)
}

/** A route's `response`, read. */
export interface DeclaredResponses {
  /** The schemas by status; `status` is the route's own, for a response that names none. */
  byStatus(status: number | undefined): ReadonlyMap<ResponseKey, Schema>
  /** Whether `response` is a schema without a status. */
  readonly isOne: boolean
  /** The only 2xx status that is declared. */
  readonly success: number | undefined
}

/** Reads a `response`: a schema, schemas by status, or pairs of status and schema. What cannot be used is reported. */
export function toResponses(response: unknown, problems: SourceProblem[]): DeclaredResponses {
  if (isSchema(response))
    return { byStatus: (status = 200) => new Map([[status, response]]), success: undefined, isOne: true }
  const entries: readonly unknown[] = Array.isArray(response) ? response : Object.entries(response ?? {})
  const schemas = new Map<ResponseKey, Schema>()
  for (const entry of entries) {
    const [status, schema]: readonly unknown[] = Array.isArray(entry) ? entry : []
    const key = toKey(status)
    if (isSchema(schema) && key !== undefined) {
      if (schemas.has(key)) {
        problems.push({
          code: 'invalid_response',
          message: `response declares ${key} twice`,
          fix: 'declare each status once',
        })
      }
      schemas.set(key, schema)
    } else {
      problems.push({
        code: 'invalid_response',
        message: wrongEntry(entry),
        fix: 'write response: Car, { 200: Car, 404: Problem } or [[200, Car], [404, Problem]] with statuses from 200 to 599, 4XX, 5XX or default',
      })
    }
  }
  const successes = [...schemas.keys()]
    .filter((status) => typeof status === 'number')
    .filter((status) => status < 300)
  return { byStatus: () => schemas, success: successes.length === 1 ? successes[0] : undefined, isOne: false }
}

function wrongEntry(entry: unknown): string {
  if (!Array.isArray(entry)) return `response lists ${describeValue(entry)}`
  const [status, schema]: readonly unknown[] = entry
  if (toKey(status) === undefined) return `response has the status ${describeValue(status, true)}`
  return `response has ${describeValue(schema)} for the status ${describeValue(status, true)}`
}

function toKey(key: unknown): ResponseKey | undefined {
  const status = Number(key)
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status
  return RANGES.find((range) => range === key)
}
