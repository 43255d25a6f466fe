import { httpError, type HttpError } from '../../../http/errors.ts'
import { METHODS, type Method } from '../../../http/http.ts'
import { findLeaves } from '../../../router/find.ts'
import type { Endpoints } from '../../../router/node.ts'
import type { Endpoint } from '../../pipeline/endpoint.ts'
import type { Table, VersionReport } from '../table/table.ts'
import type { RouteMatch } from './resolution.ts'

/** The answer if no route matched: an error, or the headers of an answer to OPTIONS. */
export type MissAnswer = {
  /** Whether a header may decide at this path. */
  readonly varies: boolean
  /** The versions of the path, if the answer lists them. */
  readonly report: VersionReport | undefined
} & ({ readonly error: HttpError } | { readonly headers: Record<string, string> })

/** Explains why no route matched. */
export interface Miss {
  (located: RouteMatch, method: number, isPreflight: boolean): MissAnswer
  /** The methods that a path answers, in the version of the request or in any. */
  readonly allowed: (located: RouteMatch, isPreflight: boolean) => readonly Method[]
}

/** The endpoints at a path. */
export type Leaves = readonly Endpoints<Endpoint>[]

const OPTIONS = METHODS.indexOf('OPTIONS')
/** The methods whose media types are announced. */
const ANNOUNCING = [METHODS.indexOf('QUERY'), METHODS.indexOf('PATCH')]

/** Explains why no route matched in an application without versioning. */
export function createPlainMiss(table: Table): Miss {
  const leavesAt = ({ match }: RouteMatch): Leaves =>
    findLeaves(table.withoutVersion, match.text, 1, match.end)
  const miss = (located: RouteMatch, method: number): MissAnswer => {
    const leaves = leavesAt(located)
    if (leaves.length === 0) return notFound()
    const headers = allowHeaders(leaves)
    const answer = method === OPTIONS ? { headers } : { error: notAllowed(headers) }
    return { varies: false, report: undefined, ...answer }
  }
  return Object.assign(miss, {
    allowed: (located: RouteMatch): readonly Method[] => {
      const leaves = leavesAt(located)
      return leaves.length === 0 ? [] : methodsOf(leaves)
    },
  })
}

/** The answer at a path that nothing serves. */
export function notFound(): MissAnswer {
  const error = httpError('route_not_found', 'Nothing is served at this path')
  return { varies: false, report: undefined, error }
}

/** The methods that leaves answer. */
export function methodsOf(leaves: Leaves): readonly Method[] {
  return METHODS.filter(
    (_, index) => index === OPTIONS || leaves.some(({ methods }) => methods[index] !== undefined),
  )
}

/** The headers that announce what leaves answer. */
export function allowHeaders(leaves: Leaves): { readonly allow: string } & Record<string, string> {
  return { allow: methodsOf(leaves).join(', '), ...announcementsOf(leaves) }
}

/** The media types that the path takes by QUERY and PATCH, as the routes that would answer say. */
function announcementsOf(leaves: Leaves): ReturnType<Endpoint['announce']> {
  const found = ANNOUNCING.map((index) =>
    leaves.find(({ methods }) => methods[index] !== undefined)?.methods[index]?.announce(),
  )
  return Object.assign({}, ...found)
}

/** The error of a path that answers other methods (RFC 9110 section 15.5.6). */
export function notAllowed(headers: { readonly allow: string }): HttpError {
  return httpError('method_not_allowed', `This path answers ${headers.allow}`, { headers })
}
