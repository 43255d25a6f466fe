import { isSchema } from './schema.ts'
import type { Schema } from './schema.ts'
import type { SourceProblem } from './sources.ts'

/** A route's `response`, read. */
export interface DeclaredResponses {
  /** The schemas by status; `status` is the route's own, for a response that names none. */
  byStatus(status: number | undefined): ReadonlyMap<number, Schema>
  /** The only 2xx status that is declared. */
  readonly success: number | undefined
}

/** Reads a `response`: a schema, schemas by status, or pairs of status and schema. What cannot be used is reported. */
export function toResponses(response: unknown, problems: SourceProblem[]): DeclaredResponses {
  if (isSchema(response))
    return { byStatus: (status = 200) => new Map([[status, response]]), success: undefined }
  const entries: readonly unknown[] = Array.isArray(response) ? response : Object.entries(response ?? {})
  const schemas = new Map<number, Schema>()
  for (const entry of entries) {
    const [status, schema]: readonly unknown[] = Array.isArray(entry) ? entry : []
    if (isSchema(schema) && isStatus(Number(status))) {
      if (schemas.has(Number(status))) {
        problems.push({
          code: 'invalid_response',
          message: `response declares ${Number(status)} twice`,
          fix: 'declare each status once',
        })
      }
      schemas.set(Number(status), schema)
    } else {
      problems.push({
        code: 'invalid_response',
        message: 'response is neither a schema, nor schemas by status, nor pairs of status and schema',
        fix: 'write response: Car, { 200: Car, 404: Problem } or [[200, Car], [404, Problem]] with statuses from 200 to 599',
      })
    }
  }
  const successes = [...schemas.keys()].filter((status) => status < 300)
  return { byStatus: () => schemas, success: successes.length === 1 ? successes[0] : undefined }
}

function isStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599
}
