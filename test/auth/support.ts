import { HttpError } from 'octavo'
import type { AnyGuard, ExecutionContext } from 'octavo'

/** What a request carries. */
export interface Carried {
  /** By lower-case name; a list sends several lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly cookies?: Readonly<Record<string, string>>
}

/** A context with as much of a request as guards for credentials look at. */
export function createContext({ headers = {}, query = {}, cookies = {} }: Carried): ExecutionContext {
  const request = {
    headerLines: (name: string) => [headers[name.toLowerCase()] ?? []].flat(),
    query: Object.assign(Object.create(null), query),
    cookies: Object.assign(Object.create(null), cookies),
  }
  const log = { debug: () => {} }
  return { request, identity: undefined, log } as unknown as ExecutionContext
}

/** What a guard says: the identity it leaves, its answer when that is not `true`, or the error it denies with. */
export async function ask(guard: AnyGuard, carried: Carried, inject: object = {}): Promise<unknown> {
  const context = createContext(carried)
  try {
    const answer = await guard.canActivate(context, inject as never)
    return answer === true ? { identity: context.identity } : answer
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    const { status, code, headers } = error
    return { status, code, challenge: headers?.['www-authenticate'] }
  }
}

/** Credentials in the Authorization header. */
export function authorization(...lines: readonly string[]): Carried {
  return { headers: { authorization: lines } }
}

/** User and password as Basic writes them. */
export function basic(text: string | Uint8Array): string {
  return `Basic ${Buffer.from(text).toString('base64')}`
}
